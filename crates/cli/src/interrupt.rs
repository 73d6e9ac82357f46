//! Ctrl-C: the first stops the campaign gracefully, the second ends `cairn` at once.

use crate::failure::FAILED;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns a flag that is raised by the first SIGINT or SIGTERM.
pub fn flag() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the shutdown checks the flag before the same signal raises it.
        register_conditional_shutdown(signal, FAILED.into(), Arc::clone(&flag))?;
        register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}
