//! Tests in the formats of other tools, there and back.

use crate::common::{output_of, run, write_source};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Ends with 0 to 3, as far as the input is right.
const PASSWORD: &str = r#"
#include <unistd.h>
int main(void)
{
    char b[3] = {0};
    if (read(0, b, 3) < 3 || b[0] != 'A')
        return 0;
    if (b[1] != 'B')
        return 1;
    return b[2] == 'C' ? 3 : 2;
}
"#;

/// Ends with 1 to 7, each for other values.
const NONDET: &str = r#"
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern float __VERIFIER_nondet_float(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void)
{
    if (__VERIFIER_nondet_int() == -123456) {
        if (__VERIFIER_nondet_uchar() == 200)
            return __VERIFIER_nondet_bool() ? 1 : 2;
        return 3;
    }
    if (__VERIFIER_nondet_float() == 0.1f)
        return 4;
    if (__VERIFIER_nondet_ulong() == 0xfedcba9876543210UL)
        return __VERIFIER_nondet_int() < 0 ? 5 : 6;
    return 7;
}
"#;

/// Harness that a Test-Comp validator links to the program: it reads values as text.
const SCANNING: &str = r#"
#include <stdio.h>
int __VERIFIER_nondet_int(void) { int v; scanf("%d", &v); return v; }
unsigned char __VERIFIER_nondet_uchar(void) { unsigned v; scanf("%u", &v); return v; }
unsigned long __VERIFIER_nondet_ulong(void) { unsigned long v; scanf("%lu", &v); return v; }
float __VERIFIER_nondet_float(void) { float v; scanf("%f", &v); return v; }
_Bool __VERIFIER_nondet_bool(void) { int v; scanf("%d", &v); return v; }
"#;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

fn contents(directory: &Path) -> BTreeSet<Vec<u8>> {
    files(directory).into_values().collect()
}

/// A campaign's directory.
fn campaign(directory: &Path, source: &Path, more: &[&str]) -> (PathBuf, serde_json::Value) {
    let out = directory.join("campaign");
    let result = run(["run", "--quiet", "--json", "--out", text(&out), text(source)].iter().chain(more));
    assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
    (out, serde_json::from_str(&result.stdout).unwrap())
}

fn export(from: &Path, format: &str, to: &Path) {
    let result = run(["export", text(from), "--format", format, "--out", text(to)]);
    assert_eq!(result.code, Some(0), "{result:?}");
}

/// Branches that these seeds cover, without any search.
fn covered_by(seeds: &Path, program: &Path, out: &Path) -> u64 {
    let count = fs::read_dir(seeds).unwrap().count().to_string();
    let args = ["run", "--quiet", "--json", "--sym-stdin", "3", "--execs", &count, "--seeds", text(seeds)];
    let result = run(args.iter().chain(&["--out", text(out), text(program)]));
    assert_eq!(result.code, Some(0), "{result:?}");
    let summary: serde_json::Value = serde_json::from_str(&result.stdout).unwrap();
    summary["branches_covered"].as_u64().unwrap()
}

/// The objects of a file in KLEE's format, as `ktest-tool` reads them.
fn klee_objects(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut rest = file.strip_prefix(b"KTEST").unwrap();
    let number = |rest: &mut &[u8]| {
        let (word, behind) = rest.split_first_chunk().unwrap();
        *rest = behind;
        u32::from_be_bytes(*word)
    };
    let string = |rest: &mut &[u8]| {
        let length = number(rest) as usize;
        let (bytes, behind) = rest.split_at(length);
        *rest = behind;
        bytes.to_vec()
    };
    assert_eq!(number(&mut rest), 3);
    for _ in 0..number(&mut rest) {
        string(&mut rest);
    }
    let (_, _) = (number(&mut rest), number(&mut rest));
    let object = |rest: &mut &[u8]| (String::from_utf8(string(rest)).unwrap(), string(rest));
    let objects = (0..number(&mut rest)).map(|_| object(&mut rest)).collect();
    assert!(rest.is_empty());
    objects
}

