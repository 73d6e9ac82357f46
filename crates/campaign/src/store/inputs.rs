//! Lists the inputs at a path that the user names: a file, a directory of inputs, or a campaign directory.

use super::directory::REPORTS;
use super::testcase::TestError;
use crate::test_folder::TestFolder;
use cairn_program::Special;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// File that AFL++ puts next to crashes.
const AFL_README: &str = "README.txt";
/// Maximum number of left-out entries that are named; a chosen bound.
const MAX_NAMED: usize = 5;
/// Order of the folders. Crashes and hangs come first, so that a budget too small for all inputs does not
/// hide a known finding.
const FOLDERS: [TestFolder; 3] = [TestFolder::Crashes, TestFolder::Hangs, TestFolder::Queue];

/// True if a directory has the layout of a campaign, Cairn's or AFL's.
pub fn is_campaign(directory: &Path) -> bool {
    directory.join(TestFolder::Queue.directory()).is_dir()
}

/// Inputs at a path, and the other entries of a directory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// Regular files, or links to regular files.
    pub files: Vec<PathBuf>,
    /// Entries that are not inputs, without hidden ones and those that every campaign has.
    pub left_out: Vec<LeftOut>,
}

/// An entry of a directory that is not an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The entry.
    pub path: PathBuf,
    /// Reason why it is not an input.
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
    /// A file next to campaigns.
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
    /// Returns the names of left-out entries, to complete "left out: "; None if all are inputs.
    pub fn left_out_names(&self) -> Option<String> {
        let name = |entry: &LeftOut| format!("{} ({})", entry.path.display(), entry.what);
        let named: Vec<String> = self.left_out.iter().take(MAX_NAMED).map(name).collect();
        let rest = self.left_out.len() - named.len();
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        (!named.is_empty()).then(|| named.join(", ") + &rest)
    }

    fn extend(&mut self, other: Listing) {
        self.files.extend(other.files);
        self.left_out.extend(other.left_out);
    }

    /// Moves the files for which `reason` returns one to the left-out entries.
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

/// Lists the inputs at a path: the file itself, all of a campaign (queue, crashes and hangs), those of all
/// campaigns in an output directory of AFL++, or else the files of the directory. Only a campaign and its
/// folders may have none.
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
    for folder in FOLDERS {
        listing.extend(files_of(campaign, folder)?);
    }
    Ok(listing)
}

/// Lists the inputs of the campaigns in one directory.
fn of_campaigns(directory: &Path, campaigns: &[PathBuf]) -> Result<Listing, TestError> {
    let mut listing = test_files(directory)?;
    listing.leave_out(|_| Some(NotAnInput::Companion));
    listing.left_out.retain(|entry| !campaigns.contains(&entry.path));
    for campaign in campaigns {
        listing.extend(of_campaign(campaign)?);
    }
    Ok(listing)
}

/// Lists the files of a directory that is not a campaign, but may be a folder of one.
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
    let is_folder = FOLDERS.iter().any(|folder| directory.ends_with(folder.directory()));
    is_folder && directory.parent().is_some_and(is_campaign)
}

/// Lists the inputs in one folder of a campaign directory, sorted by name. Links that lead out of the
/// directory are left out: a campaign directory may come from an untrusted source and must not name other
/// files of the user.
pub fn files_of(campaign: &Path, folder: TestFolder) -> Result<Listing, TestError> {
    let directory = campaign.join(folder.directory());
    if !directory.is_dir() {
        return Ok(Listing::default());
    }
    let mut listing = test_files(&directory)?;
    remove_known(&mut listing);
    listing.leave_out(|file| (!lies_inside(campaign, file)).then_some(NotAnInput::LinkOut));
    Ok(listing)
}

/// Removes the entries that every campaign has besides its inputs.
fn remove_known(listing: &mut Listing) {
    listing.files.retain(|file| !file.ends_with(AFL_README));
    listing.left_out.retain(|entry| !entry.path.ends_with(REPORTS));
}

/// True if a path, with links resolved, is inside a directory.
pub fn lies_inside(directory: &Path, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(path).zip(real(directory)).is_some_and(|(path, directory)| path.starts_with(directory))
}

/// Lists a directory's regular files and links to them, sorted by name. Hidden ones are no inputs.
pub fn test_files(directory: &Path) -> Result<Listing, TestError> {
    let mut listing = Listing { files: entries(directory)?, left_out: Vec::new() };
    listing.leave_out(|path| match path.metadata() {
        Ok(metadata) => Special::of(metadata.file_type()).map(NotAnInput::Special),
        // A file without accessible metadata is reported when it is read.
        Err(_) => path.is_symlink().then_some(NotAnInput::BrokenLink),
    });
    Ok(listing)
}

fn campaigns_in(directory: &Path) -> Result<Vec<PathBuf>, TestError> {
    let mut campaigns = entries(directory)?;
    campaigns.retain(|path| is_campaign(path));
    Ok(campaigns)
}

/// Returns the visible entries of a directory, sorted.
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
    fn campaigns_are_recognized_by_their_layout() {
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
