//! The loop itself: what a campaign knows, and the workers that add to it.

use crate::behind_pins::{BehindPins, leaves_at_pin};
use crate::callees::Callees;
use crate::chooser::Chooser;
use crate::corpus::{Corpus, Keep, Origin, TestFolder};
use crate::damage;
use crate::diagnosis::Diagnosis;
use crate::directory::{CampaignDirectory, DirectoryError};
use crate::executor::{Execution, Executor};
use crate::findings::Findings;
use crate::gaps::{Gap, GapCounts};
use crate::insistence::Insistence;
use crate::journal::{Base, Chronicle, Delta, Seen, WorkerId};
use crate::memory::Memory;
use crate::observer::{Event, Observer, Progress};
use crate::oracle::Oracle;
use crate::path::Path;
use crate::prediction::Divergence;
use crate::settings::Settings;
use crate::snapshot::Milestone;
use crate::summary::{Notes, StopReason, Summary};
use crate::sync::Sync;
use crate::triage::Triage;
use crate::turn::Table;
use crate::witness::Witness;
use cairn_deadline::Deadline;
use cairn_exec::{ExitKind, Input, RunError, StartError};
use cairn_expr::Dag;
use cairn_program::{BranchId, FunctionId, Program};
use cairn_search::{Cost, RunView, UnknownStrategy};
use cairn_solver::{Solver, Stats};
use cairn_tree::{AddedRun, Coverage, Flip, RunId, Tree};
use cairn_wire::ObjectKind;
use crowd::Crowd;
use perform::{Shown, Went};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use thiserror::Error;
use worker::Worker;

mod ask;
mod confirm;
mod crew;
mod crowd;
mod examine;
mod perform;
mod survey;
mod worker;

pub use crew::{WorkerPool, run_workers};

/// Divergences that are remembered.
const MAX_DIVERGENCES: usize = 20;
/// Time between two notes in the campaign directory.
const NOTE_INTERVAL: Duration = Duration::from_secs(5);

/// Why a campaign could not go on.
#[derive(Debug, Error)]
pub enum CampaignError {
    /// There is no such strategy.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
    /// There was nothing to begin with.
    #[error("a campaign needs an input to begin with")]
    NoInput,
    /// The target cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The target cannot be started anew.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It was stopped from outside on the way back to where it had been.
    #[error(
        "interrupted before the campaign was back where it had been: it can still be resumed, and nothing is lost"
    )]
    Interrupted,
    /// There is less memory than it takes to go back to where it had been.
    #[error("the campaign takes more memory than this to go back to where it had been: see --driver-memory")]
    Memory,
    /// The campaign directory cannot be written.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// Makes one campaign, with one worker: this thread.
pub fn run(
    settings: &Settings,
    program: &Program,
    executor: &mut dyn Executor,
    solver: &mut dyn Solver,
    directory: Option<CampaignDirectory>,
    observer: &mut dyn Observer,
) -> Result<Summary, CampaignError> {
    let table = Table::new(Campaign::new(settings, program, 1, directory, observer)?);
    let ended = Worker::new(WorkerId::FIRST, &table, executor, solver).explore_from_the_start();
    table.into_state().finish(ended)
}

/// A run that is in the tree.
struct PastRun {
    input: Input,
    /// The test it is, or was made from.
    test: Option<u32>,
}

/// Why an input is run.
#[derive(Clone, Copy)]
struct Cause {
    origin: Origin,
    /// Whether it is one worker's own affair, and not what all begin with.
    asked: bool,
    flip: Option<Flip>,
    base: Option<RunId>,
    /// Whether the constants of pins were left open when the input was asked for.
    any_constants: bool,
}

impl Cause {
    const GIVEN: Cause =
        Cause { origin: Origin::Given, asked: true, flip: None, base: None, any_constants: false };
    const FIRST: Cause = Cause { asked: false, ..Cause::GIVEN };
    const RANDOM: Cause = Cause { origin: Origin::Random, ..Cause::GIVEN };
}

/// Why a run was made, for the searches.
struct Wish {
    /// The worker whose search asked for it; nobody's if it is one to begin with.
    by: Option<WorkerId>,
    flip: Option<Flip>,
    predicted: bool,
    cost: Cost,
}

