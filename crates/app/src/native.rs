//! Runs of uninstrumented programs on tests.

use crate::error::Error;
use crate::temporary;
use cairn_campaign::encode_test;
use cairn_deadline::Deadline;
use cairn_exec::{Input, Limits, Object, Run, TargetSpec, drops_root, run_native};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use tempfile::NamedTempFile;

/// Environment variable that names the test to `cairn_replay.c` in a plain build.
const ENV_TEST: &str = "CAIRN_TEST";

/// Runs the program once.
pub fn run_plain(
    mut spec: TargetSpec,
    limits: &Limits,
    input: &Input,
    deadline: &Deadline,
) -> Result<Run, Error> {
    let _named = write_named_objects(&mut spec, input)?;
    Ok(run_native(&spec, limits, input, deadline)?)
}

/// Passes named objects to a plain build, in a file that exists as long as the returned handle. The rest of
/// the input reaches the program by itself.
fn write_named_objects(spec: &mut TargetSpec, input: &Input) -> Result<Option<NamedTempFile>, Error> {
    let is_named = |object: &&Object| object.kind.is_named();
    let named = Input { objects: input.objects.iter().filter(is_named).cloned().collect() };
    if named.objects.is_empty() {
        return Ok(None);
    }
    let test = temporary::file(".ktest")?;
    std::fs::write(test.path(), encode_test(&named, &[]).0)?;
    if spec.sandbox && drops_root() {
        // The program runs as another user, who must be able to read it.
        std::fs::set_permissions(test.path(), Permissions::from_mode(0o644))?;
    }
    spec.readable.push(test.path().to_owned());
    spec.env.push((ENV_TEST.into(), test.path().into()));
    Ok(Some(test))
}
