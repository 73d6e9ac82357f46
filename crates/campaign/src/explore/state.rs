//! The state that the workers of a campaign share.

use super::CampaignError;
use super::callees::SeenCallees;
use super::coordination::Coordination;
use super::deferred_flips::DeferredFlips;
use super::effort_account::EffortAccount;
use super::fill_choice::FillChoice;
use super::hang_exits::HangExits;
use super::memory::MemoryMonitor;
use super::mutation_account::MutationAccount;
use super::optimistic_queries::OptimisticQueries;
use super::oracle::Oracle;
use super::piece_models::PieceModels;
use super::relaxed_queries::RelaxedQueries;
use super::run_limit::RunLimit;
use super::timed_strategy::TimedStrategy;
use crate::execution::matched_bytes::CountedComparisons;
use crate::execution::path::Path;
use crate::findings::ledger::Ledger;
use crate::findings::reference_builds::ReferenceBuilds;
use crate::findings::triage::Triage;
use crate::observe::diagnosis::Diagnosis;
use crate::observe::gaps::Gap;
use crate::observe::notes::{Notes, StopReason};
use crate::observe::observer::Observer;
use crate::observe::query_costs::QueryCosts;
use crate::observe::snapshot::Milestone;
use crate::observe::summary::Summary;
use crate::replay::campaign_directory::CampaignDirectory;
use crate::replay::cursor::Cursor;
use crate::replay::record::{RunResult, WorkerId};
use crate::settings::Settings;
use crate::store::corpus::{Corpus, Origin};
use crate::store::directory::CampaignFiles;
use crate::store::sync::SyncImporter;
use crate::test_folder::TestFolder;
use cairn_deadline::Deadline;
use cairn_exec::{Input, Object};
use cairn_expr::Dag;
use cairn_mutate::dictionary::{Dictionary, TokenOrigin};
use cairn_program::{BranchId, Program};
use cairn_search::{RunView, UnknownStrategy};
use cairn_solver::Stats;
use cairn_tree::{AddedRun, Coverage, Flip, RunId, Tree};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A campaign. A worker holds the lock on it while it chooses and integrates results.
pub(super) struct Campaign<'a> {
    pub settings: &'a Settings,
    pub program: &'a Program,
    pub observer: &'a mut dyn Observer,
    pub known: Knowledge,
    pub search: Search,
    pub store: Store,
    pub counters: Counters,
    pub cursor: Cursor,
    pub coordination: Coordination,
}

/// Everything learnt from runs.
pub(super) struct Knowledge {
    pub dag: Dag,
    pub tree: Tree,
    pub coverage: Coverage,
    /// The last side of every path: it identifies the path.
    pub path_ends: HashSet<Option<Flip>>,
    /// By run id.
    pub past_runs: Vec<PastRun>,
    /// Memory of their inputs, in bytes.
    pub input_bytes: u64,
    /// Number of times that all runs were forgotten.
    pub times_forgotten: u32,
    /// Tests with their numbers, in order: all that is left when the runs are forgotten.
    pub tests: Vec<(u32, Input)>,
    pub callees: SeenCallees,
    /// Byte strings that the program compares its input with. A worker that fills an input without the lock
    /// has a copy.
    pub dictionary: Arc<Dictionary>,
    pub counted_comparisons: CountedComparisons,
    /// Pieces of inputs that the program tells apart by control flow.
    pub pieces: PieceModels,
    /// Input objects that no decision depends on so far.
    pub unused_objects: BTreeSet<u32>,
    pub oracle: Oracle,
    pub diagnosis: Diagnosis,
    pub query_costs: QueryCosts,
}

/// State of the strategies and solvers.
pub(super) struct Search {
    /// By worker: each has a strategy of its own, on the shared tree.
    pub strategies: Vec<TimedStrategy>,
    /// Coverage that the strategies know of, once runs were forgotten; until then it is that of the campaign.
    pub coverage: Option<Coverage>,
    /// By worker: statistics of its solver.
    pub solver_stats: Vec<Stats>,
    pub relaxed: RelaxedQueries,
    pub optimistic: OptimisticQueries,
    pub deferred: DeferredFlips,
    pub account: EffortAccount,
    pub fill: FillChoice,
    pub run_limit: RunLimit,
    pub mutation: MutationAccount,
    pub hang_exits: HangExits,
    pub memory: MemoryMonitor,
    /// Number of times that solvers were to drop their caches.
    pub cache_drops: u32,
}

/// Tests, findings and the files they are written to.
pub(super) struct Store {
    pub directory: Option<CampaignFiles>,
    pub corpus: Corpus,
    pub triage: Triage,
    pub ledger: Ledger,
    pub reference_builds: Option<ReferenceBuilds>,
    pub sync: Option<SyncImporter>,
    /// Time of the last status file.
    pub last_status: Instant,
    /// Earliest time of the next snapshot.
    pub next_snapshot: Instant,
}

