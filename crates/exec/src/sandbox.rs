//! The sandbox of a target, in layers.
//!
//! - Landlock (`files`) allows writes to the scratch directory only, hides the user's home, and confines
//!   signals and debugging to the target's own processes.
//! - Seccomp filters (`calls`) deny the network, priorities of other processes, and what Landlock does not
//!   cover: owner, permissions and times of files.
//! - Namespaces (`namespaces`) leave it no names of others' processes and objects, and a private `/tmp`
//!   (`temporary`).
//! - Runs of root become another user (`identity`).
//!
//! The driver prepares the layers, and they are entered before the program starts, so that a run pays nothing for
//! them.

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
pub(crate) use temporary::{OwnTmp, TMP};

use crate::spec::TargetSpec;
use calls::Confinement;
use landlock::{Ruleset, RulesetAttr, RulesetCreated, Scope};
use seccompiler::{BpfProgram, apply_filter};
use std::io;
use std::path::{Path, PathBuf};

/// First version of Landlock that can scope signals.
const SCOPES_SIGNALS: i64 = 6;
/// First version that covers `truncate`.
const COVERS_TRUNCATE: i64 = 3;

/// The protection that a sandbox offers on this system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Protection {
    /// Against writes outside the scratch directory, and reads of the user's home.
    pub files: bool,
    /// Against signals to processes that are not the run's own.
    pub signals: bool,
    /// Against use of the network, and changes of the machine's settings.
    pub calls: bool,
    /// Against naming processes, objects and mounts of others.
    pub namespaces: Granted,
}

impl Protection {
    /// Returns the protection that this system offers.
    pub fn here() -> Protection {
        let version = landlock_version();
        Protection {
            files: version > 0,
            signals: version >= SCOPES_SIGNALS,
            calls: has_filters(),
            namespaces: Granted::here(),
        }
    }

    /// Describes what a program can still do; `None` if the protection is complete.
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
    // SAFETY: with this flag the kernel reads no memory and returns a number.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, VERSION) }
}

fn has_filters() -> bool {
    const ACTION_AVAILABLE: u32 = 2;
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the kernel reads one number of ours.
    unsafe { libc::syscall(libc::SYS_seccomp, ACTION_AVAILABLE, 0, &raw const action) == 0 }
}

/// Lifetime of the process in a sandbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lifetime {
    /// A fork server, which makes many runs.
    Long,
    /// A single run. It gets namespaces only if nothing else confines its signals: the kernel takes some 10
    /// ms to remove them. A mount namespace, which takes less, it gets if it is to have a private `/tmp`.
    Short,
}

/// A sandbox that is ready to be entered.
pub(crate) struct Sandbox {
    /// Namespaces, which are entered first: nothing can be mounted later.
    pub(crate) namespaces: Option<Namespaces>,
    rules: Option<RulesetCreated>,
    filters: Vec<BpfProgram>,
    /// User that runs become.
    pub(crate) identity: Option<Identity>,
    /// Protection that it offers.
    pub(crate) protection: Protection,
}

impl Sandbox {
    /// Prepares what the system offers, for a program that needs these paths.
    pub(crate) fn prepare(
        files: &Files,
        needed: &[PathBuf],
        tmp: Option<OwnTmp>,
        lifetime: Lifetime,
    ) -> io::Result<Sandbox> {
        let mut protection = Protection::here();
        if lifetime == Lifetime::Short && protection.signals {
            protection.namespaces = Granted { mounts: tmp.is_some(), ..Granted::default() };
        }
        let confinement = Confinement {
            truncate: landlock_version() >= COVERS_TRUNCATE,
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

    /// Applies rules and filters to the calling process, for good. Makes system calls only.
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

/// True if a target has its scratch directory as private `/tmp`.
pub(crate) fn has_own_tmp(spec: &TargetSpec) -> bool {
    spec.sandbox && Granted::here().mounts && temporary::is_possible(spec)
}

/// Converts the result of a system call.
fn succeeded(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the files that a sandboxed program may access: these to write, these to read, and the user's home
/// hidden.
pub(crate) fn files(writable: Vec<PathBuf>, readable: Vec<PathBuf>) -> Files {
    let canonical = |path: &PathBuf| std::fs::canonicalize(path).ok();
    let hidden = files::homes();
    // A readable directory above the home includes all of it.
    let readable: Vec<PathBuf> = readable.iter().filter_map(canonical).collect();
    let is_open = |home: &Path| readable.iter().any(|path| home.starts_with(path));
    let hidden = hidden.into_iter().filter(|home| !is_open(home)).collect();
    Files { writable: writable.iter().filter_map(canonical).collect(), readable, hidden }
}

/// A Landlock domain that confines the signals of a process and its descendants, and nothing else.
pub(crate) struct SignalScope(RulesetCreated);

impl SignalScope {
    /// Prepares a domain, if the system supports it.
    pub(crate) fn prepare() -> Option<SignalScope> {
        Some(SignalScope(Ruleset::default().scope(Scope::Signal).ok()?.create().ok()?))
    }

    /// Confines the calling process, for good. Makes system calls only.
    pub(crate) fn enter(self) -> io::Result<()> {
        self.0.restrict_self().map(|_| ()).map_err(|_| io::ErrorKind::PermissionDenied.into())
    }
}
