//! Preparation of a target: builds it, and describes how to start it.

use crate::compile;
use crate::error::Error;
use crate::frontend::Frontend;
use crate::numbers::counted;
use crate::subject::{SandboxSettings, Subject, SymbolicInput, length};
use cairn_campaign::{Replay, Seeds, read_seeds};
use cairn_exec::{Arg, Input, Protection, SymbolicFile, TargetSpec, drops_root};
use cairn_instrument::driver::ENV_CHECK;
use cairn_program::{FUZZ_TARGET, Program, ProgramError};
use cairn_wire::Checks;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Placeholder in arguments for the path of a symbolic file.
pub const FILE_PLACEHOLDER: &str = "@@";
/// Name of the first symbolic file that the user does not name.
pub const FILE_NAME: &str = "input";
/// Bytes of symbolic standard input of a fuzz target by default; a chosen size.
const FUZZ_INPUT: usize = 64;

/// Most symbolic files: the runtime distinguishes 16 streams, and one is standard input.
const MAX_FILES: usize = 15;

/// Returns the path of the program, after compiling source files to where `place` puts the program of the
/// first one.
pub fn program_path(
    subject: &Subject,
    checks: Checks,
    place: impl FnOnce(&Path) -> Result<PathBuf, Error>,
) -> Result<PathBuf, Error> {
    let files = subject.target.as_slice();
    match files {
        [program] if !compile::is_source(program) => Ok(program.clone()),
        _ if files.iter().any(|f| compile::is_source(f)) && !files.iter().any(|f| is_program(f)) => {
            let program = place(&files[0])?;
            compile::build(files, &program, checks)?;
            Ok(program)
        }
        _ => Err(Error::new("give one program, or C files (arguments of the program go after --)")),
    }
}

/// Returns the source files that the program is compiled from; none if it is given as a program.
pub fn sources(subject: &Subject) -> Option<&[PathBuf]> {
    subject.target.iter().any(|file| compile::is_source(file)).then_some(subject.target.as_slice())
}

/// Refuses a program that was built without the fault checks asked for.
pub fn demand_checks(program: &Program, path: &Path, wanted: Checks) -> Result<(), Error> {
    let missing = wanted.without(program.checks());
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::new(format_args!(
        "{} was not built for --check {1}: build it again with {ENV_CHECK}={1} in the environment of cairn cc",
        path.display(),
        missing.names()
    )))
}

/// True if a file among sources is a whole program. Shared libraries are recognised by their names.
fn is_program(path: &Path) -> bool {
    let is_library = path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
    let is_linked = !matches!(
        Program::read(path),
        Err(ProgramError::NotExecutable { .. } | ProgramError::Missing { .. } | ProgramError::Unreadable(_))
    );
    is_linked && !is_library
}

/// Describes how to run the program, with `timeout` milliseconds for each run.
pub fn spec(subject: &Subject, path: &Path, program: &Program, timeout: u64) -> Result<TargetSpec, Error> {
    let mut spec = TargetSpec::new(path, program.branch_count() as usize);
    spec.timeout = Duration::from_millis(timeout);
    spec.sites = Some(program.site_count());
    subject.sandbox.apply(&mut spec)?;
    spec.readable.extend(subject.target.iter().cloned());
    spec.readable.extend(named_by(path, if subject.are_args_untrusted { &[] } else { &subject.args }));
    describe(&mut spec, &subject.input, &subject.args)?;
    supply_fuzz_target(&mut spec, program);
    Ok(spec)
}

