//! Callbacks to the user interface.

use crate::subject::RunSettings;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The user interface, as commands use it.
pub trait Frontend: Sync {
    /// Shows a warning.
    fn warn(&self, text: &str);

    /// Warns of directory entries that are not inputs.
    fn warn_left_out(&self, names: &str) {
        self.warn(&format!("left out: {names}"));
    }

    /// Parses the recorded command line of a `cairn run`; none if it is not one.
    fn parse_run(&self, words: &[OsString]) -> Option<RunSettings>;

    /// Returns a flag that is raised when the user asks for an end.
    fn stop_flag(&self) -> io::Result<Arc<AtomicBool>>;

    /// Begins a piece of work of `total` steps; the callback gets the number of steps done so far.
    fn begin(&self, what: &'static str, total: usize) -> Box<dyn FnMut(usize)>;
}
