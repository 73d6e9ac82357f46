//! Test suites: the tests of a campaign directory, or a directory of plain files.

use crate::error::Error;
use crate::frontend::Frontend;
use crate::origin::{self, Origin, ReadOrigin};
use crate::subject::{NamedSubject, RunSettings, SandboxSettings, Subject};
use crate::target;
use cairn_campaign::{Listing, TestFolder, files_of, is_campaign, quoted, test_files};
use cairn_exec::{Input, Object, TargetSpec};
use cairn_program::read_text;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const STATS: &str = "fuzzer_stats";
const COMMAND: &str = "command_line";
/// Most bytes of `fuzzer_stats`; a chosen bound against hostile directories.
const MAX_STATS: u64 = 1 << 20;

/// The tests in a directory.
pub struct Suite {
    /// Files of the tests.
    pub files: Vec<PathBuf>,
    /// The `cairn run` that wrote them, if the directory records it.
    pub made_by: Option<RunSettings>,
    /// The campaign's origin, if the directory records it.
    pub origin: Option<ReadOrigin>,
}

impl Suite {
    /// Reads a directory of tests; of a campaign's, those in `folders`.
    pub fn read(directory: &Path, folders: &[TestFolder], frontend: &dyn Frontend) -> Result<Suite, Error> {
        let suite = match is_campaign(directory) {
            true => Suite::of_campaign(directory, folders, frontend)?,
            false => Suite {
                files: some_files_in(test_files(directory)?, directory, frontend)?,
                made_by: None,
                origin: None,
            },
        };
        if suite.files.is_empty() {
            return Err(Error::new(format_args!("there is no test in {}", directory.display())));
        }
        Ok(suite)
    }

    /// Reads the tests of a campaign, of which there may be none.
    pub fn of_campaign(
        directory: &Path,
        folders: &[TestFolder],
        frontend: &dyn Frontend,
    ) -> Result<Suite, Error> {
        if !directory.exists() {
            return Err(Error::new(format_args!("no such directory: {}", directory.display())));
        }
        if !is_campaign(directory) {
            return Err(Error::new(format_args!("{} is not a campaign directory", directory.display())));
        }
        let mut files = Vec::new();
        for folder in folders {
            files.extend(
                files_in(files_of(directory, *folder)?, frontend).into_iter().filter(|file| is_test(file)),
            );
        }
        let origin = origin::of(directory);
        let recorded = origin.as_ref().filter(|read| read.is_trusted).map(|read| &read.origin.command);
        let made_by = match recorded {
            Some(words) => frontend.parse_run(&words.iter().map(OsString::from).collect::<Vec<_>>()),
            None => recorded_in_stats(directory, frontend),
        };
        Ok(Suite { files, made_by, origin })
    }

    /// The user's own record of the campaign, if there is one.
    fn trusted(&self) -> Option<&Origin> {
        self.origin.as_ref().filter(|read| read.is_trusted).map(|read| &read.origin)
    }

    /// True if the settings are those of a campaign that this user ran.
    pub fn is_trusted(&self) -> bool {
        self.trusted().is_some()
    }

    /// Returns the directory that the campaign was run in, as recorded and as it is now: sources with
    /// absolute names moved along with it.
    pub fn moved(&self, campaign: &Path) -> Option<(PathBuf, PathBuf)> {
        let origin = &self.origin.as_ref()?.origin;
        Some((origin.directory.recorded().to_owned(), origin.find_directory(campaign)?))
    }

    /// Changes to the directory that the user's campaign was run in, since names of sources and arguments may
    /// be relative to it. Paths of this command line must be absolute by then.
    pub fn enter_directory(&self, campaign: &Path) -> Result<(), Error> {
        match self.trusted().and_then(|origin| origin.find_directory(campaign)) {
            Some(directory) => std::env::set_current_dir(&directory)
                .map_err(|error| Error::cannot("enter", &directory, error)),
            None => Ok(()),
        }
    }

    /// Returns an input of the shape that raw bytes are for: the campaign's, the file that the user names, or
    /// standard input.
    pub fn shape(&self, file: Option<&str>) -> Result<Input, Error> {
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

/// Returns the inputs of a listing. If there are none, the error names what is there instead.
fn some_files_in(listing: Listing, directory: &Path, frontend: &dyn Frontend) -> Result<Vec<PathBuf>, Error> {
    match listing.left_out_names() {
        Some(names) if listing.files.is_empty() => {
            let directory = directory.display();
            Err(Error::new(format_args!("there is no test in {directory}: these are not files: {names}")))
        }
        _ => Ok(files_in(listing, frontend)),
    }
}

/// Returns the inputs of a listing, and warns of what it leaves out.
pub fn files_in(listing: Listing, frontend: &dyn Frontend) -> Vec<PathBuf> {
    if let Some(names) = listing.left_out_names() {
        frontend.warn_left_out(&names);
    }
    listing.files
}

/// True if a file of a campaign directory is an input: AFL writes other files beside them.
fn is_test(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"id:"))
}

