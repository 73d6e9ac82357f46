//! Compiles tapes to machine code with Cranelift.
//!
//! Compilation is tuned for speed, not for the code's quality: a tape is one basic block, and compiling takes
//! longer than running. The code calls nothing but the two functions in `helpers`, at absolute addresses, so
//! it needs no linking: it is copied to pages of its own, which are freed with the [`Native`]. Only for
//! x86-64, whose float operations are what the reference semantics define, down to the bits of NaN.

mod emit;
mod float;
mod helpers;
mod integer;
mod memory;

use super::Tape;
use super::step::TapeStep;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use memmap2::{Mmap, MmapMut};
use std::cell::Cell;

/// Zeros after a table's bytes: as many as the widest read has.
const PADDING: usize = 16;

/// Memory whose addresses are in the compiled code.
struct Kept {
    /// The tape's steps with operands renumbered 0, 1 and 2: the arguments of helpers.
    steps: Box<[TapeStep]>,
    /// Bytes of the tables, padded; the code writes those that are not constant before it reads.
    tables: Vec<Box<[Cell<u8>]>>,
}

impl Kept {
    fn new(tape: &Tape) -> Kept {
        let renumbered = |mut step: TapeStep| {
            for (number, operand) in (0..).zip(step.operands_mut().into_iter().flatten()) {
                *operand = number;
            }
            step
        };
        let padded = |bytes: &[u8]| bytes.iter().copied().chain([0; PADDING]).map(Cell::new).collect();
        Kept {
            steps: tape.steps.iter().copied().map(renumbered).collect(),
            tables: tape.tables.iter().map(|table| padded(&table.bytes)).collect(),
        }
    }
}

/// A tape as machine code.
pub(crate) struct Native {
    code: Mmap,
    /// Used by the code only.
    _kept: Kept,
    inputs: usize,
    roots: usize,
}

impl Native {
    /// Computes all roots for these values of the bytes, into `out`.
    pub(crate) fn run(&self, input: &[u8], out: &mut [u128]) {
        assert!(input.len() >= self.inputs && out.len() >= self.roots, "every byte and root has its place");
        // SAFETY: the pages hold a whole function of this signature, made by `Compiler::compile`. It reads
        // the first `inputs` bytes of the input and writes the first `roots` places of `out`, which are
        // there; all else it touches is its stack and `_kept`, which lives as long as the code and is no
        // other thread's.
        unsafe {
            let function: extern "C" fn(*const u8, *mut u128) = std::mem::transmute(self.code.as_ptr());
            function(input.as_ptr(), out.as_mut_ptr());
        }
    }

    /// Returns its size in bytes.
    pub(crate) fn size(&self) -> usize {
        let tables: usize = self._kept.tables.iter().map(|table| table.len()).sum();
        self.code.len().next_multiple_of(4096) + tables + size_of_val(&*self._kept.steps)
    }
}

/// The compiler, and its buffers.
pub(crate) struct Compiler {
    isa: OwnedTargetIsa,
    context: Context,
}

impl Compiler {
    /// Returns a compiler for this machine; `None` if it is not supported.
    pub(crate) fn new() -> Option<Compiler> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "none"),
            ("regalloc_algorithm", "single_pass"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
            ("is_pic", "false"),
            ("unwind_info", "false"),
            ("enable_probestack", "false"),
        ] {
            flags.set(name, value).ok()?;
        }
        let builder = cranelift_native::builder().ok().filter(|_| cfg!(target_arch = "x86_64"))?;
        let isa = builder.finish(settings::Flags::new(flags)).ok()?;
        Some(Compiler { isa, context: Context::new() })
    }

    /// Compiles a tape; `None` if Cranelift cannot, or if the code would need linking.
    pub(crate) fn compile(&mut self, tape: &Tape) -> Option<Native> {
        let kept = Kept::new(tape);
        self.context.clear();
        emit::function(&mut self.context.func, self.isa.default_call_conv(), tape, &kept);
        let compiled = self.context.compile(&*self.isa, &mut ControlPlane::default()).ok()?;
        if !compiled.buffer.relocs().is_empty() {
            return None;
        }
        let bytes = compiled.code_buffer();
        let mut pages = MmapMut::map_anon(bytes.len()).ok()?;
        pages.copy_from_slice(bytes);
        let code = pages.make_exec().ok()?;
        Some(Native { code, _kept: kept, inputs: tape.inputs(), roots: tape.roots.len() })
    }
}
