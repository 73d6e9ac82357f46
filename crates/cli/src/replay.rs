//! `cairn replay`: runs saved tests on an instrumented program or any other build of it.

use crate::args::ReplayArgs;
use crate::failure::{FOUND, Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::message::{forward, log, print, warn};
use cairn_app::native::run_plain;
use cairn_app::numbers::counted;
use cairn_app::suite::files_in;
use cairn_app::target;
use cairn_campaign::{input_files, read_test};
use cairn_deadline::Deadline;
use cairn_exec::{Arg, Input, Mode, Object, Output, Run, RunError, Server, SymbolicFile, TargetSpec};
use cairn_program::{Program, ProgramError};
use cairn_wire::ObjectKind;
use std::io::{IsTerminal, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Runs the tests and prints how each ended.
pub fn replay(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let replay = Replay { args, branches: branches(&args.target)? };
    match args.tests.as_slice() {
        [test] if !test.is_dir() => replay.one(test),
        tests => replay.all(tests),
    }
}

/// Returns the number of branches of an instrumented program; none for any other.
fn branches(target: &Path) -> Result<Option<usize>, Failure> {
    match Program::read(target) {
        Ok(program) => Ok(Some(program.branch_count() as usize)),
        Err(ProgramError::NotInstrumented { .. } | ProgramError::ForeignMain { .. }) => Ok(None),
        Err(ProgramError::NotExecutable { kind, .. }) if kind.may_run() => Ok(None),
        Err(other) => Err(other.into()),
    }
}

/// A program that tests are run on.
struct Replay<'a> {
    args: &'a ReplayArgs,
    branches: Option<usize>,
}

impl Replay<'_> {
    /// Runs a single test and shows the program's output.
    fn one(&self, test: &Path) -> Result<ExitCode, Failure> {
        // Output for a terminal is captured and made safe first. With the terminal itself, a program could
        // even type.
        let output = match stdout().is_terminal() || stderr().is_terminal() {
            true => Output::Capture,
            false => Output::Inherit,
        };
        let run = self.run(test, output)?;
        forward(&run.stdout, &run.stderr)?;
        log(format_args!("cairn: {}: {}\n", self.args.target.display(), run.end));
        Ok(ExitCode::from(if run.end.is_finding() { FOUND } else { NOTHING_FOUND }))
    }

    /// Runs all tests of some paths and prints a line for each. The programs' output would bury the lines.
    fn all(&self, paths: &[PathBuf]) -> Result<ExitCode, Failure> {
        let (mut runs, mut findings, mut failures) = (0, 0, 0);
        for path in paths {
            for file in files_in(input_files(path)?, &Console) {
                runs += 1;
                match self.run(&file, Output::Discard) {
                    Ok(run) => {
                        findings += u64::from(run.end.is_finding());
                        print(format_args!("{}: {}\n", file.display(), run.end))?;
                    }
                    Err(failure) => {
                        failures += 1;
                        warn(format_args!("{}: {failure}", file.display()));
                    }
                }
            }
        }
        let (tests, crashed) =
            (counted(runs, "test", "tests"), counted(findings, "crash or hang", "crashes or hangs"));
        log(format_args!("cairn: {}: {tests}, {crashed}\n", self.args.target.display()));
        if failures > 0 {
            let failed = counted(failures, "test was", "tests were");
            return Err(Failure::new(format_args!("{failed} not run")));
        }
        Ok(ExitCode::from(if findings > 0 { FOUND } else { NOTHING_FOUND }))
    }

    fn run(&self, test: &Path, output: Output) -> Result<Run, Failure> {
        let mut input = read_test(test, &raw_shape(self.args))?;
        place_arguments(&mut input, self.args.args.len());
        let spec = self.spec(&input, output)?;
        if self.branches.is_none() {
            return Ok(run_plain(spec, &self.args.sandbox.settings().limits(), &input, &Deadline::never())?);
        }
        let mut server = Server::start(spec, self.args.sandbox.settings().limits())?;
        match server.run(&input, Mode::NATIVE) {
            Err(RunError::ServerDied(end)) => Ok(Run { end, ..Run::of_nothing(&input) }),
            other => Ok(other?),
        }
    }

    /// Describes how to run the program on a test.
    fn spec(&self, input: &Input, output: Output) -> Result<TargetSpec, Failure> {
        let args = self.args;
        let mut spec = TargetSpec::new(&args.target, self.branches.unwrap_or(0));
        spec.timeout = Duration::from_millis(args.timeout);
        spec.output = output;
        args.sandbox.settings().apply(&mut spec)?;
        spec.readable.extend(target::named_by(&args.target, &args.args));
        let of_kind = |kind: ObjectKind| input.objects.iter().filter(move |object| object.kind == kind);
        let file = |object: &Object| SymbolicFile { name: object.name.clone(), len: object.bytes.len() };
        spec.files = of_kind(ObjectKind::File).map(file).collect();
        spec.args = target::arguments(&args.args, &spec.files);
        spec.args.extend(of_kind(ObjectKind::Arg).map(|object| Arg::Symbolic(object.bytes.len())));
        Ok(spec)
    }
}

/// Returns the shape of raw tests: the file that the arguments or the user name, or standard input.
fn raw_shape(args: &ReplayArgs) -> Input {
    let has_placeholder = args.args.iter().any(target::has_placeholder);
    let object = match &args.file {
        Some(name) => Object::file(name, []),
        None if has_placeholder => Object::file(target::FILE_NAME, []),
        None => Object::stdin([]),
    };
    Input { objects: vec![object] }
}

/// Numbers symbolic arguments, which follow the others in order.
fn place_arguments(input: &mut Input, others: usize) {
    let arguments = input.objects.iter_mut().filter(|object| object.kind.is_argument());
    for (object, index) in arguments.zip(others as u32 + 1..) {
        object.index = index;
    }
}
