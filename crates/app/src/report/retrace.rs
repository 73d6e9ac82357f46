//! Replays the tests: coverage of each, and diagnosis as by `cairn doctor`.

use crate::error::Error;
use crate::frontend::Frontend;
use cairn_campaign::{Diagnosis, Execution, covered, fit, read_test};
use cairn_exec::{ExitKind, Input, Mode, RunError, Server};
use cairn_expr::Dag;
use cairn_program::{BranchId, Program};
use cairn_tree::Coverage;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time limit of the diagnosis, as of `cairn doctor` by default.
const DIAGNOSIS: Duration = Duration::from_secs(10);

/// A replayed test.
pub struct Retraced {
    /// Its file.
    pub path: PathBuf,
    /// Its input.
    pub input: Input,
    /// Its end; none if it killed the fork server.
    pub end: Option<ExitKind>,
    /// Branches of the user's code that it covered.
    pub branches: Vec<BranchId>,
}

/// Replays every test. Files that cannot be read are left out, with a sentence in `missing`.
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

/// Traces the tests and collects reasons why exploration stalls, within the time limit.
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
                collector.inspect(program, &dag, &Execution { run, trace });
            }
            Err(RunError::ServerDied(_) | RunError::ServerSilent) => server.restart()?,
            Err(other) => return Err(other.into()),
        }
    }
    Ok(collector)
}

/// Returns the coverage of all tests together.
pub fn coverage(program: &Program, tests: &[Retraced]) -> Coverage {
    let mut coverage = Coverage::new(program);
    for test in tests {
        let mut bytes = vec![0; program.branch_count() as usize];
        test.branches.iter().for_each(|branch| bytes[branch.0 as usize] = 1);
        coverage.merge(&bytes);
    }
    coverage
}
