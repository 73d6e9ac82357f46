//! Starts a target as a fork server, and terminates it.

use crate::environment::RunEnvironment;
use crate::exit_kind::ExitKind;
use crate::pipe::{Received, receive};
use crate::sandbox::{self, Files, Lifetime, Sandbox};
use crate::shm::SharedMemory;
use crate::spec::{Limits, TargetSpec};
use crate::stack_padding;
use crate::supervisor::Supervisor;
use cairn_deadline::Deadline;
use cairn_wire::ABI_VERSION;
use cairn_wire::control::PAGE;
use cairn_wire::protocol::{ENV_CONTROL, HELLO_MAGIC, Hello};
use cairn_wire::site::META_SECTION;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Largest stack of a target. With more, or without a limit, the kernel uses its legacy address-space layout,
/// which overlaps the shadow.
const STACK_BYTES: u64 = 8 << 20;
/// Data of a run, in multiples of the memory it may use; a chosen bound. The kernel enforces it at once,
/// whereas the limit monitor samples.
const DATA_PER_MEMORY: u64 = 4;
/// Time for a target's processes to end on request; a chosen bound.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(1);

/// Time between two checks of the deadline while a target starts.
const DEADLINE_INTERVAL: Duration = Duration::from_millis(50);

/// Reason why a program could not be started. Each is one sentence for the user.
#[derive(Debug, Error)]
pub enum StartError {
    /// The file does not exist, or cannot be executed.
    #[error("cannot run {}: {source}", path.display())]
    CannotExecute {
        /// The program.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The program is not instrumented.
    #[error("{} was not built with `cairn cc`", .0.display())]
    NotInstrumented(PathBuf),
    /// Its runtime has another version of the protocol.
    #[error("{} was built by another version of Cairn: rebuild it with this `cairn cc`", .0.display())]
    OtherVersion(PathBuf),
    /// It ended before it was ready.
    #[error("{} died at start: {end}{}", path.display(), colon(message))]
    Died {
        /// The program.
        path: PathBuf,
        /// Its exit kind.
        end: ExitKind,
        /// The first line it wrote to standard error.
        message: String,
    },
    /// It was not ready within the time limit.
    #[error("{} was not ready to run after {:.0} s", path.display(), after.as_secs_f64())]
    NotReady {
        /// The program.
        path: PathBuf,
        /// The time limit.
        after: Duration,
    },
    /// The caller's deadline was over before it was ready.
    #[error("{} was not ready to run when the time was up or Ctrl-C was pressed", .0.display())]
    CutOff(PathBuf),
    /// The running program differs from the file that was read.
    #[error("{} runs with {running} branches where its file has {read}: was it rebuilt just now?", path.display())]
    Changed {
        /// The program.
        path: PathBuf,
        /// Branches of the running program.
        running: u32,
        /// Branches of the file.
        read: usize,
    },
    /// The driver could not get a resource that it needs.
    #[error("cannot set up {what}: {source}")]
    SetUp {
        /// The resource.
        what: &'static str,
        /// Error of the system.
        source: io::Error,
    },
}

fn colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// Returns a conversion of errors in setting up `what`.
pub(crate) fn set_up(what: &'static str) -> impl Fn(io::Error) -> StartError {
    move |source| StartError::SetUp { what, source }
}

/// A fork server that is ready.
pub(crate) struct ServerProcess {
    /// Our child, the supervisor of the server.
    pub(crate) child: Child,
    /// Our end of the command pipe.
    pub(crate) commands: File,
    /// Our end of the status pipe.
    pub(crate) status: File,
    /// Greeting of the server.
    pub(crate) hello: Hello,
}

impl ServerProcess {
    /// Starts the program and waits until it is ready, or until the deadline.
    pub(crate) fn start(
        spec: &TargetSpec,
        environment: &mut RunEnvironment,
        memory: &SharedMemory,
        limits: &Limits,
        deadline: &Deadline,
    ) -> Result<ServerProcess, StartError> {
        refuse_uninstrumented(&spec.path)?;
        let start = |environment: &RunEnvironment, binding| {
            StartingServer::launch(spec, environment, memory, limits, binding)?.wait(spec, limits, deadline)
        };
        if can_choose_binding(spec) {
            match start(environment, Binding::AtOnce) {
                // A missing function does no harm to a program that never calls it.
                Err(StartError::Died { .. }) => {}
                other => return other,
            }
        }
        match start(environment, Binding::AsItIs) {
            Err(StartError::Died { path, end, .. }) => {
                let message =
                    first_error_line(environment, |environment| start(environment, Binding::AsItIs));
                Err(StartError::Died { path, end, message })
            }
            other => other,
        }
    }
}

/// Refuses a file without the name of the metadata section, before it is executed.
fn refuse_uninstrumented(path: &Path) -> Result<(), StartError> {
    let bytes =
        std::fs::read(path).map_err(|source| StartError::CannotExecute { path: path.to_owned(), source })?;
    let name = META_SECTION.as_bytes();
    if bytes.windows(name.len()).any(|w| w == name) {
        return Ok(());
    }
    Err(StartError::NotInstrumented(path.to_owned()))
}

/// Starts a program that has died again, and returns the first line of its standard error.
fn first_error_line(
    environment: &mut RunEnvironment,
    start: impl Fn(&RunEnvironment) -> Result<ServerProcess, StartError>,
) -> String {
    let mut try_again = || -> Option<String> {
        environment.capture_stderr().ok()?;
        let died = start(environment);
        let (_, stderr) = died.is_err().then(|| environment.output().ok())??;
        let stderr = String::from_utf8_lossy(&stderr);
        Some(stderr.lines().map(str::trim).find(|line| !line.is_empty())?.to_owned())
    };
    try_again().unwrap_or_default()
}

/// Time at which the dynamic linker binds a program's functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// Before the program starts. Otherwise every forked run binds every function again.
    AtOnce,
    /// As without us.
    AsItIs,
}

