//! Calls of uninstrumented functions: labels that they are given count as lost.

use crate::ops::lost;
use crate::outputs::__cairn_descriptors_change;
use crate::recorder::recorder;
use crate::tls::tls;
use cairn_wire::tls::{INSTRUMENTED, RETURNED};
use cairn_wire::{Loss, SiteRecord};
use core::ptr::null;

/// Handles the return of a callee. If it has left its tag, it is instrumented, which is cached; otherwise the
/// label that it was given counts as lost.
pub extern "C" fn callee_returned(record: *const SiteRecord, callee: u64, label: u32) {
    let tls = tls();
    if tls.tag == callee.wrapping_add(RETURNED) {
        tls.instrumented[(callee >> 4) as usize % INSTRUMENTED] = callee;
    } else {
        __cairn_descriptors_change();
        lost(record, label, Loss::Foreign as u32);
    }
}

/// Handles the start of a function of the program that is not instrumented: a loss if there is any symbolic
/// value that it could read.
pub extern "C" fn uninstrumented_body() {
    let recorder = recorder();
    if recorder.tracing {
        lost(null(), recorder.control().labels - 1, Loss::Instruction as u32);
    }
}
