//! Marking a branch: one store into its coverage byte, which the runtime can find.
//!
//! The branch log has to see every branch of a run, but few runs are logged. So there is no code for it at all: the store
//! is spelled out as one instruction of seven bytes, its address goes into a section, and a runtime that is asked for
//! the log puts a jump in its place. What the code at the other end of the jump needs (a register, the flags) is clobbered
//! here; at the beginning of a block that costs nothing.
//!
//! The section goes with the function's own: where a linker drops one it drops the other.

use crate::llvm::{Builder, Module, Value};
use cairn_wire::log;

/// Marks the branch whose coverage byte this constant is the address of.
pub fn mark(module: &Module, builder: &Builder, function: Value, byte: Value) -> Value {
    let text = noted("movb $$1, ${0:c}(%rip)", 1);
    builder.assembly(module, (module.void(), &text, "i,^Ws,~{r11},~{flags}"), &[byte, function])
}

/// The same of a byte whose address is computed.
pub fn mark_at(module: &Module, builder: &Builder, function: Value, byte: Value) -> Value {
    let text = noted("{disp32} movb $$1, 0(%rax)", 2);
    let constraints = "={rax},0,^Ws,~{r11},~{flags}";
    builder.assembly(module, (module.pointer(), &text, constraints), &[byte, function])
}

/// An instruction whose address is in the section; the operand of this number is the function it is in.
fn noted(instruction: &str, function: u32) -> String {
    let section = log::SECTION;
    format!(
        "1: {instruction}\n\
         .pushsection {section},\"ao?\",@progbits,${{{function}:c}}\n\
         .balign 4\n\
         .long 1b-.\n\
         .popsection"
    )
}
