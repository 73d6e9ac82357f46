//! Runs, and what they show.

use super::worker::{Ahead, Worker};
use super::{Campaign, CampaignError, Cause, PastRun, Wish};
use crate::corpus::{Candidate, Origin, TestFolder};
use crate::divergence_causes::last_loss;
use crate::executor::{Execution, Executor};
use crate::gaps::Gap;
use crate::journal::{OldRun, Recalled, Seen, Timeout};
use crate::observer::Event;
use crate::path::{Path, path};
use crate::prediction::first_difference;
use crate::settings::Settings;
use crate::summary::ReplayDivergence;
use crate::trails::trails;
use crate::untold::add_untold_pins;
use cairn_deadline::Deadline;
use cairn_exec::{ExitKind, Input, Mode, Run, RunError, StartError, Trace, TraceStep};
use cairn_program::BranchId;
use cairn_tree::{AddedRun, Step};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Times an input is run if the target's server does not survive it.
const ATTEMPTS: u32 = 3;
/// Inputs in a row that may be lost before the campaign gives up.
const MAX_LOST_IN_A_ROW: u32 = 10;

/// What a run is kept for.
pub(super) struct Shown<'a> {
    /// The input it was given.
    pub given: &'a Input,
    pub new_branches: &'a [BranchId],
    /// How it was when its time was up, if it was.
    pub timeout: Option<Timeout>,
    /// Why its path is not all there is to know.
    pub gaps: &'a [Gap],
    /// Observations of the recorded run, when a journal is replayed.
    seen: Option<Seen>,
}

/// Where a run went that was made for a flip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Went {
    /// Along the path to the flip, and there to the other side.
    There,
    /// Off the path at a pin whose constant was left open.
    BehindPin,
    /// Elsewhere.
    Elsewhere,
    /// Nobody knows.
    Unknown,
}

impl Worker<'_, '_> {
    /// Runs an input and takes in all it shows. Tells where it went.
    pub(super) fn execute(&mut self, input: &Input, cause: Cause) -> Result<Went, CampaignError> {
        self.wait_for_turn()?;
        match self.campaign.chronicle.ran(self.id, cause.origin, cause.base)? {
            Recalled::Told(run) => return self.repeat(run, cause),
            Recalled::ReplayDivergence => self.go_astray()?,
            Recalled::Nothing => {}
        }
        // Others have made all executions: that is seen only here when the past ends in the middle of a wish. If the campaign goes on later,
        // the run is made then.
        if !self.campaign.is_alone() && self.campaign.is_spent() {
            return Ok(Went::Unknown);
        }
        self.perform(input, cause, None)
    }

    /// Makes a run of the past again.
    pub(super) fn repeat(&mut self, run: OldRun, cause: Cause) -> Result<Went, CampaignError> {
        let OldRun { input, seen, seen_input } = run;
        let Some(seen) = seen else {
            self.campaign.executions += 1;
            self.campaign.notes.lost_runs += 1;
            return Ok(Went::Unknown);
        };
        let went = self.perform(&input, cause, Some(seen))?;
        let number = self.campaign.past.len() - 1;
        if self.campaign.past[number].input != seen_input {
            self.campaign.chronicle.differs(number, seen_input);
        }
        Ok(went)
    }

    /// The search does something else than it did: runs all inputs that are left in the journal, whatever led to them.
    pub(super) fn go_astray(&mut self) -> Result<(), CampaignError> {
        let execution = self.campaign.executions + 1;
        let mut runs = 0;
        while let Some(run) = self.campaign.chronicle.any_run()? {
            if self.campaign.settings.stop.load(Ordering::Relaxed) {
                return Err(CampaignError::Interrupted);
            }
            self.repeat(run, Cause::GIVEN)?;
            runs += 1;
        }
        self.campaign.notes.astray.get_or_insert(ReplayDivergence { execution, runs });
        Ok(())
    }

