//! Whole campaigns on fake programs.

mod fake;

use cairn_campaign::{
    CampaignError, Divergence, Event, Observer, Progress, Settings, StopReason, Summary, TestFolder, run,
};
use cairn_deadline::Deadline;
use cairn_exec::{ExitKind, Input, Object};
use cairn_expr::{Assignment, Dag};
use cairn_program::testing::Sketch;
use cairn_solver::{Answer, Limits, Query, Solver, Stats, Tally, Unknown};
use fake::{Fake, stdin};
use std::sync::atomic::Ordering;
use std::time::Duration;

const SEGV: i32 = 11;

/// A program with a header of two letters, a switch over commands, and a crash deep in one of them.
fn vault() -> Fake {
    let mut sketch = Sketch::new();
    let letters = [sketch.branch(), sketch.branch()];
    let commands = sketch.switch(8, &[&[1, 2, 3], &[200]]);
    let (small, impossible) = (sketch.branch(), sketch.branch());
    Fake::new(sketch.build(), move |t| {
        for (offset, letter) in [b'O', b'K'].into_iter().enumerate() {
            let byte = t.byte(0, offset);
            let equal = t.equals(byte, letter.into());
            if !t.branch(letters[offset], equal) {
                return ExitKind::Exit(1);
            }
        }
        let command = t.byte(0, 2);
        match t.decide(commands, command) {
            0 => {
                let argument = t.byte(0, 3);
                let is_small = t.less(argument, 10);
                if !t.branch(small, is_small) {
                    return ExitKind::Exit(0);
                }
                let is_large = t.equals(argument, 77);
                t.branch(impossible, is_large);
                ExitKind::Signal(SEGV)
            }
            1 => ExitKind::Exit(2),
            _ => ExitKind::Exit(3),
        }
    })
}

const VAULT_BRANCHES: u32 = 11;
const VAULT_REACHABLE: u64 = 10;
/// Two wrong letters, two switch sides, a large argument, the crash.
const VAULT_PATHS: u64 = 6;

#[test]
fn depth_first_search_runs_every_path_once() {
    let summary = vault().explore(&Settings::new("dfs", vec![stdin(8)]), None);
    assert_eq!((summary.branches_total, summary.branches_covered), (VAULT_BRANCHES, VAULT_REACHABLE));
    assert_eq!(summary.executions, VAULT_PATHS);
    assert_eq!((summary.crashes, summary.hangs, summary.divergences), (1, 0, 0));
    assert_eq!((summary.exhausted, summary.notes.stop), (true, StopReason::Done));
    // One letter more each, two other commands; the crash is no test.
    assert_eq!(summary.tests, 5);
    assert_eq!(summary.solver.sat, VAULT_PATHS - 1);
    assert_eq!(summary.solver.unsat, 1, "the argument is small and 77");
}

#[test]
fn random_branch_covers_everything_too() {
    for seed in 0..5 {
        let settings = Settings { seed, ..Settings::new("random-branch", vec![stdin(4)]) };
        let summary = vault().explore(&settings, None);
        assert_eq!((summary.branches_covered, summary.crashes), (VAULT_REACHABLE, 1));
        assert!(summary.exhausted);
    }
}

#[test]
fn unconstrained_bytes_keep_their_values() {
    let mut sketch = Sketch::new();
    let site = sketch.branch();
    let mut fake = Fake::new(sketch.build(), move |t| {
        let byte = t.byte(0, 1);
        let equal = t.equals(byte, 7);
        t.branch(site, equal);
        ExitKind::Exit(0)
    });
    let given = Input { objects: vec![Object::stdin(*b"abcd")] };
    fake.explore(&Settings::new("dfs", vec![given]), None);
    let executed: Vec<&[u8]> = fake.executed.iter().map(|input| &input.objects[0].bytes[..]).collect();
    assert_eq!(executed, [b"abcd", b"a\x07cd"]);
}

#[test]
fn a_random_start_depends_on_the_seed() {
    let start = |seed, random_start| {
        let mut fake = Fake::new(Sketch::new().build(), |_| ExitKind::Exit(0));
        fake.explore(&Settings { seed, random_start, ..Settings::new("dfs", vec![stdin(4)]) }, None);
        fake.executed
    };
    assert_eq!(start(1, false).len(), 1);
    let (first, second) = (start(1, true), start(2, true));
    assert_eq!((first.len(), &first[0]), (2, &second[0]));
    assert_ne!(first[1], second[1]);
}

