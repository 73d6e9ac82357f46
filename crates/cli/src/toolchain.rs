//! Finds what lies beside the executable: the runtime, the headers; and clang.

use crate::failure::Failure;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of clang whose bitcode the pass reads.
const CLANG_MAJOR: &str = "19";
const RUNTIME: &str = "libcairn_runtime.a";
const HEADER: &str = "cairn.h";

/// The static library that every target is linked with.
pub fn runtime_library() -> Result<PathBuf, Failure> {
    find("CAIRN_LIB_DIR", RUNTIME, &[".", "../lib/cairn"])
}

/// The directory of `cairn.h`.
pub fn include_directory() -> Result<PathBuf, Failure> {
    let header = find("CAIRN_INCLUDE_DIR", HEADER, &["../../include", "../include/cairn"])?;
    Ok(header.parent().unwrap_or(Path::new(".")).to_owned())
}

/// The file in the directory that the environment names, or in one of those beside the executable.
fn find(variable: &str, name: &str, beside: &[&str]) -> Result<PathBuf, Failure> {
    if let Some(directory) = env::var_os(variable) {
        let path = Path::new(&directory).join(name);
        let missing = || Failure::new(format_args!("{variable} is set, but there is no {}", path.display()));
        return if path.is_file() { Ok(path) } else { Err(missing()) };
    }
    let executable = env::current_exe()?.canonicalize()?;
    let home = executable.parent().unwrap_or(Path::new("."));
    let found = beside.iter().map(|d| home.join(d).join(name)).find(|p| p.is_file());
    let missing = || format!("{name} was not found beside {}: set {variable} to its directory", executable.display());
    let path = found.ok_or_else(|| Failure::new(missing()))?;
    Ok(path.canonicalize()?)
}

/// A clang of the right version.
pub fn clang() -> Result<PathBuf, Failure> {
    if let Some(chosen) = env::var_os("CAIRN_CLANG") {
        let chosen = PathBuf::from(chosen);
        return match major_version(&chosen) {
            Some(major) if major == CLANG_MAJOR => Ok(chosen),
            Some(major) => Err(wrong_version(&chosen, &major)),
            None => Err(Failure::new(format_args!("CAIRN_CLANG is {}, which is no clang", chosen.display()))),
        };
    }
    let candidates = ["clang-19", "clang"].map(PathBuf::from);
    let found = candidates.into_iter().find(|c| major_version(c).as_deref() == Some(CLANG_MAJOR));
    found.ok_or_else(|| Failure::new("clang 19 is not installed (Debian: apt install clang-19)"))
}

fn wrong_version(clang: &Path, major: &str) -> Failure {
    let clang = clang.display();
    Failure::new(format_args!("CAIRN_CLANG is {clang} of version {major}, Cairn needs {CLANG_MAJOR}"))
}

fn major_version(clang: &Path) -> Option<String> {
    let output = Command::new(clang).arg("-dumpversion").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let major = text.trim().split('.').next()?;
    (output.status.success() && !major.is_empty()).then(|| major.to_owned())
}
