//! Several workers, each on a thread of its own with its own target and solver, on one tree.
//!
//! Every worker has a search of its own, which sees all runs. A flip that one is at is nobody else's: until its outcome is known it
//! counts as one the solver gave up on. Running and solving, which is most of the time, happens in parallel; choosing and taking in results in turn (`turn.rs`).

use super::worker::Worker;
use super::{Campaign, CampaignError};
use crate::directory::CampaignDirectory;
use crate::executor::Executor;
use crate::journal::WorkerId;
use crate::observer::Observer;
use crate::settings::Settings;
use crate::summary::{StopReason, Summary};
use crate::turn::Table;
use cairn_deadline::Deadline;
use cairn_exec::StartError;
use cairn_program::Program;
use cairn_solver::Solver;

/// Where what workers need comes from.
pub trait WorkerPool: Sync {
    /// What runs inputs for one of them, if it is ready by the deadline.
    fn executor(&self, deadline: &Deadline) -> Result<Box<dyn Executor>, StartError>;

    /// What answers questions for one of them; it stays on the thread it was made on.
    fn solver(&self) -> Box<dyn Solver>;
}

/// Makes one campaign with as many workers as the settings say.
pub fn run_workers(
    settings: &Settings,
    program: &Program,
    crew: &dyn WorkerPool,
    directory: Option<CampaignDirectory>,
    observer: &mut dyn Observer,
) -> Result<Summary, CampaignError> {
    let table = Table::new(Campaign::new(settings, program, settings.workers, directory, observer)?);
    let ended = std::thread::scope(|scope| {
        let deadline = table.take().deadline();
        let (mut executor, mut solver) = (crew.executor(&deadline)?, crew.solver());
        let mut first = Worker::new(WorkerId::FIRST, &table, &mut *executor, &mut *solver);
        if let Some(stop) = first.begin()? {
            return Ok(stop);
        }
        first.campaign.crowd.busy = settings.workers;
        let table = &table;
        let other = |id| scope.spawn(move || join(id, table, crew));
        let others: Vec<_> = WorkerId::others(settings.workers).map(other).collect();
        let mut ended = first.explore();
        first.campaign.crowd.end(&ended);
        drop(first);
        for other in others {
            let theirs = other.join().expect("a worker does not panic");
            ended = ended.and_then(|stop| theirs.map(|_| stop));
        }
        ended
    });
    table.into_state().finish(ended)
}

/// One more worker, until the end.
fn join(id: WorkerId, table: &Table<Campaign>, crew: &dyn WorkerPool) -> Result<StopReason, CampaignError> {
    let _end = EndOfAll(table);
    let deadline = table.take().deadline();
    let mut executor = match crew.executor(&deadline) {
        Err(StartError::CutOff(_)) => return Ok(cut_off(&mut table.take())),
        started => started?,
    };
    let mut solver = crew.solver();
    let mut worker = Worker::new(id, table, &mut *executor, &mut *solver);
    let ended = worker.take_turn().and_then(|()| worker.explore());
    worker.campaign.crowd.end(&ended);
    ended
}

/// Ends the campaign by a worker that the deadline has kept from starting: time is up, unless the user wants an end.
fn cut_off(campaign: &mut Campaign) -> StopReason {
    let stop = campaign.must_stop().unwrap_or(StopReason::Time);
    campaign.crowd.end(&Ok(stop));
    stop
}

/// When one worker ends, in whatever way, nobody is to wait for it.
struct EndOfAll<'t, 'a>(&'t Table<Campaign<'a>>);

impl Drop for EndOfAll<'_, '_> {
    fn drop(&mut self) {
        self.0.take().crowd.ended.get_or_insert(StopReason::Interrupted);
    }
}
