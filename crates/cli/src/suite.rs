//! A directory of tests: a campaign's, or one of plain files.

use crate::args::{Cli, Command, RunArgs, SubjectArgs};
use crate::failure::Failure;
use crate::{target, units};
use cairn_campaign::{Place, test_files};
use cairn_exec::{Input, Object, TargetSpec};
use clap::Parser;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const STATS: &str = "fuzzer_stats";
const COMMAND: &str = "command_line";

/// The tests in a directory.
pub struct Suite {
    /// Their files.
    pub files: Vec<PathBuf>,
    /// The command that made them, if it was `cairn run` and its directory still tells.
    pub made_by: Option<Box<RunArgs>>,
}

impl Suite {
    /// The tests in a directory, of a campaign's those in these places.
    pub fn read(directory: &Path, places: &[Place]) -> Result<Suite, Failure> {
        let suite = match is_campaign(directory) {
            true => Suite::of_campaign(directory, places)?,
            false => Suite { files: test_files(directory)?, made_by: None },
        };
        if suite.files.is_empty() {
            return Err(Failure::new(format_args!("there is no test in {}", directory.display())));
        }
        Ok(suite)
    }

    /// The tests of a campaign, if it has any.
    pub fn of_campaign(directory: &Path, places: &[Place]) -> Result<Suite, Failure> {
        if !directory.exists() {
            return Err(Failure::new(format_args!("no such directory: {}", directory.display())));
        }
        if !is_campaign(directory) {
            return Err(Failure::new(format_args!("{} is not a campaign directory", directory.display())));
        }
        let mut files = Vec::new();
        for place in places.iter().map(|place| directory.join(place.directory())).filter(|p| p.is_dir()) {
            files.extend(test_files(&place)?.into_iter().filter(|file| is_test(file)));
        }
        Ok(Suite { files, made_by: made_by(directory) })
    }

    /// An input of the shape that raw bytes are for: the campaign's, the file that the user names, or standard input.
    pub fn shape(&self, file: Option<&str>) -> Result<Input, Failure> {
        if let Some(name) = file {
            return Ok(Input { objects: vec![Object::file(name, [])] });
        }
        let mut spec = TargetSpec::new("", 0);
        if let Some(run) = &self.made_by {
            target::describe(&mut spec, &run.subject.input, &run.subject.args)?;
        }
        if spec.stdin.is_none() && spec.files.is_empty() {
            spec.stdin = Some(0);
        }
        Ok(spec.blank_input())
    }
}

fn is_campaign(directory: &Path) -> bool {
    directory.join(Place::Queue.directory()).is_dir()
}

/// Whether a file in a campaign's directory is one of its inputs: AFL has others beside them.
fn is_test(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"id:"))
}

/// The `cairn run` that made a campaign directory.
fn made_by(directory: &Path) -> Option<Box<RunArgs>> {
    let stats = std::fs::read_to_string(directory.join(STATS)).ok()?;
    let line = stats.lines().find(|line| line.starts_with(COMMAND))?;
    let words = words(line.split_once(": ")?.1);
    match Cli::try_parse_from(units::join_file_names(&words)).ok()?.command {
        Command::Run(run) => Some(run),
        _ => None,
    }
}

/// The words of a command as `quoted` writes them.
fn words(line: &str) -> Vec<OsString> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let (mut quoted, mut escaped) = (false, false);
    for c in line.chars() {
        match c {
            _ if escaped => {
                word.get_or_insert_default().push(c);
                escaped = false;
            }
            '\'' => {
                word.get_or_insert_default();
                quoted = !quoted;
            }
            '\\' if !quoted => escaped = true,
            ' ' if !quoted => words.extend(word.take().map(OsString::from)),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(OsString::from));
    words
}

/// What tests are run on: the program that the user names, or the one that the campaign in the directory was about.
pub fn subject(named: SubjectArgs, suite: &Suite, directory: &Path) -> Result<SubjectArgs, Failure> {
    if !named.target.is_empty() {
        return Ok(named);
    }
    let Some(run) = &suite.made_by else {
        return Err(Failure::new(format_args!(
            "{} does not tell what program its tests are for: name it, and what is symbolic, as for `cairn run`",
            directory.display()
        )));
    };
    let SubjectArgs { target, args, input, room, .. } = &run.subject;
    let program = built_program(directory, target);
    let target = program.map_or_else(|| target.clone(), |program| vec![program]);
    if let Some(missing) = target.iter().find(|path| !path.exists()) {
        return Err(Failure::new(format_args!(
            "{} is about {}, which is not there as seen from here: name the program, and what is symbolic, as for `cairn run`",
            directory.display(),
            missing.display()
        )));
    }
    Ok(SubjectArgs { target, args: args.clone(), input: input.clone(), seeds: None, room: room.clone() })
}

/// The program that a campaign compiled on the fly, if it is still there.
fn built_program(directory: &Path, sources: &[PathBuf]) -> Option<PathBuf> {
    let first = sources.first().filter(|first| crate::compile::is_source(first))?;
    let program = crate::outdir::built(directory, first);
    program.is_file().then_some(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_campaign::quoted;

    #[test]
    fn a_command_is_read_as_it_was_written() {
        let command = ["cairn", "run", "it's \\ here", "", "a  b", "@@", "ü\""];
        let line = command.map(quoted).join(" ");
        assert_eq!(words(&line), command.map(OsString::from), "{line}");
    }
}
