//! Messages of the fork server, received with a timeout.

use crate::pod::{Pod, bytes_mut};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::time::Instant;

/// Outcome of waiting for a message.
pub(crate) enum Received<T> {
    /// A message arrived.
    Message(T),
    /// No message, or only a part, arrived in time.
    TimedOut,
    /// The other side is gone.
    Closed,
}

/// Waits for one message until the deadline.
pub(crate) fn receive<T: Pod>(mut from: &File, deadline: Instant) -> io::Result<Received<T>> {
    let mut message = T::default();
    let mut missing = bytes_mut(&mut message);
    while !missing.is_empty() {
        if !wait_readable(from, deadline)? {
            return Ok(Received::TimedOut);
        }
        match from.read(missing) {
            Ok(0) => return Ok(Received::Closed),
            Ok(n) => missing = &mut missing[n..],
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(Received::Message(message))
}

/// Waits for data or the end of the pipe; false if neither came before the deadline.
fn wait_readable(file: &File, deadline: Instant) -> io::Result<bool> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&left)) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
}
