//! What the processes of a run take while it runs.
//!
//! No limit of the system tells how much memory a program may really use: the shadow memory alone has 64 TiB of addresses.
//! So the driver looks, from time to time, at runs that take longer than most.

use crate::end::End;
use crate::spec::Limits;
use std::fs;
use std::time::Duration;

/// Time between two looks. Memory cannot grow by more than some tens of megabytes in between.
pub(crate) const INTERVAL: Duration = Duration::from_millis(10);

/// Processes of one run that share what they do not change are counted for all of it, several times.
const SHARED: u64 = 4;

/// Why the driver ends a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Excess {
    /// Its time is up.
    Time,
    /// It takes more memory than it may.
    Memory,
    /// It has started more processes than it may.
    Processes,
}

impl Excess {
    /// The end of a run that was killed for it.
    pub(crate) fn end(self) -> End {
        match self {
            Excess::Time => End::Timeout,
            Excess::Memory => End::OutOfMemory,
            Excess::Processes => End::TooManyProcesses,
        }
    }
}

/// Whether the processes below `root`, which is ours, are too many or too large. `recording` bytes of what they have in
/// common are not theirs.
pub(crate) fn excess(root: u32, recording: u64, limits: &Limits) -> Option<Excess> {
    let family = family(root, limits.processes);
    if family.len() > limits.processes {
        return Some(Excess::Processes);
    }
    let sizes = || family.iter().skip(1).filter_map(|pid| resident(*pid, recording));
    let too_large = sizes().any(|bytes| bytes > limits.memory);
    let too_many = || sizes().sum::<u64>() / SHARED > limits.memory;
    (too_large || too_many()).then_some(Excess::Memory)
}

/// A process and all that descend from it, or so many that it is too many.
fn family(root: u32, most: usize) -> Vec<u32> {
    let mut family = vec![root];
    let mut next = 0;
    while next < family.len() && family.len() <= most {
        family.extend(children(family[next]));
        next += 1;
    }
    family
}

/// Each thread has its own.
fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|t| fs::read_to_string(t.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>()).collect()
}

/// Bytes that exist for this process: not its program's file, which can be read again.
fn resident(pid: u32, recording: u64) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    };
    Some(field("RssAnon:")? + field("RssShmem:")?.saturating_sub(recording))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_grows_is_noticed() {
        let limits = Limits { memory: 100 << 20, ..Limits::default() };
        let holds_all = "{ head -c 200M /dev/zero; sleep 5; } | tail -n 1 >/dev/null";
        let mut child = std::process::Command::new("sh").args(["-c", holds_all]).spawn().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while excess(child.id(), 0, &limits) != Some(Excess::Memory) {
            assert!(std::time::Instant::now() < deadline, "nobody has noticed");
        }
        let more = Limits { memory: 400 << 20, ..limits };
        assert_eq!(excess(child.id(), 0, &more), None);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn children_belong_to_the_family() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        assert!(family(std::process::id(), 100).contains(&child.id()));
        let limits = Limits { processes: 1, ..Limits::default() };
        assert_eq!(excess(std::process::id(), 0, &limits), Some(Excess::Processes));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
