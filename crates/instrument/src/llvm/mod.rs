//! A thin layer over the part of LLVM's C interface that the pass uses.
//!
//! Handles are plain copies of LLVM's pointers and live as long as their context, which the pass keeps until
//! the module is written: that is why each call in here is sound. Everything else in this crate is safe code.

mod builder;
mod module;
mod value;

pub use builder::Builder;
pub use llvm_sys::{
    LLVMAtomicRMWBinOp as AtomicOp, LLVMIntPredicate as Predicate, LLVMLinkage as Linkage,
    LLVMOpcode as Opcode, LLVMTypeKind as TypeKind,
};
pub use module::Module;

use llvm_sys::prelude::*;
use std::ffi::{CStr, c_char};

const NAMELESS: *const c_char = c"".as_ptr();

/// A value: instruction, constant, argument, global or function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value(LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block(LLVMBasicBlockRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(LLVMTypeRef);

/// Source position of an instruction or function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Location {
    /// File name as given to the compiler.
    pub file: String,
    /// Line, 0 if unknown.
    pub line: u32,
    /// Column, 0 if unknown.
    pub column: u32,
}

/// Converts a string that LLVM has allocated, and frees it.
fn message(text: *mut c_char) -> String {
    // SAFETY: LLVM hands over a C string that is ours to dispose of.
    unsafe {
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        llvm_sys::core::LLVMDisposeMessage(text);
        owned
    }
}

fn bytes_to_string(text: *const c_char, len: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gives the length of what it points to.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn chain<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> impl Iterator<Item = *mut T> {
    std::iter::successors((!first.is_null()).then_some(first), move |at| {
        let after = next(*at);
        (!after.is_null()).then_some(after)
    })
}
