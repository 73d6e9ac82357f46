//! The scratch directory, to which a target may write. It is emptied before every run.
//!
//! Most runs leave nothing there. Inotify reports when something was created, so that the directory is read
//! only then.

mod left_behind;
mod space;

use crate::spec::ScratchSpace;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{stat, statvfs};
use rustix::io::read;
use std::cell::Cell;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, fchown, lchown};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Permissions of directories, for their owner only.
const OWNER_ONLY: u32 = 0o700;

/// A scratch directory, and the files that belong there.
pub(crate) struct Scratch {
    directory: TempDir,
    /// Lock on the directory, held as long as it is open.
    _lock: File,
    /// Files that the driver writes, as paths below the directory.
    files: Vec<PathBuf>,
    /// Inotify descriptor, if the system allows one.
    events: Option<OwnedFd>,
    /// True if not all directories are watched.
    is_unwatched: Cell<bool>,
    /// User that everything there belongs to, if that is not the driver's.
    owner: Option<u32>,
}

impl Scratch {
    /// Creates an empty directory, which belongs to `owner` if the program runs as another user than the
    /// driver.
    pub(crate) fn create(owner: Option<u32>) -> io::Result<Scratch> {
        let directory = tempfile::Builder::new().prefix(left_behind::PREFIX).tempdir()?;
        lchown(directory.path(), owner, owner)?;
        let lock = left_behind::lock(directory.path())?;
        left_behind::remove_once(directory.path());
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
        let scratch = Scratch {
            directory,
            _lock: lock,
            files: Vec::new(),
            events,
            is_unwatched: Cell::new(false),
            owner,
        };
        scratch.watch(scratch.path());
        Ok(scratch)
    }

    /// Watches what is created in a directory from now on.
    fn watch(&self, directory: &Path) {
        let mask = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
        let is_watched = |events: &OwnedFd| inotify::add_watch(events, directory, mask).is_ok();
        if !self.events.as_ref().is_some_and(is_watched) {
            self.is_unwatched.set(true);
        }
    }

    /// True if something may have been created since the last call.
    fn take_events(&self) -> bool {
        let mut room = [0; 4096];
        let mut next = || self.events.as_ref().is_some_and(|events| read(events, &mut room).is_ok());
        let mut has_some = false;
        while next() {
            has_some = true;
        }
        has_some || self.is_unwatched.get()
    }

    /// True if something may have been created since the directory was emptied.
    fn may_have_files(&self) -> bool {
        let Some(events) = self.events.as_ref().filter(|_| !self.is_unwatched.get()) else { return true };
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        // On an error there may be some.
        poll(&mut [PollFd::new(events, PollFlags::IN)], Some(&at_once)) != Ok(0)
    }

    /// Returns the space in use, and whether all of it could be read. Stops when it exceeds `limit`; costs
    /// next to nothing if a run has created nothing.
    pub(crate) fn in_use(&self, limit: &ScratchSpace) -> io::Result<(ScratchSpace, bool)> {
        if self.may_have_files() {
            space::in_use(self.path(), limit)
        } else {
            Ok((ScratchSpace::default(), true))
        }
    }

    /// Returns its device, and the bytes that are free there.
    pub(crate) fn device(&self) -> io::Result<(u64, u64)> {
        let disk = statvfs(self.path())?;
        Ok((stat(self.path())?.st_dev, disk.f_bfree.saturating_mul(disk.f_frsize)))
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Registers a file that the driver will write.
    pub(crate) fn register(&mut self, name: &str) -> io::Result<()> {
        let path = self.path().join(name);
        self.create_directories(&path)?;
        self.files.push(name.into());
        Ok(())
    }

    /// Creates the directories on the way to a path below this one.
    fn create_directories(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(self.path()))?;
        let below = path.ancestors().skip(1).take_while(|directory| *directory != self.path());
        below.into_iter().try_for_each(|directory| lchown(directory, self.owner, self.owner))
    }

    /// Removes all files that a run has left behind.
    pub(crate) fn clean(&self) -> io::Result<()> {
        if self.take_events() { self.clean_below(Path::new("")) } else { Ok(()) }
    }

    /// Cleans a directory below this one. A run may have replaced our files and directories by anything, even
    /// by a link to the user's files.
    fn clean_below(&self, below: &Path) -> io::Result<()> {
        // The directory may have been replaced.
        self.watch(&self.path().join(below));
        for entry in fs::read_dir(self.path().join(below))? {
            let entry = entry?;
            let (name, kind) = (below.join(entry.file_name()), entry.file_type()?);
            let mut ours = self.files.iter().filter(|file| file.starts_with(&name));
            match ours.next() {
                Some(file) if kind.is_file() && *file == name => {}
                Some(file) if kind.is_dir() && *file != name => self.clean_below(&name)?,
                _ => remove(&entry.path(), kind.is_dir())?,
            }
        }
        Ok(())
    }

    /// Writes a file. After [`Scratch::clean`] no link on the way to it leads elsewhere.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path().join(name);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let open = || options.open(&path);
        let mut file = open().or_else(|_| {
            // Its directory is gone, or it is no longer our file.
            self.create_directories(&path)?;
            let _ = fs::remove_file(&path);
            open()
        })?;
        fchown(&file, self.owner, self.owner)?;
        file.write_all(bytes)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // `TempDir` cannot remove directories without permissions, or very deep ones.
        let _ = unlock(self.path()).and_then(|()| empty(self.path(), remove_tree));
    }
}

