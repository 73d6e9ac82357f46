//! Builds the expression of one row of the label table, and checks the row.

mod float;

use cairn_expr::{
    BinOp, BitCount, CmpOp, Conversion, Dag, ExprId, FloatOp, InputByte, MAX_WIDTH, SnapshotId,
};
use cairn_wire::label::{LENGTH, object_and_offset};
use cairn_wire::{LabelEntry, Op};

/// Returns the labels that a row depends on. A damaged row may name any number, including its own.
pub(crate) fn children(entry: &LabelEntry) -> [u32; 3] {
    match Op::from_u8(entry.op) {
        None | Some(Op::Input | Op::Const) => [0; 3],
        Some(Op::Ite | Op::Math) => [entry.l1, entry.l2, u32::try_from(entry.k).unwrap_or(0)],
        Some(_) => [entry.l1, entry.l2, 0],
    }
}

/// True if the input byte of a row exists: below the length of its object, or one of the bytes of that
/// length.
pub(crate) fn input_exists(entry: &LabelEntry, object_sizes: &[usize]) -> bool {
    let (object, offset) = object_and_offset(entry.k);
    let is_byte = |size: &usize| (offset as usize) < *size || offset >= LENGTH;
    entry.aux == 0 && object_sizes.get(object as usize).is_some_and(is_byte)
}

/// Builds expressions of rows whose operands were built before.
pub(crate) struct Builder<'a, F, S> {
    /// Destination of expressions.
    pub(crate) dag: &'a mut Dag,
    /// Length of every input object.
    pub(crate) object_sizes: &'a [usize],
    /// Returns the expression of an earlier label.
    pub(crate) built: F,
    /// Builds the snapshot at an offset of the region.
    pub(crate) snapshot: S,
}

