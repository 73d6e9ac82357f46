//! The inputs behind a path that a user names: a file, a directory of inputs, or the directory of a campaign.

use crate::corpus::Place;
use crate::testcase::TestError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Beside crashes AFL++ keeps a note on how to use them.
const NOT_AN_INPUT: &str = "README.txt";
/// Crashes and hangs come first: a budget that is too small for all inputs shall not hide a known finding.
const PLACES: [Place; 3] = [Place::Crashes, Place::Hangs, Place::Queue];

/// True if a directory has the layout of a campaign, Cairn's or AFL's.
pub fn is_campaign(directory: &Path) -> bool {
    directory.join(Place::Queue.directory()).is_dir()
}

/// Lists the inputs behind a path: the file itself, all of a campaign (queue, crashes and hangs), those of all
/// campaigns in a directory that AFL++ was given with `-o`, or else the files of the directory.
pub fn input_files(path: &Path) -> Result<Vec<PathBuf>, TestError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let campaigns = if is_campaign(path) { vec![path.to_owned()] } else { campaigns_in(path)? };
    let mut files = Vec::new();
    for campaign in &campaigns {
        for place in PLACES {
            files.extend(files_of(campaign, place)?);
        }
    }
    if campaigns.is_empty() {
        files = test_files(path)?;
    }
    if files.is_empty() {
        return Err(TestError::NoSeeds(path.to_owned()));
    }
    Ok(files)
}

/// Lists the inputs that a campaign directory has in one place, in order of their names. A link that leads out of
/// the directory is none: a campaign directory may be a stranger's, and what it names is not his to read.
pub fn files_of(campaign: &Path, place: Place) -> Result<Vec<PathBuf>, TestError> {
    let directory = campaign.join(place.directory());
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = test_files(&directory)?;
    files.retain(|file| lies_inside(campaign, file) && !file.ends_with(NOT_AN_INPUT));
    Ok(files)
}

/// True if a path leads to something in a directory, all links followed.
pub fn lies_inside(directory: &Path, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(path).zip(real(directory)).is_some_and(|(path, directory)| path.starts_with(directory))
}

/// Lists a directory's regular files in order of their names. Hidden ones are no inputs.
pub fn test_files(directory: &Path) -> Result<Vec<PathBuf>, TestError> {
    let mut files = entries(directory)?;
    files.retain(|path| path.is_file());
    Ok(files)
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
        let files = input_files(path).unwrap();
        files.iter().map(|file| file.strip_prefix(path).unwrap().display().to_string()).collect()
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
