//! `cairn solve`: prints the answers to SMT-LIB scripts.

use crate::args::SolveArgs;
use crate::failure::{FAILED, Failure};
use crate::message::{self, log, print};
use cairn_app::solve::{Answers, Session, answer_file, script_files};
use std::process::ExitCode;
use std::time::Duration;

/// Exit code if some query is unknown, or contradicts its script's `:status`.
const UNDECIDED: u8 = 1;

/// Answers all scripts.
pub fn solve(args: &SolveArgs) -> Result<ExitCode, Failure> {
    let files = script_files(&args.files)?;
    let is_one = args.files.len() == 1 && files.len() == 1 && files[0] == args.files[0];
    let mut session = Session::new(args.solver.choice(), Duration::from_secs_f64(args.timeout), args.fresh);
    let mut answers = Answers::default();
    let mut failed = false;
    for file in &files {
        match answer_file(&mut session, file) {
            Ok(outcomes) => {
                for outcome in outcomes {
                    outcome.complaints().iter().for_each(|text| log(format_args!("cairn: {text}\n")));
                    if !args.json {
                        print(if is_one { outcome.full() } else { outcome.line() })?;
                    }
                    answers.add(outcome);
                }
            }
            Err(error) if is_one => return Err(error.into()),
            Err(error) => {
                message::fail(&Failure::from(error));
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
