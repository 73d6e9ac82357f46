//! A run of a program that has nothing of Cairn in it, on a test of any kind.

use crate::failure::Failure;
use cairn_campaign::encode_test;
use cairn_exec::{Input, Limits, Object, Run, TargetSpec, run_native};
use cairn_wire::ObjectKind;

/// Names the test to `cairn_replay.c` in a plain build.
const ENV_TEST: &str = "CAIRN_TEST";

/// Runs the program once; what it names itself it reads from a file.
pub fn run_plain(mut spec: TargetSpec, limits: &Limits, input: &Input) -> Result<Run, Failure> {
    let is_named = |object: &&Object| object.kind == ObjectKind::Named;
    let named = Input { objects: input.objects.iter().filter(is_named).cloned().collect() };
    // The rest of the input reaches the program by itself.
    let test = tempfile::NamedTempFile::with_suffix(".ktest")?;
    if !named.objects.is_empty() {
        std::fs::write(test.path(), encode_test(&named, &[]).0)?;
        spec.env.push((ENV_TEST.into(), test.path().into()));
    }
    Ok(run_native(&spec, limits, input)?)
}
