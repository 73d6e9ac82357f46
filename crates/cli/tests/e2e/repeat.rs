//! The same seed gives the same campaign, test for test.

use crate::agreement::tests;
use crate::common::{CommandOutput, build_instrumented, run};
use crate::example::Example;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs a campaign with JSON output.
fn figures(example: &Example, program: &Path, strategy: &str, options: &[String]) -> CommandOutput {
    let mut args: Vec<String> = ["run", "-q", "--json", "--strategy", strategy].map(str::to_owned).to_vec();
    args.extend(options.iter().cloned().chain(example.options()));
    args.extend([program.display().to_string(), "--".to_owned()]);
    args.extend(example.args());
    run(&args)
}

/// Names and contents of all tests.
fn campaign(
    example: &Example,
    program: &Path,
    (strategy, seed): (&str, u64),
    out: &Path,
) -> BTreeMap<String, Vec<u8>> {
    let options = ["--execs", "200", "--seed", &seed.to_string(), "--out", &out.display().to_string()];
    let result = figures(example, program, strategy, &options.map(str::to_owned));
    assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
    let name = |path: &Path| path.strip_prefix(out).unwrap().display().to_string();
    tests(out).iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

fn check(name: &str, strategy: &str) {
    let example = Example::named(name);
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    build_instrumented(&example.source, &program);
    let [first, again, other] = [(7, "first"), (7, "again"), (8, "other")]
        .map(|(seed, out)| campaign(&example, &program, (strategy, seed), &directory.path().join(out)));
    assert!(first.len() > 1, "{name}: too few tests to tell anything");
    assert_eq!(first, again, "{name}");
    assert_ne!(first, other, "{name}: the seed makes no difference");
}

#[test]
fn a_campaign_on_standard_input_repeats() {
    check("calculator", "auto");
}

#[test]
fn a_campaign_on_a_file_repeats() {
    check("vm", "auto");
}

#[test]
fn a_campaign_on_arguments_repeats() {
    check("replace", "auto");
}

#[test]
fn a_campaign_on_named_objects_repeats() {
    check("bitfields", "auto");
}

#[test]
fn a_campaign_that_prunes_repeats() {
    check("calculator", "homi[cycle=5,rounds=40/4,explore=2,least=10]:cpicnt");
}

#[test]
fn pruning_leaves_no_path_out() {
    let example = Example::named("utf8");
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    build_instrumented(&example.source, &program);
    let [plain, pruned] = ["cpicnt", "homi[cycle=2,rounds=8/4,explore=1,least=2]:cpicnt"].map(|strategy| {
        let out = directory.path().join(&strategy[..4]).display().to_string();
        let result = figures(&example, &program, strategy, &["--out".to_owned(), out]);
        let told: Value = serde_json::from_str(&result.stdout).unwrap();
        assert_eq!(told["exhausted"], true, "{strategy}: {told}");
        ["executions", "branches_covered"].map(|figure| told[figure].clone())
    });
    assert_eq!(plain, pruned);
}
