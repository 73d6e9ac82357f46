//! Memory that a run has mapped, from `/proc/PID/smaps`: exact, but the kernel walks all page tables for it.

use super::processes::ProcessMemory;
use super::{parse_amount, read};
use crate::file_id::FileId;
use rustix::fs::makedev;
use std::collections::HashMap;
use std::io;

/// Mapped memory of some processes. Memory that several of them share is counted once.
#[derive(Default)]
pub(super) struct MappedMemory {
    /// Private memory, in bytes.
    pub(super) private: u64,
    /// Anonymous shared memory.
    pub(super) shared: HashMap<FileId, MappedPart>,
    /// True if some process may not be inspected.
    pub(super) is_incomplete: bool,
}

/// The mapped part of a shared file.
#[derive(Clone, Copy, Default)]
pub(super) struct MappedPart {
    /// Bytes of it that are in page tables of a process.
    pub(super) resident: u64,
    /// Bytes of all its mappings together.
    pub(super) size: u64,
}

/// A mapping. Proportional sizes of memory shared by several processes add up to its size.
#[derive(Default)]
struct SmapsEntry {
    file: Option<FileId>,
    size: u64,
    proportional: u64,
    anonymous: u64,
    swapped: u64,
}

impl MappedMemory {
    /// Returns the mapped memory of these processes; `device` holds all anonymous shared memory, of which the
    /// files `own` do not count.
    pub(super) fn of(run: &[u32], device: u64, own: &[FileId]) -> MappedMemory {
        let mut all = MappedMemory::default();
        for pid in run {
            let Ok(text) = read(format!("/proc/{pid}/smaps")) else {
                // It has ended, or its shared memory is unknown.
                if let Some(memory) = ProcessMemory::of(*pid).filter(|memory| memory.private() > 0) {
                    all.is_incomplete = true;
                    all.private += memory.private();
                }
                continue;
            };
            parse(&text, |mapping| all.add(mapping, device, own));
        }
        all
    }

    fn add(&mut self, mapping: &SmapsEntry, device: u64, own: &[FileId]) {
        let private = mapping.proportional.min(mapping.anonymous);
        self.private += private + mapping.swapped;
        let is_shared_memory = |file: &FileId| file.device == device && !own.contains(file);
        if let Some(file) = mapping.file.filter(is_shared_memory) {
            let part = self.shared.entry(file).or_default();
            part.resident += mapping.proportional - private;
            part.size = part.size.saturating_add(mapping.size);
        }
    }
}

/// Calls `each` for every mapping in the text of an `smaps` file.
fn parse(text: &str, mut each: impl FnMut(&SmapsEntry)) {
    let mut current: Option<SmapsEntry> = None;
    for line in text.lines() {
        let Some((name, value)) = line.split_once(' ') else { continue };
        let Some(mapping) = current.as_mut().filter(|_| name.ends_with(':')) else {
            if let Some(ended) =
                current.replace(SmapsEntry { file: parse_file(value), ..SmapsEntry::default() })
            {
                each(&ended);
            }
            continue;
        };
        match name {
            "Size:" => mapping.size = parse_amount(value),
            "Pss:" => mapping.proportional = parse_amount(value),
            "Anonymous:" => mapping.anonymous = parse_amount(value),
            "SwapPss:" => mapping.swapped = parse_amount(value),
            _ => {}
        }
    }
    current.iter().for_each(each);
}

/// Parses the file of a mapping, from what follows its addresses: rights, offset, device, inode, name.
fn parse_file(line: &str) -> Option<FileId> {
    let mut words = line.split_whitespace().skip(2);
    let (major, minor) = words.next()?.split_once(':')?;
    let number = |hex| u32::from_str_radix(hex, 16).ok();
    let inode = words.next()?.parse().ok().filter(|inode| *inode != 0)?;
    Some(FileId { device: makedev(number(major)?, number(minor)?), inode })
}

/// True if some process may not be inspected, or has a file mapped that was unlinked, except shared memory on
/// this device.
pub(super) fn has_unlinked(run: &[u32], shared_memory: u64) -> bool {
    let is_unlinked = |line: &str| {
        let rest = line.split_once(' ').and_then(|(_, rest)| parse_file(rest));
        line.ends_with(" (deleted)") && rest.is_some_and(|file| file.device != shared_memory)
    };
    run.iter().any(|pid| match read(format!("/proc/{pid}/maps")) {
        Ok(text) => text.lines().any(is_unlinked),
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    })
}
