//! Refutes targets that read a table at a symbolic index, without inverting the index.
//!
//! A program that writes to a slot of a hash table has the slot's index concretized: the path says `index ==
//! 5`. What it then reads there depends on the index alone, but the index on a hash function that no solver
//! inverts. So a subexpression that the path equates with a constant is assumed to have that value; a target
//! that depends on nothing else is decided for all inputs. Where the path does not fix the index, but
//! constrains what is read there, all indices are tried if they are few. On an XML document this took solving
//! from 1.68 s with 3 unknowns to 0.18 s with none (bench/RESULTS.md).

use crate::Query;
use cairn_deadline::Deadline;
use cairn_expr::{BinOp, CmpOp, Dag, Evaluator, ExprId, InputByte, Node};
use std::cell::Cell;

/// Nodes of a constraint that are visited; a chosen bound.
const MAX_NODES: usize = 200;
/// Values of an index that are tried; a chosen bound.
const MAX_INDICES: u128 = 1 << 10;

/// True if the prefix refutes the target through equalities or an index of few values; false proves nothing.
/// Returns the number of nodes visited as well.
pub(super) fn is_ruled_out(
    evaluator: &mut Evaluator,
    dag: &Dag,
    query: &Query,
    deadline: &Deadline,
) -> (bool, u64) {
    let mut visited = 0;
    let is_ruled_out = is_ruled_out_by_equalities(evaluator, dag, query, &mut visited)
        || is_ruled_out_at_all_indices(evaluator, dag, query, deadline, &mut visited);
    (is_ruled_out, visited)
}

/// True if the target is false once the subexpressions that the prefix equates with constants have these
/// values.
fn is_ruled_out_by_equalities(
    evaluator: &mut Evaluator,
    dag: &Dag,
    query: &Query,
    visited: &mut u64,
) -> bool {
    evaluator.begin();
    *visited += query.prefix.len() as u64;
    let mut any = false;
    for &constraint in query.prefix {
        if let Some((part, value)) = equality(dag, constraint) {
            evaluator.assume(dag, part, value);
            any = true;
        }
    }
    any && !needs_input(evaluator, dag, query.target, visited)
        && !Guess::default().may_hold(evaluator, dag, query.target)
}

/// True if for no value of the target's index all constraints hold that depend on the index alone.
fn is_ruled_out_at_all_indices(
    evaluator: &mut Evaluator,
    dag: &Dag,
    query: &Query,
    deadline: &Deadline,
    visited: &mut u64,
) -> bool {
    let Some((index, count)) = read_index(dag, query.target) else { return false };
    if dag.inputs(index).len() == 1 {
        // The byte has a domain, which is computed once and not for every query.
        return false;
    }
    evaluator.begin();
    evaluator.assume(dag, index, 0);
    let before = *visited;
    let mut depends_on_index = |e: &ExprId| !needs_input(evaluator, dag, *e, visited);
    if !depends_on_index(&query.target) {
        return false;
    }
    // The target first: it is the least likely to hold.
    let constraints: Vec<ExprId> =
        [query.target].into_iter().chain(query.prefix.iter().copied().filter(depends_on_index)).collect();
    let nodes_per_value = (*visited - before) / (query.prefix.len() as u64 + 1) + 1;
    (0..count).all(|value| {
        evaluator.begin();
        evaluator.assume(dag, index, value);
        let guess = Guess::default();
        // An index that there is no time to try may satisfy them.
        let hold = |&e: &ExprId| {
            *visited += nodes_per_value;
            guess.may_hold(evaluator, dag, e)
        };
        !deadline.is_over() && !constraints.iter().all(hold)
    })
}

/// Returns the symbolic part of the index of a read in the target, and the number of its values, if these are
/// few.
fn read_index(dag: &Dag, target: ExprId) -> Option<(ExprId, u128)> {
    let mut open = vec![target];
    for _ in 0..MAX_NODES {
        let e = open.pop()?;
        match dag.node(e) {
            Node::Read(_, index) => return symbolic_part(dag, index),
            _ => open.extend(dag.children(e)),
        }
    }
    None
}

/// Returns the only symbolic part of an expression that has few values: some bits of a hash, or a remainder.
fn symbolic_part(dag: &Dag, number: ExprId) -> Option<(ExprId, u128)> {
    let mut e = number;
    loop {
        let count = match dag.node(e) {
            Node::Const(_) => return None,
            Node::Binary(BinOp::URem, _, divisor) => dag.as_constant(divisor).filter(|divisor| *divisor > 0),
            _ => 1u128.checked_shl(dag.width(e).into()),
        };
        if let Some(count) = count.filter(|count| *count <= MAX_INDICES) {
            return Some((e, count));
        }
        let mut parts = dag.children(e).filter(|part| dag.as_constant(*part).is_none());
        e = parts.next()?;
        if parts.next().is_some() {
            return None;
        }
    }
}