    /// Runs an input; `seen` is what it showed in the past.
    fn perform(&mut self, input: &Input, cause: Cause, seen: Option<Seen>) -> Result<Went, CampaignError> {
        self.campaign.executions += 1;
        self.decide();
        let started = Instant::now();
        // Others may have their turn while it runs, but not while one of the past does, or one that nobody's search asked for:
        // when the campaign is made again, these come between two wishes.
        let is_shared = seen.is_none() && cause.origin != Origin::Given && !self.campaign.is_alone();
        let deadline = self.campaign.deadline();
        let mut execution = match self.run_target(input, seen.as_ref(), is_shared, &deadline)? {
            Some(execution) => execution,
            None if deadline.is_over() => return self.drop_run(seen.is_some()),
            // It has a number, by which later ones are told.
            None if seen.is_some() => Execution::of_nothing(input),
            None => {
                self.campaign.write_down(self.id, cause, input, None)?;
                return Ok(Went::Unknown);
            }
        };
        // There is no time left to see whether it is only slow, or what its path is. If the campaign goes on later, it is run
        // again.
        let is_cut_off = |execution: &Execution| {
            execution.trace.late || execution.run.end.is_excess() && deadline.is_over()
        };
        if is_cut_off(&execution) {
            return self.drop_run(seen.is_some());
        }
        let timeout = self.timeout(&mut execution, seen.as_ref())?;
        if is_cut_off(&execution) {
            return self.drop_run(seen.is_some());
        }
        self.cost.run += started.elapsed();
        self.take_in(input, execution, timeout, cause, seen)
    }

    /// Counts a run for nothing that the deadline cut off. The past cannot be gone through without it.
    fn drop_run(&mut self, is_past: bool) -> Result<Went, CampaignError> {
        self.campaign.executions -= 1;
        if is_past { Err(CampaignError::Interrupted) } else { Ok(Went::Unknown) }
    }

    /// Takes in what a run shows. Tells where it went.
    fn take_in(
        &mut self,
        input: &Input,
        mut execution: Execution,
        timeout: Option<Timeout>,
        cause: Cause,
        seen: Option<Seen>,
    ) -> Result<Went, CampaignError> {
        let slow = timeout.is_some_and(|timeout| timeout.is_only_slow);
        let campaign = &mut *self.campaign;
        let (path, added) = campaign.add(&mut execution, cause, slow);
        let mut gaps = campaign.count(&execution, &path, &added);
        campaign.note_used_objects(&path, &added);
        let end = execution.run.end;
        let covered = match end {
            // What only a refused input reaches, no test will ever show.
            ExitKind::Rejected => &[],
            _ => &execution.run.coverage[..],
        };
        let new_branches = match &seen {
            Some(seen) => campaign.coverage.merge(&campaign.covered_before(covered, seen)),
            None => campaign.coverage.merge(covered),
        };
        campaign.mark_growth(&new_branches);
        let difference =
            cause.flip.and_then(|flip| Some((flip, first_difference(&campaign.tree, flip, &added)?)));
        let is_cut = slow || gaps.iter().any(|gap| matches!(gap, Gap::Limit | Gap::Killed | Gap::Cut));
        let went = match difference {
            None => Went::There,
            Some((_, at)) if path.damaged || (is_cut && at == added.nodes.len()) => Went::Unknown,
            Some((flip, at)) => campaign.went_off(flip, at, &added, end, cause),
        };
        gaps.extend((went == Went::Elsewhere).then_some(Gap::Diverged));
        campaign.recall_gaps(seen.as_ref(), &gaps);
        let predicted = cause.flip.is_some() && difference.is_none();
        let callees = campaign.callees.new_ones(campaign.program, &execution.trace.callees);
        let wish = Wish { by: cause.asked.then_some(self.id), flip: cause.flip, predicted, cost: self.cost };
        campaign.tell_strategies(&added, (covered, &new_branches, &callees), wish);
        let shown = Shown { given: input, new_branches: &new_branches, timeout, gaps: &gaps, seen };
        let campaign = &*self.campaign;
        let after = difference
            .filter(|_| went == Went::Elsewhere)
            .and_then(|(_, at)| last_loss(campaign.program, &campaign.dag, &execution.trace, at));
        self.keep(execution, &path, shown, cause)?;
        self.campaign.tell(&Event::Executed { end, new_branches: &new_branches });
        self.campaign.note_now_and_then()?;
        self.campaign.crowd.tell_results();
        match (went, difference) {
            (Went::Elsewhere, Some((flip, at))) => {
                self.campaign.notes.divergences_after_losses += u64::from(after.is_some());
                self.campaign.diverged(flip, at, &added, after);
            }
            (Went::BehindPin, _) => self.campaign.behind_pins.runs += 1,
            _ => {}
        }
        Ok(went)
    }

