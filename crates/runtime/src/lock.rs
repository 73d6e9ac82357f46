//! The lock on label table and logs, for targets with threads.

use crate::syscall::call;
use crate::tls::tls;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Thread that holds the lock, by the address of its thread-local block; 0 if it is free.
static OWNER: AtomicUsize = AtomicUsize::new(0);

/// Releases the lock when dropped.
pub struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        OWNER.store(0, Ordering::Release);
    }
}

unsafe extern "C" {
    /// Not 0 as long as the process has never had a second thread.
    static __libc_single_threaded: u8;
}

fn is_single_threaded() -> bool {
    // SAFETY: glibc changes it before it starts a thread, in this one.
    unsafe { (&raw const __libc_single_threaded).read_volatile() != 0 }
}

/// Waits for the lock; `None` if this very thread holds it.
pub fn take() -> Option<Guard> {
    let me = tls() as *const _ as usize;
    if is_single_threaded() {
        // No atomic exchange: a signal handler in between has released the lock by the time it returns.
        let is_mine = OWNER.load(Ordering::Relaxed) == me;
        OWNER.store(me, Ordering::Relaxed);
        // A guard only if the lock was free: dropping one releases the lock for the code that was
        // interrupted, too.
        return (!is_mine).then(|| Guard(()));
    }
    loop {
        match OWNER.compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return Some(Guard(())),
            Err(owner) if owner == me => return None,
            Err(_) => _ = call(libc::SYS_sched_yield, []),
        }
    }
}

/// Releases the lock in a forked child: the thread that held it exists only in the parent.
pub fn reset() {
    OWNER.store(0, Ordering::Relaxed);
}
