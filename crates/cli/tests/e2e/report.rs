//! Formats of `cairn report` for other tools, compared with those tools' own figures.

use crate::common::{cairn, output_of, root, run};
use crate::example::Example;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A campaign with an example, with the input and strategy of its header.
fn explore(example: &Example, execs: u64, directory: &Path) -> (PathBuf, Value) {
    let out = directory.join("out");
    let (execs, options, args) = (execs.to_string(), example.options(), example.args());
    let mut words =
        vec!["run", "--quiet", "--json", "--strategy", &example.strategy, "--execs", &execs, "--out"];
    words.extend([out.to_str().unwrap(), example.source.to_str().unwrap()]);
    words.extend(options.iter().map(String::as_str));
    words.extend((!args.is_empty()).then_some("--"));
    words.extend(args.iter().map(String::as_str));
    let result = run(words);
    assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
    (out, serde_json::from_str(&result.stdout).unwrap())
}

fn report(campaign: &Path, options: &[&str]) -> String {
    let result = run(["report", campaign.to_str().unwrap()].iter().chain(options));
    assert_eq!(result.code, Some(0), "{result:?}");
    result.stdout
}

fn json(campaign: &Path, options: &[&str]) -> Value {
    serde_json::from_str(&report(campaign, &[&["--format", "json"], options].concat())).unwrap()
}

#[test]
fn every_format_has_the_same_campaign() {
    let directory = tempfile::tempdir().unwrap();
    let (out, summary) = explore(&Example::named("calculator"), 2000, directory.path());
    let covered = summary["branches_covered"].as_u64().unwrap();
    let total = summary["branches_total"].as_u64().unwrap();

    let all = json(&out, &[]);
    let sides = || {
        all["files"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|f| f["sites"].as_array().unwrap())
            .flat_map(|s| s["sides"].as_array().unwrap())
    };
    assert_eq!(sides().count() as u64, total);
    assert_eq!(sides().filter(|side| side["covered"] == true).count() as u64, covered);
    assert_eq!(all["campaign"]["executions"], summary["executions"]);
    assert_eq!(all["curve"].as_array().unwrap().last().unwrap()["covered"].as_u64(), Some(covered));
    assert_eq!(all["missing"], Value::Array(Vec::new()));

    let table = report(&out, &["--format", "csv"]);
    assert_eq!(table.lines().count() as u64, total + 1);
    let taken = table.lines().skip(1).filter(|row| row.split(',').nth(6) == Some("1"));
    assert_eq!(taken.count() as u64, covered);

    let suite = report(&out, &["--format", "junit"]);
    let count = |word: &str| suite.matches(word).count() as u64;
    assert_eq!(count("<failure "), summary["crashes"].as_u64().unwrap());
    assert_eq!(count("<testcase "), summary["tests"].as_u64().unwrap() + count("<failure "));

    let log: Value = serde_json::from_str(&report(&out, &["--format", "sarif"])).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len() as u64, summary["crashes"].as_u64().unwrap());
    assert_eq!(results[0]["ruleId"], "division by zero");
    check_genhtml(&out, directory.path(), (covered, total));
}

/// With the reading end of its standard output closed: how it ends, and what it complains of.
fn with_closed_output(command: &mut Command) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let directory = tempfile::tempdir().unwrap();
    let source = Example::named("calculator").source;
    let run = ["run", "--quiet", "--sym-stdin", "5", "--execs", "2500", "--out", "out"];
    let found = with_closed_output(cairn().current_dir(&directory).args(run).arg(&source));
    assert_eq!(found, (Some(1), String::new()), "what was found is told by the exit code");
    let told =
        with_closed_output(cairn().current_dir(&directory).args(["report", "out", "--format", "json"]));
    assert_eq!(told, (Some(0), String::new()));
    let compare =
        ["compare", "--quiet", "--strategies", "dfs", "--trials", "1", "--execs", "9", "--csv", "a.csv"];
    let compared = with_closed_output(
        cairn().current_dir(&directory).args(compare).args(["--sym-stdin", "5"]).arg(&source),
    );
    assert_eq!(compared, (Some(0), String::new()));
    assert!(fs::read_to_string(directory.path().join("a.csv")).unwrap().contains("dfs,0,"));
}

