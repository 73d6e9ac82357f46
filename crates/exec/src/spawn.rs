//! Brings a target up as a fork server.

use crate::environment::Stage;
use crate::exit_kind::ExitKind;
use crate::pipe::{Received, receive};
use crate::sandbox::{self, Files, Life, Sandbox};
use crate::shm::SharedMemory;
use crate::spec::{Limits, TargetSpec};
use crate::supervisor::Keeper;
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

/// Largest stack of a target. With more (or no limit at all) the kernel lays out the address space in
/// the old way, in the middle of where shadow memory goes.
const STACK_BYTES: u64 = 8 << 20;
/// Address space that a run may fill with data, in relation to the memory it may use. It takes effect at once, where
/// looking at what a run uses takes a moment.
const DATA_PER_MEMORY: u64 = 4;
/// Time a target's processes have to end when they are asked to.
const GOODBYE: Duration = Duration::from_secs(1);

/// Time between two looks at the deadline while a target starts.
const LOOK: Duration = Duration::from_millis(50);

/// Why a program could not be brought up. Each is one sentence for the user.
#[derive(Debug, Error)]
pub enum StartError {
    /// There is no such file, or it cannot be executed.
    #[error("cannot run {}: {source}", path.display())]
    CannotExecute {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is a program, but none of ours.
    #[error("{} was not built with `cairn cc`", .0.display())]
    NotInstrumented(PathBuf),
    /// Its runtime speaks another version of the protocol.
    #[error("{} was built by another version of Cairn: rebuild it with this `cairn cc`", .0.display())]
    OtherVersion(PathBuf),
    /// It ended before it was ready.
    #[error("{} died at start: {end}{}", path.display(), colon(message))]
    Died {
        /// The program.
        path: PathBuf,
        /// How it ended.
        end: ExitKind,
        /// The first line it wrote to standard error.
        message: String,
    },
    /// It is still busy with something else than becoming ready.
    #[error("{} was not ready to run after {:.0} s", path.display(), after.as_secs_f64())]
    NotReady {
        /// The program.
        path: PathBuf,
        /// How long it had.
        after: Duration,
    },
    /// The deadline of the caller came before it was ready.
    #[error("{} was not ready to run when the time was up or Ctrl-C was pressed", .0.display())]
    CutOff(PathBuf),
    /// What runs is not what was read.
    #[error("{} runs with {running} branches where its file has {read}: was it rebuilt just now?", path.display())]
    Changed {
        /// The program.
        path: PathBuf,
        /// Branches of the running program.
        running: u32,
        /// Branches the caller knows of.
        read: usize,
    },
    /// The driver itself could not get what it needs.
    #[error("cannot set up {what}: {source}")]
    SetUp {
        /// What could not be set up.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

fn colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// Makes a `StartError` of what went wrong with `what`.
pub(crate) fn set_up(what: &'static str) -> impl Fn(io::Error) -> StartError {
    move |source| StartError::SetUp { what, source }
}

/// A fork server that is up.
pub(crate) struct Process {
    /// The server.
    pub(crate) child: Child,
    /// Our end of the command pipe.
    pub(crate) commands: File,
    /// Our end of the status pipe.
    pub(crate) status: File,
    /// What it said of itself.
    pub(crate) hello: Hello,
}

impl Process {
    /// Starts the program and waits until it is ready, or until the deadline.
    pub(crate) fn start(
        spec: &TargetSpec,
        stage: &mut Stage,
        memory: &SharedMemory,
        limits: &Limits,
        deadline: &Deadline,
    ) -> Result<Process, StartError> {
        refuse_uninstrumented(&spec.path)?;
        let start = |stage: &Stage, binding| {
            Starting::launch(spec, stage, memory, limits, binding)?.wait(spec, limits, deadline)
        };
        if is_ours_to_bind(spec) {
            match start(stage, Binding::AtOnce) {
                // A function that nobody has is no harm to a program that never calls it.
                Err(StartError::Died { .. }) => {}
                other => return other,
            }
        }
        match start(stage, Binding::AsItIs) {
            Err(StartError::Died { path, end, .. }) => {
                let message = last_words(stage, |stage| start(stage, Binding::AsItIs));
                Err(StartError::Died { path, end, message })
            }
            other => other,
        }
    }
}

/// Looks for the name of the metadata section in the file. Nothing that lacks it is executed at all.
fn refuse_uninstrumented(path: &Path) -> Result<(), StartError> {
    let bytes =
        std::fs::read(path).map_err(|source| StartError::CannotExecute { path: path.to_owned(), source })?;
    let name = META_SECTION.as_bytes();
    if bytes.windows(name.len()).any(|w| w == name) {
        return Ok(());
    }
    Err(StartError::NotInstrumented(path.to_owned()))
}

/// Starts a program that died once again, to hear what it has to say.
fn last_words(stage: &mut Stage, start: impl Fn(&Stage) -> Result<Process, StartError>) -> String {
    let mut try_again = || -> Option<String> {
        stage.divert_stderr().ok()?;
        let died = start(stage);
        let (_, stderr) = died.is_err().then(|| stage.output().ok())??;
        let stderr = String::from_utf8_lossy(&stderr);
        Some(stderr.lines().map(str::trim).find(|line| !line.is_empty())?.to_owned())
    };
    try_again().unwrap_or_default()
}

/// When the dynamic linker looks for a program's functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// Before the program starts. Otherwise every run looks for every function anew.
    AtOnce,
    /// As it would without us.
    AsItIs,
}

/// Has the dynamic linker find all functions before the program starts.
const BIND_NOW: &str = "LD_BIND_NOW";

/// Whether the user has said nothing of how functions are to be found.
fn is_ours_to_bind(spec: &TargetSpec) -> bool {
    spec.env.iter().all(|(name, _)| name != BIND_NOW) && std::env::var_os(BIND_NOW).is_none()
}

/// A program that has not said hello.
struct Starting {
    child: Child,
    commands: File,
    status: File,
}

impl Starting {
    fn launch(
        spec: &TargetSpec,
        stage: &Stage,
        memory: &SharedMemory,
        limits: &Limits,
        binding: Binding,
    ) -> Result<Starting, StartError> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|e| set_up("a pipe")(e.into()));
        let (their_commands, commands) = pipe()?;
        let (status, their_status) = pipe()?;
        // A target that answers without listening would have us wait for room in the pipe.
        fcntl_setfl(&commands, OFlags::NONBLOCK).map_err(|e| set_up("a pipe")(e.into()))?;
        let mut command = stage.command(spec, None).map_err(set_up("the program's files"))?;
        let theirs = [their_commands, their_status];
        let [command_fd, status_fd] = theirs.each_ref().map(AsRawFd::as_raw_fd);
        let inherited = [memory.fd().as_raw_fd(), command_fd, status_fd];
        let sandbox = sandbox(spec, stage, Life::Long)?;
        let sealed = sandbox.as_ref().is_some_and(|sandbox| sandbox.protection.signals);
        let data = limits.memory.saturating_mul(DATA_PER_MEMORY) >> 20;
        let numbers = inherited.map(|fd| fd.to_string()).join(",");
        let binds = binding == Binding::AtOnce;
        if binds {
            command.env(BIND_NOW, "1");
        }
        let (sealed, binds) = (u8::from(sealed), u8::from(binds));
        command.env(ENV_CONTROL, format!("{numbers},{data},{sealed},{binds}"));
        prepare_child(&mut command, inherited, limits.file_bytes, Keeper::of(sandbox));
        let child = command
            .spawn()
            .map_err(|source| StartError::CannotExecute { path: spec.path.clone(), source })?;
        drop(theirs);
        Ok(Starting { child, commands: commands.into(), status: status.into() })
    }

