//! Integrates the results of a run: path, coverage, divergence, tests and findings.

use super::CampaignError;
use super::missing_events::add_missing_events;
use super::prediction::first_difference;
use super::relaxed_queries::leaves_at_concretization;
use super::state::{Campaign, Cause, LeftOut, PastRun};
use super::worker::Worker;
use crate::execution::branch_trace::branch_trace;
use crate::execution::executor::Execution;
use crate::execution::path::{Path, path};
use crate::execution::trace_sanity;
use crate::observe::divergence::Divergence;
use crate::observe::divergence_causes::last_loss;
use crate::observe::gaps::Gap;
use crate::observe::observer::Event;
use crate::observe::snapshot::Milestone;
use crate::replay::delta::Delta;
use crate::replay::record::{RunResult, TimeoutRecord};
use crate::store::corpus::Candidate;
use crate::test_folder::TestFolder;
use cairn_exec::{ExitKind, Input};
use cairn_program::BranchId;
use cairn_search::RunView;
use cairn_tree::{AddedRun, Flip};

/// Number of divergences kept with their explanations; a chosen bound.
const MAX_DIVERGENCES: usize = 20;

/// Outcome of a run that was made for a flip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FlipResult {
    /// It followed the path prefix and took the flip.
    Taken,
    /// It left the path where it was allowed to: at a concretization whose constant a relaxed query had left
    /// open, or anywhere after an optimistic query.
    Relaxed,
    /// It left the predicted path elsewhere.
    Diverged,
    /// Its path is not known.
    Unknown,
}

/// Observations of a run that decide if its input is kept, and that are recorded.
struct Observations<'a> {
    /// Input before the run.
    input: &'a Input,
    new_branches: &'a [BranchId],
    timeout: Option<TimeoutRecord>,
    gaps: &'a [Gap],
    /// True if no earlier run took its path.
    has_new_path: bool,
    /// Result in the journal, if the run is replayed.
    recorded: Option<RunResult>,
}

impl Worker<'_, '_> {
    /// Integrates the results of a run; returns what became of its flip.
    pub fn integrate(
        &mut self,
        input: &Input,
        mut execution: Execution,
        timeout: Option<TimeoutRecord>,
        cause: Cause,
        recorded: Option<RunResult>,
    ) -> Result<FlipResult, CampaignError> {
        let slow = timeout.is_some_and(|timeout| timeout.is_only_slow);
        let is_hang = timeout.is_some() && !slow;
        let campaign = &mut *self.campaign;
        campaign.search.account.executed(execution.trace.label_count.into());
        let (path, added) = campaign.add_to_tree(&mut execution, cause, slow);
        let mut gaps = campaign.count_run(&execution, &path, &added);
        campaign.known.mark_used_objects(&path, &added);
        campaign.learn_strings(&path, &added, &execution.run.input);
        let end = execution.run.end;
        let covered = match end {
            // No test will show the branches that only a rejected input covers.
            ExitKind::Rejected => &[],
            _ => &execution.run.coverage[..],
        };
        let new_branches = campaign.merge_coverage(covered, recorded.as_ref());
        self.new_branches = new_branches.len();
        if !new_branches.is_empty() && !path.damaged && !execution.run.end.is_excess() {
            campaign.learn_pieces(&execution.trace, &execution.run.input);
        }
        let new_to_strategies = campaign.search.merge_coverage(covered);
        if cause.left_out == LeftOut::OtherBytes {
            campaign.search.optimistic.count(!new_branches.is_empty());
        }
        let tree = &campaign.known.tree;
        let difference = cause.flip.and_then(|flip| Some((flip, first_difference(tree, flip, &added)?)));
        let is_cut = slow || gaps.iter().any(|gap| matches!(gap, Gap::Limit | Gap::Killed | Gap::Cut));
        let result = match difference {
            None => FlipResult::Taken,
            Some((_, at)) if path.damaged || (is_cut && at == added.nodes.len()) => FlipResult::Unknown,
            Some((flip, at)) => campaign.classify_difference(flip, at, &added, end, cause),
        };
        gaps.extend((result == FlipResult::Diverged).then_some(Gap::Diverged));
        campaign.counters.count_recorded_gaps(recorded.as_ref(), &gaps);
        let callees = campaign.known.callees.new_callees(campaign.program, &execution.trace.callees);
        let run = RunView {
            tree: &campaign.known.tree,
            program: campaign.program,
            run: added.run,
            nodes: &added.nodes,
            sides: &added.sides,
            first_new: added.first_new,
            new_branches: new_to_strategies.as_ref().unwrap_or(&new_branches),
            callees: &callees,
            covered,
            flip: cause.flip,
            predicted: cause.flip.is_some() && difference.is_none(),
            cost: self.cost,
            own: true,
        };
        if is_hang {
            campaign.search.hang_exits.add(&campaign.known.tree, &added);
        }
        campaign.search.notify_run(run, cause.is_requested.then_some(self.id));
        let after = difference
            .filter(|_| result == FlipResult::Diverged)
            .and_then(|(_, at)| last_loss(campaign.program, &campaign.known.dag, &execution.trace, at));
        let has_new_path = self.campaign.known.add_path(&added);
        let observations =
            Observations { input, new_branches: &new_branches, timeout, gaps: &gaps, has_new_path, recorded };
        self.keep(execution, &path, observations, cause)?;
        self.campaign.notify(&Event::Executed { end, new_branches: &new_branches });
        self.campaign.write_status_if_due()?;
        self.campaign.coordination.publish_result();
        match (result, difference) {
            (FlipResult::Diverged, Some((flip, at))) => {
                self.campaign.count_divergence(flip, at, &added, after);
            }
            (FlipResult::Relaxed, _) if cause.left_out == LeftOut::Constants => {
                self.campaign.search.relaxed.runs += 1;
            }
            _ => {}
        }
        Ok(result)
    }

