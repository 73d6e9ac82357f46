//! The instrumenting compiler: an LLVM pass and the `cairn cc` driver around it.
//!
//! The only crate that depends on LLVM.

pub mod build_record;
pub mod driver;
mod elf_section;
mod llvm;
mod pass;
mod symbols;

pub use pass::Pass;