#[test]
fn given_inputs_are_all_run_first() {
    let crash = Input { objects: vec![Object::stdin(*b"OK\x01\x01")] };
    let settings = Settings { execs: Some(2), ..Settings::new("dfs", vec![stdin(4), crash]) };
    let summary = vault().explore(&settings, None);
    assert_eq!((summary.executions, summary.crashes), (2, 1));
    assert_eq!(summary.notes.stop, StopReason::Executions);
    assert!(!summary.exhausted);
}

#[test]
fn budgets_end_a_campaign() {
    let start = || Settings::new("dfs", vec![stdin(4)]);
    let summary = vault().explore(&Settings { execs: Some(3), ..start() }, None);
    assert_eq!(
        (summary.executions, summary.notes.stop, summary.exhausted),
        (3, StopReason::Executions, false)
    );
    let summary = vault().explore(&Settings { time: Some(Duration::ZERO), ..start() }, None);
    assert_eq!((summary.executions, summary.notes.stop), (0, StopReason::Time));
    let stopped = start();
    stopped.stop.store(true, Ordering::Relaxed);
    assert_eq!(vault().explore(&stopped, None).notes.stop, StopReason::Interrupted);
}

#[test]
fn the_summary_has_the_documented_json_keys() {
    let settings = Settings { seed: 42, ..Settings::new("dfs", vec![stdin(4)]) };
    let json = serde_json::to_value(vault().explore(&settings, None)).unwrap();
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(
        keys(&json),
        "branches_covered branches_total choosing_seconds choosing_share crashes cut_runs divergence_causes divergences divergences_after_losses driver_bytes elapsed_seconds executions exhausted \
         findings full_logs gaps hangs missing_logs most_labels mutation_gains mutation_runs optimistic_gains optimistic_runs paths paths_checked pin_tries reused_runs seed solver strategy tests tree_bytes untried"
    );
    assert_eq!(
        keys(&json["solver"]),
        "cached evaluations in_vain layers queries sat seconds smt unknown unsat walk"
    );
    assert_eq!((&json["strategy"], &json["seed"]), (&"dfs".into(), &42.into()));
    assert_eq!(json["missing_logs"], 0);
    assert!(json["tree_bytes"].as_u64().unwrap() > 0);
    let logless = vault().explore(&Settings::new("cgs", vec![stdin(4)]), None);
    assert_eq!(logless.missing_logs, logless.executions, "cgs wants logs, and these runs have none");
}

#[test]
fn rejected_inputs_count_as_runs_only() {
    let mut sketch = Sketch::new();
    let (assumed, zero) = (sketch.branch(), sketch.branch());
    let mut fake = Fake::new(sketch.build(), move |t| {
        let byte = t.byte(0, 0);
        let wanted = t.less(byte, 100);
        if !t.branch(assumed, wanted) {
            return ExitKind::Rejected;
        }
        let is_zero = t.equals(byte, 0);
        t.branch(zero, is_zero);
        ExitKind::Exit(0)
    });
    let unwanted = Input { objects: vec![Object::stdin([200])] };
    let summary = fake.explore(&Settings::new("dfs", vec![unwanted]), None);
    assert_eq!((summary.executions, summary.notes.rejected_runs), (3, 1));
    assert_eq!((summary.tests, summary.branches_covered), (2, 3));
    assert!(summary.exhausted);
}

#[test]
fn objects_requested_by_a_run_become_input() {
    let mut sketch = Sketch::new();
    let sites = [sketch.branch(), sketch.branch()];
    let mut fake = Fake::new(sketch.build(), move |t| {
        for (n, site) in sites.into_iter().enumerate() {
            let object = t.named(["x", "y"][n], 4);
            let byte = t.byte(object, 3);
            let equal = t.equals(byte, 9);
            if !t.branch(site, equal) {
                return ExitKind::Exit(n as i32);
            }
        }
        ExitKind::Signal(6)
    });
    let summary = fake.explore(&Settings::new("dfs", vec![Input::default()]), None);
    assert_eq!((summary.executions, summary.crashes, summary.branches_covered), (3, 1, 4));
    assert!(summary.exhausted);
}

