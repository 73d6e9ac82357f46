//! A new or empty directory for output.

use crate::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory with no other files than those written through it.
pub struct EmptyDirectory {
    path: PathBuf,
}

impl EmptyDirectory {
    /// Creates the directory; an existing one must be empty.
    pub fn make(path: &Path) -> Result<EmptyDirectory, Error> {
        let is_new = match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
            Err(error) => return Err(Error::cannot("write to", path, error)),
        };
        if !is_new {
            return Err(Error::new(format_args!("{} is not empty: choose another --out", path.display())));
        }
        fs::create_dir_all(path).map_err(|error| Error::cannot("make the directory", path, error))?;
        Ok(EmptyDirectory { path: path.to_owned() })
    }

    /// Writes a file.
    pub fn write(&self, name: impl AsRef<Path>, content: &[u8]) -> Result<(), Error> {
        let path = self.path.join(name);
        fs::write(&path, content).map_err(|error| Error::cannot("write", &path, error))
    }
}