/// Figures of the campaign.
pub(super) struct Counters {
    pub executions: u64,
    pub divergences: u64,
    /// Inputs in a row that no fork server survived.
    pub lost_in_a_row: u32,
    pub notes: Notes,
    pub coverage_curve: Vec<Milestone>,
    /// Time taken by the search, once it has ended.
    pub search_time: Option<Duration>,
}

/// A run in the tree.
pub(super) struct PastRun {
    pub input: Input,
    /// Test that its input is, or is derived from.
    pub test: Option<u32>,
}

impl PastRun {
    /// Returns its memory, in bytes.
    fn bytes(&self) -> u64 {
        let objects = self.input.objects.len() * size_of::<Object>();
        (size_of::<PastRun>() + objects + self.input.len()) as u64
    }
}

/// Reason why an input is executed.
#[derive(Clone, Copy)]
pub(super) struct Cause {
    pub origin: Origin,
    /// True if it belongs to one worker, false for the initial inputs.
    pub is_requested: bool,
    pub flip: Option<Flip>,
    /// Run that the input is derived from.
    pub base: Option<RunId>,
    /// Constraints that the query left out.
    pub left_out: LeftOut,
}

/// Constraints of a path condition that a query leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// None: the run is expected to follow the path.
    Nothing,
    /// The constants of concretizations.
    Constants,
    /// Every constraint that reads a byte which the target does not.
    OtherBytes,
}

impl Cause {
    pub const GIVEN: Cause = Cause {
        origin: Origin::Given,
        is_requested: true,
        flip: None,
        base: None,
        left_out: LeftOut::Nothing,
    };
    pub const INITIAL: Cause = Cause { is_requested: false, ..Cause::GIVEN };
    pub const MUTATION: Cause = Cause { origin: Origin::Mutation, ..Cause::GIVEN };
    pub const RANDOM: Cause = Cause { origin: Origin::Random, ..Cause::GIVEN };
}

impl<'a> Campaign<'a> {
    /// Creates the state, and resumes the campaign in `directory` if there is one.
    pub fn new(
        settings: &'a Settings,
        program: &'a Program,
        workers: usize,
        directory: Option<CampaignDirectory>,
        observer: &'a mut dyn Observer,
    ) -> Result<Campaign<'a>, CampaignError> {
        if settings.inputs.is_empty() {
            return Err(CampaignError::NoInput);
        }
        let search = Search::new(settings, program, workers)?;
        let (directory, cursor) = match directory {
            Some(directory) => {
                let (files, cursor) = directory.begin(settings)?;
                (Some(files), cursor)
            }
            None => (None, Cursor::live(None)),
        };
        let mut campaign = Campaign {
            settings,
            program,
            observer,
            known: Knowledge::new(settings, program),
            search,
            store: Store::new(settings, directory),
            counters: Counters::new(),
            cursor,
            coordination: Coordination::default(),
        };
        campaign.reserve_numbers()?;
        campaign.restore_sanitized_findings();
        campaign.start_reference_builds();
        campaign.write_status()?;
        Ok(campaign)
    }

    /// Ends the campaign: waits for the reference builds, writes the last files, and returns the summary.
    pub fn finish(mut self, ended: Result<StopReason, CampaignError>) -> Result<Summary, CampaignError> {
        let stop = ended?;
        self.counters.notes.stop = stop;
        if !self.cursor.is_live() {
            // The figures would be those of a part of the recorded campaign.
            return Err(match stop {
                StopReason::Memory => CampaignError::Memory,
                _ => CampaignError::Interrupted,
            });
        }
        self.write_status()?;
        self.counters.search_time = Some(self.cursor.elapsed());
        self.wait_for_reference_builds(stop)?;
        self.write_status()?;
        self.write_snapshot(true)?;
        Ok(self.final_summary())
    }

    /// True if no run was completed so far.
    pub fn is_first_run(&self) -> bool {
        self.known.past_runs.is_empty() && self.counters.notes.forgotten_runs == 0
    }

    /// True if there is only one worker.
    pub fn is_single_worker(&self) -> bool {
        self.search.strategies.len() == 1
    }

    /// Numbers new files after those in the directory.
    fn reserve_numbers(&mut self) -> Result<(), CampaignError> {
        if let Some(directory) = &self.store.directory {
            self.store.corpus.reserve(directory.free_numbers()?);
        }
        Ok(())
    }

    /// Returns the reason to stop, if there is one: interruption, the end of another worker, or a budget.
    pub fn must_stop(&self) -> Option<StopReason> {
        if self.settings.stop.load(Ordering::Relaxed) {
            return Some(StopReason::Interrupted);
        }
        if self.coordination.ended.is_some() {
            return self.coordination.ended;
        }
        if self.is_spent() {
            return Some(StopReason::Executions);
        }
        self.is_time_up().then_some(StopReason::Time)
    }

    /// Returns the budget of executions; none while a journal is replayed.
    pub fn execution_budget(&self) -> Option<u64> {
        self.cursor.when_live(self.settings.execs)
    }

    /// True if the budget of executions is spent.
    pub fn is_spent(&self) -> bool {
        self.execution_budget().is_some_and(|budget| self.counters.executions >= budget)
    }

    /// True if the pending runs of workers may spend the rest of the budget of executions.
    pub fn is_budget_reserved(&self) -> bool {
        let pending = self.coordination.pending_runs;
        pending > 0 && self.execution_budget().is_some_and(|most| self.counters.executions + pending >= most)
    }

    /// Returns the rest of the time budget; None if there is none, or while a journal is replayed.
    fn time_left(&self) -> Option<Duration> {
        let spent = self.settings.time_gone + self.cursor.elapsed();
        self.cursor.when_live(self.settings.time).map(|time| time.saturating_sub(spent))
    }

    /// True if the time budget is spent.
    pub fn is_time_up(&self) -> bool {
        self.time_left() == Some(Duration::ZERO)
    }

    /// Returns the deadline for all work: the end of the time budget, or an interruption by the user.
    pub fn deadline(&self) -> Deadline {
        let interrupt = Deadline::interrupted_by(self.settings.stop.clone());
        self.time_left().map_or(interrupt.clone(), |left| interrupt.within(left))
    }
}

