//! Seccomp filters: an allow-list of system calls, and checks of arguments.
//!
//! A call that is on no list fails with `ENOSYS`, as on an older kernel, so that the C library falls back to
//! one that is (`clone3` to `clone`, say). Calls that no ordinary program needs, and arguments that refer to
//! other processes, fail with `EPERM`. Calls by the numbers of another architecture (`int 0x80`) kill the
//! process; those of x32 are on no list.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;

/// Calls that the `libc` crate does not name.
const IO_PGETEVENTS: libc::c_long = 333;
const FUTEX_WAKE: libc::c_long = 454;
const FUTEX_WAIT: libc::c_long = 455;
const FUTEX_REQUEUE: libc::c_long = 456;
const STATMOUNT: libc::c_long = 457;
const LISTMOUNT: libc::c_long = 458;
const SETXATTRAT: libc::c_long = 463;
const GETXATTRAT: libc::c_long = 464;
const LISTXATTRAT: libc::c_long = 465;
const REMOVEXATTRAT: libc::c_long = 466;
const OPEN_TREE_ATTR: libc::c_long = 467;
const FILE_GETATTR: libc::c_long = 468;
const FILE_SETATTR: libc::c_long = 469;
const MAP_SHADOW_STACK: libc::c_long = 453;
const CACHESTAT: libc::c_long = 451;
const PROCESS_MRELEASE: libc::c_long = 448;

/// Allowed calls: on the calling process, on files (which Landlock restricts) and on signals (which its scope
/// and the pid namespace restrict). [`refused_arguments`] restricts some.
const ALLOWED: &[libc::c_long] = &[
    // Files and descriptors.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_open,
    libc::SYS_close,
    libc::SYS_stat,
    libc::SYS_fstat,
    libc::SYS_lstat,
    libc::SYS_poll,
    libc::SYS_lseek,
    libc::SYS_ioctl,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_access,
    libc::SYS_pipe,
    libc::SYS_select,
    libc::SYS_dup,
    libc::SYS_dup2,
    libc::SYS_sendfile,
    libc::SYS_fcntl,
    libc::SYS_flock,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_truncate,
    libc::SYS_ftruncate,
    libc::SYS_getdents,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_rename,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_creat,
    libc::SYS_link,
    libc::SYS_unlink,
    libc::SYS_symlink,
    libc::SYS_readlink,
    libc::SYS_umask,
    libc::SYS_mknod,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS_readahead,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
    libc::SYS_getdents64,
    libc::SYS_fadvise64,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_ctl,
    libc::SYS_inotify_init,
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_rm_watch,
    libc::SYS_openat,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_newfstatat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_readlinkat,
    libc::SYS_faccessat,
    libc::SYS_pselect6,
    libc::SYS_ppoll,
    libc::SYS_splice,
    libc::SYS_tee,
    libc::SYS_vmsplice,
    libc::SYS_sync_file_range,
    libc::SYS_epoll_pwait,
    libc::SYS_signalfd,
    libc::SYS_signalfd4,
    libc::SYS_eventfd,
    libc::SYS_eventfd2,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_timerfd_gettime,
    libc::SYS_fallocate,
    libc::SYS_epoll_create1,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_inotify_init1,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_renameat2,
    libc::SYS_copy_file_range,
    libc::SYS_statx,
    libc::SYS_close_range,
    libc::SYS_openat2,
    libc::SYS_faccessat2,
    libc::SYS_epoll_pwait2,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    CACHESTAT,
    STATMOUNT,
    LISTMOUNT,
    GETXATTRAT,
    LISTXATTRAT,
    FILE_GETATTR,
    libc::SYS_io_setup,
    libc::SYS_io_destroy,
    libc::SYS_io_getevents,
    libc::SYS_io_submit,
    libc::SYS_io_cancel,
    IO_PGETEVENTS,
    // Sockets created in connected pairs.
    libc::SYS_socketpair,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvmmsg,
    libc::SYS_shutdown,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_setsockopt,
    libc::SYS_getsockopt,
    // Memory.
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_munmap,
    libc::SYS_brk,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_mincore,
    libc::SYS_madvise,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_mlockall,
    libc::SYS_munlockall,
    libc::SYS_mlock2,
    libc::SYS_remap_file_pages,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_get_mempolicy,
    libc::SYS_set_mempolicy_home_node,
    libc::SYS_pkey_mprotect,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_mseal,
    libc::SYS_membarrier,
    MAP_SHADOW_STACK,
    // Processes and threads.
    libc::SYS_clone,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getpgid,
    libc::SYS_setpgid,
    libc::SYS_getpgrp,
    libc::SYS_setsid,
    libc::SYS_getsid,
    libc::SYS_prctl,
    libc::SYS_arch_prctl,
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    FUTEX_WAKE,
    FUTEX_WAIT,
    FUTEX_REQUEUE,
    libc::SYS_rseq,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_personality,
    libc::SYS_seccomp,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    // Signals.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_rt_sigsuspend,
    libc::SYS_sigaltstack,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_pause,
    libc::SYS_restart_syscall,
    // Time.
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_alarm,
    libc::SYS_gettimeofday,
    libc::SYS_time,
    libc::SYS_times,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_timer_create,
    libc::SYS_timer_settime,
    libc::SYS_timer_gettime,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_delete,
    // Limits and scheduling, of the caller alone.
    libc::SYS_getrlimit,
    libc::SYS_setrlimit,
    libc::SYS_prlimit64,
    libc::SYS_getrusage,
    libc::SYS_getpriority,
    libc::SYS_setpriority,
    libc::SYS_ioprio_get,
    libc::SYS_ioprio_set,
    libc::SYS_sched_yield,
    libc::SYS_sched_setparam,
    libc::SYS_sched_getparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_rr_get_interval,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_getattr,
    // Identity: a process without capabilities can only drop rights.
    libc::SYS_getuid,
    libc::SYS_getgid,
    libc::SYS_geteuid,
    libc::SYS_getegid,
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_getgroups,
    libc::SYS_setgroups,
    libc::SYS_setresuid,
    libc::SYS_getresuid,
    libc::SYS_setresgid,
    libc::SYS_getresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_capget,
    libc::SYS_capset,
    // The machine, for reading.
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getcpu,
    libc::SYS_getrandom,
];

