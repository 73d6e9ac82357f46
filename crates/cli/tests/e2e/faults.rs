//! Planted faults of many kinds: each is found, named, confirmed, told once and made small; and what is no fault is none.

use crate::common::{cairn, output_of, root, run, write_source};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A program with one fault, and what its first comment says of it.
struct Fault {
    source: PathBuf,
    input: String,
    kind: String,
    check: Option<String>,
    /// Part of the line that it is at.
    at: Option<String>,
    /// The size of the smallest input.
    least: Option<u64>,
}

impl Fault {
    fn all() -> Vec<Fault> {
        let directory = std::fs::read_dir(root().join("tests/faults")).unwrap();
        let mut sources: Vec<PathBuf> = directory.map(|entry| entry.unwrap().path()).collect();
        sources.sort();
        sources.into_iter().map(Fault::read).collect()
    }

    fn read(source: PathBuf) -> Fault {
        let text = std::fs::read_to_string(&source).unwrap();
        let lines = text.lines().skip(1).take_while(|line| line.contains(": "));
        let keys: BTreeMap<&str, &str> =
            lines.filter_map(|line| line.trim_start_matches(" * ").split_once(": ")).collect();
        let key = |name: &str| keys.get(name).map(|value| value.trim().to_owned());
        let least = key("least").map(|least| least.split(' ').next().unwrap().parse().unwrap());
        let (input, kind) = (key("input").unwrap(), key("kind").unwrap());
        Fault { input, kind, check: key("check"), at: key("at"), least, source }
    }

    fn run(&self, out: &Path, more: &[&str]) -> (Option<i32>, Value) {
        let (_, length) = self.input.split_once(' ').unwrap();
        let mut command = cairn();
        command.args([
            "run",
            "-q",
            "--json",
            "--execs",
            "2000",
            "--sym-stdin",
            length.trim_start_matches("0-"),
        ]);
        command.args(self.check.iter().flat_map(|check| ["--check", check]));
        let result = output_of(command.args(more).arg("--out").arg(out).arg(&self.source));
        (result.code, serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{result:?}")))
    }

    /// Returns what is wrong with the findings.
    fn complaints(&self) -> Vec<String> {
        let place = tempfile::tempdir().unwrap();
        let (code, summary) = self.run(place.path(), &[]);
        let reports = reports(place.path());
        let mut complaints = Vec::new();
        let mut expect = |is: bool, what: String| complaints.extend((!is).then_some(what));
        if self.kind == "none" {
            expect(reports.is_empty() && code == Some(0), format!("found {reports:#?}, {summary}"));
            return complaints;
        }
        expect(code == Some(1) && summary["crashes"] == 1, format!("exit code {code:?}, {summary}"));
        expect(summary["findings"]["confirmed"] == 1, format!("not confirmed: {summary}"));
        expect(summary["findings"]["kinds"][&self.kind] == 1, format!("not {}: {summary}", self.kind));
        let [(report, text)] = reports.as_slice() else {
            complaints.push(format!("not one report: {reports:#?}"));
            return complaints;
        };
        expect(report["kind"] == self.kind.as_str(), format!("another kind: {report}"));
        expect(report["confirmed"] == true, format!("not confirmed: {report}"));
        let line = report["place"]["line"].as_u64().unwrap_or(0) as usize;
        let source = std::fs::read_to_string(&self.source).unwrap();
        let line = source.lines().nth(line.wrapping_sub(1)).unwrap_or_default();
        let at = self.at.as_deref().unwrap();
        expect(line.contains(at), format!("at `{line}`, not at `{at}`: {report}"));
        expect(text.contains(&format!("| {line}")), format!("the source is not shown: {text}"));
        expect(
            text.contains("Confirmed by a build with sanitizers") || text.contains(" and by a "),
            text.clone(),
        );
        if let Some(least) = self.least {
            expect(report["bytes"] == least, format!("not {least} bytes: {report}"));
        }
        expect(
            place.path().join(report["smallest"].as_str().unwrap()).is_file(),
            format!("no input: {report}"),
        );
        let words = report["reproduce"].as_str().unwrap().strip_prefix("cairn ").unwrap().split(' ');
        let again = run(words);
        let ends = report["end"].as_str().unwrap();
        let shows = again.stderr.contains(ends) || again.stderr.contains("ERROR: AddressSanitizer");
        expect(shows || again.stderr.contains("runtime error"), format!("not shown again: {again:?}"));
        complaints
    }
}

/// The findings that have a report, as programs read them and as people do.
fn reports(out: &Path) -> Vec<(Value, String)> {
    let mut found = Vec::new();
    for place in ["crashes", "hangs"] {
        let entries = std::fs::read_dir(out.join(place).join("reports")).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        for json in paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
            let record: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
            if record["same_as"].is_null() {
                found.push((record, std::fs::read_to_string(json.with_extension("txt")).unwrap()));
            }
        }
    }
    found
}

