//! `cairn solve`: answers SMT-LIB scripts.

mod answers;
mod session;

use crate::error::Error;
pub use answers::{Answers, Outcome, Solution};
use cairn_program::read_file;
pub use session::{Session, SolverChoice};
use std::path::{Path, PathBuf};

/// Most bytes of a script; a parsed script takes many times its size.
const MAX_SCRIPT_BYTES: u64 = 256 << 20;

/// Returns the scripts that paths name, those of a directory in the order of their names.
pub fn script_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let cannot = |error| Error::cannot("read", path, error);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(path).map_err(cannot)? {
            found.push(entry.map_err(cannot)?.path());
        }
        found.retain(|file| file.extension().is_some_and(|extension| extension == "smt2"));
        if found.is_empty() {
            return Err(Error::new(format_args!("there is no .smt2 file in {}", path.display())));
        }
        found.sort_unstable();
        files.extend(found);
    }
    Ok(files)
}

/// Answers every query of a script.
pub fn answer_file(session: &mut Session, file: &Path) -> Result<Vec<Outcome>, Error> {
    let bytes = read_file(file, MAX_SCRIPT_BYTES)?;
    session
        .answer(file, &String::from_utf8_lossy(&bytes))
        .map_err(|why| Error::new(format_args!("{}: {why}", file.display())))
}
