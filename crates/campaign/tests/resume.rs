//! Resumed campaigns on fake programs, with records in the journal that real programs rarely need.

mod fake;

use cairn_campaign::{CampaignDirectory, Fate, Settings, Snapshot, Summary, TreeTop, run};
use cairn_deadline::Deadline;
use cairn_exec::{ExitKind, Input};
use cairn_expr::{Assignment, Dag};
use cairn_program::testing::Sketch;
use cairn_solver::{Answer, Limits, Query, Solver, Stats, Unknown};
use fake::{Fake, kept, stdin};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// A program with independent bytes; one value kills the server, one hangs, one requests another object.
fn minefield() -> Fake {
    let mut sketch = Sketch::new();
    let sites: Vec<_> = (0..6).map(|_| (sketch.branch(), sketch.switch(8, &[&[1], &[2, 3]]))).collect();
    let named = sketch.branch();
    let mut fake = Fake::new(sketch.build(), move |t| {
        for (offset, (branch, switch)) in sites.iter().enumerate() {
            let byte = t.byte(0, offset);
            let is_seven = t.equals(byte, 7);
            if t.branch(*branch, is_seven) {
                match offset {
                    2 => return ExitKind::Signal(11),
                    3 => return ExitKind::Timeout,
                    4 => {
                        let object = t.named("size", 2);
                        let size = t.byte(object, 1);
                        let is_large = t.less(size, 100);
                        t.branch(named, is_large);
                    }
                    _ => {}
                }
            }
            t.decide(*switch, byte);
        }
        ExitKind::Exit(0)
    });
    fake.dies = |_, input: &Input| input.objects[0].bytes[1] == 7;
    fake
}

/// A solver that is slow for some queries, and gives up on others until its limit is raised.
struct SlowSolver {
    inner: Box<dyn Solver>,
    queries: u64,
    recalled: u64,
    is_raised: bool,
}

impl SlowSolver {
    fn new() -> SlowSolver {
        let inner = cairn_solver::standard(Limits::default());
        SlowSolver { inner, queries: 0, recalled: 0, is_raised: false }
    }
}

impl Solver for SlowSolver {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        self.queries += 1;
        let first = dag.inputs(query.target).first().map(|byte| byte.offset);
        if self.queries % 20 == 5 {
            std::thread::sleep(Duration::from_millis(55));
        }
        match first {
            Some(0) if !self.is_raised => Answer::Unknown(Unknown::TimeLimit),
            _ => self.inner.solve(dag, query, seed, deadline),
        }
    }

    fn replay_answer(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.recalled += 1;
        self.inner.replay_answer(dag, query, answer);
    }

    fn set_limits(&mut self, limits: Limits) {
        self.is_raised = true;
        self.inner.set_limits(limits);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

fn settings(strategy: &str, execs: u64) -> Settings {
    let time = Some(Duration::from_secs(600));
    Settings { seed: 5, execs: Some(execs), time, ..Settings::new(strategy, vec![stdin(6)]) }
}

/// Returns the figures that must not depend on how often a campaign was interrupted.
fn figures(summary: &Summary) -> [u64; 7] {
    let Summary { executions, branches_covered, tests, crashes, hangs, relaxed_runs, .. } = *summary;
    [executions, branches_covered, tests, crashes, hangs, relaxed_runs, summary.notes.lost_runs]
}

/// Returns the parts of a snapshot that must not depend on it.
fn shown(directory: &Path) -> (Vec<Fate>, Vec<(u64, u32)>, TreeTop) {
    let Snapshot { fates, curve, tree, .. } = Snapshot::read(directory).unwrap().unwrap();
    (fates, curve.iter().map(|point| (point.execution, point.covered)).collect(), tree)
}

#[test]
fn lost_runs_hangs_new_objects_and_retries_are_replayed() {
    for strategy in ["dfs", "random-branch", "auto"] {
        let scratch = TempDir::new().unwrap();
        let (whole, parts) = (scratch.path().join("whole"), scratch.path().join("parts"));
        let explore = |directory, execs| {
            let (mut fake, mut solver) = (minefield(), SlowSolver::new());
            let program = fake.program.clone();
            let settings = settings(strategy, execs);
            let summary = run(&settings, &program, &mut fake, &mut solver, Some(directory), &mut ()).unwrap();
            assert_eq!(summary.notes.astray, None, "{strategy}");
            (summary, solver)
        };
        let (expected, _) = explore(CampaignDirectory::create(&whole, false).unwrap(), 150);
        let (_, first) = explore(CampaignDirectory::create(&parts, false).unwrap(), 30);
        assert_eq!(first.recalled, 0);
        let mut last = None;
        for execs in [30, 31, 90, 150] {
            let (summary, solver) = explore(CampaignDirectory::resume(&parts).unwrap(), execs);
            assert!(solver.recalled > 0, "{strategy}: slow queries are answered from the journal");
            last = Some(summary);
        }
        assert_eq!(figures(&last.unwrap()), figures(&expected), "{strategy}");
        assert_eq!(kept(&parts), kept(&whole), "{strategy}");
        assert_eq!(shown(&parts), shown(&whole), "{strategy}");
        assert!(expected.notes.lost_runs > 0 && expected.hangs > 0 && expected.crashes > 0, "{strategy}");
    }
}
