//! Temporary files of Cairn's own that targets need. They are outside `/tmp` unless the user has chosen a
//! directory for them: a target that needs something in `/tmp` does not get a private one, and would run
//! differently than in its campaign.

use std::io;
use std::path::Path;
use tempfile::{Builder, NamedTempFile, TempDir};

/// The usual directory, in which a target has its scratch directory.
const TMP: &str = "/tmp";
/// The other directory for temporary files on common systems.
const ELSEWHERE: &str = "/var/tmp";

/// Creates a directory for programs that are built to be run.
pub fn directory() -> io::Result<TempDir> {
    make(|place| tempfile::tempdir_in(place))
}

/// Creates a file for a target to read.
pub fn file(suffix: &str) -> io::Result<NamedTempFile> {
    make(|place| Builder::new().suffix(suffix).tempfile_in(place))
}

fn make<T>(make_in: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    let usual = std::env::temp_dir();
    let elsewhere = (usual == Path::new(TMP)).then(|| make_in(Path::new(ELSEWHERE)));
    match elsewhere {
        Some(Ok(made)) => Ok(made),
        _ => make_in(&usual),
    }
}