#[test]
fn tests_go_to_other_tools_and_back() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let source = write_source(place.path(), "password.c", PASSWORD);
    let (out, summary) = campaign(place.path(), &source, &["--sym-stdin", "3"]);
    let tests = contents(&out.join("queue"));
    assert!(tests.len() >= 4, "{tests:?}");

    export(&out, "ktest", &at("klee"));
    let names: Vec<String> = files(&at("klee")).into_keys().collect();
    assert_eq!(names[0], "test000001.ktest");
    let streams: BTreeSet<Vec<u8>> = files(&at("klee"))
        .values()
        .map(|file| match klee_objects(file).as_slice() {
            [(name, bytes)] if name == "stdin" => bytes.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(streams, tests);

    export(&at("klee"), "libfuzzer", &at("corpus"));
    assert_eq!(contents(&at("corpus")), tests);
    let program = out.join("cairn-build/password");
    for seeds in ["klee", "corpus"] {
        let again = covered_by(&at(seeds), &program, &at(&format!("from-{seeds}")));
        assert_eq!(Some(again), summary["branches_covered"].as_u64(), "{seeds}");
    }
}

#[test]
fn a_test_suite_of_test_comp_does_what_the_campaign_did() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "nondet.c", NONDET);
    let (out, _) = campaign(place.path(), &source, &[]);
    let suite = place.path().join("suite");
    export(&out, "testcomp", &suite);
    let mut files = files(&suite);
    let metadata = String::from_utf8(files.remove("metadata.xml").unwrap()).unwrap();
    check_metadata(&metadata, &source);

    let harness = write_source(place.path(), "scanning.c", SCANNING);
    let plain = place.path().join("plain");
    let built = output_of(Command::new("clang-19").args([&source, &harness]).arg("-o").arg(&plain));
    assert_eq!(built.code, Some(0), "{built:?}");
    let ends: BTreeSet<Option<i32>> = files.values().map(|file| end_on(&plain, &values(file))).collect();
    assert_eq!(ends, (1..=7).map(Some).collect(), "{files:?}");
}

/// Checks that all parts of the metadata are there, in the order of the format's definition.
fn check_metadata(metadata: &str, source: &Path) {
    let parts: Vec<&str> = metadata
        .lines()
        .filter_map(|line| line.trim().strip_prefix('<')?.split_once("</"))
        .map(|(_, end)| end)
        .collect();
    let order = [
        "sourcecodelang>",
        "producer>",
        "specification>",
        "programfile>",
        "programhash>",
        "entryfunction>",
        "architecture>",
        "creationtime>",
    ];
    assert_eq!(parts, order, "{metadata}");
    let hash = output_of(Command::new("sha256sum").arg(source)).stdout;
    let hash = hash.split(' ').next().unwrap();
    assert!(metadata.contains(&format!("<programhash>{hash}</programhash>")), "{metadata}");
}

/// The values of a test, one per line.
fn values(file: &[u8]) -> String {
    let text = std::str::from_utf8(file).unwrap();
    let value = |line: &str| Some(format!("{}\n", line.split_once('>')?.1.strip_suffix("</input>")?));
    text.lines().filter_map(value).collect()
}

fn end_on(program: &Path, input: &str) -> Option<i32> {
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it can be started");
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), input.as_bytes()).unwrap();
    child.wait().unwrap().code()
}

#[test]
fn few_tests_cover_what_all_cover() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "password.c", PASSWORD);
    let (out, summary) = campaign(place.path(), &source, &["--sym-stdin", "3"]);
    let program = out.join("cairn-build/password");
    let inputs = place.path().join("inputs");
    fs::create_dir(&inputs).unwrap();
    for (number, content) in ["", "x", "Axx", "ABx", "ABxx", "ABC", "ABC and more", "Bxx"].iter().enumerate()
    {
        fs::write(inputs.join(number.to_string()), content).unwrap();
    }
    let small = place.path().join("small");
    let (inputs, small_text) = (text(&inputs), text(&small));
    let result = run(["cmin", inputs, text(&program), "--sym-stdin", "3", "--out", small_text]);
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(result.stdout.starts_with("5 of 8 tests cover all"), "{result:?}");
    assert!(contents(&small).is_superset(&["Axx", "ABx", "ABC"].map(|t| t.as_bytes().to_vec()).into()));
    let again = covered_by(&small, &program, &place.path().join("again"));
    assert_eq!(Some(again), summary["branches_covered"].as_u64());

    // A campaign's directory knows its program, and its tests are few already.
    let result = run(["cmin", text(&out)]);
    assert_eq!(result.code, Some(0), "{result:?}");
    let queue = text(&out.join("queue")).to_owned();
    assert!(result.stdout.lines().all(|line| line.starts_with(&queue)), "{result:?}");
    assert!(result.stderr.contains("tests cover all"), "{result:?}");
}
