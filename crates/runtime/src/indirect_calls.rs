//! Calls through pointers, noted for strategies that need to know the callees.

use crate::{crash, lock, recorder};
use cairn_wire::log::Callee;

/// Notes the callee of a call through a pointer to functions of this type, if it is the program's own code.
pub extern "C" fn callee(type_hash: u64, address: u64) {
    let code = crash::code();
    if !code.contains(&(address as usize)) {
        return;
    }
    let callee = Callee { type_hash, offset: address - code.start as u64 };
    if let Some(_guard) = lock::take() {
        recorder::recorder().log.add_callee(callee);
    }
}
