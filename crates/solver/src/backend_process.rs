//! A backend in a process of its own, which is killed if it does not answer in time.
//!
//! A library checks its clock, or for an interrupt, only at some points. Z3 does not while it simplifies and
//! bit-blasts terms, which took 46 s of a limit of 1 s; nor can it be stopped from another thread there.
//! Killing a process always works, and the faults of a backend (memory, stack overflow, a crash) stay in it.
//!
//! The process is this program again, started with the arguments of [`set_command`] and the memory it may
//! use; it calls [`serve`], which answers queries from its standard input, a socket. It has a DAG of its own
//! and is sent the expressions it lacks ([`cairn_expr::Sender`]), so that a query costs what is new in it.

mod client;
mod message;
mod server;

pub use client::BackendProcess;
pub use server::serve;

use std::ffi::OsString;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

static COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();
/// Running processes, by process id.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Sets the arguments with which this program calls [`serve`]; the memory limit in bytes follows as one more.
/// Until then backends run in this process, where their time limits depend on their own checks.
pub fn set_command(arguments: impl IntoIterator<Item = impl Into<OsString>>) {
    // Set before: it is still the same program.
    let _ = COMMAND.set(arguments.into_iter().map(Into::into).collect());
}

/// Returns the resident pages of all backend processes that this one has started.
pub fn resident_pages() -> u64 {
    let pages = |id: &u32| {
        let text = std::fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
        text.split(' ').nth(1)?.parse::<u64>().ok()
    };
    running().iter().filter_map(pages).sum()
}

fn running() -> MutexGuard<'static, Vec<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the arguments with which this program becomes a backend process.
pub(crate) fn command() -> Option<&'static [OsString]> {
    COMMAND.get().map(Vec::as_slice)
}
