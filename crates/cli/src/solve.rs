//! `cairn solve`: answers scripts in SMT-LIB's language.

mod answers;
mod session;

use crate::args::SolveArgs;
use crate::failure::{FAILED, Failure};
use crate::message::print;
use answers::{Answers, Outcome};
use cairn_program::read_file;
use session::Session;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Most bytes of a script. A parsed script takes many times its size.
const MOST_BYTES: u64 = 256 << 20;
/// Some query is unknown, or is not what its script expects.
const UNDECIDED: u8 = 1;

/// Answers all scripts.
pub fn solve(args: &SolveArgs) -> Result<ExitCode, Failure> {
    let files = all_files(&args.files)?;
    let is_one = args.files.len() == 1 && files.len() == 1 && files[0] == args.files[0];
    let mut session = Session::new(args);
    let mut answers = Answers::default();
    let mut failed = false;
    for file in &files {
        match answer_file(&mut session, file) {
            Ok(outcomes) => {
                for outcome in outcomes {
                    outcome.warn();
                    if !args.json {
                        print(if is_one { outcome.full() } else { outcome.line() })?;
                    }
                    answers.add(outcome);
                }
            }
            Err(failure) if is_one => return Err(failure),
            Err(failure) => {
                failure.report();
                failed = true;
            }
        }
    }
    if args.json {
        print(format_args!("{}\n", answers.json(&session.layers())))?;
    } else if !is_one {
        print(format_args!("{}\n", answers.totals()))?;
    }
    let code = if answers.all_decided() { 0 } else { UNDECIDED };
    Ok(ExitCode::from(if failed { FAILED } else { code }))
}

/// Scripts of directories in the order of their names.
fn all_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let cannot = |error| Failure::cannot("read", path, &error);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(path).map_err(cannot)? {
            found.push(entry.map_err(cannot)?.path());
        }
        found.retain(|file| file.extension().is_some_and(|extension| extension == "smt2"));
        if found.is_empty() {
            return Err(Failure::new(format_args!("there is no .smt2 file in {}", path.display())));
        }
        found.sort_unstable();
        files.extend(found);
    }
    Ok(files)
}

fn answer_file(session: &mut Session, file: &Path) -> Result<Vec<Outcome>, Failure> {
    let bytes = read_file(file, MOST_BYTES)?;
    session
        .answer(file, &String::from_utf8_lossy(&bytes))
        .map_err(|why| Failure::new(format_args!("{}: {why}", file.display())))
}
