//! What goes to standard error.

use std::fmt::Display;
use std::io::{Write, stderr};

/// Writes to standard error, in one piece. Whoever closed it does not want to know, and that is no reason to end.
pub fn tell(text: impl Display) {
    let _ = stderr().write_all(text.to_string().as_bytes());
}
