//! The campaign directory, laid out as AFL's tools expect it.
//!
//! Every file appears whole or not at all: it is written under a hidden name first and then renamed. What the journal tells
//! of is written before anybody hears of it.

use crate::afl;
use crate::corpus::{Keep, TestFolder};
use crate::finding::Finding;
use crate::findings::SANITIZED;
use crate::journal::{Charter, Chronicle, JOURNAL, Journal, OldJournal};
use crate::observer::Progress;
use crate::settings::Settings;
use crate::snapshot::{SNAPSHOT, Snapshot};
use crate::sync;
use crate::testcase::{KTEST, encode_test};
use cairn_exec::Input;
use cairn_program::{read_file, read_text};
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use thiserror::Error;

const STATS: &str = "fuzzer_stats";
const PLOT: &str = "plot_data";
/// What `cairn report` writes there unless told otherwise.
const PAGE: &str = "report.html";
/// Numbers of the tests that the build with sanitizers was run on, one per line.
const SANITIZED_TESTS: &str = "sanitized_tests";
/// Which program the campaign was about, written by `cairn run` itself.
const ORIGIN: &str = "origin.json";
/// End of the hidden name of a file that is being written.
const UNFINISHED: &str = ".new";
/// Most bytes of a record or list in the directory.
const MOST_BYTES: u64 = 64 << 20;
/// What there is to say of findings, in a directory of its own beside their inputs.
pub(crate) const REPORTS: &str = "reports";

/// Why a campaign directory cannot be used.
#[derive(Debug, Error)]
pub enum DirectoryError {
    /// Something in it cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is one already.
    #[error("{} holds a campaign already: --resume goes on with it, --force replaces it", .0.display())]
    InUse(PathBuf),
    /// Something in it cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no campaign in it, or not even the beginning of its journal.
    #[error("the campaign in {} cannot go on, since the beginning of its journal cannot be read: its tests can be given to another one with --seeds", .0.display())]
    NoJournal(PathBuf),
    /// The journal is not of this campaign.
    #[error("the campaign in {} cannot go on like this, since {difference}: resume it as it began, or replace it with --force", path.display())]
    Another {
        /// The directory.
        path: PathBuf,
        /// In what they differ.
        difference: String,
    },
    /// The journal's records do not fit together.
    #[error("the journal contradicts itself: was it written by another version of Cairn?")]
    Nonsense,
}

/// A campaign directory that is being written.
#[derive(Debug)]
pub struct CampaignDirectory {
    path: PathBuf,
    plot: fs::File,
    started: SystemTime,
    /// Taken by the campaign when it begins.
    log: Option<Log>,
    /// Files that the journal does not tell of, the last first.
    strangers: Vec<PathBuf>,
    /// Tests that sanitizers have seen before.
    sanitized_tests: HashSet<u32>,
}

#[derive(Debug)]
enum Log {
    New(Journal),
    Old(Box<OldJournal>),
}

impl CampaignDirectory {
    /// Makes the directory; `replace` throws out the campaign that is in it, and nothing else.
    pub fn create(path: &Path, replace: bool) -> Result<CampaignDirectory, DirectoryError> {
        if path.join(STATS).exists()
            || TestFolder::ALL.iter().any(|place| path.join(place.directory()).exists())
        {
            if !replace {
                return Err(DirectoryError::InUse(path.to_owned()));
            }
            remove_campaign(path)?;
        }
        for place in TestFolder::ALL {
            let directory = path.join(place.directory());
            fs::create_dir_all(&directory).map_err(|source| unwritable(&directory, source))?;
        }
        let plot_path = path.join(PLOT);
        let header = |mut file: fs::File| file.write_all(afl::PLOT_HEADER.as_bytes()).map(|()| file);
        let plot = fs::File::create(&plot_path).and_then(header);
        let plot = plot.map_err(|source| unwritable(&plot_path, source))?;
        let log = Some(Log::New(Journal::create(path)?));
        let (path, started) = (path.to_owned(), SystemTime::now());
        let (strangers, sanitized_tests) = Default::default();
        Ok(CampaignDirectory { path, plot, started, log, strangers, sanitized_tests })
    }

    /// Opens the directory to go on with the campaign in it. What a process that was killed has left half done is cleared away.
    pub fn resume(path: &Path) -> Result<CampaignDirectory, DirectoryError> {
        let places: Vec<PathBuf> = TestFolder::ALL.iter().map(|place| path.join(place.directory())).collect();
        let mut files = Vec::new();
        for directory in &places {
            fs::create_dir_all(directory).map_err(|source| unwritable(directory, source))?;
            files.push(whole_files(directory)?);
        }
        whole_files(path)?;
        let old = match OldJournal::open(path)? {
            Some(old) => old,
            // It had only just begun.
            None if files.iter().all(Vec::is_empty) => return CampaignDirectory::create(path, true),
            None => return Err(DirectoryError::NoJournal(path.to_owned())),
        };
        let strangers =
            files.into_iter().zip(&old.kept).flat_map(|(files, kept)| strangers(files, kept)).rev().collect();
        let plot_path = path.join(PLOT);
        let plot = fs::OpenOptions::new().create(true).append(true).open(&plot_path);
        let plot = plot.map_err(|source| unwritable(&plot_path, source))?;
        let started = UNIX_EPOCH + Duration::from_secs(old.charter.started);
        Ok(CampaignDirectory {
            path: path.to_owned(),
            plot,
            started,
            log: Some(Log::Old(Box::new(old))),
            strangers,
            sanitized_tests: sanitized_tests(path),
        })
    }

