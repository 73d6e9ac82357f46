//! Locks on files and directories that one process at a time may write.

use std::fs::{File, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time that a killed owner's lock may outlive it: its forked children hold a copy of the descriptor until
/// they execute another program. A chosen bound.
const GRACE: Duration = Duration::from_secs(2);

/// Locks a file, waiting a moment for an owner that is just ending.
pub fn lock(file: &File) -> Result<(), TryLockError> {
    let deadline = Instant::now() + GRACE;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(Duration::from_millis(20)),
            outcome => return outcome,
        }
    }
}
