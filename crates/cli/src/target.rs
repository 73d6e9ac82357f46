//! From the command line to what the program is started with.

use crate::args::InputArgs;
use crate::failure::Failure;
use cairn_exec::{Arg, SymbolicFile, TargetSpec};
use cairn_program::Program;
use cairn_wire::site::USER_MAIN;
use std::ffi::OsString;

/// Stands for the path of the symbolic file.
pub const FILE_MARK: &str = "@@";
/// What the symbolic file is called if the user gives it no name.
pub const FILE_NAME: &str = "input";
/// The function that makes a program a fuzz target.
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";
/// Bytes it is given by default.
const FUZZ_INPUT: usize = 64;

/// Fills in arguments and symbolic input as the user asked for them.
pub fn describe(spec: &mut TargetSpec, input: &InputArgs, args: &[OsString]) -> Result<(), Failure> {
    spec.args = args.iter().map(argument).collect();
    spec.args.extend(input.sym_arg.iter().map(|len| Arg::Symbolic(*len)));
    spec.stdin = input.sym_stdin;
    let names_file = spec.args.iter().any(|a| matches!(a, Arg::File(_)));
    spec.files = match &input.sym_file {
        Some(file) if file.name.is_none() && !names_file => {
            return Err(Failure::new(format_args!(
                "--sym-file {0} needs {FILE_MARK} among the program's arguments, or a name (--sym-file NAME={0})",
                file.len
            )));
        }
        Some(file) => {
            let name = file.name.clone().unwrap_or_else(|| FILE_NAME.to_owned());
            vec![SymbolicFile { name, len: file.len }]
        }
        None if names_file => {
            return Err(Failure::new(format_args!(
                "the program's arguments have {FILE_MARK}, but no --sym-file LEN says how long that file is"
            )));
        }
        None => Vec::new(),
    };
    Ok(())
}

/// Standard input for a fuzz target (a program with `LLVMFuzzerTestOneInput` and no `main`) whose user has not said
/// what is symbolic.
pub fn supply_fuzz_target(spec: &mut TargetSpec, program: &Program) {
    let defines = |name: &str| program.functions().any(|(_, f)| f.counted && *f.name == *name);
    let is_fuzz_target = defines(FUZZ_TARGET) && !defines(USER_MAIN);
    if is_fuzz_target && spec.stdin.is_none() && spec.files.is_empty() {
        spec.stdin = Some(FUZZ_INPUT);
    }
}

/// One argument as the user wrote it.
pub fn argument(text: &OsString) -> Arg {
    match text.to_str().filter(|t| t.contains(FILE_MARK)) {
        Some(text) => Arg::File(text.to_owned()),
        None => Arg::Literal(text.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(input: &InputArgs, args: &[&str]) -> Result<TargetSpec, Failure> {
        let mut spec = TargetSpec::new("program", 0);
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        describe(&mut spec, input, &args).map(|()| spec)
    }

    fn with_file(text: &str) -> InputArgs {
        InputArgs { sym_file: Some(text.parse().unwrap()), ..InputArgs::default() }
    }

    #[test]
    fn symbolic_arguments_follow_the_others() {
        let input = InputArgs { sym_arg: vec![3, 1], ..InputArgs::default() };
        let spec = described(&input, &["-v"]).unwrap();
        assert_eq!(spec.args, [Arg::Literal("-v".into()), Arg::Symbolic(3), Arg::Symbolic(1)]);
    }

    #[test]
    fn a_file_needs_a_way_to_the_program() {
        assert!(described(&with_file("4"), &["-v"]).is_err());
        assert!(described(&InputArgs::default(), &["@@"]).is_err());
        let spec = described(&with_file("4"), &["--in=@@"]).unwrap();
        assert_eq!((&spec.args[0], spec.files[0].name.as_str()), (&Arg::File("--in=@@".to_owned()), "input"));
        assert_eq!(described(&with_file("x.cfg=4"), &[]).unwrap().files[0].name, "x.cfg");
    }
}
