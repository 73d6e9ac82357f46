//! `cairn learn`: learns weights of the parametric strategy and prints the result.

use crate::args::LearnArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::learn_progress::LearnDisplay;
use crate::message::print;
use cairn_app::learn::{Learning, learn as learn_weights};
use cairn_app::numbers::counted;
use cairn_app::trial::Plan;
use std::process::ExitCode;

/// Learns, and writes the weights.
pub fn learn(args: &LearnArgs) -> Result<ExitCode, Failure> {
    if args.out.is_dir() {
        return Err(Failure::new(format_args!(
            "{} is a directory: --out FILE names a file",
            args.out.display()
        )));
    }
    let plan = Plan::new(&args.subject.settings(), &args.limits.settings(), &Console)?;
    let display = LearnDisplay::new(args.quiet, &plan.stop);
    let learning = learn_weights(&args.settings(), &plan, &display)?;
    print_result(args, &learning)?;
    Ok(ExitCode::from(NOTHING_FOUND))
}

fn print_result(args: &LearnArgs, learning: &Learning) -> Result<(), Failure> {
    let file = args.out.display();
    let Learning { learnt, best, executions } = learning;
    print(format_args!(
        "{file}: {:.1} branches on average of {} ({} each), {}{}\n\
         use it with --strategy parametric:{file}; `cairn explain {file}` describes what it prefers\n",
        best.mean,
        counted(best.trials.into(), "campaign", "campaigns"),
        counted(*executions, "execution", "executions"),
        counted(learnt.rounds.into(), "round", "rounds"),
        if learnt.stopped { "; not finished: continue with --resume" } else { "" },
    ))
}