    /// Keeps the run as a base for later flips, and writes its input to the files that the corpus decides on.
    /// The journal has the run before any observer is notified of it.
    fn keep(
        &mut self,
        execution: Execution,
        path: &Path,
        observations: Observations,
        cause: Cause,
    ) -> Result<(), CampaignError> {
        let campaign = &mut *self.campaign;
        let parent = cause.base.and_then(|base| campaign.known.past_runs[base.index()].test);
        let is_replayed = observations.recorded.is_some();
        let has_new_path = observations.has_new_path;
        let kept = match observations.recorded {
            Some(result) => {
                campaign.store.corpus.replay(&result.kept);
                result.kept
            }
            None => {
                let is_early = observations.timeout.is_some_and(|timeout| timeout.is_early);
                let mut faults = campaign.store.triage.faults(campaign.program, &execution, path);
                // Only the full limit shows a hang.
                faults.retain(|fault| !is_early || fault.is_silent);
                let kept = campaign.store.corpus.decide(&Candidate {
                    end: execution.run.end,
                    faults,
                    new_branches: observations.new_branches.len(),
                    origin: cause.origin,
                    parent,
                    execution: campaign.counters.executions,
                });
                let (before, after) = (observations.input, &execution.run.input);
                let result = RunResult {
                    input: (before != after).then(|| Delta::new(before, after)),
                    timeout: observations.timeout,
                    new_branches: observations.new_branches.iter().map(|branch| branch.0).collect(),
                    kept: kept.clone(),
                    gaps: observations.gaps.to_vec(),
                };
                campaign.log_run(self.id, cause, before, Some(result))?;
                kept
            }
        };
        let (mut test, input) = (parent, &execution.run.input);
        let mut kept_as = None;
        for keep in kept.iter().filter(|keep| keep.folder == TestFolder::Queue) {
            campaign.known.tests.push((keep.id, input.clone()));
            kept_as = Some(keep.id);
        }
        if matches!(execution.run.end, ExitKind::Exit(_)) && (has_new_path || kept_as.is_some()) {
            campaign.request_check(input, kept_as);
        }
        for keep in kept {
            test = if keep.folder == TestFolder::Queue { Some(keep.id) } else { test };
            self.write_input(&keep, &execution.run, path, is_replayed)?;
        }
        self.campaign.known.add_past_run(PastRun { input: execution.run.input, test });
        Ok(())
    }
}

