//! Emits loads of input bytes and reads of tables.

use super::emit::{Emitter, holder, plain};
use crate::tape::step::{Load, Reg};
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

impl Emitter<'_> {
    pub(super) fn load(&mut self, load: Load) -> Value {
        let ty = holder(load.bytes * 8);
        let mut whole = None;
        let mut done = 0;
        while done < load.bytes {
            let size = 1 << (load.bytes - done).ilog2();
            let offset = load.first as i32 + i32::from(done);
            let input = self.input;
            let piece = self.ins().load(holder(size * 8), plain(), input, offset);
            let piece = self.resized(piece, ty);
            whole = Some(match whole {
                None => piece,
                Some(low) => {
                    let piece = self.shifted_left(piece, done * 8);
                    self.ins().bor(low, piece)
                }
            });
            done += size;
        }
        let value = whole.expect("a load has a byte");
        if !load.is_big_endian {
            return value;
        }
        let swapped = self.ins().bswap(value);
        self.shifted_right(swapped, ty.bits() as u8 - load.bytes * 8)
    }

    /// Emits a read. A table is followed by enough zeros for a read at its end, to which larger indices are
    /// clamped.
    pub(super) fn read(&mut self, table: u32, bytes: u8, place: Reg) -> Value {
        let (tape, kept) = (self.tape, self.kept);
        let cells = &kept.tables[table as usize];
        let base = self.ins().iconst(I64, cells.as_ptr() as i64);
        if !std::mem::replace(&mut self.written[table as usize], true) {
            for &(place, part) in &tape.tables[table as usize].parts {
                let byte = self.bits(part, I8);
                self.ins().store(plain(), byte, base, place as i32);
            }
        }
        let end = self.constant(I64, tape.tables[table as usize].bytes.len() as u128);
        let place = self.bits(place, I64);
        let place = self.ins().umin(place, end);
        let address = self.ins().iadd(base, place);
        let value = self.ins().load(holder(bytes * 8), plain(), address, 0);
        self.masked(value, bytes * 8)
    }
}
