//! The loop itself.

use crate::behind_pins::{BehindPins, leaves_at_pin};
use crate::callees::Callees;
use crate::check::Oracle;
use crate::chooser::Chooser;
use crate::corpus::{Candidate, Corpus, Keep, Origin, Place};
use crate::damage;
use crate::diagnosis::Collector;
use crate::directory::{CampaignDirectory, DirectoryError};
use crate::executor::{Execution, Executor};
use crate::insistence::Insistence;
use crate::journal::{Asked, Base, Chronicle, Delta, OldRun, Recalled, Seen, Timeout, Told, question};
use crate::memory::{Level, Memory};
use crate::observer::{Event, Observer, Progress};
use crate::path::{Path, path};
use crate::prediction::{Divergence, first_difference};
use crate::settings::Settings;
use crate::summary::{Astray, Notes, Stop, Summary};
use crate::sync::Sync;
use crate::testcase::{fit, read_test};
use crate::trails::trails;
use crate::triage::Triage;
use crate::unread::randomise;
use crate::untold::add_untold_pins;
use cairn_exec::{End, Input, Mode, RunError, StartError};
use cairn_expr::{Dag, ExprId};
use cairn_program::{BranchId, FunctionId, Program};
use cairn_search::{Cost, Next, Outcome, Rng, RunView, UnknownStrategy};
use cairn_solver::{Answer, ByteCollector, Limits, Model, Query, Solver};
use cairn_tree::{AddedRun, Coverage, Flip, FlipState, RunId, Tree};
use cairn_wire::ObjectKind;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use thiserror::Error;

mod examine;

/// Times an input is run if the target's server does not survive it.
const ATTEMPTS: u32 = 3;
/// Inputs in a row that may be lost before the campaign gives up.
const MAX_LOST_IN_A_ROW: u32 = 10;
/// Divergences that are remembered.
const MAX_DIVERGENCES: usize = 20;
/// Time between two notes in the campaign directory.
const NOTE_INTERVAL: Duration = Duration::from_secs(5);
/// A question that took so long is not asked again when the campaign goes on later. All others are, and what the solver
/// remembers is then what it was.
const LONG_QUESTION: Duration = Duration::from_millis(50);

/// Time between two looks at the clock while there is nothing to do but to wait for others.
const WAIT: Duration = Duration::from_millis(100);

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

/// Makes one campaign.
pub fn run(
    settings: &Settings,
    program: &Program,
    executor: &mut dyn Executor,
    solver: &mut dyn Solver,
    mut directory: Option<CampaignDirectory>,
    observer: &mut dyn Observer,
) -> Result<Summary, CampaignError> {
    if settings.inputs.is_empty() {
        return Err(CampaignError::NoInput);
    }
    let strategy = Chooser::new(cairn_search::create(&settings.strategy, program)?);
    let chronicle = match &mut directory {
        Some(directory) => directory.chronicle(settings)?,
        None => Chronicle::new(None),
    };
    let mut campaign = Campaign {
        strategy,
        chronicle,
        rng: Rng::new(settings.seed),
        dag: Dag::new(),
        tree: Tree::new(program),
        coverage: Coverage::new(program),
        corpus: Corpus::default(),
        oracle: Oracle::default(),
        collector: Collector::default(),
        behind_pins: BehindPins::default(),
        insistence: Insistence::default(),
        memory: Memory::new(settings.memory),
        triage: Triage::new(settings.program.clone()),
        callees: Callees::default(),
        sync: settings.sync.clone().map(Sync::new),
        conditions: Vec::new(),
        bytes: ByteCollector::default(),
        past: Vec::new(),
        executions: 0,
        divergences: 0,
        lost_in_a_row: 0,
        cost: Cost::default(),
        notes: Notes::default(),
        noted: Instant::now(),
        settings,
        program,
        executor,
        solver,
        directory,
        observer,
    };
    campaign.reserve_numbers()?;
    campaign.note()?;
    campaign.notes.stop = campaign.explore()?;
    if campaign.chronicle.rebuilding().is_some() {
        // Its figures would be those of a part of what it has.
        return Err(match campaign.notes.stop {
            Stop::Memory => CampaignError::Memory,
            _ => CampaignError::Interrupted,
        });
    }
    campaign.note()?;
    Ok(campaign.summary())
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
    flip: Option<Flip>,
    base: Option<RunId>,
    /// Whether the constants of pins were left open when the input was asked for.
    any_constants: bool,
}

