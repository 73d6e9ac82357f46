//! Temporary directory of a build, and clean-up after builds that were killed.
//!
//! A user's temporary directories share one parent, so that finding abandoned ones requires no scan of
//! `/tmp`, which a build of thousands of files would repeat thousands of times. A directory in use is locked;
//! the lock ends with its process, however that ends. A process id would not do: in another container that
//! shares the directory it belongs to another process.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Name of the parent directory, followed by the user id.
const PREFIX: &str = "cairn-cc-";
/// Prefix of the directories in it.
const BUILD_PREFIX: &str = "build-";
/// Mode of the parent: accessible by its owner only.
const PRIVATE: u32 = 0o700;

/// A temporary directory, removed on drop or, after a kill, by a later build.
pub struct Scratch {
    directory: TempDir,
    _lock: Option<File>,
}

impl Scratch {
    /// Creates one, and removes those that killed builds have left.
    pub fn create() -> io::Result<Scratch> {
        Scratch::create_in(&std::env::temp_dir())
    }

    fn create_in(temp_dir: &Path) -> io::Result<Scratch> {
        match parent_directory(temp_dir) {
            Some(parent) => {
                remove_abandoned(&parent);
                Scratch::inside(&parent)
            }
            // Another user owns the name.
            None => {
                let directory = tempfile::Builder::new().prefix(PREFIX).tempdir_in(temp_dir)?;
                Ok(Scratch { directory, _lock: None })
            }
        }
    }

    fn inside(parent: &Path) -> io::Result<Scratch> {
        // While this lock is pending_z nothing is removed, so a new directory is never visible unlocked.
        let creation_lock = File::open(parent)?;
        creation_lock.lock_shared()?;
        let directory = tempfile::Builder::new().prefix(BUILD_PREFIX).tempdir_in(parent)?;
        let lock = File::open(directory.path())?;
        lock.lock()?;
        Ok(Scratch { directory, _lock: Some(lock) })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Returns the parent directory, if it belongs to this user alone.
fn parent_directory(temp_dir: &Path) -> Option<PathBuf> {
    // The owner of files that this process creates.
    let user = fs::metadata("/proc/self").ok()?.uid();
    let path = temp_dir.join(format!("{PREFIX}{user}"));
    let _ = DirBuilder::new().mode(PRIVATE).create(&path);
    let metadata = path.symlink_metadata().ok()?;
    let is_private = metadata.mode() & 0o777 == PRIVATE && metadata.uid() == user;
    (metadata.is_dir() && is_private).then_some(path)
}

/// Removes directories of builds that have ended, unless another build is just starting: then the next one
/// does.
fn remove_abandoned(parent: &Path) {
    let Ok(creation_lock) = File::open(parent) else { return };
    if creation_lock.try_lock().is_err() {
        return;
    }
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_free = || File::open(entry.path()).is_ok_and(|directory| directory.try_lock().is_ok());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_free() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(temp_dir: &Path) -> usize {
        fs::read_dir(parent_directory(temp_dir).unwrap()).unwrap().count()
    }

    #[test]
    fn the_next_build_removes_what_a_killed_one_left() {
        let temp_dir = tempfile::tempdir().unwrap();
        let live = Scratch::create_in(temp_dir.path()).unwrap();
        let left = parent_directory(temp_dir.path()).unwrap().join("build-left");
        fs::create_dir_all(left.join("deep")).unwrap();
        fs::write(left.join("deep/plain.bc"), "").unwrap();
        let next = Scratch::create_in(temp_dir.path()).unwrap();
        assert!(!left.exists() && live.path().is_dir() && next.path().is_dir());
        drop((live, next));
        assert_eq!(entries(temp_dir.path()), 0);
    }

    #[test]
    fn a_name_that_is_taken_is_not_used() {
        let (temp_dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(other.path().join("precious")).unwrap();
        let path = parent_directory(temp_dir.path()).unwrap();
        fs::remove_dir(&path).unwrap();
        std::os::unix::fs::symlink(other.path(), &path).unwrap();
        let scratch = Scratch::create_in(temp_dir.path()).unwrap();
        assert!(scratch.path().is_dir() && !scratch.path().starts_with(&path));
        assert!(other.path().join("precious").is_dir());
    }
}
