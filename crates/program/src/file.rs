//! Reads files named by a user or a campaign directory: regular files only, up to a size limit.

use std::fmt;
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file that cannot be read.
#[derive(Debug, Error)]
#[error("cannot read {}: {reason}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub reason: Reason,
}

/// The reason a file cannot be read.
#[derive(Debug, Error)]
pub enum Reason {
    /// An error of the operating system.
    #[error("{0}")]
    System(io::Error),
    /// Not a regular file. Reading a pipe or a device may block forever, or never end.
    #[error("it is {0}, not a file")]
    Special(Special),
    /// Larger than the caller accepts.
    #[error("it has more than {}", bytes(*.0))]
    TooLarge(u64),
    /// Not UTF-8.
    #[error("it is not text")]
    NotText,
}

/// A kind of file that is not regular.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// A directory.
    Directory,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
}

impl Special {
    /// Returns the kind of file of this type; `None` for a regular file.
    pub fn of(kind: FileType) -> Option<Special> {
        match kind {
            kind if kind.is_file() => None,
            kind if kind.is_dir() => Some(Special::Directory),
            kind if kind.is_fifo() => Some(Special::Pipe),
            kind if kind.is_socket() => Some(Special::Socket),
            _ => Some(Special::Device),
        }
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Special::Directory => "a directory",
            Special::Pipe => "a pipe",
            Special::Socket => "a socket",
            Special::Device => "a device",
        })
    }
}

impl FileError {
    /// True if there is no such file.
    pub fn is_missing(&self) -> bool {
        matches!(&self.reason, Reason::System(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// Reads a regular file of at most `limit` bytes. Links are followed.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read(path, limit).map_err(|reason| FileError { path: path.to_owned(), reason })
}

/// Reads a text file of at most `limit` bytes.
pub fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    let not_text = |_| FileError { path: path.to_owned(), reason: Reason::NotText };
    String::from_utf8(read_file(path, limit)?).map_err(not_text)
}

/// Checks that a path leads to a regular file, before another program opens it.
pub fn demand_file(path: &Path) -> Result<(), FileError> {
    let demand = || demand_regular(path.metadata().map_err(Reason::System)?.file_type());
    demand().map_err(|reason| FileError { path: path.to_owned(), reason })
}

fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Reason> {
    // Opening a device may have effects of its own, so the type is checked before. It is checked again
    // afterwards, since the file may have been replaced in between; without O_NONBLOCK, opening a pipe would
    // wait for a writer.
    demand_regular(path.metadata().map_err(Reason::System)?.file_type())?;
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path);
    let file: File = file.map_err(Reason::System)?;
    let metadata = file.metadata().map_err(Reason::System)?;
    demand_regular(metadata.file_type())?;
    if metadata.len() > limit {
        return Err(Reason::TooLarge(limit));
    }
    // The file may grow while it is read; files in /proc have no length.
    let mut content = Vec::with_capacity(metadata.len() as usize);
    file.take(limit.saturating_add(1)).read_to_end(&mut content).map_err(Reason::System)?;
    if content.len() as u64 > limit {
        return Err(Reason::TooLarge(limit));
    }
    Ok(content)
}

fn demand_regular(kind: FileType) -> Result<(), Reason> {
    Special::of(kind).map_or(Ok(()), |special| Err(Reason::Special(special)))
}

/// Formats a limit.
fn bytes(count: u64) -> String {
    match count {
        _ if count >= 1 << 30 && count.is_multiple_of(1 << 30) => format!("{} GiB", count >> 30),
        _ if count >= 1 << 20 && count.is_multiple_of(1 << 20) => format!("{} MiB", count >> 20),
        _ => format!("{count} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_the_limit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_file(&path, 5).unwrap(), b"12345");
        let refused = read_file(&path, 4).unwrap_err().to_string();
        assert!(refused.ends_with("file: it has more than 4 bytes"), "{refused}");
        let refused = read_file(Path::new("/proc/self/maps"), 4).unwrap_err().to_string();
        assert!(refused.ends_with("it has more than 4 bytes"), "{refused}");
        std::fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path, 4).unwrap_err().to_string().ends_with("it is not text"));
    }

    #[test]
    fn what_is_no_file_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for (path, what) in
            [(directory.path(), "a directory"), (&pipe, "a pipe"), (Path::new("/dev/zero"), "a device")]
        {
            let refused = read_file(path, 9).unwrap_err().to_string();
            assert!(refused.ends_with(&format!("it is {what}, not a file")), "{refused}");
        }
        assert!(read_file(&directory.path().join("none"), 9).unwrap_err().is_missing());
    }
}
