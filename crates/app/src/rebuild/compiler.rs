//! Runs clang for a rebuild.

use super::Rebuild;
use crate::error::Error;
use cairn_deadline::Deadline;
use cairn_exec::{Arg, ExitKind, Input, Limits, Output, TargetSpec, run_native};
use cairn_instrument::driver::Toolchain;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time for one step of a build; a chosen bound.
const STEP_TIMEOUT: Duration = Duration::from_secs(1800);
/// Memory of one step; a chosen bound, which the largest single files with both sanitizers stay below.
const MEMORY: u64 = 8 << 30;
/// Largest file that one step may write; a chosen bound.
const FILE_BYTES: u64 = 8 << 30;

/// Clang, and the directory in which it works.
pub(super) struct Compiler<'a> {
    pub tools: &'a Toolchain,
    pub rebuild: &'a Rebuild,
    /// The only directory that it may write to.
    pub work: &'a Path,
}

impl Compiler<'_> {
    /// Runs it in a directory, with these words; it needs `files`.
    pub fn run(
        &self,
        directory: &Path,
        is_cxx: bool,
        words: &[OsString],
        files: &[PathBuf],
    ) -> Result<(), Error> {
        let mut spec = TargetSpec::new(&self.tools.clang, 0);
        let driver = is_cxx.then(|| Arg::Literal("--driver-mode=g++".into()));
        spec.args = driver.into_iter().chain(words.iter().cloned().map(Arg::Literal)).collect();
        spec.sandbox = self.rebuild.is_sandboxed;
        spec.output = Output::Capture;
        spec.timeout = STEP_TIMEOUT;
        spec.readable = self.readable(directory, words, files);
        // A build tree that is gone is not missed unless an option names something in it.
        spec.directory = Some(if directory.is_dir() { directory } else { self.work }.to_owned());
        spec.writable = Some(self.work.to_owned());
        let limits = Limits { memory: MEMORY, file_bytes: FILE_BYTES, ..Limits::default() };
        let deadline = Deadline::interrupted_by(self.rebuild.stop.clone());
        let run = run_native(&spec, &limits, &Input::default(), &deadline)?;
        match run.end {
            ExitKind::Exit(0) => Ok(()),
            end => Err(failure(end, &String::from_utf8_lossy(&run.stderr))),
        }
    }

    /// Returns what it needs to read: the directories of its files, and what the words name.
    fn readable(&self, directory: &Path, words: &[OsString], files: &[PathBuf]) -> Vec<PathBuf> {
        let in_directory = |word: &OsString| directory.join(value(&word.to_string_lossy()));
        let named = words.iter().map(in_directory).filter(|path| path.exists());
        let above = files.iter().filter_map(|file| Some(file.parent()?.to_owned()));
        let own = [directory.to_owned(), self.work.to_owned(), self.tools.include_dir.clone()];
        // Its libraries and headers, which lie in the home if it does.
        let clang = self.tools.clang.canonicalize().ok();
        let installed = clang.iter().filter_map(|clang| Some(clang.parent()?.parent()?.to_owned()));
        let mut all: Vec<PathBuf> = own.into_iter().chain(installed).chain(named).chain(above).collect();
        all.retain(|path| path.exists());
        all.sort();
        all.dedup();
        all
    }
}

/// Returns the path in a word: joined to an option, or the word itself.
fn value(word: &str) -> &str {
    let joined = ["-I", "-L", "-B", "-iquote", "-isystem", "-idirafter", "-include"];
    let joined = joined.iter().find_map(|option| word.strip_prefix(option).filter(|rest| !rest.is_empty()));
    joined.or_else(|| word.split_once('=').map(|(_, value)| value)).unwrap_or(word)
}

fn failure(end: ExitKind, stderr: &str) -> Error {
    let first = stderr.lines().find(|line| line.contains("error")).or(stderr.lines().next());
    Error::new(first.map_or_else(|| format!("the compiler ended with {end}"), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn words_name_paths() {
        assert_eq!(["-Iinclude", "-I", "--sysroot=/x", "a.c"].map(value), ["include", "-I", "/x", "a.c"]);
    }
}