#[test]
fn a_changed_source_is_reported_by_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("it's <b>, \"ü\".c");
    fs::copy(&Example::named("calculator").source, &source).unwrap();
    let out = directory.path().join("out");
    let options = ["run", "--quiet", "--sym-stdin", "5", "--execs", "2500", "--out", out.to_str().unwrap()];
    let made = output_of(cairn().args(options).arg(&source));
    assert_eq!(made.code, Some(1), "{made:?}");
    let before = json(&out, &[]);
    assert_eq!(before["campaign"]["program"], "it's <b>, \"ü\"");
    assert_eq!(before["missing"], Value::Array(Vec::new()));
    let later = fs::File::options().append(true).open(&source).unwrap();
    later.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(60)).unwrap();
    let told = run(["report", out.to_str().unwrap(), "--format", "json"]);
    let missing = &serde_json::from_str::<Value>(&told.stdout).unwrap()["missing"];
    assert!(missing[0].as_str().unwrap().starts_with("changed since the program was built"), "{missing}");
    assert!(told.stderr.starts_with("cairn: warning: changed since") && told.code == Some(0), "{told:?}");
}

/// `genhtml` reads the tracefile, and counts what we count.
fn check_genhtml(campaign: &Path, directory: &Path, (covered, total): (u64, u64)) {
    let tracefile = directory.join("trace.info");
    report(campaign, &["--format", "lcov", "--out", tracefile.to_str().unwrap()]);
    let pages = directory.join("pages");
    let result =
        output_of(Command::new("genhtml").arg("--branch-coverage").arg("-o").arg(&pages).arg(&tracefile));
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(result.stdout.contains(&format!("({covered} of {total} branches)")), "{}", result.stdout);
    assert!(!result.stderr.contains("WARNING") && !result.stderr.contains("ERROR"), "{}", result.stderr);
    assert!(pages.join("index.html").is_file());
}

/// Returns a source line without comments.
fn code(text: &str, line: u64) -> String {
    let line = text.lines().nth(line as usize - 1).unwrap_or_default();
    line.split("/*").next().unwrap_or_default().to_owned()
}

/// True if docs/coverage.md explains that the figures of a line differ.
fn is_explained(code: &str, ours: (u64, u64), llvms: (u64, u64)) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    let is_switch = has(&["switch", "case ", "default:"]);
    let is_last_operand = has(&["&&", "||"]) && has(&["return", "="]) && ours.0 <= llvms.0;
    is_switch || is_last_operand
}

#[test]
fn branches_are_those_of_llvm_cov_or_the_difference_is_explained() {
    let mut compared = 0;
    for example in Example::all("examples") {
        let directory = tempfile::tempdir().unwrap();
        let (out, _) = explore(&example, 300, directory.path());
        let all = json(&out, &["--replay-coverage"]);
        for file in all["files"].as_array().unwrap() {
            let text = fs::read_to_string(file["path"].as_str().unwrap()).unwrap();
            let (ours, llvms) = (our_lines(file), llvms_lines(file));
            assert!(!llvms.is_empty(), "{}: llvm-cov saw nothing", example.name);
            let lines: std::collections::BTreeSet<u64> = ours.keys().chain(llvms.keys()).copied().collect();
            for line in lines {
                let figures = |of: &BTreeMap<u64, (u64, u64)>| of.get(&line).copied().unwrap_or_default();
                let (mine, theirs) = (figures(&ours), figures(&llvms));
                let code = code(&text, line);
                assert!(
                    mine == theirs || is_explained(&code, mine, theirs),
                    "{}:{line}: {mine:?} branches and covered ones, llvm-cov says {theirs:?}: {code}",
                    example.name
                );
                compared += u64::from(mine == theirs);
            }
        }
    }
    assert!(compared > 200, "only {compared} lines agree");
    let explanation = fs::read_to_string(root().join("docs/coverage.md")).unwrap();
    assert!(explanation.contains("switch") && explanation.contains("last operand"));
}

fn our_lines(file: &Value) -> BTreeMap<u64, (u64, u64)> {
    let mut lines: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for site in file["sites"].as_array().unwrap() {
        let line = lines.entry(site["line"].as_u64().unwrap()).or_default();
        for side in site["sides"].as_array().unwrap() {
            line.0 += 1;
            line.1 += u64::from(side["covered"] == true);
        }
    }
    lines
}

fn llvms_lines(file: &Value) -> BTreeMap<u64, (u64, u64)> {
    let rows = file["plain"]["lines"].as_array().into_iter().flatten();
    let number = |row: &Value, index: usize| row[index].as_u64().unwrap();
    rows.map(|row| (number(row, 0), (number(row, 1), number(row, 2)))).collect()
}
