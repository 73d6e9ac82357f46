//! The thread-local block, by which instrumented functions pass labels of arguments and results; see
//! [`cairn_wire::tls`].

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

/// Returns this thread's block.
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

/// Sets the label of the result of the wrapper at `function`.
pub fn set_result(function: usize, label: u32) {
    let tls = tls();
    tls.results[0] = label;
    tls.tag = function as u64 + RETURNED;
}
