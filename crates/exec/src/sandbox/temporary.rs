//! The private `/tmp` of a target: its scratch directory, mounted there.
//!
//! `tmpfile` and many programs write to `/tmp` whatever `TMPDIR` says, which the sandbox denies. Mounting the
//! scratch directory there needs a mount namespace, and gives a target no additional rights: Landlock's rules
//! apply to the directory itself, its space is counted, and it is emptied before every run. The rest of
//! `/tmp` is invisible then. So if the target is known to need something there, `/tmp` stays as it is.

use super::succeeded;
use crate::spec::TargetSpec;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf, absolute};
use std::ptr::null;

/// Directory in which the C library creates temporary files.
pub(crate) const TMP: &str = "/tmp";

/// True if a target's scratch directory can be mounted at [`TMP`].
pub(super) fn is_possible(spec: &TargetSpec) -> bool {
    Path::new(TMP).is_dir() && !needs_tmp(spec)
}

/// True if a path that the target is known to need lies in `/tmp`, or contains it.
fn needs_tmp(spec: &TargetSpec) -> bool {
    let own = [spec.path.clone(), PathBuf::from(".")];
    own.iter().chain(&spec.readable).chain(&spec.writable).any(|path| overlaps_tmp(path))
}

/// True if a path, as given or with links resolved, lies in `/tmp` or contains it: both ways must stay valid.
fn overlaps_tmp(path: &Path) -> bool {
    let tmp = Path::new(TMP);
    let names = |path: &Path| [absolute(path).ok(), path.canonicalize().ok()].into_iter().flatten();
    let overlaps = |path: &Path, tmp: &Path| path.starts_with(tmp) || tmp.starts_with(path);
    names(path).any(|path| names(tmp).any(|tmp| overlaps(&path, &tmp)))
}

/// A scratch directory to mount at [`TMP`].
pub(crate) struct OwnTmp {
    scratch: CString,
    /// True if the target runs there.
    is_working_directory: bool,
}

impl OwnTmp {
    /// Prepares mounting a directory, in which the target runs if `is_working_directory`.
    pub(crate) fn prepare(scratch: &Path, is_working_directory: bool) -> io::Result<OwnTmp> {
        Ok(OwnTmp { scratch: CString::new(scratch.as_os_str().as_bytes())?, is_working_directory })
    }

    /// Mounts it in the mount namespace of the calling process. Makes system calls only.
    pub(super) fn mount(&self) -> io::Result<()> {
        // SAFETY: the kernel reads the strings; the other pointers may be null.
        unsafe {
            succeeded(libc::mount(self.scratch.as_ptr(), c"/tmp".as_ptr(), null(), libc::MS_BIND, null()))?;
            // The mount covers the path to the present directory.
            if self.is_working_directory { succeeded(libc::chdir(c"/tmp".as_ptr())) } else { Ok(()) }
        }
    }
}
