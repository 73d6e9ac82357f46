//! A worker and its loop: choose a flip, solve it, execute the input, integrate the results.

use super::CampaignError;
use super::coordination::Coordination;
use super::memory::MemoryLevel;
use super::shared_state::{SharedState, StateGuard};
use super::state::{Campaign, Cause};
use super::unconstrained_bytes::UnconstrainedBytes;
use crate::execution::executor::Executor;
use crate::observe::notes::StopReason;
use crate::observe::observer::Event;
use crate::replay::cursor::{Action, NextRun};
use crate::replay::record::WorkerId;
use crate::store::directory::CampaignFiles;
use crate::store::sync::SyncImporter;
use crate::store::testcase::{fit, read_test};
use cairn_exec::Input;
use cairn_expr::DagCopy;
use cairn_mutate::combine;
use cairn_search::{Cost, Next, Outcome, Rng};
use cairn_solver::Solver;
use cairn_tree::{Flip, FlipState, NodeId, RunId};
use std::time::Duration;

/// Interval of polling while there is nothing to do but to wait for other fuzzers; a chosen interval.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A worker: one thread with its own executor and solver. It holds the lock on the campaign except while it
/// executes, solves or waits.
pub(super) struct Worker<'w, 'a> {
    pub id: WorkerId,
    pub campaign: StateGuard<'w, Campaign<'a>>,
    pub executor: &'w mut dyn Executor,
    pub solver: &'w mut dyn Solver,
    /// Copy of the expressions, for queries that are solved without the lock.
    pub expressions: DagCopy,
    pub rng: Rng,
    /// Constraints of the last flip.
    pub unconstrained: UnconstrainedBytes,
    /// True if the unconstrained bytes of the last solution come from the dictionary.
    pub is_filled: bool,
    /// Number of branches that its last run was the first to cover.
    pub new_branches: usize,
    /// True while it works on a flip and has not executed an input for it.
    pub has_pending_run: bool,
    /// Cost of the strategy's current request so far.
    pub cost: Cost,
    /// True if its next run has the full time limit.
    pub has_full_limit: bool,
    /// True if the next run was stopped early before, outside of known hangs: it may not be left so again.
    pub is_suspect: bool,
    /// Number of times that all runs had been forgotten when it chose its flip.
    pub times_forgotten: u32,
    /// Number of times that its solver has dropped its caches.
    cache_drops: u32,
}

