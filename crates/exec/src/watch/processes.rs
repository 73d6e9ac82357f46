//! The processes of a run, and what the kernel says of each at little cost.

use super::{kilobytes, read};
use std::fs;

/// Memory that the kernel takes for a thread: its stack.
const THREAD: u64 = 16 << 10;

/// A process and all its descendants, or enough of them to be too many.
pub(super) fn family(root: u32, most: usize) -> Vec<u32> {
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

/// Memory of one process. What several processes share is counted for each of them.
pub(super) struct Status {
    anonymous: u64,
    shared: u64,
    swapped: u64,
    page_tables: u64,
    threads: u64,
}

impl Status {
    pub(super) fn of(pid: u32) -> Option<Status> {
        let text = read(format!("/proc/{pid}/status")).ok()?;
        let threads = text.lines().find_map(|line| line.strip_prefix("Threads:"))?.trim().parse().ok()?;
        Some(Status {
            anonymous: kilobytes(&text, "RssAnon:"),
            shared: kilobytes(&text, "RssShmem:"),
            swapped: kilobytes(&text, "VmSwap:"),
            page_tables: kilobytes(&text, "VmPTE:"),
            threads,
        })
    }

    /// Memory that exists for this process: not its program's file, which can be read again.
    pub(super) fn total(&self) -> u64 {
        self.anonymous + self.shared + self.swapped + self.kernel()
    }

    /// The part of the private memory that `smaps` shows for others.
    pub(super) fn private(&self) -> u64 {
        self.anonymous + self.swapped
    }

    /// Memory that the kernel takes for it.
    pub(super) fn kernel(&self) -> u64 {
        self.page_tables + self.threads * THREAD
    }
}
