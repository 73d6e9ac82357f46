//! Executes inputs: live, or replayed from the journal.

use super::CampaignError;
use super::hang_loop::last_decision;
use super::integrate::FlipResult;
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
use cairn_exec::{ExitKind, Input, Mode, Run, RunBound, RunError, StartError, StoppedBy, Trace, TraceStep};
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

/// Way in which a run came to its end.
#[derive(Clone, Copy)]
enum Stopped {
    /// By itself, or at a limit of all runs.
    No,
    /// Early, after this time.
    Early(Duration),
    /// Early, but without tracing it has reached the full time limit.
    Hangs,
}

/// A run that was made without the lock, as soon as the solver had found its input.
pub(super) struct EarlyRun {
    pub run: Result<(Run, Option<StoppedBy>), RunError>,
    pub bound: RunBound,
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
            None if recorded.is_some() => (Execution::of_nothing(input), Stopped::No),
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

    /// Makes a run again that was stopped early outside of known hangs, until it ends, is in a known one, or has
    /// reached the full limit; false if there is none, or other runs are to come first.
    pub fn finish_suspect(&mut self, is_idle: bool) -> Result<bool, CampaignError> {
        let Campaign { search, cursor, .. } = &mut *self.campaign;
        if !cursor.is_live() || !(is_idle || search.run_limit.affords_full_limit()) {
            return Ok(false);
        }
        let Some(run) = search.run_limit.pop_suspect() else { return Ok(false) };
        self.is_suspect = true;
        self.repeat_run(run)?;
        Ok(true)
    }

    /// Makes a run with the full limit that was stopped early in the loop of a known hang; false if there is
    /// none, or no time budget: without one a campaign ends when the strategy is done.
    pub fn finish_known(&mut self) -> Result<bool, CampaignError> {
        if self.campaign.settings.time.is_none() || !self.campaign.cursor.is_live() {
            return Ok(false);
        }
        let Some(run) = self.campaign.search.run_limit.pop_unfinished() else { return Ok(false) };
        self.has_full_limit = true;
        self.repeat_run(run)?;
        Ok(true)
    }

