//! The same seed gives the same campaign, test for test.

use crate::agreement::tests;
use crate::common::{build_instrumented, run};
use crate::example::Example;
use std::collections::BTreeMap;
use std::path::Path;

/// Names and contents of all tests.
fn campaign(example: &Example, program: &Path, seed: u64, out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut args: Vec<String> = ["run", "-q", "--execs", "200", "--seed"].map(str::to_owned).to_vec();
    args.extend([seed.to_string(), "--out".to_owned(), out.display().to_string()]);
    args.extend(example.options());
    args.extend([program.display().to_string(), "--".to_owned()]);
    args.extend(example.args());
    let said = run(&args);
    assert!(matches!(said.code, Some(0 | 1)), "{said:?}");
    let name = |path: &Path| path.strip_prefix(out).unwrap().display().to_string();
    tests(out).iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

fn check(name: &str) {
    let example = Example::named(name);
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    build_instrumented(&example.source, &program);
    let [first, again, other] = [(7, "first"), (7, "again"), (8, "other")]
        .map(|(seed, out)| campaign(&example, &program, seed, &directory.path().join(out)));
    assert!(first.len() > 1, "{name}: too few tests to tell anything");
    assert_eq!(first, again, "{name}");
    assert_ne!(first, other, "{name}: the seed makes no difference");
}

#[test]
fn a_campaign_on_standard_input_repeats() {
    check("calculator");
}

#[test]
fn a_campaign_on_a_file_repeats() {
    check("vm");
}

#[test]
fn a_campaign_on_arguments_repeats() {
    check("replace");
}

#[test]
fn a_campaign_on_named_objects_repeats() {
    check("bitfields");
}