/// Variable that makes the dynamic linker bind all functions before the program starts.
const BIND_NOW: &str = "LD_BIND_NOW";

/// True if the user has not chosen the binding.
fn can_choose_binding(spec: &TargetSpec) -> bool {
    spec.env.iter().all(|(name, _)| name != BIND_NOW) && std::env::var_os(BIND_NOW).is_none()
}

/// A program that has not sent its greeting yet.
struct StartingServer {
    child: Child,
    commands: File,
    status: File,
}

impl StartingServer {
    fn launch(
        spec: &TargetSpec,
        environment: &RunEnvironment,
        memory: &SharedMemory,
        limits: &Limits,
        binding: Binding,
    ) -> Result<StartingServer, StartError> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|e| set_up("a pipe")(e.into()));
        let (their_commands, commands) = pipe()?;
        let (status, their_status) = pipe()?;
        // A target that does not read its commands must not make us wait for room in the pipe.
        fcntl_setfl(&commands, OFlags::NONBLOCK).map_err(|e| set_up("a pipe")(e.into()))?;
        let mut command = environment.command(spec, None).map_err(set_up("the program's files"))?;
        let theirs = [their_commands, their_status];
        let [command_fd, status_fd] = theirs.each_ref().map(AsRawFd::as_raw_fd);
        let inherited = [memory.fd().as_raw_fd(), command_fd, status_fd];
        let sandbox = sandbox(spec, environment, Lifetime::Long)?;
        let confined = sandbox.as_ref().is_some_and(|sandbox| sandbox.protection.signals);
        let data = limits.memory.saturating_mul(DATA_PER_MEMORY) >> 20;
        let numbers = inherited.map(|fd| fd.to_string()).join(",");
        let binds = binding == Binding::AtOnce;
        if binds {
            command.env(BIND_NOW, "1");
        }
        let (confined, binds) = (u8::from(confined), u8::from(binds));
        command.env(ENV_CONTROL, format!("{numbers},{data},{confined},{binds}"));
        stack_padding::pad(&mut command, spec.path.as_os_str());
        prepare_child(&mut command, inherited, limits.file_bytes, Supervisor::of(sandbox));
        let child = command
            .spawn()
            .map_err(|source| StartError::CannotExecute { path: spec.path.clone(), source })?;
        drop(theirs);
        Ok(StartingServer { child, commands: commands.into(), status: status.into() })
    }

    fn wait(
        mut self,
        spec: &TargetSpec,
        limits: &Limits,
        deadline: &Deadline,
    ) -> Result<ServerProcess, StartError> {
        let path = || spec.path.clone();
        let received =
            self.receive_hello(&deadline.within(limits.startup)).map_err(set_up("the status pipe"))?;
        let problem = match received {
            Received::Message(hello) if hello.magic != HELLO_MAGIC || hello.abi != ABI_VERSION => {
                StartError::OtherVersion(path())
            }
            Received::Message(hello) if pages(hello.sides as usize) != pages(spec.coverage) => {
                StartError::Changed { path: path(), running: hello.sides, read: spec.coverage }
            }
            Received::Message(hello) if spec.sites.is_some_and(|sites| sites != hello.sites) => {
                StartError::Changed {
                    path: path(),
                    running: hello.sites,
                    read: spec.sites.unwrap_or(0) as usize,
                }
            }
            Received::Message(hello) => {
                let StartingServer { child, commands, status } = self;
                return Ok(ServerProcess { child, commands, status, hello });
            }
            Received::TimedOut if deadline.is_over() => StartError::CutOff(path()),
            Received::TimedOut => StartError::NotReady { path: path(), after: limits.startup },
            Received::Closed => {
                // It may have closed the pipe and still run.
                std::thread::sleep(Duration::from_millis(10));
                StartError::Died { path: path(), end: self.terminate(), message: String::new() }
            }
        };
        self.terminate();
        Err(problem)
    }

    /// Waits for the greeting. Ctrl-C does not wake this thread, so it checks the deadline at intervals.
    fn receive_hello(&self, deadline: &Deadline) -> io::Result<Received<Hello>> {
        loop {
            match receive(&self.status, Instant::now() + deadline.left().min(DEADLINE_INTERVAL))? {
                Received::TimedOut if !deadline.is_over() => {}
                received => return Ok(received),
            }
        }
    }

    /// Terminates the program, if it has not ended by itself.
    fn terminate(&mut self) -> ExitKind {
        ExitKind::from_wait_status(terminate(&mut self.child))
    }
}