/// Calls that fail with `EPERM`: they reach the network or other processes, change the machine, create
/// something that outlives a process, or expose a part of the kernel that no ordinary program needs.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmdt,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    PROCESS_MRELEASE,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_bpf,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
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
    libc::SYS_vhangup,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Calls that return success without an effect. Programs change mode and times of files they have just
/// written; a failure would end the exploration of all of them there. Flushing the whole machine's disks is
/// suppressed as well.
const NO_OPS: &[libc::c_long] = &[
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
    libc::SYS_sync,
    libc::SYS_syncfs,
];

/// Calls that schedule the process whose number is their first argument. For others than the caller (0) they
/// return success without an effect: `pthread_create` sets the affinity of a new thread this way, and fails
/// if that does.
const SCHEDULING: [libc::c_long; 4] = [
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
];

/// `ioctl` requests that only query, concern a descriptor alone, or copy to a file open for writing. All
/// others fail with `ENOTTY`, as on a file that does not support them: terminal modes, frozen file systems,
/// devices.
const REQUESTS: [u64; 16] = [
    libc::TCGETS,
    libc::TCGETS2,
    libc::TIOCGWINSZ,
    libc::TIOCGPGRP,
    libc::FIONREAD,
    libc::FIONBIO,
    libc::FIOCLEX,
    libc::FIONCLEX,
    0x5460,      // FIOQSIZE
    2,           // FIGETBSZ
    0xc020_660b, // FS_IOC_FIEMAP
    0x4004_9409, // FICLONE
    0x4020_940d, // FICLONERANGE
    0x8008_6601, // FS_IOC_GETFLAGS
    0x801c_581f, // FS_IOC_FSGETXATTR
    0x8008_7601, // FS_IOC_GETVERSION
];

/// `ioctl` requests that return success without an effect: they change attributes, even without a file open
/// for writing.
const NO_OPS_REQUESTS: [u64; 4] = [
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4008_7602, // FS_IOC_SETVERSION
];

/// Commands of `fcntl` that have signals sent to other processes, or that delay others who open a file.
const REFUSED_COMMANDS: [i32; 5] = [libc::F_SETOWN, F_SETOWN_EX, F_SETSIG, libc::F_SETLEASE, libc::F_NOTIFY];
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;
const PR_SCHED_CORE: u64 = 62;

/// Properties of the sandbox that the filters depend on.
#[derive(Clone, Copy)]
pub(super) struct Confinement {
    /// True if Landlock restricts `truncate`.
    pub(super) truncate: bool,
    /// True if Landlock or a pid namespace confines debuggers.
    pub(super) debuggers: bool,
}

