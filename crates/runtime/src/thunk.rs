//! Doors to the slow path that leave every integer register as it was.
//!
//! Instrumented code calls these by LLVM's `preserve_most` convention, so that a rarely taken call costs
//! the fast path around it no spills. Rust cannot define such functions: the doors are assembly.

use crate::{log, ops, read, shadow};
use core::arch::global_asm;

macro_rules! doors {
    ($save:literal, $restore:literal; $($name:literal => $inside:path),* $(,)?) => {$(
        global_asm!(
            concat!(".globl ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push r10",
            $save,
            "call {inside}",
            $restore,
            "pop r10", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
            "ret",
            concat!(".size ", $name, ", . - ", $name),
            inside = sym $inside,
        );
    )*};
}

// With a result: seven registers saved, and the stack is aligned as a call wants it.
doors! {
    "", "";
    "__cairn_binary" => ops::binary,
    "__cairn_cast" => ops::cast,
    "__cairn_operate" => ops::operate,
    "__cairn_constant" => ops::constant,
    "__cairn_reverse" => ops::reverse,
    "__cairn_load" => shadow::load,
    "__cairn_load_wide" => shadow::load_wide,
    "__cairn_read" => read::read,
}

// Without one, the register for results must survive as well; twice, to keep the alignment.
doors! {
    "push rax; push rax", "pop rax; pop rax";
    "__cairn_branch" => ops::branch,
    "__cairn_pin" => ops::pin,
    "__cairn_lost" => ops::lost,
    "__cairn_foreign" => ops::foreign,
    "__cairn_callee" => log::callee,
    "__cairn_lost_memory" => shadow::lost_memory,
    "__cairn_store" => shadow::store,
    "__cairn_written" => read::written,
}
