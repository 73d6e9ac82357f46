//! The tests once more: what each covers, and what stands in their way.

use crate::error::Error;
use crate::frontend::Frontend;
use cairn_campaign::{Diagnosis, Execution, covered, fit, read_test};
use cairn_exec::{ExitKind, Input, Mode, RunError, Server};
use cairn_expr::Dag;
use cairn_program::{BranchId, Program};
use cairn_tree::Coverage;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Longest time that is spent on what stands in the way.
const DIAGNOSIS: Duration = Duration::from_secs(10);

/// A test that was run again.
pub struct Retraced {
    /// Its file.
    pub path: PathBuf,
    /// Its input.
    pub input: Input,
    /// How it ended; nothing if no server survived it.
    pub end: Option<ExitKind>,
    /// The user's branches that it took.
    pub branches: Vec<BranchId>,
}

/// Runs every test. What cannot be read is left out, and told in `missing`.
pub fn retrace(
    program: &Program,
    server: &mut Server,
    blank: &Input,
    files: &[PathBuf],
    missing: &mut Vec<String>,
    frontend: &dyn Frontend,
) -> Result<Vec<Retraced>, Error> {
    let mut progress = frontend.begin("tests replayed", files.len());
    let mut tests = Vec::with_capacity(files.len());
    for (done, path) in files.iter().enumerate() {
        progress(done);
        match read_test(path, blank) {
            Ok(test) => tests.push(run(program, server, path.clone(), fit(test, blank))?),
            Err(error) => missing.push(error.to_string()),
        }
    }
    Ok(tests)
}

fn run(program: &Program, server: &mut Server, path: PathBuf, input: Input) -> Result<Retraced, Error> {
    let (end, branches) = match covered(program, server, &input) {
        Ok(ran) => (Some(ran.end), ran.branches),
        Err(RunError::ServerDied(_) | RunError::ServerSilent) => {
            server.restart()?;
            (None, Vec::new())
        }
        Err(other) => return Err(Error::new(format_args!("{}: {other}", path.display()))),
    };
    Ok(Retraced { path, input, end, branches })
}

/// Looks at how the program computes with the tests, as `cairn doctor` does, and for no longer.
pub fn diagnose(
    program: &Program,
    server: &mut Server,
    tests: &[Retraced],
    frontend: &dyn Frontend,
) -> Result<Diagnosis, Error> {
    let (mut collector, until) = (Diagnosis::default(), Instant::now() + DIAGNOSIS);
    let mode = Mode { trace: true, diagnose: true, ..Mode::NATIVE };
    let mut progress = frontend.begin("tests diagnosed", tests.len());
    for (done, test) in tests.iter().enumerate().take_while(|_| Instant::now() < until) {
        progress(done);
        let mut dag = Dag::new();
        match server.run(&test.input, mode) {
            Ok(run) => {
                let trace = server.decode(&mut dag);
                collector.look(program, &dag, &Execution { run, trace });
            }
            Err(RunError::ServerDied(_) | RunError::ServerSilent) => server.restart()?,
            Err(other) => return Err(other.into()),
        }
    }
    Ok(collector)
}

/// What all of them cover together.
pub fn coverage(program: &Program, tests: &[Retraced]) -> Coverage {
    let mut coverage = Coverage::new(program);
    for test in tests {
        let mut bytes = vec![0; program.branch_count() as usize];
        test.branches.iter().for_each(|branch| bytes[branch.0 as usize] = 1);
        coverage.merge(&bytes);
    }
    coverage
}