    /// Bytes that a campaign which was cut short has left behind the end of its journal.
    pub fn cut(&self) -> u64 {
        if let Some(Log::Old(old)) = &self.log { old.cut } else { 0 }
    }

    /// Runs that the campaign has made before.
    pub fn past_runs(&self) -> u64 {
        if let Some(Log::Old(old)) = &self.log { old.runs } else { 0 }
    }

    /// The past of the campaign with these settings, if it has one, and its journal.
    pub(crate) fn chronicle(&mut self, settings: &Settings) -> Result<Chronicle, DirectoryError> {
        let charter = Charter::new(settings, unix(self.started));
        match self.log.take() {
            None => Ok(Chronicle::new(None)),
            Some(Log::New(mut journal)) => {
                journal.begin(&charter)?;
                Ok(Chronicle::new(Some(journal)))
            }
            Some(Log::Old(old)) => match old.charter.difference(&charter) {
                Some(difference) => Err(DirectoryError::Another { path: self.path.clone(), difference }),
                None => Chronicle::resumed(*old),
            },
        }
    }

    /// The next file that the journal does not tell of: it was damaged.
    pub(crate) fn next_stranger(&mut self) -> Option<PathBuf> {
        self.strangers.pop()
    }

    /// Numbers of files in each place that are taken.
    pub(crate) fn numbers(&self) -> Result<[u32; 3], DirectoryError> {
        let mut numbers = [0; 3];
        for place in TestFolder::ALL {
            let files = whole_files(&self.path.join(place.directory()))?;
            numbers[place as usize] =
                files.iter().filter_map(|file| number(file)).max().map_or(0, |last| last + 1);
        }
        Ok(numbers)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes an input; gives the path of its file. One that was kept before is still there, if all went well.
    pub(crate) fn keep(
        &self,
        keep: &Keep,
        input: &Input,
        command: &[String],
        was_kept: bool,
    ) -> Result<PathBuf, DirectoryError> {
        let (content, extension) = encode_test(input, command);
        let directory = self.path.join(keep.place.directory());
        let name = format!("{}{extension}", keep.name);
        let path = directory.join(&name);
        if was_kept && path.exists() { Ok(path) } else { write_whole(&directory, &name, &content, true) }
    }

    /// Writes an input that only sanitizers make a finding of; gives the path of its file.
    pub(crate) fn keep_sanitized(
        &self,
        name: &str,
        input: &Input,
        command: &[String],
    ) -> Result<PathBuf, DirectoryError> {
        let (content, extension) = encode_test(input, command);
        let directory = self.path.join(TestFolder::Crashes.directory());
        write_whole(&directory, &format!("{name}{extension}"), &content, true)
    }

    /// Writes the smallest input that shows a finding; gives the path of its file.
    pub(crate) fn keep_smallest(
        &self,
        (place, name): (TestFolder, &str),
        input: &Input,
        command: &[String],
    ) -> Result<PathBuf, DirectoryError> {
        let (content, extension) = encode_test(input, command);
        write_whole(&self.reports(place)?, &format!("{name},min{extension}"), &content, true)
    }

    /// Writes the path condition of a finding; gives the path of its file.
    pub(crate) fn keep_condition(
        &self,
        (place, name): (TestFolder, &str),
        script: &str,
    ) -> Result<PathBuf, DirectoryError> {
        write_whole(&self.reports(place)?, &format!("{name}.smt2"), script.as_bytes(), true)
    }

    /// Writes what there is to say of a finding. What turned out to be another one needs no words.
    pub(crate) fn explain(
        &self,
        (place, name): (TestFolder, &str),
        finding: &Finding,
        input: &Input,
    ) -> Result<(), DirectoryError> {
        let (reports, text) = (self.reports(place)?, format!("{name}.txt"));
        match finding.same_as {
            None => drop(write_whole(&reports, &text, finding.text(input).as_bytes(), true)?),
            Some(_) => drop(fs::remove_file(reports.join(text))),
        }
        let record = serde_json::to_vec_pretty(finding).expect("it is plain data");
        write_whole(&reports, &format!("{name}.json"), &record, true)?;
        Ok(())
    }

    /// What was said of a finding before.
    pub(crate) fn explained(&self, (place, name): (TestFolder, &str)) -> Option<Finding> {
        let file = self.path.join(place.directory()).join(REPORTS).join(format!("{name}.json"));
        serde_json::from_slice(&read_file(&file, MOST_BYTES).ok()?).ok()
    }

    /// Names of the findings that only sanitizers have seen.
    pub(crate) fn sanitized(&self) -> Vec<String> {
        let reports = self.path.join(TestFolder::Crashes.directory()).join(REPORTS);
        let names = fs::read_dir(reports).into_iter().flatten().filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            Some(name.strip_suffix(".json").filter(|name| name.starts_with(SANITIZED))?.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Whether sanitizers have seen a test before.
    pub(crate) fn was_sanitized(&self, test: u32) -> bool {
        self.sanitized_tests.contains(&test)
    }

    /// Notes that sanitizers have seen a test, and that all they said of it is written.
    pub(crate) fn note_sanitized(&mut self, test: u32) -> Result<(), DirectoryError> {
        if !self.sanitized_tests.insert(test) {
            return Ok(());
        }
        let path = self.path.join(SANITIZED_TESTS);
        let file = fs::OpenOptions::new().create(true).append(true).open(&path);
        let noted = file.and_then(|mut file| file.write_all(format!("{test}\n").as_bytes()));
        noted.map_err(|source| unwritable(&path, source))
    }

    /// A path in the directory, from there.
    pub(crate) fn inside(&self, path: &Path) -> String {
        path.strip_prefix(&self.path).unwrap_or(path).display().to_string()
    }

    /// Companion the inputs, but not among them: every file there is an input, for whoever reads it.
    fn reports(&self, place: TestFolder) -> Result<PathBuf, DirectoryError> {
        let directory = self.path.join(place.directory()).join(REPORTS);
        fs::create_dir_all(&directory).map_err(|source| unwritable(&directory, source))?;
        Ok(directory)
    }

    /// Writes what whoever reports on the campaign wants to know.
    pub(crate) fn keep_snapshot(&self, snapshot: &Snapshot) -> Result<PathBuf, DirectoryError> {
        let unfit = |error: serde_json::Error| unwritable(&self.path.join(SNAPSHOT), error.into());
        let text = serde_json::to_vec(snapshot).map_err(unfit)?;
        write_whole(&self.path, SNAPSHOT, &text, false)
    }

    /// Writes where the campaign stands.
    pub(crate) fn note(&mut self, progress: &Progress, settings: &Settings) -> Result<(), DirectoryError> {
        let stats = afl::stats(progress, self.started, settings, &self.path);
        write_whole(&self.path, STATS, stats.as_bytes(), false)?;
        let row = afl::plot_row(progress);
        self.plot.write_all(row.as_bytes()).map_err(|source| unwritable(&self.path.join(PLOT), source))
    }
}

/// Tests that sanitizers have seen, of a campaign that goes on. A line that was cut short may be another number's beginning, and
/// is taken away: what comes next would be added to it.
fn sanitized_tests(campaign: &Path) -> HashSet<u32> {
    let path = campaign.join(SANITIZED_TESTS);
    let text = read_text(&path, MOST_BYTES).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    if whole.len() < text.len() && write_whole(campaign, SANITIZED_TESTS, whole.as_bytes(), true).is_err() {
        return HashSet::new();
    }
    whole.lines().filter_map(|line| line.parse().ok()).collect()
}

fn remove_campaign(path: &Path) -> Result<(), DirectoryError> {
    let ignore_missing = |path: &Path, result: io::Result<()>| match result {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(unwritable(path, source)),
        _ => Ok(()),
    };
    for place in TestFolder::ALL {
        let directory = path.join(place.directory());
        ignore_missing(&directory, fs::remove_dir_all(&directory))?;
    }
    let notes = path.join(sync::NOTES);
    ignore_missing(&notes, fs::remove_dir_all(&notes))?;
    for file in [STATS, PLOT, JOURNAL, SNAPSHOT, PAGE, SANITIZED_TESTS, ORIGIN].map(|name| path.join(name)) {
        ignore_missing(&file, fs::remove_file(&file))?;
    }
    Ok(())
}

/// Writes a file; with `sync` it is on the disk, whatever happens to the machine. A link that has its name is replaced,
/// not followed.
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

/// The files of a directory that were written to their end, in order; the others are removed.
fn whole_files(directory: &Path) -> Result<Vec<PathBuf>, DirectoryError> {
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

/// Those of the files that have none of these names, whatever their extension.
fn strangers(mut files: Vec<PathBuf>, names: &[String]) -> Vec<PathBuf> {
    let names: HashSet<&str> = names.iter().map(String::as_str).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with(SANITIZED) && !names.contains(name.strip_suffix(KTEST).unwrap_or(&name))
    });
    files
}

/// The number in a file's name.
fn number(file: &Path) -> Option<u32> {
    let name = file.file_name()?.to_str()?.strip_prefix("id:")?;
    name.split([',', '.']).next()?.parse().ok()
}

pub(crate) fn unix(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

pub(crate) fn unwritable(path: &Path, source: io::Error) -> DirectoryError {
    DirectoryError::Unwritable { path: path.to_owned(), source }
}
