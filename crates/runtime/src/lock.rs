//! One writer at a time, for targets with threads.

use crate::tls::tls;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The thread that writes, by the address of its thread-local block; 0 if none does.
static OWNER: AtomicUsize = AtomicUsize::new(0);

/// Lets go when dropped.
pub struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        OWNER.store(0, Ordering::Release);
    }
}

/// Waits for its turn; `None` if this very thread is the one that writes.
pub fn take() -> Option<Guard> {
    let me = tls() as *const _ as usize;
    loop {
        match OWNER.compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return Some(Guard(())),
            Err(owner) if owner == me => return None,
            // SAFETY: gives the processor to the writer, which is never far from done.
            Err(_) => unsafe {
                libc::sched_yield();
            },
        }
    }
}

/// In a child of a forked program nobody writes: whoever did was left behind.
pub fn forget() {
    OWNER.store(0, Ordering::Relaxed);
}
