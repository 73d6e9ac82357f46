//! Typed variables (integers and floats), recovered from how the query concatenates input bytes.

use cairn_expr::semantics::ones;
use cairn_expr::{BinOp, Conversion, Dag, ExprId, InputByte, Node, Op};
use rustc_hash::FxHashSet;

/// Type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VariableKind {
    Float,
    Integer,
}

/// Input bytes that form one number. Its values are addressed by position: in the order of the numbers,
/// without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Variable {
    /// Indices of its bytes among the query's, lowest first.
    pub(super) bytes: Vec<u32>,
    kind: VariableKind,
}

impl Variable {
    pub(super) fn width(&self) -> u32 {
        8 * self.bytes.len() as u32
    }

    /// Returns the lowest position: single bytes are unsigned, wider integers signed.
    fn lowest(&self) -> i128 {
        if self.width() == 8 { 0 } else { -(1 << (self.width() - 1)) }
    }

    pub(super) fn is_float(&self) -> bool {
        self.kind == VariableKind::Float
    }

    /// Returns the lowest and highest number of an integer variable.
    pub(super) fn range(&self) -> (f64, f64) {
        let lowest = self.lowest();
        (lowest as f64, (lowest + (1 << self.width()) - 1) as f64)
    }

    /// Returns the position of a number; integers are rounded, and wrap around.
    pub(super) fn wrapped(&self, number: f64) -> i128 {
        if self.is_float() {
            return self.nearest(number).unwrap_or_else(|| self.position_of(self.nan_bits()));
        }
        let bits = number.round() as i64 as u128 & ones(self.width() as u8);
        self.position_of(bits)
    }

    fn nan_bits(&self) -> u128 {
        if self.width() == 32 { f32::NAN.to_bits().into() } else { f64::NAN.to_bits().into() }
    }

    /// True if the position exists.
    pub(super) fn contains(&self, position: i128) -> bool {
        let lowest = self.lowest();
        position >= lowest && position - lowest < 1 << self.width()
    }

    /// Returns the variable's position at a point. Positions of floats grow with the number, so those of
    /// negative ones are the bits reversed in order.
    pub(super) fn position(&self, point: &[u8]) -> i128 {
        let bits =
            self.bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | i128::from(point[byte as usize]));
        self.position_of(bits as u128)
    }

    /// Returns the position of these bits.
    pub(super) fn position_of(&self, bits: u128) -> i128 {
        let bits = bits as i128;
        let sign = 1i128 << (self.width() - 1);
        match self.kind {
            VariableKind::Float if bits & sign != 0 => sign - 1 - bits,
            VariableKind::Integer if self.width() > 8 && bits & sign != 0 => bits - 2 * sign,
            _ => bits,
        }
    }

    fn bits(&self, position: i128) -> u128 {
        let sign = 1i128 << (self.width() - 1);
        let bits =
            if self.kind == VariableKind::Float && position < 0 { sign - 1 - position } else { position };
        bits as u128
    }

    /// Moves the variable to a position.
    pub(super) fn set(&self, point: &mut [u8], position: i128) {
        let bits = self.bits(position);
        for (i, &byte) in self.bytes.iter().enumerate() {
            point[byte as usize] = (bits >> (8 * i)) as u8;
        }
    }

    /// Returns the number at a position.
    pub(super) fn number(&self, position: i128) -> f64 {
        let bits = self.bits(position);
        match (self.kind, self.width()) {
            (VariableKind::Integer, _) => position as f64,
            (VariableKind::Float, 32) => f32::from_bits(bits as u32).into(),
            (VariableKind::Float, _) => f64::from_bits(bits as u64),
        }
    }

    /// Returns the position of the nearest number; `None` for NaN, and for integers out of range.
    pub(super) fn nearest(&self, number: f64) -> Option<i128> {
        let turned = |bits: i128, sign: i128| if bits & sign != 0 { sign - 1 - bits } else { bits };
        match (self.kind, self.width()) {
            _ if number.is_nan() => None,
            (VariableKind::Integer, _) => {
                Some(number.round() as i128).filter(|&position| self.contains(position))
            }
            (VariableKind::Float, 32) => Some(turned((number as f32).to_bits().into(), 1 << 31)),
            (VariableKind::Float, _) => Some(turned(number.to_bits().into(), 1 << 63)),
        }
    }
}

