//! A directory that files are written to and that nothing was in before.

use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// Where files go that must not mix with others.
pub struct Fresh {
    path: PathBuf,
}

impl Fresh {
    /// Makes the directory; one that is there must be empty.
    pub fn make(path: &Path) -> Result<Fresh, Failure> {
        let is_new = match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
            Err(error) => return Err(Failure::cannot("write to", path, &error)),
        };
        if !is_new {
            return Err(Failure::new(format_args!("{} is not empty: choose another --out", path.display())));
        }
        fs::create_dir_all(path).map_err(|error| Failure::cannot("make the directory", path, &error))?;
        Ok(Fresh { path: path.to_owned() })
    }

    /// Writes a file.
    pub fn write(&self, name: impl AsRef<Path>, content: &[u8]) -> Result<(), Failure> {
        let path = self.path.join(name);
        fs::write(&path, content).map_err(|error| Failure::cannot("write", &path, &error))
    }
}