/// Evaluates constraints that should not depend on input bytes. A table may still contain some, whose values
/// are not known: from the first one on the evaluator's values mean nothing.
#[derive(Default)]
struct Guess {
    has_read_input: Cell<bool>,
}

impl Guess {
    /// True if a constraint holds, or might.
    fn may_hold(&self, evaluator: &mut Evaluator, dag: &Dag, constraint: ExprId) -> bool {
        let look = |_: InputByte| {
            self.has_read_input.set(true);
            0
        };
        evaluator.value(dag, constraint, &look) != 0 || self.has_read_input.get()
    }
}

/// Returns the expression and constant of an equality with a constant.
fn equality(dag: &Dag, constraint: ExprId) -> Option<(ExprId, u128)> {
    let Node::Compare(CmpOp::Eq, a, b) = dag.node(constraint) else { return None };
    match (dag.as_constant(a), dag.as_constant(b)) {
        (None, Some(value)) => Some((a, value)),
        (Some(value), None) => Some((b, value)),
        _ => None,
    }
}

/// True if an expression depends on input bytes other than through subexpressions with an assumed value, or
/// might.
fn needs_input(evaluator: &Evaluator, dag: &Dag, e: ExprId, visited: &mut u64) -> bool {
    let mut open = vec![e];
    for _ in 0..MAX_NODES {
        let Some(e) = open.pop() else { return false };
        *visited += 1;
        if evaluator.knows(e) {
            continue;
        }
        match dag.node(e) {
            Node::Input(_) => return true,
            Node::Read(_, index) => open.push(index),
            _ => open.extend(dag.children(e)),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{about, byte};

    #[test]
    fn equalities_of_the_path_decide_a_target() {
        let mut dag = Dag::new();
        let (a, b) = (dag.input(byte(0)), dag.input(byte(1)));
        let (five, seven) = (dag.constant(8, 5), dag.constant(8, 7));
        let product = dag.binary(BinOp::Mul, a, b);
        let index = dag.binary(BinOp::Xor, product, b);
        let concretization = dag.compare(CmpOp::Eq, index, five);
        let double = dag.binary(BinOp::Mul, index, index);
        let other = dag.binary(BinOp::Add, double, a);
        let [same, wrong, open] = [(double, 25), (double, 24), (other, 24)].map(|(value, constant)| {
            let constant = dag.constant(8, constant);
            dag.compare(CmpOp::Eq, value, constant)
        });
        let unrelated = about(&mut dag, 0, 1);
        let below = dag.compare(CmpOp::Ult, index, seven);
        let mut evaluator = Evaluator::new();
        let mut ruled_out = |prefix: &[ExprId], target| {
            is_ruled_out(&mut evaluator, &dag, &Query { prefix, target }, &Deadline::never()).0
        };
        assert!(ruled_out(&[unrelated, concretization], wrong));
        assert!(!ruled_out(&[unrelated, concretization], same), "it holds");
        assert!(!ruled_out(&[concretization], open), "it depends on more");
        assert!(!ruled_out(&[below, unrelated], wrong), "no equality fixes the index");
    }

    /// Two tables, read at the same index.
    #[test]
    fn contents_at_no_index_are_ruled_out() {
        let mut dag = Dag::new();
        let (a, b) = (dag.input(byte(0)), dag.input(byte(1)));
        let product = dag.binary(BinOp::Mul, a, b);
        let seven = dag.constant(8, 7);
        let hash = dag.binary(BinOp::URem, product, seven);
        for hash in [dag.extract(product, 2, 3), hash] {
            refute_at_all_indices(&mut dag, hash);
        }
    }

    fn refute_at_all_indices(dag: &mut Dag, hash: ExprId) {
        let index = dag.zext(hash, 64);
        let zero = dag.constant(8, 0);
        let mut is_empty = |bytes: [u8; 8]| {
            let table = dag.snapshot(&bytes, &[]);
            let found = dag.read(table, index, 8);
            dag.compare(CmpOp::Eq, found, zero)
        };
        let [first, second] = [[0, 0, 7, 0, 0, 0, 1, 0], [0, 0, 7, 0, 9, 0, 0, 0]].map(&mut is_empty);
        let [in_first, in_second] = [first, second].map(|e| dag.not(e));
        let two = dag.constant(dag.width(hash), 2);
        let elsewhere = dag.compare(CmpOp::Eq, hash, two);
        let elsewhere = dag.not(elsewhere);
        let mut evaluator = Evaluator::new();
        let mut ruled_out = |prefix: &[ExprId], target| {
            is_ruled_out(&mut evaluator, dag, &Query { prefix, target }, &Deadline::never()).0
        };
        assert!(!ruled_out(&[in_first], in_second), "both are nonzero at index 2");
        assert!(!ruled_out(&[first], in_second), "index 4");
        assert!(ruled_out(&[in_first, elsewhere], in_second));
        assert!(!ruled_out(&[in_first, elsewhere], second));
    }
}
