//! Monitors the memory of the driver.

use std::time::{Duration, Instant};

/// Time between two measurements, short enough that little memory is allocated in between; a chosen interval.
const INTERVAL: Duration = Duration::from_millis(100);
/// Fraction of the limit after whose allocation the size is measured before the interval is over; a chosen
/// bound.
const MEASURE_SHARE: u64 = 64;
/// Fraction of the limit that is left for the last run: `cairn_exec::Limits::within` gives its expressions as
/// much.
const LAST_RUN_SHARE: u64 = 16;
/// Size of a page in bytes.
const PAGE: u64 = 4096;

/// Measures the resident size from time to time.
pub(super) struct MemoryMonitor {
    limit: Option<u64>,
    measured: Option<Instant>,
    /// Size of this process when it was measured.
    resident: u64,
    /// Bytes known to be allocated since the last measurement.
    added: u64,
    /// Size at which caches were dropped last.
    dropped_at: u64,
}

/// Result of a measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemoryLevel {
    /// There is enough, or no measurement was due.
    Enough,
    /// Caches are to be dropped.
    Short,
    /// The limit is reached.
    Over,
}

impl MemoryMonitor {
    /// Creates a monitor with a limit in bytes.
    pub fn new(limit: Option<u64>) -> MemoryMonitor {
        MemoryMonitor { limit, measured: None, resident: 0, added: 0, dropped_at: 0 }
    }

    /// Adds allocated bytes; many of them bring the next measurement forward.
    pub fn add(&mut self, bytes: u64) {
        self.added = self.added.saturating_add(bytes);
    }

    /// Returns the size of this process in bytes, as last measured.
    pub fn resident(&self) -> u64 {
        self.resident
    }

    /// Returns the limit.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Measures the size, unless that was just done.
    pub fn level(&mut self) -> MemoryLevel {
        let limit = self.limit.unwrap_or(u64::MAX);
        let is_recent = self.measured.is_some_and(|measured| measured.elapsed() < INTERVAL);
        if is_recent && self.added < limit / MEASURE_SHARE {
            return MemoryLevel::Enough;
        }
        (self.measured, self.added) = (Some(Instant::now()), 0);
        let own = resident().unwrap_or(0);
        self.resident = own;
        // The memory of the solver's processes is freed when these are restarted: it never ends the campaign.
        let backends = cairn_solver::backend_process::resident_pages() * PAGE;
        self.classify(own.max((own + backends).min(over(limit).saturating_sub(1))), limit)
    }

    /// Classifies a size. Freed memory is used again before the resident size grows, so caches are dropped
    /// again only when the size has grown by a sixteenth of the limit.
    fn classify(&mut self, size: u64, limit: u64) -> MemoryLevel {
        let next = (limit - limit / 4).max(self.dropped_at + limit / 16);
        if size >= over(limit) {
            MemoryLevel::Over
        } else if size >= next {
            self.dropped_at = size;
            MemoryLevel::Short
        } else {
            MemoryLevel::Enough
        }
    }
}

/// Returns the size at which the campaign ends.
fn over(limit: u64) -> u64 {
    limit - limit / LAST_RUN_SHARE
}

/// Returns the resident size of this process, in bytes.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split(' ').nth(1)?.parse::<u64>().ok()? * PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_dropped_a_few_times_before_the_limit() {
        let mut memory = MemoryMonitor::new(Some(1600));
        let levels = [1000, 1200, 1210, 1290, 1300, 1499, 1500].map(|size| memory.classify(size, 1600));
        use MemoryLevel::{Enough, Over, Short};
        assert_eq!(levels, [Enough, Short, Enough, Enough, Short, Short, Over]);
    }

    #[test]
    fn the_resident_size_of_this_process_is_measured() {
        assert!((1 << 20..1 << 40).contains(&resident().unwrap()));
        assert_eq!(MemoryMonitor::new(Some(1)).level(), MemoryLevel::Over);
    }

    #[test]
    fn allocations_bring_the_next_measurement_forward() {
        let mut memory = MemoryMonitor::new(Some(6400));
        assert_eq!([memory.level(), memory.level()], [MemoryLevel::Over, MemoryLevel::Enough]);
        memory.add(100);
        assert_eq!([memory.level(), memory.level()], [MemoryLevel::Over, MemoryLevel::Enough]);
    }
}
