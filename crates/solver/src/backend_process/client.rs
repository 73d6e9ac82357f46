//! The driver's side: starts the process, sends queries, and kills it when it is late.

use super::message::{self, Answered, Hello, Reply, Request, unpacked};
use crate::z3::{self, Verdict};
use crate::{Attempt, Engine, LayerInfo, Query, QueryClass, Stats, Task, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Dag, ExprId, Sender};
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time between two looks at the deadline while waiting for an answer.
const POLL: Duration = Duration::from_millis(20);
/// Time beyond its limit after which a backend is killed: as a rule it keeps its limit itself, and then keeps
/// what it has learnt for the next query. A chosen bound; a query of less effort gets as much again.
const GRACE: Duration = Duration::from_millis(250);
/// Expressions that a process may have before it is replaced by a new one, to bound its memory; a chosen
/// bound.
const MAX_EXPRESSIONS: usize = 2_000_000;

/// The backend in another process.
pub struct BackendProcess {
    arguments: &'static [OsString],
    process: Option<Connection>,
    cpu: Duration,
}

impl BackendProcess {
    /// Returns a backend whose process is started with the first query.
    pub(crate) fn new(arguments: &'static [OsString]) -> BackendProcess {
        BackendProcess { arguments, process: None, cpu: Duration::ZERO }
    }

    /// Has the process decide a query with this effort; unknown if it died or had to be killed. Returns the
    /// nominal time as well.
    fn decide(
        &mut self,
        dag: &Dag,
        query: &Query,
        effort: Duration,
        deadline: &Deadline,
    ) -> (Verdict, Duration) {
        if self.process.as_ref().is_some_and(|process| process.sender.len() > MAX_EXPRESSIONS) {
            self.process = None;
        }
        let start = Instant::now();
        match self.try_to_decide(dag, query, effort, deadline) {
            Ok(Some(decided)) => decided,
            Ok(None) | Err(_) => {
                self.process = None;
                // The process worked on this query all the time.
                self.cpu += start.elapsed();
                (Verdict::Unknown(Unknown::TimeLimit), effort + grace(effort))
            }
        }
    }

    /// Returns `None` if there is no verdict in time. Starting a process does not count for the limit of a
    /// query.
    fn try_to_decide(
        &mut self,
        dag: &Dag,
        query: &Query,
        effort: Duration,
        deadline: &Deadline,
    ) -> io::Result<Option<(Verdict, Duration)>> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Connection::start(self.arguments)?),
        };
        if !process.is_ready(deadline)? {
            // The next query continues to wait.
            return Ok(Some((Verdict::Unknown(Unknown::TimeLimit), Duration::ZERO)));
        }
        let own = deadline.within(effort);
        let constraints: Vec<ExprId> = query.constraints().collect();
        let parcel = process.sender.pack(dag, &constraints);
        let numbers = constraints.iter().map(|e| process.sender.number(*e)).collect();
        let request = Request::new(parcel, numbers, effort, own.left());
        let kill_time = deadline.within(own.left() + grace(effort));
        if !process.send(&message::frame(&request)?, &kill_time)? {
            return Ok(None);
        }
        let Some(Answered { reply, cpu, spent }) = process.receive(&kill_time)? else { return Ok(None) };
        self.cpu += cpu;
        let verdict = match reply {
            Reply::Sat(bytes) => Verdict::Sat(bytes.into_iter().map(unpacked).collect()),
            Reply::Unsat => Verdict::Unsat,
            Reply::TimeLimit => Verdict::Unknown(Unknown::TimeLimit),
            Reply::Unsupported => Verdict::Unknown(Unknown::Unsupported),
        };
        Ok(Some((verdict, spent)))
    }
}

/// Returns the time beyond its limit after which the backend is killed.
fn grace(effort: Duration) -> Duration {
    effort.clamp(POLL, GRACE)
}

impl Engine for BackendProcess {
    fn info(&self) -> &'static LayerInfo {
        &z3::INFO
    }

    fn first_effort(&self, _: QueryClass) -> Option<Duration> {
        Some(z3::FIRST_EFFORT)
    }

    fn needs_validation(&self) -> bool {
        true
    }

    fn attempt(&mut self, task: &Task, _: u32, effort: Duration) -> Attempt {
        let (verdict, spent) = self.decide(task.dag, task.query, effort, task.deadline);
        Attempt { answer: verdict.answer(task.seed), spent }
    }

    fn forget(&mut self) {
        self.process = None;
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.backend_cpu = self.cpu;
    }
}

/// A running process, and the expressions it was sent. Dropping it kills the process.
struct Connection {
    child: Child,
    socket: UnixStream,
    sender: Sender,
    is_started: bool,
}

impl Connection {
    fn start(arguments: &[OsString]) -> io::Result<Connection> {
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
        super::running().push(child.id());
        let process = Connection { child, socket, sender: Sender::default(), is_started: false };
        process.socket.set_read_timeout(Some(POLL))?;
        process.socket.set_write_timeout(Some(POLL))?;
        Ok(process)
    }

    /// Waits until the process has started; false if the time is over before.
    fn is_ready(&mut self, deadline: &Deadline) -> io::Result<bool> {
        if !self.is_started {
            self.is_started = self.receive::<Hello>(deadline)?.is_some();
        }
        Ok(self.is_started)
    }

    /// Sends bytes; false if the time is over before all are sent.
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

    /// Receives a message; `None` if the time is over before there is one.
    fn receive<T: DeserializeOwned>(&mut self, deadline: &Deadline) -> io::Result<Option<T>> {
        let mut reader = DeadlineReader { socket: &self.socket, deadline, is_late: false };
        match message::read(&mut reader) {
            Ok(Some(reply)) => Ok(Some(reply)),
            Ok(None) => Err(ErrorKind::UnexpectedEof.into()),
            Err(_) if reader.is_late => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        super::running().retain(|id| *id != self.child.id());
        // It may have ended already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads from the socket until the deadline.
struct DeadlineReader<'a> {
    socket: &'a UnixStream,
    deadline: &'a Deadline,
    is_late: bool,
}

impl Read for DeadlineReader<'_> {
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

/// True if a read or write ended only since its time-out was over.
fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
