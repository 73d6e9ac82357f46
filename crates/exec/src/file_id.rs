//! Identity of files: device and inode.

use rustix::fs::fstat;
use std::io;
use std::os::fd::AsFd;

/// Device and inode of a file, which distinguish it from all others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FileId {
    /// Device that it is on.
    pub(crate) device: u64,
    /// Its inode there.
    pub(crate) inode: u64,
}

impl FileId {
    /// Returns the identity of an open file.
    pub(crate) fn of(file: impl AsFd) -> io::Result<FileId> {
        let stat = fstat(file)?;
        Ok(FileId { device: stat.st_dev, inode: stat.st_ino })
    }
}