/// What is known, and who hears of it. A worker has all of it for itself while it decides and takes in what came of it.
struct Campaign<'a> {
    settings: &'a Settings,
    program: &'a Program,
    directory: Option<CampaignDirectory>,
    observer: &'a mut dyn Observer,
    /// By worker: each has a search of its own, on the one tree.
    strategies: Vec<Chooser>,
    /// By worker: what its solver has done.
    solved: Vec<Stats>,
    chronicle: Chronicle,
    dag: Dag,
    tree: Tree,
    coverage: Coverage,
    corpus: Corpus,
    oracle: Oracle,
    collector: Diagnosis,
    behind_pins: BehindPins,
    insistence: Insistence,
    memory: Memory,
    triage: Triage,
    findings: Findings,
    witness: Option<Witness>,
    callees: Callees,
    sync: Option<Sync>,
    /// By run id.
    past: Vec<PastRun>,
    executions: u64,
    /// Input objects that no decision depends on so far.
    unused_objects: BTreeSet<u32>,
    divergences: u64,
    lost_in_a_row: u32,
    notes: Notes,
    /// When the directory was written last.
    noted: Instant,
    /// What exploring took, once it is over.
    over: Option<Duration>,
    /// When coverage grew.
    curve: Vec<Milestone>,
    /// When a snapshot may be taken again.
    next_survey: Instant,
    /// How often solvers were to let go of what they remember.
    forgotten: u32,
    /// What questions may take that are insisted on.
    insists: Option<Duration>,
    crowd: Crowd,
}

