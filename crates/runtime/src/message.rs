//! Messages of the runtime on standard error.

use crate::system;
use libc::STDERR_FILENO;

/// Exit code of a target whose runtime cannot start.
const EXIT_CODE: i32 = 2;

/// Prints one line on standard error.
pub fn print(text: &[u8]) {
    for part in [b"cairn: ".as_slice(), text, b"\n"] {
        system::write(STDERR_FILENO, part);
    }
}

/// Prints one line and ends the process.
pub fn fatal(text: &[u8]) -> ! {
    print(text);
    system::exit(EXIT_CODE)
}
