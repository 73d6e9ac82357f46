//! Progress, events, status files, snapshots and the summary of a campaign.

use super::CampaignError;
use super::state::{Campaign, Knowledge};
use crate::observe::gaps::GapCounts;
use crate::observe::observer::{Event, Progress};
use crate::observe::query_costs::FlipQuery;
use crate::observe::snapshot::{Budget, Snapshot, SnapshotFacts};
use crate::observe::summary::Summary;
use crate::test_folder::TestFolder;
use cairn_mutate::dictionary_file;
use cairn_program::BranchId;
use cairn_tree::{Flip, RunId};
use std::time::{Duration, Instant};

/// Time between two updates of the status files; a chosen interval.
const STATUS_INTERVAL: Duration = Duration::from_secs(5);
/// Ratio of search time to the time of writing a snapshot, which is proportional to the tree: snapshots take
/// at most one percent of the campaign.
const SNAPSHOT_PAUSE: u32 = 100;

impl Campaign<'_> {
    fn progress(&self) -> Progress {
        let Campaign { known, search, store, counters, .. } = self;
        let traced = counters.executions - search.mutation.executions;
        Progress {
            executions: counters.executions,
            elapsed: self.cursor.elapsed(),
            rebuilding: self.cursor.runs_to_replay(),
            branches_total: self.program.counted_branches(),
            branches_covered: known.coverage.covered() as u64,
            tests: store.corpus.tests(),
            crashes: store.distinct_findings(TestFolder::Crashes),
            hangs: store.distinct_findings(TestFolder::Hangs),
            confirmed: store.ledger.distinct().filter(|entry| entry.finding.confirmed).count() as u64,
            divergences: counters.divergences,
            choosing: search.strategies.iter().map(|strategy| strategy.time).sum(),
            relaxed_runs: search.relaxed.runs,
            memory: search.memory.resident(),
            optimistic_runs: search.optimistic.runs,
            optimistic_gains: search.optimistic.with_new_coverage,
            mutation_runs: search.mutation.executions,
            mutation_gains: search.mutation.gains,
            untried: known.tree.untried() as u64,
            solver: search.solver_stats.iter().copied().sum(),
            gaps: GapCounts::of(&known.tree, traced, counters.divergences, &counters.notes)
                .without_reserved(self.coordination.reserved),
            restarts: counters.notes.restarts,
        }
    }

    /// Copies figures of gaps that are kept elsewhere into the notes.
    fn update_notes(&mut self) {
        let notes = &mut self.counters.notes;
        notes.pins = self.known.tree.open_concretizations() as u64;
        notes.unused_objects = self.known.unused_objects.len() as u64;
        notes.mismatches = self.known.oracle.mismatches;
    }

    /// Notifies the observer of an event.
    pub fn notify(&mut self, event: &Event) {
        self.update_notes();
        let progress = self.progress();
        self.observer.on_event(event, &progress);
    }

    /// Notifies the observer if the first worker's strategy describes itself differently; the others are of
    /// its kind.
    pub fn notify_description(&mut self) {
        if let Some(description) = self.search.strategies[0].new_description() {
            self.notify(&Event::Strategy { description: &description });
        }
    }

    /// Updates the status files if they are due.
    pub fn write_status_if_due(&mut self) -> Result<(), CampaignError> {
        if self.store.last_status.elapsed() >= STATUS_INTERVAL { self.write_status() } else { Ok(()) }
    }

    /// Updates the status files, except during a replay: the files are ahead of it.
    pub fn write_status(&mut self) -> Result<(), CampaignError> {
        self.store.last_status = Instant::now();
        if !self.cursor.is_live() {
            return Ok(());
        }
        self.cursor.sync()?;
        let progress = self.progress();
        if let Some(directory) = &mut self.store.directory {
            directory.write_status(&progress, (&self.settings.invocation, &self.settings.command))?;
        }
        self.write_snapshot_if_due()
    }

    /// Notes the time of a flip's queries, whether they were answered, and whether they had been made before
    /// without an answer.
    pub fn note_query_cost(
        &mut self,
        flip: Flip,
        base: RunId,
        (time, is_answered, again): (Duration, bool, bool),
    ) {
        if time.is_zero() {
            return;
        }
        let Knowledge { tree, dag, query_costs, past_runs, .. } = &mut self.known;
        let node = tree.node(flip.node);
        let query = FlipQuery { site: node.site, time, is_answered, was_unanswered: again };
        if query_costs.add(&query) {
            let condition = tree.condition(dag, self.program, flip.node, flip.side);
            let objects = &past_runs[base.index()].input.objects;
            query_costs.describe(&query, dag, (condition, node.depth.into()), objects);
        }
    }

    fn write_snapshot_if_due(&mut self) -> Result<(), CampaignError> {
        if self.counters.executions == 0 || self.store.next_snapshot > Instant::now() {
            return Ok(());
        }
        let start = Instant::now();
        self.write_snapshot(false)?;
        self.store.next_snapshot = Instant::now() + start.elapsed() * SNAPSHOT_PAUSE;
        Ok(())
    }

    /// Writes a snapshot; `ended` is true for the last one.
    pub fn write_snapshot(&mut self, ended: bool) -> Result<(), CampaignError> {
        if self.store.directory.is_none() {
            return Ok(());
        }
        let settings = self.settings;
        let facts = SnapshotFacts {
            target: settings.target,
            ended,
            budget: Budget {
                executions: settings.execs,
                seconds: settings.time.as_ref().map(Duration::as_secs_f64),
                bytes: settings.memory,
            },
            strategy: self.search.strategies[0].describe(),
            summary: self.summary(),
            curve: &self.counters.coverage_curve,
            unanswered: self.known.diagnosis.all_unanswered(),
            dictionary: dictionary_file::text(&self.known.dictionary),
        };
        let is_covered = |branch| self.known.coverage.is_covered(BranchId(branch));
        let snapshot = Snapshot::take(facts, &self.known.tree, is_covered);
        if let Some(directory) = &self.store.directory {
            directory.write_snapshot(&snapshot)?;
        }
        Ok(())
    }

    /// Returns the summary at the end, with the reasons of the diagnosis.
    pub fn final_summary(mut self) -> Summary {
        if self.settings.diagnose {
            let diagnosis = std::mem::take(&mut self.known.diagnosis);
            let (coverage, counters) = (&self.known.coverage, &mut self.counters);
            counters.notes.reasons =
                diagnosis.reasons(self.program, coverage, &counters.notes, counters.divergences);
        }
        self.summary()
    }

    fn summary(&mut self) -> Summary {
        self.update_notes();
        let notes = &mut self.counters.notes;
        notes.checked_values = self.known.oracle.checked;
        notes.costly_sites = self.known.query_costs.costliest(self.program);
        notes.first_mismatch = self.known.oracle.first.clone();
        notes.crash_inputs = self.store.corpus.files(TestFolder::Crashes);
        notes.hang_inputs = self.store.corpus.files(TestFolder::Hangs);
        notes.found = self.store.ledger.distinct().map(|entry| entry.finding.clone()).collect();
        let strategy_and_seed = (self.settings.strategy.as_str(), self.settings.seed);
        let mut progress = self.progress();
        progress.elapsed = self.counters.search_time.unwrap_or(progress.elapsed);
        Summary::new(&progress, strategy_and_seed, &self.known.tree, self.counters.notes.clone())
    }
}