    fn wait(
        mut self,
        spec: &TargetSpec,
        limits: &Limits,
        deadline: &Deadline,
    ) -> Result<Process, StartError> {
        let path = || spec.path.clone();
        let received = self.hello(&deadline.within(limits.startup)).map_err(set_up("the status pipe"))?;
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
                let Starting { child, commands, status } = self;
                return Ok(Process { child, commands, status, hello });
            }
            Received::TimedOut if deadline.is_over() => StartError::CutOff(path()),
            Received::TimedOut => StartError::NotReady { path: path(), after: limits.startup },
            Received::Closed => {
                // It may have closed the pipe and live on.
                std::thread::sleep(Duration::from_millis(10));
                StartError::Died { path: path(), end: self.end(), message: String::new() }
            }
        };
        self.end();
        Err(problem)
    }

    /// Waits for the first message. Nothing wakes this thread when Ctrl-C is pressed, so it looks now and then.
    fn hello(&self, deadline: &Deadline) -> io::Result<Received<Hello>> {
        loop {
            match receive(&self.status, Instant::now() + deadline.left().min(LOOK))? {
                Received::TimedOut if !deadline.is_over() => {}
                received => return Ok(received),
            }
        }
    }

    /// Ends the program, if it has not ended by itself.
    fn end(&mut self) -> ExitKind {
        ExitKind::from_wait_status(end(&mut self.child))
    }
}

