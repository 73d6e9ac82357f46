//! One writer at a time, for targets with threads.

use crate::persistent::call;
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

unsafe extern "C" {
    /// Not 0 as long as the process has never had a second thread.
    static __libc_single_threaded: u8;
}

fn is_alone() -> bool {
    // SAFETY: glibc changes it before it starts a thread, in this one.
    unsafe { (&raw const __libc_single_threaded).read_volatile() != 0 }
}

/// Waits for its turn; `None` if this very thread is the one that writes.
pub fn take() -> Option<Guard> {
    let me = tls() as *const _ as usize;
    if is_alone() {
        // Not even a signal handler is in the way: whatever it takes it has given back when this goes on.
        let is_mine = OWNER.load(Ordering::Relaxed) == me;
        OWNER.store(me, Ordering::Relaxed);
        // Made only if it is held: letting go of another's would be as bad as two writers.
        return (!is_mine).then(|| Guard(()));
    }
    loop {
        match OWNER.compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return Some(Guard(())),
            Err(owner) if owner == me => return None,
            // Gives the processor to the writer, which is never far from done.
            Err(_) => _ = call(libc::SYS_sched_yield, []),
        }
    }
}

/// In a child of a forked program nobody writes: whoever did was left behind.
pub fn forget() {
    OWNER.store(0, Ordering::Relaxed);
}
