//! The campaign directory, laid out as AFL's tools expect it.
//!
//! Every file appears whole or not at all: it is written under a hidden name first and then renamed. Files
//! that the journal mentions are written before any observer is notified of them.

use super::afl;
use super::checked_paths::{CHECKED_PATHS, CheckedPaths};
use super::corpus::KeptInput;
use super::testcase::{KTEST, encode_test, label};
use crate::findings::ledger::SANITIZED;
use crate::findings::report::Finding;
use crate::observe::observer::Progress;
use crate::observe::snapshot::{SNAPSHOT, Snapshot};
use crate::test_folder::TestFolder;
use cairn_exec::Input;
use cairn_program::read_file;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use thiserror::Error;

/// Name of the journal; `replay` writes it.
pub(crate) const JOURNAL: &str = "journal";
/// Status in the format of AFL.
const STATS: &str = "fuzzer_stats";
/// Progress over time in the format of AFL.
const PLOT: &str = "plot_data";
/// Default output file of `cairn report`.
const PAGE: &str = "report.html";
/// File of earlier versions in place of the checked paths.
const FORMER_CHECKED: &str = "sanitized_tests";
/// Description of the explored program, written by `cairn run` itself.
const ORIGIN: &str = "origin.json";
/// Folder of the positions reached in the queues of other fuzzers, one file each; AFL++ has the same.
pub(super) const SYNC_POSITIONS: &str = ".synced";
/// Suffix of the hidden name of a file that is being written.
const UNFINISHED: &str = ".new";
/// Maximum size of a record or list in the directory; a chosen bound.
const MAX_BYTES: u64 = 64 << 20;
/// Folder of reports of findings, next to their inputs.
pub(super) const REPORTS: &str = "reports";

/// Error of using a campaign directory.
#[derive(Debug, Error)]
pub enum DirectoryError {
    /// A file or directory cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The directory holds a campaign already.
    #[error("{} holds a campaign already: --resume goes on with it, --force replaces it", .0.display())]
    InUse(PathBuf),
    /// A file or directory cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// There is no campaign in it, or not even the beginning of its journal.
    #[error("the campaign in {} cannot go on, since the beginning of its journal cannot be read: its tests can be given to another one with --seeds", .0.display())]
    NoJournal(PathBuf),
    /// The journal was written with other settings.
    #[error("the campaign in {} cannot go on like this, since {difference}: resume it as it began, or replace it with --force", path.display())]
    Another {
        /// The directory.
        path: PathBuf,
        /// The setting that differs.
        difference: String,
    },
    /// The journal's records are inconsistent.
    #[error("the journal contradicts itself: was it written by another version of Cairn?")]
    Nonsense,
}

/// Writer for the files of a campaign directory, except its journal.
#[derive(Debug)]
pub(crate) struct CampaignFiles {
    path: PathBuf,
    plot: fs::File,
    /// Start of the campaign.
    started: SystemTime,
    /// Inputs that the journal does not mention, in reverse order.
    unrecorded: Vec<PathBuf>,
    checked_paths: CheckedPaths,
}

impl CampaignFiles {
    /// Creates the directory; `replace` removes the files of a campaign that is in it, and no others.
    pub fn create(path: &Path, replace: bool) -> Result<CampaignFiles, DirectoryError> {
        if path.join(STATS).exists()
            || TestFolder::ALL.iter().any(|folder| path.join(folder.directory()).exists())
        {
            if !replace {
                return Err(DirectoryError::InUse(path.to_owned()));
            }
            remove_campaign(path)?;
        }
        for folder in TestFolder::ALL {
            let directory = path.join(folder.directory());
            fs::create_dir_all(&directory).map_err(|source| unwritable(&directory, source))?;
        }
        let plot_path = path.join(PLOT);
        let header = |mut file: fs::File| file.write_all(afl::PLOT_HEADER.as_bytes()).map(|()| file);
        let plot = fs::File::create(&plot_path).and_then(header);
        let plot = plot.map_err(|source| unwritable(&plot_path, source))?;
        let (path, started) = (path.to_owned(), SystemTime::now());
        let checked_paths = CheckedPaths::of_new(&path);
        Ok(CampaignFiles { path, plot, started, unrecorded: Vec::new(), checked_paths })
    }

