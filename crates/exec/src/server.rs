//! The driver's side of the fork server.
//!
//! For each run the server writes the input into the shared memory, sends a command, and monitors the run
//! until the fork server reports its end or a limit is exceeded; then it reads back coverage and trace.

use crate::access::{Access, message_of};
use crate::branch_log::{self, BranchLog};
use crate::control::{ControlRegion, NATIVE, Recorded, layout};
use crate::decode::{Decoder, MAX_STOPPED_STEPS, Trace};
use crate::environment::RunEnvironment;
use crate::exit_kind::ExitKind;
use crate::input::Input;
use crate::limit_monitor::{ExceededLimit, LimitMonitor};
use crate::pipe::{Received, receive};
use crate::pod::Pod;
use crate::produced::produced_values;
use crate::raw_trace::RawTrace;
use crate::run::{CoverageRun, Mode, Run, RunBound, RunFlags, StoppedBy};
use crate::run_error::RunError;
use crate::shm::SharedMemory;
use crate::spawn::{ServerProcess, StartError, files, set_up, terminate};
use crate::spec::{Limits, TargetSpec};
use cairn_deadline::Deadline;
use cairn_expr::Dag;
use cairn_wire::control::{flag, mode};
use cairn_wire::event::NO_SITE;
use cairn_wire::log::Callee;
use cairn_wire::protocol::{Ended, RUN};
use cairn_wire::{Layout, SiteId};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest time a fork server may take to reply, after a fork or after a run was killed; a chosen bound.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// The same once the deadline is over.
const LAST_REPLY_TIMEOUT: Duration = Duration::from_millis(500);
/// Attempts to start a program before its failure is final: it may have been killed from outside.
const MAX_STARTS: u32 = 3;

/// A target whose fork server is up and waits for inputs.
pub struct Server {
    spec: TargetSpec,
    limits: Limits,
    /// Bound of the next run, if that is less than the specification says.
    bound: RunBound,
    /// True if the last run was stopped for the number of its events.
    has_many_events: bool,
    layout: Layout,
    memory: SharedMemory,
    environment: RunEnvironment,
    process: ServerProcess,
    /// True if the last run was made by a persistent process that had made one before.
    reused: bool,
    recorded: Recorded,
    /// Mode of the last run.
    mode: Mode,
    /// Length of every input object of the last run.
    object_sizes: Vec<usize>,
    decoder: Decoder,
    /// Branch log of the last run, until it is decoded.
    log: Option<BranchLog>,
    /// Callees of the last run, until it is decoded.
    callees: Vec<Callee>,
    /// Deadline of runs and decoding.
    deadline: Deadline,
    /// True if the deadline was over when the last run ended, and its trace was not read.
    is_late: bool,
}

impl Server {
    /// Starts a program.
    pub fn start(spec: TargetSpec, limits: Limits) -> Result<Server, StartError> {
        Server::start_by(spec, limits, Deadline::never())
    }

