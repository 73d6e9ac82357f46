//! Temporary files of Cairn's own that targets need. They lie outside `/tmp` if the user has chosen no place for them: a
//! target that needs something there does not get a `/tmp` of its own, and would run otherwise than in its campaign.

use std::io;
use std::path::Path;
use tempfile::{Builder, NamedTempFile, TempDir};

/// The usual place, where a target finds its scratch directory.
const TMP: &str = "/tmp";
/// The other directory for temporary files that systems have.
const ELSEWHERE: &str = "/var/tmp";

/// Makes a directory for programs that are built to be run.
pub fn directory() -> io::Result<TempDir> {
    make(|place| tempfile::tempdir_in(place))
}

/// Makes a file for a target to read.
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
