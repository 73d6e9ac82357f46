//! The few words the runtime says itself.

use libc::{STDERR_FILENO, c_void};

/// Exit code of a target whose runtime cannot work.
const EXIT_CODE: i32 = 2;

/// Says one sentence on standard error.
pub fn say(text: &[u8]) {
    for part in [b"cairn: ".as_slice(), text, b"\n"] {
        // SAFETY: the buffer is valid for its length; a failed write is nobody's concern.
        unsafe { libc::write(STDERR_FILENO, part.as_ptr() as *const c_void, part.len()) };
    }
}

/// Says one sentence and ends the process.
pub fn fatal(text: &[u8]) -> ! {
    say(text);
    // SAFETY: ends the process, returns never.
    unsafe { libc::_exit(EXIT_CODE) }
}
