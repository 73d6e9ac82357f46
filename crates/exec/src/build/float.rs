//! Builds the expressions of floating-point rows.

use super::Builder;
use cairn_expr::{Conversion, Dag, ExprId, FloatOp, Math, SnapshotId};
use cairn_wire::LabelEntry;

impl<F, S> Builder<'_, F, S>
where
    F: Fn(u32) -> Option<ExprId>,
    S: FnMut(&mut Dag, u64) -> Option<SnapshotId>,
{
    pub(super) fn float(&mut self, op: FloatOp, entry: &LabelEntry) -> Option<ExprId> {
        let (a, b) = self.operands(entry, float_width(entry.width.into())?)?;
        Some(self.dag.float(op, a, b))
    }

    /// Builds a comparison; LLVM's predicates are sets of the relations for which they hold.
    pub(super) fn float_compare(&mut self, entry: &LabelEntry) -> Option<ExprId> {
        let [width, predicate] = entry.aux.to_le_bytes();
        let (a, b) = self.operands(entry, float_width(width.into())?)?;
        let is_sane = entry.width == 1 && (1..=14).contains(&predicate);
        is_sane.then(|| self.dag.float_relation(predicate, a, b))
    }

    pub(super) fn convert(&mut self, conversion: Conversion, entry: &LabelEntry) -> Option<ExprId> {
        let value = (self.built)(entry.l1).filter(|e| u16::from(self.dag.width(*e)) == entry.aux)?;
        let (from, to) = (float_width(entry.aux), float_width(entry.width.into()));
        let is_sane = match conversion {
            Conversion::FloatToSigned | Conversion::FloatToUnsigned => from.is_some(),
            Conversion::SignedToFloat | Conversion::UnsignedToFloat => to.is_some(),
            Conversion::FloatToFloat => from.is_some() && to.is_some(),
        };
        is_sane.then(|| self.dag.convert(conversion, value, entry.width))
    }

    pub(super) fn float_class(&mut self, entry: &LabelEntry) -> Option<ExprId> {
        let value = (self.built)(entry.l1).filter(|e| float_width(self.dag.width(*e).into()).is_some())?;
        (entry.width == 1).then(|| self.dag.float_class(entry.aux, value))
    }

    pub(super) fn math(&mut self, entry: &LabelEntry) -> Option<ExprId> {
        let function = cairn_wire::Math::from_u16(entry.aux)?;
        let width = float_width(entry.width.into())?;
        let operands = self.math_operands(function.operands(), entry, width)?;
        Some(match (function, &operands[..]) {
            (cairn_wire::Math::Min, &[a, b]) => self.dag.float_min(a, b),
            (cairn_wire::Math::Max, &[a, b]) => self.dag.float_max(a, b),
            _ => self.dag.math(to_expr(function)?, &operands),
        })
    }

    /// Returns the operands of a function. Of two, one may be constant; of three, none.
    fn math_operands(&mut self, count: usize, entry: &LabelEntry, width: u8) -> Option<Vec<ExprId>> {
        let labelled = |label| (self.built)(label).filter(|e| self.dag.width(*e) == width);
        match count {
            1 => Some(vec![labelled(entry.l1)?]),
            2 => self.operands(entry, width).map(|(a, b)| vec![a, b]),
            _ => [entry.l1, entry.l2, u32::try_from(entry.k).ok()?].into_iter().map(labelled).collect(),
        }
    }
}

fn float_width(width: u16) -> Option<u8> {
    matches!(width, 32 | 64).then_some(width as u8)
}

fn to_expr(function: cairn_wire::Math) -> Option<Math> {
    Some(match function {
        cairn_wire::Math::Sin => Math::Sin,
        cairn_wire::Math::Cos => Math::Cos,
        cairn_wire::Math::Tan => Math::Tan,
        cairn_wire::Math::Asin => Math::Asin,
        cairn_wire::Math::Acos => Math::Acos,
        cairn_wire::Math::Atan => Math::Atan,
        cairn_wire::Math::Sinh => Math::Sinh,
        cairn_wire::Math::Cosh => Math::Cosh,
        cairn_wire::Math::Tanh => Math::Tanh,
        cairn_wire::Math::Exp => Math::Exp,
        cairn_wire::Math::Exp2 => Math::Exp2,
        cairn_wire::Math::Expm1 => Math::Expm1,
        cairn_wire::Math::Log => Math::Log,
        cairn_wire::Math::Log2 => Math::Log2,
        cairn_wire::Math::Log10 => Math::Log10,
        cairn_wire::Math::Log1p => Math::Log1p,
        cairn_wire::Math::Sqrt => Math::Sqrt,
        cairn_wire::Math::Floor => Math::Floor,
        cairn_wire::Math::Ceil => Math::Ceil,
        cairn_wire::Math::Trunc => Math::Trunc,
        cairn_wire::Math::Round => Math::Round,
        cairn_wire::Math::RoundEven => Math::RoundEven,
        cairn_wire::Math::Pow => Math::Pow,
        cairn_wire::Math::Atan2 => Math::Atan2,
        cairn_wire::Math::Hypot => Math::Hypot,
        cairn_wire::Math::Fma => Math::Fma,
        cairn_wire::Math::Cbrt => Math::Cbrt,
        cairn_wire::Math::Min | cairn_wire::Math::Max => return None,
    })
}
