//! `cairn completions` and `cairn man`, generated from the definition of the command line.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::{Failure, NOTHING_FOUND};
use crate::message::print;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::path::Path;
use std::process::ExitCode;

/// Prints a shell's completion script.
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cairn", &mut script);
    print(String::from_utf8_lossy(&script))?;
    Ok(ExitCode::from(NOTHING_FOUND))
}

/// Prints the manual page, or writes those of all commands to a directory.
pub fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    match &args.out {
        Some(directory) => write_pages(directory)?,
        None => print(String::from_utf8_lossy(&page(cli())?))?,
    }
    Ok(ExitCode::from(NOTHING_FOUND))
}

fn write_pages(directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::cannot("create", directory, &error))?;
    let all = cli();
    let of_command = |command: &Command| {
        let name = format!("cairn-{}", command.get_name());
        command.clone().display_name(&name).bin_name(name.replacen('-', " ", 1))
    };
    let commands: Vec<Command> = all.get_subcommands().map(of_command).collect();
    for command in std::iter::once(all).chain(commands) {
        let file = directory.join(Man::new(command.clone()).get_filename());
        let page = page(command)?;
        std::fs::write(&file, page).map_err(|error| Failure::cannot("write", &file, &error))?;
    }
    Ok(())
}

fn cli() -> Command {
    Cli::command().disable_help_subcommand(true)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    // Without a date: the same flags give the same page.
    Man::new(command)
        .manual("Cairn")
        .source(concat!("cairn ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)?;
    Ok(page)
}
