//! Disk space that the files below a directory take.
//!
//! The target may change the directory meanwhile: it may be arbitrarily deep, contain links that lead
//! elsewhere, or be moved. So only one directory is open at a time, whatever the depth, and links are not
//! followed.

use crate::file_id::FileId;
use crate::spec::ScratchSpace;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::path::Arg;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// Bytes of a block in file statistics.
const BLOCK: u64 = 512;

/// A directory on the path from the top.
struct DirectoryLevel {
    directory: FileId,
    /// Subdirectories that were not visited yet.
    unvisited: Vec<CString>,
}

/// Returns the space in use below a directory, and whether all of it could be read. Stops when it exceeds
/// `limit`.
pub(super) fn in_use(top: &Path, limit: &ScratchSpace) -> io::Result<(ScratchSpace, bool)> {
    let mut used = ScratchSpace::default();
    let mut is_complete = true;
    let mut directory = open(CWD, top)?;
    let mut levels = Vec::new();
    loop {
        let unvisited = list(&directory, &mut used, limit)?;
        if used.exceeds(limit) {
            return Ok((used, is_complete));
        }
        levels.push(DirectoryLevel { directory: FileId::of(&directory)?, unvisited });
        match open_next(directory, &mut levels, &mut is_complete) {
            Some(another) => directory = another,
            None => return Ok((used, is_complete)),
        }
    }
}

/// Opens the next unvisited directory. `None` if there is none, or if the parent of a directory is not the
/// one it was reached from.
fn open_next(
    mut directory: OwnedFd,
    levels: &mut Vec<DirectoryLevel>,
    is_complete: &mut bool,
) -> Option<OwnedFd> {
    loop {
        let level = levels.last_mut()?;
        if let Some(name) = level.unvisited.pop() {
            match open(&directory, &name) {
                Ok(below) => return Some(below),
                // It is gone, or not readable.
                Err(_) => *is_complete = false,
            }
            continue;
        }
        levels.pop();
        let parent = levels.last()?;
        let above = open(&directory, c"..").ok();
        let is_parent = |above: &OwnedFd| FileId::of(above).is_ok_and(|file| file == parent.directory);
        let Some(above) = above.filter(is_parent) else {
            *is_complete = false;
            return None;
        };
        directory = above;
    }
}

fn open(from: impl AsFd, name: impl Arg) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(from, name, flags, Mode::empty())
}

/// Adds the contents of a directory to `used`; returns the names of its subdirectories.
fn list(directory: &OwnedFd, used: &mut ScratchSpace, limit: &ScratchSpace) -> io::Result<Vec<CString>> {
    used.bytes += fstat(directory)?.st_blocks as u64 * BLOCK;
    let mut below = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if [c".", c".."].contains(&entry.file_name()) {
            continue;
        }
        used.entries += 1;
        // A file that is gone meanwhile takes no space.
        let Ok(stat) = statat(directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => below.push(entry.file_name().to_owned()),
            _ => used.bytes += stat.st_blocks as u64 * BLOCK,
        }
        if used.exceeds(limit) {
            break;
        }
    }
    Ok(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const PLENTY: ScratchSpace = ScratchSpace { bytes: 1 << 40, entries: 1 << 20 };

    #[test]
    fn files_are_counted_at_any_depth() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(top.path().join("a/other")).unwrap();
        for directory in [top.path(), &deep, &top.path().join("a/other")] {
            fs::write(directory.join("file"), vec![1; 100_000]).unwrap();
        }
        std::os::unix::fs::symlink("/", deep.join("link")).unwrap();
        let (used, is_complete) = in_use(top.path(), &PLENTY).unwrap();
        assert_eq!((used.entries, is_complete), (8, true));
        assert!((300_000..400_000).contains(&used.bytes), "{used:?}");
    }

    #[test]
    fn a_tree_that_is_deeper_than_a_path_is_long_is_counted() {
        let top = tempfile::tempdir().unwrap();
        let mut directory = open(CWD, top.path()).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&directory, c"directory", Mode::RWXU).unwrap();
            directory = open(&directory, c"directory").unwrap();
        }
        assert_eq!(in_use(top.path(), &PLENTY).unwrap().0.entries, 3000);
        super::super::remove_tree(&top.path().join("directory")).unwrap();
    }

    #[test]
    fn counting_stops_at_the_limit() {
        let top = tempfile::tempdir().unwrap();
        for number in 0..100 {
            fs::write(top.path().join(number.to_string()), "").unwrap();
        }
        let (used, _) = in_use(top.path(), &ScratchSpace { entries: 10, ..PLENTY }).unwrap();
        assert_eq!(used.entries, 11);
    }
}
