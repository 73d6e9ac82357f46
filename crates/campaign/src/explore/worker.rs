//! One that chooses, asks, runs and takes in what came of it, again and again.

use super::crowd::Crowd;
use super::{Campaign, CampaignError, Cause};
use crate::directory::CampaignDirectory;
use crate::executor::Executor;
use crate::journal::WorkerId;
use crate::memory::Level;
use crate::observer::Event;
use crate::summary::StopReason;
use crate::sync::Sync;
use crate::testcase::{fit, read_test};
use crate::turn::{Table, Turn};
use crate::unread::Held;
use cairn_exec::{Input, Run, RunError};
use cairn_expr::DagCopy;
use cairn_search::{Cost, Next, Outcome, Rng};
use cairn_solver::Solver;
use cairn_tree::{Flip, FlipState, RunId};
use cairn_wire::ObjectKind;
use std::time::Duration;

/// Time between two looks at the clock while there is nothing to do but to wait for others.
const WAIT: Duration = Duration::from_millis(100);

/// The worker.
pub(super) struct Worker<'w, 'a> {
    pub id: WorkerId,
    pub campaign: Turn<'w, Campaign<'a>>,
    pub executor: &'w mut dyn Executor,
    pub solver: &'w mut dyn Solver,
    /// The expressions, for questions that are asked while others have their turn.
    pub expressions: DagCopy,
    pub rng: Rng,
    /// What was asked for the last flip.
    pub held: Held,
    /// Whether it is at a flip that it has not made a run for.
    pub is_undecided: bool,
    /// What the strategy's present wish has taken so far.
    pub cost: Cost,
    /// What its solver's questions may take, if that is not the usual.
    pub insists: Option<Duration>,
    /// The last run that was made as soon as its input was found, until it is taken in.
    pub ahead: Option<Ahead>,
    /// How often its solver has let go of what it remembers.
    forgotten: u32,
}

/// A run that was made ahead of its turn.
pub(super) struct Ahead {
    pub input: Input,
    pub run: Result<Run, RunError>,
    pub took: Duration,
}