    fn repeat_run(&mut self, run: usize) -> Result<(), CampaignError> {
        let input = self.campaign.known.past_runs[run].input.clone();
        self.execute(&input, Cause::GIVEN).map(|_| ())
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
        mode: Mode,
        bound: RunBound,
        is_unlocked: bool,
    ) -> Result<(Run, Option<StoppedBy>), RunError> {
        match is_unlocked {
            true => self.campaign.unlocked(|| self.executor.run_within(input, mode, bound)),
            false => self.executor.run_within(input, mode, bound),
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
        mut early: Option<EarlyRun>,
    ) -> Result<Option<(Execution, Stopped)>, CampaignError> {
        let before = recorded.and_then(|result| result.timeout);
        let has_full_limit = std::mem::take(&mut self.has_full_limit);
        let is_suspect = std::mem::take(&mut self.is_suspect);
        let mut bound = match (&early, recorded) {
            _ if has_full_limit => RunBound::NONE,
            _ if is_suspect => {
                let time = self.campaign.search.run_limit.current().time.saturating_mul(ESCALATION);
                RunBound { time, ..RunBound::NONE }
            }
            (Some(early), _) => early.bound,
            (None, None) => self.campaign.search.run_limit.current(),
            (None, Some(_)) => bound_of_replay(before),
        };
        loop {
            let (started, before_lock) =
                (Instant::now(), early.as_ref().map_or(Duration::ZERO, |run| run.took));
            let run = self.run_by(input, bound, recorded, is_unlocked, deadline, early.take())?;
            let Some((mut execution, stopped_by)) = run else { return Ok(None) };
            let Some(stopped_by) = stopped_by.filter(|_| !execution.trace.late) else {
                return Ok(Some((execution, Stopped::No)));
            };
            let took = before_lock + started.elapsed();
            self.campaign.search.run_limit.note_stopped(took);
            let is_accepted = match before {
                Some(before) => execution.trace.steps.len() >= before.steps as usize,
                None => self.campaign.may_leave_stopped(&execution, !is_suspect),
            };
            if is_accepted {
                return Ok(Some((execution, Stopped::Early(took))));
            }
            bound = match (stopped_by, bound.time.saturating_mul(ESCALATION)) {
                _ if before.is_some() => RunBound::NONE,
                (StoppedBy::Events, _) => RunBound { time: bound.time, ..RunBound::NONE },
                (StoppedBy::Time, time) if time < self.executor.timeout() => {
                    RunBound { time, ..RunBound::NONE }
                }
                (StoppedBy::Time, _) => match self.run_untraced(input, is_unlocked) {
                    Some(run) if run.end == ExitKind::Timeout => {
                        execution.run.coverage = run.coverage;
                        return Ok(Some((execution, Stopped::Hangs)));
                    }
                    _ => RunBound::NONE,
                },
            };
        }
    }

    /// Runs an input without tracing, which takes less time as a rule, and with the full limit.
    fn run_untraced(&mut self, input: &Input, is_unlocked: bool) -> Option<Run> {
        let started = Instant::now();
        let run = self.run_once(input, Mode::NATIVE, RunBound::NONE, is_unlocked);
        self.campaign.search.run_limit.note_stopped(started.elapsed());
        run.ok().map(|(run, _)| run)
    }

    /// Runs an input, on a new fork server if the old one fails; returns the part of `bound` that has stopped it,
    /// too. None if no server survives it, or the deadline is over.
    fn run_by(
        &mut self,
        input: &Input,
        bound: RunBound,
        recorded: Option<&RunResult>,
        is_unlocked: bool,
        deadline: &Deadline,
        mut early: Option<EarlyRun>,
    ) -> Result<Option<(Execution, Option<StoppedBy>)>, CampaignError> {
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
                None => (self.run_once(input, self.mode(), bound, is_unlocked), started.elapsed()),
            };
            match run {
                // It was in time when it was recorded: the machine has a higher load now.
                Ok((run, _)) if was_in_time && run.end.is_excess() && attempts < MAX_ATTEMPTS => {}
                Ok((run, stopped_by)) => {
                    self.campaign.counters.lost_in_a_row = 0;
                    let trace = self.campaign.decode(&mut *self.executor, &run);
                    if !run.end.is_excess() {
                        self.campaign.search.run_limit.note_ended(took, &trace);
                    }
                    return Ok(Some((Execution { run, trace }, stopped_by)));
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
        let is_only_slow = matches!(stopped, Stopped::No) && self.is_only_slow(execution)?;
        let Some(before) = recorded.and_then(|result| result.timeout) else {
            let (is_early, limit) = match stopped {
                Stopped::Early(limit) => (true, limit.as_millis() as u32 + 1),
                Stopped::No | Stopped::Hangs => (false, 0),
            };
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
    /// True if a run that was stopped early covers nothing new, and is in the loop of a known hang or can wait, if
    /// that `is_allowed`.
    fn may_leave_stopped(&self, execution: &Execution, is_allowed: bool) -> bool {
        let is_covered = |index| self.known.coverage.is_covered(BranchId(index as u32));
        let limit = &self.search.run_limit;
        let can_wait = || is_allowed && self.settings.execs.is_none() && !limit.affords_full_limit();
        (limit.hangs.contain(last_decision(&execution.trace)) || can_wait())
            && taken(&execution.run.coverage).all(is_covered)
    }

    /// Notes what became of a run that reached its time limit: a new hang, or that the run is to be finished
    /// later.
    fn note_timeout(&mut self, timeout: &TimeoutRecord, execution: &Execution) {
        let limit = &mut self.search.run_limit;
        if timeout.is_early {
            limit.add_stopped(self.known.past_runs.len(), &execution.trace);
        } else if execution.run.end == ExitKind::Timeout {
            limit.hangs.add(&execution.trace);
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

/// Returns the bound of a replayed run. Replays are slower by what else the machine does.
fn bound_of_replay(timeout: Option<TimeoutRecord>) -> RunBound {
    match timeout {
        Some(TimeoutRecord { is_early: true, limit, .. }) => {
            RunBound { time: REPLAYED_LIMIT * Duration::from_millis(limit.into()), ..RunBound::NONE }
        }
        _ => RunBound::NONE,
    }
}

/// True if any fork server would reject the input with this error.
pub(super) fn is_about_input(error: &RunError) -> bool {
    match error {
        RunError::InputTooLarge(_) | RunError::TooManyObjects(_) | RunError::NoSuchArgument { .. } => true,
        RunError::ServerDied(_) | RunError::ServerSilent | RunError::CannotFork(_) | RunError::Io(_) => false,
    }
}
