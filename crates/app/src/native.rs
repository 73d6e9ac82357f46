//! Runs of uninstrumented programs on tests.

use crate::error::Error;
use crate::temporary;
use cairn_campaign::encode_test;
use cairn_deadline::Deadline;
use cairn_exec::{Input, Limits, Object, PlainServer, Run, TargetSpec, drops_root, run_native};
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

/// Server of a plain build that has one linked in, with the file for named objects.
#[derive(Debug)]
pub struct TestServer {
    server: PlainServer,
    test: NamedTempFile,
}

impl TestServer {
    /// Prepares the server of a program.
    pub fn new(mut spec: TargetSpec, limits: Limits) -> Result<TestServer, Error> {
        let test = test_file(&mut spec)?;
        Ok(TestServer { server: PlainServer::new(spec, limits)?, test })
    }

    /// Runs the program once.
    pub fn run(&mut self, input: &Input, deadline: &Deadline) -> Result<Run, Error> {
        if input.objects.iter().any(|object| object.kind.is_named()) {
            std::fs::write(self.test.path(), encode_test(&named_objects(input), &[]).0)?;
        }
        Ok(self.server.run(input, deadline)?)
    }
}

/// Passes named objects to a plain build, in a file that exists as long as the returned handle. The rest of
/// the input reaches the program by itself.
fn write_named_objects(spec: &mut TargetSpec, input: &Input) -> Result<Option<NamedTempFile>, Error> {
    let named = named_objects(input);
    if named.objects.is_empty() {
        return Ok(None);
    }
    let test = test_file(spec)?;
    std::fs::write(test.path(), encode_test(&named, &[]).0)?;
    Ok(Some(test))
}

fn named_objects(input: &Input) -> Input {
    let is_named = |object: &&Object| object.kind.is_named();
    Input { objects: input.objects.iter().filter(is_named).cloned().collect() }
}

/// Creates a file for a test, and names it to the program.
fn test_file(spec: &mut TargetSpec) -> Result<NamedTempFile, Error> {
    let test = temporary::file(".ktest")?;
    if spec.sandbox && drops_root() {
        // The program runs as another user, who must be able to read it.
        std::fs::set_permissions(test.path(), Permissions::from_mode(0o644))?;
    }
    spec.readable.push(test.path().to_owned());
    spec.env.push((ENV_TEST.into(), test.path().into()));
    Ok(test)
}
