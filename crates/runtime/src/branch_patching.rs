//! Making the program's code log its branches.
//!
//! Instrumented code marks a branch by one instruction of seven bytes (`pass/mark.rs` in the compiler), and notes where.
//! Here a jump takes its place, to code that does the same, logs the branch and jumps back. It may use register r11 and
//! the flags; where the address of the mark is computed, it is in rax, which may change as well. It never uses the stack:
//! there may be something below the stack pointer.

use crate::log::cursor_offset;
use crate::memory;
use cairn_wire::log::Open;
use core::arch::global_asm;
use core::mem::offset_of;
use core::ops::Range;
use core::slice::from_raw_parts;

/// Bytes of an instruction that marks.
const MARK: usize = 7;
/// Room for the code that a mark is diverted to.
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

/// What an instruction marks.
#[derive(Clone, Copy)]
enum Mark {
    /// This coverage byte.
    Byte(usize),
    /// The one whose address is in rax.
    Computed,
}

/// Diverts every mark of the program; false, with nothing changed, if the system does not allow it.
pub fn divert_marks() -> bool {
    let Some(code) = marked_code() else { return true };
    let count = places().count();
    let Some(room) = memory::reserve_near(&code, count * STRIDE) else { return false };
    let ways = || places().zip((room as usize..).step_by(STRIDE));
    for (place, detour) in ways() {
        let Some(mark) = mark_at(place) else { return false };
        write_detour(place, mark, detour);
    }
    if !memory::make_executable(room, count * STRIDE) || !memory::make_writable(&code, true) {
        return false;
    }
    for (place, detour) in ways() {
        Code(place).bytes(&[0xe9]).distance(detour, 0); // jmp detour
    }
    memory::make_writable(&code, false)
}

/// Addresses of all marks.
fn places() -> impl Iterator<Item = usize> {
    // SAFETY: the linker has put the distances between these two.
    let [start, stop] = unsafe { __cairn_edges };
    let distances = match start {
        // Both are 0 if there are none.
        0 => &[][..],
        // SAFETY: as above.
        _ => unsafe { from_raw_parts(start as *const i32, (stop - start) / size_of::<i32>()) },
    };
    distances.iter().map(|distance| (distance as *const i32 as usize).wrapping_add_signed(*distance as isize))
}

fn marked_code() -> Option<Range<usize>> {
    Some(places().min()?..places().max()? + MARK)
}

/// What the instruction there marks; none if it is something else.
fn mark_at(place: usize) -> Option<Mark> {
    // SAFETY: the compiler noted that there are seven bytes of code.
    let bytes = unsafe { *(place as *const [u8; MARK]) };
    match bytes {
        // movb $1, distance(%rip)
        [0xc6, 0x05, a, b, c, d, 1] => {
            let distance = i32::from_le_bytes([a, b, c, d]);
            Some(Mark::Byte((place + MARK).wrapping_add_signed(distance as isize)))
        }
        // movb $1, 0(%rax)
        [0xc6, 0x80, 0, 0, 0, 0, 1] => Some(Mark::Computed),
        _ => None,
    }
}

/// Code that marks, logs and goes back.
fn write_detour(place: usize, mark: Mark, at: usize) {
    let (cursor, first) = (cursor_offset() as u32, (&raw const __start_cairn_cov) as usize);
    let mut code = Code(at);
    match mark {
        Mark::Byte(byte) => {
            code.bytes(&[0xc6, 0x05]).distance(byte, 1).bytes(&[1]); // movb $1, byte(%rip)
            code.bytes(&[0x64, 0x4c, 0x8b, 0x1c, 0x25]).word(cursor); // mov %fs:cursor, %r11
            code.bytes(&[0x49, 0xc7, 0x03]).word((byte - first) as u32 + 1); // movq $entry, (%r11)
        }
        Mark::Computed => {
            code.bytes(&[0xc6, 0x00, 1]); // movb $1, (%rax)
            code.bytes(&[0x64, 0x4c, 0x8b, 0x1c, 0x25]).word(cursor); // mov %fs:cursor, %r11
            code.bytes(&[0x05]).word((first as u32).wrapping_neg().wrapping_add(1)); // add $(1 - first), %eax
            code.bytes(&[0x49, 0x89, 0x03]); // mov %rax, (%r11)
        }
    }
    code.bytes(&[0x41, 0x80, 0xc3, 4]); // add $4, %r11b
    code.bytes(&[0x72, 14]); // jc lap
    code.bytes(&[0x64, 0x4c, 0x89, 0x1c, 0x25]).word(cursor); // on: mov %r11, %fs:cursor
    code.bytes(&[0xe9]).distance(place + MARK, 0); // jmp back
    code.bytes(&[0x41, 0xff, 0x83]).word(offset_of!(Open, laps) as u32); // lap: incl laps(%r11)
    code.bytes(&[0x41, 0x80, 0xcb, 0x80]); // or $128, %r11b
    code.bytes(&[0xeb, 0xe5]); // jmp on
}

/// Machine code that is being written, from this address on.
struct Code(usize);

impl Code {
    fn bytes(&mut self, bytes: &[u8]) -> &mut Code {
        for byte in bytes {
            // SAFETY: detours stay within their room, and jumps within the bytes of the mark.
            unsafe { *(self.0 as *mut u8) = *byte };
            self.0 += 1;
        }
        self
    }

    fn word(&mut self, word: u32) -> &mut Code {
        self.bytes(&word.to_le_bytes())
    }

    /// The distance to an address from the end of the instruction, of which so many bytes follow.
    fn distance(&mut self, to: usize, following: usize) -> &mut Code {
        let end = self.0 + size_of::<u32>() + following;
        self.word(to.wrapping_sub(end) as u32)
    }
}
