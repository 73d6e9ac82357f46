//! The program's entry: a plain run, or the fork server of a driver.
//!
//! The fork server attaches to the driver's shared memory, greets the driver and then forks one run for each
//! command, or continues a process in persistent mode (`persistent.rs`). After each run it reports how the
//! run ended.

use crate::launch::{__cairn_user_main, launch};
use crate::recorder::recorder;
use crate::sites::site_count;
use crate::syscall::call;
use crate::system::{errno, limit_data, parse_number};
use crate::unmodelled_input::__cairn_starts_program;
use crate::{
    crash, environment, input, lock, memory, message, objects, persistent, process_id, producers, snapshot,
    startup_random, supervisor, system,
};
use cairn_wire::ABI_VERSION;
use cairn_wire::control::{self, Control};
use cairn_wire::protocol::{ENV_CONTROL, ENV_PADDING, Ended, HELLO_MAGIC, Hello, RUN};
use core::arch::global_asm;
use core::ffi::{c_char, c_int};
use core::mem::{replace, zeroed};
use libc::{F_SETFD, FD_CLOEXEC, rusage, timeval};

// Weak, so that a program whose own `main` was not instrumented still links; it then has no server.
global_asm!(
    ".weak main",
    ".type main,@function",
    "main:",
    "jmp {entry}",
    entry = sym entry,
);

unsafe extern "C" {
    static mut __start_cairn_cov: u8;
    static mut __stop_cairn_cov: u8;
}

/// The driver's settings: descriptors of the protocol, and limits of runs.
#[derive(Clone, Copy)]
struct Channel {
    /// Shared memory.
    shared: c_int,
    /// Pipe for commands.
    command: c_int,
    /// Pipe for replies.
    status: c_int,
    /// Limit on data of a run.
    data_mebibytes: Option<u64>,
    /// True if the driver has confined the server's signals (`supervisor.rs`).
    confined: bool,
    /// True if the driver has set `LD_BIND_NOW`, which the program must not see.
    bind_now: bool,
}

impl Channel {
    fn descriptors(self) -> [c_int; 3] {
        [self.shared, self.command, self.status]
    }

    fn close(self) {
        for fd in self.descriptors() {
            system::close(fd);
        }
    }
}

unsafe extern "C" fn entry(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: the environment that the C library passes.
    if let Some(channel) = unsafe { channel(envp) } {
        attach(channel);
        crash::install_handlers(envp as usize);
        supervisor::start(channel.confined);
        if serve(channel) == Role::Server {
            return 0;
        }
        begin_child(channel);
        return launch(argc, argv, envp);
    }
    // SAFETY: the program's own entry with the process's own arguments.
    unsafe { __cairn_user_main(argc, argv, envp) }
}

/// True in a process that a driver started, also in constructors, which run before the server attaches.
/// Models then simulate what differs from run to run.
#[unsafe(no_mangle)]
extern "C" fn __cairn_supervised() -> c_int {
    unsafe extern "C" {
        static __environ: *mut *mut c_char;
    }
    if recorder().is_attached() {
        return 1;
    }
    // SAFETY: the C library's own variable, null only before it has been initialized.
    let has_channel = unsafe { !__environ.is_null() && environment::has(__environ, ENV_CONTROL.as_bytes()) };
    has_channel.into()
}

/// Removes the driver's settings from the environment and returns them: programs that the target starts are
/// not servers.
///
/// # Safety
/// `envp` must be the program's environment, as the kernel has put it on the stack.
unsafe fn channel(envp: *mut *mut c_char) -> Option<Channel> {
    // SAFETY: as the caller says; nothing was taken yet.
    let value = unsafe {
        if environment::has(envp, ENV_CONTROL.as_bytes()) {
            startup_random::fix(envp);
        }
        environment::take(envp, ENV_CONTROL.as_bytes())
    }?;
    let channel = parse(value.to_bytes())?;
    for padding in ENV_PADDING {
        // SAFETY: as the caller says.
        unsafe { environment::take(envp, padding.as_bytes()) };
    }
    if channel.bind_now {
        // SAFETY: as the caller says.
        unsafe { environment::take(envp, b"LD_BIND_NOW") };
    }
    Some(channel)
}