impl Cause {
    const GIVEN: Cause = Cause { origin: Origin::Given, flip: None, base: None, any_constants: false };
    const RANDOM: Cause = Cause { origin: Origin::Random, ..Cause::GIVEN };
}

/// What a run is kept for.
struct Shown<'a> {
    /// The input it was given.
    given: &'a Input,
    new_branches: &'a [BranchId],
    /// How it was when its time was up, if it was.
    timeout: Option<Timeout>,
    /// The same of a run of the past.
    seen: Option<Seen>,
}

/// Where a run went that was made for a flip.
enum Went {
    /// Along the path to the flip, and there to the other side.
    There,
    /// Off the path at a pin whose constant was left open.
    BehindPin,
    /// Elsewhere.
    Elsewhere,
    /// Nobody knows.
    Unknown,
}

struct Campaign<'a> {
    settings: &'a Settings,
    program: &'a Program,
    executor: &'a mut dyn Executor,
    solver: &'a mut dyn Solver,
    directory: Option<CampaignDirectory>,
    observer: &'a mut dyn Observer,
    strategy: Chooser,
    chronicle: Chronicle,
    rng: Rng,
    dag: Dag,
    tree: Tree,
    coverage: Coverage,
    corpus: Corpus,
    oracle: Oracle,
    collector: Collector,
    behind_pins: BehindPins,
    insistence: Insistence,
    memory: Memory,
    triage: Triage,
    callees: Callees,
    sync: Option<Sync>,
    /// What was asked for the last flip, its condition last.
    conditions: Vec<ExprId>,
    bytes: ByteCollector,
    /// By run id.
    past: Vec<PastRun>,
    executions: u64,
    divergences: u64,
    lost_in_a_row: u32,
    /// What the strategy's present wish has taken so far.
    cost: Cost,
    notes: Notes,
    /// When the directory was written last.
    noted: Instant,
}

