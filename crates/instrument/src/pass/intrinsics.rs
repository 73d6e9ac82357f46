//! The intrinsics the pass knows.

use crate::llvm::Value;

/// What an intrinsic means to the pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    /// `llvm.memcpy`, `llvm.memmove` and their kin: target, source, length.
    Copy,
    /// `llvm.memset`: target, byte, length.
    Fill,
    /// `llvm.va_start`.
    VaStart,
    /// `llvm.va_copy`: target, source.
    VaCopy,
    /// Its first operand, unchanged.
    Expect,
    /// The bytes of its operand in reverse order.
    ByteSwap,
    /// Anything else: the result is concrete.
    Other,
}

/// The intrinsic a callee is, if it is one.
pub fn intrinsic(callee: Value) -> Option<Intrinsic> {
    if !callee.is_function() {
        return None;
    }
    let name = callee.name();
    let name = name.strip_prefix("llvm.")?;
    let is =
        |stem: &str| name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    Some(match name {
        _ if is("memcpy") || is("memmove") => Intrinsic::Copy,
        _ if is("memset") => Intrinsic::Fill,
        _ if is("va_start") => Intrinsic::VaStart,
        _ if is("va_copy") => Intrinsic::VaCopy,
        _ if is("expect") => Intrinsic::Expect,
        _ if is("bswap") => Intrinsic::ByteSwap,
        _ => Intrinsic::Other,
    })
}
