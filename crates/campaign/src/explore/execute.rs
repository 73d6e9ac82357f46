//! Executes inputs: live, or replayed from the journal.

use super::CampaignError;
use super::integrate::FlipResult;
use super::run_limit::HangSite;
use super::state::{Campaign, Cause};
use super::worker::Worker;
use crate::execution::executor::{Execution, Executor};
use crate::observe::gaps::Gap;
use crate::observe::notes::ReplayDivergence;
use crate::observe::observer::Event;
use crate::replay::cursor::{Base, RecordedRun, Remaining};
use crate::replay::record::{RunResult, TimeoutRecord, WorkerId};
use crate::settings::Settings;
use crate::store::corpus::Origin;
use cairn_deadline::Deadline;
use cairn_exec::{ExitKind, Input, Mode, Run, RunError, StartError, Trace, TraceStep};
use cairn_program::BranchId;
use cairn_tree::{RunId, Step, taken};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Attempts at an input that kills the fork server; a chosen bound.
const MAX_ATTEMPTS: u32 = 3;
/// Inputs in a row that may be lost before the campaign gives up; a chosen bound.
const MAX_LOST_IN_A_ROW: u32 = 10;

/// Factor on the limit of a run that was stopped early, when it is replayed; a chosen bound.
const REPLAYED_LIMIT: u32 = 4;

/// Factor from one limit of a run to the next; a chosen bound. All limits together are a seventh more than the
/// last.
pub(super) const ESCALATION: u32 = 8;

/// The limit of a run, and if it stopped the run before the full limit.
#[derive(Clone, Copy)]
struct Stopped {
    is_early: bool,
    limit: Duration,
}

impl Stopped {
    const BY_ITSELF: Stopped = Stopped { is_early: false, limit: Duration::MAX };
}

/// A run that was made without the lock, as soon as the solver had found its input.
pub(super) struct EarlyRun {
    pub run: Result<(Run, bool), RunError>,
    /// Its time limit.
    pub limit: Duration,
    pub took: Duration,
}

impl Worker<'_, '_> {
    /// Executes an input and integrates its results; returns what became of its flip.
    pub fn execute(&mut self, input: &Input, cause: Cause) -> Result<FlipResult, CampaignError> {
        self.execute_early(input, cause, None)
    }

    /// Executes an input that may have been run already: `early` is that run.
    pub fn execute_early(
        &mut self,
        input: &Input,
        cause: Cause,
        early: Option<EarlyRun>,
    ) -> Result<FlipResult, CampaignError> {
        self.wait_for_turn()?;
        let action = self.campaign.cursor.run(self.id, cause.origin, cause.base)?;
        if let Some(run) = self.resolve(action)? {
            return self.replay_run(run, cause);
        }
        if cause.flip.is_some() && self.is_outdated() {
            return Ok(FlipResult::Unknown);
        }
        // Other workers have spent the budget. This is noticed only here if a journal ended between a query
        // and its run. The run is made if the campaign is resumed.
        if !self.campaign.is_single_worker() && self.campaign.is_spent() {
            return Ok(FlipResult::Unknown);
        }
        self.perform(input, cause, None, early)
    }

    /// Replays a recorded run.
    pub fn replay_run(&mut self, run: RecordedRun, cause: Cause) -> Result<FlipResult, CampaignError> {
        let RecordedRun { input, result, final_input } = run;
        let Some(result) = result else {
            self.campaign.counters.executions += 1;
            self.campaign.counters.notes.lost_runs += 1;
            return Ok(FlipResult::Unknown);
        };
        let outcome = self.perform(&input, cause, Some(result), None)?;
        let number = self.campaign.known.past_runs.len() - 1;
        if self.campaign.known.past_runs[number].input != final_input {
            self.campaign.cursor.set_differing_input(number, final_input);
        }
        Ok(outcome)
    }

    /// Replays all remaining recorded runs after the search has diverged from the journal, whatever had led
    /// to them.
    pub fn replay_remaining(&mut self) -> Result<(), CampaignError> {
        let execution = self.campaign.counters.executions + 1;
        let mut runs = 0;
        while let Some(remaining) = self.campaign.cursor.remaining()? {
            let Remaining::Run(run) = remaining else {
                self.campaign.forget_runs()?;
                continue;
            };
            if self.campaign.settings.stop.load(Ordering::Relaxed) {
                return Err(CampaignError::Interrupted);
            }
            self.replay_run(*run, Cause::GIVEN)?;
            runs += 1;
        }
        self.campaign.counters.notes.astray.get_or_insert(ReplayDivergence { execution, runs });
        Ok(())
    }

