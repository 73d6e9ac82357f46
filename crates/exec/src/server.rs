//! The driver's side of a fork server.

use crate::access::{Access, message_of};
use crate::control::{Desk, Recorded, layout};
use crate::decode::{Decoder, RawTrace, Trace};
use crate::environment::Stage;
use crate::exit_kind::ExitKind;
use crate::input::Input;
use crate::log::{self, BranchLog};
use crate::pipe::{Received, receive};
use crate::pod::Plain;
use crate::shm::SharedMemory;
use crate::spawn::{Process, StartError, end, files, set_up};
use crate::spec::{Limits, TargetSpec};
use crate::watch::{Excess, Watch};
use cairn_deadline::Deadline;
use cairn_expr::Dag;
use cairn_wire::control::{flag, mode};
use cairn_wire::log::Callee;
use cairn_wire::protocol::{Ended, RUN};
use cairn_wire::{Layout, ObjectKind};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Longest time a fork server may take to fork, or to bury a child that was killed.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same when the time of all is over.
const LAST_PATIENCE: Duration = Duration::from_millis(500);
/// Times a program is brought up before its failure is taken for final: it may have been killed by chance.
const STARTS: u32 = 3;

/// What a run is to record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mode {
    /// Label the input; record labels and events.
    pub trace: bool,
    /// Record every labelled value too, for comparison with the evaluator.
    pub check: bool,
    /// Record every labelled value that is lost, and where.
    pub diagnose: bool,
    /// Record every branch taken.
    pub log: bool,
    /// Record where calls through pointers lead.
    pub callees: bool,
}

impl Mode {
    /// Just run.
    pub const NATIVE: Mode = Mode { trace: false, check: false, diagnose: false, log: false, callees: false };
    /// Run and record the path.
    pub const TRACE: Mode = Mode { trace: true, ..Mode::NATIVE };
    /// Run and record the path and every labelled value.
    pub const CHECK: Mode = Mode { check: true, ..Mode::TRACE };
    /// Run and record the path and every loss.
    pub const DIAGNOSE: Mode = Mode { diagnose: true, ..Mode::TRACE };
    /// Run and record the path, every branch and every callee.
    pub const LOG: Mode = Mode { log: true, callees: true, ..Mode::TRACE };

    fn bits(self) -> u32 {
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        bit(self.trace, mode::TRACE)
            | bit(self.check, mode::CHECK)
            | bit(self.diagnose, mode::DIAGNOSE)
            | bit(self.log, mode::LOG)
            | bit(self.callees, mode::CALLEES)
    }
}

/// What the raw_trace lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunFlags {
    /// The label table was full: the path is a prefix of the run's.
    pub labels_full: bool,
    /// The event log was full: the path is a prefix of the run's.
    pub events_full: bool,
    /// The program asked for more objects than there is room for.
    pub objects_full: bool,
    /// Several threads computed with the input.
    pub threads: bool,
    /// The program forked: its child processes record nothing.
    pub forked: bool,
    /// The branch log was full: later branches are missing.
    pub log_full: bool,
    /// The branch log was asked for, but the system does not allow it.
    pub no_log: bool,
    /// The target wrote over the shared memory: what it recorded cannot all be true.
    pub damaged: bool,
    /// How often a labelled value was used as a constant with no constraint recorded.
    pub lost: u32,
    /// How often labelled bytes were found overwritten by code without instrumentation.
    pub stale: u64,
}

/// One run of the program.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub end: ExitKind,
    /// One byte per branch, nonzero if the run took it.
    pub coverage: Vec<u8>,
    /// The input as the program saw it, with the objects it asked for.
    pub input: Input,
    /// CPU time it took.
    pub cpu: Duration,
    /// Its peak resident size in KiB.
    pub max_rss_kib: u32,
    /// What to know of its raw_trace.
    pub flags: RunFlags,
    /// Whether its process had made another run before.
    pub reused: bool,
    /// Where a fatal signal struck: code addresses relative to the program's start, innermost first.
    /// Empty if none did, or if nobody knows.
    pub crash: Vec<u64>,
    /// The access that failed, if the signal says so.
    pub access: Option<Access>,
    /// What the C library said before it aborted; empty if it said nothing.
    pub message: String,
    /// A file in the user's home that it tried to open, and that the sandbox hides.
    pub denied: Option<PathBuf>,
    /// What it printed to standard output, if that is captured.
    pub stdout: Vec<u8>,
    /// What it printed to standard error, if that is captured.
    pub stderr: Vec<u8>,
}