impl Campaign<'_> {
    fn explore(&mut self) -> Result<Stop, CampaignError> {
        let settings = self.settings;
        for input in &settings.inputs {
            if let Some(stop) = self.must_stop() {
                return Ok(stop);
            }
            self.execute(input, Cause::GIVEN)?;
        }
        if settings.random_start && self.must_stop().is_none() {
            self.run_random()?;
        }
        loop {
            if let Some(stop) = self.must_stop() {
                return Ok(stop);
            }
            if !self.has_memory()? {
                return Ok(Stop::Memory);
            }
            self.cost = Cost::default();
            if let Some(run) = self.chronicle.given()? {
                self.repeat(run, Cause::GIVEN)?;
                continue;
            }
            if self.chronicle.rebuilding().is_none()
                && (self.take_in_stranger()? || self.take_from_others()?)
            {
                continue;
            }
            match self.strategy.next(&self.tree, &mut self.rng) {
                Next::Done if self.insist()? => {}
                Next::Done if self.chronicle.rebuilding().is_some() => self.go_astray()?,
                Next::Done if self.wait_for_others()? => {}
                Next::Done => return Ok(Stop::Done),
                Next::Flip { flip, base } => self.try_flip(flip, base)?,
                Next::SetAside(flips) => flips.into_iter().for_each(|flip| self.tree.set_aside(flip)),
                Next::Revive(flips) => {
                    self.strategy.on_revived(&self.tree, &flips);
                    flips.into_iter().for_each(|flip| self.tree.revive(flip));
                }
                Next::Restart => self.run_random()?,
            }
        }
    }

    /// New files get numbers behind those of the files that are there.
    fn reserve_numbers(&mut self) -> Result<(), CampaignError> {
        if let Some(directory) = &self.directory {
            self.corpus.reserve(directory.numbers()?);
        }
        Ok(())
    }

    /// Runs the next file that the journal does not tell of, since it was damaged; false if there is none.
    fn take_in_stranger(&mut self) -> Result<bool, CampaignError> {
        let Some(path) = self.directory.as_mut().and_then(CampaignDirectory::next_stranger) else {
            return Ok(false);
        };
        let blank = &self.settings.inputs[0];
        if let Ok(test) = read_test(&path, blank) {
            let before = self.corpus.all_files();
            self.execute(&fit(test, blank), Cause::GIVEN)?;
            // It has a new name now.
            if self.corpus.all_files() > before {
                let _ = std::fs::remove_file(&path);
            }
        }
        Ok(true)
    }

    /// Runs an input that another fuzzer has found; false if there is none.
    fn take_from_others(&mut self) -> Result<bool, CampaignError> {
        let Some(input) = self.sync.as_mut().and_then(|sync| sync.next(&self.settings.inputs[0])) else {
            return Ok(false);
        };
        self.notes.from_others += 1;
        self.execute(&input, Cause::GIVEN)?;
        Ok(true)
    }

    /// Waits until it is time to look what others have found; false if there are none, or no time was given to wait in.
    fn wait_for_others(&mut self) -> Result<bool, CampaignError> {
        if self.settings.time.is_none() || self.sync.is_none() {
            return Ok(false);
        }
        while self.must_stop().is_none() && !self.sync.as_ref().is_some_and(Sync::is_due) {
            std::thread::sleep(WAIT);
            self.note_now_and_then()?;
        }
        Ok(true)
    }

    /// Asks again for a flip that the solver gave up on; false if there is none, or no time that was given is left.
    fn insist(&mut self) -> Result<bool, CampaignError> {
        let is_past = self.chronicle.rebuilding().is_some();
        if self.settings.time.is_none() && !is_past {
            return Ok(false);
        }
        let mut next = self.insistence.next(&self.tree);
        if next.is_none() {
            let Some(effort) = self.insistence.begin(&self.tree) else { return Ok(false) };
            let time = self.time_to_insist(effort)?;
            self.solver.insist(Limits { time });
            next = self.insistence.next(&self.tree);
        }
        let Some(flip) = next else { return Ok(false) };
        self.pursue(flip, self.tree.creator(flip.node))?;
        Ok(true)
    }

    /// What a question may take: the effort, but not more than there is time left.
    fn time_to_insist(&mut self, effort: Duration) -> Result<Duration, CampaignError> {
        match self.chronicle.insisted()? {
            Recalled::Told(time) => return Ok(time),
            Recalled::Astray => self.go_astray()?,
            Recalled::Nothing => {}
        }
        let left =
            self.settings.time.map_or(Duration::ZERO, |time| time.saturating_sub(self.chronicle.elapsed()));
        // As the journal tells it.
        let time = Duration::from_micros(effort.min(left).as_micros() as u64);
        self.chronicle.note_insisted(time)?;
        Ok(time)
    }

    fn must_stop(&self) -> Option<Stop> {
        if self.settings.stop.load(Ordering::Relaxed) {
            return Some(Stop::Interrupted);
        }
        if self.chronicle.rebuilding().is_some() {
            return None;
        }
        if self.settings.execs.is_some_and(|most| self.executions >= most) {
            return Some(Stop::Executions);
        }
        self.is_time_up().then_some(Stop::Time)
    }

    /// What is left of the time that was given; nothing if none was, or if what is done now was done before.
    fn time_left(&self) -> Option<Duration> {
        let is_past = self.chronicle.rebuilding().is_some();
        self.settings.time.filter(|_| !is_past).map(|time| time.saturating_sub(self.chronicle.elapsed()))
    }

    fn is_time_up(&self) -> bool {
        self.time_left() == Some(Duration::ZERO)
    }

    /// Saves memory if there is little left; false if that does not help any more.
    fn has_memory(&mut self) -> Result<bool, CampaignError> {
        if self.chronicle.forgot()? {
            self.solver.forget();
        }
        match self.memory.level() {
            Level::Enough => {}
            Level::Short => {
                self.solver.forget();
                if self.chronicle.rebuilding().is_none() {
                    self.chronicle.note_forgot()?;
                }
            }
            Level::Over => return Ok(false),
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
        let mut input = self.past.last().map_or_else(Input::default, |run| run.input.clone());
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
        debug_assert!(matches!(self.tree.state(flip), FlipState::Untried | FlipState::Sat));
        let outcome = self.pursue(flip, base)?;
        self.strategy.on_outcome(flip, outcome, self.cost);
        if matches!(outcome, Outcome::Unsat | Outcome::Unknown) {
            self.tell(&Event::Unsolved);
        }
        Ok(())
    }

    /// Looks for an input that takes a flip, and runs it.
    fn pursue(&mut self, flip: Flip, base: RunId) -> Result<Outcome, CampaignError> {
        let (outcome, state) = match self.solve(flip, base)? {
            Answer::Sat(model) => match self.run_model(model, flip, base, false)? {
                Went::There => (Outcome::Taken, FlipState::Sat),
                Went::Elsewhere | Went::BehindPin => (Outcome::Diverged, FlipState::Diverged),
                Went::Unknown => (Outcome::Unknown, FlipState::Unknown),
            },
            Answer::Unsat => self.try_behind_pins(flip, base, (Outcome::Unsat, FlipState::Unsat))?,
            Answer::Unknown(_) => {
                self.collector.unanswered(self.tree.node(flip.node).site);
                self.try_behind_pins(flip, base, (Outcome::Unknown, FlipState::Unknown))?
            }
        };
        self.tree.set_state(flip, state);
        Ok(outcome)
    }

    fn solve(&mut self, flip: Flip, base: RunId) -> Result<Answer, CampaignError> {
        let prefix = self.tree.path_condition(&mut self.dag, self.program, flip.node);
        let target = self.tree.condition(&mut self.dag, self.program, flip.node, flip.side);
        let check = question(flip, self.tree.len(), false);
        let answer = self.ask(&Query { prefix: &prefix, target }, base, check)?;
        self.conditions = prefix;
        self.conditions.push(target);
        Ok(answer)
    }

    /// Asks the solver; `check` tells the question from others.
    fn ask(&mut self, query: &Query, base: RunId, check: [u8; 2]) -> Result<Answer, CampaignError> {
        match self.chronicle.asked(check)? {
            Recalled::Told(asked) => return Ok(self.ask_again(query, base, &asked)),
            Recalled::Astray => self.go_astray()?,
            Recalled::Nothing => {}
        }
        let start = Instant::now();
        if let Some(left) = self.time_left() {
            self.solver.end_by(start + left);
        }
        let answer = self.solver.solve(&self.dag, query, &self.past[base.index()].input);
        if matches!(answer, Answer::Unknown(_)) && self.is_time_up() {
            // It was not asked for as long as it should have been. If the campaign goes on later, it will be.
            return Ok(answer);
        }
        // As the journal tells it.
        let micros = start.elapsed().as_micros() as u64;
        let time = Duration::from_micros(micros);
        self.cost.solver += time;
        let told = Told::new(&answer, time >= LONG_QUESTION);
        self.chronicle.note_asked(Asked { check, micros, told })?;
        Ok(answer)
    }

    /// The answer that the solver gave before. It is asked all the same, unless that took long.
    fn ask_again(&mut self, query: &Query, base: RunId, asked: &Asked) -> Answer {
        let time = Duration::from_micros(asked.micros);
        self.cost.solver += time;
        let seed = &self.past[base.index()].input;
        if time >= LONG_QUESTION {
            let answer = asked.told.answer();
            self.solver.recall(&self.dag, query, &answer);
            return answer;
        }
        let answer = self.solver.solve(&self.dag, query, seed);
        if asked.told.is_like(&answer) { answer } else { asked.told.answer() }
    }

    /// Asks once more for a flip that had no solution, with any constants at the pins before it, and tells what became
    /// of it then.
    fn try_behind_pins(
        &mut self,
        flip: Flip,
        base: RunId,
        unsolved: (Outcome, FlipState),
    ) -> Result<(Outcome, FlipState), CampaignError> {
        if self.is_time_up() {
            return Ok(unsolved);
        }
        let Some(model) = self.solve_without_constants(flip, base)? else { return Ok(unsolved) };
        Ok(match self.run_model(model, flip, base, true)? {
            Went::There => (Outcome::Taken, FlipState::Sat),
            Went::Elsewhere => (Outcome::Diverged, FlipState::Diverged),
            // With the constant of its path it is what it was.
            Went::BehindPin => (Outcome::Diverged, unsolved.1),
            Went::Unknown => unsolved,
        })
    }

    /// An input for a flip whatever the constants of the pins before it, if there are any and it was not asked for
    /// already. Other constants of a pin itself are asked for one by one.
    fn solve_without_constants(&mut self, flip: Flip, base: RunId) -> Result<Option<Model>, CampaignError> {
        if self.tree.is_constant_choice(&self.dag, flip.node) {
            return Ok(None);
        }
        let path = self.tree.path_condition_without_constants(&mut self.dag, self.program, flip.node);
        let Some(prefix) = path else { return Ok(None) };
        let target = self.tree.condition(&mut self.dag, self.program, flip.node, flip.side);
        if !self.behind_pins.is_new(&prefix, target) {
            return Ok(None);
        }
        let check = question(flip, self.tree.len(), true);
        Ok(match self.ask(&Query { prefix: &prefix, target }, base, check)? {
            Answer::Sat(model) => Some(model),
            Answer::Unsat | Answer::Unknown(_) => None,
        })
    }

    fn run_model(
        &mut self,
        model: Model,
        flip: Flip,
        base: RunId,
        any_constants: bool,
    ) -> Result<Went, CampaignError> {
        let mut input = self.past[base.index()].input.clone();
        input.assign(model.as_slice().iter().copied());
        if self.strategy.renews_input() {
            let held = self.bytes.collect(&self.dag, self.conditions.iter().copied());
            randomise(&mut input, &held, &mut self.rng);
        }
        self.execute(
            &input,
            Cause { origin: Origin::Flip, flip: Some(flip), base: Some(base), any_constants },
        )
    }

    /// Runs an input and takes in all it shows. Tells where it went.
    fn execute(&mut self, input: &Input, cause: Cause) -> Result<Went, CampaignError> {
        match self.chronicle.ran(cause.origin, cause.base)? {
            Recalled::Told(run) => return self.repeat(run, cause),
            Recalled::Astray => self.go_astray()?,
            Recalled::Nothing => {}
        }
        self.perform(input, cause, None)
    }

    /// Makes a run of the past again.
    fn repeat(&mut self, run: OldRun, cause: Cause) -> Result<Went, CampaignError> {
        let OldRun { input, seen, seen_input } = run;
        let Some(seen) = seen else {
            self.executions += 1;
            self.notes.lost_runs += 1;
            return Ok(Went::Unknown);
        };
        let went = self.perform(&input, cause, Some(seen))?;
        let number = self.past.len() - 1;
        if self.past[number].input != seen_input {
            self.chronicle.differs(number, seen_input);
        }
        Ok(went)
    }

    /// The search does something else than it did: runs all inputs that are left in the journal, whatever led to them.
    fn go_astray(&mut self) -> Result<(), CampaignError> {
        let execution = self.executions + 1;
        let mut runs = 0;
        while let Some(run) = self.chronicle.any_run()? {
            if self.settings.stop.load(Ordering::Relaxed) {
                return Err(CampaignError::Interrupted);
            }
            self.repeat(run, Cause::GIVEN)?;
            runs += 1;
        }
        self.notes.astray.get_or_insert(Astray { execution, runs });
        Ok(())
    }

    /// Runs an input; `seen` is what it showed in the past.
    fn perform(&mut self, input: &Input, cause: Cause, seen: Option<Seen>) -> Result<Went, CampaignError> {
        self.executions += 1;
        let started = Instant::now();
        let mut execution = match self.run_target(input, seen.as_ref())? {
            Some(execution) => execution,
            // It has a number, by which later ones are told.
            None if seen.is_some() => Execution::of_nothing(input),
            None => {
                self.write_down(cause, input, None)?;
                return Ok(Went::Unknown);
            }
        };
        if execution.run.end.is_excess() && self.is_time_up() {
            // There is no time left to see whether it is only slow. If the campaign goes on later, it is run again.
            self.executions -= 1;
            return Ok(Went::Unknown);
        }
        let timeout = self.timeout(&mut execution, seen.as_ref())?;
        let slow = timeout.is_some_and(|timeout| timeout.is_only_slow);
        self.cost.run += started.elapsed();
        let mut path = path(self.program, &self.dag, &execution.trace, self.settings.max_steps);
        self.distrust(&mut execution, &mut path);
        if self.settings.check && !path.damaged {
            self.oracle.compare(&self.dag, &execution, self.executions);
        }
        let trails = trails(self.program, &self.dag, &execution.trace, path.steps.len());
        if let (Some(flip), End::Signal(_), false) = (cause.flip, execution.run.end, slow) {
            add_untold_pins(&self.tree, &self.dag, flip, &execution.run.input, &mut path.steps);
        }
        if self.settings.diagnose {
            self.collector.look(&self.dag, &execution);
        }
        let added = self.tree.add_run_with_trails(&path.steps, &trails);
        if self.strategy.wants_cores() {
            self.tree.find_cores(&self.dag, self.program);
        }
        let cut = self.count(&execution, &path, &added) || slow;
        let end = execution.run.end;
        let covered = match end {
            // What only a refused input reaches, no test will ever show.
            End::Rejected => &[],
            _ => &execution.run.coverage[..],
        };
        let new_branches = match &seen {
            Some(seen) => self.coverage.merge(&self.covered_before(covered, seen)),
            None => self.coverage.merge(covered),
        };
        let difference = cause.flip.and_then(|flip| first_difference(&self.tree, flip, &added));
        let predicted = cause.flip.is_some() && difference.is_none();
        let callees = self.callees.new_ones(self.program, &execution.trace.callees);
        self.tell_strategy(&added, (covered, &new_branches, &callees), cause, predicted);
        let shown = Shown { given: input, new_branches: &new_branches, timeout, seen };
        self.keep(execution, &path, shown, cause)?;
        self.tell(&Event::Executed { end, new_branches: &new_branches });
        self.note_now_and_then()?;
        let ends_early = |at| cut && at == added.nodes.len();
        match (cause.flip, difference) {
            (_, Some(at)) if path.damaged || ends_early(at) => Ok(Went::Unknown),
            (Some(flip), Some(at)) => Ok(self.went_off(flip, at, &added, end, cause)),
            _ => Ok(Went::There),
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
    fn write_down(&mut self, cause: Cause, input: &Input, seen: Option<Seen>) -> Result<(), CampaignError> {
        let nothing = Input::default();
        let base = self.past.get(cause.base.map_or(0, RunId::index)).map_or(&nothing, |run| &run.input);
        let base = Base { run: cause.base.map(|run| run.index() as u32), input: base };
        Ok(self.chronicle.note_run(cause.origin, base, input, seen)?)
    }

    /// A run left the path to its flip at this index.
    fn went_off(&mut self, flip: Flip, at: usize, run: &AddedRun, end: End, cause: Cause) -> Went {
        if cause.any_constants && leaves_at_pin((&self.tree, &self.dag), flip, at, run, end) {
            self.behind_pins.runs += 1;
            return Went::BehindPin;
        }
        self.diverged(flip, at, run);
        Went::Elsewhere
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

    /// What runs are to record.
    fn mode(&self) -> Mode {
        let Settings { check, diagnose, .. } = *self.settings;
        let (log, callees) = (self.strategy.wants_trails(), self.strategy.wants_callees());
        Mode { trace: true, check, diagnose, log, callees }
    }

    /// Runs an input, on a new server if the old one fails. Nothing if no server survives it.
    fn run_target(&mut self, input: &Input, seen: Option<&Seen>) -> Result<Option<Execution>, CampaignError> {
        let (mode, mut attempts) = (self.mode(), 0);
        let was_in_time = seen.is_some_and(|seen| seen.timeout.is_none());
        let error = loop {
            attempts += 1;
            match self.executor.execute(input, &mut self.dag, mode) {
                // The machine has more to do than when it was in time.
                Ok(run) if was_in_time && run.run.end.is_excess() && attempts < ATTEMPTS => {}
                Ok(execution) => {
                    self.lost_in_a_row = 0;
                    return Ok(Some(execution));
                }
                Err(error) if is_about_input(&error) => break error,
                Err(error) => {
                    self.executor.restart()?;
                    self.notes.restarts += 1;
                    self.tell(&Event::Restarted { reason: &error.to_string() });
                    if attempts == ATTEMPTS {
                        break error;
                    }
                }
            }
        };
        self.notes.lost_runs += 1;
        self.lost_in_a_row += 1;
        let never_ran = self.past.is_empty();
        if never_ran || self.lost_in_a_row == MAX_LOST_IN_A_ROW { Err(error.into()) } else { Ok(None) }
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
            execution.run.end = End::Timeout;
        }
        self.notes.slow_runs += u64::from(before.is_only_slow);
        self.notes.slow_runs -= u64::from(is_only_slow);
        Ok(Some(before))
    }

    /// Whether a run that took too much time or memory does not when nothing is recorded. Then that is its end; the path
    /// is what was recorded of it.
    fn is_only_slow(&mut self, execution: &mut Execution) -> Result<bool, CampaignError> {
        let takes_too_much = |end| matches!(end, End::Timeout | End::OutOfMemory);
        if !takes_too_much(execution.run.end) {
            return Ok(false);
        }
        let native = match self.executor.execute(&execution.run.input, &mut self.dag, Mode::NATIVE) {
            Ok(again) => again.run,
            Err(_) => {
                self.executor.restart()?;
                self.notes.restarts += 1;
                return Ok(false);
            }
        };
        if takes_too_much(native.end) {
            execution.run.end = native.end;
            return Ok(false);
        }
        self.notes.slow_runs += 1;
        let run = &mut execution.run;
        (run.end, run.coverage, run.crash) = (native.end, native.coverage, native.crash);
        Ok(true)
    }

    /// Counts what there is to know of a run; tells whether its recording was cut short.
    fn count(&mut self, execution: &Execution, path: &Path, added: &AddedRun) -> bool {
        let flags = execution.run.flags;
        let cut = path.cut || flags.labels_full || flags.events_full || flags.objects_full;
        self.notes.cut_runs += u64::from(cut);
        self.notes.most_labels = self.notes.most_labels.max(execution.trace.label_count);
        self.notes.lost_values += u64::from(flags.lost);
        self.notes.rejected_runs += u64::from(execution.run.end == End::Rejected);
        self.notes.threaded_runs += u64::from(flags.threads);
        self.notes.full_logs += u64::from(flags.log_full);
        self.notes.missing_logs += u64::from(self.strategy.wants_trails() && execution.trace.log.is_none());
        self.notes.nondeterministic_runs += u64::from(added.mismatch);
        if path.damaged {
            self.notes.damaged_runs += 1;
            self.tell(&Event::Damaged);
        }
        cut
    }

    fn tell_strategy(
        &mut self,
        added: &AddedRun,
        (covered, new_branches, callees): (&[u8], &[BranchId], &[(u64, FunctionId)]),
        cause: Cause,
        predicted: bool,
    ) {
        self.strategy.on_run(&RunView {
            tree: &self.tree,
            program: self.program,
            run: added.run,
            nodes: &added.nodes,
            sides: &added.sides,
            first_new: added.first_new,
            new_branches,
            callees,
            covered,
            flip: cause.flip,
            predicted,
            cost: self.cost,
            own: true,
        });
    }

    /// Keeps the run for later flips, and its input as a file if it is worth it. The journal has it before anybody hears of it.
    fn keep(
        &mut self,
        execution: Execution,
        path: &Path,
        shown: Shown,
        cause: Cause,
    ) -> Result<(), CampaignError> {
        let parent = cause.base.and_then(|base| self.past[base.index()].test);
        let candidate = Candidate {
            end: execution.run.end,
            spot: self.triage.spot(self.program, &execution.run.crash),
            last: path.steps.last().map(|step| (step.site, step.side)),
            new_branches: shown.new_branches.len(),
            origin: cause.origin,
            parent,
            execution: self.executions,
        };
        let was_seen = shown.seen.is_some();
        let keep = match shown.seen {
            Some(seen) => {
                self.corpus.recall(&candidate, seen.kept.as_ref());
                seen.kept
            }
            None => {
                let keep = self.corpus.judge(&candidate);
                self.note_run(&shown, &execution.run.input, keep.clone(), cause)?;
                keep
            }
        };
        let mut test = parent;
        if let Some(keep) = keep {
            test = if keep.place == Place::Queue { Some(keep.id) } else { parent };
            self.write(&keep, &execution.run, was_seen)?;
        }
        self.past.push(PastRun { input: execution.run.input, test });
        Ok(())
    }

    /// Writes a run down in the journal.
    fn note_run(
        &mut self,
        shown: &Shown,
        input: &Input,
        kept: Option<Keep>,
        cause: Cause,
    ) -> Result<(), CampaignError> {
        let seen = Seen {
            input: (shown.given != input).then(|| Delta::new(shown.given, input)),
            timeout: shown.timeout,
            new_branches: shown.new_branches.iter().map(|branch| branch.0).collect(),
            kept,
        };
        self.write_down(cause, shown.given, Some(seen))
    }

    fn diverged(&mut self, flip: Flip, at: usize, run: &AddedRun) {
        self.divergences += 1;
        let model = (&self.tree, self.program);
        let divergence = Divergence::explain(model, self.executions, flip, at, run);
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
            crashes: self.corpus.crashes(),
            hangs: self.corpus.hangs(),
            divergences: self.divergences,
            choosing: self.strategy.time,
            pin_tries: self.behind_pins.runs,
            untried: self.tree.untried() as u64,
            solver: self.solver.stats(),
        }
    }

    fn tell(&mut self, event: &Event) {
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
        Ok(())
    }

    fn summary(mut self) -> Summary {
        self.notes.pins = self.tree.open_pins() as u64;
        self.notes.checked_values = self.oracle.checked;
        self.notes.mismatches = self.oracle.mismatches;
        self.notes.first_mismatch = self.oracle.first.take();
        if self.settings.diagnose {
            let collector = std::mem::take(&mut self.collector);
            self.notes.reasons =
                collector.reasons(self.program, &self.coverage, &self.notes, self.divergences);
        }
        let asked = (self.settings.strategy.as_str(), self.settings.seed);
        Summary::new(&self.progress(), asked, &self.tree, self.notes)
    }
}

/// Whether another server would refuse the input just the same.
fn is_about_input(error: &RunError) -> bool {
    match error {
        RunError::InputTooLarge(_) | RunError::TooManyObjects(_) | RunError::NoSuchArgument { .. } => true,
        RunError::ServerDied(_) | RunError::ServerSilent | RunError::CannotFork(_) | RunError::Io(_) => false,
    }
}