impl<'w, 'a> Worker<'w, 'a> {
    /// Creates a worker, which holds the lock.
    pub fn new(
        id: WorkerId,
        shared: &'w SharedState<Campaign<'a>>,
        executor: &'w mut dyn Executor,
        solver: &'w mut dyn Solver,
    ) -> Worker<'w, 'a> {
        let campaign = shared.lock();
        let seed = campaign.settings.seed ^ u64::from(id.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Worker {
            id,
            executor,
            solver,
            expressions: DagCopy::new(),
            rng: Rng::new(seed),
            unconstrained: UnconstrainedBytes::default(),
            is_filled: false,
            new_branches: 0,
            has_pending_run: false,
            cost: Cost::default(),
            has_full_limit: false,
            is_suspect: false,
            times_forgotten: campaign.known.times_forgotten,
            cache_drops: campaign.search.cache_drops,
            campaign,
        }
    }

    /// Executes the initial inputs, and explores until the end.
    pub fn run_and_explore(&mut self) -> Result<StopReason, CampaignError> {
        match self.run_initial_inputs()? {
            Some(stop) => Ok(stop),
            None => self.explore(),
        }
    }

    /// Executes the initial inputs.
    pub fn run_initial_inputs(&mut self) -> Result<Option<StopReason>, CampaignError> {
        let settings = self.campaign.settings;
        for input in &settings.inputs {
            if let Some(stop) = self.campaign.must_stop() {
                return Ok(Some(stop));
            }
            self.execute(input, Cause::INITIAL)?;
        }
        if settings.random_start && self.campaign.must_stop().is_none() {
            let input = self.random_input();
            self.execute(&input, Cause { is_requested: false, ..Cause::RANDOM })?;
        }
        Ok(None)
    }

    /// Explores until the end.
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
            if self.forget_if_due()? {
                continue;
            }
            self.cost = Cost::default();
            self.campaign.notify_description();
            self.campaign.poll_reference_builds()?;
            match self.campaign.cursor.next_run(self.id)? {
                NextRun::Recorded(run) => {
                    self.replay_run(*run, Cause::GIVEN)?;
                    continue;
                }
                NextRun::Live if self.import_unrecorded()? || self.import_from_fuzzers()? => continue,
                NextRun::Live | NextRun::OfStrategy => {}
            }
            if let Some(stop) = self.step()? {
                return Ok(stop);
            }
        }
    }

    /// Tries the next flip that leaves the loop of a hang; false if there is none.
    fn leave_hang(&mut self) -> Result<bool, CampaignError> {
        let Campaign { search, known, settings, .. } = &mut *self.campaign;
        let Some(flip) = search.hang_exits.next(&known.tree) else { return Ok(false) };
        let (base, branch) = (known.tree.creator(flip.node), known.tree.branch(flip));
        let effort = search.account.first_effort().min(settings.solver_limit);
        if self.solve_flip(flip, base, effort)? == Outcome::Taken {
            self.campaign.search.hang_exits.add_taken(branch);
        }
        Ok(true)
    }

    /// Carries out the strategy's next request; returns a reason if the campaign ends.
    fn step(&mut self) -> Result<Option<StopReason>, CampaignError> {
        if self.leave_hang()? || self.finish_suspect(false)? || self.retry_deferred()? {
            return Ok(None);
        }
        let Campaign { search, known, .. } = &mut *self.campaign;
        match search.strategies[self.id.index()].next(&known.tree, &mut self.rng) {
            Next::Done => return self.continue_without_flips(),
            Next::Flip { flip, base } => self.try_flip(flip, base)?,
            Next::Suspend(flips) => flips.into_iter().for_each(|flip| known.tree.suspend(flip)),
            Next::Resume(flips) => search.resume(&mut known.tree, &flips),
            Next::Restart => self.run_random()?,
            Next::Mutate { base, mutators } => self.mutate(base, mutators)?,
            Next::Combine { base, keep, donor, take } => self.run_combined((base, keep), (donor, take))?,
        }
        Ok(None)
    }

    /// Continues after the strategy has run out of flips: other workers may find some, unanswered flips are
    /// queried again, the rest of a diverged journal is replayed, other fuzzers may find inputs. Otherwise the
    /// campaign is done.
    fn continue_without_flips(&mut self) -> Result<Option<StopReason>, CampaignError> {
        if self.campaign.coordination.busy > 1 {
            self.wait_for_results()?;
        } else if self.finish_suspect(true)? || self.retry_unanswered()? || self.finish_known()? {
            return Ok(None);
        } else if !self.campaign.cursor.is_live() {
            self.replay_remaining()?;
        } else if !self.wait_for_fuzzers()? {
            return Ok(Some(StopReason::Done));
        }
        Ok(None)
    }

    /// Returns the recorded outcome of an action, or None if it is to be carried out. If the replay has
    /// diverged, the remaining recorded runs are replayed first.
    pub fn resolve<T>(&mut self, action: Action<T>) -> Result<Option<T>, CampaignError> {
        match action {
            Action::Recorded(outcome) => Ok(Some(outcome)),
            Action::Diverged => self.replay_remaining().map(|()| None),
            Action::Live => Ok(None),
        }
    }

    /// True if this worker waits for the others: their pending runs may spend the rest of the budget, or the
    /// runs are to be forgotten once no worker has a flip.
    fn must_wait(&mut self) -> Result<bool, CampaignError> {
        let campaign = &mut *self.campaign;
        let forgets = |campaign: &Campaign| campaign.cursor.is_live() && campaign.must_forget();
        let must = campaign.is_budget_reserved() || campaign.coordination.busy > 1 && forgets(campaign);
        if must {
            campaign.cursor.log_wait(self.id)?;
        }
        Ok(must || campaign.cursor.waits(self.id)?)
    }

    /// Waits until another worker publishes a result.
    fn wait_for_results(&mut self) -> Result<(), CampaignError> {
        let seen = self.campaign.coordination.become_idle();
        self.campaign.wait_until(|campaign| campaign.coordination.must_wake(seen));
        self.campaign.coordination.wake(seen);
        self.begin_turn()
    }

    /// Begins a critical section that depends on results of others. In a replay, all of these come in their
    /// recorded order.
    pub fn begin_turn(&mut self) -> Result<(), CampaignError> {
        if self.campaign.is_single_worker() || self.campaign.coordination.ended.is_some() {
            return Ok(());
        }
        self.wait_for_turn()?;
        Ok(self.campaign.cursor.wake(self.id)?)
    }

    /// Waits until the next record is this worker's. If it is that of a worker which is idle, the replay has
    /// diverged.
    pub fn wait_for_turn(&mut self) -> Result<(), CampaignError> {
        let id = self.id;
        if self.campaign.is_turn_of(id) {
            return Ok(());
        }
        self.campaign.coordination.waiting_for_turn.push(id);
        self.campaign.wait_until(|campaign| {
            let Coordination { waiting_for_turn, busy, .. } = &campaign.coordination;
            let is_stuck = waiting_for_turn.len() == *busy
                && !waiting_for_turn.iter().any(|id| campaign.is_turn_of(*id));
            campaign.is_turn_of(id) || is_stuck
        });
        self.campaign.coordination.waiting_for_turn.retain(|other| *other != id);
        if self.campaign.is_turn_of(id) { Ok(()) } else { self.replay_remaining() }
    }

    /// Executes the next file that a damaged journal does not mention; false if there is none.
    fn import_unrecorded(&mut self) -> Result<bool, CampaignError> {
        let directory = self.campaign.store.directory.as_mut();
        let Some(path) = directory.and_then(CampaignFiles::next_unrecorded) else {
            return Ok(false);
        };
        let blank = &self.campaign.settings.inputs[0];
        if let Ok(test) = read_test(&path, blank) {
            let before = self.campaign.store.corpus.all_files();
            self.execute(&fit(test, blank), Cause::GIVEN)?;
            // It was written again under a new name.
            if self.campaign.store.corpus.all_files() > before {
                let _ = std::fs::remove_file(&path);
            }
        }
        Ok(true)
    }

    /// Executes an input that another fuzzer has found; false if there is none.
    fn import_from_fuzzers(&mut self) -> Result<bool, CampaignError> {
        let blank = &self.campaign.settings.inputs[0];
        let Some(input) = self.campaign.store.sync.as_mut().and_then(|sync| sync.next(blank)) else {
            return Ok(false);
        };
        self.campaign.counters.notes.from_others += 1;
        self.execute(&input, Cause::GIVEN)?;
        Ok(true)
    }

    /// Waits until the queues of other fuzzers are due; false if there are none, or no time budget to wait
    /// in.
    fn wait_for_fuzzers(&mut self) -> Result<bool, CampaignError> {
        if self.campaign.settings.time.is_none() || self.campaign.store.sync.is_none() {
            return Ok(false);
        }
        let is_due = |campaign: &Campaign| campaign.store.sync.as_ref().is_some_and(SyncImporter::is_due);
        while self.campaign.must_stop().is_none() && !is_due(&self.campaign) {
            std::thread::sleep(POLL_INTERVAL);
            self.campaign.write_status_if_due()?;
        }
        Ok(true)
    }

    /// Drops the solver's caches if memory is short; false if the limit is reached nevertheless.
    fn has_memory(&mut self) -> Result<bool, CampaignError> {
        let Campaign { cursor, search, .. } = &mut *self.campaign;
        search.cache_drops += u32::from(cursor.drops_caches()?);
        match search.memory.level() {
            MemoryLevel::Enough => {}
            MemoryLevel::Short => {
                search.cache_drops += 1;
                cursor.log_drop_caches()?;
            }
            MemoryLevel::Over => return Ok(false),
        }
        if std::mem::replace(&mut self.cache_drops, search.cache_drops) != search.cache_drops {
            self.solver.forget();
        }
        Ok(true)
    }

    fn run_random(&mut self) -> Result<(), CampaignError> {
        let input = self.random_input();
        self.execute(&input, Cause::RANDOM)?;
        Ok(())
    }

    /// Executes a run's input with a part of another one's: each with a decision that matters.
    fn run_combined(
        &mut self,
        (base, keep): (RunId, Option<NodeId>),
        (donor, take): (RunId, Option<NodeId>),
    ) -> Result<(), CampaignError> {
        let known = &self.campaign.known;
        let bytes = |node: Option<NodeId>| {
            node.map(|node| known.dag.inputs(known.tree.node(node).value).to_vec()).unwrap_or_default()
        };
        let input = |run: RunId| &known.past_runs[run.index()].input;
        let input = combine(input(base), &bytes(keep), input(donor), &bytes(take), &mut self.rng);
        self.execute(&input, Cause { base: Some(base), ..Cause::MUTATION })?;
        Ok(())
    }

    /// Returns random bytes for the objects of the last run's input, each stream at its maximum length.
    fn random_input(&mut self) -> Input {
        let last = self.campaign.known.past_runs.last();
        let mut input = last.map_or_else(Input::default, |run| run.input.clone());
        for object in &mut input.objects {
            if object.has_any_length() {
                object.bytes.resize(object.limit, 0);
            }
            match object.kind.is_count() {
                true => object.bytes = vec![object.limit as u8],
                false => self.rng.fill(&mut object.bytes),
            }
        }
        input
    }

    fn try_flip(&mut self, flip: Flip, base: RunId) -> Result<(), CampaignError> {
        debug_assert!(matches!(self.campaign.known.tree.state(flip), FlipState::Untried | FlipState::Sat));
        let effort = self.campaign.search.account.first_effort().min(self.campaign.settings.solver_limit);
        let outcome = self.solve_flip(flip, base, effort)?;
        log::debug!(target: "search", "node {} side {}: {outcome:?}", flip.node.index(), flip.side);
        let cost = self.cost;
        if !self.is_outdated() {
            self.campaign.search.strategies[self.id.index()].on_outcome(flip, outcome, cost);
        }
        if matches!(outcome, Outcome::Unsat | Outcome::Unknown) {
            self.campaign.notify(&Event::Unsolved);
        }
        Ok(())
    }
}

impl Campaign<'_> {
    /// True if a worker may continue: the next record is its own, the campaign is live, or it has ended.
    fn is_turn_of(&self, worker: WorkerId) -> bool {
        self.coordination.ended.is_some() || self.cursor.is_turn_of(worker)
    }
}
