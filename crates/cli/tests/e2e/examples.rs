//! Every example and file test reaches its branches, shows its faults, and computes what its expressions say.

use crate::agreement::Builds;
use crate::common::{build_instrumented, build_plain, run};
use crate::example::Example;
use crate::statements::disagreement;
use serde_json::Value;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn every_example_keeps_the_promises_of_its_header() {
    let examples = Example::all("examples");
    assert!(examples.len() >= 12, "there are only {}", examples.len());
    check_all(&examples);
}

#[test]
fn every_file_test_keeps_the_promises_of_its_header() {
    let tests = Example::all("tests");
    assert!(!tests.is_empty(), "there are none");
    check_all(&tests);
}

fn check_all(examples: &[Example]) {
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(example) = examples.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = check(example);
                    complaints
                        .lock()
                        .unwrap()
                        .extend(found.into_iter().map(|c| format!("{}: {c}", example.name)));
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Explores an example; returns what is wrong.
fn check(example: &Example) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let (instrumented, plain) = (directory.path().join("instrumented"), directory.path().join("plain"));
    build_instrumented(&example.source, &instrumented);
    build_plain(&example.source, &plain);
    let campaign = directory.path().join("out");
    let mut complaints = check_campaign(example, &instrumented, &campaign);
    if campaign.join("queue").exists() {
        let builds = Builds { example, instrumented: &instrumented, plain: &plain };
        let comparison = builds.compare(&campaign);
        if comparison.tests == 0 {
            complaints.push("no test was generated".to_owned());
        }
        if comparison.faults != example.faults {
            complaints.push(format!("found the faults {:?}, not {:?}", comparison.faults, example.faults));
        }
        complaints.extend(comparison.complaints);
    }
    complaints
}

fn check_campaign(example: &Example, program: &Path, out: &Path) -> Vec<String> {
    let mut args: Vec<String> = ["run", "--json", "--oracle", "--out"].map(str::to_owned).to_vec();
    args.push(out.display().to_string());
    args.extend([
        "--strategy".to_owned(),
        example.strategy.clone(),
        "--execs".to_owned(),
        example.execs.to_string(),
    ]);
    args.extend(example.options());
    args.extend([program.display().to_string(), "--".to_owned()]);
    args.extend(example.args());
    let result = run(&args);
    let Ok(summary) = serde_json::from_str::<Value>(&result.stdout) else {
        return vec![format!("cairn run failed: {result:?}")];
    };
    let mut complaints = Vec::new();
    let mut expect = |what: &str, found: Option<u64>, expected: u64| {
        if found != Some(expected) {
            complaints.push(format!("{what}: {found:?}, not {expected}: {summary}"));
        }
    };
    let number = |key: &str| summary[key].as_u64();
    expect("branches covered", number("branches_covered"), example.branches);
    expect("branches in all", number("branches_total"), example.branches + example.unreachable);
    expect("hangs", number("hangs"), 0);
    expect("divergences", number("divergences"), 0);
    let code = if example.faults.is_empty() { 0 } else { 1 };
    expect("exit code", result.code.and_then(|c| c.try_into().ok()), code);
    if !oracle_is_content(&result.stderr) {
        complaints.push(format!("the oracle: {}", result.stderr));
    }
    complaints.extend(disagreement(&result, &summary, out));
    complaints
}

/// True if values were compared and none differed.
fn oracle_is_content(stderr: &str) -> bool {
    let line = stderr.lines().find(|line| line.starts_with("oracle: "));
    line.is_some_and(|line| line.ends_with(", 0 differ") && !line.starts_with("oracle: 0 "))
}
