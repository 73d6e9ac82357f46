//! Scratch directories that killed drivers have left behind, which the next driver removes.
//!
//! A driver holds a lock on its directory, which ends with it in any case. A process number in the name would
//! not do: it may belong to another process by now, or to another container with the same directory for
//! temporary files.

use super::{remove_tree, unlock};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

/// Prefix of the names of all scratch directories.
pub(super) const PREFIX: &str = "cairn-scratch-";
/// Age from which on an unlocked directory is abandoned; a younger one may be about to be locked. A chosen
/// bound.
const MIN_AGE: Duration = Duration::from_secs(60);

/// Locks a directory as long as the file is open.
pub(super) fn lock(directory: &Path) -> io::Result<File> {
    let file = File::open(directory)?;
    file.lock()?;
    Ok(file)
}

/// Removes abandoned directories next to a directory, on the first call.
pub(super) fn remove_once(directory: &Path) {
    static ONCE: Once = Once::new();
    if let Some(parent) = directory.parent() {
        ONCE.call_once(|| remove_all(parent));
    }
}

fn remove_all(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let has_prefix = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if has_prefix && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_abandoned(&entry.path()) {
            // Fails for those of other users, which stay.
            let _ = unlock(&entry.path()).and_then(|()| remove_tree(&entry.path()));
        }
    }
}

/// True if it is old and not locked.
fn is_abandoned(directory: &Path) -> bool {
    let age = || fs::metadata(directory).ok()?.modified().ok()?.elapsed().ok();
    let is_old = age().is_some_and(|age| age >= MIN_AGE);
    is_old && File::open(directory).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn only_old_unlocked_directories_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, age: Duration| {
            let directory = parent.path().join(name);
            fs::create_dir_all(directory.join("a/b")).unwrap();
            File::open(&directory).unwrap().set_modified(SystemTime::now() - age).unwrap();
            directory
        };
        let (old, names) = (MIN_AGE * 2, ["left", "held", "young"].map(|name| format!("{PREFIX}{name}")));
        let (left, held) = (make(&names[0], old), make(&names[1], old));
        let (young, other) = (make(&names[2], Duration::ZERO), make("other", old));
        let held_lock = lock(&held).unwrap();
        remove_all(parent.path());
        assert_eq!([&left, &held, &young, &other].map(|path| path.exists()), [false, true, true, true]);
        drop(held_lock);
        remove_all(parent.path());
        assert!(!held.exists());
    }
}
