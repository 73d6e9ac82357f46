//! Progress of work in counted steps, shown once it takes long.

use crate::message::log;
use crate::row::Row;
use crate::style::Style;
use crate::terminal;
use std::time::{Duration, Instant};

/// Time before anything is shown, and between two updates on a terminal and elsewhere; chosen bounds.
const PATIENCE: Duration = Duration::from_secs(2);
const LIVE_PERIOD: Duration = Duration::from_millis(200);
const PLAIN_PERIOD: Duration = Duration::from_secs(5);

/// A line that is redrawn on a terminal, or printed every few seconds.
pub struct StepProgress {
    what: &'static str,
    all: usize,
    next: Instant,
    is_live: bool,
}

impl StepProgress {
    /// Begins work of `all` steps.
    pub fn new(what: &'static str, all: usize) -> StepProgress {
        let (next, is_live) = (Instant::now() + PATIENCE, terminal::can_draw());
        StepProgress { what, all, next, is_live }
    }

    /// Shows that `done` steps are done, if it is time.
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
            false => log(format_args!("cairn: {text}\n")),
        }
        self.next = Instant::now() + if self.is_live { LIVE_PERIOD } else { PLAIN_PERIOD };
    }
}

impl Drop for StepProgress {
    fn drop(&mut self) {
        terminal::erase();
    }
}