impl<F, S> Builder<'_, F, S>
where
    F: Fn(u32) -> Option<ExprId>,
    S: FnMut(&mut Dag, u64) -> Option<SnapshotId>,
{
    /// Returns the expression of a row; `None` if the row is implausible.
    pub(crate) fn build(&mut self, entry: &LabelEntry) -> Option<ExprId> {
        let op = Op::from_u8(entry.op)?;
        let width = entry.width;
        if !(1..=MAX_WIDTH).contains(&width) {
            return None;
        }
        match op {
            Op::Input => self.input(entry),
            Op::Const => Some(self.dag.constant(width, entry.k.into())),
            Op::ZExt | Op::SExt | Op::Trunc | Op::Extract => self.resized(op, entry),
            Op::Concat => self.concat(entry),
            Op::Ite => self.choice(entry),
            Op::FAdd => self.float(FloatOp::Add, entry),
            Op::FSub => self.float(FloatOp::Sub, entry),
            Op::FMul => self.float(FloatOp::Mul, entry),
            Op::FDiv => self.float(FloatOp::Div, entry),
            Op::FRem => self.float(FloatOp::Rem, entry),
            Op::FCmp => self.float_compare(entry),
            Op::FToS => self.convert(Conversion::FloatToSigned, entry),
            Op::FToU => self.convert(Conversion::FloatToUnsigned, entry),
            Op::SToF => self.convert(Conversion::SignedToFloat, entry),
            Op::UToF => self.convert(Conversion::UnsignedToFloat, entry),
            Op::FToF => self.convert(Conversion::FloatToFloat, entry),
            Op::Math => self.math(entry),
            Op::FClass => self.float_class(entry),
            Op::PopCount => self.count(BitCount::Ones, entry),
            Op::LeadingZeros => self.count(BitCount::LeadingZeros, entry),
            Op::TrailingZeros => self.count(BitCount::TrailingZeros, entry),
            Op::Read => self.read(entry),
            _ => match comparison(op) {
                Some(op) => self.compare(op, entry),
                None => self.binary(arithmetic(op)?, entry),
            },
        }
    }

    fn input(&mut self, entry: &LabelEntry) -> Option<ExprId> {
        let (object, offset) = object_and_offset(entry.k);
        let exists = input_exists(entry, self.object_sizes);
        (entry.width == 8 && exists).then(|| self.dag.input(InputByte { object, offset }))
    }

    fn resized(&mut self, op: Op, entry: &LabelEntry) -> Option<ExprId> {
        let value = (self.built)(entry.l1)?;
        let (from, to) = (self.dag.width(value), entry.width);
        match op {
            Op::ZExt if to >= from => Some(self.dag.zext(value, to)),
            Op::SExt if to >= from => Some(self.dag.sext(value, to)),
            Op::Trunc if to <= from => Some(self.dag.extract(value, 0, to)),
            Op::Extract if u32::from(entry.aux) + u32::from(to) <= u32::from(from) => {
                Some(self.dag.extract(value, entry.aux as u8, to))
            }
            _ => None,
        }
    }

    /// Builds a concatenation; a constant part has the width that the other leaves.
    fn concat(&mut self, entry: &LabelEntry) -> Option<ExprId> {
        let known = |label: u32| if label == 0 { Some(None) } else { (self.built)(label).map(Some) };
        let (high, low) = match (known(entry.l1)?, known(entry.l2)?) {
            (None, None) => return None,
            (Some(high), Some(low)) => (high, low),
            (None, Some(low)) => (self.missing_part(entry, low)?, low),
            (Some(high), None) => (high, self.missing_part(entry, high)?),
        };
        let sum = u32::from(self.dag.width(high)) + u32::from(self.dag.width(low));
        (sum == u32::from(entry.width)).then(|| self.dag.concat(high, low))
    }

    fn missing_part(&mut self, entry: &LabelEntry, present: ExprId) -> Option<ExprId> {
        let missing = entry.width.checked_sub(self.dag.width(present)).filter(|w| *w > 0)?;
        Some(self.dag.constant(missing, entry.k.into()))
    }

    fn choice(&mut self, entry: &LabelEntry) -> Option<ExprId> {
        let condition = (self.built)(entry.l1)?;
        let (then, otherwise) = ((self.built)(entry.l2)?, (self.built)(u32::try_from(entry.k).ok()?)?);
        let widths = [condition, then, otherwise].map(|e| self.dag.width(e));
        (widths == [1, entry.width, entry.width]).then(|| self.dag.ite(condition, then, otherwise))
    }

    fn compare(&mut self, op: CmpOp, entry: &LabelEntry) -> Option<ExprId> {
        let width = u8::try_from(entry.aux).ok().filter(|w| (1..=MAX_WIDTH).contains(w))?;
        let (a, b) = self.operands(entry, width)?;
        (entry.width == 1).then(|| self.dag.compare(op, a, b))
    }

    fn binary(&mut self, op: BinOp, entry: &LabelEntry) -> Option<ExprId> {
        let (a, b) = self.operands(entry, entry.width)?;
        Some(self.dag.binary(op, a, b))
    }

    fn count(&mut self, kind: BitCount, entry: &LabelEntry) -> Option<ExprId> {
        let value = (self.built)(entry.l1).filter(|e| self.dag.width(*e) == entry.width)?;
        Some(self.dag.count(kind, value))
    }

    /// Builds a read of a snapshot, which is read in whole bytes.
    fn read(&mut self, entry: &LabelEntry) -> Option<ExprId> {
        let index = (self.built)(entry.l1).filter(|e| self.dag.width(*e) == 64)?;
        let snapshot = (self.snapshot)(self.dag, entry.k)?;
        let bytes = self.dag.read(snapshot, index, entry.width.next_multiple_of(8));
        Some(self.dag.trunc(bytes, entry.width))
    }

    /// Returns both operands, at least one of them labelled, both of the given width.
    fn operands(&mut self, entry: &LabelEntry, width: u8) -> Option<(ExprId, ExprId)> {
        if entry.l1 == 0 && entry.l2 == 0 {
            return None;
        }
        Some((self.operand(entry.l1, entry.k, width)?, self.operand(entry.l2, entry.k, width)?))
    }

    fn operand(&mut self, label: u32, constant: u64, width: u8) -> Option<ExprId> {
        match label {
            0 => Some(self.dag.constant(width, constant.into())),
            label => (self.built)(label).filter(|e| self.dag.width(*e) == width),
        }
    }
}

fn comparison(op: Op) -> Option<CmpOp> {
    Some(match op {
        Op::Eq => CmpOp::Eq,
        Op::Ne => CmpOp::Ne,
        Op::Ult => CmpOp::Ult,
        Op::Ule => CmpOp::Ule,
        Op::Ugt => CmpOp::Ugt,
        Op::Uge => CmpOp::Uge,
        Op::Slt => CmpOp::Slt,
        Op::Sle => CmpOp::Sle,
        Op::Sgt => CmpOp::Sgt,
        Op::Sge => CmpOp::Sge,
        _ => return None,
    })
}

fn arithmetic(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::Add => BinOp::Add,
        Op::Sub => BinOp::Sub,
        Op::Mul => BinOp::Mul,
        Op::UDiv => BinOp::UDiv,
        Op::SDiv => BinOp::SDiv,
        Op::URem => BinOp::URem,
        Op::SRem => BinOp::SRem,
        Op::Shl => BinOp::Shl,
        Op::LShr => BinOp::LShr,
        Op::AShr => BinOp::AShr,
        Op::And => BinOp::And,
        Op::Or => BinOp::Or,
        Op::Xor => BinOp::Xor,
        _ => return None,
    })
}
