//! How far it is, for what takes longer than people wait without a word.

use crate::message::tell;
use crate::row::Row;
use crate::style::Style;
use crate::terminal;
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
}

impl Progress {
    /// Of so many things to do.
    pub fn new(what: &'static str, all: usize) -> Progress {
        let (next, is_live) = (Instant::now() + PATIENCE, terminal::can_draw());
        Progress { what, all, next, is_live }
    }

    /// So many are done.
    pub fn at(&mut self, done: usize) {
        if Instant::now() < self.next {
            return;
        }
        let text = format!("{}: {done} of {}", self.what, self.all);
        match self.is_live {
            true => {
                let size = terminal::size();
                terminal::draw(&[Row::new(size.width, Style::plain()).add(" ").add(&text).text()], size);
            }
            false => tell(format_args!("cairn: {text}\n")),
        }
        self.next = Instant::now() + if self.is_live { LIVE_PERIOD } else { PLAIN_PERIOD };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        terminal::erase();
    }
}
