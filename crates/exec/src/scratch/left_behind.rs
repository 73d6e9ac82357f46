//! Scratch directories of drivers that were killed: nobody else would ever remove them.
//!
//! A driver holds a lock on its directory, which ends with it however that happens. A number of a process in the name would not do: it may be
//! another one's by now, or one of another container that has the same directory for temporary files.

use super::{dismantle, unlock};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

/// What the names of all scratch directories begin with.
pub(super) const PREFIX: &str = "cairn-scratch-";
/// A directory that is younger may be one that is about to be locked.
const YOUNG: Duration = Duration::from_secs(60);

/// Says whose a directory is, as long as there is somebody.
pub(super) fn claim(directory: &Path) -> io::Result<File> {
    let file = File::open(directory)?;
    file.lock()?;
    Ok(file)
}

/// Removes what is left behind beside a directory, the first time it is asked to.
pub(super) fn remove_once(directory: &Path) {
    static ONCE: Once = Once::new();
    if let Some(place) = directory.parent() {
        ONCE.call_once(|| remove_all(place));
    }
}

fn remove_all(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let is_named_so = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_named_so && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_abandoned(&entry.path()) {
            // Another user's stays.
            let _ = unlock(&entry.path()).and_then(|()| dismantle(&entry.path()));
        }
    }
}

/// Whether it is old, and nobody's.
fn is_abandoned(directory: &Path) -> bool {
    let age = || fs::metadata(directory).ok()?.modified().ok()?.elapsed().ok();
    let is_old = age().is_some_and(|age| age >= YOUNG);
    is_old && File::open(directory).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn only_what_is_old_and_nobodys_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let make = |name: &str, age: Duration| {
            let directory = place.path().join(name);
            fs::create_dir_all(directory.join("a/b")).unwrap();
            File::open(&directory).unwrap().set_modified(SystemTime::now() - age).unwrap();
            directory
        };
        let (old, names) = (YOUNG * 2, ["left", "held", "young"].map(|name| format!("{PREFIX}{name}")));
        let (left, held) = (make(&names[0], old), make(&names[1], old));
        let (young, other) = (make(&names[2], Duration::ZERO), make("other", old));
        let lock = claim(&held).unwrap();
        remove_all(place.path());
        assert_eq!([&left, &held, &young, &other].map(|path| path.exists()), [false, true, true, true]);
        drop(lock);
        remove_all(place.path());
        assert!(!held.exists());
    }
}
