//! Classes of queries that are alike to solve, from the finest to the coarsest.
//!
//! The same branch of a program asks queries of the same form again and again, over other bytes and with other
//! constants. Its form is the hash of the target's operations near the root; with it goes the size of the
//! query. A form seen for the first time is judged by the coarser classes it belongs to: which kinds of
//! operations occur and how large it is, then the kinds alone.

use cairn_expr::{BinOp, Dag, ExprId, Node, Op};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Levels of the target's expression that belong to its form; a chosen bound.
const FORM_DEPTH: u32 = 5;

/// Kinds of operations in a query that decide which engines can solve it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct QueryClass {
    /// Floating-point operations occur.
    pub has_floats: bool,
    /// Functions occur that an SMT backend does not interpret.
    pub has_functions: bool,
    /// Products, quotients or remainders of two symbolic values occur.
    pub has_products: bool,
    /// Reads of tables at symbolic indices occur.
    pub has_tables: bool,
}

impl QueryClass {
    fn with(self, other: QueryClass) -> QueryClass {
        QueryClass {
            has_floats: self.has_floats | other.has_floats,
            has_functions: self.has_functions | other.has_functions,
            has_products: self.has_products | other.has_products,
            has_tables: self.has_tables | other.has_tables,
        }
    }
}

/// Keys of the classes of one query, the finest first.
pub(super) type ClassKeys = [u64; 3];

/// Classes of all expressions of a DAG, computed once each.
#[derive(Default)]
pub(super) struct Classes(Vec<QueryClass>);

impl Classes {
    /// Returns the class of a query, and the keys under which evidence about it is kept.
    pub(super) fn of(
        &mut self,
        dag: &Dag,
        constraints: impl Iterator<Item = ExprId> + Clone,
        target: ExprId,
    ) -> (QueryClass, ClassKeys) {
        for e in dag.expressions_from(self.0.len()) {
            let class = self.together(dag.children(e)).with(own_class(dag, e));
            self.0.push(class);
        }
        let class = self.together(constraints.clone());
        let size = (log2(constraints.count()), log2(dag.inputs(target).len()));
        (class, [hash((form(dag, target, FORM_DEPTH), class, size)), hash((class, size)), hash(class)])
    }

    fn together(&self, expressions: impl Iterator<Item = ExprId>) -> QueryClass {
        expressions.map(|e| self.0[e.index()]).fold(QueryClass::default(), QueryClass::with)
    }
}

/// Returns the class of an expression without its children.
fn own_class(dag: &Dag, e: ExprId) -> QueryClass {
    let op = dag.op(e);
    QueryClass {
        has_floats: is_about_floats(op),
        has_functions: op == Op::Math,
        has_products: is_product(dag, e),
        has_tables: matches!(dag.node(e), Node::Read(..)),
    }
}

fn is_product(dag: &Dag, e: ExprId) -> bool {
    use BinOp::*;
    match dag.node(e) {
        Node::Binary(Mul | UDiv | URem | SDiv | SRem, a, b) => {
            dag.as_constant(a).is_none() && dag.as_constant(b).is_none()
        }
        _ => false,
    }
}

fn is_about_floats(op: Op) -> bool {
    use Op::*;
    matches!(op, FAdd | FSub | FMul | FDiv | FRem | FEq | FLt | FLe | FToS | FToU | SToF | UToF | FToF | Math)
}

/// Hashes operations and widths down to a depth; constants and input bytes are all alike.
fn form(dag: &Dag, e: ExprId, depth: u32) -> u64 {
    let is_leaf = depth == 0 || dag.as_constant(e).is_some();
    let op = if is_leaf { None } else { Some(dag.op(e)) };
    let mut hasher = FxHasher::default();
    (op.map(|op| op as u8), dag.width(e)).hash(&mut hasher);
    if !is_leaf {
        dag.children(e).for_each(|child| form(dag, child, depth - 1).hash(&mut hasher));
    }
    hasher.finish()
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn log2(number: usize) -> u32 {
    number.checked_ilog2().map_or(0, |log| log + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{about, byte};
    use cairn_expr::CmpOp;

    fn keys(dag: &Dag, target: ExprId) -> (QueryClass, ClassKeys) {
        Classes::default().of(dag, [target].into_iter(), target)
    }

    #[test]
    fn other_bytes_and_constants_are_the_same_form_and_other_operations_are_not() {
        let mut dag = Dag::new();
        let [one, other] = [about(&mut dag, 0, 1), about(&mut dag, 7, 9)];
        let reversed = dag.not(other);
        assert_eq!(keys(&dag, one), keys(&dag, other));
        let (class, [fine, sized, coarse]) = keys(&dag, reversed);
        let (_, [other_fine, other_sized, other_coarse]) = keys(&dag, one);
        assert_eq!((class, sized, coarse), (QueryClass::default(), other_sized, other_coarse));
        assert_ne!(fine, other_fine);
    }

    #[test]
    fn the_kinds_of_operations_anywhere_below_count() {
        let mut dag = Dag::new();
        let (x, y, five) = (dag.input(byte(0)), dag.input(byte(1)), dag.constant(8, 5));
        let (product, scaled) = (dag.binary(BinOp::Mul, x, y), dag.binary(BinOp::Mul, x, five));
        let [product, scaled] = [product, scaled].map(|value| dag.compare(CmpOp::Ult, value, five));
        assert!(keys(&dag, product).0.has_products);
        assert_eq!(keys(&dag, scaled).0, QueryClass::default());
    }
}
