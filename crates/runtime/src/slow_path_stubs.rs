//! Doors to the slow path that leave every integer register as it was.
//!
//! Instrumented code calls these by LLVM's `preserve_most` convention, so that a rarely taken call costs
//! the fast path around it no spills. Rust cannot define such functions: the doors are assembly.

use crate::state::{self, STATE};
use crate::{admission, float, log, ops, outputs, read, shadow, size, table, uninstrumented_calls};
use cairn_wire::shadow::{ADDRESS_MASK, BASE, LABEL_BITS, SCALE_SHIFT, word};
use core::arch::global_asm;

macro_rules! doors {
    ($save:literal, $restore:literal; $($name:literal, $first:expr => $inside:path $({ $($operand:tt)* })?),* $(,)?) => {$(
        global_asm!(
            concat!(".globl ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            $first,
            "3:",
            "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push r10",
            $save,
            "call {inside}",
            $restore,
            "pop r10", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
            "ret",
            concat!(".size ", $name, ", . - ", $name),
            inside = sym $inside,
            $($($operand)*)?
        );
    )*};
}

// What comes before a door: most calls of a slow block are for values that have no label after all, and need not go through. A block
// is entered when anything in it has one.
macro_rules! unless {
    // Neither of the labels, with 0 as the result.
    (both_concrete) => {
        "mov eax, esi; or eax, edx; jnz 3f; ret"
    };
    // The same where a record comes first, without a result.
    (both_concrete_in_record) => {
        "mov r11d, edx; or r11d, ecx; jnz 3f; ret"
    };
    // The label, with 0 as the result.
    (concrete) => {
        "mov eax, esi; test eax, eax; jnz 3f; ret"
    };
    // The label, without a result.
    (concrete_and_silent) => {
        "test esi, esi; jnz 3f; ret"
    };
    // The memory at an address, with 0 as the result, nor if all of it is a value that was stored whole and is still there, whose
    // label is the result. Sizes that are rare go through.
    (memory_plain($address:literal, $size:literal, $value:literal)) => {
        concat!(
            "movabs r11, 0xfffffffffff; and r11, ", $address, "; movabs rax, 0x100000000000; lea r11, [rax + 4 * r11];",
            "cmp ", $size, ", 1; je 4f; cmp ", $size, ", 8; je 5f; cmp ", $size, ", 4; jne 3f;",
            // Four words: all 0, or one label whose bytes are numbered.
            "movdqu xmm0, xmmword ptr [r11]; movq rax, xmm0; or rax, qword ptr [r11 + 8]; jz 6f;",
            "psubd xmm0, xmmword ptr [rip + {numbers}]; pshufd xmm1, xmm0, 0; pcmpeqd xmm0, xmm1; pmovmskb eax, xmm0;",
            "cmp eax, 0xffff; jne 3f; movd eax, xmm1;",
            unless!(value_there($value, "{word}")),
            // Eight words likewise.
            "5: movdqu xmm0, xmmword ptr [r11]; movdqu xmm2, xmmword ptr [r11 + 16]; movdqa xmm1, xmm0; por xmm1, xmm2;",
            "pxor xmm3, xmm3; pcmpeqd xmm1, xmm3; pmovmskb eax, xmm1; xor eax, 0xffff; jz 6f;",
            "psubd xmm0, xmmword ptr [rip + {numbers}]; psubd xmm2, xmmword ptr [rip + {numbers} + 16];",
            "pshufd xmm1, xmm0, 0; pcmpeqd xmm0, xmm1; pcmpeqd xmm2, xmm1; pand xmm0, xmm2; pmovmskb eax, xmm0;",
            "cmp eax, 0xffff; jne 3f; movd eax, xmm1;",
            unless!(value_there($value, "{long}")),
            // One word: 0, or a label by itself.
            "4: mov eax, dword ptr [r11]; test eax, eax; jz 6f;",
            unless!(value_there($value, "{byte}")),
            "6: ret",
        )
    };
    // In eax there is a label that the table has, of this size and value; it is the result. What has other bits above the label is larger
    // than any table.
    (value_there($value:literal, $code:literal)) => {
        concat!(
            "cmp eax, dword ptr [rip + {state} + {capacity}]; jae 3f; cmp byte ptr [rip + {state} + {checking}], 0; jne 3f;",
            "mov r11, qword ptr [rip + {state} + {own}]; shl rax, 4; add r11, rax; shr rax, 4;",
            "cmp qword ptr [r11 + {value}], ", $value, "; jne 3f;",
            "mov r11d, dword ptr [r11 + {next}]; shr r11d, {label_bits}; cmp r11d, ", $code, "; jne 3f; ret;",
        )
    };
    // The label of an address, nor the memory there, likewise.
    (read_plain($address:literal, $size:literal, $value:literal)) => {
        concat!("test esi, esi; jnz 3f;", unless!(memory_plain($address, $size, $value)))
    };
}

/// What the shadow of a value has beside its label, byte by byte.
#[repr(align(16))]
struct Numbers(#[expect(dead_code, reason = "doors read it")] [u32; 8]);

static NUMBERS: Numbers =
    Numbers([word(0, 0), word(0, 1), word(0, 2), word(0, 3), word(0, 4), word(0, 5), word(0, 6), word(0, 7)]);

const _: () = assert!(ADDRESS_MASK == 0xfff_ffff_ffff && BASE == 0x1000_0000_0000 && SCALE_SHIFT == 2);

// With a result: seven registers saved, and the stack is aligned as a call wants it.
doors! {
    "", "";
    "__cairn_binary", unless!(both_concrete) => ops::binary,
    "__cairn_cast", unless!(concrete) => ops::cast,
    "__cairn_operate", unless!(concrete) => ops::operate,
    "__cairn_constant", "" => ops::constant,
    "__cairn_admit", unless!(concrete) => admission::admit,
    "__cairn_reverse", unless!(concrete) => ops::reverse,
    "__cairn_load_wide", "" => shadow::load_wide,
    "__cairn_behind", "" => uninstrumented_calls::behind,
    "__cairn_listed", "" => outputs::listed,
}

// Doors that look at what is kept of labels.
macro_rules! loading_doors {
    ($($name:literal, $first:expr => $inside:path),* $(,)?) => {
        doors! { "", ""; $($name, $first => $inside {
            state = sym STATE,
            checking = const state::CHECKING,
            capacity = const state::TABLE + table::CAPACITY,
            own = const state::TABLE + table::OWN,
            value = const table::VALUE,
            next = const table::NEXT,
            byte = const table::BYTE,
            word = const table::WORD,
            long = const table::LONG,
            numbers = sym NUMBERS,
            label_bits = const LABEL_BITS,
        }),* }
    };
}

loading_doors! {
    "__cairn_load", unless!(memory_plain("rdi", "esi", "rdx")) => shadow::load,
    "__cairn_read", unless!(read_plain("rdx", "r8b", "r9")) => read::read,
}

// Without one, the register for results must survive as well; twice, to keep the alignment.
doors! {
    "push rax; push rax", "pop rax; pop rax";
    "__cairn_branch", unless!(concrete_and_silent) => ops::branch,
    "__cairn_decide", unless!(both_concrete_in_record) => ops::decide,
    "__cairn_concretize", unless!(concrete_and_silent) => ops::pin,
    "__cairn_lost", unless!(concrete_and_silent) => ops::lost,
    "__cairn_uninstrumented", "" => uninstrumented_calls::foreign,
    "__cairn_errno", "" => float::errno,
    "__cairn_unfollowed", "" => uninstrumented_calls::unfollowed,
    "__cairn_reserve", unless!(concrete_and_silent) => size::reserve,
    "__cairn_output", unless!(concrete_and_silent) => outputs::output,
    "__cairn_callee", "" => log::callee,
    "__cairn_lost_memory", "" => shadow::lost_memory,
    "__cairn_store", "" => shadow::store,
    "__cairn_written", unless!(concrete_and_silent) => read::written,
}
