//! Slow-path stubs: the runtime's entry points for instrumented code, which preserve every integer register.
//!
//! Instrumented code calls them by LLVM's `preserve_most` convention, so that a rarely executed call costs
//! the fast path around it no spills. Rust cannot define such functions: the stubs are assembly. A stub
//! consists of an early exit, which returns at once if no operand has a label, and a call of the Rust
//! function with all registers saved.

use crate::recorder::{CHECKING_OFFSET, RECORDER, TABLE_OFFSET};
use crate::{
    admission, float, indirect_calls, ops, outputs, reachable, shadow, size, symbolic_access, table,
    uninstrumented_calls,
};
use cairn_wire::shadow::{ADDRESS_MASK, BASE, LABEL_BITS, SCALE_SHIFT, word};
use core::arch::global_asm;

/// Defines stubs: name, early exit, function.
macro_rules! stubs {
    ($save:literal, $restore:literal; $($name:literal, $first:expr => $function:path $({ $($operand:tt)* })?),* $(,)?) => {$(
        global_asm!(
            concat!(".globl ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            $first,
            "3:",
            "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push r10",
            $save,
            "call {function}",
            $restore,
            "pop r10", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
            "ret",
            concat!(".size ", $name, ", . - ", $name),
            function = sym $function,
            $($($operand)*)?
        );
    )*};
}

// Early exits. A slow path is entered if any value in its segment has a label, so most of its calls are for
// values that have none. Label 3 of a stub is its call.
macro_rules! return_if {
    // Both labels are 0; the result is 0.
    (both_concrete) => {
        "mov eax, esi; or eax, edx; jnz 3f; ret"
    };
    // The same with a site record as first argument, without a result.
    (both_concrete_after_record) => {
        "mov r11d, edx; or r11d, ecx; jnz 3f; ret"
    };
    // The label is 0; so is the result.
    (concrete) => {
        "mov eax, esi; test eax, eax; jnz 3f; ret"
    };
    // The label is 0; there is no result.
    (concrete_without_result) => {
        "test esi, esi; jnz 3f; ret"
    };
    // The memory at an address has no label, and the result is 0; or all of it is one value that was stored
    // whole and not overwritten, and the result is its label. Only for 1, 4 and 8 bytes.
    (memory_simple($address:literal, $size:literal, $value:literal)) => {
        concat!(
            "movabs r11, 0xfffffffffff; and r11, ", $address, "; movabs rax, 0x100000000000; lea r11, [rax + 4 * r11];",
            "cmp ", $size, ", 1; je 4f; cmp ", $size, ", 8; je 5f; cmp ", $size, ", 4; jne 3f;",
            // Four shadow words: all 0, or the numbered bytes of one label.
            "movdqu xmm0, xmmword ptr [r11]; movq rax, xmm0; or rax, qword ptr [r11 + 8]; jz 6f;",
            "psubd xmm0, xmmword ptr [rip + {numbers}]; pshufd xmm1, xmm0, 0; pcmpeqd xmm0, xmm1; pmovmskb eax, xmm0;",
            "cmp eax, 0xffff; jne 3f; movd eax, xmm1;",
            return_if!(has_value($value, "{word}")),
            // Eight shadow words likewise.
            "5: movdqu xmm0, xmmword ptr [r11]; movdqu xmm2, xmmword ptr [r11 + 16]; movdqa xmm1, xmm0; por xmm1, xmm2;",
            "pxor xmm3, xmm3; pcmpeqd xmm1, xmm3; pmovmskb eax, xmm1; xor eax, 0xffff; jz 6f;",
            "psubd xmm0, xmmword ptr [rip + {numbers}]; psubd xmm2, xmmword ptr [rip + {numbers} + 16];",
            "pshufd xmm1, xmm0, 0; pcmpeqd xmm0, xmm1; pcmpeqd xmm2, xmm1; pand xmm0, xmm2; pmovmskb eax, xmm0;",
            "cmp eax, 0xffff; jne 3f; movd eax, xmm1;",
            return_if!(has_value($value, "{long}")),
            // One shadow word: 0, or a label.
            "4: mov eax, dword ptr [r11]; test eax, eax; jz 6f;",
            return_if!(has_value($value, "{byte}")),
            "6: ret",
        )
    };
    // The label in eax has this size and value; it is the result. A shadow word with a byte number above the
    // label exceeds every table's capacity.
    (has_value($value:literal, $code:literal)) => {
        concat!(
            "cmp eax, dword ptr [rip + {recorder} + {capacity}]; jae 3f; cmp byte ptr [rip + {recorder} + {checking}], 0; jne 3f;",
            "mov r11, qword ptr [rip + {recorder} + {info}]; shl rax, 4; add r11, rax; shr rax, 4;",
            "cmp qword ptr [r11 + {value}], ", $value, "; jne 3f;",
            "mov r11d, dword ptr [r11 + {next_use}]; shr r11d, {label_bits}; cmp r11d, ", $code, "; jne 3f; ret;",
        )
    };
    // The label of an address is 0, and the memory there is as above.
    (read_simple($address:literal, $size:literal, $value:literal)) => {
        concat!("test esi, esi; jnz 3f;", return_if!(memory_simple($address, $size, $value)))
    };
}

/// Byte numbers that shadow words have above the label.
#[repr(align(16))]
struct ByteNumbers(#[expect(dead_code, reason = "stubs read it")] [u32; 8]);

static BYTE_NUMBERS: ByteNumbers = ByteNumbers([
    word(0, 0),
    word(0, 1),
    word(0, 2),
    word(0, 3),
    word(0, 4),
    word(0, 5),
    word(0, 6),
    word(0, 7),
]);

const _: () = assert!(ADDRESS_MASK == 0xfff_ffff_ffff && BASE == 0x1000_0000_0000 && SCALE_SHIFT == 2);

// Stubs with a result: seven saved registers leave the stack aligned for a call.
stubs! {
    "", "";
    "__cairn_binary", return_if!(both_concrete) => ops::binary,
    "__cairn_cast", return_if!(concrete) => ops::cast,
    "__cairn_operate", return_if!(concrete) => ops::operate,
    "__cairn_constant", "" => ops::constant,
    "__cairn_validate_label", return_if!(concrete) => admission::validate,
    "__cairn_reverse", return_if!(concrete) => ops::reverse,
    "__cairn_load_wide", "" => shadow::load_wide,
    "__cairn_reachable_label", "" => reachable::reachable_label,
    "__cairn_va_list_label", "" => outputs::va_list_label,
}

// Stubs that read the label table.
macro_rules! loading_stubs {
    ($($name:literal, $first:expr => $function:path),* $(,)?) => {
        stubs! { "", ""; $($name, $first => $function {
            recorder = sym RECORDER,
            checking = const CHECKING_OFFSET,
            capacity = const TABLE_OFFSET + table::CAPACITY_OFFSET,
            info = const TABLE_OFFSET + table::INFO_OFFSET,
            value = const table::VALUE_OFFSET,
            next_use = const table::NEXT_USE_OFFSET,
            byte = const table::BYTE_CODE,
            word = const table::WORD_CODE,
            long = const table::LONG_CODE,
            numbers = sym BYTE_NUMBERS,
            label_bits = const LABEL_BITS,
        }),* }
    };
}

loading_stubs! {
    "__cairn_load", return_if!(memory_simple("rdi", "esi", "rdx")) => shadow::load,
    "__cairn_symbolic_load", return_if!(read_simple("rdx", "r8b", "r9")) => symbolic_access::symbolic_load,
}

// Stubs without a result: rax must survive as well, and is saved twice to keep the stack aligned.
stubs! {
    "push rax; push rax", "pop rax; pop rax";
    "__cairn_branch", return_if!(concrete_without_result) => ops::branch,
    "__cairn_decide", return_if!(both_concrete_after_record) => ops::decide,
    "__cairn_concretize", return_if!(concrete_without_result) => ops::concretize,
    "__cairn_lost", return_if!(concrete_without_result) => ops::lost,
    "__cairn_uninstrumented", "" => uninstrumented_calls::callee_returned,
    "__cairn_errno", "" => float::errno,
    "__cairn_unfollowed", "" => uninstrumented_calls::uninstrumented_body,
    "__cairn_reserve", return_if!(concrete_without_result) => size::reserve,
    "__cairn_output", return_if!(concrete_without_result) => outputs::output,
    "__cairn_callee", "" => indirect_calls::callee,
    "__cairn_lost_memory", "" => shadow::lost_memory,
    "__cairn_store", "" => shadow::store,
    "__cairn_symbolic_store", return_if!(concrete_without_result) => symbolic_access::symbolic_store,
}
