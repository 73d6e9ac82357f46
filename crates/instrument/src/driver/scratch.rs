//! The directory with a build's temporary files, and those of builds that were killed.
//!
//! All of a user's lie in one directory, so that finding what was left behind costs no look at all of `/tmp`, which a
//! build with thousands of files would pay thousands of times. A lock says that a directory is in use: it ends with its
//! process, however that ends. The number of a process would not do: in another container that shares the directory
//! for temporary files, it is another process's.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The name of the directory that has all of a user's, before his number.
const PREFIX: &str = "cairn-cc-";
/// Names of those inside.
const ONE: &str = "build-";
/// Nobody but the user may look into it or add to it.
const PRIVATE: u32 = 0o700;

/// A directory for temporary files, removed in the end or, if that does not come, by a later build.
pub struct Scratch {
    directory: TempDir,
    _lock: Option<File>,
}

impl Scratch {
    /// Makes one, and removes what killed builds have left.
    pub fn create() -> io::Result<Scratch> {
        Scratch::create_in(&std::env::temp_dir())
    }

    fn create_in(place: &Path) -> io::Result<Scratch> {
        match common(place) {
            Some(common) => {
                remove_abandoned(&common);
                Scratch::inside(&common)
            }
            // Somebody else has made the name his own.
            None => {
                let directory = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
                Ok(Scratch { directory, _lock: None })
            }
        }
    }

    fn inside(common: &Path) -> io::Result<Scratch> {
        // As long as this is held nothing is removed, so that a directory is never seen before it is locked.
        let gate = File::open(common)?;
        gate.lock_shared()?;
        let directory = tempfile::Builder::new().prefix(ONE).tempdir_in(common)?;
        let lock = File::open(directory.path())?;
        lock.lock()?;
        Ok(Scratch { directory, _lock: Some(lock) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// The directory that has all of this user's, if it is his alone.
fn common(place: &Path) -> Option<PathBuf> {
    // The owner of what this process makes.
    let user = fs::metadata("/proc/self").ok()?.uid();
    let path = place.join(format!("{PREFIX}{user}"));
    let _ = DirBuilder::new().mode(PRIVATE).create(&path);
    let metadata = path.symlink_metadata().ok()?;
    let is_private = metadata.mode() & 0o777 == PRIVATE && metadata.uid() == user;
    (metadata.is_dir() && is_private).then_some(path)
}

/// Removes directories of builds that are no more, unless another build is just beginning: then the next one does it.
fn remove_abandoned(common: &Path) {
    let Ok(gate) = File::open(common) else { return };
    if gate.try_lock().is_err() {
        return;
    }
    for entry in fs::read_dir(common).into_iter().flatten().flatten() {
        let is_free = || File::open(entry.path()).is_ok_and(|directory| directory.try_lock().is_ok());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_free() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(place: &Path) -> usize {
        fs::read_dir(common(place).unwrap()).unwrap().count()
    }

    #[test]
    fn the_next_build_removes_what_a_killed_one_left() {
        let place = tempfile::tempdir().unwrap();
        let live = Scratch::create_in(place.path()).unwrap();
        let left = common(place.path()).unwrap().join("build-left");
        fs::create_dir_all(left.join("deep")).unwrap();
        fs::write(left.join("deep/plain.bc"), "").unwrap();
        let next = Scratch::create_in(place.path()).unwrap();
        assert!(!left.exists() && live.path().is_dir() && next.path().is_dir());
        drop((live, next));
        assert_eq!(entries(place.path()), 0);
    }

    #[test]
    fn a_name_that_is_taken_is_not_used() {
        let (place, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(other.path().join("precious")).unwrap();
        let path = common(place.path()).unwrap();
        fs::remove_dir(&path).unwrap();
        std::os::unix::fs::symlink(other.path(), &path).unwrap();
        let scratch = Scratch::create_in(place.path()).unwrap();
        assert!(scratch.path().is_dir() && !scratch.path().starts_with(&path));
        assert!(other.path().join("precious").is_dir());
    }
}