    /// What runs are to record.
    pub(super) fn mode(&self) -> Mode {
        let Settings { oracle, diagnose, .. } = *self.campaign.settings;
        let strategy = &self.campaign.strategies[0];
        let (log, callees) = (strategy.wants_branch_log(), strategy.wants_callees());
        Mode { trace: true, check: oracle, diagnose, log, callees }
    }

    fn run_once(&mut self, input: &Input, mode: Mode, is_shared: bool) -> Result<Run, RunError> {
        match self.ahead.take() {
            Some(Ahead { input: its, run, took }) if its == *input => {
                self.cost.run += took;
                return run;
            }
            _ => {}
        }
        match is_shared {
            true => self.campaign.meanwhile(|| self.executor.run(input, mode)),
            false => self.executor.run(input, mode),
        }
    }

    /// Runs an input, on a new server if the old one fails. Nothing if no server survives it, or the deadline is over.
    fn run_target(
        &mut self,
        input: &Input,
        seen: Option<&Seen>,
        is_shared: bool,
        deadline: &Deadline,
    ) -> Result<Option<Execution>, CampaignError> {
        let (mode, mut attempts) = (self.mode(), 0);
        self.executor.end_by(deadline.clone());
        let was_in_time = seen.is_some_and(|seen| seen.timeout.is_none());
        let error = loop {
            attempts += 1;
            match self.run_once(input, mode, is_shared) {
                // The machine has more to do than when it was in time.
                Ok(run) if was_in_time && run.end.is_excess() && attempts < ATTEMPTS => {}
                Ok(run) => {
                    self.campaign.lost_in_a_row = 0;
                    let trace = self.campaign.decode(&mut *self.executor, &run);
                    return Ok(Some(Execution { run, trace }));
                }
                Err(error) if is_about_input(&error) => break error,
                Err(_) if deadline.is_over() && !self.campaign.past.is_empty() => return Ok(None),
                Err(error) => {
                    if !self.restart()? {
                        return Ok(None);
                    }
                    self.campaign.tell(&Event::Restarted { reason: &error.to_string() });
                    if attempts == ATTEMPTS {
                        break error;
                    }
                }
            }
        };
        self.campaign.notes.lost_runs += 1;
        self.campaign.lost_in_a_row += 1;
        let never_ran = self.campaign.past.is_empty();
        if never_ran || self.campaign.lost_in_a_row == MAX_LOST_IN_A_ROW {
            Err(error.into())
        } else {
            Ok(None)
        }
    }

    /// Starts the target anew after an error. False if the deadline came first: the campaign is about to end. One that
    /// has made no run fails instead, as there is nothing to tell of it.
    pub(super) fn restart(&mut self) -> Result<bool, CampaignError> {
        match self.executor.restart() {
            Err(StartError::CutOff(_)) if !self.campaign.past.is_empty() => Ok(false),
            outcome => {
                outcome?;
                self.campaign.notes.restarts += 1;
                Ok(true)
            }
        }
    }

    /// What there is to know of a run whose time was up. One of the past is made to be what it was then: how far it came
    /// is a matter of luck.
    fn timeout(
        &mut self,
        execution: &mut Execution,
        seen: Option<&Seen>,
    ) -> Result<Option<Timeout>, CampaignError> {
        let is_over = execution.run.end.is_excess();
        let steps = execution.trace.steps.len() as u32;
        let is_only_slow = self.is_only_slow(execution)?;
        let Some(before) = seen.and_then(|seen| seen.timeout) else {
            return Ok(is_over.then_some(Timeout { steps, is_only_slow }));
        };
        execution.trace.steps.truncate(before.steps as usize);
        if !before.is_only_slow && !execution.run.end.is_excess() {
            execution.run.end = ExitKind::Timeout;
        }
        self.campaign.notes.slow_runs += u64::from(before.is_only_slow);
        self.campaign.notes.slow_runs -= u64::from(is_only_slow);
        Ok(Some(before))
    }