/// Returns the variables of the nodes, widest first; every byte of the nodes is in one of them. `nodes` come
/// parents first, `bytes` are the query's, sorted.
pub(super) fn all(dag: &Dag, nodes: &[ExprId], bytes: &[InputByte]) -> Vec<Variable> {
    let floats = used_as_floats(dag, nodes);
    let mut variables: Vec<Variable> = Vec::new();
    for &e in nodes {
        if let Some(bytes) = joined(dag, e, bytes) {
            let kind = if floats.contains(&e) { VariableKind::Float } else { VariableKind::Integer };
            variables.push(Variable { bytes, kind });
        }
    }
    variables.sort_by_key(|variable| std::cmp::Reverse(variable.bytes.len()));
    let mut taken = FxHashSet::default();
    variables.retain(|variable| {
        let is_free = variable.bytes.iter().all(|byte| !taken.contains(byte));
        if is_free {
            taken.extend(variable.bytes.iter().copied());
        }
        is_free
    });
    variables
}

/// Returns the indices among the query's bytes of an input byte, or of a concatenation of two, four or eight
/// of them, lowest first.
pub(super) fn joined(dag: &Dag, e: ExprId, query: &[InputByte]) -> Option<Vec<u32>> {
    if !matches!(dag.op(e), Op::Input | Op::Concat) || !matches!(dag.width(e), 8 | 16 | 32 | 64) {
        return None;
    }
    let mut bytes = Vec::new();
    let mut rest = vec![e];
    while let Some(part) = rest.pop() {
        match dag.node(part) {
            Node::Input(byte) => bytes.push(query.binary_search(&byte).ok()? as u32),
            Node::Concat(high, low) => rest.extend([high, low]),
            _ => return None,
        }
    }
    let is_twice = |i: usize| bytes[..i].contains(&bytes[i]);
    (!(0..bytes.len()).any(is_twice)).then_some(bytes)
}

/// Returns the expressions that some operation uses as floats, also through changes of the sign bit.
fn used_as_floats(dag: &Dag, nodes: &[ExprId]) -> FxHashSet<ExprId> {
    let mut floats = FxHashSet::default();
    for &e in nodes {
        match dag.node(e) {
            Node::Float(..) | Node::FloatCompare(..) | Node::Math(_) => floats.extend(dag.children(e)),
            Node::Convert(Conversion::SignedToFloat | Conversion::UnsignedToFloat, _) => {}
            Node::Convert(_, a) => {
                floats.insert(a);
            }
            Node::Ite(_, t, f) if floats.contains(&e) => floats.extend([t, f]),
            Node::Binary(BinOp::And | BinOp::Or | BinOp::Xor, a, _) if floats.contains(&e) => {
                floats.insert(a);
            }
            _ => {}
        }
    }
    floats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::byte;
    use cairn_expr::FloatCmp;

    fn joined(dag: &mut Dag, offsets: std::ops::Range<u32>) -> ExprId {
        let bytes: Vec<ExprId> = offsets.map(|offset| dag.input(byte(offset))).collect();
        bytes[1..].iter().fold(bytes[0], |low, &high| dag.concat(high, low))
    }

    #[test]
    fn concatenated_bytes_are_one_variable() {
        let mut dag = Dag::new();
        let (float, integer) = (joined(&mut dag, 0..8), joined(&mut dag, 8..12));
        let number = dag.convert(Conversion::SignedToFloat, integer, 64);
        let less = dag.float_compare(FloatCmp::Lt, float, number);
        let single = dag.input(byte(12));
        let bytes: Vec<InputByte> = (0..13).map(byte).collect();
        let mut nodes = dag.reachable(&[less, single]);
        nodes.reverse();
        let variables = all(&dag, &nodes, &bytes);
        let seen: Vec<_> = variables.iter().map(|v| (v.kind, v.bytes.len())).collect();
        assert_eq!(seen, [(VariableKind::Float, 8), (VariableKind::Integer, 4), (VariableKind::Integer, 1)]);
        assert_eq!(variables[0].bytes, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn positions_are_in_the_order_of_numbers_and_back() {
        let bytes: Vec<u32> = (0..8).collect();
        let numbers = [f64::NEG_INFINITY, -1e9, -1.5, -0.5, 0.0, 1e-300, 0.25, 3.0, 7e20, f64::INFINITY];
        for len in [4, 8] {
            let variable = Variable { bytes: bytes[..len].to_vec(), kind: VariableKind::Float };
            let mut last = i128::MIN;
            for x in numbers {
                let position = variable.nearest(x).expect("a float is near every number");
                assert!(variable.contains(position) && position >= last, "{x}");
                let mut point = [0xff; 8];
                variable.set(&mut point, position);
                assert_eq!(variable.position(&point), position);
                let expected = if len == 4 { f64::from(x as f32) } else { x };
                assert_eq!(variable.number(position), expected);
                last = position;
            }
        }
        let short = Variable { bytes: bytes[..2].to_vec(), kind: VariableKind::Integer };
        assert_eq!((short.nearest(-32768.0), short.nearest(32768.0)), (Some(-32768), None));
    }
}