    /// Executes an input; `recorded` is the result in the journal if the run is replayed.
    fn perform(
        &mut self,
        input: &Input,
        cause: Cause,
        recorded: Option<RunResult>,
        early: Option<EarlyRun>,
    ) -> Result<FlipResult, CampaignError> {
        self.campaign.counters.executions += 1;
        self.clear_pending_run();
        let started = Instant::now();
        // The lock is released during the run, but not for replayed runs, nor for given inputs, which no
        // strategy requested: in a replay, these come between two requests.
        let is_unlocked =
            recorded.is_none() && cause.origin != Origin::Given && !self.campaign.is_single_worker();
        let deadline = self.campaign.deadline();
        let run = self.run_target(input, recorded.as_ref(), is_unlocked, &deadline, early)?;
        let (mut execution, stopped) = match run {
            Some(executed) => executed,
            None if deadline.is_over() => return self.discard_run(recorded.is_some()),
            // It keeps its number, to which later records refer.
            None if recorded.is_some() => (Execution::of_nothing(input), Stopped::BY_ITSELF),
            None => {
                self.campaign.log_run(self.id, cause, input, None)?;
                return Ok(FlipResult::Unknown);
            }
        };
        // No time is left to find out if it is only slow, or to decode its path. It is executed again if the
        // campaign is resumed.
        let is_cut_off = |execution: &Execution| {
            execution.trace.late || execution.run.end.is_excess() && deadline.is_over()
        };
        if is_cut_off(&execution) {
            return self.discard_run(recorded.is_some());
        }
        let timeout = self.timeout(&mut execution, stopped, recorded.as_ref())?;
        if is_cut_off(&execution) {
            return self.discard_run(recorded.is_some());
        }
        self.cost.run += started.elapsed();
        if let Some(timeout) = &timeout {
            self.campaign.note_timeout(timeout, &execution);
        }
        self.integrate(input, execution, timeout, cause, recorded)
    }

    /// Makes a run with the full limit that was stopped early at the site of a known hang; false if there is
    /// none, or no time budget: without one a campaign ends when the strategy is done.
    pub fn finish_run(&mut self) -> Result<bool, CampaignError> {
        if self.campaign.settings.time.is_none() || !self.campaign.cursor.is_live() {
            return Ok(false);
        }
        let Some(run) = self.campaign.search.run_limit.unfinished.pop() else { return Ok(false) };
        let input = self.campaign.known.past_runs[run].input.clone();
        self.has_full_limit = true;
        self.execute(&input, Cause::GIVEN)?;
        Ok(true)
    }

    /// Discards a run that the deadline cut off. A replay cannot continue without it.
    fn discard_run(&mut self, is_replayed: bool) -> Result<FlipResult, CampaignError> {
        self.campaign.counters.executions -= 1;
        if is_replayed { Err(CampaignError::Interrupted) } else { Ok(FlipResult::Unknown) }
    }

    /// Returns what runs are to record.
    pub fn mode(&self) -> Mode {
        let Settings { oracle, diagnose, .. } = *self.campaign.settings;
        let strategy = &self.campaign.search.strategies[0];
        let (log, callees) = (strategy.wants_branch_log(), strategy.wants_callees());
        let produced = strategy.wants_pieces();
        Mode { trace: true, check: oracle, diagnose, log, callees, produced }
    }

    fn run_once(
        &mut self,
        input: &Input,
        limit: Duration,
        is_unlocked: bool,
    ) -> Result<(Run, bool), RunError> {
        let mode = self.mode();
        match is_unlocked {
            true => self.campaign.unlocked(|| self.executor.run_within(input, mode, limit)),
            false => self.executor.run_within(input, mode, limit),
        }
    }

