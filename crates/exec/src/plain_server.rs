//! Server of an uninstrumented program: the small fork server of `include/cairn_sanitized.c`, stopped before
//! `main`. It forks one run per command, so that what the program does before `main` is done once: sanitizers
//! take longer for that than most runs do.

use crate::environment::RunEnvironment;
use crate::exit_kind::ExitKind;
use crate::input::Input;
use crate::limit_monitor::LimitMonitor;
use crate::pipe::{Received, receive};
use crate::pod::Pod;
use crate::run::Run;
use crate::sandbox::Lifetime;
use crate::spawn::{StartError, limit_files, sandbox, set_up, terminate};
use crate::spec::{Limits, TargetSpec};
use crate::supervisor::Supervisor;
use cairn_deadline::Deadline;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Child;
use std::time::Instant;

/// Environment variable that names the server's pipes.
const ENV_CHANNEL: &str = "CAIRN_RUN_SERVER";
/// Greeting of the server.
const GREETING: u32 = 0x5255_4e31;

/// Answer of the server to a command.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Answer {
    /// Wait status of the run.
    status: i32,
    /// 1 if the run has left processes behind.
    has_left_processes: i32,
}

// SAFETY: `repr(C)`, integers only, without padding.
unsafe impl Pod for Answer {}

/// The server of one program. It is started when it is first needed, and again after a run that it did not
/// survive.
pub struct PlainServer {
    spec: TargetSpec,
    limits: Limits,
    environment: RunEnvironment,
    process: Option<Process>,
}

/// A server that is ready.
struct Process {
    child: Child,
    commands: File,
    status: File,
}

impl fmt::Debug for PlainServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlainServer").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        terminate(&mut self.child);
    }
}

impl PlainServer {
    /// Prepares the server of a program.
    pub fn new(spec: TargetSpec, limits: Limits) -> Result<PlainServer, StartError> {
        let environment = RunEnvironment::create(&spec).map_err(set_up("the program's files"))?;
        Ok(PlainServer { spec, limits, environment, process: None })
    }

    /// Runs the program once, as [`crate::run_native`] does. The run ends at the deadline.
    pub fn run(&mut self, input: &Input, deadline: &Deadline) -> Result<Run, StartError> {
        self.environment.prepare(input).map_err(set_up("the program's files"))?;
        if self.process.is_none() {
            self.process = Some(self.start(deadline)?);
        }
        let end = self.command(input, deadline).map_err(set_up("waiting for the program"))?;
        let (stdout, stderr) = self.environment.output().map_err(set_up("the program's output"))?;
        Ok(Run { end, stdout, stderr, ..Run::of_nothing(input) })
    }

    fn start(&self, deadline: &Deadline) -> Result<Process, StartError> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|e| set_up("a pipe")(e.into()));
        let (their_commands, commands) = pipe()?;
        let (status, their_status) = pipe()?;
        let inherited = [their_commands.as_raw_fd(), their_status.as_raw_fd()];
        let mut command =
            self.environment.command(&self.spec, None).map_err(set_up("the program's files"))?;
        command.env(ENV_CHANNEL, format!("{},{}", inherited[0], inherited[1]));
        let sandbox = sandbox(&self.spec, &self.environment, Lifetime::Long)?;
        let (mut supervisor, file_bytes) = (Supervisor::of(sandbox), self.limits.file_bytes);
        let in_child = move || {
            for fd in inherited {
                // SAFETY: both are open in the parent until `spawn` has returned, hence here.
                let fd = unsafe { BorrowedFd::borrow_raw(fd) };
                fcntl_setfd(fd, FdFlags::empty())?;
            }
            limit_files(file_bytes)?;
            supervisor.split()
        };
        // SAFETY: the closure makes system calls only: no allocation, no lock, nothing a fork could break.
        unsafe { command.pre_exec(in_child) };
        let path = || self.spec.path.clone();
        let child = command.spawn().map_err(|source| StartError::CannotExecute { path: path(), source })?;
        drop((their_commands, their_status));
        let process = Process { child, commands: commands.into(), status: status.into() };
        let end = Instant::now() + deadline.within(self.limits.startup).left();
        match receive::<u32>(&process.status, end).map_err(set_up("the status pipe"))? {
            Received::Message(GREETING) => Ok(process),
            Received::TimedOut if deadline.is_over() => Err(StartError::CutOff(path())),
            Received::TimedOut => Err(StartError::NotReady { path: path(), after: self.limits.startup }),
            Received::Message(_) | Received::Closed => Err(StartError::NotInstrumented(path())),
        }
    }

    /// Sends a command, and waits for the end of the run; terminates the server if the run exceeds a limit.
    fn command(&mut self, input: &Input, deadline: &Deadline) -> io::Result<ExitKind> {
        let arguments = arguments(&self.environment, &self.spec, input);
        let Some(process) = &mut self.process else { return Err(io::ErrorKind::NotConnected.into()) };
        let size = (arguments.len() as u32).to_ne_bytes();
        let sent = process.commands.write_all(&size).and_then(|()| process.commands.write_all(&arguments));
        let deadline = deadline.within(self.spec.timeout);
        let mut monitor = LimitMonitor::new(process.child.id(), &self.limits, None, &self.environment);
        let answer: Answer = loop {
            let until = Instant::now() + monitor.interval().min(deadline.left());
            let exceeded = match receive(&process.status, until)? {
                Received::Message(answer) => break answer,
                Received::Closed => None,
                Received::TimedOut if deadline.is_over() => Some(monitor.check_at_timeout()?),
                Received::TimedOut => match monitor.check()? {
                    Some(exceeded) => Some(exceeded),
                    None => continue,
                },
            };
            self.process = None;
            sent?;
            return exceeded.map(|limit| limit.exit_kind()).ok_or(io::ErrorKind::BrokenPipe.into());
        };
        if answer.has_left_processes != 0 {
            self.process = None;
        }
        Ok(match self.environment.exceeds_scratch(&self.limits.scratch)? {
            true => ExitKind::OutOfScratch,
            false => ExitKind::from_wait_status(answer.status),
        })
    }
}

/// Returns the arguments of a run, each with a zero at its end.
fn arguments(environment: &RunEnvironment, spec: &TargetSpec, input: &Input) -> Vec<u8> {
    let words = environment.arguments(spec, Some(input));
    words.iter().flat_map(|word| word.as_encoded_bytes().iter().copied().chain([0])).collect()
}
