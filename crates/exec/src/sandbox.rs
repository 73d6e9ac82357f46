//! What a target may not do to its surroundings.
//!
//! Landlock lets it write to its scratch directory alone, and reach no process but its own with a signal or a debugger. A
//! filter of system calls keeps it from the network, from the machine's own settings, and from what Landlock
//! knows nothing about: who owns a file, who may read it, and when it was changed. All is prepared by the driver and
//! entered before the program starts: a run pays nothing for it.

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Newest version of Landlock that rights are asked of.
const LANDLOCK: ABI = ABI::V6;
/// The version that can keep signals in.
const KEEPS_SIGNALS: i64 = 6;
/// The version that knows of `truncate`.
const KNOWS_TRUNCATE: i64 = 3;
/// Devices that a program may write to: nobody is harmed.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// System calls that fail with `EPERM`: they reach the network, change the machine, or leave behind what outlives a process.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_bpf,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_add_key,
    libc::SYS_keyctl,
];

/// System calls that are said to have been done, and are not. Programs change mode and times of what they have just
/// written; a failure would send all of them to the end of what can be explored.
const PRETENDED: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_chown,
    libc::SYS_fchown,
    libc::SYS_lchown,
    libc::SYS_fchownat,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

/// System calls of Linux 6.13 and 6.17 that have no names yet.
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

/// Requests to files that are pretended too: they change attributes, and need no file that is open for writing.
const PRETENDED_REQUESTS: [u64; 4] =
    [FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION];
const FS_IOC_SETFLAGS: u64 = 0x4008_6602;
const FS_IOC32_SETFLAGS: u64 = 0x4004_6602;
const FS_IOC_FSSETXATTR: u64 = 0x401c_5820;
const FS_IOC_SETVERSION: u64 = 0x4008_7602;

/// What a sandbox keeps a program from, here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Protection {
    /// Writing outside the scratch directory.
    pub writes: bool,
    /// Signals to processes that are not the run's own.
    pub signals: bool,
    /// The network, and the machine's settings.
    pub calls: bool,
}

impl Protection {
    /// What the system offers.
    pub fn here() -> Protection {
        let version = landlock_version();
        Protection { writes: version > 0, signals: version >= KEEPS_SIGNALS, calls: has_filters() }
    }

    /// What the program can still do, in words; nothing if it cannot do any of it.
    pub fn gaps(self) -> Option<String> {
        let gaps = [
            (self.writes, "write wherever you can (no Landlock)"),
            (
                self.signals,
                "send signals to your other processes (Landlock of Linux 6.12 or later keeps them in)",
            ),
            (self.calls, "reach the network (no seccomp filters)"),
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

/// A sandbox that is ready to be entered.
pub(crate) struct Sandbox {
    rules: Option<RulesetCreated>,
    filters: Vec<BpfProgram>,
    /// What it keeps a program from.
    pub(crate) protection: Protection,
}

impl Sandbox {
    /// Prepares what the system offers; the program may write below these directories.
    pub(crate) fn prepare(writable: &[&Path]) -> io::Result<Sandbox> {
        let protection = Protection::here();
        let rules = if protection.writes { Some(rules(writable).map_err(io::Error::other)?) } else { None };
        let filters = if protection.calls { filters().map_err(io::Error::other)? } else { Vec::new() };
        Ok(Sandbox { rules, filters, protection })
    }

    /// Puts the calling process into it, for good. Makes system calls only.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        if let Some(rules) = self.rules.take() {
            rules.restrict_self().map_err(|_| io::ErrorKind::PermissionDenied)?;
        }
        for filter in &self.filters {
            apply_filter(filter).map_err(|_| io::ErrorKind::PermissionDenied)?;
        }
        Ok(())
    }
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

fn rules(writable: &[&Path]) -> Result<RulesetCreated, RulesetError> {
    let writes = AccessFs::from_write(LANDLOCK);
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let mut ruleset = ruleset.handle_access(writes)?.scope(Scope::Signal)?.create()?;
    for directory in writable {
        // A device is the same one wherever its name is.
        ruleset = beneath(ruleset, directory, writes & !(AccessFs::MakeBlock | AccessFs::MakeChar))?;
    }
    for device in DEVICES {
        ruleset = beneath(
            ruleset,
            Path::new(device),
            AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev,
        )?;
    }
    Ok(ruleset)
}

/// Allows something below a path, if there is one.
fn beneath(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(fd) => rules.add_rule(PathBeneath::new(fd, access)),
        Err(_) => Ok(rules),
    }
}

/// What a filter looks for: system calls, each with the arguments it matters with; with any, if none are told.
type Calls = BTreeMap<i64, Vec<SeccompRule>>;

fn filters() -> Result<Vec<BpfProgram>, BackendError> {
    let mut refused = always(REFUSED);
    refused.extend(to_other_processes()?);
    let mut pretended = always(PRETENDED);
    pretended.insert(libc::SYS_ioctl, requests()?);
    let mut filters = vec![filter(refused, libc::EPERM)?, filter(pretended, 0)?];
    if landlock_version() < KNOWS_TRUNCATE {
        filters.push(filter(always(&[libc::SYS_truncate]), libc::EACCES)?);
    }
    Ok(filters)
}

/// Has these calls end at once with this error, or as if they had succeeded.
fn filter(calls: Calls, errno: i32) -> Result<BpfProgram, BackendError> {
    let arch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(calls, SeccompAction::Allow, SeccompAction::Errno(errno as u32), arch)?.try_into()
}

fn always(calls: &[libc::c_long]) -> Calls {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

/// Calls that set limits and priority of any process of the user's, unless it is told by 0, which is the caller.
fn to_other_processes() -> Result<Calls, BackendError> {
    let differs = |argument, length| SeccompCondition::new(argument, length, SeccompCmpOp::Ne, 0);
    let names_one = |argument| differs(argument, SeccompCmpArgLen::Dword);
    let sets_limits = SeccompRule::new(vec![names_one(0)?, differs(2, SeccompCmpArgLen::Qword)?])?;
    let sets_priority = SeccompRule::new(vec![names_one(1)?])?;
    Ok([(libc::SYS_prlimit64, vec![sets_limits]), (libc::SYS_setpriority, vec![sets_priority])].into())
}

fn requests() -> Result<Vec<SeccompRule>, BackendError> {
    let is = |request| SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request);
    PRETENDED_REQUESTS.into_iter().map(|request| SeccompRule::new(vec![is(request)?])).collect()
}
