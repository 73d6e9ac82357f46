//! Child processes that run clang.

use super::{Language, response};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Maximum length of a command line before a response file is used; the system's limit is not far above.
const LONGEST_COMMAND_LINE: usize = 128 * 1024;

/// Environment variable that makes clang list the headers that it reads.
const LISTS_HEADERS: &str = "CC_PRINT_HEADERS";

/// Exit code if clang cannot be started.
const CANNOT_RUN: i32 = 2;

/// The clang executable, in the role of one language's driver.
#[derive(Clone, Copy)]
pub struct Clang<'a> {
    path: &'a Path,
    language: Language,
    /// File to which it appends the names of the headers that it reads.
    headers: Option<&'a Path>,
}

impl<'a> Clang<'a> {
    /// Returns the clang at `path`, acting as the driver of `language`.
    pub fn new(path: &'a Path, language: Language) -> Clang<'a> {
        Clang { path, language, headers: None }
    }

    /// Makes it append the names of the headers that it reads to a file, unless the user has it do so.
    pub fn listing_headers(self, file: &'a Path) -> Clang<'a> {
        Clang { headers: Some(file).filter(|_| std::env::var_os(LISTS_HEADERS).is_none()), ..self }
    }

    /// Runs it on `args` with inherited standard streams; returns the exit code.
    pub fn run(&self, args: &[OsString]) -> i32 {
        self.finish(self.command().args(args))
    }

    /// Runs it as [`Clang::run`] does; a long command line is passed in a response file in `scratch`.
    pub fn run_long(&self, args: &[OsString], scratch: &Path) -> i32 {
        if args.iter().map(|arg| arg.len() + 1).sum::<usize>() < LONGEST_COMMAND_LINE {
            return self.run(args);
        }
        let file = scratch.join("arguments");
        match response::write(&file, args) {
            Ok(()) => {
                let mut at = OsString::from("@");
                at.push(file);
                self.run(&[at])
            }
            Err(error) => super::fail(&format!("cannot write '{}': {error}", file.display())),
        }
    }

    /// Runs it on `args`; returns true on success. Diagnostics are printed only then, since a retry prints
    /// them again.
    pub fn try_run(&self, args: &[OsString]) -> bool {
        let colour = io::stderr().is_terminal().then_some("-fcolor-diagnostics");
        match self.command().args(colour).args(args).stderr(Stdio::piped()).stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => {
                // Write errors are ignored.
                let _ = io::stderr().write_all(&output.stderr);
                let _ = io::stdout().write_all(&output.stdout);
                true
            }
            _ => false,
        }
    }

    /// Runs it on `args` without output; returns true on success.
    pub fn succeeds(&self, args: &[OsString]) -> bool {
        let mut command = self.command();
        let quiet = command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }

    /// Returns the language it is for.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Runs it on `args` in directory `dir`.
    pub fn run_in(&self, dir: &Path, args: &[OsString]) -> i32 {
        self.finish(self.command().current_dir(dir).args(args))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.path);
        if self.language == Language::Cxx {
            command.arg("--driver-mode=g++");
        }
        if let Some(file) = self.headers {
            command.env(LISTS_HEADERS, "1").env("CC_PRINT_HEADERS_FILE", file);
        }
        command
    }

    fn finish(&self, command: &mut Command) -> i32 {
        match command.status() {
            Ok(status) => exit_code(status),
            Err(error) => self.explain(&error),
        }
    }

    fn explain(&self, error: &io::Error) -> i32 {
        super::fail(&format!("cannot run '{}': {error}", self.path.display()));
        CANNOT_RUN
    }
}

/// Returns a process's exit code as a shell does.
fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