fn parse(text: &[u8]) -> Option<Channel> {
    let mut numbers = text.split(|b| *b == b',').map(parse_number);
    let mut next = || numbers.next().flatten();
    let mut descriptor = || Some(next()? as c_int);
    let (shared, command, status) = (descriptor()?, descriptor()?, descriptor()?);
    let data_mebibytes = next();
    let mut is_set = || next() == Some(1);
    Some(Channel { shared, command, status, data_mebibytes, confined: is_set(), bind_now: is_set() })
}

fn attach(channel: Channel) {
    for fd in channel.descriptors() {
        call(libc::SYS_fcntl, [fd as u64, F_SETFD as u64, FD_CLOEXEC as u64]);
    }
    let first = memory::map_shared(channel.shared, control::PAGE);
    let Some(first) = first else { message::fatal(b"cannot map the shared memory") };
    // SAFETY: the driver begins the shared memory with a control page, which was mapped just now.
    let control = unsafe {
        let control = *(first as *const Control);
        system::unmap(first as usize..first as usize + control::PAGE as usize);
        control
    };
    if control.magic != control::MAGIC || control.abi != ABI_VERSION {
        greet(channel);
        message::fatal(b"this program was built by another version of Cairn");
    }
    let Some(base) = memory::map_shared(channel.shared, control.layout.total) else {
        message::fatal(b"cannot map the shared memory")
    };
    // SAFETY: mapped as large as the control page says, and the process has one thread.
    unsafe {
        recorder().attach(base);
        input::attach(base);
        snapshot::attach(base);
    }
    let region = |offset: u64| base.wrapping_add(offset as usize);
    producers::attach(region(control.layout.produced), region(control.layout.reactions));
    objects::prepare();
    share_coverage(channel, &control);
}

/// Maps the shared coverage bytes over the program's own, so that a coverage store is one plain instruction.
fn share_coverage(channel: Channel, control: &Control) {
    let start = &raw mut __start_cairn_cov;
    let len = (&raw mut __stop_cairn_cov) as u64 - start as u64;
    if !(start as u64).is_multiple_of(control::PAGE) || !len.is_multiple_of(control::PAGE) {
        message::fatal(b"the coverage section is not page aligned: link the program with `cairn cc`");
    }
    let len = len.min(control.layout.coverage_size);
    // SAFETY: the linker gave the section whole pages of its own.
    if len > 0 && !unsafe { memory::map_over(start, len, channel.shared, control.layout.coverage) } {
        message::fatal(b"cannot share the coverage bytes");
    }
}

/// Sends the greeting, by which the driver recognises the program.
fn greet(channel: Channel) {
    let sides = (&raw mut __stop_cairn_cov) as u64 - (&raw mut __start_cairn_cov) as u64;
    let hello = Hello { magic: HELLO_MAGIC, abi: ABI_VERSION, sites: site_count(), sides: sides as u32 };
    send(channel.status, &hello);
}

#[derive(PartialEq, Eq)]
enum Role {
    Server,
    Child,
}

/// Makes one run for each command, in a new process or in a persistent one. Returns in each new process, and
/// in the server when the driver is gone.
fn serve(channel: Channel) -> Role {
    if let Some(limit) = channel.data_mebibytes {
        limit_data(limit);
    }
    system::at_fork(stop_recording);
    greet(channel);
    let (mut waiting, mut policy): (Option<RunProcess>, PersistencePolicy) = Default::default();
    while receive(channel.command) == Some(RUN) {
        let mode = recorder().control().mode;
        let is_patched = mode & control::mode::LOG != 0 && recorder().log.prepare();
        if is_patched || mode & control::mode::REUSE == 0 {
            waiting.take().inspect(|process| process.discard());
        }
        let mut process = match waiting.take().filter(RunProcess::resume) {
            Some(process) => process,
            None => {
                policy.before_fork(mode);
                match system::fork() {
                    0 => return Role::Child,
                    -1 => RunProcess { pid: -errno(), cpu_micros: 0, runs: 0 },
                    pid => RunProcess { pid, cpu_micros: 0, runs: 0 },
                }
            }
        };
        let ended = process.wait();
        if !send(channel.status, &ended) {
            break;
        }
        policy.after_run(ended.waits != 0);
        waiting = (ended.waits != 0).then_some(process);
    }
    Role::Server
}

/// Decides whether new processes try persistent mode: a program whose runs always have lasting effects should
/// not pay for it.
#[derive(Default)]
struct PersistencePolicy {
    /// Processes forked for persistent mode.
    forked: u32,
    /// Runs after which a process could be reset.
    reset: u32,
}