    /// Runs an input, with higher limits up to the full one while they stop it outside of known hangs: it may
    /// only take longer to get there. A replayed run has the limit that it was recorded with, or the full one.
    fn run_target(
        &mut self,
        input: &Input,
        recorded: Option<&RunResult>,
        is_unlocked: bool,
        deadline: &Deadline,
        early: Option<EarlyRun>,
    ) -> Result<Option<(Execution, Stopped)>, CampaignError> {
        let limit = match (&early, recorded.map(|result| result.timeout)) {
            (Some(early), _) => early.limit,
            (None, None) => self.campaign.search.run_limit.current(),
            (None, Some(timeout)) => {
                let limit = timeout.filter(|timeout| timeout.is_early).map(|timeout| timeout.limit);
                // Replays are slower by what else the machine does.
                limit.map_or(Duration::MAX, |limit| REPLAYED_LIMIT * Duration::from_millis(limit.into()))
            }
        };
        let mut limit = if std::mem::take(&mut self.has_full_limit) { Duration::MAX } else { limit };
        let mut early = early;
        loop {
            let run = self.run_by(input, limit, recorded, is_unlocked, deadline, early.take())?;
            let Some((execution, is_stopped)) = run else { return Ok(None) };
            let before = recorded.and_then(|result| result.timeout);
            let is_accepted = match before {
                Some(before) => execution.trace.steps.len() >= before.steps as usize,
                None => self.campaign.is_known_hang(&execution),
            };
            if !is_stopped || is_accepted || execution.trace.late {
                return Ok(Some((execution, Stopped { is_early: is_stopped, limit })));
            }
            limit = if before.is_some() { Duration::MAX } else { limit.saturating_mul(ESCALATION) };
        }
    }

    /// Runs an input, on a new fork server if the old one fails; returns true too if `limit` has stopped it.
    /// None if no server survives it, or the deadline is over.
    fn run_by(
        &mut self,
        input: &Input,
        limit: Duration,
        recorded: Option<&RunResult>,
        is_unlocked: bool,
        deadline: &Deadline,
        mut early: Option<EarlyRun>,
    ) -> Result<Option<(Execution, bool)>, CampaignError> {
        let mut attempts = 0;
        self.executor.end_by(deadline.clone());
        let was_in_time = recorded.is_some_and(|result| result.timeout.is_none());
        let error = loop {
            attempts += 1;
            let started = Instant::now();
            let (run, took) = match early.take() {
                Some(EarlyRun { run, took, .. }) => {
                    self.cost.run += took;
                    (run, took)
                }
                None => (self.run_once(input, limit, is_unlocked), started.elapsed()),
            };
            match run {
                // It was in time when it was recorded: the machine has a higher load now.
                Ok((run, _)) if was_in_time && run.end.is_excess() && attempts < MAX_ATTEMPTS => {}
                Ok((run, is_stopped)) => {
                    self.campaign.counters.lost_in_a_row = 0;
                    if !run.end.is_excess() {
                        self.campaign.search.run_limit.note(took);
                    }
                    let trace = self.campaign.decode(&mut *self.executor, &run);
                    return Ok(Some((Execution { run, trace }, is_stopped)));
                }
                Err(error) if is_about_input(&error) => break error,
                Err(_) if deadline.is_over() && !self.campaign.is_first_run() => return Ok(None),
                Err(error) => {
                    if !self.restart()? {
                        return Ok(None);
                    }
                    self.campaign.notify(&Event::Restarted { reason: &error.to_string() });
                    if attempts == MAX_ATTEMPTS {
                        break error;
                    }
                }
            }
        };
        let is_first = self.campaign.is_first_run();
        let counters = &mut self.campaign.counters;
        counters.notes.lost_runs += 1;
        counters.lost_in_a_row += 1;
        if is_first || counters.lost_in_a_row == MAX_LOST_IN_A_ROW { Err(error.into()) } else { Ok(None) }
    }

    /// Restarts the target after an error. False if the deadline came first: the campaign is about to end.
    /// Without any run so far it is an error instead, as there is nothing to report.
    pub fn restart(&mut self) -> Result<bool, CampaignError> {
        match self.executor.restart() {
            Err(StartError::CutOff(_)) if !self.campaign.is_first_run() => Ok(false),
            outcome => {
                outcome?;
                self.campaign.counters.notes.restarts += 1;
                Ok(true)
            }
        }
    }

