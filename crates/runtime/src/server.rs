//! The program's entry: a plain run, or a fork server for the driver.

use crate::persistent::call;
use crate::state::{site_count, state};
use crate::system::{errno, limit_data, number};
use crate::{
    arguments, crash, environment, float, io, lock, memory, message, objects, persistent, size, supervisor,
    system,
};
use cairn_wire::ABI_VERSION;
use cairn_wire::control::{self, Control};
use cairn_wire::protocol::{ENV_CONTROL, Ended, HELLO_MAGIC, Hello, RUN};
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
    /// The program's own `main`, as the pass has renamed it, or that of fuzz targets (`include/cairn_fuzzer.c`).
    pub fn __cairn_user_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int;
    static mut __start_cairn_cov: u8;
    static mut __stop_cairn_cov: u8;
}

/// What the driver says: the descriptors of the protocol, and what runs may do.
#[derive(Clone, Copy)]
struct Channel {
    shared: c_int,
    command: c_int,
    status: c_int,
    data_mebibytes: Option<u64>,
    sealed: bool,
    /// The driver has asked for all functions to be found at once, which the program is not to see.
    bound: bool,
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
        crash::watch(envp as usize);
        supervisor::keep(channel.sealed);
        if serve(channel) == Role::Server {
            return 0;
        }
        begin_child(channel);
        let status = persistent::launch(argc, argv, envp);
        arguments::keep_status(__cairn_user_main as *const () as usize);
        return status;
    }
    // SAFETY: the program's own entry with the process's own arguments.
    unsafe { __cairn_user_main(argc, argv, envp) }
}

/// True in a process that a driver started, in constructors too, which run before the server is attached. Models then
/// simulate what differs from run to run.
#[unsafe(no_mangle)]
extern "C" fn __cairn_supervised() -> c_int {
    unsafe extern "C" {
        static __environ: *mut *mut c_char;
    }
    if state().is_attached() {
        return 1;
    }
    // SAFETY: the C library's own variable, null only before it has been initialized.
    let has_channel = unsafe { !__environ.is_null() && environment::has(__environ, ENV_CONTROL.as_bytes()) };
    has_channel.into()
}

/// All that comes before the program's own `main`, in every run; gives the number of its arguments.
pub extern "C" fn prepare(argc: c_int, argv: *mut *mut c_char) -> c_int {
    begin_run();
    // SAFETY: argc and argv are those of the process.
    let (argc, label) = unsafe { arguments::replace(argc, argv) };
    arguments::announce(__cairn_user_main as *const () as usize, label);
    // SAFETY: the thread's own error number, which is 0 when a program starts.
    unsafe { *libc::__errno_location() = 0 };
    persistent::watch_calls();
    argc
}

/// Descriptors from the environment, which then forgets them: programs the target starts are not servers.
///
/// # Safety
/// `envp` must be the program's environment.
unsafe fn channel(envp: *mut *mut c_char) -> Option<Channel> {
    // SAFETY: as the caller says.
    let value = unsafe { environment::take(envp, ENV_CONTROL.as_bytes()) }?;
    let channel = parse(value.to_bytes())?;
    if channel.bound {
        // SAFETY: as the caller says.
        unsafe { environment::take(envp, b"LD_BIND_NOW") };
    }
    Some(channel)
}

fn parse(text: &[u8]) -> Option<Channel> {
    let mut numbers = text.split(|b| *b == b',').map(number);
    let mut next = || numbers.next().flatten();
    let mut descriptor = || Some(next()? as c_int);
    let (shared, command, status) = (descriptor()?, descriptor()?, descriptor()?);
    let data_mebibytes = next();
    let mut is_set = || next() == Some(1);
    Some(Channel { shared, command, status, data_mebibytes, sealed: is_set(), bound: is_set() })
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
        hello(channel);
        message::fatal(b"this program was built by another version of Cairn");
    }
    let Some(base) = memory::map_shared(channel.shared, control.layout.total) else {
        message::fatal(b"cannot map the shared memory")
    };
    // SAFETY: mapped as large as the control page says.
    unsafe { state().attach(base) };
    objects::prepare();
    share_coverage(channel, &control);
}

/// Puts the shared coverage bytes under the program's own: marking a branch is one plain store.
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

fn hello(channel: Channel) {
    let sides = (&raw mut __stop_cairn_cov) as u64 - (&raw mut __start_cairn_cov) as u64;
    let hello = Hello { magic: HELLO_MAGIC, abi: ABI_VERSION, sites: site_count(), sides: sides as u32 };
    send(channel.status, &hello);
}

#[derive(PartialEq, Eq)]
enum Role {
    Server,
    Child,
}

