//! Several workers, each on a thread with a fork server, a solver and a strategy of its own, exploring one
//! shared tree.
//!
//! Every strategy sees all runs. While a worker solves a flip, other workers cannot choose it: until its
//! outcome is known it counts as one that the solver gave up on. Executing and solving, most of the time, are
//! parallel; choosing and integrating results happen in critical sections (`shared_state.rs`).

use super::CampaignError;
use super::shared_state::SharedState;
use super::state::Campaign;
use super::worker::Worker;
use crate::execution::executor::Executor;
use crate::observe::notes::StopReason;
use crate::observe::observer::Observer;
use crate::observe::summary::Summary;
use crate::replay::campaign_directory::CampaignDirectory;
use crate::replay::record::WorkerId;
use crate::settings::Settings;
use cairn_deadline::Deadline;
use cairn_exec::StartError;
use cairn_program::Program;
use cairn_solver::Solver;

/// Factory of the executors and solvers of workers.
pub trait WorkerPool: Sync {
    /// Creates an executor, if it is ready by the deadline.
    fn executor(&self, deadline: &Deadline) -> Result<Box<dyn Executor>, StartError>;

    /// Creates a solver; it stays on the thread that calls this.
    fn solver(&self) -> Box<dyn Solver>;
}

/// Runs a campaign with as many workers as the settings say.
pub fn run_workers(
    settings: &Settings,
    program: &Program,
    pool: &dyn WorkerPool,
    directory: Option<CampaignDirectory>,
    observer: &mut dyn Observer,
) -> Result<Summary, CampaignError> {
    let shared = SharedState::new(Campaign::new(settings, program, settings.workers, directory, observer)?);
    let ended = std::thread::scope(|scope| {
        let deadline = shared.lock().deadline();
        let (mut executor, mut solver) = (pool.executor(&deadline)?, pool.solver());
        let mut first = Worker::new(WorkerId::FIRST, &shared, &mut *executor, &mut *solver);
        if let Some(stop) = first.run_initial_inputs()? {
            return Ok(stop);
        }
        first.campaign.coordination.busy = settings.workers;
        let shared = &shared;
        let spawn = |id| scope.spawn(move || run_other_worker(id, shared, pool));
        let others: Vec<_> = WorkerId::others(settings.workers).map(spawn).collect();
        let mut ended = first.explore();
        first.campaign.coordination.end(&ended);
        drop(first);
        for other in others {
            let theirs = other.join().expect("a worker does not panic");
            ended = ended.and_then(|stop| theirs.map(|_| stop));
        }
        ended
    });
    shared.into_inner().finish(ended)
}

/// Runs a worker other than the first to its end.
fn run_other_worker(
    id: WorkerId,
    shared: &SharedState<Campaign>,
    pool: &dyn WorkerPool,
) -> Result<StopReason, CampaignError> {
    let _end = EndOnDrop(shared);
    let deadline = shared.lock().deadline();
    let mut executor = match pool.executor(&deadline) {
        Err(StartError::CutOff(_)) => return Ok(end_at_deadline(&mut shared.lock())),
        started => started?,
    };
    let mut solver = pool.solver();
    let mut worker = Worker::new(id, shared, &mut *executor, &mut *solver);
    let ended = worker.begin_turn().and_then(|()| worker.explore());
    worker.campaign.coordination.end(&ended);
    ended
}

/// Ends the campaign because a worker could not start by the deadline: its time is up, or the user
/// interrupted it.
fn end_at_deadline(campaign: &mut Campaign) -> StopReason {
    let stop = campaign.must_stop().unwrap_or(StopReason::Time);
    campaign.coordination.end(&Ok(stop));
    stop
}

/// Ends the campaign when a worker ends for any reason, so that no other one waits for it.
struct EndOnDrop<'s, 'a>(&'s SharedState<Campaign<'a>>);

impl Drop for EndOnDrop<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().coordination.ended.get_or_insert(StopReason::Interrupted);
    }
}