    /// Whether a run that took too much time or memory does not when nothing is recorded. Then that is its end; the path
    /// is what was recorded of it.
    fn is_only_slow(&mut self, execution: &mut Execution) -> Result<bool, CampaignError> {
        let takes_too_much = |end| matches!(end, ExitKind::Timeout | ExitKind::OutOfMemory);
        if !takes_too_much(execution.run.end) {
            return Ok(false);
        }
        let native = match self.executor.run(&execution.run.input, Mode::NATIVE) {
            Ok(again) => again,
            Err(_) => {
                self.restart()?;
                return Ok(false);
            }
        };
        if takes_too_much(native.end) {
            execution.run.end = native.end;
            return Ok(false);
        }
        self.campaign.notes.slow_runs += 1;
        let run = &mut execution.run;
        (run.end, run.coverage, run.crash) = (native.end, native.coverage, native.crash);
        Ok(true)
    }

    /// Keeps the run for later flips, and its input as a file if it is worth it. The journal has it before anybody hears of it.
    fn keep(
        &mut self,
        execution: Execution,
        path: &Path,
        shown: Shown,
        cause: Cause,
    ) -> Result<(), CampaignError> {
        let campaign = &mut *self.campaign;
        let parent = cause.base.and_then(|base| campaign.past[base.index()].test);
        let was_seen = shown.seen.is_some();
        let kept = match shown.seen {
            Some(seen) => {
                campaign.corpus.recall(&seen.kept);
                seen.kept
            }
            None => {
                let kept = campaign.corpus.judge(&Candidate {
                    end: execution.run.end,
                    marks: campaign.triage.marks(campaign.program, &execution, path),
                    new_branches: shown.new_branches.len(),
                    origin: cause.origin,
                    parent,
                    execution: campaign.executions,
                });
                campaign.note_run(self.id, &shown, &execution.run.input, kept.clone(), cause)?;
                kept
            }
        };
        let mut test = parent;
        for keep in kept {
            test = if keep.place == TestFolder::Queue { Some(keep.id) } else { test };
            self.write(&keep, &execution.run, path, was_seen)?;
        }
        self.campaign.past.push(PastRun { input: execution.run.input, test });
        Ok(())
    }
}

impl Campaign<'_> {
    /// Decodes the trace of the last run, and takes note of the memory that it takes.
    fn decode(&mut self, executor: &mut dyn Executor, run: &Run) -> Trace {
        let before = self.dag.bytes();
        let trace = executor.decode(&mut self.dag);
        let steps = trace.steps.len() * (size_of::<TraceStep>() + size_of::<Step>());
        self.memory.add(self.dag.bytes() - before + (steps + run.input.len()) as u64);
        trace
    }

    /// Adds the path of a run to the tree, once all doubts about its recording are settled.
    fn add(&mut self, execution: &mut Execution, cause: Cause, slow: bool) -> (Path, AddedRun) {
        let mut path = path(self.program, &self.dag, &execution.trace, self.settings.max_steps);
        self.distrust(execution, &mut path);
        if self.settings.oracle && !path.damaged {
            self.oracle.compare(&self.dag, execution, self.executions);
        }
        let trails = trails(self.program, &self.dag, &execution.trace, path.steps.len());
        if let (Some(flip), ExitKind::Signal(_), false) = (cause.flip, execution.run.end, slow) {
            add_untold_pins(&self.tree, &self.dag, flip, &execution.run.input, &mut path.steps);
        }
        if self.settings.diagnose {
            self.collector.look(self.program, &self.dag, execution);
        }
        let added = self.tree.add_run_with_branches(&path.steps, &trails);
        if self.strategies[0].wants_cores() {
            self.tree.find_cores(&self.dag, self.program);
        }
        (path, added)
    }
}

/// Whether another server would refuse the input just the same.
fn is_about_input(error: &RunError) -> bool {
    match error {
        RunError::InputTooLarge(_) | RunError::TooManyObjects(_) | RunError::NoSuchArgument { .. } => true,
        RunError::ServerDied(_) | RunError::ServerSilent | RunError::CannotFork(_) | RunError::Io(_) => false,
    }
}