#[test]
fn every_planted_fault_is_found_confirmed_and_reported_once() {
    let faults = Fault::all();
    let kinds: BTreeSet<&str> = faults.iter().map(|fault| fault.kind.as_str()).collect();
    assert!(kinds.len() > 10, "{kinds:?}");
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = fault.source.file_stem().unwrap().to_string_lossy();
                    let found = fault.complaints();
                    complaints.lock().unwrap().extend(found.into_iter().map(|c| format!("{name}: {c}")));
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// An overflow, a read outside an array, and a crash.
const SEVERAL: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    static const char table[8] = "abcdefg";
    signed char text[3];
    if (fread(text, 3, 1, stdin) != 1) return 1;
    int big = text[0] * 1000000, hits = 0;
    if (table[text[1] & 15] == 'c') hits++;
    if (big + 2147000000 == 7) hits++;
    if (text[2] == '!') abort();
    return hits;
}
"#;

#[test]
fn what_only_cairn_sees_is_never_called_confirmed() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "several.c", SEVERAL);
    let program = place.path().join("several");
    let out = place.path().join("out");
    let (source, program_text) = (source.to_str().unwrap(), program.to_str().unwrap());
    let run_it = |options: &[&str]| {
        let always = ["run", "-q", "--json", "--force", "--sym-stdin", "3", "--out", out.to_str().unwrap()];
        run(always.into_iter().chain(options.iter().copied()))
    };
    let build = |checks: &str| {
        let mut command = cairn();
        let built = output_of(command.env("CAIRN_CC_CHECK", checks).env("CAIRN_CC_RECORD", "0").args([
            "cc",
            source,
            "-o",
            program_text,
        ]));
        assert_eq!(built.code, Some(0), "{built:?}");
    };
    build("");
    let refused = run_it(&["--check", "overflow", program_text]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("CAIRN_CC_CHECK=overflow"), "{}", refused.stderr);
    build("overflow");
    let result = run_it(&["--check", "overflow", program_text]);
    let summary: Value = serde_json::from_str(&result.stdout).unwrap();
    assert_eq!(
        (&summary["findings"]["confirmed"], &summary["findings"]["unconfirmed"]),
        (&1.into(), &2.into())
    );
    for (report, text) in reports(&out) {
        let confirmed = report["kind"] == "abort";
        assert_eq!(report["confirmed"], confirmed, "{report}");
        assert_eq!(text.contains("Unconfirmed: seen by Cairn only"), !confirmed, "{text}");
    }
    // With the records of its build all three are seen by others as well.
    let result = run_it(&["--check", "overflow", source]);
    let summary: Value = serde_json::from_str(&result.stdout).unwrap();
    assert_eq!(
        (&summary["findings"]["confirmed"], &summary["findings"]["unconfirmed"]),
        (&3.into(), &0.into())
    );
    // Its check was not asked for.
    let result = run_it(&["--no-sanitizers", source]);
    let summary: Value = serde_json::from_str(&result.stdout).unwrap();
    assert!(summary["findings"]["kinds"]["signed overflow"].is_null(), "{summary}");
    assert_eq!(summary["findings"]["unconfirmed"], 1, "{summary}");
}

#[test]
fn a_path_condition_is_one_that_holds() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "several.c", SEVERAL);
    let out = place.path().join("out");
    let result = run([
        "run",
        "-q",
        "--no-sanitizers",
        "--path-conditions",
        "--check",
        "all",
        "--sym-stdin",
        "3",
        "--out",
        out.to_str().unwrap(),
        source.to_str().unwrap(),
    ]);
    assert_eq!(result.code, Some(1), "{result:?}");
    let reports = reports(&out);
    assert_eq!(reports.len(), 3, "{reports:#?}");
    for (report, text) in reports {
        let file = out.join(report["path_condition"].as_str().unwrap());
        let solved = run(["solve", file.to_str().unwrap()]);
        assert_eq!((solved.code, solved.stdout.lines().next()), (Some(0), Some("sat")), "{solved:?}");
        assert!(text.contains(".smt2"), "{text}");
    }
}