impl<'w, 'a> Worker<'w, 'a> {
    pub fn new(
        id: WorkerId,
        table: &'w Table<Campaign<'a>>,
        executor: &'w mut dyn Executor,
        solver: &'w mut dyn Solver,
    ) -> Worker<'w, 'a> {
        let campaign = table.take();
        let seed = campaign.settings.seed ^ u64::from(id.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Worker {
            id,
            executor,
            solver,
            expressions: DagCopy::new(),
            rng: Rng::new(seed),
            held: Held::default(),
            is_undecided: false,
            cost: Cost::default(),
            insists: None,
            ahead: None,
            forgotten: campaign.forgotten,
            campaign,
        }
    }

    /// Runs what there is to begin with, and goes on until the end.
    pub fn explore_from_the_start(&mut self) -> Result<StopReason, CampaignError> {
        match self.begin()? {
            Some(stop) => Ok(stop),
            None => self.explore(),
        }
    }

    /// Runs the inputs to begin with.
    pub fn begin(&mut self) -> Result<Option<StopReason>, CampaignError> {
        let settings = self.campaign.settings;
        for input in &settings.inputs {
            if let Some(stop) = self.campaign.must_stop() {
                return Ok(Some(stop));
            }
            self.execute(input, Cause::FIRST)?;
        }
        if settings.random_start && self.campaign.must_stop().is_none() {
            let input = self.random_input();
            self.execute(&input, Cause { asked: false, ..Cause::RANDOM })?;
        }
        Ok(None)
    }

    /// Goes on until the end.
    pub fn explore(&mut self) -> Result<StopReason, CampaignError> {
        loop {
            if let Some(stop) = self.campaign.must_stop() {
                return Ok(stop);
            }
            if self.must_wait()? {
                self.wait_for_results()?;
                continue;
            }
            if !self.has_memory()? {
                return Ok(StopReason::Memory);
            }
            self.cost = Cost::default();
            self.campaign.tell_description();
            self.campaign.hear_witness()?;
            if let Some(run) = self.campaign.chronicle.given(self.id)? {
                self.repeat(run, Cause::GIVEN)?;
                continue;
            }
            if self.campaign.chronicle.rebuilding().is_none()
                && (self.take_in_stranger()? || self.take_from_others()?)
            {
                continue;
            }
            if let Some(stop) = self.step()? {
                return Ok(stop);
            }
        }
    }

    /// Does what the search wishes for next; tells if that is the end.
    fn step(&mut self) -> Result<Option<StopReason>, CampaignError> {
        let campaign = &mut *self.campaign;
        let next = campaign.strategies[self.id.index()].next(&campaign.tree, &mut self.rng);
        match next {
            Next::Done if campaign.crowd.busy > 1 => self.wait_for_results()?,
            Next::Done if self.raise_limits()? => {}
            Next::Done if self.campaign.chronicle.rebuilding().is_some() => self.go_astray()?,
            Next::Done if self.wait_for_others()? => {}
            Next::Done => return Ok(Some(StopReason::Done)),
            Next::Flip { flip, base } => self.try_flip(flip, base)?,
            Next::Suspend(flips) => flips.into_iter().for_each(|flip| self.campaign.tree.suspend(flip)),
            Next::Resume(flips) => self.campaign.resume(&flips),
            Next::Restart => self.run_random()?,
        }
        Ok(None)
    }

    /// Whether what is left of the budget may be others': only these know.
    fn must_wait(&mut self) -> Result<bool, CampaignError> {
        let campaign = &mut *self.campaign;
        let must = campaign.chronicle.rebuilding().is_none() && campaign.is_budget_promised();
        if must {
            campaign.chronicle.note_slept(self.id)?;
        }
        Ok(must || campaign.chronicle.slept(self.id)?)
    }

    /// Waits until something has come of what the other workers do.
    fn wait_for_results(&mut self) -> Result<(), CampaignError> {
        let seen = self.campaign.crowd.fall_asleep();
        self.campaign.wait_until(|campaign| campaign.crowd.is_awake(seen));
        self.campaign.crowd.wake_up(seen);
        self.take_turn()
    }

    /// Begins a stretch that depends on what others have done: when the campaign is made again, all such stretches come in the order in
    /// which they came.
    pub fn take_turn(&mut self) -> Result<(), CampaignError> {
        if self.campaign.is_alone() || self.campaign.crowd.ended.is_some() {
            return Ok(());
        }
        self.wait_for_turn()?;
        Ok(self.campaign.chronicle.woke(self.id)?)
    }

    /// Waits until the past tells of this worker next. If it tells of one that sleeps, the search has gone astray.
    pub fn wait_for_turn(&mut self) -> Result<(), CampaignError> {
        let id = self.id;
        if self.campaign.is_turn_of(id) {
            return Ok(());
        }
        self.campaign.crowd.waiting.push(id);
        self.campaign.wait_until(|campaign| {
            let Crowd { waiting, busy, .. } = &campaign.crowd;
            let is_stuck = waiting.len() == *busy && !waiting.iter().any(|id| campaign.is_turn_of(*id));
            campaign.is_turn_of(id) || is_stuck
        });
        self.campaign.crowd.waiting.retain(|other| *other != id);
        if self.campaign.is_turn_of(id) { Ok(()) } else { self.go_astray() }
    }

    /// Runs the next file that the journal does not tell of, since it was damaged; false if there is none.
    fn take_in_stranger(&mut self) -> Result<bool, CampaignError> {
        let Some(path) = self.campaign.directory.as_mut().and_then(CampaignDirectory::next_stranger) else {
            return Ok(false);
        };
        let blank = &self.campaign.settings.inputs[0];
        if let Ok(test) = read_test(&path, blank) {
            let before = self.campaign.corpus.all_files();
            self.execute(&fit(test, blank), Cause::GIVEN)?;
            // It has a new name now.
            if self.campaign.corpus.all_files() > before {
                let _ = std::fs::remove_file(&path);
            }
        }
        Ok(true)
    }

    /// Runs an input that another fuzzer has found; false if there is none.
    fn take_from_others(&mut self) -> Result<bool, CampaignError> {
        let blank = &self.campaign.settings.inputs[0];
        let Some(input) = self.campaign.sync.as_mut().and_then(|sync| sync.next(blank)) else {
            return Ok(false);
        };
        self.campaign.notes.from_others += 1;
        self.execute(&input, Cause::GIVEN)?;
        Ok(true)
    }

    /// Waits until it is time to look what others have found; false if there are none, or no time was given to wait in.
    fn wait_for_others(&mut self) -> Result<bool, CampaignError> {
        if self.campaign.settings.time.is_none() || self.campaign.sync.is_none() {
            return Ok(false);
        }
        while self.campaign.must_stop().is_none() && !self.campaign.sync.as_ref().is_some_and(Sync::is_due) {
            std::thread::sleep(WAIT);
            self.campaign.note_now_and_then()?;
        }
        Ok(true)
    }

    /// Saves memory if there is little left; false if that does not help any more.
    fn has_memory(&mut self) -> Result<bool, CampaignError> {
        let campaign = &mut *self.campaign;
        campaign.forgotten += u32::from(campaign.chronicle.forgot()?);
        match campaign.memory.level() {
            Level::Enough => {}
            Level::Short => {
                campaign.forgotten += 1;
                if campaign.chronicle.rebuilding().is_none() {
                    campaign.chronicle.note_forgot()?;
                }
            }
            Level::Over => return Ok(false),
        }
        if std::mem::replace(&mut self.forgotten, campaign.forgotten) != campaign.forgotten {
            self.solver.forget();
        }
        Ok(true)
    }

    fn run_random(&mut self) -> Result<(), CampaignError> {
        let input = self.random_input();
        self.execute(&input, Cause::RANDOM)?;
        Ok(())
    }

    /// Random bytes in the shape that the last run's input had, each stream as long as it may be.
    fn random_input(&mut self) -> Input {
        let mut input = self.campaign.past.last().map_or_else(Input::default, |run| run.input.clone());
        for object in &mut input.objects {
            if object.has_any_length() {
                object.bytes.resize(object.limit, 0);
            }
            match object.kind {
                ObjectKind::ArgCount => object.bytes = vec![object.limit as u8],
                _ => self.rng.fill(&mut object.bytes),
            }
        }
        input
    }

    fn try_flip(&mut self, flip: Flip, base: RunId) -> Result<(), CampaignError> {
        debug_assert!(matches!(self.campaign.tree.state(flip), FlipState::Untried | FlipState::Sat));
        let outcome = self.pursue(flip, base)?;
        let cost = self.cost;
        self.campaign.strategies[self.id.index()].on_outcome(flip, outcome, cost);
        self.campaign.tell_of_answer(outcome);
        Ok(())
    }
}

impl Campaign<'_> {
    /// Whether a worker may go on: at the end all may.
    fn is_turn_of(&self, worker: WorkerId) -> bool {
        self.crowd.ended.is_some() || self.chronicle.is_turn_of(worker)
    }

    /// Makes flips untried again that were set aside.
    fn resume(&mut self, flips: &[Flip]) {
        for strategy in &mut self.strategies {
            strategy.on_resumed(&self.tree, flips);
        }
        flips.iter().for_each(|flip| self.tree.resume(*flip));
    }

    fn tell_of_answer(&mut self, outcome: Outcome) {
        if matches!(outcome, Outcome::Unsat | Outcome::Unknown) {
            self.tell(&Event::Unsolved);
        }
    }
}
