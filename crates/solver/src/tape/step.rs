//! Steps, loads and tables of a tape.

use cairn_expr::{BinOp, BitCount, CmpOp, Conversion, FloatCmp, FloatOp, Math};

/// A register.
pub(super) type Reg = u32;

/// An operation on registers, each of which holds a value in its low bits, all other bits zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum TapeStep {
    Load(Load),
    /// Of values of this width.
    Binary(BinOp, u8, Reg, Reg),
    /// Of values of this width.
    Compare(CmpOp, u8, Reg, Reg),
    SignExtend {
        from: u8,
        to: u8,
        of: Reg,
    },
    Extract {
        low: u8,
        width: u8,
        of: Reg,
    },
    Concat {
        width: u8,
        low_width: u8,
        high: Reg,
        low: Reg,
    },
    Choose {
        width: u8,
        condition: Reg,
        yes: Reg,
        no: Reg,
    },
    Float(FloatOp, u8, Reg, Reg),
    FloatCompare(FloatCmp, u8, Reg, Reg),
    Convert {
        how: Conversion,
        from: u8,
        to: u8,
        of: Reg,
    },
    /// Operands that the function does not take are the first one once more.
    Math(Math, u8, [Reg; 3]),
    BitCount(BitCount, u8, Reg),
    Read {
        table: u32,
        bytes: u8,
        place: Reg,
    },
}

const _: () = assert!(size_of::<TapeStep>() == 16);

impl TapeStep {
    /// Returns the width of the result.
    pub(super) fn width(self) -> u8 {
        match self {
            TapeStep::Load(load) => load.bytes * 8,
            TapeStep::Compare(..) | TapeStep::FloatCompare(..) => 1,
            TapeStep::Read { bytes, .. } => bytes * 8,
            TapeStep::SignExtend { to: width, .. }
            | TapeStep::Binary(_, width, ..)
            | TapeStep::Extract { width, .. }
            | TapeStep::Concat { width, .. }
            | TapeStep::Choose { width, .. }
            | TapeStep::Float(_, width, ..)
            | TapeStep::Convert { to: width, .. }
            | TapeStep::Math(_, width, _)
            | TapeStep::BitCount(_, width, _) => width,
        }
    }

    /// Returns all registers it reads.
    pub(super) fn operands_mut(&mut self) -> [Option<&mut Reg>; 3] {
        match self {
            TapeStep::Load(_) => [None, None, None],
            TapeStep::Binary(_, _, a, b)
            | TapeStep::Compare(_, _, a, b)
            | TapeStep::Concat { high: a, low: b, .. }
            | TapeStep::Float(_, _, a, b)
            | TapeStep::FloatCompare(_, _, a, b) => [Some(a), Some(b), None],
            TapeStep::SignExtend { of, .. }
            | TapeStep::Extract { of, .. }
            | TapeStep::Convert { of, .. }
            | TapeStep::BitCount(_, _, of)
            | TapeStep::Read { place: of, .. } => [Some(of), None, None],
            TapeStep::Choose { condition, yes, no, .. } => [Some(condition), Some(yes), Some(no)],
            TapeStep::Math(_, _, operands) => operands.each_mut().map(Some),
        }
    }
}

/// Adjacent bytes of the input as one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Load {
    pub(super) first: u32,
    pub(super) bytes: u8,
    pub(super) is_big_endian: bool,
}

impl Load {
    /// Returns the number in these bytes.
    pub(super) fn value(self, input: &[u8]) -> u128 {
        let mut buffer = [0; 16];
        let bytes = &mut buffer[..self.bytes.into()];
        bytes.copy_from_slice(&input[self.first as usize..][..self.bytes.into()]);
        if self.is_big_endian {
            bytes.reverse();
        }
        u128::from_le_bytes(buffer)
    }
}

/// A snapshot: bytes, and registers for those that are not constant, by index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct TapeTable {
    pub(super) bytes: Box<[u8]>,
    pub(super) parts: Box<[(u32, Reg)]>,
}

impl TapeTable {
    /// Reads `count` bytes from an index on as a little-endian number; bytes outside are 0.
    pub(super) fn read(&self, place: u64, count: u8, register: impl Fn(Reg) -> u8) -> u128 {
        let mut buffer = [0; 16];
        let len = self.bytes.len();
        let start = usize::try_from(place).map_or(len, |place| place.min(len));
        let end = len.min(start + usize::from(count));
        buffer[..end - start].copy_from_slice(&self.bytes[start..end]);
        let first = self.parts.partition_point(|&(place, _)| (place as usize) < start);
        for &(place, part) in self.parts[first..].iter().take_while(|&&(place, _)| (place as usize) < end) {
            buffer[place as usize - start] = register(part);
        }
        u128::from_le_bytes(buffer)
    }
}
