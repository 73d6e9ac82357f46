//! Memory that a run has mapped, from `/proc/PID/smaps`: exact, but it takes a walk over all page tables.

use super::descriptors::FileId;
use super::processes::Status;
use super::{amount, read};
use rustix::fs::makedev;
use std::collections::HashMap;
use std::io;

/// Mapped memory of some processes. What several of them share is counted once.
#[derive(Default)]
pub(super) struct Mappings {
    /// Private memory, in bytes.
    pub(super) private: u64,
    /// Anonymous shared memory.
    pub(super) shared: HashMap<FileId, Part>,
    /// Some process may not be looked into.
    pub(super) is_incomplete: bool,
}

/// The mapped part of a shared file.
#[derive(Clone, Copy, Default)]
pub(super) struct Part {
    /// Bytes of it that a process has in its page tables.
    pub(super) resident: u64,
    /// Bytes of all its mappings.
    pub(super) size: u64,
}

/// One mapping. The proportional size of what several processes share adds up to what there is.
#[derive(Default)]
struct Mapping {
    file: Option<FileId>,
    size: u64,
    proportional: u64,
    anonymous: u64,
    swapped: u64,
}

impl Mappings {
    /// What these processes have mapped; `device` has all anonymous shared memory, of which the files `own` are not theirs.
    pub(super) fn of(run: &[u32], device: u64, own: &[FileId]) -> Mappings {
        let mut all = Mappings::default();
        for pid in run {
            let Ok(text) = read(format!("/proc/{pid}/smaps")) else {
                // It has ended, or what is shared in it is anyone's guess.
                if let Some(status) = Status::of(*pid).filter(|status| status.private() > 0) {
                    all.is_incomplete = true;
                    all.private += status.private();
                }
                continue;
            };
            parse(&text, |mapping| all.add(mapping, device, own));
        }
        all
    }

    fn add(&mut self, mapping: &Mapping, device: u64, own: &[FileId]) {
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
fn parse(text: &str, mut each: impl FnMut(&Mapping)) {
    let mut current: Option<Mapping> = None;
    for line in text.lines() {
        let Some((name, value)) = line.split_once(' ') else { continue };
        let Some(mapping) = current.as_mut().filter(|_| name.ends_with(':')) else {
            if let Some(ended) = current.replace(Mapping { file: file(value), ..Mapping::default() }) {
                each(&ended);
            }
            continue;
        };
        match name {
            "Size:" => mapping.size = amount(value),
            "Pss:" => mapping.proportional = amount(value),
            "Anonymous:" => mapping.anonymous = amount(value),
            "SwapPss:" => mapping.swapped = amount(value),
            _ => {}
        }
    }
    current.iter().for_each(each);
}

/// The file of a mapping, from what follows its addresses: rights, offset, device, inode, name.
fn file(line: &str) -> Option<FileId> {
    let mut words = line.split_whitespace().skip(2);
    let (major, minor) = words.next()?.split_once(':')?;
    let number = |hex| u32::from_str_radix(hex, 16).ok();
    let inode = words.next()?.parse().ok().filter(|inode| *inode != 0)?;
    Some(FileId { device: makedev(number(major)?, number(minor)?), inode })
}

/// True if some process has a file mapped that has no name any more, except shared memory on this device, or may not be
/// looked into.
pub(super) fn keep_unlinked(run: &[u32], shared_memory: u64) -> bool {
    let is_unlinked = |line: &str| {
        let rest = line.split_once(' ').and_then(|(_, rest)| file(rest));
        line.ends_with(" (deleted)") && rest.is_some_and(|file| file.device != shared_memory)
    };
    run.iter().any(|pid| match read(format!("/proc/{pid}/maps")) {
        Ok(text) => text.lines().any(is_unlinked),
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    })
}
