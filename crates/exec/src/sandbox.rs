//! What a target may not do to its surroundings.
//!
//! Landlock lets it write to its scratch directory alone, hides the user's home from it, and lets it reach no process but its
//! own with a signal or a debugger (`files`). A filter of system calls keeps it from the network, from other processes'
//! priorities, and from what Landlock knows nothing about: who owns a file, who may read it, when it was changed
//! (`calls`). Namespaces leave it nothing of others to name (`namespaces`), and runs of root are another user (`identity`).
//! All is prepared by the driver and entered before the program starts: a run pays nothing for it.

mod calls;
mod files;
mod identity;
mod namespaces;
mod temporary;

pub(crate) use files::Files;
pub use identity::drops_root;
pub(crate) use identity::{Identity, NOBODY};
pub use namespaces::Granted;
pub(crate) use namespaces::Namespaces;
pub(crate) use temporary::{OwnTmp, TMP, is_own as has_own_tmp};

use calls::Confinement;
use landlock::{Ruleset, RulesetAttr, RulesetCreated, Scope};
use seccompiler::{BpfProgram, apply_filter};
use std::io;
use std::path::{Path, PathBuf};

/// The version of Landlock that can keep signals in.
const KEEPS_SIGNALS: i64 = 6;
/// The version that knows of `truncate`.
const KNOWS_TRUNCATE: i64 = 3;

/// What a sandbox keeps a program from, here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Protection {
    /// Writing outside the scratch directory, and reading the user's home.
    pub files: bool,
    /// Signals to processes that are not the run's own.
    pub signals: bool,
    /// The network, and the machine's settings.
    pub calls: bool,
    /// Naming processes, objects and mounts of others.
    pub namespaces: Granted,
}

impl Protection {
    /// The protection that this system offers.
    pub fn here() -> Protection {
        let version = landlock_version();
        Protection {
            files: version > 0,
            signals: version >= KEEPS_SIGNALS,
            calls: has_filters(),
            namespaces: Granted::here(),
        }
    }

    /// What a program can still do, in words; nothing if it cannot do any of it.
    pub fn gaps(self) -> Option<String> {
        let Granted { processes, ipc, network, mounts } = self.namespaces;
        let gaps = [
            (self.files, "write and read wherever you can (no Landlock)"),
            (
                self.signals || processes,
                "send signals to your other processes (Landlock of Linux 6.12 or later keeps them in)",
            ),
            (self.calls, "reach the network (no seccomp filters)"),
            (processes && mounts, "see which processes there are (no pid and mount namespaces)"),
            (
                self.calls || (ipc && network),
                "use the objects and sockets of others (no ipc and net namespaces)",
            ),
        ];
        let open: Vec<&str> = gaps.into_iter().filter(|(closed, _)| !closed).map(|(_, gap)| gap).collect();
        (!open.is_empty()).then(|| open.join(", and "))
    }
}

fn landlock_version() -> i64 {
    const VERSION: u32 = 1;
    // SAFETY: with this flag the kernel looks at no memory and answers a number.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, VERSION) }
}

fn has_filters() -> bool {
    const ACTION_AVAILABLE: u32 = 2;
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the kernel reads one number of ours.
    unsafe { libc::syscall(libc::SYS_seccomp, ACTION_AVAILABLE, 0, &raw const action) == 0 }
}

/// The kind of process a sandbox is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Life {
    /// A fork server, which makes many runs.
    Long,
    /// A single run. It has no namespaces unless they alone keep its signals in: the kernel takes some 10 ms to take them down.
    /// One of mounts, which takes less, it has if it is to have a `/tmp` of its own.
    Short,
}

/// A sandbox that is ready to be entered.
pub(crate) struct Sandbox {
    /// Namespaces, which come first: nothing can be mounted later.
    pub(crate) namespaces: Option<Namespaces>,
    rules: Option<RulesetCreated>,
    filters: Vec<BpfProgram>,
    /// The user that runs are.
    pub(crate) identity: Option<Identity>,
    /// What it keeps a program from.
    pub(crate) protection: Protection,
}

impl Sandbox {
    /// Prepares what the system offers for a program that has to reach these paths.
    pub(crate) fn prepare(
        files: &Files,
        needed: &[PathBuf],
        tmp: Option<OwnTmp>,
        life: Life,
    ) -> io::Result<Sandbox> {
        let mut protection = Protection::here();
        if life == Life::Short && protection.signals {
            protection.namespaces = Granted { mounts: tmp.is_some(), ..Granted::default() };
        }
        let confinement = Confinement {
            truncate: landlock_version() >= KNOWS_TRUNCATE,
            debuggers: protection.files || protection.namespaces.processes,
        };
        let rules = protection.files.then(|| files.rules()).transpose().map_err(io::Error::other)?;
        let filters = if protection.calls {
            calls::filters(confinement).map_err(io::Error::other)?
        } else {
            Vec::new()
        };
        let namespaces = Namespaces::prepare(protection.namespaces, tmp);
        let identity = Identity::prepare(needed, protection.files);
        Ok(Sandbox { namespaces, rules, filters, identity, protection })
    }

    /// Puts the calling process behind rules and filters, for good. Makes system calls only.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        if let Some(mut rules) = self.rules.take() {
            if self.protection.namespaces.mounts {
                rules = Files::with_new_proc(rules).map_err(|_| io::ErrorKind::PermissionDenied)?;
            }
            rules.restrict_self().map_err(|_| io::ErrorKind::PermissionDenied)?;
        }
        for filter in &self.filters {
            apply_filter(filter).map_err(|_| io::ErrorKind::PermissionDenied)?;
        }
        Ok(())
    }
}

/// Files as a sandboxed program finds them: these to write, these to read, and the user's home hidden around them.
pub(crate) fn files(writable: Vec<PathBuf>, readable: Vec<PathBuf>) -> Files {
    let whole = |path: &PathBuf| std::fs::canonicalize(path).ok();
    let hidden = files::homes();
    // Who names a directory above the home asks for all of it.
    let readable: Vec<PathBuf> = readable.iter().filter_map(whole).collect();
    let is_open = |home: &Path| readable.iter().any(|path| home.starts_with(path));
    let hidden = hidden.into_iter().filter(|home| !is_open(home)).collect();
    Files { writable: writable.iter().filter_map(whole).collect(), readable, hidden }
}

/// Keeps the signals in that a process and its descendants send, and nothing else.
pub(crate) struct Wall(RulesetCreated);

impl Wall {
    /// One that is ready to be entered, if the system knows of such.
    pub(crate) fn prepare() -> Option<Wall> {
        Some(Wall(Ruleset::default().scope(Scope::Signal).ok()?.create().ok()?))
    }

    /// Puts the calling process behind it, for good. Makes system calls only.
    pub(crate) fn enter(self) -> io::Result<()> {
        self.0.restrict_self().map(|_| ()).map_err(|_| io::ErrorKind::PermissionDenied.into())
    }
}