/// Terminates a target with all its processes, if it has not ended by itself; returns its wait status.
pub(crate) fn terminate(child: &mut Child) -> i32 {
    let deadline = Instant::now() + TERMINATION_TIMEOUT;
    if let Ok(Some(status)) = child.try_wait() {
        return status.into_raw();
    }
    // Its supervisor ends all processes that the program has started.
    let pid = Pid::from_child(child);
    let _ = kill_process(pid, Signal::TERM);
    let _ = kill_process(pid, Signal::CONT);
    while Instant::now() < deadline {
        if let Ok(Some(status)) = child.try_wait() {
            return status.into_raw();
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    let _ = child.kill();
    child.wait().map_or(0, ExitStatusExt::into_raw)
}

/// Prepares the sandbox of a program, if it is to have one.
pub(crate) fn sandbox(
    spec: &TargetSpec,
    environment: &RunEnvironment,
    lifetime: Lifetime,
) -> Result<Option<Sandbox>, StartError> {
    let files = files(spec, environment);
    let directory = (!spec.runs_in_scratch()).then(|| PathBuf::from("."));
    let above_scratch = environment.scratch().parent().map(Path::to_owned);
    let of_tool = spec.directory.iter().flat_map(|_| &spec.readable).cloned();
    let needed: Vec<PathBuf> =
        [spec.path.clone()].into_iter().chain(directory).chain(above_scratch).chain(of_tool).collect();
    let prepare = || {
        let tmp = environment.own_tmp(spec)?;
        Sandbox::prepare(&files, &needed, tmp, lifetime)
    };
    let prepare = || prepare().map_err(set_up("the sandbox"));
    spec.sandbox.then(prepare).transpose()
}

/// Returns the files that a sandboxed program may access.
pub(crate) fn files(spec: &TargetSpec, environment: &RunEnvironment) -> Files {
    let writable = std::iter::once(environment.scratch()).chain(spec.writable.as_deref());
    let own = [spec.path.clone(), PathBuf::from(".")];
    let readable = own.into_iter().chain(spec.readable.iter().cloned());
    sandbox::files(writable.map(Path::to_owned).collect(), readable.collect())
}

/// Returns the number of pages of so many coverage bytes, which come in whole pages.
fn pages(bytes: usize) -> usize {
    bytes.div_ceil(PAGE as usize)
}

/// Sets up the child between `fork` and `exec`.
fn prepare_child(command: &mut Command, inherited: [RawFd; 3], file_bytes: u64, mut supervisor: Supervisor) {
    let in_child = move || {
        for fd in inherited {
            // SAFETY: all are open in the parent until `spawn` has returned, hence here.
            let fd = unsafe { BorrowedFd::borrow_raw(fd) };
            fcntl_setfd(fd, FdFlags::empty())?;
        }
        limit_files(file_bytes)?;
        limit_stack()?;
        // Campaigns are reproducible only if addresses are. If the system does not allow it, they still work.
        // SAFETY: changes flags of the calling process, touches no memory.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        supervisor.split()
    };
    // SAFETY: the closure makes system calls only: no allocation, no lock, nothing a fork could break.
    unsafe { command.pre_exec(in_child) };
}

/// Limits files: no core dumps, and none that fill the disk. A write beyond the limit fails, instead of
/// killing the program: that would look like a crash.
pub(crate) fn limit_files(bytes: u64) -> io::Result<()> {
    // SAFETY: the calling process has just been forked, and has no handlers of its own.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let limit = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Core, limit(0))?;
    let allowed = getrlimit(Resource::Fsize).maximum.map_or(bytes, |limit| limit.min(bytes));
    Ok(setrlimit(Resource::Fsize, limit(allowed))?)
}

fn limit_stack() -> io::Result<()> {
    let now = getrlimit(Resource::Stack);
    let current = Some(now.current.map_or(STACK_BYTES, |bytes| bytes.min(STACK_BYTES)));
    Ok(setrlimit(Resource::Stack, Rlimit { current, maximum: now.maximum })?)
}