impl Knowledge {
    fn new(settings: &Settings, program: &Program) -> Knowledge {
        let mut dictionary = Dictionary::default();
        settings.dictionary.iter().for_each(|string| dictionary.add(string));
        for string in program.strings() {
            dictionary.add_from(TokenOrigin::Program, string);
        }
        Knowledge {
            dag: Dag::new(),
            tree: Tree::new(program),
            coverage: Coverage::new(program),
            path_ends: HashSet::new(),
            past_runs: Vec::new(),
            input_bytes: 0,
            times_forgotten: 0,
            tests: Vec::new(),
            callees: SeenCallees::default(),
            dictionary: Arc::new(dictionary),
            counted_comparisons: CountedComparisons::default(),
            pieces: PieceModels::default(),
            unused_objects: readable_objects(&settings.inputs[0]),
            oracle: Oracle::default(),
            diagnosis: Diagnosis::default(),
            query_costs: QueryCosts::default(),
        }
    }

    /// Returns the coverage of a replayed run, corrected by its record: of the user's branches that were
    /// uncovered, it covers those that it covered then. The kept tests show just these.
    pub fn recorded_coverage(&self, program: &Program, covered: &[u8], result: &RunResult) -> Vec<u8> {
        let is_users = |branch| program.site_of(branch).is_some_and(|(site, _)| program.site(site).counted);
        let is_known = |index: usize| {
            let branch = BranchId(index as u32);
            self.coverage.is_covered(branch) || !is_users(branch)
        };
        let mut bytes = covered.to_vec();
        bytes.resize(program.branch_count() as usize, 0);
        for (index, byte) in bytes.iter_mut().enumerate().filter(|(_, byte)| **byte != 0) {
            *byte = u8::from(is_known(index));
        }
        for branch in &result.new_branches {
            if let Some(byte) = bytes.get_mut(*branch as usize) {
                *byte = 1;
            }
        }
        bytes
    }

    /// Adds the path of a run; true if no earlier run took it.
    pub fn add_path(&mut self, added: &AddedRun) -> bool {
        let last = added.nodes.last().zip(added.sides.last());
        self.path_ends.insert(last.map(|(&node, &side)| Flip { node, side }))
    }

    /// Adds a run that is in the tree.
    pub fn add_past_run(&mut self, run: PastRun) {
        self.input_bytes += run.bytes();
        self.past_runs.push(run);
    }

    /// Returns the memory of what grows with every run, in bytes.
    pub fn bytes(&self) -> u64 {
        self.dag.bytes() + self.tree.bytes() as u64 + self.input_bytes
    }

    /// Removes the input objects that the new decisions of a run depend on from the unused ones.
    pub fn mark_used_objects(&mut self, path: &Path, added: &AddedRun) {
        if self.unused_objects.is_empty() {
            return;
        }
        // A concretization may pass several nodes.
        let known = added.first_new.saturating_sub(added.nodes.len() - path.steps.len());
        for step in path.steps.iter().skip(known) {
            for byte in self.dag.inputs(step.value) {
                self.unused_objects.remove(&byte.object);
            }
        }
    }
}

