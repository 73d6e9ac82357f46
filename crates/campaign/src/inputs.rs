//! The inputs behind a path that a user names: a file, a directory of inputs, or the directory of a campaign.

use crate::corpus::TestFolder;
use crate::directory::REPORTS;
use crate::testcase::TestError;
use cairn_program::Special;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Companion crashes AFL++ keeps a note on how to use them.
const NOT_AN_INPUT: &str = "README.txt";
/// Most entries that are named when they are left out.
const MOST_NAMED: usize = 5;
/// Crashes and hangs come first: a budget that is too small for all inputs shall not hide a known finding.
const PLACES: [TestFolder; 3] = [TestFolder::Crashes, TestFolder::Hangs, TestFolder::Queue];

/// True if a directory has the layout of a campaign, Cairn's or AFL's.
pub fn is_campaign(directory: &Path) -> bool {
    directory.join(TestFolder::Queue.directory()).is_dir()
}

/// Inputs behind a path, and what a directory has besides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// Regular files, or links to such.
    pub files: Vec<PathBuf>,
    /// Entries that are not inputs. Hidden ones, and those that campaigns are known to have, are not among them.
    pub left_out: Vec<LeftOut>,
}

/// An entry of a directory that is not an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The entry.
    pub path: PathBuf,
    /// What it is.
    pub what: NotAnInput,
}

/// The reason why an entry of a directory is not an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotAnInput {
    /// A directory, pipe, socket or device.
    Special(Special),
    /// A link to nothing.
    BrokenLink,
    /// A link that leads out of its campaign.
    LinkOut,
    /// A file beside campaigns.
    Companion,
}

impl fmt::Display for NotAnInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAnInput::Special(special) => special.fmt(f),
            NotAnInput::BrokenLink => f.write_str("a broken link"),
            NotAnInput::LinkOut => f.write_str("a link out of the campaign"),
            NotAnInput::Companion => f.write_str("a file beside campaigns"),
        }
    }
}

impl Listing {
    /// Names the entries that are left out, in the words that complete "left out: ". None if all are inputs.
    pub fn left_out_names(&self) -> Option<String> {
        let name = |entry: &LeftOut| format!("{} ({})", entry.path.display(), entry.what);
        let named: Vec<String> = self.left_out.iter().take(MOST_NAMED).map(name).collect();
        let rest = self.left_out.len() - named.len();
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        (!named.is_empty()).then(|| named.join(", ") + &rest)
    }

    fn extend(&mut self, other: Listing) {
        self.files.extend(other.files);
        self.left_out.extend(other.left_out);
    }

    /// Moves the files of which `reason` gives one to those that are left out.
    fn leave_out(&mut self, reason: impl Fn(&Path) -> Option<NotAnInput>) {
        let Listing { files, left_out } = self;
        files.retain(|file| match reason(file) {
            Some(what) => {
                left_out.push(LeftOut { path: file.clone(), what });
                false
            }
            None => true,
        });
    }
}

/// Lists the inputs behind a path: the file itself, all of a campaign (queue, crashes and hangs), those of all
/// campaigns in a directory that AFL++ was given with `-o`, or else the files of the directory. A campaign and its
/// directories may be without inputs; another directory may not.
pub fn input_files(path: &Path) -> Result<Listing, TestError> {
    if !path.is_dir() {
        return Ok(Listing { files: vec![path.to_owned()], left_out: Vec::new() });
    }
    if is_campaign(path) {
        return of_campaign(path);
    }
    let listing = match campaigns_in(path)? {
        campaigns if campaigns.is_empty() => plain_files(path)?,
        campaigns => of_campaigns(path, &campaigns)?,
    };
    if listing.files.is_empty() && !is_part_of_campaign(path) {
        return Err(TestError::NoSeeds { path: path.to_owned(), left_out: listing.left_out_names() });
    }
    Ok(listing)
}

fn of_campaign(campaign: &Path) -> Result<Listing, TestError> {
    let mut listing = Listing::default();
    for place in PLACES {
        listing.extend(files_of(campaign, place)?);
    }
    Ok(listing)
}

/// Lists the inputs of campaigns that lie in one directory.
fn of_campaigns(directory: &Path, campaigns: &[PathBuf]) -> Result<Listing, TestError> {
    let mut listing = test_files(directory)?;
    listing.leave_out(|_| Some(NotAnInput::Companion));
    listing.left_out.retain(|entry| !campaigns.contains(&entry.path));
    for campaign in campaigns {
        listing.extend(of_campaign(campaign)?);
    }
    Ok(listing)
}