/// Observer that collects all events.
#[derive(Default)]
struct EventLog {
    executed: u64,
    kept: Vec<TestFolder>,
    diverged: Vec<Divergence>,
    restarted: Vec<String>,
    damaged: u64,
    unsolved: u64,
    described: Vec<String>,
    last: Progress,
}

impl Observer for EventLog {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        match event {
            Event::Executed { .. } => self.executed += 1,
            Event::Unsolved => self.unsolved += 1,
            Event::Kept { place, .. } => self.kept.push(*place),
            Event::Diverged(divergence) => self.diverged.push((*divergence).clone()),
            Event::Damaged => self.damaged += 1,
            Event::Strategy { description } => self.described.push(description.to_string()),
            Event::Restarted { reason } => self.restarted.push(reason.to_string()),
            Event::Found { .. } | Event::Confirming { .. } => {}
            Event::Building { .. } | Event::BuildFailed { .. } => {}
        }
        self.last = *progress;
    }
}

fn run_observed(fake: &mut Fake, settings: &Settings) -> (Result<Summary, CampaignError>, EventLog) {
    let mut log = EventLog::default();
    let program = fake.program.clone();
    let mut solver = cairn_solver::standard(cairn_solver::Limits::default());
    let summary = run(settings, &program, fake, &mut *solver, None, &mut log);
    (summary, log)
}

#[test]
fn the_observer_is_notified_of_what_the_summary_says() {
    let (summary, log) = run_observed(&mut vault(), &Settings::new("dfs", vec![stdin(4)]));
    let summary = summary.unwrap();
    assert_eq!((log.executed, log.unsolved), (summary.executions, summary.solver.unsat));
    assert_eq!(log.kept.iter().filter(|place| **place == TestFolder::Queue).count() as u64, summary.tests);
    assert_eq!(log.kept.iter().filter(|place| **place == TestFolder::Crashes).count(), 1);
    assert_eq!(log.described, ["dfs (depth first, unbounded)"]);
    assert_eq!(log.last.branches_covered, summary.branches_covered);
    assert_eq!((log.last.untried, log.last.executions), (0, summary.executions));
}

#[test]
fn a_divergence_is_counted_and_explained() {
    let mut sketch = Sketch::new();
    let sites = [sketch.branch(), sketch.branch()];
    // After the first run the first decision no longer depends on the input.
    let mut fake = Fake::new(sketch.build(), move |t| {
        let (first, second) = (t.byte(0, 0), t.byte(0, 1));
        let mut condition = t.equals(first, 5);
        if t.runs_before > 0 {
            condition.concrete = 0;
        }
        t.branch(sites[0], condition);
        let condition = t.equals(second, 5);
        t.branch(sites[1], condition);
        ExitKind::Exit(0)
    });
    let (summary, log) = run_observed(&mut fake, &Settings::new("dfs", vec![stdin(2)]));
    let summary = summary.unwrap();
    assert_eq!((summary.divergences, summary.exhausted), (1, false));
    assert_eq!(log.diverged, summary.notes.divergences);
    assert_eq!((log.diverged[0].at, log.diverged[0].predicted), (0, 1));
    assert_eq!(log.diverged[0].explanation, "expected sketch.c:1:1 true, found sketch.c:1:1 false");
    assert_eq!(summary.branches_covered, 3, "the search went on");
}

#[test]
fn divergences_are_explained_with_source_positions() {
    let mut sketch = Sketch::new();
    let (branch, other) = (sketch.branch(), sketch.branch());
    let switch = sketch.switch(8, &[&[3]]);
    // Every run but the first ends at once, or decides at another site.
    let mut fake = Fake::new(sketch.build(), move |t| {
        let byte = t.byte(0, 0);
        match t.runs_before {
            0 => {
                t.decide(switch, byte);
                let condition = t.equals(byte, 50);
                t.branch(branch, condition);
            }
            1 => {}
            _ => {
                let condition = t.equals(byte, 51);
                t.branch(other, condition);
            }
        }
        ExitKind::Exit(0)
    });
    let settings = Settings { execs: Some(3), ..Settings::new("dfs", vec![stdin(1)]) };
    let summary = fake.explore(&settings, None);
    let explanations: Vec<_> = summary.notes.divergences.iter().map(|d| d.explanation.as_str()).collect();
    assert_eq!(
        explanations,
        [
            "expected sketch.c:3:1 case 3, but the run ended before it",
            "expected sketch.c:3:1 default, found sketch.c:2:1 false"
        ]
    );
    assert_eq!(summary.notes.nondeterministic_runs, 1);
}

