//! The identity of runs of root: a user without privileges.
//!
//! If the program itself, its working directory or its scratch directory is readable by root only, the run
//! keeps the capability to read all files, and no other. Landlock still decides what it may write, and hides
//! root's home.

use super::succeeded;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Number of the conventional user and group without privileges.
pub(crate) const NOBODY: u32 = 65534;

const CAP_DAC_OVERRIDE: u32 = 1;
const CAP_DAC_READ_SEARCH: u32 = 2;
/// `_LINUX_CAPABILITY_VERSION_3`: two words of each kind.
const CAPABILITY_VERSION: u32 = 0x2008_0522;

/// True if runs become another user: the driver is root, and its user namespace maps [`NOBODY`].
pub fn drops_root() -> bool {
    // SAFETY: returns a number.
    let is_root = unsafe { libc::geteuid() } == 0;
    is_root
        && ["/proc/self/uid_map", "/proc/self/gid_map"]
            .into_iter()
            .all(|map| maps_unprivileged_user(Path::new(map)))
}

/// True if a map of a user namespace, `inside outside count` per line, includes [`NOBODY`].
fn maps_unprivileged_user(map: &Path) -> bool {
    let text = std::fs::read_to_string(map).unwrap_or_default();
    text.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        matches!(numbers[..], [first, _, count] if (first..first + count).contains(&u64::from(NOBODY)))
    })
}

/// The identity of runs of root.
pub(crate) struct Identity {
    /// Capability that it keeps.
    keeps: Option<u32>,
}

impl Identity {
    /// Returns the identity for a program that needs these paths; `None` if the driver is not root.
    /// `writes_guarded` if Landlock restricts writes, whatever the capabilities.
    pub(super) fn prepare(paths: &[PathBuf], writes_guarded: bool) -> Option<Identity> {
        let needs_more = || !paths.iter().all(|path| is_world_readable(path));
        drops_root()
            .then(|| Identity { keeps: needs_more().then(|| capability_to_read(writes_guarded)).flatten() })
    }

    /// Changes the calling process to this identity, for good. Makes system calls only.
    pub(crate) fn assume(&self) -> io::Result<()> {
        // SAFETY: all of them change the calling process alone; the kernel reads and writes what is passed.
        unsafe {
            let mut capability = 0;
            while libc::prctl(libc::PR_CAPBSET_READ, capability) >= 0 {
                if self.keeps != Some(capability) {
                    libc::prctl(libc::PR_CAPBSET_DROP, capability);
                }
                capability += 1;
            }
            succeeded(libc::prctl(libc::PR_SET_KEEPCAPS, 1))?;
            succeeded(libc::syscall(libc::SYS_setgroups, 0, 0) as libc::c_int)?;
            succeeded(libc::syscall(libc::SYS_setresgid, NOBODY, NOBODY, NOBODY) as libc::c_int)?;
            succeeded(libc::syscall(libc::SYS_setresuid, NOBODY, NOBODY, NOBODY) as libc::c_int)?;
            set_capabilities(self.keeps)?;
            if let Some(capability) = self.keeps {
                const RAISE: libc::c_int = libc::PR_CAP_AMBIENT_RAISE;
                succeeded(libc::prctl(libc::PR_CAP_AMBIENT, RAISE, capability, 0, 0))?;
            }
        }
        Ok(())
    }
}

/// True if the permissions for others suffice to read a path, and to traverse the directories above it.
fn is_world_readable(path: &Path) -> bool {
    let has = |path: &Path, bits: u32| std::fs::metadata(path).is_ok_and(|file| file.mode() & bits == bits);
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    has(&path, 0o005) && path.ancestors().skip(1).all(|directory| has(directory, 0o001))
}

/// Returns a capability to read all files, if the driver has one.
fn capability_to_read(writes_guarded: bool) -> Option<u32> {
    let mut header = [CAPABILITY_VERSION, 0];
    let mut sets = [0u32; 6];
    // SAFETY: the structures have the sizes of this version.
    unsafe { libc::syscall(libc::SYS_capget, header.as_mut_ptr(), sets.as_mut_ptr()) };
    let is_held = |capability: &u32| sets[1] & 1 << capability != 0;
    let wide = writes_guarded.then_some(CAP_DAC_OVERRIDE);
    [Some(CAP_DAC_READ_SEARCH), wide].into_iter().flatten().find(is_held)
}

fn set_capabilities(keeps: Option<u32>) -> io::Result<()> {
    let header = [CAPABILITY_VERSION, 0];
    let set = keeps.map_or(0, |capability| 1 << capability);
    // Effective, permitted and inheritable sets; the lower words first.
    let sets = [set, set, set, 0, 0, 0];
    // SAFETY: the kernel reads structures of the sizes of this version.
    succeeded(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) } as libc::c_int)
}