/// Returns the `cairn run` that made a campaign directory according to `fuzzer_stats`.
fn recorded_in_stats(directory: &Path, frontend: &dyn Frontend) -> Option<RunSettings> {
    let stats = read_text(&directory.join(STATS), MAX_STATS).ok()?;
    let line = stats.lines().find(|line| line.starts_with(COMMAND))?;
    frontend.parse_run(&words(line.split_once(": ")?.1))
}

/// Splits a command line into words, as `quoted` writes them.
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

/// Returns the target that tests are run on: the one the user names, or the campaign's.
///
/// A program that only a directory names is never run. Settings that shape the input are taken from the
/// directory in any case; those that give a program more rights only from the user's own record, and running
/// without the sandbox from neither.
pub fn subject(named: &NamedSubject, suite: &Suite, directory: &Path) -> Result<Subject, Error> {
    if !named.subject.target.is_empty() {
        return Ok(named.subject.clone());
    }
    let Some(run) = &suite.made_by else {
        return Err(Error::new(format_args!(
            "{} does not tell what program its tests are for: name it, and what is symbolic, as for `cairn run`",
            directory.display()
        )));
    };
    let target = vec![program(named, suite, run, directory)?];
    let Subject { args, input, .. } = &run.subject;
    Ok(Subject {
        target,
        args: args.clone(),
        are_args_untrusted: !suite.is_trusted(),
        input: input.clone(),
        seeds: Vec::new(),
        sandbox: sandbox(named, suite, run)?,
    })
}

/// Returns the program's limits and rights.
fn sandbox(named: &NamedSubject, suite: &Suite, run: &RunSettings) -> Result<SandboxSettings, Error> {
    let no_sandbox = named.subject.sandbox.no_sandbox;
    if suite.is_trusted() {
        return Ok(SandboxSettings { no_sandbox, ..run.subject.sandbox.clone() });
    }
    if no_sandbox && !run.subject.args.is_empty() {
        return Err(Error::new(
            "without the sandbox, the program is not given arguments from a directory that no campaign of yours made: name it, with its arguments, as for `cairn run`",
        ));
    }
    let scratch = named.subject.sandbox.scratch || run.subject.sandbox.scratch;
    Ok(SandboxSettings { scratch, ..named.subject.sandbox.clone() })
}

/// Returns the program to run.
fn program(
    named: &NamedSubject,
    suite: &Suite,
    run: &RunSettings,
    campaign: &Path,
) -> Result<PathBuf, Error> {
    if let Some(program) = &named.program {
        return Ok(program.clone());
    }
    let about = guess(suite, run, campaign);
    let (directory, shown) = (campaign.display(), about.display());
    let Some(origin) = suite.trusted() else {
        return Err(Error::new(format_args!(
            "{directory} is about {shown}, but there is no record of a campaign of yours that ran it: if you trust this program, say --program {}",
            quoted(&about.to_string_lossy())
        )));
    };
    let found = origin.find_program(campaign);
    found.ok_or_else(|| match about.exists() {
        true => Error::new(format_args!(
            "{shown} has changed since the campaign in {directory} ran it: to run the tests on it as it is now, say --program {}",
            quoted(&about.to_string_lossy())
        )),
        false => Error::new(format_args!(
            "{directory} is about {shown}, which is not there any more: say where it is with --program PATH"
        )),
    })
}

/// Returns the file that a campaign directory is most likely about.
fn guess(suite: &Suite, run: &RunSettings, directory: &Path) -> PathBuf {
    let candidates = suite.origin.as_ref().map(|read| read.origin.program.candidates(directory));
    let first = run.subject.target.first().cloned().unwrap_or_default();
    let built = crate::output_directory::built(directory, &first);
    let candidates = candidates.into_iter().flatten().chain([built]);
    candidates.into_iter().find(|path| path.is_file()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_it_was_written() {
        let command = ["cairn", "run", "it's \\ here", "", "a  b", "@@", "ü\""];
        let line = command.map(quoted).join(" ");
        assert_eq!(words(&line), command.map(OsString::from), "{line}");
    }
}
