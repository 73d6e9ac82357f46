//! The directory that a target may write to. It is as empty before every run as before the first.
//!
//! Most runs leave nothing there. The system tells when something was put there, so that it is looked at only then.

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

const OWNER_ONLY: u32 = 0o700;

/// A scratch directory, and what belongs there.
pub(crate) struct Scratch {
    directory: TempDir,
    /// Ours as long as it is open.
    _claim: File,
    /// Files that the driver writes, by their paths below the directory.
    files: Vec<PathBuf>,
    /// Hears of what is put there, if the system allows it.
    news: Option<OwnedFd>,
    /// Whether it does not hear of everything.
    deaf: Cell<bool>,
    /// The user that everything there belongs to, if that is not the driver.
    owner: Option<u32>,
}

impl Scratch {
    /// Makes an empty one, which belongs to `owner` if the program is another user than the driver.
    pub(crate) fn create(owner: Option<u32>) -> io::Result<Scratch> {
        let directory = tempfile::Builder::new().prefix(left_behind::PREFIX).tempdir()?;
        lchown(directory.path(), owner, owner)?;
        let claim = left_behind::claim(directory.path())?;
        left_behind::remove_once(directory.path());
        let news = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
        let scratch =
            Scratch { directory, _claim: claim, files: Vec::new(), news, deaf: Cell::new(false), owner };
        scratch.listen(scratch.path());
        Ok(scratch)
    }

    /// Hears of what is put into a directory from now on.
    fn listen(&self, directory: &Path) {
        let what = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
        let hears = |news: &OwnedFd| inotify::add_watch(news, directory, what).is_ok();
        if !self.news.as_ref().is_some_and(hears) {
            self.deaf.set(true);
        }
    }

    /// Whether something may have been put there since this was asked last.
    fn has_news(&self) -> bool {
        let mut room = [0; 4096];
        let mut next = || self.news.as_ref().is_some_and(|news| read(news, &mut room).is_ok());
        let mut has_some = false;
        while next() {
            has_some = true;
        }
        has_some || self.deaf.get()
    }

    /// True if something may have been put there since it was tidied.
    fn is_untidy(&self) -> bool {
        let Some(news) = self.news.as_ref().filter(|_| !self.deaf.get()) else { return true };
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        // If the kernel does not say, there may be some.
        poll(&mut [PollFd::new(news, PollFlags::IN)], Some(&at_once)) != Ok(0)
    }

    /// Space in use, and whether all of it could be seen. Stops where it is more than `most`; costs next to nothing if a
    /// run has put nothing there.
    pub(crate) fn in_use(&self, most: &ScratchSpace) -> io::Result<(ScratchSpace, bool)> {
        if self.is_untidy() { space::in_use(self.path(), most) } else { Ok((ScratchSpace::default(), true)) }
    }

    /// The device it is on, and the bytes that are free there.
    pub(crate) fn device(&self) -> io::Result<(u64, u64)> {
        let disk = statvfs(self.path())?;
        Ok((stat(self.path())?.st_dev, disk.f_bfree.saturating_mul(disk.f_frsize)))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Makes room for a file.
    pub(crate) fn expect(&mut self, name: &str) -> io::Result<()> {
        let path = self.path().join(name);
        self.make_directories(&path)?;
        self.files.push(name.into());
        Ok(())
    }

    /// Makes the directories on the way to a path below this one.
    fn make_directories(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(self.path()))?;
        let below = path.ancestors().skip(1).take_while(|directory| *directory != self.path());
        below.into_iter().try_for_each(|directory| lchown(directory, self.owner, self.owner))
    }

    /// Throws out whatever a run has left behind.
    pub(crate) fn tidy(&self) -> io::Result<()> {
        if self.has_news() { self.tidy_below(Path::new("")) } else { Ok(()) }
    }

