//! Campaigns of several workers on fake programs.

mod fake;

use cairn_campaign::{CampaignDirectory, Executor, Settings, StopReason, Summary, WorkerPool, run_workers};
use cairn_deadline::Deadline;
use cairn_exec::{ExitKind, StartError};
use cairn_program::Program;
use cairn_program::testing::Sketch;
use cairn_solver::{Limits, Solver};
use fake::{Fake, kept, stdin};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const BYTES: usize = 7;

/// A program with a path for every combination of bytes that are 7 or not; one of them crashes.
fn combinations() -> Fake {
    let mut sketch = Sketch::new();
    let sites: Vec<_> = (0..BYTES).map(|_| sketch.branch()).collect();
    Fake::new(sketch.build(), move |t| {
        let mut sevens = 0;
        for (offset, site) in sites.iter().enumerate() {
            let byte = t.byte(0, offset);
            let is_seven = t.equals(byte, 7);
            sevens += usize::from(t.branch(*site, is_seven));
        }
        if sevens == BYTES { ExitKind::Signal(11) } else { ExitKind::Exit(0) }
    })
}

/// Pool whose executors log the traced inputs of all workers.
#[derive(Default)]
struct LoggingPool {
    executed: Mutex<Vec<Vec<u8>>>,
}

struct LoggingExecutor<'a> {
    fake: Fake,
    pool: &'a LoggingPool,
}

impl Executor for LoggingExecutor<'_> {
    fn run(
        &mut self,
        input: &cairn_exec::Input,
        mode: cairn_exec::Mode,
    ) -> Result<cairn_exec::Run, cairn_exec::RunError> {
        if mode.trace {
            self.pool.executed.lock().unwrap().push(input.objects[0].bytes.clone());
        }
        // Long enough for others to acquire the lock.
        std::thread::sleep(std::time::Duration::from_micros(300));
        self.fake.run(input, mode)
    }

    fn decode(&mut self, dag: &mut cairn_expr::Dag) -> cairn_exec::Trace {
        self.fake.decode(dag)
    }

    fn restart(&mut self) -> Result<(), StartError> {
        self.fake.restart()
    }
}

impl WorkerPool for &'static LoggingPool {
    fn executor(&self, _: &Deadline) -> Result<Box<dyn Executor>, StartError> {
        Ok(Box::new(LoggingExecutor { fake: combinations(), pool: self }))
    }

    fn solver(&self) -> Box<dyn Solver> {
        cairn_solver::standard(Limits::default())
    }
}

fn explore(settings: &Settings, directory: Option<CampaignDirectory>) -> (Summary, Vec<Vec<u8>>) {
    let pool: &'static LoggingPool = Box::leak(Box::default());
    let program: Program = combinations().program;
    let summary = run_workers(settings, &program, &pool, directory, &mut ()).unwrap();
    (summary, pool.executed.lock().unwrap().clone())
}

fn together(strategy: &str, workers: usize) -> Settings {
    Settings { workers, ..Settings::new(strategy, vec![stdin(BYTES)]) }
}

#[test]
fn no_path_is_executed_twice() {
    for strategy in
        ["dfs", "bfs", "random-path", "generational", "random-branch", "cgs", "auto", "homi:covnew"]
    {
        for workers in [1, 2, 5] {
            let (summary, seen) = explore(&together(strategy, workers), None);
            let context = format!("{strategy}, {workers} workers");
            assert!(summary.exhausted, "{context}");
            assert_eq!(summary.notes.stop, StopReason::Done, "{context}");
            assert_eq!((summary.branches_covered, summary.crashes), (2 * BYTES as u64, 1), "{context}");
            assert_eq!(summary.executions - summary.mutation_runs, seen.len() as u64, "{context}");
            let paths: BTreeSet<Vec<bool>> =
                seen.iter().map(|bytes| bytes.iter().map(|byte| *byte == 7).collect()).collect();
            assert_eq!(paths.len(), 1 << BYTES, "{context}");
            // These strategies force branches again that are known.
            let again = seen.len() - paths.len();
            let forces_again = ["random-branch", "auto"].contains(&strategy);
            assert!(again == 0 || forces_again, "{context}: {again} runs saw a known path");
        }
    }
}

