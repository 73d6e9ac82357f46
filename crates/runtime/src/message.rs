//! The few words the runtime says itself.

use crate::system;
use libc::STDERR_FILENO;

/// Exit code of a target whose runtime cannot work.
const EXIT_CODE: i32 = 2;

/// Says one sentence on standard error.
pub fn say(text: &[u8]) {
    for part in [b"cairn: ".as_slice(), text, b"\n"] {
        system::write(STDERR_FILENO, part);
    }
}

/// Says one sentence and ends the process.
pub fn fatal(text: &[u8]) -> ! {
    say(text);
    system::exit(EXIT_CODE)
}