impl Run {
    /// A run that nothing is known of.
    pub fn of_nothing(input: &Input) -> Run {
        let (coverage, crash, access, message) = Default::default();
        let (flags, reused, denied, stdout, stderr, max_rss_kib) = Default::default();
        let (end, input, cpu) = (ExitKind::Exit(0), input.clone(), Duration::ZERO);
        Run {
            end,
            coverage,
            input,
            cpu,
            max_rss_kib,
            flags,
            reused,
            crash,
            access,
            message,
            denied,
            stdout,
            stderr,
        }
    }
}

/// Why a run could not be made.
#[derive(Debug, Error)]
pub enum RunError {
    /// The fork server is gone; [`Server::restart`] brings up another.
    #[error("the program's fork server ended: {0}")]
    ServerDied(ExitKind),
    /// The fork server no longer answers; it was killed.
    #[error("the program's fork server stopped answering")]
    ServerSilent,
    /// There are no processes to be had.
    #[error("the program could not be forked: {0}")]
    CannotFork(io::Error),
    /// More input than there is room for.
    #[error("an input of {0} bytes is too large")]
    InputTooLarge(usize),
    /// More input objects than there is room for.
    #[error("an input of {0} objects has too many")]
    TooManyObjects(usize),
    /// The program is not started with that many arguments.
    #[error("the input has an argument {index}, but the program is started with {count}")]
    NoSuchArgument {
        /// Position the input asks for.
        index: u32,
        /// Arguments there are.
        count: usize,
    },
    /// The system refused something it should not.
    #[error("cannot run the program: {0}")]
    Io(#[from] io::Error),
}

/// A target that is up and waits for inputs.
pub struct Server {
    spec: TargetSpec,
    limits: Limits,
    layout: Layout,
    memory: SharedMemory,
    stage: Stage,
    process: Process,
    /// Whether the last run was made by a process that waited for it.
    reused: bool,
    recorded: Recorded,
    /// What the last run was to record.
    mode: Mode,
    /// Length of every input object of the last run.
    object_sizes: Vec<usize>,
    decoder: Decoder,
    /// What else the last run recorded, until it is asked for.
    log: Option<BranchLog>,
    callees: Vec<Callee>,
    /// When runs and decoding end at the latest.
    deadline: Deadline,
    /// It was over when the last run ended, whose raw_trace was not read.
    is_late: bool,
}

impl Server {
    /// Brings a program up.
    pub fn start(spec: TargetSpec, limits: Limits) -> Result<Server, StartError> {
        Server::start_by(spec, limits, Deadline::never())
    }

    /// Brings a program up until a deadline, which then is that of its runs.
    pub fn start_by(spec: TargetSpec, limits: Limits, deadline: Deadline) -> Result<Server, StartError> {
        let layout = layout(spec.coverage, &limits);
        let memory = SharedMemory::create(layout.total).map_err(set_up("shared memory"))?;
        let mut stage = Stage::set(&spec).map_err(set_up("the program's files"))?;
        let desk = Desk { memory: &memory, layout: &layout };
        // The runtime looks at the control page before the first run.
        let blank = desk.hand_out(&Input::default(), 0, Recorded::default(), |o| &o.name);
        debug_assert!(blank.is_ok(), "nothing always fits");
        let process = Process::start(&spec, &mut stage, &memory, &limits, &deadline)?;
        let (reused, recorded, mode, object_sizes, log, callees) = Default::default();
        let decoder = Decoder::new(limits.expression_bytes);
        Ok(Server {
            spec,
            limits,
            layout,
            memory,
            stage,
            process,
            reused,
            recorded,
            mode,
            object_sizes,
            decoder,
            log,
            callees,
            deadline,
            is_late: false,
        })
    }

