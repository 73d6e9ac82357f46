//! Compilation with instrumentation: `cairn cc`, and sources given to other commands.

use crate::error::Error;
use crate::toolchain;
use cairn_instrument::Pass;
use cairn_instrument::driver::{self, ENV_CHECK, Language};
use cairn_wire::Checks;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Compiles with an instrumenting clang, given clang's own arguments; returns its exit code.
pub fn compiler(args: &[OsString], language: Language) -> Result<u8, Error> {
    let tools = toolchain::find()?;
    let code = driver::run(args, language, &tools, &Pass { checks: checks_from_environment()? });
    Ok(u8::try_from(code).unwrap_or(1))
}

/// Returns the fault checks that the environment variable asks for.
fn checks_from_environment() -> Result<Checks, Error> {
    let named = std::env::var(ENV_CHECK).unwrap_or_default();
    if named.is_empty() {
        return Ok(Checks::default());
    }
    Checks::parse(&named).map_err(|told| Error::new(format_args!("{ENV_CHECK}: {told}")))
}

/// True if a file has to be compiled first: C, C++, either of them preprocessed, or LLVM IR.
pub fn is_source(path: &Path) -> bool {
    has_extension(path, &["c", "i", "bc", "ll"]) || is_cxx(path)
}

/// True if a file is C++.
pub fn is_cxx(path: &Path) -> bool {
    has_extension(path, &["cc", "cpp", "cxx", "C", "ii"])
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|one| extension == *one))
}

/// Builds an instrumented program from source files, and whatever else is to be linked.
pub fn build(files: &[PathBuf], program: &Path, checks: Checks) -> Result<(), Error> {
    if let Some(missing) = files.iter().find(|f| !f.exists()) {
        return Err(Error::new(format_args!("no such file: {}", missing.display())));
    }
    for file in files {
        cairn_program::demand_file(file).map_err(Error::new)?;
    }
    let language = if files.iter().any(|f| is_cxx(f)) { Language::Cxx } else { Language::C };
    let mut args: Vec<OsString> = files.iter().map(|f| as_argument(f)).collect();
    // Which libraries are needed is not known; the math library is the one that C programs need most.
    args.extend(["-lm".into(), "-o".into(), program.into()]);
    match driver::run(
        &args,
        language,
        &toolchain::find()?,
        &Pass { checks: checks.with(checks_from_environment()?) },
    ) {
        0 => Ok(()),
        _ => Err(Error::new(format_args!("cannot compile {}", names(files)))),
    }
}

/// Returns a file as an argument that is not mistaken for an option.
fn as_argument(file: &Path) -> OsString {
    if file.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(file).into()
    } else {
        file.into()
    }
}

fn names(files: &[PathBuf]) -> String {
    files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", ")
}