impl<'a> Campaign<'a> {
    fn new(
        settings: &'a Settings,
        program: &'a Program,
        workers: usize,
        mut directory: Option<CampaignDirectory>,
        observer: &'a mut dyn Observer,
    ) -> Result<Campaign<'a>, CampaignError> {
        if settings.inputs.is_empty() {
            return Err(CampaignError::NoInput);
        }
        let strategy = |_| Ok(Chooser::new(cairn_search::create(&settings.strategy, program)?));
        let strategies = (0..workers).map(strategy).collect::<Result<_, UnknownStrategy>>()?;
        let chronicle = match &mut directory {
            Some(directory) => directory.chronicle(settings)?,
            None => Chronicle::new(None),
        };
        let mut campaign = Campaign {
            strategies,
            solved: vec![Stats::default(); workers],
            chronicle,
            dag: Dag::new(),
            tree: Tree::new(program),
            coverage: Coverage::new(program),
            corpus: Corpus::default(),
            oracle: Oracle::default(),
            collector: Diagnosis::default(),
            behind_pins: BehindPins::default(),
            insistence: Insistence::default(),
            memory: Memory::new(settings.memory),
            triage: Triage::new(settings.program.clone()),
            findings: Findings::default(),
            witness: None,
            callees: Callees::default(),
            sync: settings.sync.clone().map(Sync::new),
            past: Vec::new(),
            executions: 0,
            unused_objects: unused_objects(&settings.inputs[0]),
            divergences: 0,
            lost_in_a_row: 0,
            notes: Notes::default(),
            noted: Instant::now(),
            over: None,
            curve: Vec::new(),
            next_survey: Instant::now(),
            forgotten: 0,
            insists: None,
            crowd: Crowd::default(),
            settings,
            program,
            directory,
            observer,
        };
        campaign.reserve_numbers()?;
        campaign.recall_sanitized();
        campaign.call_witness();
        campaign.note()?;
        Ok(campaign)
    }

    /// What there is to say at the end.
    fn finish(mut self, ended: Result<StopReason, CampaignError>) -> Result<Summary, CampaignError> {
        self.notes.stop = ended?;
        if self.chronicle.rebuilding().is_some() {
            // Its figures would be those of a part of what it has.
            return Err(match self.notes.stop {
                StopReason::Memory => CampaignError::Memory,
                _ => CampaignError::Interrupted,
            });
        }
        self.note()?;
        self.over = Some(self.chronicle.elapsed());
        self.wait_for_witness(self.notes.stop)?;
        self.note()?;
        self.survey(true)?;
        Ok(self.end())
    }

    /// Whether there is one worker only.
    fn is_alone(&self) -> bool {
        self.strategies.len() == 1
    }

    /// New files get numbers behind those of the files that are there.
    fn reserve_numbers(&mut self) -> Result<(), CampaignError> {
        if let Some(directory) = &self.directory {
            self.corpus.reserve(directory.numbers()?);
        }
        Ok(())
    }

    fn must_stop(&self) -> Option<StopReason> {
        if self.settings.stop.load(Ordering::Relaxed) {
            return Some(StopReason::Interrupted);
        }
        if self.crowd.ended.is_some() {
            return self.crowd.ended;
        }
        if self.chronicle.rebuilding().is_some() {
            return None;
        }
        if self.is_spent() {
            return Some(StopReason::Executions);
        }
        self.is_time_up().then_some(StopReason::Time)
    }

    /// Whether all executions are made.
    fn is_spent(&self) -> bool {
        self.settings.execs.is_some_and(|most| self.executions >= most)
    }

    /// Whether all executions that are left may be made by what workers are at.
    fn is_budget_promised(&self) -> bool {
        let promised = self.executions + self.crowd.undecided;
        self.crowd.undecided > 0 && self.settings.execs.is_some_and(|most| promised >= most)
    }

    /// What is left of the time that was given; nothing if none was, or if what is done now was done before.
    fn time_left(&self) -> Option<Duration> {
        let is_past = self.chronicle.rebuilding().is_some();
        let gone = self.settings.time_gone + self.chronicle.elapsed();
        self.settings.time.filter(|_| !is_past).map(|time| time.saturating_sub(gone))
    }

    fn is_time_up(&self) -> bool {
        self.time_left() == Some(Duration::ZERO)
    }

    /// When all work is to end: the time that was given is up, or the user wants an end.
    fn deadline(&self) -> Deadline {
        let interrupt = Deadline::interrupted_by(self.settings.stop.clone());
        self.time_left().map_or(interrupt.clone(), |left| interrupt.within(left))
    }

    /// Remembers when coverage grew.
    fn mark_growth(&mut self, new_branches: &[BranchId]) {
        if !new_branches.is_empty() {
            let covered = self.coverage.covered();
            self.curve.push(Milestone::new(self.executions, self.chronicle.elapsed(), covered));
        }
    }

    /// What a run of the past covered: of the user's branches that nobody had taken, those it took then. The tests show
    /// just these.
    fn covered_before(&self, covered: &[u8], seen: &Seen) -> Vec<u8> {
        let is_users =
            |branch| self.program.site_of(branch).is_some_and(|(site, _)| self.program.site(site).counted);
        let is_known = |index: usize| {
            let branch = BranchId(index as u32);
            self.coverage.is_covered(branch) || !is_users(branch)
        };
        let mut bytes = covered.to_vec();
        bytes.resize(self.program.branch_count() as usize, 0);
        for (index, byte) in bytes.iter_mut().enumerate().filter(|(_, byte)| **byte != 0) {
            *byte = u8::from(is_known(index));
        }
        for branch in &seen.new_branches {
            if let Some(byte) = bytes.get_mut(*branch as usize) {
                *byte = 1;
            }
        }
        bytes
    }

    /// Writes a run down in the journal.
    fn write_down(
        &mut self,
        worker: WorkerId,
        cause: Cause,
        input: &Input,
        seen: Option<Seen>,
    ) -> Result<(), CampaignError> {
        let nothing = Input::default();
        let base = self.past.get(cause.base.map_or(0, RunId::index)).map_or(&nothing, |run| &run.input);
        let base = Base { run: cause.base.map(|run| run.index() as u32), input: base };
        Ok(self.chronicle.note_run(worker, cause.origin, base, input, seen)?)
    }

    /// Classifies a run that left the predicted path at this index.
    fn went_off(&self, flip: Flip, at: usize, run: &AddedRun, end: ExitKind, cause: Cause) -> Went {
        match cause.any_constants && leaves_at_pin((&self.tree, &self.dag), flip, at, run, end) {
            true => Went::BehindPin,
            false => Went::Elsewhere,
        }
    }

    /// A run that wrote over its coverage may have claimed every branch: no later test must be lost by that.
    fn distrust(&self, execution: &mut Execution, path: &mut Path) {
        let coverage = &mut execution.run.coverage;
        path.damaged |= execution.run.flags.damaged;
        if !damage::is_sane(self.program, coverage) {
            path.damaged = true;
            *coverage = damage::coverage_of(self.program, &path.steps);
        }
        if path.damaged {
            execution.trace.callees.clear();
        }
    }

    /// Counts what there is to know of a run; returns why its path is not all there is to know.
    fn count(&mut self, execution: &Execution, path: &Path, added: &AddedRun) -> Vec<Gap> {
        let (flags, end) = (execution.run.flags, execution.run.end);
        let cut = path.cut || flags.labels_full || flags.events_full || flags.objects_full;
        let seen = [
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
        let seen = seen.into_iter().filter(|(_, count)| *count > 0);
        let gaps = seen.inspect(|(gap, count)| self.count_gap(*gap, *count)).map(|(gap, _)| gap).collect();
        self.notes.reused_runs += u64::from(execution.run.reused);
        self.notes.most_labels = self.notes.most_labels.max(execution.trace.label_count);
        if let Some(file) = &execution.run.denied {
            self.notes.denied_runs += 1;
            self.notes.denied_file.get_or_insert_with(|| file.clone());
        }
        self.notes.rejected_runs += u64::from(end == ExitKind::Rejected);
        self.notes.full_logs += u64::from(flags.log_full);
        self.notes.missing_logs +=
            u64::from(self.strategies[0].wants_branch_log() && execution.trace.log.is_none());
        if path.damaged {
            self.tell(&Event::Damaged);
        }
        gaps
    }

    /// Counts what keeps one run from being known whole.
    fn count_gap(&mut self, gap: Gap, count: u64) {
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
            | Gap::AllRefused
            | Gap::UnusedInput
            | Gap::Slow
            | Gap::LostRun
            | Gap::Mismatch
            | Gap::Unanswered
            | Gap::Concretized
            | Gap::Suspended
            | Gap::Untried => return,
        };
        *counter += count;
    }

    /// Counts gaps of a run of the past that the same run does not show when it is made again: a resumed campaign
    /// claims no more than it could before.
    fn recall_gaps(&mut self, seen: Option<&Seen>, found: &[Gap]) {
        let missing = seen.into_iter().flat_map(|seen| &seen.gaps).filter(|gap| !found.contains(gap));
        missing.for_each(|gap| self.count_gap(*gap, 1));
    }

    /// Strikes off the input objects that the new decisions of a run depend on.
    fn note_used_objects(&mut self, path: &Path, added: &AddedRun) {
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

    /// Tells all searches of a run that a worker has made; of one that nobody asked for as if each had.
    fn tell_strategies(
        &mut self,
        added: &AddedRun,
        (covered, new_branches, callees): (&[u8], &[BranchId], &[(u64, FunctionId)]),
        wish: Wish,
    ) {
        for (worker, strategy) in self.strategies.iter_mut().enumerate() {
            strategy.on_run(&RunView {
                tree: &self.tree,
                program: self.program,
                run: added.run,
                nodes: &added.nodes,
                sides: &added.sides,
                first_new: added.first_new,
                new_branches,
                callees,
                covered,
                flip: wish.flip,
                predicted: wish.predicted,
                cost: wish.cost,
                own: wish.by.is_none_or(|wisher| wisher.index() == worker),
            });
        }
    }

    /// Writes a run down in the journal.
    fn note_run(
        &mut self,
        worker: WorkerId,
        shown: &Shown,
        input: &Input,
        kept: Vec<Keep>,
        cause: Cause,
    ) -> Result<(), CampaignError> {
        let seen = Seen {
            input: (shown.given != input).then(|| Delta::new(shown.given, input)),
            timeout: shown.timeout,
            new_branches: shown.new_branches.iter().map(|branch| branch.0).collect(),
            kept,
            gaps: shown.gaps.to_vec(),
        };
        self.write_down(worker, cause, shown.given, Some(seen))
    }

    /// Counts a divergence; `after` is the last loss before it.
    fn diverged(&mut self, flip: Flip, at: usize, run: &AddedRun, after: Option<String>) {
        self.divergences += 1;
        let model = (&self.tree, self.program);
        let divergence = Divergence::explain(model, self.executions, flip, at, run);
        self.notes.divergence_causes.count(after, &divergence.place);
        self.tell(&Event::Diverged(&divergence));
        if self.notes.divergences.len() < MAX_DIVERGENCES {
            self.notes.divergences.push(divergence);
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            executions: self.executions,
            elapsed: self.chronicle.elapsed(),
            rebuilding: self.chronicle.rebuilding(),
            branches_total: self.program.counted_branches(),
            branches_covered: self.coverage.covered() as u64,
            tests: self.corpus.tests(),
            crashes: self.different(TestFolder::Crashes, self.corpus.crashes()),
            hangs: self.different(TestFolder::Hangs, self.corpus.hangs()),
            confirmed: self.findings.different().filter(|entry| entry.finding.confirmed).count() as u64,
            divergences: self.divergences,
            choosing: self.strategies.iter().map(|strategy| strategy.time).sum(),
            relaxed_runs: self.behind_pins.runs,
            untried: self.tree.untried() as u64,
            solver: self.solved.iter().copied().sum(),
            gaps: GapCounts::of(&self.tree, self.executions, self.divergences, &self.notes)
                .without_reserved(self.crowd.reserved),
            restarts: self.notes.restarts,
        }
    }

    /// Notes the figures of gaps that are kept elsewhere.
    fn note_gaps(&mut self) {
        self.notes.pins = self.tree.open_concretizations() as u64;
        self.notes.unused_objects = self.unused_objects.len() as u64;
        self.notes.mismatches = self.oracle.mismatches;
    }

    /// What the first worker's search does: those of the others are its like.
    fn tell_description(&mut self) {
        if let Some(description) = self.strategies[0].new_description() {
            self.tell(&Event::Strategy { description: &description });
        }
    }

    /// Different findings in a place, of which so many were kept.
    fn different(&self, place: TestFolder, kept: u64) -> u64 {
        let (same, own) = self.findings.correction(place);
        kept.saturating_sub(same) + own
    }

    fn tell(&mut self, event: &Event) {
        self.note_gaps();
        let progress = self.progress();
        self.observer.on_event(event, &progress);
    }

    /// Writes down where the campaign stands, if that was some time ago.
    fn note_now_and_then(&mut self) -> Result<(), CampaignError> {
        if self.noted.elapsed() >= NOTE_INTERVAL { self.note() } else { Ok(()) }
    }

    /// Writes down where the campaign stands, unless it was there before.
    fn note(&mut self) -> Result<(), CampaignError> {
        self.noted = Instant::now();
        if self.chronicle.rebuilding().is_some() {
            return Ok(());
        }
        self.chronicle.sync()?;
        let progress = self.progress();
        if let Some(directory) = &mut self.directory {
            directory.note(&progress, self.settings)?;
        }
        self.survey_now_and_then()
    }

    fn end(mut self) -> Summary {
        if self.settings.diagnose {
            let collector = std::mem::take(&mut self.collector);
            self.notes.reasons =
                collector.reasons(self.program, &self.coverage, &self.notes, self.divergences);
        }
        self.summary()
    }

    fn summary(&mut self) -> Summary {
        self.note_gaps();
        self.notes.checked_values = self.oracle.checked;
        self.notes.first_mismatch = self.oracle.first.clone();
        self.notes.crash_inputs = self.corpus.files(TestFolder::Crashes);
        self.notes.hang_inputs = self.corpus.files(TestFolder::Hangs);
        self.notes.found = self.findings.different().map(|entry| entry.finding.clone()).collect();
        let asked = (self.settings.strategy.as_str(), self.settings.seed);
        let mut progress = self.progress();
        progress.elapsed = self.over.unwrap_or(progress.elapsed);
        Summary::new(&progress, asked, &self.tree, self.notes.clone())
    }
}

/// The objects that a program reads by itself, if at all: bytes of arguments and named objects have labels from the start.
fn unused_objects(input: &Input) -> BTreeSet<u32> {
    let is_read = |kind| matches!(kind, ObjectKind::Stdin | ObjectKind::File | ObjectKind::ArgCount);
    (0..).zip(&input.objects).filter(|(_, object)| is_read(object.kind)).map(|(index, _)| index).collect()
}
