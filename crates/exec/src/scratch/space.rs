//! Space that the files of a directory take.
//!
//! The directory is another program's, which may be at it meanwhile: it may be as deep as it likes, lead elsewhere by links,
//! or be moved. So one directory is open at a time, whatever the depth, and links are not followed.

use crate::spec::ScratchSpace;
use crate::watch::FileId;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::path::Arg;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// Unit of a file's blocks.
const BLOCK: u64 = 512;

/// A directory on the way from the top.
struct Level {
    directory: FileId,
    /// Directories in it that have not been visited.
    unvisited: Vec<CString>,
}

/// Space in use below a directory, and whether all of it could be seen. Stops where it is more than `most`.
pub(super) fn in_use(top: &Path, most: &ScratchSpace) -> io::Result<(ScratchSpace, bool)> {
    let mut used = ScratchSpace::default();
    let mut is_all = true;
    let mut directory = open(CWD, top)?;
    let mut levels = Vec::new();
    loop {
        let unvisited = list(&directory, &mut used, most)?;
        if used.exceeds(most) {
            return Ok((used, is_all));
        }
        levels.push(Level { directory: FileId::of(&directory)?, unvisited });
        match next(directory, &mut levels, &mut is_all) {
            Some(another) => directory = another,
            None => return Ok((used, is_all)),
        }
    }
}

/// Opens the next directory that has not been visited. None if there is none, or if the way back is not the way here.
fn next(mut directory: OwnedFd, levels: &mut Vec<Level>, is_all: &mut bool) -> Option<OwnedFd> {
    loop {
        let level = levels.last_mut()?;
        if let Some(name) = level.unvisited.pop() {
            match open(&directory, &name) {
                Ok(below) => return Some(below),
                // It is gone, or the run has left us no right to list it.
                Err(_) => *is_all = false,
            }
            continue;
        }
        levels.pop();
        let parent = levels.last()?;
        let above = open(&directory, c"..").ok();
        let is_parent = |above: &OwnedFd| FileId::of(above).is_ok_and(|file| file == parent.directory);
        let Some(above) = above.filter(is_parent) else {
            *is_all = false;
            return None;
        };
        directory = above;
    }
}

fn open(from: impl AsFd, name: impl Arg) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(from, name, flags, Mode::empty())
}

/// Adds what is in a directory to `used`; gives the names of the directories in it.
fn list(directory: &OwnedFd, used: &mut ScratchSpace, most: &ScratchSpace) -> io::Result<Vec<CString>> {
    used.bytes += fstat(directory)?.st_blocks as u64 * BLOCK;
    let mut below = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if [c".", c".."].contains(&entry.file_name()) {
            continue;
        }
        used.entries += 1;
        // What is gone meanwhile takes nothing.
        let Ok(stat) = statat(directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => below.push(entry.file_name().to_owned()),
            _ => used.bytes += stat.st_blocks as u64 * BLOCK,
        }
        if used.exceeds(most) {
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
        let (used, is_all) = in_use(top.path(), &PLENTY).unwrap();
        assert_eq!((used.entries, is_all), (8, true));
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
        super::super::dismantle(&top.path().join("directory")).unwrap();
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
