//! How far it is, for what takes longer than people wait without a word.

use crate::message::tell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(2);
const LIVE_PERIOD: Duration = Duration::from_millis(200);
const PLAIN_PERIOD: Duration = Duration::from_secs(5);

/// One line, rewritten on a terminal, and one every few seconds elsewhere.
pub struct Progress {
    what: &'static str,
    all: usize,
    next: Instant,
    is_live: bool,
    is_shown: bool,
}

impl Progress {
    /// Of so many things to do.
    pub fn new(what: &'static str, all: usize) -> Progress {
        let (next, is_live) = (Instant::now() + PATIENCE, stderr().is_terminal());
        Progress { what, all, next, is_live, is_shown: false }
    }

    /// So many are done.
    pub fn at(&mut self, done: usize) {
        if Instant::now() < self.next {
            return;
        }
        let Progress { what, all, .. } = self;
        match self.is_live {
            true => tell(format_args!("\r\x1b[K{what}: {done} of {all}")),
            false => tell(format_args!("cairn: {what}: {done} of {all}\n")),
        }
        self.next = Instant::now() + if self.is_live { LIVE_PERIOD } else { PLAIN_PERIOD };
        self.is_shown = true;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_live && self.is_shown {
            tell("\r\x1b[K");
        }
    }
}
