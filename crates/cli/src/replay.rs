//! `cairn replay`: one saved test, on an instrumented program or any other build of it.

use crate::args::ReplayArgs;
use crate::failure::{FOUND, Failure, NOTHING_FOUND};
use crate::message::tell;
use crate::native::run_plain;
use crate::target;
use cairn_campaign::read_test;
use cairn_exec::{Arg, End, Input, Mode, Object, Output, RunError, Server, SymbolicFile, TargetSpec};
use cairn_program::{Program, ProgramError};
use cairn_wire::ObjectKind;
use std::process::ExitCode;
use std::time::Duration;

/// Runs the test and tells how it ended.
pub fn replay(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let mut input = read_test(&args.test, &raw_shape(args))?;
    place_arguments(&mut input, args.args.len());
    let end = match Program::read(&args.target) {
        Ok(program) => replay_instrumented(args, &input, program.branch_count() as usize)?,
        // Whatever else it is, it may still be a program.
        Err(ProgramError::NotInstrumented { .. } | ProgramError::NotExecutable { .. }) => {
            replay_plain(args, &input)?
        }
        Err(other) => return Err(other.into()),
    };
    tell(format_args!("cairn: {}: {end}\n", args.target.display()));
    Ok(ExitCode::from(if end.is_finding() { FOUND } else { NOTHING_FOUND }))
}

/// Where raw bytes go: to the file that the arguments or the user name, or else to standard input.
fn raw_shape(args: &ReplayArgs) -> Input {
    let marked = args.args.iter().any(target::is_marked);
    let object = match &args.file {
        Some(name) => Object::file(name, []),
        None if marked => Object::file(target::FILE_NAME, []),
        None => Object::stdin([]),
    };
    Input { objects: vec![object] }
}

fn replay_instrumented(args: &ReplayArgs, input: &Input, coverage: usize) -> Result<End, Failure> {
    let mut server = Server::start(spec(args, input, coverage)?, args.room.limits())?;
    match server.run(input, Mode::NATIVE) {
        Ok(run) => Ok(run.end),
        Err(RunError::ServerDied(end)) => Ok(end),
        Err(other) => Err(other.into()),
    }
}

fn replay_plain(args: &ReplayArgs, input: &Input) -> Result<End, Failure> {
    Ok(run_plain(spec(args, input, 0)?, &args.room.limits(), input)?.end)
}

/// The program's surroundings as the test wants them.
fn spec(args: &ReplayArgs, input: &Input, coverage: usize) -> Result<TargetSpec, Failure> {
    let mut spec = TargetSpec::new(&args.target, coverage);
    spec.timeout = Duration::from_millis(args.timeout);
    spec.output = Output::Inherit;
    args.room.furnish(&mut spec)?;
    spec.readable.extend(target::named_by(&args.target, &args.args));
    let of_kind = |kind: ObjectKind| input.objects.iter().filter(move |object| object.kind == kind);
    let file = |object: &Object| SymbolicFile { name: object.name.clone(), len: object.bytes.len() };
    spec.files = of_kind(ObjectKind::File).map(file).collect();
    spec.args = target::arguments(&args.args, &spec.files);
    spec.args.extend(of_kind(ObjectKind::Arg).map(|object| Arg::Symbolic(object.bytes.len())));
    Ok(spec)
}

/// Symbolic arguments stand after the others, in order.
fn place_arguments(input: &mut Input, others: usize) {
    let arguments = input.objects.iter_mut().filter(|object| object.kind == ObjectKind::Arg);
    for (object, index) in arguments.zip(others as u32 + 1..) {
        object.index = index;
    }
}
