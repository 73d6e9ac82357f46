//! `cairn learn` finds weights, and loses nothing when it is killed.

use crate::common::{cairn, root, run};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SIZE: &[&str] =
    &["--samples", "6", "--top", "2", "--trials", "4", "--rounds", "2", "--execs", "60", "--time", "10m"];

/// Learning on an example, into a file of this directory.
fn learning(directory: &Path, options: &[&str]) -> Vec<String> {
    let out = directory.join("weights.toml");
    let example = root().join("examples/calculator.c");
    let words = ["learn", "--sym-stdin", "5", "--out", out.to_str().unwrap(), example.to_str().unwrap()];
    words.iter().chain(options).map(|word| (*word).to_owned()).collect()
}

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap_or_default()
}

/// Kills learning when its journal has so many lines.
fn kill_after(directory: &Path, options: &[&str], lines: usize) {
    let mut command = cairn();
    let mut child = command.args(learning(directory, options)).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while read(directory, "weights.toml.journal").lines().count() < lines {
        assert!(started.elapsed() < Duration::from_secs(60), "the journal stays short");
        assert_eq!(child.try_wait().unwrap(), None, "it was done before it was killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn killed_and_resumed_it_learns_the_same() {
    let (whole, cut) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let result = run(learning(whole.path(), SIZE));
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(
        result.stdout.contains("weights.toml: ") && result.stdout.contains("on average of"),
        "{result:?}"
    );

    kill_after(cut.path(), SIZE, 4);
    // Half a line, as a kill in the middle of writing leaves it.
    let journal = cut.path().join("weights.toml.journal");
    std::fs::write(&journal, read(cut.path(), "weights.toml.journal") + "{\"job\":12").unwrap();
    let result = run(learning(cut.path(), SIZE));
    assert!(result.code == Some(2) && result.stderr.contains("--resume"), "{result:?}");
    kill_after(cut.path(), &["--resume"], 9);
    let result = run(learning(cut.path(), &["--resume"]));
    assert_eq!(result.code, Some(0), "{result:?}");
    assert_eq!(read(cut.path(), "weights.toml"), read(whole.path(), "weights.toml"));
    let lines = |directory: &Path| read(directory, "weights.toml.journal").lines().count();
    assert_eq!(lines(cut.path()), lines(whole.path()), "something was measured twice");

    let weights = cut.path().join("weights.toml");
    let explained = run(["explain", weights.to_str().unwrap()]);
    assert!(explained.code == Some(0) && explained.stdout.contains("opposite-uncovered"), "{explained:?}");
    let other = root().join("examples/triangle.c");
    let result = run([
        "learn",
        "--resume",
        "--out",
        weights.to_str().unwrap(),
        "--sym-stdin",
        "5",
        other.to_str().unwrap(),
    ]);
    assert!(result.code == Some(2) && result.stderr.contains("another program"), "{result:?}");
    std::fs::write(&journal, "something else\n").unwrap();
    let result = run(learning(cut.path(), &["--resume"]));
    assert!(result.code == Some(2) && result.stderr.contains("is no journal"), "{result:?}");
}

#[test]
fn time_that_is_too_short_leaves_what_was_measured() {
    let directory = tempfile::tempdir().unwrap();
    let result = run(learning(directory.path(), &["--samples", "5000", "--time", "2s", "--execs", "100000"]));
    assert!(
        result.code == Some(2) && result.stderr.contains("nothing was checked in this time"),
        "{result:?}"
    );
    assert!(directory.path().join("weights.toml.journal").exists());
    assert!(!directory.path().join("weights.toml").exists());
}

#[test]
fn without_time_for_all_samples_there_are_weights_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let result = run(learning(directory.path(), &["--samples", "5000", "--time", "8s", "--execs", "200"]));
    assert!(result.code == Some(0) && result.stdout.contains("continue with --resume"), "{result:?}");
    assert!(read(directory.path(), "weights.toml").contains("weights = ["));
}

#[test]
fn a_journal_belongs_to_one_learning_on_one_input() {
    let directory = tempfile::tempdir().unwrap();
    let result = run(learning(directory.path(), SIZE));
    assert_eq!(result.code, Some(0), "{result:?}");
    let mut other = learning(directory.path(), &["--resume"]);
    assert_eq!(other[2], "5");
    other[2] = "4".to_owned();
    let result = run(other);
    assert!(result.code == Some(2) && result.stderr.contains("about other input"), "{result:?}");

    let journal = std::fs::File::open(directory.path().join("weights.toml.journal")).unwrap();
    journal.lock().unwrap();
    for options in [&["--resume"][..], &[&["--force"], SIZE].concat()] {
        let result = run(learning(directory.path(), options));
        assert!(
            result.code == Some(2) && result.stderr.contains("another `cairn learn` is at work"),
            "{result:?}"
        );
    }
}

#[test]
fn learning_without_branches_to_choose_is_refused_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let result = run(learning(directory.path(), &["--time", "5m"]));
    assert!(result.code == Some(2) && result.stderr.contains("there is nothing to learn"), "{result:?}");
    std::fs::create_dir(directory.path().join("weights.toml")).unwrap();
    let result = run(learning(directory.path(), &[&["--force"], SIZE].concat()));
    assert!(result.code == Some(2) && result.stderr.contains("is a directory"), "{result:?}");
}