    /// Returns the state of a run at its time limit, if it was reached. A replayed run is given the recorded
    /// state, since the number of its steps depends on the machine's load.
    fn timeout(
        &mut self,
        execution: &mut Execution,
        stopped: Stopped,
        recorded: Option<&RunResult>,
    ) -> Result<Option<TimeoutRecord>, CampaignError> {
        let is_over = execution.run.end.is_excess();
        let steps = execution.trace.steps.len() as u32;
        let is_only_slow = !stopped.is_early && self.is_only_slow(execution)?;
        let Some(before) = recorded.and_then(|result| result.timeout) else {
            let Stopped { is_early, limit } = stopped;
            let limit = if is_early { limit.as_millis() as u32 } else { 0 };
            return Ok(is_over.then_some(TimeoutRecord { steps, is_only_slow, is_early, limit }));
        };
        execution.trace.steps.truncate(before.steps as usize);
        if recorded.is_some_and(|result| !result.gaps.contains(&Gap::Cut)) {
            // Only the replay has come as far as that.
            execution.trace.cut = false;
            let flags = &mut execution.run.flags;
            (flags.labels_full, flags.events_full) = (false, false);
        }
        if !before.is_only_slow && !execution.run.end.is_excess() {
            execution.run.end = ExitKind::Timeout;
        }
        self.campaign.counters.notes.slow_runs += u64::from(before.is_only_slow);
        self.campaign.counters.notes.slow_runs -= u64::from(is_only_slow);
        Ok(Some(before))
    }

    /// True if a run exceeds its limit of time or memory only because it is traced. It then gets the exit
    /// status of the untraced run; its path is that of the trace.
    fn is_only_slow(&mut self, execution: &mut Execution) -> Result<bool, CampaignError> {
        let exceeds_limit = |end| matches!(end, ExitKind::Timeout | ExitKind::OutOfMemory);
        if !exceeds_limit(execution.run.end) {
            return Ok(false);
        }
        let native = match self.executor.run(&execution.run.input, Mode::NATIVE) {
            Ok(native) => native,
            Err(_) => {
                self.restart()?;
                return Ok(false);
            }
        };
        if exceeds_limit(native.end) {
            execution.run.end = native.end;
            return Ok(false);
        }
        self.campaign.counters.notes.slow_runs += 1;
        let run = &mut execution.run;
        (run.end, run.coverage, run.crash) = (native.end, native.coverage, native.crash);
        Ok(true)
    }
}

impl Campaign<'_> {
    /// True if a run that was stopped early is in the loop of a known hang, and covers nothing new.
    fn is_known_hang(&self, execution: &Execution) -> bool {
        let is_covered = |index| self.known.coverage.is_covered(BranchId(index as u32));
        self.search.run_limit.is_known(HangSite::of(&execution.trace))
            && taken(&execution.run.coverage).all(is_covered)
    }

    /// Notes what became of a run that reached its time limit: the site of a new hang, or that the run is to
    /// be finished later.
    fn note_timeout(&mut self, timeout: &TimeoutRecord, execution: &Execution) {
        let limit = &mut self.search.run_limit;
        if timeout.is_early {
            limit.unfinished.push(self.known.past_runs.len());
        } else if execution.run.end == ExitKind::Timeout {
            limit.note_hang(HangSite::of(&execution.trace));
        }
    }

    /// Decodes the trace of the last run, and accounts for its memory.
    fn decode(&mut self, executor: &mut dyn Executor, run: &Run) -> Trace {
        let before = self.known.dag.bytes();
        let trace = executor.decode(&mut self.known.dag);
        let steps = trace.steps.len() * (size_of::<TraceStep>() + size_of::<Step>());
        self.search.memory.add(self.known.dag.bytes() - before + (steps + run.input.len()) as u64);
        trace
    }

    /// Appends a run to the journal.
    pub fn log_run(
        &mut self,
        worker: WorkerId,
        cause: Cause,
        input: &Input,
        result: Option<RunResult>,
    ) -> Result<(), CampaignError> {
        let empty = Input::default();
        let base = self.known.past_runs.get(cause.base.map_or(0, RunId::index));
        let base_input = base.map_or(&empty, |run| &run.input);
        let base = Base { run: cause.base.map(|run| run.index() as u32), input: base_input };
        Ok(self.cursor.log_run(worker, cause.origin, base, input, result)?)
    }
}

/// True if any fork server would reject the input with this error.
pub(super) fn is_about_input(error: &RunError) -> bool {
    match error {
        RunError::InputTooLarge(_) | RunError::TooManyObjects(_) | RunError::NoSuchArgument { .. } => true,
        RunError::ServerDied(_) | RunError::ServerSilent | RunError::CannotFork(_) | RunError::Io(_) => false,
    }
}
