//! The processes of a run, and the memory of each as the kernel reports it at little cost.

use super::{kilobytes, read};
use std::fs;

/// Bytes of a thread's kernel stack.
const KERNEL_STACK: u64 = 16 << 10;

/// Returns a process and all its descendants, or more than `limit` of them.
pub(super) fn family(root: u32, limit: usize) -> Vec<u32> {
    let mut family = vec![root];
    let mut next = 0;
    while next < family.len() && family.len() <= limit {
        family.extend(children(family[next]));
        next += 1;
    }
    family
}

/// Returns the children of all threads of a process.
fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|t| fs::read_to_string(t.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>()).collect()
}

/// Memory of one process. Memory that several processes share is counted for each of them.
pub(super) struct ProcessMemory {
    anonymous: u64,
    shared: u64,
    swapped: u64,
    page_tables: u64,
    threads: u64,
}

impl ProcessMemory {
    /// Reads the memory of a process; `None` if it has ended.
    pub(super) fn of(pid: u32) -> Option<ProcessMemory> {
        let text = read(format!("/proc/{pid}/status")).ok()?;
        let threads = text.lines().find_map(|line| line.strip_prefix("Threads:"))?.trim().parse().ok()?;
        Some(ProcessMemory {
            anonymous: kilobytes(&text, "RssAnon:"),
            shared: kilobytes(&text, "RssShmem:"),
            swapped: kilobytes(&text, "VmSwap:"),
            page_tables: kilobytes(&text, "VmPTE:"),
            threads,
        })
    }

    /// Returns all memory of the process, without pages of its program's file, which can be read again.
    pub(super) fn total(&self) -> u64 {
        self.anonymous + self.shared + self.swapped + self.kernel()
    }

    /// Returns the private memory, as far as `smaps` would show it.
    pub(super) fn private(&self) -> u64 {
        self.anonymous + self.swapped
    }

    /// Returns the memory that the kernel uses for it.
    pub(super) fn kernel(&self) -> u64 {
        self.page_tables + self.threads * KERNEL_STACK
    }
}
