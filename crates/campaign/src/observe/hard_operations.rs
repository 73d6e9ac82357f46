//! Operations that make a condition hard to solve, for the diagnosis.

use cairn_expr::{BinOp, Dag, ExprId, Node};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bytes that a chain of operations mixes before it counts as a hash; a chosen value: checks of two or three
/// bytes are answered by enumeration.
const HASHED_BYTES: usize = 4;

/// Operation that makes a condition hard, the hardest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HardOperation {
    /// Bytes mixed by arithmetic and bitwise operations in turn.
    Hash,
    /// A value multiplied by itself.
    Square,
    /// A product of two values that depend on the input.
    Product,
    /// Division by a value that depends on the input.
    Division,
    /// A function of `math.h`.
    MathFunction,
    /// Arithmetic on floats.
    Float,
    /// Memory read at an index that depends on the input.
    Table,
    /// None of these: the path before the condition is what is hard.
    Path,
}

/// Returns the hard operations of a condition.
pub(super) fn hard_operations(dag: &Dag, condition: ExprId) -> Vec<HardOperation> {
    let mut found = BTreeSet::new();
    let (mut has_arithmetic, mut has_bitwise) = (false, false);
    let is_symbolic = |expr: ExprId| dag.as_constant(expr).is_none();
    for expr in dag.reachable(&[condition]) {
        let operation = match dag.node(expr) {
            Node::Binary(BinOp::Mul, a, b) if a == b => Some(HardOperation::Square),
            Node::Binary(BinOp::Mul, a, b) if is_symbolic(a) && is_symbolic(b) => {
                Some(HardOperation::Product)
            }
            Node::Binary(BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem, _, b) if is_symbolic(b) => {
                Some(HardOperation::Division)
            }
            Node::Math(_) => Some(HardOperation::MathFunction),
            Node::Float(..) | Node::FloatCompare(..) | Node::Convert(..) => Some(HardOperation::Float),
            Node::Read(..) => Some(HardOperation::Table),
            _ => None,
        };
        found.extend(operation);
        // Of a chain, the operations that join more bytes to what is mixed already.
        if let Node::Binary(op, a, b) = dag.node(expr)
            && dag.inputs(expr).len() >= HASHED_BYTES
            && dag.width(expr) > 1
        {
            let joins = is_symbolic(a) && is_symbolic(b);
            match op {
                BinOp::Xor if joins => has_bitwise = true,
                BinOp::Shl | BinOp::LShr | BinOp::AShr => has_bitwise = true,
                BinOp::Mul | BinOp::URem | BinOp::UDiv => has_arithmetic = true,
                BinOp::Add | BinOp::Sub if joins => has_arithmetic = true,
                _ => {}
            }
        }
    }
    found.extend((has_arithmetic && has_bitwise).then_some(HardOperation::Hash));
    if found.is_empty() {
        found.insert(HardOperation::Path);
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::{CmpOp, InputByte};

    fn word(dag: &mut Dag, offset: u32) -> ExprId {
        let byte = dag.input(InputByte { object: 0, offset });
        dag.zext(byte, 32)
    }

    fn of(dag: &mut Dag, value: ExprId) -> Vec<HardOperation> {
        let constant = dag.constant(32, 77);
        let condition = dag.compare(CmpOp::Eq, value, constant);
        hard_operations(dag, condition)
    }

    #[test]
    fn operations_are_found_by_kind() {
        use HardOperation::{Division, Hash, Path, Product, Square};
        let dag = &mut Dag::new();
        let (a, b) = (word(dag, 0), word(dag, 1));
        let cases = [
            (dag.binary(BinOp::Add, a, b), vec![Path]),
            (dag.binary(BinOp::Mul, a, a), vec![Square]),
            (dag.binary(BinOp::Mul, a, b), vec![Product]),
            (dag.binary(BinOp::URem, a, b), vec![Division]),
        ];
        for (value, expected) in cases {
            assert_eq!(of(dag, value), expected);
        }
        let prime = dag.constant(32, 16_777_619);
        let mut hash = dag.constant(32, 2_166_136_261);
        for offset in 0..8 {
            let next = word(dag, offset);
            hash = dag.binary(BinOp::Xor, hash, next);
            hash = dag.binary(BinOp::Mul, hash, prime);
        }
        assert_eq!(of(dag, hash), [Hash]);
        // A number in decimal digits is no hash.
        let ten = dag.constant(32, 10);
        let mut number = word(dag, 0);
        for offset in 1..8 {
            let next = word(dag, offset);
            number = dag.binary(BinOp::Mul, number, ten);
            number = dag.binary(BinOp::Add, number, next);
        }
        assert_eq!(of(dag, number), [Path]);
    }
}