/// Concretizes a masked byte as an index, and compares another byte with a value that depends on it.
fn indexing(bits: u64) -> Fake {
    let mut sketch = Sketch::new();
    let (concretized, site) = (sketch.concretization(), sketch.branch());
    Fake::new(sketch.build(), move |t| {
        let (index, other) = (t.byte(0, 0), t.byte(0, 1));
        let index = t.masked(index, bits);
        let limit = 10 + t.concretize(concretized, index);
        let condition = t.less(other, limit);
        t.branch(site, condition);
        ExitKind::Exit(0)
    })
}

#[test]
fn every_constant_of_a_small_concretization_is_tried() {
    let summary = indexing(7).explore(&Settings::new("dfs", vec![stdin(2)]), None);
    assert_eq!((summary.executions, summary.branches_covered, summary.divergences), (16, 2, 0));
    assert_eq!((summary.notes.pins, summary.exhausted, summary.notes.stop), (0, true, StopReason::Done));
}

#[test]
fn a_fault_before_a_concretization_is_recorded_is_no_divergence() {
    let mut sketch = Sketch::new();
    let concretized = sketch.concretization();
    let mut fake = Fake::new(sketch.build(), move |t| {
        let index = t.byte(0, 0);
        let index = t.masked(index, 3);
        if index.concrete != 0 {
            return ExitKind::Signal(11);
        }
        t.concretize(concretized, index);
        ExitKind::Exit(0)
    });
    let summary = fake.explore(&Settings::new("dfs", vec![stdin(1)]), None);
    assert_eq!((summary.executions, summary.divergences, summary.exhausted), (4, 0, true));
}

#[test]
fn a_large_concretization_is_sampled_and_not_exhausted() {
    let summary = indexing(127).explore(&Settings::new("dfs", vec![stdin(2)]), None);
    assert_eq!((summary.executions, summary.branches_covered, summary.divergences), (32, 2, 0));
    assert_eq!((summary.notes.pins, summary.exhausted, summary.notes.stop), (1, false, StopReason::Done));
}

/// Concretizes a byte as an index, and decides on the same byte.
fn index_and_compare() -> Fake {
    let mut sketch = Sketch::new();
    let (concretized, case, site) = (sketch.concretization(), sketch.switch(8, &[&[100]]), sketch.branch());
    Fake::new(sketch.build(), move |t| {
        let index = t.byte(0, 0);
        t.concretize(concretized, index);
        t.decide(case, index);
        let condition = t.equals(index, 200);
        t.branch(site, condition);
        ExitKind::Exit(0)
    })
}

#[test]
fn flips_that_a_constant_rules_out_are_solved_by_relaxed_queries() {
    for strategy in ["dfs", "random-branch"] {
        let summary = index_and_compare().explore(&Settings::new(strategy, vec![stdin(1)]), None);
        assert_eq!((summary.branches_covered, summary.divergences), (4, 0));
        // A run for each new relaxed query: 100, 200, neither after one of them.
        assert!((2..=4).contains(&summary.relaxed_runs), "{}", summary.relaxed_runs);
        assert!(summary.executions <= 16 + summary.relaxed_runs);
        assert_eq!((summary.exhausted, summary.notes.stop), (false, StopReason::Done));
    }
}

#[test]
fn every_solving_strategy_gets_past_concretizations() {
    for info in cairn_search::list() {
        let strategy = match info.name {
            "random-input" | "mutation" | "pieces" => continue,
            "interleave" => "interleave:bfs,icnt",
            "homi" => "homi[cycle=2,rounds=6/3,least=1]:covnew",
            "randomprune" => "randomprune[cycle=2,rounds=6/3,least=1]:covnew",
            name => name,
        };
        let settings = Settings { execs: Some(500), ..Settings::new(strategy, vec![stdin(1)]) };
        let summary = index_and_compare().explore(&settings, None);
        assert_eq!((summary.branches_covered, summary.divergences), (4, 0), "{strategy}");
    }
}