/// System calls, each with rules on its arguments; any arguments, if there are no rules.
type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// Returns the filters in the order of installation: of several that refuse a call, the last determines its
/// error.
pub(super) fn filters(confinement: Confinement) -> Result<Vec<BpfProgram>, BackendError> {
    let debugging = confinement.debuggers.then_some(libc::SYS_ptrace);
    let allowed = || [ALLOWED, REFUSED, NO_OPS].into_iter().flatten().copied().chain(debugging);
    let mut refused = always(REFUSED.iter().copied());
    refused.extend(refused_arguments()?);
    if !confinement.truncate {
        refused.insert(libc::SYS_truncate, Vec::new());
    }
    if !confinement.debuggers {
        refused.insert(libc::SYS_ptrace, Vec::new());
    }
    let mut no_ops = always(NO_OPS.iter().copied());
    no_ops.extend(SCHEDULING.into_iter().zip(std::iter::repeat(vec![all(vec![is_not(0, 0)?])?])));
    no_ops.insert(libc::SYS_ioctl, any(NO_OPS_REQUESTS.map(|request| is(1, request)))?);
    let unknown = REQUESTS.into_iter().chain(NO_OPS_REQUESTS).map(|request| is_not(1, request));
    let unknown = [(libc::SYS_ioctl, vec![all(unknown.collect::<Result<_, _>>()?)?])].into();
    let errno = |errno: i32| SeccompAction::Errno(errno as u32);
    Ok(vec![
        compile(always(allowed()), SeccompAction::Allow, errno(libc::ENOSYS))?,
        compile(refused, errno(libc::EPERM), SeccompAction::Allow)?,
        compile(unknown, errno(libc::ENOTTY), SeccompAction::Allow)?,
        compile(no_ops, errno(0), SeccompAction::Allow)?,
    ])
}

fn compile(calls: Calls, listed: SeccompAction, others: SeccompAction) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(calls, others, listed, std::env::consts::ARCH.try_into()?)?.try_into()
}

fn always(calls: impl IntoIterator<Item = libc::c_long>) -> Calls {
    calls.into_iter().map(|call| (call, Vec::new())).collect()
}

/// Returns the arguments that are refused with `EPERM`.
fn refused_arguments() -> Result<Calls, BackendError> {
    const PROCESS: u64 = 0;
    const IO_PROCESS: u64 = 1;
    let namespaces = [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ];
    let one_of_another = |scope, who| any([is_not(0, scope), is_not(1, who)]);
    let sets_limits_of_another = all(vec![is_not(0, 0)?, is_not_null(2)?])?;
    Ok([
        (libc::SYS_clone, any(namespaces.map(|flag| has_bits(0, flag as u32 as u64, flag as u32 as u64)))?),
        (libc::SYS_setpriority, one_of_another(PROCESS, 0)?),
        (libc::SYS_ioprio_set, one_of_another(IO_PROCESS, 0)?),
        (libc::SYS_prlimit64, vec![sets_limits_of_another]),
        (libc::SYS_prctl, any([is(0, PR_SCHED_CORE)])?),
        (libc::SYS_fcntl, any(REFUSED_COMMANDS.map(|command| is(1, command as u64)))?),
        (libc::SYS_socketpair, unconnected_pairs()?),
        (libc::SYS_sendto, vec![all(vec![is_not_null(4)?])?]),
    ]
    .into())
}

/// Returns the kinds of socket pairs whose messages may be addressed to other sockets. Streams and sequenced
/// packets stay connected.
fn unconnected_pairs() -> Result<Vec<SeccompRule>, BackendError> {
    const KIND: u64 = 0xf;
    let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW].map(|kind| has_bits(1, KIND, kind as u64));
    any([is_not(0, libc::AF_UNIX as u64)].into_iter().chain(kinds))
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

fn has_bits(argument: u8, mask: u64, bits: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), bits)
}

fn is_not_null(argument: u8) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

fn all(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions)
}

fn any(
    conditions: impl IntoIterator<Item = Result<SeccompCondition, BackendError>>,
) -> Result<Vec<SeccompRule>, BackendError> {
    conditions.into_iter().map(|condition| all(vec![condition?])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_call_is_on_two_lists() {
        let lists = [ALLOWED, REFUSED, NO_OPS];
        let calls: Vec<_> = lists.into_iter().flatten().collect();
        assert_eq!(calls.iter().collect::<HashSet<_>>().len(), calls.len());
    }

    #[test]
    fn all_filters_fit() {
        for (truncate, debuggers) in [(true, true), (false, false)] {
            assert_eq!(filters(Confinement { truncate, debuggers }).unwrap().len(), 4);
        }
    }
}