    /// A run may have put anything in the place of a file or directory of ours, a link to one of the user's too.
    fn tidy_below(&self, below: &Path) -> io::Result<()> {
        // It may be another one than before.
        self.listen(&self.path().join(below));
        for entry in fs::read_dir(self.path().join(below))? {
            let entry = entry?;
            let (name, kind) = (below.join(entry.file_name()), entry.file_type()?);
            let mut ours = self.files.iter().filter(|file| file.starts_with(&name));
            match ours.next() {
                Some(file) if kind.is_file() && *file == name => {}
                Some(file) if kind.is_dir() && *file != name => self.tidy_below(&name)?,
                _ => remove(&entry.path(), kind.is_dir())?,
            }
        }
        Ok(())
    }

    /// Writes a file. After [`Scratch::tidy`] nothing on the way to it leads elsewhere.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path().join(name);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let open = || options.open(&path);
        let mut file = open().or_else(|_| {
            // Its directory is gone, or it is ours no longer.
            self.make_directories(&path)?;
            let _ = fs::remove_file(&path);
            open()
        })?;
        fchown(&file, self.owner, self.owner)?;
        file.write_all(bytes)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be emptied would stay.
        let _ = unlock(self.path()).and_then(|()| empty(self.path(), dismantle));
    }
}

fn remove(path: &Path, is_directory: bool) -> io::Result<()> {
    if is_directory { dismantle(path) } else { fs::remove_file(path) }
}

/// Removes a directory, whatever is in it. It may be locked, or deeper than there are descriptors, letters in a path or room
/// on the stack: what is two levels below it is moved up, until there are no two levels.
fn dismantle(top: &Path) -> io::Result<()> {
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
    let mut take_apart = |directory: &Path| {
        unlock(directory)?;
        empty(directory, &mut move_up)?;
        fs::remove_dir(directory)
    };
    unlock(top)?;
    while fs::read_dir(top)?.next().is_some() {
        empty(top, &mut take_apart)?;
    }
    fs::remove_dir(top)
}

/// Removes all files of a directory, and does something about its directories.
fn empty(directory: &Path, mut with: impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    let entries: Vec<_> = fs::read_dir(directory)?.collect::<io::Result<_>>()?;
    for entry in entries {
        if entry.file_type()?.is_dir() { with(&entry.path())? } else { fs::remove_file(entry.path())? }
    }
    Ok(())
}

/// Directories without permissions cannot be emptied, except by root.
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
    fn only_what_belongs_there_stays() {
        let mut scratch = Scratch::create(None).unwrap();
        scratch.expect("a").unwrap();
        scratch.expect("d/b").unwrap();
        for name in ["a", "d/b"] {
            scratch.write(name, b"long text").unwrap();
            scratch.write(name, b"text").unwrap();
        }
        let at = |name: &str| scratch.path().join(name);
        fs::write(at("litter"), "").unwrap();
        fs::write(at("d/litter"), "").unwrap();
        fs::create_dir_all(at("x/y/z")).unwrap();
        fs::set_permissions(at("x/y"), Permissions::from_mode(0o000)).unwrap();
        scratch.tidy().unwrap();
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
        dismantle(&deep).unwrap();
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
    }

    #[test]
    fn later_litter_is_heard_of_too() {
        let mut scratch = Scratch::create(None).unwrap();
        scratch.expect("d/e/b").unwrap();
        let at = |name: &str| scratch.path().join(name);
        for litter in ["x", "d/x", "d/e/x", "d/e/x"] {
            scratch.tidy().unwrap();
            scratch.write("d/e/b", b"text").unwrap();
            fs::write(at(litter), "").unwrap();
            scratch.tidy().unwrap();
            assert!(!at(litter).exists(), "{litter}");
            assert!(!scratch.has_news(), "nothing happened since");
            fs::remove_dir_all(at("d")).unwrap();
        }
    }

    #[test]
    fn what_was_put_in_the_place_of_a_file_is_not_written_to() {
        let outside = tempfile::tempdir().unwrap();
        let treasure = outside.path().join("b");
        fs::write(&treasure, "treasure").unwrap();
        let mut scratch = Scratch::create(None).unwrap();
        scratch.expect("d/b").unwrap();
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
            scratch.tidy().unwrap();
            scratch.write("d/b", b"input").unwrap();
            assert_eq!(fs::read(at("d/b")).unwrap(), b"input");
            assert_eq!(fs::read(&treasure).unwrap(), b"treasure");
        }
    }
}
