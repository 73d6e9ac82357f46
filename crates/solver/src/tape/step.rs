//! What a tape is made of.

use cairn_expr::{BinOp, BitCount, CmpOp, Conversion, FloatCmp, FloatOp, Math};

/// A register.
pub(super) type Reg = u32;

/// One operation on registers, each of which holds a value in its low bits, all other bits zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
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

const _: () = assert!(size_of::<Step>() == 16);

impl Step {
    /// Width of the result.
    pub(super) fn width(self) -> u8 {
        match self {
            Step::Load(load) => load.bytes * 8,
            Step::Compare(..) | Step::FloatCompare(..) => 1,
            Step::Read { bytes, .. } => bytes * 8,
            Step::SignExtend { to: width, .. }
            | Step::Binary(_, width, ..)
            | Step::Extract { width, .. }
            | Step::Concat { width, .. }
            | Step::Choose { width, .. }
            | Step::Float(_, width, ..)
            | Step::Convert { to: width, .. }
            | Step::Math(_, width, _)
            | Step::BitCount(_, width, _) => width,
        }
    }

    /// All registers it reads.
    pub(super) fn operands_mut(&mut self) -> [Option<&mut Reg>; 3] {
        match self {
            Step::Load(_) => [None, None, None],
            Step::Binary(_, _, a, b)
            | Step::Compare(_, _, a, b)
            | Step::Concat { high: a, low: b, .. }
            | Step::Float(_, _, a, b)
            | Step::FloatCompare(_, _, a, b) => [Some(a), Some(b), None],
            Step::SignExtend { of, .. }
            | Step::Extract { of, .. }
            | Step::Convert { of, .. }
            | Step::BitCount(_, _, of)
            | Step::Read { place: of, .. } => [Some(of), None, None],
            Step::Choose { condition, yes, no, .. } => [Some(condition), Some(yes), Some(no)],
            Step::Math(_, _, operands) => operands.each_mut().map(Some),
        }
    }
}

/// Neighbouring bytes of the input as one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Load {
    pub(super) first: u32,
    pub(super) bytes: u8,
    pub(super) is_big_endian: bool,
}

impl Load {
    /// The number in these bytes.
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

/// A snapshot: bytes, and registers for those that are not constant, by place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Table {
    pub(super) bytes: Box<[u8]>,
    pub(super) parts: Box<[(u32, Reg)]>,
}

impl Table {
    /// `count` bytes from a place on as a number, lowest first; outside they are 0.
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