/// Returns the program's name: its file, or the first of its sources without extension.
pub fn name(target: &[PathBuf]) -> String {
    let first = target.first().map_or(Path::new(""), PathBuf::as_path);
    let name = if compile::is_source(first) { first.file_stem() } else { first.file_name() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the program and its arguments. The program has its bare name: its directory says nothing about the
/// campaign.
pub fn command(spec: &TargetSpec, subject: &Subject) -> Vec<String> {
    let name = spec.path.file_name().unwrap_or(spec.path.as_os_str());
    let words = std::iter::once(name).chain(subject.args.iter().map(OsString::as_os_str));
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Returns the command that replays a test of this target on a build of it.
pub fn replay_command(subject: &Subject, program: &Path) -> Replay {
    let mut before = vec!["cairn".to_owned(), "replay".to_owned()];
    if let Some(file) = subject.input.files.first().and_then(|f| f.name.clone()) {
        before.extend(["--file".to_owned(), file]);
    }
    before.extend(subject.sandbox.options());
    before.push(program.to_string_lossy().into_owned());
    let mut after: Vec<String> = subject.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    if !after.is_empty() {
        after.insert(0, "--".to_owned());
    }
    Replay { before, after }
}

/// Lists files and directories that a program is known to read: its libraries, and those its arguments name.
pub fn named_by(program: &Path, args: &[OsString]) -> Vec<PathBuf> {
    let values = |arg: &OsString| {
        let text = arg.to_string_lossy().into_owned();
        let value = text.split_once('=').map(|(_, value)| PathBuf::from(value));
        std::iter::once(PathBuf::from(arg)).chain(value).filter(|path| path.exists()).collect::<Vec<_>>()
    };
    let preloaded = ["LD_LIBRARY_PATH", "LD_PRELOAD"].into_iter().filter_map(std::env::var_os);
    let preloaded = preloaded.flat_map(|list| {
        let text = list.to_string_lossy().into_owned();
        let parts = text.split([':', ';', ' ']).filter(|part| !part.is_empty());
        parts.map(PathBuf::from).collect::<Vec<_>>()
    });
    let libraries = cairn_program::libraries(program);
    args.iter().flat_map(values).chain(preloaded).chain(libraries).collect()
}

/// Warns of gaps in the sandbox on this system, unless it is off; and, unless `quiet`, that root's programs
/// run as another user.
pub fn warn_of_sandbox(sandbox: &SandboxSettings, quiet: bool, frontend: &dyn Frontend) {
    if sandbox.no_sandbox {
        return;
    }
    if let Some(gaps) = Protection::here().gaps() {
        frontend.warn(&format!("the sandbox has gaps here: the program can {gaps}"));
    }
    if drops_root() && !quiet {
        frontend.warn("you are root: the program runs as nobody (user 65534), without root's rights");
    }
}

/// Returns the first inputs: the user's seeds, or zeros.
pub fn inputs(subject: &Subject, spec: &TargetSpec, frontend: &dyn Frontend) -> Result<Vec<Input>, Error> {
    let blank = spec.blank_input();
    if subject.seeds.is_empty() {
        return Ok(vec![blank]);
    }
    let Seeds { inputs, misfits, skipped, left_out } = read_seeds(&subject.seeds, &blank)?;
    left_out.iter().for_each(|names| frontend.warn_left_out(names));
    if misfits > 0 {
        frontend.warn(&format!(
            "{misfits} of {} seeds have other parts than the input asked for: those are left out",
            inputs.len(),
        ));
    }
    if let Some(first) = skipped.first() {
        let files = counted(skipped.len() as u64, "seed is", "seeds are");
        frontend.warn(&format!("{files} left out, since they are too large; the first: {first}"));
    }
    if inputs.is_empty() && skipped.is_empty() {
        frontend.warn("there are 0 inputs in the seeds' campaigns: the first input is all zeros");
        return Ok(vec![blank]);
    }
    if inputs.is_empty() {
        return Err(Error::new("none of the seeds can be used: all are too large"));
    }
    Ok(inputs)
}

/// Adds arguments and symbolic input to a specification.
pub fn describe(spec: &mut TargetSpec, input: &SymbolicInput, args: &[OsString]) -> Result<(), Error> {
    spec.files = files(input, args)?;
    spec.args = arguments(args, &spec.files);
    spec.args.extend(input.args.iter().map(|len| Arg::Symbolic(*len)));
    spec.stdin = input.stdin;
    spec.fixed_length = input.fixed_length;
    if let Some(numbers) = &input.args_range {
        add_arguments(spec, numbers)?;
    }
    Ok(())
}

/// Adds the arguments of `--sym-args MIN MAX LEN`.
fn add_arguments(spec: &mut TargetSpec, numbers: &[usize]) -> Result<(), Error> {
    let [least, most, len] = *numbers else { return Err(Error::new("--sym-args takes MIN MAX LEN")) };
    let refused = |why: String| Err(Error::new(format_args!("--sym-args {least} {most} {len}: {why}")));
    if least > most {
        return refused("MIN is more than MAX".to_owned());
    }
    if most == 0 || most > usize::from(u8::MAX) {
        return refused(format!("MAX is a number from 1 to {}", u8::MAX));
    }
    if let Err(why) = length(&len.to_string()) {
        return refused(why);
    }
    spec.args.extend(std::iter::repeat_n(Arg::Symbolic(len), most));
    spec.optional_args = (most - least) as u8;
    Ok(())
}

fn files(input: &SymbolicInput, args: &[OsString]) -> Result<Vec<SymbolicFile>, Error> {
    let marks = args.iter().filter(|arg| has_placeholder(arg)).count();
    let mut unnamed = 0;
    let mut files: Vec<SymbolicFile> = Vec::new();
    for file in &input.files {
        unnamed += usize::from(file.name.is_none());
        if unnamed > marks {
            return Err(Error::new(format_args!(
                "--sym-file {0} needs {1}{FILE_PLACEHOLDER} among the program's arguments, or a name (--sym-file NAME {0})",
                file.len,
                if marks > 0 { "one more " } else { "" }
            )));
        }
        let name = file.name.clone().unwrap_or_else(|| file_name(unnamed));
        if files.iter().any(|f| f.name == name) {
            return Err(Error::new(format_args!("--sym-file {name} is given twice")));
        }
        files.push(SymbolicFile { name, len: file.len });
    }
    if files.is_empty() && marks > 0 {
        return Err(Error::new(format_args!(
            "the program's arguments have {FILE_PLACEHOLDER}, but no --sym-file LEN says how long that file is"
        )));
    }
    if files.len() > MAX_FILES {
        return Err(Error::new(format_args!("there can be {MAX_FILES} symbolic files at most")));
    }
    Ok(files)
}

/// Makes standard input symbolic for a fuzz target (a program with `LLVMFuzzerTestOneInput` and no `main`) if
/// the user made nothing symbolic.
pub fn supply_fuzz_target(spec: &mut TargetSpec, program: &Program) {
    let defines = |name: &str| program.functions().any(|(_, f)| f.counted && *f.name == *name);
    let is_fuzz_target = defines(FUZZ_TARGET) && !defines("main");
    if is_fuzz_target && spec.stdin.is_none() && spec.files.is_empty() {
        spec.stdin = Some(FUZZ_INPUT);
    }
}

/// Resolves arguments with `@@`: the first stands for the first unnamed file, and so on; those left over
/// stand for the last unnamed file. If all files have names, the first file is meant.
pub fn arguments(args: &[OsString], files: &[SymbolicFile]) -> Vec<Arg> {
    let number = |i: usize| files.iter().position(|file| file.name == file_name(i));
    let unnamed: Vec<usize> = (1..).map_while(number).collect();
    let mut next = unnamed.iter().copied();
    let (mut last, mut resolved) = (0, Vec::with_capacity(args.len()));
    for arg in args {
        resolved.push(match arg.to_str().filter(|_| has_placeholder(arg)) {
            Some(text) => {
                last = next.next().unwrap_or(last);
                Arg::File(text.to_owned(), last)
            }
            None => Arg::Literal(arg.clone()),
        });
    }
    resolved
}

/// True if an argument contains `@@`.
pub fn has_placeholder(arg: &OsString) -> bool {
    arg.to_str().is_some_and(|text| text.contains(FILE_PLACEHOLDER))
}

/// Returns the name of the `count`-th unnamed symbolic file, from 1 on.
fn file_name(count: usize) -> String {
    if count == 1 { FILE_NAME.to_owned() } else { format!("{FILE_NAME}{count}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(input: &SymbolicInput, args: &[&str]) -> Result<TargetSpec, Error> {
        let mut spec = TargetSpec::new("program", 0);
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        describe(&mut spec, input, &args).map(|()| spec)
    }

    fn with_file(text: &str) -> SymbolicInput {
        SymbolicInput { files: vec![text.parse().unwrap()], ..SymbolicInput::default() }
    }

    #[test]
    fn symbolic_arguments_follow_the_others() {
        let input = SymbolicInput { args: vec![3, 1], ..SymbolicInput::default() };
        let spec = described(&input, &["-v"]).unwrap();
        assert_eq!(spec.args, [Arg::Literal("-v".into()), Arg::Symbolic(3), Arg::Symbolic(1)]);
    }

    #[test]
    fn a_file_needs_a_way_to_the_program() {
        assert!(described(&with_file("4"), &["-v"]).is_err());
        assert!(described(&SymbolicInput::default(), &["@@"]).is_err());
        let spec = described(&with_file("4"), &["--in=@@"]).unwrap();
        assert_eq!(
            (&spec.args[0], spec.files[0].name.as_str()),
            (&Arg::File("--in=@@".to_owned(), 0), "input")
        );
        assert_eq!(described(&with_file("x.cfg=4"), &[]).unwrap().files[0].name, "x.cfg");
    }

    #[test]
    fn the_last_arguments_may_be_optional() {
        let input =
            SymbolicInput { args: vec![3], args_range: Some(vec![1, 3, 2]), ..SymbolicInput::default() };
        let spec = described(&input, &["-v"]).unwrap();
        assert_eq!((spec.args.len(), spec.optional_args), (5, 2));
        for numbers in [[2, 1, 4], [0, 0, 4], [0, 256, 4], [0, 1, 0]] {
            let input = SymbolicInput { args_range: Some(numbers.to_vec()), ..SymbolicInput::default() };
            assert!(described(&input, &[]).is_err(), "{numbers:?}");
        }
    }

    #[test]
    fn several_files_have_names_of_their_own() {
        let with = |texts: &[&str]| SymbolicInput {
            files: texts.iter().map(|text| text.parse().unwrap()).collect(),
            ..SymbolicInput::default()
        };
        let names = |texts: &[&str], args: &[&str]| {
            described(&with(texts), args)
                .ok()
                .map(|s| s.files.into_iter().map(|f| f.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["a=1", "b=2"], &[]), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(names(&["1", "b=2"], &["@@"]), Some(vec!["input".to_owned(), "b".to_owned()]));
        assert_eq!([names(&["1", "2"], &["@@"]), names(&["a=1", "a=2"], &[])], [None, None]);
        let spec = described(&with(&["a=1", "2", "3"]), &["@@", "-x", "@@", "@@"]).unwrap();
        let numbers = |arg: &Arg| if let Arg::File(_, number) = arg { Some(*number) } else { None };
        assert_eq!(spec.args.iter().filter_map(numbers).collect::<Vec<_>>(), [1, 2, 2]);
    }
}
