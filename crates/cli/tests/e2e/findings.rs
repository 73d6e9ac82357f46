//! Reports of crashes.

use crate::common::{build_instrumented, root, run, write_source};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Four faults, each of which many inputs show; two are in library functions.
const FAULTY: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int depth_of(const char *text, int length) {
    int depth = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] == '(') depth++;
        else if (text[i] == ')') depth--;
        else if (text[i] == '!' && depth == 2) *(volatile int *)0 = 3;
        assert(depth >= 0);
    }
    return depth;
}
int main(void) {
    char text[17] = "";
    int length = (int)fread(text, 1, 16, stdin), depth = depth_of(text, length);
    if (text[6] == 'x') {
        char *block = malloc(4);
        free(block);
        if (text[7] == 'y') free(block);
    }
    if (depth == 3) memset(0, depth, 9);
    return 0;
}
"#;

/// Divisions that fault for some values, and one that does not; no branch of the source tells them apart.
const DIVISIONS: &str = r#"
#include <stdio.h>
#include <string.h>
static unsigned mean(unsigned sum, unsigned count) { return sum / count; }
int main(void) {
    struct { int kind, a, b; } in;
    if (fread(&in, sizeof in, 1, stdin) != 1) return 1;
    switch (in.kind) {
    case 1: return (int)mean(100, (unsigned)in.a * 3 - 21);
    case 2: return 100 % ((in.a ^ in.b) - 17);
    case 3: return in.b ? in.a / in.b : 0;
    case 4: return 100 / ((in.b & 7) + 1);
    }
    return 0;
}
"#;

#[test]
fn a_division_that_can_fault_is_made_to() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "divisions.c", DIVISIONS);
    let out = place.path().join("out");
    for strategy in ["auto", "dfs"] {
        let out_text = out.to_str().unwrap();
        let options =
            ["run", "-q", "--force", "--strategy", strategy, "--sym-stdin", "12", "--out", out_text];
        let result = run(options.into_iter().chain(["--oracle", source.to_str().unwrap()]));
        assert_eq!(result.code, Some(1), "{result:?}");
        // What is asked beside the source is none of its branches.
        assert!(result.stdout.starts_with("9 of 9 branches covered (100 %)"), "{}", result.stdout);
        assert!(result.stdout.contains("every feasible path was executed"), "{}", result.stdout);
        let lines: BTreeSet<String> = explained(&out).into_iter().map(|(text, _)| headline(&text)).collect();
        let expected = [
            "division by zero in mean (divisions.c:4)",
            "division by zero in main (divisions.c:10)",
            "quotient overflow in main (divisions.c:11)",
        ];
        assert_eq!(lines, BTreeSet::from(expected.map(str::to_owned)), "{strategy}");
        assert!(inputs(&out).iter().any(|input| input.ends_with(&[0, 0, 0, 0x80, 255, 255, 255, 255])));
    }
}

/// The first line of a report, without the directory of the source.
fn headline(report: &str) -> String {
    let line = report.lines().next().unwrap();
    let (before, path) = line.split_once('(').unwrap();
    format!("{before}({}", path.rsplit('/').next().unwrap())
}

fn inputs(out: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(out.join("crashes")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap()).collect()
}

/// A line of the source, counted from one.
fn line_of(part: &str) -> usize {
    1 + FAULTY.lines().position(|line| line.contains(part)).unwrap()
}

fn explained(out: &Path) -> BTreeSet<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(out.join("crashes/reports")).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let explain = |path: PathBuf| {
        let smallest = path.to_str().unwrap().replace(".txt", ",min");
        (std::fs::read_to_string(&path).unwrap(), std::fs::read(smallest).unwrap_or_default())
    };
    texts.map(explain).collect()
}

#[test]
fn the_tracer_is_no_part_of_a_stack() {
    let place = tempfile::tempdir().unwrap();
    let (whole, stripped) = (place.path().join("whole"), place.path().join("stripped"));
    build_instrumented(&root().join("examples/calculator.c"), &whole);
    let done = Command::new("strip").arg(&whole).arg("-o").arg(&stripped).status().unwrap();
    assert!(done.success());
    for (program, frames) in [(&whole, 4), (&stripped, 0)] {
        let out = place.path().join("out");
        let options = ["run", "-q", "--force", "--sym-stdin", "5", "--execs", "2500", "--out"];
        let result = run(options.iter().map(OsStr::new).chain([out.as_os_str(), program.as_os_str()]));
        assert_eq!(result.code, Some(1), "{result:?}");
        let report = std::fs::read(out.join("crashes/reports/id:000000.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["frames"].as_array().unwrap().len(), frames, "{report}");
        assert!(!report.to_string().contains("__cairn") && !result.stdout.contains("__cairn"), "{report}");
    }
}

#[test]
fn a_fault_is_reported_once_with_its_line_and_the_smallest_input() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "faulty.c", FAULTY);
    let out = place.path().join("out");
    let out_text = out.to_str().unwrap();
    let result = run([
        "run",
        "-q",
        "--sym-stdin",
        "16",
        "--execs",
        "1500",
        "--out",
        out_text,
        source.to_str().unwrap(),
    ]);
    assert_eq!(result.code, Some(1), "{result:?}");
    let expected = [
        ("failed assertion in depth_of", "assert(depth >= 0)", ")"),
        ("null pointer in depth_of", "*(volatile int *)0", "((!"),
        ("heap corruption detected by libc in main", "if (text[7] == 'y')", "000000xy"),
        ("null pointer in main", "memset(0", "((("),
    ];
    let explained = explained(&out);
    assert_eq!(explained.len(), expected.len(), "{explained:#?}");
    // Further inputs may show the same.
    let counted = ["4 crashes", "4 distinct crashes"].iter().any(|count| result.stdout.contains(count));
    assert!(counted, "{}", result.stdout);
    for (headline, at, input) in expected {
        let headline = format!("{headline} ({}:{})", source.display(), line_of(at));
        let (text, smallest) = explained.iter().find(|(text, _)| text.starts_with(&headline)).unwrap();
        assert_eq!(String::from_utf8_lossy(smallest), input, "{text}");
        assert!(text.contains(&format!("  main ({}:", source.display())), "no stack: {text}");
        assert!(text.lines().any(|line| line.starts_with('>') && line.contains(at)), "no source: {text}");
        assert!(text.contains(&format!("stdin: \"{input}\"")), "no input: {text}");
        let again = text.lines().last().unwrap().trim().strip_prefix("cairn ").unwrap();
        assert_eq!(run(again.split(' ')).code, Some(1), "{again}");
    }
}
