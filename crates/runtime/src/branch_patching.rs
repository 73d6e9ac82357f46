//! Branch patching: makes the program's code log its branches, if a strategy asks for the branch log.
//!
//! Instrumented code records the coverage of a branch by one store instruction of seven bytes
//! (`pass/coverage_store.rs` in the compiler), whose address the compiler lists. Here each such store is
//! overwritten with a jump to a trampoline, which does the store, logs the branch and jumps back. Trampolines
//! may use r11 and the flags; a store with a computed address has it in rax, which may change as well. They
//! never use the stack: the red zone below the stack pointer may be in use.

use crate::log_cursor;
use crate::memory;
use cairn_wire::log::Open;
use core::arch::global_asm;
use core::mem::offset_of;
use core::ops::Range;
use core::slice::from_raw_parts;

/// Bytes of a coverage store.
const STORE: usize = 7;
/// Room for one trampoline.
const STRIDE: usize = 64;

// A program without branches has no such section.
global_asm!(
    ".section .data.rel.ro.__cairn_edges,\"aw\",@progbits",
    ".weak __start_cairn_edge",
    ".weak __stop_cairn_edge",
    ".globl __cairn_edges",
    ".hidden __cairn_edges",
    ".balign 8",
    "__cairn_edges:",
    ".quad __start_cairn_edge, __stop_cairn_edge",
    ".text",
);

unsafe extern "C" {
    static __cairn_edges: [usize; 2];
    static __start_cairn_cov: u8;
}

/// Target of a coverage store.
#[derive(Clone, Copy)]
enum CoverageStore {
    /// This coverage byte.
    Byte(usize),
    /// The coverage byte whose address is in rax.
    Computed,
}

/// Patches every coverage store of the program; false, with nothing changed, if the system does not allow it.
pub fn patch_branches() -> bool {
    let Some(code) = patched_code() else { return true };
    let count = store_addresses().count();
    let Some(room) = memory::reserve_near(&code, count * STRIDE) else { return false };
    let pairs = || store_addresses().zip((room as usize..).step_by(STRIDE));
    for (address, trampoline) in pairs() {
        let Some(store) = decode_store(address) else { return false };
        write_trampoline(address, store, trampoline);
    }
    if !memory::make_executable(room, count * STRIDE) || !memory::make_writable(&code, true) {
        return false;
    }
    for (address, trampoline) in pairs() {
        CodeWriter(address).bytes(&[0xe9]).distance(trampoline, 0); // jmp trampoline
    }
    memory::make_writable(&code, false)
}

/// Returns the addresses of all coverage stores.
fn store_addresses() -> impl Iterator<Item = usize> {
    // SAFETY: the linker has put the relative addresses between these two.
    let [start, stop] = unsafe { __cairn_edges };
    let distances = match start {
        // Both are 0 if there are none.
        0 => &[][..],
        // SAFETY: as above.
        _ => unsafe { from_raw_parts(start as *const i32, (stop - start) / size_of::<i32>()) },
    };
    distances.iter().map(|distance| (distance as *const i32 as usize).wrapping_add_signed(*distance as isize))
}

fn patched_code() -> Option<Range<usize>> {
    Some(store_addresses().min()?..store_addresses().max()? + STORE)
}

/// Decodes the coverage store at an address; `None` if it is another instruction.
fn decode_store(address: usize) -> Option<CoverageStore> {
    // SAFETY: the compiler has listed seven bytes of code there.
    let bytes = unsafe { *(address as *const [u8; STORE]) };
    match bytes {
        // movb $1, distance(%rip)
        [0xc6, 0x05, a, b, c, d, 1] => {
            let distance = i32::from_le_bytes([a, b, c, d]);
            Some(CoverageStore::Byte((address + STORE).wrapping_add_signed(distance as isize)))
        }
        // movb $1, 0(%rax)
        [0xc6, 0x80, 0, 0, 0, 0, 1] => Some(CoverageStore::Computed),
        _ => None,
    }
}

/// Writes the trampoline of the store at `address` to `at`.
fn write_trampoline(address: usize, store: CoverageStore, at: usize) {
    let (cursor, first) = (log_cursor::offset() as u32, (&raw const __start_cairn_cov) as usize);
    let mut code = CodeWriter(at);
    match store {
        CoverageStore::Byte(byte) => {
            code.bytes(&[0xc6, 0x05]).distance(byte, 1).bytes(&[1]); // movb $1, byte(%rip)
            code.bytes(&[0x64, 0x4c, 0x8b, 0x1c, 0x25]).word(cursor); // mov %fs:cursor, %r11
            code.bytes(&[0x49, 0xc7, 0x03]).word((byte - first) as u32 + 1); // movq $entry, (%r11)
        }
        CoverageStore::Computed => {
            code.bytes(&[0xc6, 0x00, 1]); // movb $1, (%rax)
            code.bytes(&[0x64, 0x4c, 0x8b, 0x1c, 0x25]).word(cursor); // mov %fs:cursor, %r11
            code.bytes(&[0x05]).word((first as u32).wrapping_neg().wrapping_add(1)); // add $(1 - first), %eax
            code.bytes(&[0x49, 0x89, 0x03]); // mov %rax, (%r11)
        }
    }
    code.bytes(&[0x41, 0x80, 0xc3, 4]); // add $4, %r11b
    code.bytes(&[0x72, 14]); // jc lap
    code.bytes(&[0x64, 0x4c, 0x89, 0x1c, 0x25]).word(cursor); // on: mov %r11, %fs:cursor
    code.bytes(&[0xe9]).distance(address + STORE, 0); // jmp back
    code.bytes(&[0x41, 0xff, 0x83]).word(offset_of!(Open, laps) as u32); // lap: incl laps(%r11)
    code.bytes(&[0x41, 0x80, 0xcb, 0x80]); // or $128, %r11b
    code.bytes(&[0xeb, 0xe5]); // jmp on
}

/// Writes machine code from this address on.
struct CodeWriter(usize);

impl CodeWriter {
    fn bytes(&mut self, bytes: &[u8]) -> &mut CodeWriter {
        for byte in bytes {
            // SAFETY: trampolines stay within their room, and jumps within the bytes of the store.
            unsafe { *(self.0 as *mut u8) = *byte };
            self.0 += 1;
        }
        self
    }

    fn word(&mut self, word: u32) -> &mut CodeWriter {
        self.bytes(&word.to_le_bytes())
    }

    /// Writes the distance to an address from the end of the instruction, of which so many bytes follow.
    fn distance(&mut self, to: usize, following: usize) -> &mut CodeWriter {
        let end = self.0 + size_of::<u32>() + following;
        self.word(to.wrapping_sub(end) as u32)
    }
}
