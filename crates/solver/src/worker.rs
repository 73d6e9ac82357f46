//! A backend in a process of its own, which is killed if it does not answer in time.
//!
//! Libraries look at a clock, or for an interrupt, where their authors thought of it. Z3 does not while it simplifies and
//! turns terms into gates, which took 46 s of a limit of 1 s; nor can it be stopped from another thread there. Killing a
//! process always works, and what a backend does wrong (memory, a stack that overflows, a crash) stays in it.
//!
//! The process is this program again, started with [`set_command`]'s words and the memory it may use; it calls [`serve`], which answers queries
//! from its standard input, a socket. It has a table of expressions of its own and is sent the rows it has not got
//! ([`cairn_expr::Sender`]), so that a query costs what is new in it.

mod client;
mod message;
mod server;

pub use client::Worker;
pub use server::serve;

use std::ffi::OsString;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

static COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();
/// Workers that are there, by process id.
static WORKERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Says with which arguments this program calls [`serve`]; the memory limit in bytes follows as one more. Until then backends run in this process, where their time
/// limits are not kept at all costs.
pub fn set_command(arguments: impl IntoIterator<Item = impl Into<OsString>>) {
    // Said before: it is the same program still.
    let _ = COMMAND.set(arguments.into_iter().map(Into::into).collect());
}

/// Pages of memory that all workers of this process take.
pub fn resident_pages() -> u64 {
    let pages = |id: &u32| {
        let text = std::fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
        text.split(' ').nth(1)?.parse::<u64>().ok()
    };
    workers().iter().filter_map(pages).sum()
}

fn workers() -> MutexGuard<'static, Vec<u32>> {
    WORKERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Arguments with which this program is a worker.
pub(crate) fn command() -> Option<&'static [OsString]> {
    COMMAND.get().map(Vec::as_slice)
}