#[test]
fn a_relaxed_run_that_misses_the_concretization_has_diverged() {
    let mut sketch = Sketch::new();
    let (concretized, site) = (sketch.concretization(), sketch.branch());
    let mut fake = Fake::new(sketch.build(), move |t| {
        let index = t.byte(0, 0);
        if index.concrete == 200 {
            return ExitKind::Exit(1);
        }
        t.concretize(concretized, index);
        let condition = t.equals(index, 200);
        t.branch(site, condition);
        ExitKind::Exit(0)
    });
    let summary = fake.explore(&Settings::new("dfs", vec![stdin(1)]), None);
    assert_eq!((summary.branches_covered, summary.relaxed_runs, summary.divergences), (1, 0, 1));
}

#[test]
fn a_server_that_dies_is_restarted() {
    let mut fake = vault();
    // Every third attempt fails, whatever the input.
    fake.dies = |attempt, _| attempt % 3 == 0;
    let (summary, log) = run_observed(&mut fake, &Settings::new("dfs", vec![stdin(4)]));
    let summary = summary.unwrap();
    assert_eq!((summary.branches_covered, summary.exhausted), (VAULT_REACHABLE, true));
    assert_eq!((summary.notes.lost_runs, summary.executions), (0, VAULT_PATHS));
    assert_eq!(summary.notes.restarts, fake.restarts as u64);
    assert!(fake.restarts > 0 && log.restarted.len() == fake.restarts);
}

#[test]
fn an_input_that_no_server_survives_is_abandoned() {
    let mut fake = vault();
    fake.dies = |_, input| input.objects[0].bytes[2] == 200;
    let summary = fake.explore(&Settings::new("dfs", vec![stdin(4)]), None);
    assert_eq!((summary.notes.lost_runs, summary.notes.restarts), (1, 3));
    assert_eq!((summary.branches_covered, summary.exhausted), (VAULT_REACHABLE - 1, false));
    assert_eq!(summary.executions, VAULT_PATHS);
}

#[test]
fn a_target_that_never_runs_ends_the_campaign() {
    let mut fake = vault();
    fake.dies = |_, _| true;
    let (result, _) = run_observed(&mut fake, &Settings::new("dfs", vec![stdin(4)]));
    assert_eq!(result.unwrap_err().to_string(), "the program's fork server stopped answering");
    assert_eq!(fake.runs, 3);
}

#[test]
fn a_target_that_stops_running_ends_the_campaign() {
    let mut sketch = Sketch::new();
    let sites: Vec<_> = (0..20).map(|_| sketch.branch()).collect();
    let mut fake = Fake::new(sketch.build(), move |t| {
        for (offset, site) in sites.iter().enumerate() {
            let byte = t.byte(0, offset);
            let condition = t.equals(byte, 1);
            t.branch(*site, condition);
        }
        ExitKind::Exit(0)
    });
    fake.dies = |attempt, _| attempt > 1;
    let (result, log) = run_observed(&mut fake, &Settings::new("dfs", vec![stdin(20)]));
    assert!(matches!(result, Err(CampaignError::Run(_))));
    assert_eq!((log.executed, fake.runs), (1, 1 + 10 * 3));
}

#[test]
fn a_damaged_trace_is_counted_and_the_campaign_continues() {
    let mut sketch = Sketch::new();
    let (first, second) = (sketch.branch(), sketch.branch());
    let mut fake = Fake::new(sketch.build(), move |t| {
        let (a, b) = (t.byte(0, 0), t.byte(0, 1));
        let condition = t.equals(a, 1);
        if t.branch(first, condition) {
            t.corrupt_trace();
        }
        let condition = t.equals(b, 1);
        t.branch(second, condition);
        ExitKind::Exit(0)
    });
    let (summary, log) = run_observed(&mut fake, &Settings::new("dfs", vec![stdin(2)]));
    let summary = summary.unwrap();
    assert_eq!((summary.notes.damaged_runs, log.damaged, summary.exhausted), (1, 1, false));
    assert_eq!((summary.branches_covered, summary.executions), (4, 3));
}

