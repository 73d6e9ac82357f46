//! Persistent mode finds what a process per run finds.

use crate::agreement::tests;
use crate::common::{build_instrumented, root, run};
use crate::example::Example;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs a campaign; returns its JSON summary, and the names and contents of all its tests.
fn explore(
    options: &[&str],
    program: &Path,
    args: &[String],
    out: &Path,
) -> (Value, BTreeMap<String, Vec<u8>>) {
    let fixed = ["run", "-q", "--json", "--oracle", "--out", out.to_str().unwrap()];
    let all = fixed.iter().chain(options).map(|option| (*option).to_owned());
    let program = [program.display().to_string(), "--".to_owned()];
    let result = run(all.chain(program).chain(args.iter().cloned()));
    assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
    let name = |path: &Path| path.strip_prefix(out).unwrap().display().to_string();
    let tests = tests(out).iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect();
    (serde_json::from_str(&result.stdout).unwrap(), tests)
}

#[test]
fn examples_are_explored_as_with_a_process_for_each_run() {
    let mut reused = 0;
    for example in Example::all("examples") {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("program");
        build_instrumented(&example.source, &program);
        let options = example.options();
        let mut options: Vec<&str> =
            options.iter().map(String::as_str).chain(["--execs", "150", "--seed", "5"]).collect();
        let (with, tests) = explore(&options, &program, &example.args(), &place.path().join("with"));
        options.push("--fork-each");
        let (without, expected) = explore(&options, &program, &example.args(), &place.path().join("without"));
        let name = example.source.display();
        assert_eq!(tests, expected, "{name}");
        for figure in
            ["executions", "branches_covered", "crashes", "divergences", "most_labels", "tree_bytes"]
        {
            assert_eq!(with[figure], without[figure], "{name}: {figure}");
        }
        assert_eq!(without["reused_runs"], 0, "{name}");
        reused += with["reused_runs"].as_u64().unwrap();
    }
    assert!(reused > 1000, "{reused} executions were made by a process that had made others");
}

#[test]
fn nothing_is_left_behind_for_the_next_run() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("leftovers");
    build_instrumented(&root().join("crates/cli/tests/e2e/leftovers.c"), &program);
    // Every seed has another order.
    for seed in ["1", "2", "3", "4", "5"] {
        let options = ["--sym-stdin", "2", "--scratch", "--strategy", "random-branch", "--seed", seed];
        let (found, tests) = explore(&options, &program, &[], &place.path().join(seed));
        assert_eq!((&found["crashes"], &found["hangs"]), (&0.into(), &0.into()), "{found}");
        assert!(found["reused_runs"].as_u64().unwrap() > 20, "{found}");
        let left: Vec<u8> = tests.values().filter_map(|test| test.first().copied()).collect();
        assert!((b'a'..=b'x').all(|what| left.contains(&what)), "{}", String::from_utf8_lossy(&left));
    }
}

#[test]
fn signals_and_memory_do_what_they_do_in_a_process_for_each_run() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("signals");
    build_instrumented(&root().join("crates/cli/tests/e2e/signals.c"), &program);
    for seed in ["1", "2", "3"] {
        let options = ["--sym-stdin", "1", "--strategy", "random-branch", "--seed", seed];
        let (found, tests) = explore(&options, &program, &[], &place.path().join(seed));
        let (expected, same) = explore(
            &[&options[..], &["--fork-each"]].concat(),
            &program,
            &[],
            &place.path().join("each").join(seed),
        );
        for figure in ["executions", "branches_covered", "crashes", "hangs", "divergences"] {
            assert_eq!(found[figure], expected[figure], "{figure}: {found}");
        }
        assert_eq!(tests, same);
        assert_eq!((&found["crashes"], &found["hangs"]), (&1.into(), &0.into()), "{found}");
        assert!(found["reused_runs"].as_u64().unwrap() >= 4, "{found}");
    }
}