fn remove(path: &Path, is_directory: bool) -> io::Result<()> {
    if is_directory { remove_tree(path) } else { fs::remove_file(path) }
}

/// Removes a directory with all its contents. It may lack permissions, or be too deep for descriptors, path
/// lengths or recursion: directories two levels below it are moved up, until there are no two levels.
fn remove_tree(top: &Path) -> io::Result<()> {
    let mut moved = 0u64;
    let mut move_up = |directory: &Path| {
        unlock(directory)?;
        let mut names = std::iter::from_fn(|| {
            moved += 1;
            Some(top.join(format!("moved-{moved}")))
        });
        let free = names.find(|name| fs::symlink_metadata(name).is_err()).unwrap_or_default();
        fs::rename(directory, free)
    };
    let mut flatten = |directory: &Path| {
        unlock(directory)?;
        empty(directory, &mut move_up)?;
        fs::remove_dir(directory)
    };
    unlock(top)?;
    while fs::read_dir(top)?.next().is_some() {
        empty(top, &mut flatten)?;
    }
    fs::remove_dir(top)
}

/// Removes all files of a directory, and calls `handle` for its directories.
fn empty(directory: &Path, mut handle: impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    let entries: Vec<_> = fs::read_dir(directory)?.collect::<io::Result<_>>()?;
    for entry in entries {
        if entry.file_type()?.is_dir() { handle(&entry.path())? } else { fs::remove_file(entry.path())? }
    }
    Ok(())
}

/// Gives the owner all permissions: without them only root could empty a directory.
fn unlock(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, Permissions::from_mode(OWNER_ONLY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn names(scratch: &Scratch) -> Vec<String> {
        let entries = fs::read_dir(scratch.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_registered_files_stay() {
        let mut scratch = Scratch::create(None).unwrap();
        scratch.register("a").unwrap();
        scratch.register("d/b").unwrap();
        for name in ["a", "d/b"] {
            scratch.write(name, b"long text").unwrap();
            scratch.write(name, b"text").unwrap();
        }
        let at = |name: &str| scratch.path().join(name);
        fs::write(at("litter"), "").unwrap();
        fs::write(at("d/litter"), "").unwrap();
        fs::create_dir_all(at("x/y/z")).unwrap();
        fs::set_permissions(at("x/y"), Permissions::from_mode(0o000)).unwrap();
        scratch.clean().unwrap();
        assert_eq!(names(&scratch), ["a", "d"]);
        assert_eq!(fs::read(at("d/b")).unwrap(), b"text");
        assert!(!at("d/litter").exists());
    }

    #[test]
    fn a_tree_that_is_deeper_than_a_path_is_long_is_removed() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join("deep");
        let branch = vec!["a-name-of-thirty-letters-or-so"; 60].join("/");
        fs::create_dir(&deep).unwrap();
        for n in 0..20 {
            // A longer one each time, below a new beginning.
            let beginning = top.path().join(format!("beginning-{n}"));
            fs::create_dir_all(beginning.join(&branch)).unwrap();
            fs::write(beginning.join("file"), "").unwrap();
            fs::rename(&deep, beginning.join(&branch).join("moved-1")).unwrap();
            fs::set_permissions(beginning.join(&branch), Permissions::from_mode(0o000)).unwrap();
            fs::rename(&beginning, &deep).unwrap();
        }
        remove_tree(&deep).unwrap();
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
    }

    #[test]
    fn files_created_later_are_noticed_too() {
        let mut scratch = Scratch::create(None).unwrap();
        scratch.register("d/e/b").unwrap();
        let at = |name: &str| scratch.path().join(name);
        for litter in ["x", "d/x", "d/e/x", "d/e/x"] {
            scratch.clean().unwrap();
            scratch.write("d/e/b", b"text").unwrap();
            fs::write(at(litter), "").unwrap();
            scratch.clean().unwrap();
            assert!(!at(litter).exists(), "{litter}");
            assert!(!scratch.take_events(), "nothing happened since");
            fs::remove_dir_all(at("d")).unwrap();
        }
    }

    #[test]
    fn a_replaced_file_is_not_written_through() {
        let outside = tempfile::tempdir().unwrap();
        let treasure = outside.path().join("b");
        fs::write(&treasure, "treasure").unwrap();
        let mut scratch = Scratch::create(None).unwrap();
        scratch.register("d/b").unwrap();
        let at = |name: &str| scratch.path().join(name);
        let traps: [&dyn Fn(); 4] = [
            &|| symlink(&treasure, at("d/b")).unwrap(),
            &|| {
                fs::remove_dir_all(at("d")).unwrap();
                symlink(outside.path(), at("d")).unwrap();
            },
            &|| {
                fs::remove_file(at("d/b")).unwrap();
                fs::create_dir(at("d/b")).unwrap();
            },
            &|| fs::remove_dir_all(at("d")).unwrap(),
        ];
        for trap in traps {
            trap();
            scratch.clean().unwrap();
            scratch.write("d/b", b"input").unwrap();
            assert_eq!(fs::read(at("d/b")).unwrap(), b"input");
            assert_eq!(fs::read(&treasure).unwrap(), b"treasure");
        }
    }
}
