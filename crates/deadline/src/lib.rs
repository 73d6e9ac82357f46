//! The deadline: the moment by which work must end, for every layer that may take long.
//!
//! One [`Deadline`] is created from `--time` and Ctrl-C and passed down through the campaign, the solver's
//! layers, the execution of targets and the decoding of their traces. A layer with a tighter limit of its own
//! derives a sooner one. Code that works in small steps checks through a [`Pace`], which reads the clock once
//! per batch of steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Times at least this far ahead count as no limit: clocks cannot be set arbitrarily far ahead.
const FAR_AHEAD: Duration = Duration::from_secs(100 * 365 * 86_400);

/// A moment, or an interrupt that comes before it.
#[derive(Clone, Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
    interrupt: Arc<AtomicBool>,
}

impl Deadline {
    /// Returns a deadline that is never reached.
    pub fn never() -> Deadline {
        Deadline::default()
    }

    /// Returns a deadline this far ahead.
    pub fn after(time: Duration) -> Deadline {
        Deadline::never().within(time)
    }

    /// Returns a deadline that is reached as soon as the flag is set.
    pub fn interrupted_by(interrupt: Arc<AtomicBool>) -> Deadline {
        Deadline { at: None, interrupt }
    }

    /// Returns this deadline, or one this far ahead if that is sooner. The interrupt flag stays the same.
    pub fn within(&self, time: Duration) -> Deadline {
        let own = (time < FAR_AHEAD).then(|| Instant::now() + time);
        let at = match (self.at, own) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Deadline { at, interrupt: self.interrupt.clone() }
    }

    /// True once the moment has passed or the interrupt flag was set.
    pub fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Returns the time left: zero once it is over, and about a hundred years if there is no limit.
    pub fn left(&self) -> Duration {
        if self.interrupt.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        self.at.map_or(FAR_AHEAD, |at| at.saturating_duration_since(Instant::now()))
    }
}

/// Checks a deadline once per batch of steps, since reading the clock costs more than most steps.
#[derive(Clone, Debug)]
pub struct Pace {
    deadline: Deadline,
    batch: u64,
    left: u64,
    is_over: bool,
}

impl Pace {
    /// Creates a pace that checks at the first step, and then after every `batch` steps.
    pub fn new(deadline: &Deadline, batch: u64) -> Pace {
        Pace { deadline: deadline.clone(), batch, left: 0, is_over: false }
    }

    /// Returns the time left until the deadline.
    pub fn time_left(&self) -> Duration {
        self.deadline.left()
    }

    /// Counts steps; true if the deadline was over at the last check.
    pub fn is_over_after(&mut self, steps: u64) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) if left > 0 => self.left = left,
            _ => {
                self.left = self.batch;
                self.is_over |= self.deadline.is_over();
            }
        }
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sooner_moment_counts() {
        let minute = Deadline::after(Duration::from_secs(60));
        assert!(!minute.is_over() && minute.left() > Duration::from_secs(50));
        assert!(minute.within(Duration::ZERO).is_over());
        assert!(minute.within(Duration::from_secs(600)).left() <= Duration::from_secs(60));
        assert!(Deadline::after(Duration::ZERO).within(Duration::from_secs(60)).is_over());
        assert!(!Deadline::after(Duration::MAX).is_over());
        assert!(Deadline::never().left() > Duration::from_secs(86_400 * 365));
    }

    #[test]
    fn an_interrupt_ends_every_deadline_made_from_it() {
        let flag = Arc::new(AtomicBool::new(false));
        let whole = Deadline::interrupted_by(flag.clone());
        let part = whole.within(Duration::from_secs(60));
        assert!(!whole.is_over() && !part.is_over());
        flag.store(true, Ordering::Relaxed);
        assert!(whole.is_over() && part.is_over());
        assert_eq!((whole.left(), part.left()), (Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn a_pace_asks_at_once_and_then_per_batch() {
        let flag = Arc::new(AtomicBool::new(false));
        let mut pace = Pace::new(&Deadline::interrupted_by(flag.clone()), 100);
        assert!(!pace.is_over_after(1));
        flag.store(true, Ordering::Relaxed);
        assert!(!pace.is_over_after(99));
        assert!(pace.is_over_after(1));
        assert!(pace.is_over_after(1), "what is over stays over");
        assert!(Pace::new(&Deadline::after(Duration::ZERO), 1_000_000).is_over_after(1));
    }
}