impl PersistencePolicy {
    /// Attempts before any has succeeded; a chosen bound.
    const FIRST_ATTEMPTS: u32 = 8;

    /// Decides for the process that is forked next.
    fn before_fork(&mut self, mode: u32) {
        let wanted =
            mode & control::mode::REUSE != 0 && self.forked < Self::FIRST_ATTEMPTS.saturating_add(self.reset);
        persistent::set_wanted(wanted);
        self.forked += u32::from(wanted);
    }

    fn after_run(&mut self, waits: bool) {
        self.reset = self.reset.saturating_add(waits.into());
    }
}

/// A process that makes runs.
struct RunProcess {
    /// Process number; a negative error number if the fork failed.
    pid: c_int,
    /// Processor time it has used so far.
    cpu_micros: u64,
    /// Runs that it has made.
    runs: u32,
}

impl RunProcess {
    /// Continues it for another run; false if it is gone.
    fn resume(&self) -> bool {
        system::kill(self.pid, libc::SIGCONT) == 0
    }

    /// Kills it, so that it makes no other run.
    fn discard(&self) {
        system::kill(self.pid, libc::SIGKILL);
        supervisor::end_descendants();
    }

    /// Waits for the end of a run, and of all processes that it has started, which may write to the shared
    /// memory as well.
    fn wait(&mut self) -> Ended {
        // The error of a failed fork, until there is a status.
        let mut status = self.pid.min(0);
        // SAFETY: rusage is plain data; wait4 fills it.
        let mut usage: rusage = unsafe { zeroed() };
        let mut waits = false;
        let mut is_running = self.pid > 0;
        while is_running {
            let waited = system::wait(self.pid, Some(&mut status), libc::WUNTRACED, Some(&mut usage));
            waits = waited > 0 && libc::WIFSTOPPED(status) && recorder().control().waits == control::WAITS;
            // A run that was stopped, or is traced by us, has not ended.
            is_running = if waited < 0 { waited == -libc::EINTR } else { libc::WIFSTOPPED(status) && !waits };
        }
        if waits {
            status = (recorder().control().exit_code as c_int & 0xff) << 8;
        } else {
            supervisor::end_descendants();
        }
        let micros = |t: timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
        let before = replace(&mut self.cpu_micros, micros(usage.ru_utime) + micros(usage.ru_stime));
        Ended {
            wait_status: status,
            max_rss_kib: usage.ru_maxrss as u32,
            cpu_micros: self.cpu_micros.saturating_sub(before),
            waits: waits.into(),
            reused: (replace(&mut self.runs, 1) > 0).into(),
        }
    }
}

fn begin_child(channel: Channel) {
    channel.close();
    supervisor::begin_run();
    process_id::begin_run();
    call(libc::SYS_setpgid, [0, 0]);
}

/// Stops recording in a process that the program has forked: it shares table and logs with its parent, but
/// not the lock.
extern "C" fn stop_recording() {
    lock::reset();
    let recorder = recorder();
    if replace(&mut recorder.tracing, false) {
        recorder.control().flags |= control::flag::FORKED;
    }
    recorder.log.leave();
    producers::leave();
}

// `vfork` returns twice on one stack, so the wrapper may leave nothing there. The child shares the memory, and
// records until it ends or executes another program. `__vfork` is a reserved name of the C library.
global_asm!(
    ".globl __cairn_w_vfork",
    ".type __cairn_w_vfork,@function",
    "__cairn_w_vfork:",
    "sub rsp, 8",
    "call {note}",
    "add rsp, 8",
    "jmp qword ptr [rip + __vfork@GOTPCREL]",
    note = sym __cairn_starts_program,
);

fn send<T>(fd: c_int, message: &T) -> bool {
    // SAFETY: messages are plain data of this size, and fit a pipe's atomic write.
    let bytes = unsafe { core::slice::from_raw_parts(message as *const T as *const u8, size_of::<T>()) };
    loop {
        let wrote = system::write(fd, bytes);
        if wrote != -(libc::EINTR as isize) {
            return wrote == size_of::<T>() as isize;
        }
    }
}

fn receive(fd: c_int) -> Option<u8> {
    const INTERRUPTED: isize = -(libc::EINTR as isize);
    let mut byte = 0;
    loop {
        // SAFETY: room for one byte.
        match unsafe { system::read(fd, &raw mut byte, 1) } {
            1 => return Some(byte),
            INTERRUPTED => {}
            _ => return None,
        }
    }
}