#[test]
fn paths_without_end_are_cut() {
    let mut sketch = Sketch::new();
    let site = sketch.branch();
    let mut fake = Fake::new(sketch.build(), move |t| {
        for offset in 0..50 {
            let byte = t.byte(0, offset);
            let condition = t.equals(byte, 1);
            t.branch(site, condition);
        }
        ExitKind::Timeout
    });
    let settings = Settings { max_steps: 3, ..Settings::new("dfs", vec![stdin(50)]) };
    let summary = fake.explore(&settings, None);
    assert_eq!((summary.executions, summary.hangs, summary.tests), (8, 2, 0));
    assert_eq!((summary.notes.cut_runs, summary.exhausted), (8, false));
}

/// Times out on 'l', always; on 's' only while it is traced, with a branch after that.
fn slow() -> Fake {
    let mut sketch = Sketch::new();
    let (letters, late) = (sketch.switch(8, &[&[b'l'.into()], &[b's'.into()]]), sketch.branch());
    Fake::new(sketch.build(), move |t| {
        let (letter, byte) = (t.byte(0, 0), t.byte(0, 1));
        match t.decide(letters, letter) {
            0 => return ExitKind::Timeout,
            1 if t.mode.trace => return ExitKind::Timeout,
            _ => {}
        }
        let condition = t.equals(byte, 0);
        t.branch(late, condition);
        ExitKind::Exit(0)
    })
}

#[test]
fn a_run_that_is_slow_only_while_traced_is_no_hang() {
    let summary = slow().explore(&Settings::new("dfs", vec![stdin(2)]), None);
    assert_eq!((summary.hangs, summary.notes.slow_runs, summary.divergences), (1, 1, 0));
    assert_eq!((summary.branches_covered, summary.exhausted), (5, false));
    let given = Input { objects: vec![Object::stdin(*b"s\x01")] };
    let only_slow = Settings { execs: Some(1), ..Settings::new("dfs", vec![given]) };
    let summary = slow().explore(&only_slow, None);
    assert_eq!((summary.branches_covered, summary.tests, summary.hangs), (2, 1, 0), "all that it reaches");
}

#[test]
fn crashes_are_distinguished_by_location() {
    let mut sketch = Sketch::new();
    let sites: Vec<_> = (0..4).map(|_| sketch.branch()).collect();
    let mut fake = Fake::new(sketch.build(), move |t| {
        for (offset, site) in sites.iter().enumerate() {
            let byte = t.byte(0, offset);
            let condition = t.equals(byte, 1);
            if t.branch(*site, condition) {
                // Two of the four are the same fault.
                t.crash = vec![[0x100, 0x200, 0x100, 0x300][offset], 0x900 + offset as u64];
                return ExitKind::Signal(SEGV);
            }
        }
        ExitKind::Exit(0)
    });
    let (summary, log) = run_observed(&mut fake, &Settings::new("dfs", vec![stdin(4)]));
    assert_eq!(summary.unwrap().crashes, 3);
    let files = log.kept.iter().filter(|place| **place == TestFolder::Crashes).count();
    assert_eq!(files, 4, "the same fault again, but the first to take its branch");
}

/// A solver that never has an answer.
struct UnknownSolver(u64);

impl Solver for UnknownSolver {
    fn solve(&mut self, _: &Dag, _: &Query, _: &dyn Assignment, _: &Deadline) -> Answer {
        self.0 += 1;
        Answer::Unknown(Unknown::TimeLimit)
    }

    fn set_limits(&mut self, _: Limits) {}

    fn stats(&self) -> Stats {
        let total = Tally { asked: self.0, unknown: self.0, ..Tally::default() };
        Stats { total, ..Stats::default() }
    }
}

#[test]
fn without_answers_nothing_is_exhausted() {
    for strategy in ["dfs", "random-branch"] {
        let mut fake = vault();
        let program = fake.program.clone();
        let settings = Settings::new(strategy, vec![stdin(4)]);
        let summary = run(&settings, &program, &mut fake, &mut UnknownSolver(0), None, &mut ()).unwrap();
        // The first query, and two more of it with more effort up to the limit.
        assert_eq!((summary.executions, summary.solver.unknown), (1, 3));
        assert_eq!((summary.exhausted, summary.notes.stop), (false, StopReason::Done));
    }
}

