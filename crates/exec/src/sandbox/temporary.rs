//! A `/tmp` of a target's own: its scratch directory, mounted there.
//!
//! `tmpfile` and many programs write to `/tmp` whatever `TMPDIR` says, and the sandbox refuses that. Mounting the scratch
//! directory there needs a mount namespace, and gives a target no right that it has not got: the rules of Landlock are
//! about the directory itself, its space is counted, and it is emptied before every run. Whatever else lies in `/tmp` is
//! out of sight then. So where the target is known to need something there, `/tmp` stays as it is.

use super::namespaces::{Granted, succeeded};
use crate::spec::TargetSpec;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf, absolute};
use std::ptr::null;

/// The directory that the C library makes temporary files in.
pub(crate) const TMP: &str = "/tmp";

/// True if a target finds its scratch directory at [`TMP`].
pub(crate) fn is_own(spec: &TargetSpec) -> bool {
    spec.sandbox && Granted::here().mounts && Path::new(TMP).is_dir() && !needs_tmp(spec)
}

/// True if something that the target is known to need lies in `/tmp`, or is a directory with `/tmp` in it.
fn needs_tmp(spec: &TargetSpec) -> bool {
    let own = [spec.path.clone(), PathBuf::from(".")];
    own.iter().chain(&spec.readable).chain(&spec.writable).any(|path| meets_tmp(path))
}

/// A path is looked at as it is written and as it is with all links followed: both ways must lead there.
fn meets_tmp(path: &Path) -> bool {
    let tmp = Path::new(TMP);
    let names = |path: &Path| [absolute(path).ok(), path.canonicalize().ok()].into_iter().flatten();
    let meets = |path: &Path, tmp: &Path| path.starts_with(tmp) || tmp.starts_with(path);
    names(path).any(|path| names(tmp).any(|tmp| meets(&path, &tmp)))
}

/// A scratch directory that is to be mounted at [`TMP`].
pub(crate) struct OwnTmp {
    scratch: CString,
    /// The target runs there.
    is_entered: bool,
}

impl OwnTmp {
    /// Prepares mounting a directory, in which the target runs if `is_entered`.
    pub(crate) fn prepare(scratch: &Path, is_entered: bool) -> io::Result<OwnTmp> {
        Ok(OwnTmp { scratch: CString::new(scratch.as_os_str().as_bytes())?, is_entered })
    }

    /// Mounts it in the mount namespace of the calling process. Makes system calls only.
    pub(super) fn mount(&self) -> io::Result<()> {
        // SAFETY: the kernel reads the strings; the other pointers may be null.
        unsafe {
            succeeded(libc::mount(self.scratch.as_ptr(), c"/tmp".as_ptr(), null(), libc::MS_BIND, null()))?;
            // The way to the present directory is covered now.
            if self.is_entered { succeeded(libc::chdir(c"/tmp".as_ptr())) } else { Ok(()) }
        }
    }
}