/// A run for every command, in a process of its own or in one that was used before; returns in the former, and in the server when the driver
/// is gone.
fn serve(channel: Channel) -> Role {
    if let Some(most) = channel.data_mebibytes {
        limit_data(most);
    }
    system::at_fork(leave_recording);
    hello(channel);
    let (mut waiting, mut attempts): (Option<Process>, Attempts) = Default::default();
    while receive(channel.command) == Some(RUN) {
        let mode = state().control().mode;
        let is_changed = mode & control::mode::LOG != 0 && state().log.prepare();
        if is_changed || mode & control::mode::REUSE == 0 {
            waiting.take().inspect(|process| process.discard());
        }
        let mut process = match waiting.take().filter(Process::go_on) {
            Some(process) => process,
            None => {
                attempts.begin(mode);
                match system::fork() {
                    0 => return Role::Child,
                    -1 => Process { pid: -errno(), cpu_micros: 0, runs: 0 },
                    pid => Process { pid, cpu_micros: 0, runs: 0 },
                }
            }
        };
        let ended = process.wait();
        if !send(channel.status, &ended) {
            break;
        }
        attempts.end(ended.waits != 0);
        waiting = (ended.waits != 0).then_some(process);
    }
    Role::Server
}

/// How often a process could be used again: a program whose runs always leave something behind is not worth the trouble.
#[derive(Default)]
struct Attempts {
    forked: u32,
    reused: u32,
}

impl Attempts {
    const FIRST: u32 = 8;

    /// Decides what the process that is forked next will be.
    fn begin(&mut self, mode: u32) {
        let is_one =
            mode & control::mode::REUSE != 0 && self.forked < Self::FIRST.saturating_add(self.reused);
        persistent::attempt(is_one);
        self.forked += u32::from(is_one);
    }

    fn end(&mut self, waits: bool) {
        self.reused = self.reused.saturating_add(waits.into());
    }
}

/// A process for runs.
struct Process {
    /// Negative if there is none.
    pid: c_int,
    /// What it has taken so far.
    cpu_micros: u64,
    /// Runs that it has made.
    runs: u32,
}

impl Process {
    /// Has it make another run; false if it is gone.
    fn go_on(&self) -> bool {
        system::kill(self.pid, libc::SIGCONT) == 0
    }

    /// Ends it: it is not to make another run.
    fn discard(&self) {
        system::kill(self.pid, libc::SIGKILL);
        supervisor::bury_the_rest();
    }

    /// Waits for the end of a run, if there is one, and of all that it has started: that may write to the shared memory as well.
    fn wait(&mut self) -> Ended {
        // An error, unless it becomes a status.
        let mut status = self.pid.min(0);
        // SAFETY: rusage is plain data; wait4 fills it.
        let mut usage: rusage = unsafe { zeroed() };
        let mut waits = false;
        let mut goes_on = self.pid > 0;
        while goes_on {
            let waited = system::wait(self.pid, Some(&mut status), libc::WUNTRACED, Some(&mut usage));
            waits = waited > 0 && libc::WIFSTOPPED(status) && state().control().waits == control::WAITS;
            // A run that was stopped, or has made us its debugger, has not ended.
            goes_on = if waited < 0 { waited == -libc::EINTR } else { libc::WIFSTOPPED(status) && !waits };
        }
        if waits {
            status = (state().control().exit_code as c_int & 0xff) << 8;
        } else {
            supervisor::bury_the_rest();
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

/// Tells the server that a run has ended with this code and is undone, and waits for the next one.
pub fn wait_for_next(code: c_int) {
    let control = state().control();
    control.exit_code = code as u32;
    control.waits = control::WAITS;
    system::raise(libc::SIGSTOP);
}

fn begin_child(channel: Channel) {
    channel.close();
    supervisor::begin_run();
    call(libc::SYS_setpgid, [0, 0]);
}

fn begin_run() {
    // The offset is shared with the server and with earlier runs.
    call(libc::SYS_lseek, [0, 0, libc::SEEK_SET as u64]);
    let state = state();
    state.begin_run();
    match persistent::last_index_bits() {
        Some(bits) => state.table.begin_with(bits),
        None => state.populate(),
    }
    io::begin_run();
    size::begin_run();
    float::begin_run();
    arguments::begin_run();
}

/// Processes that the program forks share table and log with it, and cannot share the pen.
extern "C" fn leave_recording() {
    lock::forget();
    let state = state();
    if replace(&mut state.tracing, false) {
        state.control().flags |= control::flag::FORKED;
    }
    state.log.leave();
}

// `vfork` returns twice on one stack, so nothing of ours may be on it. `__vfork` is the C library's: the name is reserved.
global_asm!(
    ".globl __cairn_w_vfork",
    ".type __cairn_w_vfork,@function",
    "__cairn_w_vfork:",
    "sub rsp, 8",
    "call {note}",
    "add rsp, 8",
    "jmp qword ptr [rip + __vfork@GOTPCREL]",
    note = sym note_vfork,
);

/// Notes that the program forks; the child borrows the memory, and records until it ends or starts another program.
extern "C" fn note_vfork() {
    let state = state();
    if state.tracing {
        state.control().flags |= control::flag::FORKED;
    }
}

/// Ends the process at once, without the program's exit handlers.
pub fn end_run() -> ! {
    system::exit(0)
}

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
