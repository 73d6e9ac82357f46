//! Files of a campaign.

mod fake;

use cairn_campaign::{
    CampaignDirectory, DirectoryError, Fate, Settings, Snapshot, SnapshotError, Summary, read_test,
};
use cairn_exec::{ExitKind, Input, Object};
use cairn_program::testing::Sketch;
use cairn_tree::Coverage;
use fake::{Fake, kept, stdin};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A program with eight independent bytes, some of which crash or hang it.
fn sample_campaign() -> Fake {
    let mut sketch = Sketch::new();
    let sites: Vec<_> = (0..8).map(|_| (sketch.branch(), sketch.switch(8, &[&[1], &[2, 3]]))).collect();
    Fake::new(sketch.build(), move |t| {
        for (offset, (branch, switch)) in sites.iter().enumerate() {
            let byte = t.byte(0, offset);
            let condition = t.equals(byte, 7);
            if t.branch(*branch, condition) {
                match offset {
                    3 => return ExitKind::Signal(11),
                    5 => return ExitKind::Timeout,
                    _ => {}
                }
            }
            t.decide(*switch, byte);
        }
        ExitKind::Exit(0)
    })
}

fn settings(strategy: &str, seed: u64, input: Input) -> Settings {
    let command = vec!["./sample_campaign".to_owned(), "-x".to_owned()];
    let invocation = "cairn run ./sample_campaign -- -x".to_owned();
    Settings { seed, execs: Some(300), command, invocation, ..Settings::new(strategy, vec![input]) }
}

fn explore(out: &Path, settings: &Settings) -> Summary {
    sample_campaign().explore(settings, Some(CampaignDirectory::create(out, false).unwrap()))
}

#[test]
fn the_same_seed_gives_the_same_campaign_test_for_test() {
    let scratch = TempDir::new().unwrap();
    for strategy in ["dfs", "random-branch"] {
        let out = |n: u64| scratch.path().join(format!("{strategy}-{n}"));
        let [first, second] = [0, 1].map(|n| explore(&out(n), &settings(strategy, 5, stdin(8))));
        assert_eq!(first.executions, 300);
        assert_eq!(kept(&out(0)), kept(&out(1)));
        let figures = |s: Summary| (s.branches_covered, s.tests, s.crashes, s.hangs, s.solver.queries);
        assert_eq!(figures(first), figures(second));
    }
    let other = scratch.path().join("other");
    explore(&other, &settings("random-branch", 6, stdin(8)));
    assert_ne!(kept(&other), kept(&scratch.path().join("random-branch-0")));
}

/// Replays every kept file: together they must cover what the campaign covered.
fn check_evidence(out: &Path, summary: &Summary, blank: &Input) {
    let mut fake = sample_campaign();
    let mut coverage = Coverage::new(&fake.program);
    for (name, _) in kept(out) {
        let run = fake.once(&read_test(&out.join(&name), blank).unwrap()).run;
        let expected = match run.end {
            ExitKind::Exit(_) => "queue",
            ExitKind::Signal(_) => "crashes",
            _ => "hangs",
        };
        assert!(name.starts_with(expected), "{name} ended with {}", run.end);
        coverage.merge(&run.coverage);
    }
    assert_eq!(coverage.covered() as u64, summary.branches_covered);
}

#[test]
fn kept_inputs_show_every_covered_branch() {
    let scratch = TempDir::new().unwrap();
    for (seed, strategy) in [(1, "random-branch"), (2, "random-branch"), (0, "dfs")] {
        let out = scratch.path().join(format!("{seed}"));
        let summary = explore(&out, &settings(strategy, seed, stdin(8)));
        let files = kept(&out);
        let count = |folder: &str| files.keys().filter(|name| name.starts_with(folder)).count() as u64;
        assert_eq!(count("queue"), summary.tests);
        assert!(count("crashes") >= summary.crashes && count("hangs") >= summary.hangs);
        check_evidence(&out, &summary, &stdin(8));
    }
}

#[test]
fn one_stream_is_raw_bytes_and_anything_else_a_ktest() {
    let scratch = TempDir::new().unwrap();
    let raw = scratch.path().join("raw");
    explore(&raw, &settings("dfs", 0, stdin(8)));
    let files = kept(&raw);
    assert_eq!(files["queue/id:000000,execs:1,op:seed,+cov"], [0; 8]);
    assert!(files.values().all(|bytes| bytes.len() == 8));

    let objects = vec![Object::stdin([0; 8]), Object::arg(1, [0; 3])];
    let several = Input { objects };
    let ktest = scratch.path().join("ktest");
    let summary = explore(&ktest, &settings("dfs", 0, several.clone()));
    assert!(kept(&ktest).keys().all(|name| name.ends_with(".ktest")));
    check_evidence(&ktest, &summary, &several);
}