    /// Opens the directory of a campaign that is resumed; `inputs` are the files of each folder, `recorded`
    /// the names of those that the journal mentions.
    pub fn open(
        path: &Path,
        started: SystemTime,
        inputs: [Vec<PathBuf>; 3],
        recorded: &[Vec<String>; 3],
    ) -> Result<CampaignFiles, DirectoryError> {
        let unrecorded = inputs.into_iter().zip(recorded);
        let unrecorded = unrecorded.flat_map(|(files, names)| unrecorded_files(files, names)).rev().collect();
        let plot_path = path.join(PLOT);
        let plot = fs::OpenOptions::new().create(true).append(true).open(&plot_path);
        let plot = plot.map_err(|source| unwritable(&plot_path, source))?;
        let checked_paths = CheckedPaths::read(path);
        Ok(CampaignFiles { path: path.to_owned(), plot, started, unrecorded, checked_paths })
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the start of the campaign, in seconds since 1970.
    pub fn started(&self) -> u64 {
        afl::unix_seconds(self.started)
    }

    /// Returns the next input that the journal does not mention, because its end was damaged.
    pub fn next_unrecorded(&mut self) -> Option<PathBuf> {
        self.unrecorded.pop()
    }

    /// Returns the first free file number of each folder.
    pub fn free_numbers(&self) -> Result<[u32; 3], DirectoryError> {
        let mut numbers = [0; 3];
        for folder in TestFolder::ALL {
            let files = whole_files(&self.path.join(folder.directory()))?;
            numbers[folder as usize] =
                files.iter().filter_map(|file| number(file)).max().map_or(0, |last| last + 1);
        }
        Ok(numbers)
    }

    /// Writes an input; returns the path of its file. If it was kept before, an existing file is left as it
    /// is.
    pub fn write_input(
        &self,
        keep: &KeptInput,
        input: &Input,
        command: &[String],
        was_kept: bool,
    ) -> Result<PathBuf, DirectoryError> {
        let (content, extension) = encode_test(input, command);
        let directory = self.path.join(keep.folder.directory());
        let name = format!("{}{extension}", keep.name);
        let path = directory.join(&name);
        if was_kept && path.exists() { Ok(path) } else { write_whole(&directory, &name, &content, true) }
    }

    /// Writes an input that shows a fault only with sanitizers; returns the path of its file.
    pub fn write_sanitized(
        &self,
        name: &str,
        input: &Input,
        command: &[String],
    ) -> Result<PathBuf, DirectoryError> {
        let (content, extension) = encode_test(input, command);
        let directory = self.path.join(TestFolder::Crashes.directory());
        write_whole(&directory, &format!("{name}{extension}"), &content, true)
    }

    /// Writes the smallest input that shows a finding; returns the path of its file.
    pub fn write_smallest(
        &self,
        (folder, name): (TestFolder, &str),
        input: &Input,
        command: &[String],
    ) -> Result<PathBuf, DirectoryError> {
        let (content, extension) = encode_test(input, command);
        write_whole(&self.reports(folder)?, &format!("{name},min{extension}"), &content, true)
    }

    /// Writes the path constraint of a finding as an SMT-LIB script; returns the path of its file.
    pub fn write_path_constraint(
        &self,
        (folder, name): (TestFolder, &str),
        script: &str,
    ) -> Result<PathBuf, DirectoryError> {
        write_whole(&self.reports(folder)?, &format!("{name}.smt2"), script.as_bytes(), true)
    }

    /// Writes the report of a finding, as text and JSON. A finding that was merged into another one has no
    /// text.
    pub fn write_report(
        &self,
        (folder, name): (TestFolder, &str),
        finding: &Finding,
        input: &Input,
    ) -> Result<(), DirectoryError> {
        let (reports, file) = (self.reports(folder)?, format!("{name}.txt"));
        let objects: Vec<(String, &[u8])> =
            input.objects.iter().map(|object| (label(object), &object.bytes[..])).collect();
        match finding.same_as {
            None => drop(write_whole(&reports, &file, finding.text(&objects).as_bytes(), true)?),
            Some(_) => drop(fs::remove_file(reports.join(file))),
        }
        let record = serde_json::to_vec_pretty(finding).expect("it is plain data");
        write_whole(&reports, &format!("{name}.json"), &record, true)?;
        Ok(())
    }

    /// Reads the report of a finding, if it was written before.
    pub fn read_report(&self, (folder, name): (TestFolder, &str)) -> Option<Finding> {
        let file = self.path.join(folder.directory()).join(REPORTS).join(format!("{name}.json"));
        serde_json::from_slice(&read_file(&file, MAX_BYTES).ok()?).ok()
    }

    /// Returns the names of findings that only sanitizers have seen.
    pub fn sanitized_findings(&self) -> Vec<String> {
        let reports = self.path.join(TestFolder::Crashes.directory()).join(REPORTS);
        let names = fs::read_dir(reports).into_iter().flatten().filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            Some(name.strip_suffix(".json").filter(|name| name.starts_with(SANITIZED))?.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// True if the path of the input with this key was checked with sanitizers.
    pub fn was_checked(&self, key: u64) -> bool {
        self.checked_paths.contains(key)
    }

    /// Records that a path was checked with sanitizers, after all its findings were written.
    pub fn set_checked(&mut self, key: u64) -> Result<(), DirectoryError> {
        self.checked_paths.add(key).map_err(|source| unwritable(&self.path.join(CHECKED_PATHS), source))
    }

    /// Returns a path relative to the directory.
    pub fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.path).unwrap_or(path).display().to_string()
    }

    /// Returns the folder for reports, which is separate: every file in the folder of inputs is read as an
    /// input.
    fn reports(&self, folder: TestFolder) -> Result<PathBuf, DirectoryError> {
        let directory = self.path.join(folder.directory()).join(REPORTS);
        fs::create_dir_all(&directory).map_err(|source| unwritable(&directory, source))?;
        Ok(directory)
    }

    /// Writes the campaign snapshot.
    pub fn write_snapshot(&self, snapshot: &Snapshot) -> Result<PathBuf, DirectoryError> {
        let unfit = |error: serde_json::Error| unwritable(&self.path.join(SNAPSHOT), error.into());
        let text = serde_json::to_vec(snapshot).map_err(unfit)?;
        write_whole(&self.path, SNAPSHOT, &text, false)
    }

    /// Writes AFL's status files; `invocation` is the command line of Cairn, `target` that of the program.
    pub fn write_status(
        &mut self,
        progress: &Progress,
        (invocation, target): (&str, &[String]),
    ) -> Result<(), DirectoryError> {
        let stats = afl::stats(progress, self.started, (invocation, target), &self.path);
        write_whole(&self.path, STATS, stats.as_bytes(), false)?;
        let row = afl::plot_row(progress);
        self.plot.write_all(row.as_bytes()).map_err(|source| unwritable(&self.path.join(PLOT), source))
    }
}

fn remove_campaign(path: &Path) -> Result<(), DirectoryError> {
    let ignore_missing = |path: &Path, result: io::Result<()>| match result {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(unwritable(path, source)),
        _ => Ok(()),
    };
    for folder in TestFolder::ALL {
        let directory = path.join(folder.directory());
        ignore_missing(&directory, fs::remove_dir_all(&directory))?;
    }
    let positions = path.join(SYNC_POSITIONS);
    ignore_missing(&positions, fs::remove_dir_all(&positions))?;
    for file in [STATS, PLOT, JOURNAL, SNAPSHOT, PAGE, CHECKED_PATHS, FORMER_CHECKED, ORIGIN]
        .map(|name| path.join(name))
    {
        ignore_missing(&file, fs::remove_file(&file))?;
    }
    Ok(())
}

/// Writes a file atomically; with `sync` it is durable when the function returns. A link of that name is
/// replaced, not followed.
pub fn write_whole(
    directory: &Path,
    name: &str,
    content: &[u8],
    sync: bool,
) -> Result<PathBuf, DirectoryError> {
    let path = directory.join(name);
    let hidden = directory.join(format!(".{name}{UNFINISHED}"));
    let write = || {
        let _ = fs::remove_file(&hidden);
        let mut file = fs::File::create_new(&hidden)?;
        file.write_all(content)?;
        if sync {
            file.sync_data()?;
        }
        fs::rename(&hidden, &path)
    };
    write().map_err(|source| {
        let _ = fs::remove_file(&hidden);
        unwritable(&path, source)
    })?;
    Ok(path)
}

/// Returns the completely written files of a directory, sorted; incomplete ones are removed.
pub(crate) fn whole_files(directory: &Path) -> Result<Vec<PathBuf>, DirectoryError> {
    let unreadable = |source| DirectoryError::Unreadable { path: directory.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match name.starts_with('.') {
            true if name.ends_with(UNFINISHED) => fs::remove_file(&path).map_err(|e| unwritable(&path, e))?,
            false if path.is_file() => files.push(path),
            _ => {}
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the files with none of these names, regardless of extension.
fn unrecorded_files(mut files: Vec<PathBuf>, names: &[String]) -> Vec<PathBuf> {
    let names: HashSet<&str> = names.iter().map(String::as_str).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with(SANITIZED) && !names.contains(name.strip_suffix(KTEST).unwrap_or(&name))
    });
    files
}

/// Returns the number in a file's name.
fn number(file: &Path) -> Option<u32> {
    let name = file.file_name()?.to_str()?.strip_prefix("id:")?;
    name.split([',', '.']).next()?.parse().ok()
}

/// Wraps the error of a write.
pub(crate) fn unwritable(path: &Path, source: io::Error) -> DirectoryError {
    DirectoryError::Unwritable { path: path.to_owned(), source }
}
