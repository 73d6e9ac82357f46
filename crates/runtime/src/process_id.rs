//! Process ids as the program sees them: every run has that of the first one (`libc/process.c`).

use crate::syscall::call;
use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// Id of the first run, which follows that of the fork server: small and constant in a pid namespace.
static SEEN: AtomicI32 = AtomicI32::new(0);
/// Id of the process that makes this run; 0 in a process that no fork server has started.
static REAL: AtomicI32 = AtomicI32::new(0);

/// Notes the process of a run, whose parent is the fork server.
pub fn begin_run() {
    SEEN.store(call(libc::SYS_getppid, []) as c_int + 1, Relaxed);
    REAL.store(call(libc::SYS_getpid, []) as c_int, Relaxed);
}

/// Returns the id that the program sees for a process.
#[unsafe(no_mangle)]
extern "C" fn __cairn_seen_process(process: c_int) -> c_int {
    if process == REAL.load(Relaxed) { SEEN.load(Relaxed) } else { process }
}

/// Returns the id of the process that the program means.
#[unsafe(no_mangle)]
extern "C" fn __cairn_real_process(process: c_int) -> c_int {
    let (seen, real) = (SEEN.load(Relaxed), REAL.load(Relaxed));
    if process == seen && real != 0 { real } else { process }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_alone_has_another_id() {
        let _lock = crate::host::exclusive();
        assert_eq!((__cairn_seen_process(77), __cairn_real_process(77)), (77, 77));
        begin_run();
        let (real, seen) = (REAL.load(Relaxed), SEEN.load(Relaxed));
        assert_eq!((__cairn_seen_process(real), __cairn_real_process(seen)), (seen, real));
        let other = real.max(seen) + 1;
        assert_eq!((__cairn_seen_process(other), __cairn_real_process(other)), (other, other));
    }
}