    /// Starts a program before a deadline, which then applies to its runs as well.
    pub fn start_by(spec: TargetSpec, limits: Limits, deadline: Deadline) -> Result<Server, StartError> {
        let layout = layout(spec.coverage, &limits);
        let memory = SharedMemory::create(layout.total).map_err(set_up("shared memory"))?;
        let mut environment = RunEnvironment::create(&spec).map_err(set_up("the program's files"))?;
        let control_region = ControlRegion { memory: &memory, layout: &layout };
        // The runtime reads the control page before the first run.
        let blank = control_region.write_input(&Input::default(), NATIVE, Recorded::default(), |o| &o.name);
        debug_assert!(blank.is_ok(), "an empty input always fits");
        let process = ServerProcess::start(&spec, &mut environment, &memory, &limits, &deadline)?;
        let (reused, recorded, mode, object_sizes, log, callees) = Default::default();
        let decoder = Decoder::new(limits.expression_bytes);
        Ok(Server {
            spec,
            limits,
            bound: RunBound::NONE,
            has_many_events: false,
            layout,
            memory,
            environment,
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

    /// Sets the deadline of runs, of the decoding of their traces and of restarts, in addition to their own
    /// limits.
    pub fn end_by(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    /// Starts the program again after its fork server died.
    pub fn restart(&mut self) -> Result<(), StartError> {
        let mut starts = 1;
        loop {
            match self.start_again() {
                Err(StartError::Died { .. }) if starts < MAX_STARTS => starts += 1,
                outcome => return outcome,
            }
        }
    }

    fn start_again(&mut self) -> Result<(), StartError> {
        log::info!(target: "server", "starting the fork server again");
        self.stop();
        self.environment = RunEnvironment::create(&self.spec).map_err(set_up("the program's files"))?;
        let control_region = ControlRegion { memory: &self.memory, layout: &self.layout };
        let _ = control_region.write_input(&Input::default(), NATIVE, Recorded::default(), |o| &o.name);
        self.process = ServerProcess::start(
            &self.spec,
            &mut self.environment,
            &self.memory,
            &self.limits,
            &self.deadline,
        )?;
        Ok(())
    }

    /// Returns the specification that the server was started with.
    pub fn spec(&self) -> &TargetSpec {
        &self.spec
    }

    /// Returns the number of sites of the running program.
    pub fn sites(&self) -> u32 {
        self.process.hello.sites
    }

    /// Runs the program on an input.
    pub fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError> {
        self.check_arguments(input)?;
        let started = Instant::now();
        let mut run = self.run_once(input, mode)?;
        let took = started.elapsed();
        if run.end.is_kill() {
            // The kill may have come from outside; if the program killed itself, it will again.
            run = self.run_once(input, mode)?;
        }
        self.is_late = self.deadline.is_over();
        if !self.is_late {
            let whole = self.limits.steps;
            self.decoder.limit_steps(match (run.end.is_excess(), self.has_many_events) {
                (false, _) => whole,
                (true, false) => MAX_STOPPED_STEPS.min(whole),
                // As many as every run with this bound has when it is stopped.
                (true, true) => (self.bound.events as usize).min(whole),
            });
            self.read_trace();
        }
        let (length, end, reused) = (input.len(), run.end, run.reused);
        let (took, all) = (took.as_secs_f64() * 1e3, started.elapsed().as_secs_f64() * 1e3);
        let traced = if mode.trace { "traced" } else { "untraced" };
        log::debug!(
            target: "server",
            "{length} bytes, {traced}: {end} after {took:.2} ms, {all:.2} ms with reading, reused process: {reused}"
        );
        Ok(run)
    }

    /// Runs the program on an input within a bound; returns the part of it that has stopped the run, too.
    pub fn run_within(
        &mut self,
        input: &Input,
        mode: Mode,
        bound: RunBound,
    ) -> Result<(Run, Option<StoppedBy>), RunError> {
        self.bound = bound;
        let run = self.run(input, mode);
        self.bound = RunBound::NONE;
        run.map(|run| {
            let stopped_by = match (run.end, self.has_many_events) {
                (ExitKind::Timeout, true) => Some(StoppedBy::Events),
                (ExitKind::Timeout, false) if bound.time < self.spec.timeout => Some(StoppedBy::Time),
                _ => None,
            };
            (run, stopped_by)
        })
    }

    /// Returns the time after which a run is a hang.
    pub fn timeout(&self) -> Duration {
        self.spec.timeout
    }

    /// Runs the program on an input for at most `limit`, without tracing; replaces `coverage` by the coverage
    /// bytes. Reads back nothing else, unless the program crashes: mutants are executed by the thousand. If
    /// `producer` is the site of one, what it returns is recorded.
    pub fn run_for_coverage(
        &mut self,
        input: &Input,
        limit: Duration,
        producer: Option<SiteId>,
        coverage: &mut Vec<u8>,
    ) -> Result<CoverageRun, RunError> {
        self.check_arguments(input)?;
        let mode = Mode { produced: producer.is_some(), ..Mode::NATIVE };
        self.write_input(input, mode, producer)?;
        self.bound = RunBound { time: limit, ..RunBound::NONE };
        let outcome = self.execute();
        self.bound = RunBound::NONE;
        let (ended, exceeded) = outcome?;
        let control_region = ControlRegion { memory: &self.memory, layout: &self.layout };
        let recorded = control_region.recorded();
        self.recorded.damaged |= recorded.damaged;
        let is_scratch_full = self.environment.exceeds_scratch(&self.limits.scratch)?;
        let exceeded = is_scratch_full.then_some(ExceededLimit::Scratch).or(exceeded);
        let end = end_of(ended.wait_status, exceeded, recorded.flags);
        self.memory.read_into(self.layout.coverage, self.spec.coverage, coverage);
        // A run that has a core of its own uses a little less than its time.
        let has_used = Duration::from_micros(ended.cpu_micros) * 2 >= limit;
        let is_starved = end == ExitKind::Timeout && limit < self.spec.timeout && !has_used;
        let produced = match producer {
            Some(_) => produced_values(&self.memory, &self.layout, &recorded),
            None => Vec::new(),
        };
        Ok(CoverageRun { end, crash: crash_of(end, &recorded.crash), is_starved, produced })
    }

    /// Writes an input and what else a run begins with.
    fn write_input(&mut self, input: &Input, mode: Mode, producer: Option<SiteId>) -> Result<(), RunError> {
        self.environment.prepare(input)?;
        let (environment, control_region) =
            (&self.environment, ControlRegion { memory: &self.memory, layout: &self.layout });
        let mode = (self.mode_bits(mode), producer.map_or(NO_SITE, |site| site.0));
        control_region.write_input(input, mode, self.recorded, |o| environment.name_of(o))?;
        self.memory.zero(self.layout.coverage, self.spec.coverage);
        Ok(())
    }

    fn run_once(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError> {
        self.write_input(input, mode, None)?;
        self.mode = mode;
        if mode.log || mode.callees {
            branch_log::clear(&self.memory, &self.layout);
        }
        let (ended, exceeded) = self.execute()?;
        self.collect(input, &ended, exceeded)
    }

    /// Returns the mode bits; a process that has overwritten the shared memory must not make another run.
    fn mode_bits(&self, mode: Mode) -> u32 {
        let reuse = self.spec.reuse && !self.recorded.damaged;
        mode.bits() | if reuse { mode::REUSE } else { 0 }
    }

    fn check_arguments(&self, input: &Input) -> Result<(), RunError> {
        let count = self.spec.args.len();
        let is_beyond = |index: u32| index == 0 || index as usize > count;
        let mut arguments = input.objects.iter().filter(|o| o.kind.is_argument());
        match arguments.find(|o| is_beyond(o.index)) {
            Some(object) => Err(RunError::NoSuchArgument { index: object.index, count }),
            None => Ok(()),
        }
    }

    /// Requests a run and waits for its end; returns the limit it was killed for, if any.
    fn execute(&mut self) -> Result<(Ended, Option<ExceededLimit>), RunError> {
        self.has_many_events = false;
        if self.process.commands.write_all(&[RUN]).is_err() {
            return Err(self.server_died());
        }
        let (ended, exceeded) = match self.monitor()? {
            Ok(Some(ended)) => (ended, None),
            Ok(None) => return Err(self.server_died()),
            Err(exceeded) => {
                self.has_many_events = exceeded == ExceededLimit::Events;
                self.kill_run();
                (self.receive_within(self.reply_timeout())?, Some(exceeded))
            }
        };
        if ended.wait_status < 0 {
            let errno = ended.wait_status.saturating_neg();
            return Err(RunError::CannotFork(io::Error::from_raw_os_error(errno)));
        }
        self.reused = ended.reused != 0;
        Ok((ended, exceeded))
    }

    /// Asks the fork server to kill its run, through the supervisor: that is our child, and the fork server
    /// is its child, so both process numbers are valid.
    fn kill_run(&self) {
        let _ = kill_process(Pid::from_child(&self.process.child), Signal::USR1);
    }

    /// Returns the time within which a server must reply.
    fn reply_timeout(&self) -> Duration {
        REPLY_TIMEOUT.min(self.deadline.left() + LAST_REPLY_TIMEOUT)
    }

    /// Waits for the end of a run, or until it exceeds a limit. `None` if its fork server is gone.
    fn monitor(&self) -> io::Result<Result<Option<Ended>, ExceededLimit>> {
        let deadline = self.deadline.within(self.spec.timeout.min(self.bound.time));
        let control_region = ControlRegion { memory: &self.memory, layout: &self.layout };
        let mut monitor =
            LimitMonitor::new(self.process.child.id(), &self.limits, Some(&self.memory), &self.environment);
        loop {
            let next_check = Instant::now() + deadline.left().min(monitor.interval());
            match receive(&self.process.status, next_check)? {
                Received::Message(ended) => return Ok(Ok(Some(ended))),
                Received::Closed => return Ok(Ok(None)),
                Received::TimedOut if deadline.is_over() => return Ok(Err(monitor.check_at_timeout()?)),
                Received::TimedOut => {}
            }
            if let Some(exceeded) = monitor.check()? {
                return Ok(Err(exceeded));
            }
            if u64::from(control_region.events_so_far()) > self.bound.events {
                return Ok(Err(ExceededLimit::Events));
            }
        }
    }

    fn receive_within<T: Pod>(&mut self, timeout: Duration) -> Result<T, RunError> {
        match receive(&self.process.status, Instant::now() + timeout)? {
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

    /// Terminates the fork server if it has not ended, and returns its wait status.
    fn stop(&mut self) -> i32 {
        terminate(&mut self.process.child)
    }

    /// Collects the outcome of a run.
    fn collect(
        &mut self,
        input: &Input,
        ended: &Ended,
        exceeded: Option<ExceededLimit>,
    ) -> Result<Run, RunError> {
        let control_region = ControlRegion { memory: &self.memory, layout: &self.layout };
        let (seen, sound) = control_region.read_input(input);
        self.recorded = control_region.recorded();
        self.recorded.damaged |= !sound;
        self.object_sizes.clear();
        self.object_sizes.extend(seen.objects.iter().map(|o| o.bytes.len()));
        let (stdout, stderr) = self.environment.output()?;
        let is_scratch_full = self.environment.exceeds_scratch(&self.limits.scratch)?;
        let exceeded = is_scratch_full.then_some(ExceededLimit::Scratch).or(exceeded);
        let end = end_of(ended.wait_status, exceeded, self.recorded.flags);
        Ok(Run {
            end,
            crash: crash_of(end, &self.recorded.crash),
            access: Access::of(end, &self.recorded),
            message: message_of(end, &self.recorded.message),
            coverage: self.memory.read(self.layout.coverage, self.spec.coverage),
            input: seen,
            cpu: Duration::from_micros(ended.cpu_micros),
            max_rss_kib: ended.max_rss_kib,
            flags: RunFlags::of(self.recorded),
            reused: self.reused,
            denied: self.denied(),
            stdout,
            stderr,
        })
    }

    /// Returns the file that was denied to the last run, if the sandbox is the cause.
    fn denied(&self) -> Option<PathBuf> {
        if self.recorded.denied[0] == 0 || !self.spec.sandbox {
            return None;
        }
        let bytes: Vec<u8> = self.recorded.denied.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let path = Path::new(OsStr::from_bytes(bytes.split(|byte| *byte == 0).next()?));
        let path = std::path::absolute(path).ok()?;
        files(&self.spec, &self.environment).hides(&path).then_some(path)
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

    /// Reads the trace as far as that needs no expressions, which other workers may hold meanwhile.
    fn read_trace(&mut self) {
        let mut decoder = std::mem::take(&mut self.decoder);
        decoder.read(&self.raw_trace());
        self.decoder = decoder;
        // If several threads have closed pieces, branches cannot be attributed.
        let has_log = self.mode.log && self.recorded.flags & (flag::NO_LOG | flag::THREADS) == 0;
        self.log = has_log.then(|| self.raw_trace().log(self.spec.coverage as u32));
        self.callees = if self.mode.callees { self.raw_trace().callees() } else { Vec::new() };
    }

    /// Decodes the path of the last run, as expressions in `dag`. Only the first call returns the branch log.
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
        log::debug!(
            target: "decode",
            "{} steps of {} labels, {} losses, cut: {}, damaged: {}",
            trace.steps.len(),
            trace.label_count,
            trace.losses.len(),
            trace.cut,
            trace.damaged
        );
        trace
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn end_of(wait_status: i32, exceeded: Option<ExceededLimit>, flags: u32) -> ExitKind {
    match (ExitKind::from_wait_status(wait_status), exceeded) {
        (_, Some(ExceededLimit::Scratch)) => ExitKind::OutOfScratch,
        (ExitKind::Signal(libc::SIGKILL), Some(exceeded)) => exceeded.exit_kind(),
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
