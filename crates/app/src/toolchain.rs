//! Finds clang, and the runtime and headers that are installed with the executable.

use crate::error::Error;
use cairn_instrument::driver::Toolchain;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of clang whose bitcode the pass reads.
const CLANG_MAJOR: &str = "19";
const RUNTIME: &str = "libcairn_runtime.a";
const HEADER: &str = "cairn.h";

/// Finds all tools and files that a build needs.
pub fn find() -> Result<Toolchain, Error> {
    Ok(Toolchain {
        clang: clang()?,
        // A build tree has it beside the executable, an installation in a directory of its own.
        library_dir: directory_of(RUNTIME, "CAIRN_LIB_DIR", &[".", "../lib/cairn"])?,
        include_dir: directory_of(HEADER, "CAIRN_INCLUDE_DIR", &["../../include", "../include/cairn"])?,
    })
}

/// Returns the directory with a file: the one that the environment names, or one relative to the executable.
fn directory_of(name: &str, variable: &str, beside: &[&str]) -> Result<PathBuf, Error> {
    if let Some(directory) = env::var_os(variable).map(PathBuf::from) {
        let missing =
            || Error::new(format_args!("{variable} is set, but {} has no {name}", directory.display()));
        return if directory.join(name).is_file() {
            Ok(std::path::absolute(directory)?)
        } else {
            Err(missing())
        };
    }
    let executable = env::current_exe()?.canonicalize()?;
    let home = executable.parent().unwrap_or(Path::new("."));
    let found = beside.iter().map(|d| home.join(d)).find(|d| d.join(name).is_file());
    let missing =
        || format!("{name} was not found beside {}: set {variable} to its directory", executable.display());
    Ok(found.ok_or_else(|| Error::new(missing()))?.canonicalize()?)
}

/// Finds a clang of the right version.
fn clang() -> Result<PathBuf, Error> {
    if let Some(chosen) = env::var_os("CAIRN_CLANG") {
        let chosen = PathBuf::from(chosen);
        return match major_version(&chosen) {
            Some(major) if major == CLANG_MAJOR => Ok(chosen),
            Some(major) => Err(wrong_version(&chosen, &major)),
            None => Err(Error::new(format_args!("CAIRN_CLANG is {}, which is no clang", chosen.display()))),
        };
    }
    // Debian's name tells the version: running it would slow down configure scripts, which call us often.
    if let Some(clang) = on_path("clang-19") {
        return Ok(clang);
    }
    let clang = PathBuf::from("clang");
    let missing = || Error::new("clang 19 is not installed (Debian: apt install clang-19)");
    major_version(&clang).filter(|major| major == CLANG_MAJOR).map(|_| clang).ok_or_else(missing)
}

/// Finds a program on the search path.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}

fn wrong_version(clang: &Path, major: &str) -> Error {
    let clang = clang.display();
    Error::new(format_args!("CAIRN_CLANG is {clang} of version {major}, Cairn needs {CLANG_MAJOR}"))
}

fn major_version(clang: &Path) -> Option<String> {
    let output = Command::new(clang).arg("-dumpversion").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let major = text.trim().split('.').next()?;
    (output.status.success() && !major.is_empty()).then(|| major.to_owned())
}
