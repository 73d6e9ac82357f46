//! The thread-local block of this thread; see [`cairn_wire::tls`] for its use.

use crate::admission::admit;
use cairn_wire::tls::{RETURNED, Tls};
use core::arch::{asm, global_asm};

global_asm!(
    ".section .tbss.__cairn_tls,\"awT\",@nobits",
    ".globl __cairn_tls",
    ".type __cairn_tls,@object",
    ".balign 16",
    "__cairn_tls:",
    ".zero {size}",
    ".size __cairn_tls, {size}",
    ".text",
    size = const size_of::<Tls>(),
);

/// This thread's block.
pub fn tls() -> &'static mut Tls {
    let block: *mut Tls;
    // SAFETY: the initial-exec sequence: thread pointer plus the offset the linker filled in.
    unsafe {
        asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + __cairn_tls@GOTTPOFF]",
            out(reg) block,
            options(pure, nomem, nostack)
        );
        &mut *block
    }
}

/// Label of argument `index` of the wrapper at `function`, which is `value` of `width` bits there. Programs may declare
/// the function otherwise: the label is converted as the value was.
pub fn argument(function: usize, index: usize, width: u32, value: u64) -> u32 {
    let tls = tls();
    if tls.tag == function as u64 { admit(width, tls.args[index], value, 0) } else { 0 }
}

/// Returns a label from the wrapper at `function`.
pub fn give_result(function: usize, label: u32) {
    let tls = tls();
    tls.results[0] = label;
    tls.tag = function as u64 + RETURNED;
}