    /// Sets when runs, the decoding of their traces and restarts are to end, whatever their own limits are.
    pub fn end_by(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    /// Brings the program up once more after its server died.
    pub fn restart(&mut self) -> Result<(), StartError> {
        let mut starts = 1;
        loop {
            match self.start_anew() {
                Err(StartError::Died { .. }) if starts < STARTS => starts += 1,
                outcome => return outcome,
            }
        }
    }

    fn start_anew(&mut self) -> Result<(), StartError> {
        self.stop();
        self.stage = Stage::set(&self.spec).map_err(set_up("the program's files"))?;
        let desk = Desk { memory: &self.memory, layout: &self.layout };
        let _ = desk.hand_out(&Input::default(), 0, Recorded::default(), |o| &o.name);
        self.process =
            Process::start(&self.spec, &mut self.stage, &self.memory, &self.limits, &self.deadline)?;
        Ok(())
    }

    /// What the server was started with.
    pub fn spec(&self) -> &TargetSpec {
        &self.spec
    }

    /// Site records of the running program.
    pub fn sites(&self) -> u32 {
        self.process.hello.sites
    }

    /// Runs the program on an input.
    pub fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError> {
        self.check_arguments(input)?;
        let mut run = self.run_once(input, mode)?;
        if run.end.is_kill() {
            // Who killed it, nobody knows; if it did so itself, it will again.
            run = self.run_once(input, mode)?;
        }
        self.is_late = self.deadline.is_over();
        if !self.is_late {
            self.read_recording();
        }
        Ok(run)
    }

    fn run_once(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError> {
        self.stage.prepare(input)?;
        let (stage, desk) = (&self.stage, Desk { memory: &self.memory, layout: &self.layout });
        desk.hand_out(input, self.mode_bits(mode), self.recorded, |o| stage.name_of(o))?;
        self.memory.zero(self.layout.coverage, self.spec.coverage);
        self.mode = mode;
        if mode.log || mode.callees {
            log::clear(&self.memory, &self.layout);
        }
        let (ended, excess) = self.execute()?;
        self.observe(input, &ended, excess)
    }

    /// A process that has written over the shared memory is not to make another run.
    fn mode_bits(&self, mode: Mode) -> u32 {
        let reuse = self.spec.reuse && !self.recorded.damaged;
        mode.bits() | if reuse { mode::REUSE } else { 0 }
    }

    fn check_arguments(&self, input: &Input) -> Result<(), RunError> {
        let count = self.spec.args.len();
        let out_of_place = |index: u32| index == 0 || index as usize > count;
        let mut arguments = input.objects.iter().filter(|o| o.kind == ObjectKind::Arg);
        match arguments.find(|o| out_of_place(o.index)) {
            Some(object) => Err(RunError::NoSuchArgument { index: object.index, count }),
            None => Ok(()),
        }
    }

    /// Has a child forked and waits for its end; tells why it had to be killed, if it had to.
    fn execute(&mut self) -> Result<(Ended, Option<Excess>), RunError> {
        if self.process.commands.write_all(&[RUN]).is_err() {
            return Err(self.server_died());
        }
        let (ended, excess) = match self.watch()? {
            Ok(Some(ended)) => (ended, None),
            Ok(None) => return Err(self.server_died()),
            Err(excess) => {
                self.end_run();
                (self.expect(self.patience())?, Some(excess))
            }
        };
        if ended.wait_status < 0 {
            let errno = ended.wait_status.saturating_neg();
            return Err(RunError::CannotFork(io::Error::from_raw_os_error(errno)));
        }
        self.reused = ended.reused != 0;
        Ok((ended, excess))
    }

    /// Has the server end its run, by the keeper: that is our own child, and knows the server to be its own.
    fn end_run(&self) {
        let _ = kill_process(Pid::from_child(&self.process.child), Signal::USR1);
    }

    /// How long a server that is to answer at once is waited for.
    fn patience(&self) -> Duration {
        PATIENCE.min(self.deadline.left() + LAST_PATIENCE)
    }

    /// Waits for the end of a run, or until it takes more than it may. Nothing if its server is gone.
    fn watch(&self) -> io::Result<Result<Option<Ended>, Excess>> {
        let deadline = self.deadline.within(self.spec.timeout);
        let mut watch = Watch::new(self.process.child.id(), &self.limits, Some(&self.memory), &self.stage);
        loop {
            let next_look = Instant::now() + deadline.left().min(watch.pause());
            match receive(&self.process.status, next_look)? {
                Received::Message(ended) => return Ok(Ok(Some(ended))),
                Received::Closed => return Ok(Ok(None)),
                Received::TimedOut if deadline.is_over() => return Ok(Err(watch.look_at_timeout()?)),
                Received::TimedOut => {}
            }
            if let Some(excess) = watch.look()? {
                return Ok(Err(excess));
            }
        }
    }

    fn expect<T: Plain>(&mut self, patience: Duration) -> Result<T, RunError> {
        match receive(&self.process.status, Instant::now() + patience)? {
            Received::Message(message) => Ok(message),
            Received::Closed => Err(self.server_died()),
            Received::TimedOut => Err(self.server_silent()),
        }
    }

    fn server_silent(&mut self) -> RunError {
        self.stop();
        RunError::ServerSilent
    }

    fn server_died(&mut self) -> RunError {
        let status = self.stop();
        RunError::ServerDied(ExitKind::from_wait_status(status))
    }

    /// Ends the server if it has not ended, and returns its wait status.
    fn stop(&mut self) -> i32 {
        end(&mut self.process.child)
    }

    fn observe(&mut self, input: &Input, ended: &Ended, excess: Option<Excess>) -> Result<Run, RunError> {
        let desk = Desk { memory: &self.memory, layout: &self.layout };
        let (seen, sound) = desk.take_back(input);
        self.recorded = desk.recorded();
        self.recorded.damaged |= !sound;
        self.object_sizes.clear();
        self.object_sizes.extend(seen.objects.iter().map(|o| o.bytes.len()));
        let (stdout, stderr) = self.stage.output()?;
        let excess = self.stage.scratch_excess(&self.limits.scratch)?.or(excess);
        let end = end_of(ended.wait_status, excess, self.recorded.flags);
        Ok(Run {
            end,
            crash: crash_of(end, &self.recorded.crash),
            access: Access::of(end, &self.recorded),
            message: message_of(end, &self.recorded.message),
            coverage: self.memory.read(self.layout.coverage, self.spec.coverage),
            input: seen,
            cpu: Duration::from_micros(ended.cpu_micros),
            max_rss_kib: ended.max_rss_kib,
            flags: flags_of(self.recorded),
            reused: self.reused,
            denied: self.denied(),
            stdout,
            stderr,
        })
    }

    /// The file that the last run was denied, if it was the sandbox that did.
    fn denied(&self) -> Option<PathBuf> {
        if self.recorded.denied[0] == 0 || !self.spec.sandbox {
            return None;
        }
        let bytes: Vec<u8> = self.recorded.denied.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let path = Path::new(OsStr::from_bytes(bytes.split(|byte| *byte == 0).next()?));
        let path = std::path::absolute(path).ok()?;
        files(&self.spec, &self.stage).hides(&path).then_some(path)
    }

    fn raw_trace(&self) -> RawTrace<'_> {
        RawTrace {
            memory: &self.memory,
            layout: &self.layout,
            recorded: self.recorded,
            sites: self.process.hello.sites,
            object_sizes: &self.object_sizes,
        }
    }

    /// Reads what the run recorded, as far as that takes no expressions: others may be at them meanwhile.
    fn read_recording(&mut self) {
        let mut decoder = std::mem::take(&mut self.decoder);
        decoder.read(&self.raw_trace());
        self.decoder = decoder;
        // Whose branches they are cannot be told if several threads have closed pieces.
        let has_log = self.mode.log && self.recorded.flags & (flag::NO_LOG | flag::THREADS) == 0;
        self.log = has_log.then(|| self.raw_trace().log(self.spec.coverage as u32));
        self.callees = if self.mode.callees { self.raw_trace().callees() } else { Vec::new() };
    }

    /// The path of the last run, as expressions in `dag`. The branch log goes to whoever asks first.
    pub fn decode(&mut self, dag: &mut Dag) -> Trace {
        if self.is_late {
            return Trace { late: true, ..Trace::default() };
        }
        let mut decoder = std::mem::take(&mut self.decoder);
        let mut trace = decoder.decode(&self.raw_trace(), dag, &self.deadline);
        self.decoder = decoder;
        trace.log = self.log.take();
        trace.damaged |= trace.log.as_ref().is_some_and(|log| log.damaged);
        trace.callees = std::mem::take(&mut self.callees);
        trace
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn end_of(wait_status: i32, excess: Option<Excess>, flags: u32) -> ExitKind {
    match (ExitKind::from_wait_status(wait_status), excess) {
        (_, Some(Excess::Scratch)) => ExitKind::OutOfScratch,
        (ExitKind::Signal(libc::SIGKILL), Some(excess)) => excess.end(),
        (ExitKind::Exit(_), _) if flags & flag::REJECTED != 0 => ExitKind::Rejected,
        (end, _) => end,
    }
}

fn crash_of(end: ExitKind, frames: &[u64]) -> Vec<u64> {
    match end {
        ExitKind::Signal(_) => frames.iter().copied().take_while(|frame| *frame != 0).collect(),
        _ => Vec::new(),
    }
}

fn flags_of(recorded: Recorded) -> RunFlags {
    RunFlags {
        labels_full: recorded.flags & flag::LABELS_FULL != 0,
        events_full: recorded.flags & flag::EVENTS_FULL != 0,
        objects_full: recorded.flags & flag::OBJECTS_FULL != 0,
        threads: recorded.flags & flag::THREADS != 0,
        forked: recorded.flags & flag::FORKED != 0,
        log_full: recorded.flags & flag::LOG_FULL != 0,
        no_log: recorded.flags & flag::NO_LOG != 0,
        damaged: recorded.damaged,
        lost: recorded.lost,
        stale: recorded.stale,
    }
}
