//! How much memory the driver has.

use std::time::{Duration, Instant};

/// Time between two looks: what can be taken in between is little.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Share of the memory that may come between two looks.
const LOOK_SHARE: u64 = 64;
/// Share of the memory that is left for the last run: `cairn_exec::Limits::within` gives its expressions as much.
const LAST_SHARE: u64 = 16;
/// Size of a page.
const PAGE: u64 = 4096;

/// Looks at the resident size from time to time.
pub(crate) struct Memory {
    most: Option<u64>,
    looked: Option<Instant>,
    /// Bytes that have come since, as far as is known.
    added: u64,
    /// Where what can be let go of was let go of last.
    saved_at: u64,
}

/// How it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    /// There is enough, or nobody has looked.
    Enough,
    /// It is time to let go of what can be spared.
    Short,
    /// There is no more.
    Over,
}

impl Memory {
    pub fn new(most: Option<u64>) -> Memory {
        Memory { most, looked: None, added: 0, saved_at: 0 }
    }

    /// Takes note of bytes that have been kept: if they are many, it is time to look.
    pub fn add(&mut self, bytes: u64) {
        self.added = self.added.saturating_add(bytes);
    }

    /// Looks, unless that was just done.
    pub fn level(&mut self) -> Level {
        let Some(most) = self.most else { return Level::Enough };
        let was_just_done = self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY);
        if was_just_done && self.added < most / LOOK_SHARE {
            return Level::Enough;
        }
        (self.looked, self.added) = (Some(Instant::now()), 0);
        let own = resident().unwrap_or(0);
        // What the solver's workers take is let go of with them: it is never the end.
        let workers = cairn_solver::worker::resident_pages() * PAGE;
        self.judge(own.max((own + workers).min(over(most).saturating_sub(1))), most)
    }

    /// What was let go of is used again before the size grows: it is done again when that has grown by a sixteenth of all.
    fn judge(&mut self, size: u64, most: u64) -> Level {
        let next = (most - most / 4).max(self.saved_at + most / 16);
        if size >= over(most) {
            Level::Over
        } else if size >= next {
            self.saved_at = size;
            Level::Short
        } else {
            Level::Enough
        }
    }
}

/// The size from which on no run is integrated any more.
fn over(most: u64) -> u64 {
    most - most / LAST_SHARE
}

/// The resident size of this process, in bytes.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split(' ').nth(1)?.parse::<u64>().ok()? * PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_saved_a_few_times_before_it_is_over() {
        let mut memory = Memory::new(Some(1600));
        let levels = [1000, 1200, 1210, 1290, 1300, 1499, 1500].map(|size| memory.judge(size, 1600));
        use Level::{Enough, Over, Short};
        assert_eq!(levels, [Enough, Short, Enough, Enough, Short, Short, Over]);
    }

    #[test]
    fn this_process_has_some() {
        assert!((1 << 20..1 << 40).contains(&resident().unwrap()));
        assert_eq!(Memory::new(Some(1)).level(), Level::Over);
    }

    #[test]
    fn what_was_kept_since_brings_the_next_look_forward() {
        let mut memory = Memory::new(Some(6400));
        assert_eq!([memory.level(), memory.level()], [Level::Over, Level::Enough]);
        memory.add(100);
        assert_eq!([memory.level(), memory.level()], [Level::Over, Level::Enough]);
    }
}
