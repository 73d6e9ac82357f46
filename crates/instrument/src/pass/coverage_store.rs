//! Coverage stores: one store to a side's coverage byte, which the runtime can patch.
//!
//! The branch log needs every branch of a run, but few runs are logged. So the fast path contains no code for
//! it: the store is emitted as one instruction of seven bytes, its address goes into a section, and a runtime
//! that is asked for the log replaces it by a jump. The inline assembly clobbers what the code at the jump's
//! target needs (a register, the flags); at the beginning of a block that costs nothing.
//!
//! The section is linked to the function's own: a linker drops both or neither.

use crate::llvm::{Builder, Module, Value};
use cairn_wire::log;

/// Emits a store to the coverage byte with this constant address.
pub fn store_coverage(module: &Module, builder: &Builder, function: Value, byte: Value) -> Value {
    let text = with_address_record("movb $$1, ${0:c}(%rip)", 1);
    builder.assembly(module, (module.void(), &text, "i,^Ws,~{r11},~{flags}"), &[byte, function])
}

/// Emits a store to a coverage byte at a computed address.
pub fn store_coverage_at(module: &Module, builder: &Builder, function: Value, byte: Value) -> Value {
    let text = with_address_record("{disp32} movb $$1, 0(%rax)", 2);
    let constraints = "={rax},0,^Ws,~{r11},~{flags}";
    builder.assembly(module, (module.pointer(), &text, constraints), &[byte, function])
}

/// Returns the assembly of an instruction whose address is entered into the section; `function` is the number
/// of the operand that names the function it is in.
fn with_address_record(instruction: &str, function: u32) -> String {
    let section = log::SECTION;
    format!(
        "1: {instruction}\n\
         .pushsection {section},\"ao?\",@progbits,${{{function}:c}}\n\
         .balign 4\n\
         .long 1b-.\n\
         .popsection"
    )
}
