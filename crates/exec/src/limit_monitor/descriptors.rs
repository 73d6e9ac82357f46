//! Memory and disk space that a run holds by descriptors alone, invisible in mappings and directories.

use super::read;
use crate::file_id::FileId;
use rustix::fs::{AtFlags, CWD, FileType, Statx, StatxFlags, makedev, statx};
use std::collections::HashMap;
use std::fs;
use std::io;

/// Bytes of a block in file statistics.
const BLOCK: u64 = 512;

/// Files that processes have open, each counted once.
#[derive(Default)]
pub(super) struct OpenFiles {
    /// Anonymous shared memory, with the bytes it takes.
    pub(super) shared_memory: HashMap<FileId, u64>,
    /// Unlinked files on the scratch directory's disk, with the bytes they take.
    pub(super) unlinked: HashMap<FileId, u64>,
    /// True if descriptors are invisible: in a process that may not be inspected, or in flight in a socket.
    pub(super) is_incomplete: bool,
}

impl OpenFiles {
    /// Returns the open files of these processes, except `own`, on the two devices.
    pub(super) fn of(run: &[u32], shared_memory: u64, scratch: u64, own: &[FileId]) -> OpenFiles {
        let mut held = OpenFiles::default();
        for pid in run {
            match fs::read_dir(format!("/proc/{pid}/fd")) {
                Ok(open) => {
                    for number in open.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
                        held.add(*pid, &number, (shared_memory, scratch), own);
                    }
                }
                Err(error) => held.is_incomplete |= error.kind() == io::ErrorKind::PermissionDenied,
            }
        }
        held
    }

    fn add(&mut self, pid: u32, number: &str, (shared_memory, scratch): (u64, u64), own: &[FileId]) {
        let path = format!("/proc/{pid}/fd/{number}");
        let wanted = StatxFlags::TYPE | StatxFlags::NLINK | StatxFlags::INO | StatxFlags::BLOCKS;
        // Cached data only: a network file server might not respond.
        let Ok(stat) = statx(CWD, path, AtFlags::STATX_DONT_SYNC, wanted) else { return };
        let file = FileId { device: makedev(stat.stx_dev_major, stat.stx_dev_minor), inode: stat.stx_ino };
        match kind(&stat) {
            FileType::Socket => self.is_incomplete |= has_descriptors_in_flight(pid, number),
            FileType::RegularFile if file.device == shared_memory && !own.contains(&file) => {
                self.shared_memory.insert(file, stat.stx_blocks * BLOCK);
            }
            FileType::RegularFile if file.device == scratch && stat.stx_nlink == 0 => {
                self.unlinked.insert(file, stat.stx_blocks * BLOCK);
            }
            _ => {}
        }
    }
}

fn kind(stat: &Statx) -> FileType {
    FileType::from_raw_mode(u32::from(stat.stx_mode))
}

fn has_descriptors_in_flight(pid: u32, number: &str) -> bool {
    let text = read(format!("/proc/{pid}/fdinfo/{number}")).unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("scm_fds:"));
    count.is_some_and(|count| count.trim() != "0")
}