/// Ends a target with all its processes, if it has not ended by itself; gives its wait status.
pub(crate) fn end(child: &mut Child) -> i32 {
    let deadline = Instant::now() + GOODBYE;
    if let Ok(Some(status)) = child.try_wait() {
        return status.into_raw();
    }
    // Its keeper ends whatever the program has started.
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

/// The sandbox of a program, if it is to have one.
pub(crate) fn sandbox(spec: &TargetSpec, stage: &Stage, life: Life) -> Result<Option<Sandbox>, StartError> {
    let files = files(spec, stage);
    let directory = (!spec.runs_in_scratch()).then(|| PathBuf::from("."));
    let above_scratch = stage.scratch().parent().map(Path::to_owned);
    let needed: Vec<PathBuf> =
        [spec.path.clone()].into_iter().chain(directory).chain(above_scratch).collect();
    let prepare = || {
        let tmp = stage.own_tmp(spec)?;
        Sandbox::prepare(&files, &needed, tmp, life)
    };
    let prepare = || prepare().map_err(set_up("the sandbox"));
    spec.sandbox.then(prepare).transpose()
}

/// The files that a program in a sandbox finds.
pub(crate) fn files(spec: &TargetSpec, stage: &Stage) -> Files {
    let writable = std::iter::once(stage.scratch()).chain(spec.writable.as_deref());
    let own = [spec.path.clone(), PathBuf::from(".")];
    let readable = own.into_iter().chain(spec.readable.iter().cloned());
    sandbox::files(writable.map(Path::to_owned).collect(), readable.collect())
}

/// Coverage bytes come in whole pages, of which the last is not always used up.
fn pages(bytes: usize) -> usize {
    bytes.div_ceil(PAGE as usize)
}

/// What happens in the child between `fork` and `exec`.
fn prepare_child(command: &mut Command, inherited: [RawFd; 3], file_bytes: u64, mut keeper: Keeper) {
    let in_child = move || {
        for fd in inherited {
            // SAFETY: all are open in the parent until `spawn` has returned, hence here.
            let fd = unsafe { BorrowedFd::borrow_raw(fd) };
            fcntl_setfd(fd, FdFlags::empty())?;
        }
        limit_files(file_bytes)?;
        limit_stack()?;
        // Campaigns repeat only if addresses do. Where the system does not allow it they still work.
        // SAFETY: changes flags of the calling process, touches no memory.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        keeper.split()
    };
    // SAFETY: the closure makes system calls only: no allocation, no lock, nothing a fork could break.
    unsafe { command.pre_exec(in_child) };
}

/// A crashing program is to leave no file behind, and no program one that fills the disk. It is told so when it writes,
/// instead of being killed: that would look like a crash.
pub(crate) fn limit_files(bytes: u64) -> io::Result<()> {
    // SAFETY: the calling process has just been forked, and has no handlers of its own.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let limit = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Core, limit(0))?;
    let allowed = getrlimit(Resource::Fsize).maximum.map_or(bytes, |most| most.min(bytes));
    Ok(setrlimit(Resource::Fsize, limit(allowed))?)
}

fn limit_stack() -> io::Result<()> {
    let now = getrlimit(Resource::Stack);
    let current = Some(now.current.map_or(STACK_BYTES, |bytes| bytes.min(STACK_BYTES)));
    Ok(setrlimit(Resource::Stack, Rlimit { current, maximum: now.maximum })?)
}