impl Search {
    fn new(settings: &Settings, program: &Program, workers: usize) -> Result<Search, UnknownStrategy> {
        let strategy = |_| Ok(TimedStrategy::new(cairn_search::create(&settings.strategy, program)?));
        Ok(Search {
            strategies: (0..workers).map(strategy).collect::<Result<_, UnknownStrategy>>()?,
            coverage: None,
            solver_stats: vec![Stats::default(); workers],
            relaxed: RelaxedQueries::default(),
            optimistic: OptimisticQueries::default(),
            deferred: DeferredFlips::new(settings.solver_limit),
            account: EffortAccount::default(),
            fill: FillChoice::default(),
            run_limit: RunLimit::default(),
            mutation: MutationAccount::default(),
            hang_exits: HangExits::default(),
            memory: MemoryMonitor::new(settings.memory),
            cache_drops: 0,
        })
    }

    /// Notifies every strategy of a run by worker `by`; initial runs, by none, count as each strategy's own.
    pub fn notify_run(&mut self, run: RunView, by: Option<WorkerId>) {
        for (worker, strategy) in self.strategies.iter_mut().enumerate() {
            strategy.on_run(&RunView { own: by.is_none_or(|by| by.index() == worker), ..run });
        }
    }

    /// Merges the coverage of a run; returns what was new to the strategies, if that is not the same as what was
    /// new to the campaign.
    pub fn merge_coverage(&mut self, covered: &[u8]) -> Option<Vec<BranchId>> {
        self.coverage.as_mut().map(|coverage| coverage.merge(covered))
    }

    /// Makes suspended flips untried again.
    pub fn resume(&mut self, tree: &mut Tree, flips: &[Flip]) {
        for strategy in &mut self.strategies {
            strategy.on_resumed(tree, flips);
        }
        flips.iter().for_each(|flip| tree.resume(*flip));
    }
}

impl Store {
    fn new(settings: &Settings, directory: Option<CampaignFiles>) -> Store {
        Store {
            directory,
            corpus: Corpus::default(),
            triage: Triage::new(settings.program.clone()),
            ledger: Ledger::default(),
            reference_builds: None,
            sync: settings.sync.clone().map(SyncImporter::new),
            last_status: Instant::now(),
            next_snapshot: Instant::now(),
        }
    }

    /// Returns the number of distinct findings in a folder.
    pub fn distinct_findings(&self, folder: TestFolder) -> u64 {
        let (same, own) = self.ledger.correction(folder);
        self.corpus.faults(folder).saturating_sub(same) + own
    }
}

impl Counters {
    fn new() -> Counters {
        Counters {
            executions: 0,
            divergences: 0,
            lost_in_a_row: 0,
            notes: Notes::default(),
            coverage_curve: Vec::new(),
            search_time: None,
        }
    }

    /// Counts a gap that a run has shown.
    pub fn count_gap(&mut self, gap: Gap, count: u64) {
        let notes = &mut self.notes;
        let counter = match gap {
            Gap::Limit => &mut notes.limit_runs,
            Gap::Killed => &mut notes.killed_runs,
            Gap::Cut => &mut notes.cut_runs,
            Gap::Damaged => &mut notes.damaged_runs,
            Gap::LostValue => &mut notes.lost_values,
            Gap::Overwritten => &mut notes.overwritten,
            Gap::ChildProcess => &mut notes.forked_runs,
            Gap::Threads => &mut notes.threaded_runs,
            Gap::Nondeterministic => &mut notes.nondeterministic_runs,
            Gap::Diverged => &mut self.divergences,
            // Counted where they occur, or no property of a run.
            Gap::NoRun
            | Gap::AllRejected
            | Gap::UnusedInput
            | Gap::Slow
            | Gap::LostRun
            | Gap::Mismatch
            | Gap::Unanswered
            | Gap::Concretized
            | Gap::Suspended
            | Gap::Forgotten
            | Gap::Untried
            | Gap::Unchecked => return,
        };
        *counter += count;
    }

    /// Counts the recorded gaps of a run that its replay does not show: a resumed campaign claims no more
    /// than before.
    pub fn count_recorded_gaps(&mut self, result: Option<&RunResult>, found: &[Gap]) {
        let missing = result.into_iter().flat_map(|result| &result.gaps).filter(|gap| !found.contains(gap));
        missing.for_each(|gap| self.count_gap(*gap, 1));
    }
}

/// Returns the input objects that a program has to read itself: bytes of arguments and named objects have
/// labels from the start.
fn readable_objects(input: &Input) -> BTreeSet<u32> {
    let objects = (0..).zip(&input.objects);
    objects.filter(|(_, object)| object.kind.may_be_unread()).map(|(index, _)| index).collect()
}