impl Campaign<'_> {
    /// Adds the path of a run to the tree, after its trace was checked.
    fn add_to_tree(&mut self, execution: &mut Execution, cause: Cause, slow: bool) -> (Path, AddedRun) {
        let is_whole = !slow && !execution.run.end.is_excess();
        let max_steps = if is_whole { usize::MAX } else { self.settings.max_steps };
        let mut path = path(self.program, &self.known.dag, &execution.trace, max_steps);
        self.discard_damage(execution, &mut path);
        let known = &mut self.known;
        if self.settings.oracle && !path.damaged {
            known.oracle.compare(&known.dag, execution, self.counters.executions);
        }
        let branches = branch_trace(self.program, &known.dag, &execution.trace, path.steps.len());
        if let (Some(flip), ExitKind::Signal(_), false) = (cause.flip, execution.run.end, slow) {
            add_missing_events(&known.tree, &known.dag, flip, &execution.run.input, &mut path.steps);
        }
        if self.settings.diagnose {
            known.diagnosis.inspect(self.program, &known.dag, execution);
        }
        let added = known.tree.add_run_with_branches(&path.steps, &branches);
        if self.search.strategies[0].wants_cores() {
            known.tree.find_cores(&known.dag, self.program);
        }
        (path, added)
    }

    /// Replaces the coverage of a run that has overwritten it: if it claimed every branch, no later test
    /// would be kept.
    fn discard_damage(&self, execution: &mut Execution, path: &mut Path) {
        let coverage = &mut execution.run.coverage;
        path.damaged |= execution.run.flags.damaged;
        if !trace_sanity::is_sane(self.program, coverage) {
            path.damaged = true;
            *coverage = trace_sanity::coverage_of(self.program, &path.steps);
        }
        if path.damaged {
            execution.trace.callees.clear();
        }
    }

    /// Merges the coverage of a run; returns the branches that it was the first to cover.
    fn merge_coverage(&mut self, covered: &[u8], recorded: Option<&RunResult>) -> Vec<BranchId> {
        let known = &mut self.known;
        let new_branches = match recorded {
            Some(result) => {
                let covered = known.recorded_coverage(self.program, covered, result);
                known.coverage.merge(&covered)
            }
            None => known.coverage.merge(covered),
        };
        if !new_branches.is_empty() {
            let (executions, elapsed) = (self.counters.executions, self.cursor.elapsed());
            let milestone = Milestone::new(executions, elapsed, known.coverage.covered());
            self.counters.coverage_curve.push(milestone);
        }
        new_branches
    }

    /// Classifies a run that left the predicted path at index `at`.
    fn classify_difference(
        &self,
        flip: Flip,
        at: usize,
        run: &AddedRun,
        end: ExitKind,
        cause: Cause,
    ) -> FlipResult {
        let (tree, dag) = (&self.known.tree, &self.known.dag);
        let is_allowed = match cause.left_out {
            LeftOut::Nothing => false,
            LeftOut::Constants => leaves_at_concretization((tree, dag), flip, at, run, end),
            LeftOut::OtherBytes => true,
        };
        if is_allowed { FlipResult::Relaxed } else { FlipResult::Diverged }
    }

    /// Updates the counters for a run; returns the gaps that it shows.
    fn count_run(&mut self, execution: &Execution, path: &Path, added: &AddedRun) -> Vec<Gap> {
        let (flags, end) = (execution.run.flags, execution.run.end);
        let cut = path.cut || flags.labels_full || flags.events_full || flags.objects_full;
        let counts = [
            (Gap::Limit, u64::from(end.is_excess())),
            (Gap::Killed, u64::from(end.is_kill())),
            (Gap::Cut, u64::from(cut)),
            (Gap::Damaged, u64::from(path.damaged)),
            (Gap::LostValue, flags.lost.into()),
            (Gap::Overwritten, flags.stale),
            (Gap::ChildProcess, u64::from(flags.forked)),
            (Gap::Threads, u64::from(flags.threads)),
            (Gap::Nondeterministic, u64::from(added.mismatch)),
        ];
        let counters = &mut self.counters;
        let shown = counts.into_iter().filter(|(_, count)| *count > 0);
        let gaps =
            shown.inspect(|(gap, count)| counters.count_gap(*gap, *count)).map(|(gap, _)| gap).collect();
        let notes = &mut counters.notes;
        notes.reused_runs += u64::from(execution.run.reused);
        notes.most_labels = notes.most_labels.max(execution.trace.label_count);
        if let Some(file) = &execution.run.denied {
            notes.denied_runs += 1;
            notes.denied_file.get_or_insert_with(|| file.clone());
        }
        notes.rejected_runs += u64::from(end == ExitKind::Rejected);
        notes.full_logs += u64::from(flags.log_full);
        let wants_log = self.search.strategies[0].wants_branch_log();
        notes.missing_logs += u64::from(wants_log && execution.trace.log.is_none());
        if path.damaged {
            self.notify(&Event::Damaged);
        }
        gaps
    }

    /// Counts and explains a divergence; `after` is the last loss before it.
    fn count_divergence(&mut self, flip: Flip, at: usize, run: &AddedRun, after: Option<String>) {
        let counters = &mut self.counters;
        counters.notes.divergences_after_losses += u64::from(after.is_some());
        counters.divergences += 1;
        let model = (&self.known.tree, self.program);
        let divergence = Divergence::explain(model, counters.executions, flip, at, run);
        counters.notes.divergence_causes.count(after, &divergence.place);
        self.notify(&Event::Diverged(&divergence));
        if self.counters.notes.divergences.len() < MAX_DIVERGENCES {
            self.counters.notes.divergences.push(divergence);
        }
    }
}
