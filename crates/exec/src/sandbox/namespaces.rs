//! Private namespaces of a target: processes, System V IPC and message queues, network, mounts.
//!
//! An ordinary user gets them inside a user namespace in which it is mapped to itself; root, whose runs
//! become another user, needs none. Each is used if the kernel grants it. Landlock and the seccomp filters
//! deny harmful operations as well; namespaces make it impossible to name what belongs to others.

use super::succeeded;
use super::temporary::OwnTmp;
use std::ffi::CStr;
use std::io;
use std::ptr::null;
use std::sync::OnceLock;

/// Namespaces that the kernel grants on this system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Granted {
    /// Processes: a run sees its own, and none outlives the first.
    pub processes: bool,
    /// System V objects and POSIX message queues.
    pub ipc: bool,
    /// Network devices and abstract sockets.
    pub network: bool,
    /// Mounts, with a private `/proc`.
    pub mounts: bool,
}

/// Kinds of namespaces, in the order of their bits in a probe's result.
const KINDS: [libc::c_int; 4] =
    [libc::CLONE_NEWPID, libc::CLONE_NEWIPC, libc::CLONE_NEWNET, libc::CLONE_NEWNS];

impl Granted {
    /// Returns the namespaces that the kernel grants, as a child process finds out once.
    pub(super) fn here() -> Granted {
        static HERE: OnceLock<Granted> = OnceLock::new();
        *HERE.get_or_init(|| Granted::of_bits(probe(UserNamespace::needed().as_ref())))
    }

    fn of_bits(bits: libc::c_int) -> Granted {
        let has = |kind| bits & 1 << kind != 0;
        // With the `/proc` of another namespace a process would not find itself by its number.
        let processes = has(0) && has(3);
        Granted { processes, ipc: has(1), network: has(2), mounts: processes }
    }

    fn kinds(self) -> libc::c_int {
        let granted = [self.processes, self.ipc, self.network, self.mounts];
        KINDS
            .into_iter()
            .zip(granted)
            .filter(|(_, granted)| *granted)
            .fold(0, |kinds, (kind, _)| kinds | kind)
    }
}

/// Tries every kind in a child process; returns bits.
fn probe(user: Option<&UserNamespace>) -> libc::c_int {
    // SAFETY: the child makes system calls only, and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let bits = match user.map_or(Ok(()), UserNamespace::enter) {
            Ok(()) => {
                (0..).zip(KINDS).filter(|(_, kind)| is_granted(*kind)).fold(0, |bits, (n, _)| bits | 1 << n)
            }
            Err(_) => 0,
        };
        // SAFETY: ends the process.
        unsafe { libc::_exit(bits) };
    }
    let mut status = 0;
    // SAFETY: waits for the child.
    let has_ended = child > 0 && unsafe { libc::waitpid(child, &mut status, 0) } == child;
    if has_ended && libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 0 }
}

fn is_granted(kind: libc::c_int) -> bool {
    // SAFETY: changes the calling process, and touches no memory.
    let is_created = unsafe { libc::unshare(kind) } == 0;
    is_created && (kind != libc::CLONE_NEWNS || (detach_mounts().is_ok() && can_mount_proc()))
}

/// True if a process in the new namespace can mount a private `/proc`.
fn can_mount_proc() -> bool {
    let mut status = -1;
    // SAFETY: the child makes system calls only, and ends; we may wait for it.
    unsafe {
        match libc::fork() {
            0 => libc::_exit(mount_proc().is_err().into()),
            -1 => return false,
            child => libc::waitpid(child, &mut status, 0),
        };
    }
    status == 0
}

/// A user namespace in which the user is mapped to itself.
struct UserNamespace {
    uid_map: Vec<u8>,
    gid_map: Vec<u8>,
}

impl UserNamespace {
    /// Returns the namespace that is needed for creating others; `None` for root.
    fn needed() -> Option<UserNamespace> {
        // SAFETY: returns two numbers.
        let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
        let identity = |id: u32| format!("{id} {id} 1").into_bytes();
        (uid != 0).then(|| UserNamespace { uid_map: identity(uid), gid_map: identity(gid) })
    }

    /// Creates and enters it. Makes system calls only.
    fn enter(&self) -> io::Result<()> {
        unshare(libc::CLONE_NEWUSER)?;
        write(c"/proc/self/setgroups", b"deny")?;
        write(c"/proc/self/uid_map", &self.uid_map)?;
        write(c"/proc/self/gid_map", &self.gid_map)
    }
}

/// Namespaces that are ready to be created.
pub(crate) struct Namespaces {
    user: Option<UserNamespace>,
    granted: Granted,
    tmp: Option<OwnTmp>,
}

impl Namespaces {
    /// Prepares the granted namespaces, if any, with a private `/tmp` if given.
    pub(super) fn prepare(granted: Granted, tmp: Option<OwnTmp>) -> Option<Namespaces> {
        (granted.kinds() != 0).then(|| Namespaces { user: UserNamespace::needed(), granted, tmp })
    }

    /// Creates and enters them. The pid namespace applies to children of the calling process that are forked
    /// from then on. Makes system calls only.
    pub(crate) fn enter(&self) -> io::Result<()> {
        self.user.as_ref().map_or(Ok(()), UserNamespace::enter)?;
        unshare(self.granted.kinds())?;
        if !self.granted.mounts {
            return Ok(());
        }
        detach_mounts()?;
        self.tmp.as_ref().map_or(Ok(()), OwnTmp::mount)
    }

    /// True if there is a pid namespace, whose first process must outlive all others.
    pub(crate) fn has_processes(&self) -> bool {
        self.granted.processes
    }

    /// Sets up the first process of the pid namespace. Makes system calls only.
    pub(crate) fn set_up_init(&self) -> io::Result<()> {
        if self.granted.mounts { mount_proc() } else { Ok(()) }
    }
}

fn unshare(kinds: libc::c_int) -> io::Result<()> {
    // SAFETY: changes the calling process, and touches no memory.
    succeeded(unsafe { libc::unshare(kinds) })
}

/// Makes all mounts private: what is mounted from now on is visible in this namespace only.
fn detach_mounts() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: the kernel reads the string; the other pointers may be null.
    succeeded(unsafe { libc::mount(null(), c"/".as_ptr(), null(), flags, null()) })
}

fn mount_proc() -> io::Result<()> {
    let (name, flags) = (c"proc".as_ptr(), libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC);
    // SAFETY: the kernel reads the strings; the last pointer may be null.
    succeeded(unsafe { libc::mount(name, c"/proc".as_ptr(), name, flags, null()) })
}

/// Writes to a file of the kernel. Makes system calls only.
fn write(path: &CStr, text: &[u8]) -> io::Result<()> {
    // SAFETY: a file that is opened, written to from a buffer of this size, and closed.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        let wrote = libc::write(file, text.as_ptr().cast(), text.len());
        let outcome = if wrote < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
        libc::close(file);
        outcome
    }
}