/// Lists the files of a directory that is not a campaign, but may be one of its parts.
fn plain_files(directory: &Path) -> Result<Listing, TestError> {
    let mut listing = test_files(directory)?;
    if is_part_of_campaign(directory) {
        remove_known(&mut listing);
    }
    Ok(listing)
}

/// True for the queue, the crashes and the hangs of a campaign.
fn is_part_of_campaign(directory: &Path) -> bool {
    let Ok(directory) = directory.canonicalize() else { return false };
    let is_place = PLACES.iter().any(|place| directory.ends_with(place.directory()));
    is_place && directory.parent().is_some_and(is_campaign)
}

/// Lists the inputs that a campaign directory has in one place, in order of their names. A link that leads out of
/// the directory is none: a campaign directory may be a stranger's, and what it names is not his to read.
pub fn files_of(campaign: &Path, place: TestFolder) -> Result<Listing, TestError> {
    let directory = campaign.join(place.directory());
    if !directory.is_dir() {
        return Ok(Listing::default());
    }
    let mut listing = test_files(&directory)?;
    remove_known(&mut listing);
    listing.leave_out(|file| (!lies_inside(campaign, file)).then_some(NotAnInput::LinkOut));
    Ok(listing)
}

/// Forgets the entries that campaigns have beside their inputs.
fn remove_known(listing: &mut Listing) {
    listing.files.retain(|file| !file.ends_with(NOT_AN_INPUT));
    listing.left_out.retain(|entry| !entry.path.ends_with(REPORTS));
}

/// True if a path leads to something in a directory, all links followed.
pub fn lies_inside(directory: &Path, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(path).zip(real(directory)).is_some_and(|(path, directory)| path.starts_with(directory))
}

/// Lists a directory's regular files in order of their names, links to such among them. Hidden ones are no inputs.
pub fn test_files(directory: &Path) -> Result<Listing, TestError> {
    let mut listing = Listing { files: entries(directory)?, left_out: Vec::new() };
    listing.leave_out(|path| match path.metadata() {
        Ok(metadata) => Special::of(metadata.file_type()).map(NotAnInput::Special),
        // Reading a file that cannot be looked at is refused with the system's reason.
        Err(_) => path.is_symlink().then_some(NotAnInput::BrokenLink),
    });
    Ok(listing)
}

fn campaigns_in(directory: &Path) -> Result<Vec<PathBuf>, TestError> {
    let mut campaigns = entries(directory)?;
    campaigns.retain(|path| is_campaign(path));
    Ok(campaigns)
}

/// Lists the entries of a directory that are not hidden, sorted.
fn entries(directory: &Path) -> Result<Vec<PathBuf>, TestError> {
    let unreadable = |source: io::Error| TestError::NoDirectory { path: directory.to_owned(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &Path) -> Vec<String> {
        let listing = input_files(path).unwrap();
        listing.files.iter().map(|file| file.strip_prefix(path).unwrap().display().to_string()).collect()
    }

    #[test]
    fn campaigns_are_known_by_their_layout() {
        let top = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            let path = top.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        for name in ["one/queue/id:0", "one/crashes/id:1", "one/crashes/README.txt", "one/hangs/id:2"] {
            put(name);
        }
        for name in ["one/fuzzer_stats", "one/crashes/reports/id:1.txt", "one/queue/.state", "two/queue/id:3"]
        {
            put(name);
        }
        assert_eq!(names(&top.path().join("one")), ["crashes/id:1", "hangs/id:2", "queue/id:0"]);
        assert_eq!(
            names(top.path()),
            ["one/crashes/id:1", "one/hangs/id:2", "one/queue/id:0", "two/queue/id:3"]
        );
        assert_eq!(names(&top.path().join("one/queue")), ["id:0"]);
    }

    #[test]
    fn links_out_of_a_campaign_are_no_inputs() {
        let (top, secret) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        let queue = top.path().join("queue");
        fs::create_dir(&queue).unwrap();
        fs::write(queue.join("id:0"), "").unwrap();
        std::os::unix::fs::symlink(secret.path(), queue.join("id:1")).unwrap();
        std::os::unix::fs::symlink("id:0", queue.join("id:2")).unwrap();
        assert_eq!(names(top.path()), ["queue/id:0", "queue/id:2"]);
    }
}
