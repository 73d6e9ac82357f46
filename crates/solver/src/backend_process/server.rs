//! The side of the process: reads queries from a socket and has Z3 decide them.

use super::message::{self, Answered, Hello, Reply, Request, packed};
use crate::z3::Verdict;
use crate::{Limits, Query, Z3, limit_memory};
use cairn_deadline::Deadline;
use cairn_expr::{ExprId, Receiver};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::exit;
use std::sync::mpsc::{Receiver as Queue, channel};
use std::time::{Duration, Instant};

/// Stack of the thread that solves: Z3 is recursive, and terms are as deep as paths are long. A chosen bound;
/// pages are touched only as far as they are needed.
const STACK: usize = 256 << 20;

/// Answers queries from standard input, a socket, until that is closed, with this much memory for Z3.
pub fn serve(memory: u64) -> io::Result<()> {
    limit_memory(memory);
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let replies = socket.try_clone()?;
    let (sender, requests) = channel();
    std::thread::Builder::new().stack_size(STACK).spawn(move || answer(&requests, &replies))?;
    // Keeps reading while the other thread solves: when the driver closes the socket, this process ends even
    // if Z3 is busy.
    while let Some(request) = message::read::<Request>(&socket)? {
        if sender.send((request, Instant::now())).is_err() {
            break;
        }
    }
    exit(0)
}

fn answer(requests: &Queue<(Request, Instant)>, replies: &UnixStream) {
    let (mut table, mut z3) = (Receiver::default(), Z3::new(Limits::default()));
    if message::write(replies, &Hello).is_err() {
        exit(0);
    }
    for (request, received) in requests {
        let (limits, cpu) = (request.limits(), cpu_time());
        let deadline = Deadline::after(request.left().saturating_sub(received.elapsed()));
        z3.set_limits(limits);
        table.unpack(request.parcel);
        let mut constraints: Vec<ExprId> = request.constraints.iter().map(|n| table.expression(*n)).collect();
        let Some(target) = constraints.pop() else { break };
        let (verdict, spent) = z3.decide(table.dag(), &Query { prefix: &constraints, target }, &deadline);
        let reply = match verdict {
            Verdict::Sat(bytes) => Reply::Sat(bytes.into_iter().map(|(byte, v)| packed(byte, v)).collect()),
            Verdict::Unsat => Reply::Unsat,
            Verdict::Unknown(why) => Reply::unknown(why),
        };
        let cpu = cpu_time().saturating_sub(cpu);
        if message::write(replies, &Answered { reply, cpu, spent }).is_err() {
            break;
        }
    }
    exit(0)
}

/// Returns the CPU time of this thread as the scheduler counts it; zero if it does not.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}
