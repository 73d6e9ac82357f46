//! Campaigns for measurement: they write no tests; what counts is which branches they covered, and when.

use crate::error::Error;
use crate::frontend::Frontend;
use crate::subject::Subject;
use crate::target;
use crate::temporary;
use cairn_campaign::{Event, Observer, Progress, Settings, StopReason, Summary};
use cairn_exec::{Input, Server, StartError, TargetSpec};
use cairn_program::{BranchId, Program};
use cairn_solver::WalkSettings;
use cairn_wire::Checks;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The program and settings that all campaigns of a measurement share.
pub struct Plan {
    /// The program.
    pub program: Program,
    /// Its start-up description.
    pub spec: TargetSpec,
    inputs: Vec<Input>,
    limits: cairn_solver::Limits,
    room: cairn_exec::Limits,
    /// Raised when the user asks for an end.
    pub stop: Arc<AtomicBool>,
    /// Holds the program if it was built from source.
    _scratch: TempDir,
}

/// Longest times of single steps of a campaign, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct StepLimits {
    /// Of one execution.
    pub timeout: u64,
    /// Of one solver query.
    pub solver_timeout: u64,
}

impl StepLimits {
    /// Returns the limits of a solver query.
    pub fn of_solver(&self) -> cairn_solver::Limits {
        cairn_solver::Limits { time: Duration::from_millis(self.solver_timeout) }
    }
}

/// Budget and seed of one campaign.
#[derive(Clone, Copy)]
pub struct Length {
    /// Seed of random choices.
    pub seed: u64,
    /// Most executions.
    pub execs: u64,
    /// Longest time.
    pub time: Option<Duration>,
    /// True if a random input follows the given ones.
    pub random_start: bool,
}

/// Result of one campaign.
pub struct Trial {
    /// Its strategy.
    pub strategy: String,
    /// Its number among those of its strategy, from 0 on.
    pub number: u64,
    /// Its figures.
    pub summary: Summary,
    /// Covered branches of the user's code, in the order of the executions that covered them first.
    pub covered: Vec<Covered>,
}

/// A branch, and when it was first covered.
#[derive(Clone, Copy)]
pub struct Covered {
    /// The branch.
    pub branch: BranchId,
    /// Number of the execution.
    pub execution: u64,
    /// Seconds since the start.
    pub seconds: f64,
}

impl Plan {
    /// Builds the program, if need be, and prepares its inputs and limits.
    pub fn new(subject: &Subject, limits: &StepLimits, frontend: &dyn Frontend) -> Result<Plan, Error> {
        let scratch = temporary::directory()?;
        let path = target::program_path(subject, Checks::default(), |_| Ok(scratch.path().join("program")))?;
        let program = Program::read(&path)?;
        let spec = target::spec(subject, &path, &program, limits.timeout)?;
        let inputs = target::inputs(subject, &spec, frontend)?;
        target::warn_of_sandbox(&subject.sandbox, true, frontend);
        let (limits, room, stop) = (limits.of_solver(), subject.sandbox.limits(), frontend.stop_flag()?);
        Ok(Plan { program, spec, inputs, limits, room, stop, _scratch: scratch })
    }

    /// The inputs that campaigns start from.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Runs a campaign, with `watch` called after every execution; none if the user interrupted it, or there
    /// was no time to start the program.
    pub fn run(
        &self,
        strategy: &str,
        number: u64,
        length: Length,
        watch: impl Fn(&Progress) + Send,
    ) -> Result<Option<Trial>, Error> {
        let mut settings = Settings::new(strategy, self.inputs.clone());
        settings.seed = length.seed;
        settings.execs = Some(length.execs);
        settings.time = length.time;
        settings.random_start = length.random_start;
        settings.solver_limit = self.limits.time;
        settings.stop = self.stop.clone();
        let walk = WalkSettings { seed: settings.seed, ..WalkSettings::default() };
        let mut solver = cairn_solver::with_walk(self.limits, walk);
        let mut server = match Server::start_by(self.spec.clone(), self.room, settings.deadline()) {
            Err(StartError::CutOff(_)) => return Ok(None),
            started => started?,
        };
        let mut recorder = CoverageRecorder { covered: Vec::new(), watch };
        let summary =
            cairn_campaign::run(&settings, &self.program, &mut server, &mut *solver, None, &mut recorder)?;
        let is_whole = summary.notes.stop != StopReason::Interrupted;
        let trial = Trial { strategy: strategy.to_owned(), number, summary, covered: recorder.covered };
        Ok(is_whole.then_some(trial))
    }

    /// True if the user has ended all campaigns.
    pub fn is_interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs `work` for every item on `jobs` threads; true if it was done for all. A thread whose work returns
    /// `false` stops, and after an error all other campaigns are stopped, since their results would not be
    /// used.
    pub fn for_each<T: Sync>(
        &self,
        items: &[T],
        jobs: usize,
        work: impl Fn(usize, &T) -> Result<bool, Error> + Sync,
    ) -> Result<bool, Error> {
        let next = AtomicUsize::new(0);
        let worker = || -> Result<bool, Error> {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(at) else { return Ok(true) };
                if !work(at, item).inspect_err(|_| self.stop.store(true, Ordering::Relaxed))? {
                    return Ok(false);
                }
            }
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs.min(items.len())).map(|_| scope.spawn(worker)).collect();
            let mut ends = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
            ends.try_fold(true, |all, end| Ok(end? && all))
        })
    }
}

impl Trial {
    /// Returns the number of executions until so many branches were covered.
    pub fn executions_to(&self, branches: usize) -> Option<u64> {
        branches
            .checked_sub(1)
            .map_or(Some(0), |last| self.covered.get(last).map(|covered| covered.execution))
    }
}

/// Records when each branch is first covered.
struct CoverageRecorder<W> {
    covered: Vec<Covered>,
    watch: W,
}

impl<W: Fn(&Progress) + Send> Observer for CoverageRecorder<W> {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        if let Event::Executed { new_branches, .. } = event {
            let (execution, seconds) = (progress.executions, progress.elapsed.as_secs_f64());
            let covered = |branch: &BranchId| Covered { branch: *branch, execution, seconds };
            self.covered.extend(new_branches.iter().map(covered));
            (self.watch)(progress);
        }
    }
}

/// Returns the number of campaigns to run at a time: as many as the user asked for, or one per core.
pub fn jobs(asked: Option<u64>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or(cores, |jobs| jobs as usize)
}
