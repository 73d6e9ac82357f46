//! The driver's side.

use super::message::{self, Answered, Hello, Reply, Request, unpacked};
use crate::stats::Meter;
use crate::z3::{self, Verdict};
use crate::{Answer, Limits, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, ExprId, Sender};
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time between two looks at the deadline while an answer is waited for.
const LOOK: Duration = Duration::from_millis(20);
/// How much longer than it should a backend may take before it is killed: as a rule it keeps its limit itself, and goes on
/// with what it has learnt.
const PATIENCE: Duration = Duration::from_millis(250);
/// Expressions that a worker has before it is replaced by a new one, to bound its memory.
const MOST_EXPRESSIONS: usize = 2_000_000;

/// Asks a backend in another process.
pub struct Worker {
    arguments: &'static [OsString],
    limits: Limits,
    process: Option<Process>,
    meter: Meter,
    time_limits: u64,
    cpu: Duration,
}

impl Worker {
    /// A backend in a process that is started when something is asked first.
    pub(crate) fn new(arguments: &'static [OsString], limits: Limits) -> Worker {
        Worker {
            arguments,
            limits,
            process: None,
            meter: Meter::default(),
            time_limits: 0,
            cpu: Duration::ZERO,
        }
    }

    /// Asks the process; what it cannot answer, since it had to be killed or died, is unknown.
    fn ask(&mut self, dag: &Dag, query: &Query, deadline: &Deadline) -> Verdict {
        if self.process.as_ref().is_some_and(|process| process.sender.len() > MOST_EXPRESSIONS) {
            self.process = None;
        }
        let start = Instant::now();
        match self.try_to_ask(dag, query, deadline) {
            Ok(Some(verdict)) => verdict,
            Ok(None) | Err(_) => {
                self.process = None;
                // It did nothing else.
                self.cpu += start.elapsed();
                Verdict::Unknown(Unknown::TimeLimit)
            }
        }
    }

    /// None if there is no answer in time. Starting a worker does not count for the limit of a query.
    fn try_to_ask(&mut self, dag: &Dag, query: &Query, deadline: &Deadline) -> io::Result<Option<Verdict>> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(self.arguments)?),
        };
        if !process.is_ready(deadline)? {
            // The next query waits on.
            return Ok(Some(Verdict::Unknown(Unknown::TimeLimit)));
        }
        let own = deadline.within(self.limits.time);
        let constraints: Vec<ExprId> = query.constraints().collect();
        let parcel = process.sender.pack(dag, &constraints);
        let numbers = constraints.iter().map(|e| process.sender.number(*e)).collect();
        let request = Request::new(parcel, numbers, self.limits, own.left());
        let patience = deadline.within(own.left() + PATIENCE);
        if !process.send(&message::frame(&request)?, &patience)? {
            return Ok(None);
        }
        let Some(Answered { reply, cpu }) = process.receive(&patience)? else { return Ok(None) };
        self.cpu += cpu;
        Ok(Some(match reply {
            Reply::Sat(bytes) => Verdict::Sat(bytes.into_iter().map(unpacked).collect()),
            Reply::Unsat => Verdict::Unsat,
            Reply::TimeLimit => Verdict::Unknown(Unknown::TimeLimit),
            Reply::Unsupported => Verdict::Unknown(Unknown::Unsupported),
        }))
    }
}

impl Solver for Worker {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let start = self.meter.begin();
        let answer = match deadline.is_over() {
            true => Answer::Unknown(Unknown::TimeLimit),
            false => self.ask(dag, query, deadline).answer(seed),
        };
        self.time_limits += u64::from(answer == Answer::Unknown(Unknown::TimeLimit));
        self.meter.answer(start, answer)
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn forget(&mut self) {
        self.process = None;
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { time_limits: self.time_limits, worker_cpu: self.cpu, ..Stats::default() };
        stats.layers.add(&z3::INFO, self.meter.tally());
        stats
    }
}

/// A worker process, and what it was sent. It is killed when this goes.
struct Process {
    child: Child,
    socket: UnixStream,
    sender: Sender,
    has_said_hello: bool,
}

impl Process {
    fn start(arguments: &[OsString]) -> io::Result<Process> {
        let (socket, theirs) = UnixStream::pair()?;
        // This program, even if its file was replaced since. In a group of its own: Ctrl-C is for the driver.
        let child = Command::new("/proc/self/exe")
            .args(arguments)
            .arg(z3::memory_limit().to_string())
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        super::workers().push(child.id());
        let process = Process { child, socket, sender: Sender::default(), has_said_hello: false };
        process.socket.set_read_timeout(Some(LOOK))?;
        process.socket.set_write_timeout(Some(LOOK))?;
        Ok(process)
    }

    /// Waits until it has started; false if the time is over before.
    fn is_ready(&mut self, deadline: &Deadline) -> io::Result<bool> {
        if !self.has_said_hello {
            self.has_said_hello = self.receive::<Hello>(deadline)?.is_some();
        }
        Ok(self.has_said_hello)
    }

    /// False if the time is over before all is sent.
    fn send(&mut self, mut bytes: &[u8], deadline: &Deadline) -> io::Result<bool> {
        while !bytes.is_empty() {
            match self.socket.write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(error),
            }
            if deadline.is_over() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// None if the time is over before there is a message.
    fn receive<T: DeserializeOwned>(&mut self, deadline: &Deadline) -> io::Result<Option<T>> {
        let mut patient = Patient { socket: &self.socket, deadline, is_late: false };
        match message::read(&mut patient) {
            Ok(Some(reply)) => Ok(Some(reply)),
            Ok(None) => Err(ErrorKind::UnexpectedEof.into()),
            Err(_) if patient.is_late => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        super::workers().retain(|id| *id != self.child.id());
        // It may be gone already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads from the socket until the deadline.
struct Patient<'a> {
    socket: &'a UnixStream,
    deadline: &'a Deadline,
    is_late: bool,
}

impl Read for Patient<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.socket.read(into) {
                Err(error) if is_wait(&error) => {}
                other => return other,
            }
            if self.deadline.is_over() {
                self.is_late = true;
                return Err(ErrorKind::TimedOut.into());
            }
        }
    }
}

fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
