//! How much memory the driver has.

use std::time::{Duration, Instant};

/// Time between two looks: what can be taken in between is little.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Size of a page.
const PAGE: u64 = 4096;

/// Looks at the resident size from time to time.
pub(crate) struct Memory {
    most: Option<u64>,
    looked: Option<Instant>,
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
        Memory { most, looked: None, saved_at: 0 }
    }

    /// Looks, unless that was just done.
    pub fn level(&mut self) -> Level {
        let Some(most) = self.most else { return Level::Enough };
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) {
            return Level::Enough;
        }
        self.looked = Some(Instant::now());
        let own = resident().unwrap_or(0);
        // What the solver's workers take is let go of with them: it is never the end.
        let workers = cairn_solver::worker::resident_pages() * PAGE;
        self.judge(own.max((own + workers).min(most.saturating_sub(1))), most)
    }

    /// What was let go of is used again before the size grows: it is done again when that has grown by a sixteenth of all.
    fn judge(&mut self, size: u64, most: u64) -> Level {
        let next = (most - most / 4).max(self.saved_at + most / 16);
        if size >= most {
            Level::Over
        } else if size >= next {
            self.saved_at = size;
            Level::Short
        } else {
            Level::Enough
        }
    }
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
        let levels = [1000, 1200, 1210, 1290, 1300, 1599, 1600].map(|size| memory.judge(size, 1600));
        use Level::{Enough, Over, Short};
        assert_eq!(levels, [Enough, Short, Enough, Enough, Short, Short, Over]);
    }

    #[test]
    fn this_process_has_some() {
        assert!((1 << 20..1 << 40).contains(&resident().unwrap()));
        assert_eq!(Memory::new(Some(1)).level(), Level::Over);
    }
}