/// A solver that answers only with more than the usual effort.
struct LateSolver(Duration, Box<dyn Solver>);

impl Solver for LateSolver {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        match self.0 > Limits::default().time {
            true => self.1.solve(dag, query, seed, deadline),
            false => Answer::Unknown(Unknown::TimeLimit),
        }
    }

    fn set_limits(&mut self, limits: Limits) {
        assert!(limits.time <= Duration::from_secs(60));
        self.0 = limits.time;
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }
}

#[test]
fn remaining_time_is_spent_on_retrying_timeouts() {
    for (time, exhausted) in [(None, false), (Some(Duration::from_secs(60)), true)] {
        let mut fake = vault();
        let program = fake.program.clone();
        let settings = Settings { time, ..Settings::new("random-branch", vec![stdin(4)]) };
        let mut late = LateSolver(Duration::ZERO, cairn_solver::standard(Limits::default()));
        let summary = run(&settings, &program, &mut fake, &mut late, None, &mut ()).unwrap();
        assert_eq!((summary.exhausted, summary.notes.stop), (exhausted, StopReason::Done));
    }
}

#[test]
fn the_oracle_detects_a_wrong_trace() {
    let settings = Settings { oracle: true, ..Settings::new("dfs", vec![stdin(4)]) };
    let honest = vault().explore(&settings, None);
    assert!(honest.notes.checked_values > 0);
    assert_eq!((honest.notes.mismatches, honest.notes.first_mismatch), (0, None));
    let mut liar = vault();
    liar.trace_error = 1;
    let settings = Settings { execs: Some(1), ..settings };
    let summary = liar.explore(&settings, None);
    assert_eq!(summary.notes.mismatches, 1);
    let first = summary.notes.first_mismatch.unwrap();
    assert_eq!((first.execution, first.program, first.expression), (1, 1, 0));
}

#[test]
fn bad_settings_are_refused() {
    let (result, _) = run_observed(&mut vault(), &Settings::new("best-first", vec![stdin(4)]));
    assert!(result.unwrap_err().to_string().starts_with("there is no strategy `best-first`"));
    let (result, _) = run_observed(&mut vault(), &Settings::new("dfs", vec![]));
    assert!(matches!(result, Err(CampaignError::NoInput)));
}

#[test]
fn a_loop_that_hangs_is_left_first() {
    const LENGTH: usize = 40;
    let mut sketch = Sketch::new();
    let before: Vec<_> = (0..LENGTH).map(|_| sketch.branch()).collect();
    let (end, inside, behind) = (sketch.branch(), sketch.branch(), sketch.branch());
    // A hang for every input without a full stop, and for each of these other paths before the loop.
    let mut fake = Fake::new(sketch.build(), move |t| {
        for (offset, site) in before.iter().enumerate() {
            let byte = t.byte(0, offset);
            let is_small = t.less(byte, 100);
            t.branch(*site, is_small);
        }
        for offset in 0..LENGTH {
            let byte = t.byte(0, offset);
            let is_odd = t.masked(byte, 1);
            let is_odd = t.equals(is_odd, 1);
            t.branch(inside, is_odd);
            let is_end = t.equals(byte, b'.'.into());
            if t.branch(end, is_end) {
                let last = t.byte(0, LENGTH - 1);
                let is_last = t.equals(last, b'!'.into());
                t.branch(behind, is_last);
                return ExitKind::Exit(0);
            }
        }
        ExitKind::Timeout
    });
    let mut last = |execs| {
        let settings = Settings { execs: Some(execs), ..Settings::new("bfs", vec![stdin(LENGTH)]) };
        fake.explore(&settings, None);
        fake.executed.last().unwrap().objects[0].bytes.clone()
    };
    let is_end = |byte: &u8| *byte == b'.';
    assert_eq!(last(2).iter().position(is_end), Some(0), "the first round ends");
    // The other condition of the loop is tried as well, once; then the strategy names a decision before it.
    let odd = last(3);
    assert!(odd[0] % 2 == 1 && !odd.iter().any(is_end), "{odd:?}");
    let before_the_loop = last(4);
    assert!(before_the_loop[0] >= 100 && !before_the_loop.iter().any(is_end), "{before_the_loop:?}");
}