#[test]
fn a_check_that_is_none_is_refused_with_the_names_of_those_there_are() {
    let wrong = run(["run", "--check", "overflow,wrap", "a.c"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("`wrap`") && wrong.stderr.contains("overflow, shift, bounds, all"),
        "{wrong:?}"
    );
    let wrong = output_of(cairn().env("CAIRN_CC_CHECK", "wrap").args(["cc", "--version"]));
    assert!(wrong.stderr.contains("CAIRN_CC_CHECK") && wrong.stderr.contains("overflow"), "{wrong:?}");
}

#[test]
fn findings_survive_the_death_of_the_campaign() {
    const KILLS: u32 = 8;
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "several.c", SEVERAL);
    let campaign = |out: &Path, more: &[&str]| {
        let mut command = cairn();
        command.args(["run", "-q", "--json", "--check", "overflow", "--sym-stdin", "3"]).args(more);
        command.arg("--out").arg(out).arg(&source);
        command
    };
    let figures = |out: &Path, more: &[&str]| {
        let result = output_of(&mut campaign(out, more));
        let summary: Value = serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{result:?}"));
        (summary["findings"].clone(), summary["crashes"].clone(), summary["executions"].clone())
    };
    let (whole, killed) = (place.path().join("whole"), place.path().join("killed"));
    let begun = Instant::now();
    let expected = figures(&whole, &[]);
    let time = begun.elapsed();
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..KILLS {
        let how = if killed.join("queue").exists() { "--resume" } else { "--force" };
        let mut command = campaign(&killed, &[how]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(time.mul_f64(rng.f64()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(figures(&killed, &["--resume"]), expected);
    assert_eq!(essence(&killed), essence(&whole));
    // What is over can be looked at again, and is what it was.
    assert_eq!(figures(&killed, &["--resume"]), expected);
    assert_eq!(essence(&killed), essence(&whole));
}

/// Returns the findings without addresses, in a fixed order.
fn essence(out: &Path) -> BTreeSet<String> {
    let told = |report: &Value| {
        let told = ["kind", "place", "confirmed_by", "bytes", "input", "smallest"]
            .map(|key| report[key].to_string());
        told.join(" ")
    };
    reports(out).iter().map(|(report, _)| told(report)).collect()
}

#[test]
fn findings_of_sanitizers_survive_resumption() {
    let place = tempfile::tempdir().unwrap();
    let fault = Fault::read(root().join("tests/faults/freed_read.c"));
    let (_, first) = fault.run(place.path(), &[]);
    assert_eq!(first["findings"]["kinds"]["heap use after free"], 1, "{first}");
    let before = essence(place.path());
    let again = |what: &str| {
        let (_, summary) = fault.run(place.path(), &["--resume"]);
        assert_eq!(summary["findings"], first["findings"], "{what}");
        assert_eq!(essence(place.path()), before, "{what}");
    };
    again("as it was");
    let record = std::fs::read_dir(place.path().join("crashes/reports")).unwrap();
    let record =
        record.map(|entry| entry.unwrap().path()).find(|path| path.extension() == Some("json".as_ref()));
    std::fs::remove_file(record.unwrap()).unwrap();
    // When a path is noted as checked, all that was said of it is written.
    std::fs::remove_file(place.path().join("checked_paths")).unwrap();
    again("with half a report");
}

/// Leaves a process in a session of its own behind.
const DAEMON: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) {
    if (getchar() == 'd' && fork() == 0) {
        setsid();
        if (fork() == 0)
            sleep(60);
        _exit(0);
    }
    return 0;
}
"#;

#[test]
fn builds_that_confirm_leave_no_process_behind() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "daemon.c", DAEMON);
    let out = place.path().join("out");
    let result =
        run(["run", "-q", "--sym-stdin", "1", "--out", out.to_str().unwrap(), source.to_str().unwrap()]);
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(out.join("cairn-build/daemon.sanitized").is_file(), "{result:?}");
    let programs = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path().join("exe")).ok());
    let left: Vec<PathBuf> = programs.filter(|program| program.starts_with(place.path())).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// The operands are constants by the time they are used: it was decided before which.
const DECIDED_BEFORE: &str = r#"
#include <limits.h>
#include <stdio.h>
int main(void) {
    int c = getchar();
    int parts = c == 'z' ? 0 : 1;
    int whole = c == 'm' ? INT_MAX : 7;
    int share = 100 / parts;
    int next = whole + 1;
    return (share & 1) + (next == 3);
}
"#;

#[test]
fn operands_that_do_not_depend_on_the_input_themselves_are_looked_at_too() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "before.c", DECIDED_BEFORE);
    let out = place.path().join("out");
    let mut command = cairn();
    command.args(["run", "-q", "--json", "--no-sanitizers", "--check", "all", "--sym-stdin", "1", "--out"]);
    let result = output_of(command.arg(&out).arg(&source));
    assert_eq!(result.code, Some(1), "{result:?}");
    let summary: Value = serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{result:?}"));
    assert_eq!(summary["findings"]["kinds"]["division by zero"], 1, "{summary}");
    assert_eq!(summary["findings"]["kinds"]["signed overflow"], 1, "{summary}");
    assert_eq!(summary["crashes"], 2, "{summary}");
}
