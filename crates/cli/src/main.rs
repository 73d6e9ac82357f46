//! `cairn`: parses flags, prints, and picks exit codes. The commands' work is done by the crate `app`.

mod args;
mod cmin;
mod compare;
mod compare_progress;
mod doctor;
mod explain;
mod export;
mod failure;
mod frontend;
mod interrupt;
mod learn;
mod learn_progress;
mod live;
mod message;
mod replay;
mod report;
mod row;
mod run;
mod shell;
mod solve;
mod status;
mod step_progress;
mod style;
mod summary;
mod terminal;

use args::{Cli, Command};
use cairn_instrument::driver::Language;
use clap::Parser;
use clap::error::ErrorKind;
use failure::Failure;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Argument that makes this process a solver worker. Not a command, since it is not for users.
const SOLVER_WORKER: &str = "solver-worker";

/// Environment variable that selects what is logged, as `debug` or `solver=trace,search=debug`.
const LOG: &str = "CAIRN_LOG";

fn main() -> ExitCode {
    cairn_solver::backend_process::set_command([SOLVER_WORKER]);
    let words: Vec<OsString> = std::env::args_os().collect();
    let done = match (as_compiler(&words), as_solver_worker(&words)) {
        (Some((language, args)), _) => compile(args, language),
        (_, Some(memory)) => solver_worker(memory),
        _ => command(&words),
    };
    done.unwrap_or_else(|failure| message::fail(&failure))
}

/// Compiles with clang's arguments and instruments.
fn compile(args: &[OsString], language: Language) -> Result<ExitCode, Failure> {
    Ok(ExitCode::from(cairn_app::compile::compiler(args, language)?))
}

/// Serves the queries of the `cairn` process that started this one.
fn solver_worker(memory: u64) -> Result<ExitCode, Failure> {
    start_log();
    cairn_solver::backend_process::serve(memory)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the memory limit of a solver worker, if this is the command line of one.
fn as_solver_worker(words: &[OsString]) -> Option<u64> {
    match words {
        [_, name, memory] if name == SOLVER_WORKER => memory.to_str()?.parse().ok(),
        _ => None,
    }
}

/// Returns language and arguments if this is a compiler call: `cairn cc …`, or a link called `cairn-cc`. The
/// arguments are clang's and not parsed.
fn as_compiler(words: &[OsString]) -> Option<(Language, &[OsString])> {
    let (own_name, args) = words.split_first()?;
    let language = |name: &str| match name {
        "cc" => Some(Language::C),
        "c++" => Some(Language::Cxx),
        _ => None,
    };
    let own_name = Path::new(own_name).file_name()?.to_str()?;
    if let Some(language) = own_name.strip_prefix("cairn-").and_then(language) {
        return Some((language, args));
    }
    let (first, rest) = args.split_first()?;
    Some((language(first.to_str()?)?, rest))
}

/// Prints what `CAIRN_LOG` selects on standard error.
fn start_log() {
    env_logger::Builder::from_env(env_logger::Env::new().filter_or(LOG, "off")).init();
}

fn command(words: &[OsString]) -> Result<ExitCode, Failure> {
    start_log();
    let cli = match Cli::try_parse_from(args::values::join_file_names(words)) {
        Ok(cli) => cli,
        Err(error) => {
            if asks_for_json(words) {
                message::use_json();
            }
            return usage(&error);
        }
    };
    match cli.command {
        Command::Cc(compiler) => compile(&compiler.args, Language::C),
        Command::Cxx(compiler) => compile(&compiler.args, Language::Cxx),
        Command::Run(mut args) => {
            args.apply_sync();
            run::run(&args)
        }
        Command::Replay(args) => replay::replay(&args),
        Command::Export(args) => export::export(&args),
        Command::Cmin(args) => cmin::cmin(&args),
        Command::Report(args) => report::report(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Learn(args) => learn::learn(&args),
        Command::Solve(args) => solve::solve(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    }
}

/// True if `--log json` is given, on a command line that cannot be parsed.
fn asks_for_json(words: &[OsString]) -> bool {
    // Words after `--` are the program's.
    let own = words.split(|word| word == "--").next().unwrap_or_default();
    let has_pair = own.windows(2).any(|pair| pair[0] == "--log" && pair[1] == "json");
    has_pair || own.iter().any(|word| word == "--log=json")
}

/// Prints help and version; any other parse error is a failure of one line.
fn usage(error: &clap::Error) -> Result<ExitCode, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that closes early, as in `cairn --help | head`, is no failure.
            let _ = error.print();
            Ok(ExitCode::SUCCESS)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.print()?;
            Ok(ExitCode::from(failure::FAILED))
        }
        _ => Err(Failure::new(complaint(error))),
    }
}

/// Returns the first paragraph of clap's message.
fn complaint(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    text.split("\n\n").next().unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_compiler_goes_by_two_names() {
        let cases = [
            ("cairn cc -c x.c", Some((Language::C, 2))),
            ("/usr/bin/cairn c++ --help", Some((Language::Cxx, 1))),
            ("bin/cairn-cc -c x.c", Some((Language::C, 2))),
            ("cairn-c++ cc", Some((Language::Cxx, 1))),
            ("cairn run cc", None),
            ("cairn", None),
        ];
        for (text, expected) in cases {
            let words = words(text);
            let seen = as_compiler(&words).map(|(language, args)| (language, args.len()));
            assert_eq!(seen, expected, "{text}");
        }
    }

    #[test]
    fn complaints_are_one_line() {
        for text in [
            "cairn run",
            "cairn run --execs 0 x",
            "cairn run --time soon x",
            "cairn fly",
            "cairn run x --fly",
        ] {
            let error = Cli::try_parse_from(words(text)).unwrap_err();
            let complaint = complaint(&error);
            assert!(!complaint.contains("Usage") && !complaint.contains("\n\n"), "{complaint}");
        }
    }
}
