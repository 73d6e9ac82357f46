//! A target that writes over everything Cairn keeps in its process: the campaign goes on, says so, and loses nothing.

use crate::common::{build_instrumented, cairn};
use cairn_exec::Protection;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Inputs of `scribbler.c`, each of which destroys something else.
const HARMS: std::ops::RangeInclusive<u8> = b'a'..=b'o';
/// Input that kills the fork server, unless the sandbox confines signals; the run then cannot be reported.
const FATAL_HARM: u8 = b'p';
/// Far more than the campaign needs, even beside other tests.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn a_target_that_scribbles_neither_stops_nor_blinds_the_campaign() {
    let directory = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/scribbler.c");
    let program = directory.path().join("scribbler");
    build_instrumented(&source, &program);
    let out = directory.path().join("out");
    let mut run = cairn();
    run.args(["run", "--strategy", "dfs", "--sym-stdin", "3", "--execs", "400", "--timeout", "2000"]);
    let output = output_in_time(run.arg("--out").arg(&out).arg(&program));
    let result = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "the honest crash is found: {result}");
    assert!(result.contains("overwrote trace memory"), "{result}");
    let is_safe = Protection::here().signals;
    assert_eq!(result.contains("killed the fork server"), !is_safe, "{result}");
    let tried = first_bytes(&out);
    let lost: Vec<char> = HARMS.filter(|harm| !tried.contains(harm)).map(char::from).collect();
    assert!(lost.is_empty(), "no test was kept of {lost:?}: {result}");
    assert_eq!(tried.contains(&FATAL_HARM), is_safe);
    assert!(tests_in(&out.join("crashes")).iter().any(|test| test.starts_with(b"z!")), "{result}");
}

/// A command to its end, which must come.
fn output_in_time(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_in_time(child)
}

fn wait_in_time(mut child: Child) -> Output {
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() >= deadline {
            child.kill().unwrap();
            panic!("the campaign hangs: {:?}", child.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn first_bytes(out: &Path) -> BTreeSet<u8> {
    let tests = ["queue", "crashes", "hangs"].into_iter().flat_map(|place| tests_in(&out.join(place)));
    tests.filter_map(|test| test.first().copied()).collect()
}

fn tests_in(directory: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap()).collect()
}