#[test]
fn names_hold_the_origin_of_an_input() {
    let scratch = TempDir::new().unwrap();
    let out = scratch.path().join("out");
    explore(&out, &settings("random-branch", 3, stdin(8)));
    let names: Vec<_> = kept(&out).into_keys().collect();
    let flips = names.iter().filter(|name| name.contains(",src:00") && name.contains(",op:flip"));
    assert_eq!(flips.count(), names.len() - 1);
    let crash = names.iter().find(|name| name.starts_with("crashes/")).unwrap();
    assert!(crash.starts_with("crashes/id:000000,sig:11,src:"), "{crash}");
    assert!(names.iter().any(|name| name.starts_with("hangs/id:000000,src:")));
    assert!(names.iter().all(|name| !name.contains("time")), "no name depends on the clock");
}

#[test]
fn the_status_files_of_afl_hold_the_figures() {
    let scratch = TempDir::new().unwrap();
    let out = scratch.path().join("out");
    let summary = explore(&out, &settings("dfs", 0, stdin(8)));
    let stats = fs::read_to_string(out.join("fuzzer_stats")).unwrap();
    let field = |name: &str| {
        let line = stats.lines().find(|line| line.split(':').next().unwrap().trim() == name);
        line.unwrap_or_else(|| panic!("{name}")).split_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(field("execs_done"), summary.executions.to_string());
    assert_eq!(field("corpus_count"), summary.tests.to_string());
    assert_eq!(field("saved_crashes"), summary.crashes.to_string());
    assert_eq!(field("edges_found"), summary.branches_covered.to_string());
    assert_eq!(field("command_line"), "cairn run ./sample_campaign -- -x");
    assert_eq!(field("afl_banner"), "./sample_campaign");
    let plot = fs::read_to_string(out.join("plot_data")).unwrap();
    let rows: Vec<_> = plot.lines().map(|line| line.split(", ").count()).collect();
    assert!(rows.len() >= 3 && rows.iter().all(|columns| *columns == 13), "{plot}");
    assert!(plot.starts_with("# relative_time, "));
}

#[test]
fn a_directory_in_use_is_not_overwritten() {
    let scratch = TempDir::new().unwrap();
    let out = scratch.path().join("out");
    explore(&out, &settings("dfs", 0, stdin(8)));
    fs::write(out.join("notes.txt"), "mine").unwrap();
    let before = kept(&out);
    let error = CampaignDirectory::create(&out, false).unwrap_err();
    assert!(matches!(error, DirectoryError::InUse(_)));
    assert_eq!(kept(&out), before);

    CampaignDirectory::create(&out, true).unwrap();
    assert!(kept(&out).is_empty());
    assert_eq!(fs::read_to_string(out.join("notes.txt")).unwrap(), "mine");
}

#[test]
fn an_empty_directory_may_be_used() {
    let scratch = TempDir::new().unwrap();
    CampaignDirectory::create(scratch.path(), false).unwrap();
}

#[test]
fn a_directory_that_cannot_be_created_is_named() {
    let scratch = TempDir::new().unwrap();
    let file = scratch.path().join("file");
    fs::write(&file, "").unwrap();
    let error = CampaignDirectory::create(&file.join("out"), false).unwrap_err().to_string();
    assert!(error.starts_with("cannot write ") && error.contains("file/out"), "{error}");
}

#[test]
fn the_snapshot_has_the_fate_of_every_branch() {
    let scratch = TempDir::new().unwrap();
    let out = scratch.path().join("out");
    assert_eq!(Snapshot::read(&out).unwrap(), None);
    let summary = explore(&out, &settings("dfs", 0, stdin(8)));
    let snapshot = Snapshot::read(&out).unwrap().unwrap();
    // Some time passes between them.
    let elapsed_seconds = summary.elapsed_seconds;
    assert_eq!(Summary { elapsed_seconds, ..snapshot.summary.clone() }, summary);
    assert!(snapshot.ended);
    let fates = |fate| snapshot.fates.iter().filter(|f| **f == fate).count() as u64;
    assert_eq!(fates(Fate::Covered), summary.branches_covered);
    assert_eq!(snapshot.fates.len(), summary.branches_total as usize);
    assert!(fates(Fate::Untried) > 0, "{:?}", snapshot.fates);
    let last = snapshot.curve.last().unwrap();
    assert_eq!(u64::from(last.covered), summary.branches_covered);
    assert!(snapshot.curve.is_sorted_by_key(|point| (point.execution, point.covered)));
    assert_eq!(snapshot.tree.roots.iter().map(|way| way.runs).sum::<u64>(), summary.executions);
    fs::write(out.join("snapshot.json"), "{\"version\": 0}").unwrap();
    assert!(matches!(Snapshot::read(&out), Err(SnapshotError::Another)));
}

#[test]
fn no_unfinished_file_is_left() {
    let scratch = TempDir::new().unwrap();
    let out = scratch.path().join("out");
    explore(&out, &settings("dfs", 0, stdin(8)));
    assert!(kept(&out).keys().all(|name| name.contains("/id:")));
    let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["crashes", "fuzzer_stats", "hangs", "journal", "plot_data", "queue", "snapshot.json"]);
}