#[test]
fn every_strategy_ends_with_several_workers() {
    let others = ["uniform-random", "cfg", "carfast", "cgs,nodom", "random-state", "depth", "covnew", "md2u"];
    let more =
        ["icnt", "cpicnt", "qc", "klee", "interleave:dfs,bfs", "parametric", "chameleon", "randomprune:bfs"];
    for strategy in others.into_iter().chain(more) {
        let (summary, _) = explore(&together(strategy, 3), None);
        assert!(summary.exhausted, "{strategy}");
        assert_eq!((summary.branches_covered, summary.crashes), (2 * BYTES as u64, 1), "{strategy}");
    }
}

#[test]
fn budgets_hold_for_all_workers_together() {
    for execs in [1, 2, 50] {
        let settings = Settings { execs: Some(execs), ..together("bfs", 3) };
        let (summary, seen) = explore(&settings, None);
        assert_eq!((summary.executions, seen.len() as u64), (execs, execs));
        assert_eq!(summary.notes.stop, StopReason::Executions);
    }
}

#[test]
fn one_worker_of_a_pool_gives_the_same_campaign() {
    let scratch = TempDir::new().unwrap();
    let directory = |name: &str| CampaignDirectory::create(&scratch.path().join(name), false).unwrap();
    explore(&together("auto", 1), Some(directory("together")));
    combinations().explore(&together("auto", 1), Some(directory("alone")));
    assert_eq!(kept(&scratch.path().join("together")), kept(&scratch.path().join("alone")));
}

#[test]
fn campaigns_of_several_workers_are_replayed_in_recorded_order() {
    for strategy in ["dfs", "auto", "random-path", "homi:covnew"] {
        let scratch = TempDir::new().unwrap();
        let out = scratch.path().join("out");
        let part = |directory: CampaignDirectory, execs| {
            let settings = Settings { execs: Some(execs), ..together(strategy, 3) };
            let (summary, seen) = explore(&settings, Some(directory));
            assert_eq!(summary.notes.astray, None, "{strategy}");
            assert_eq!(summary.executions - summary.mutation_runs, seen.len() as u64, "{strategy}");
            (summary, seen)
        };
        let (_, first) = part(CampaignDirectory::create(&out, false).unwrap(), 30);
        let mut before = (kept(&out), first);
        for execs in [31, 60, 90] {
            let (summary, seen) = part(CampaignDirectory::resume(&out).unwrap(), execs);
            assert_eq!(sorted(&seen[..before.1.len()]), sorted(&before.1), "{strategy}");
            let now = kept(&out);
            assert!(before.0.iter().all(|(name, bytes)| now.get(name) == Some(bytes)), "{strategy}");
            assert!(summary.branches_covered > 0);
            before = (now, seen);
        }
    }
}

fn sorted(inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut inputs = inputs.to_vec();
    inputs.sort();
    inputs
}

/// Pool whose program starts once, and is not ready before the deadline the second time.
struct StartsOnce(AtomicBool);

impl WorkerPool for StartsOnce {
    fn executor(&self, deadline: &Deadline) -> Result<Box<dyn Executor>, StartError> {
        if !self.0.swap(true, Ordering::Relaxed) {
            return Ok(Box::new(combinations()));
        }
        std::thread::sleep(deadline.left());
        Err(StartError::CutOff("late".into()))
    }

    fn solver(&self) -> Box<dyn Solver> {
        cairn_solver::standard(Limits::default())
    }
}

#[test]
fn a_worker_not_ready_by_the_deadline_ends_the_campaign_with_time() {
    let pool = StartsOnce(AtomicBool::new(false));
    let mut settings = together("dfs", 2);
    settings.time = Some(Duration::from_millis(500));
    let summary = run_workers(&settings, &combinations().program, &pool, None, &mut ()).unwrap();
    assert_eq!(summary.notes.stop, StopReason::Time);
}

/// Pool whose program cannot be started a second time.
struct FailsSecondStart(Mutex<u32>);

impl WorkerPool for FailsSecondStart {
    fn executor(&self, _: &Deadline) -> Result<Box<dyn Executor>, StartError> {
        let mut started = self.0.lock().unwrap();
        *started += 1;
        match *started {
            1 => Ok(Box::new(combinations())),
            _ => Err(StartError::NotInstrumented("one is enough".into())),
        }
    }

    fn solver(&self) -> Box<dyn Solver> {
        cairn_solver::standard(Limits::default())
    }
}

#[test]
fn a_worker_that_fails_ends_the_campaign() {
    let pool = FailsSecondStart(Mutex::new(0));
    let program = combinations().program;
    let error = run_workers(&together("dfs", 2), &program, &pool, None, &mut ()).unwrap_err();
    assert!(error.to_string().contains("one is enough"), "{error}");
}
