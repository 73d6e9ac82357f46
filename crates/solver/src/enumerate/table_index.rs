//! Targets that what the path says of their parts decides.
//!
//! A program that writes to a place of a hash table pins the place: it is this one. What it then reads there depends on the
//! place alone, but the place on a hash that no solver sees through. So parts that the path knows are taken for what
//! they are; a target in which there is nothing else holds, or does not, whatever the input. Where the path does not say
//! which place it is, but something of what is found there, all places are tried.

use crate::Query;
use cairn_deadline::Deadline;
use cairn_expr::{BinOp, CmpOp, Dag, Evaluator, ExprId, InputByte, Node};
use std::cell::Cell;

/// Nodes of a constraint that are looked at.
const MAX_NODES: usize = 200;
/// Places that are tried.
const MAX_PLACES: u128 = 1 << 10;

/// Whether the target cannot hold, since the path says so of its parts.
pub(super) fn is_ruled_out(evaluator: &mut Evaluator, dag: &Dag, query: &Query, deadline: &Deadline) -> bool {
    is_ruled_out_by_equalities(evaluator, dag, query)
        || is_ruled_out_at_all_places(evaluator, dag, query, deadline)
}

fn is_ruled_out_by_equalities(evaluator: &mut Evaluator, dag: &Dag, query: &Query) -> bool {
    evaluator.begin();
    let mut any = false;
    for &constraint in query.prefix {
        if let Some((part, value)) = equality(dag, constraint) {
            evaluator.assume(dag, part, value);
            any = true;
        }
    }
    any && !needs_input(evaluator, dag, query.target)
        && !Guess::default().may_hold(evaluator, dag, query.target)
}

/// Whether there is no place for which what the query says of its content is true.
fn is_ruled_out_at_all_places(
    evaluator: &mut Evaluator,
    dag: &Dag,
    query: &Query,
    deadline: &Deadline,
) -> bool {
    let Some((place, count)) = place(dag, query.target) else { return false };
    evaluator.begin();
    evaluator.assume(dag, place, 0);
    let about_place = |e: &ExprId| !needs_input(evaluator, dag, *e);
    if !about_place(&query.target) {
        return false;
    }
    // The target first: it is the least likely.
    let constraints: Vec<ExprId> =
        [query.target].into_iter().chain(query.prefix.iter().copied().filter(about_place)).collect();
    (0..count).all(|value| {
        evaluator.begin();
        evaluator.assume(dag, place, value);
        let guess = Guess::default();
        // A place that there is no time to try may be the one.
        !deadline.is_over() && !constraints.iter().all(|&e| guess.may_hold(evaluator, dag, e))
    })
}

/// What tells the place where a target reads, and how many values it may have, if these are few.
fn place(dag: &Dag, target: ExprId) -> Option<(ExprId, u128)> {
    let mut open = vec![target];
    for _ in 0..MAX_NODES {
        let e = open.pop()?;
        match dag.node(e) {
            Node::Read(_, place) => return core(dag, place),
            _ => open.extend(dag.children(e)),
        }
    }
    None
}

/// The one part of a number that is not constant, if it has few values: bits of a hash, or what is left when it is divided.
fn core(dag: &Dag, number: ExprId) -> Option<(ExprId, u128)> {
    let mut e = number;
    loop {
        let count = match dag.node(e) {
            Node::Const(_) => return None,
            Node::Binary(BinOp::URem, _, divisor) => dag.as_constant(divisor).filter(|divisor| *divisor > 0),
            _ => 1u128.checked_shl(dag.width(e).into()),
        };
        if let Some(count) = count.filter(|count| *count <= MAX_PLACES) {
            return Some((e, count));
        }
        let mut parts = dag.children(e).filter(|part| dag.as_constant(*part).is_none());
        e = parts.next()?;
        if parts.next().is_some() {
            return None;
        }
    }
}

/// Evaluates what should need no input. What is read from memory may still be input, of which nothing is known: from then
/// on the evaluator remembers values that are none.
#[derive(Default)]
struct Guess {
    is_wild: Cell<bool>,
}

impl Guess {
    /// Whether a constraint is true, or might be.
    fn may_hold(&self, evaluator: &mut Evaluator, dag: &Dag, constraint: ExprId) -> bool {
        let look = |_: InputByte| {
            self.is_wild.set(true);
            0
        };
        evaluator.value(dag, constraint, &look) != 0 || self.is_wild.get()
    }
}

/// That something is this constant.
fn equality(dag: &Dag, constraint: ExprId) -> Option<(ExprId, u128)> {
    let Node::Compare(CmpOp::Eq, a, b) = dag.node(constraint) else { return None };
    match (dag.as_constant(a), dag.as_constant(b)) {
        (None, Some(value)) => Some((a, value)),
        (Some(value), None) => Some((b, value)),
        _ => None,
    }
}

/// Whether the value of an expression depends on input beside what is known of its parts, or might.
fn needs_input(evaluator: &Evaluator, dag: &Dag, e: ExprId) -> bool {
    let mut open = vec![e];
    for _ in 0..MAX_NODES {
        let Some(e) = open.pop() else { return false };
        if evaluator.knows(e) {
            continue;
        }
        match dag.node(e) {
            Node::Input(_) => return true,
            Node::Read(_, place) => open.push(place),
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
    fn what_the_path_knows_of_a_part_is_known_of_the_whole() {
        let mut dag = Dag::new();
        let (a, b) = (dag.input(byte(0)), dag.input(byte(1)));
        let (five, seven) = (dag.constant(8, 5), dag.constant(8, 7));
        let product = dag.binary(BinOp::Mul, a, b);
        let place = dag.binary(BinOp::Xor, product, b);
        let pin = dag.compare(CmpOp::Eq, place, five);
        let double = dag.binary(BinOp::Mul, place, place);
        let other = dag.binary(BinOp::Add, double, a);
        let [same, wrong, open] = [(double, 25), (double, 24), (other, 24)].map(|(value, constant)| {
            let constant = dag.constant(8, constant);
            dag.compare(CmpOp::Eq, value, constant)
        });
        let unrelated = about(&mut dag, 0, 1);
        let below = dag.compare(CmpOp::Ult, place, seven);
        let mut evaluator = Evaluator::new();
        let mut ruled_out = |prefix: &[ExprId], target| {
            is_ruled_out(&mut evaluator, &dag, &Query { prefix, target }, &Deadline::never())
        };
        assert!(ruled_out(&[unrelated, pin], wrong));
        assert!(!ruled_out(&[unrelated, pin], same), "it holds");
        assert!(!ruled_out(&[pin], open), "it depends on more");
        assert!(!ruled_out(&[below, unrelated], wrong), "nothing says what the place is");
    }

    /// Two tables, at the same place of which something is found, or nothing.
    #[test]
    fn what_is_found_at_no_place_is_ruled_out() {
        let mut dag = Dag::new();
        let (a, b) = (dag.input(byte(0)), dag.input(byte(1)));
        let product = dag.binary(BinOp::Mul, a, b);
        let seven = dag.constant(8, 7);
        let hash = dag.binary(BinOp::URem, product, seven);
        for hash in [dag.extract(product, 2, 3), hash] {
            find_at_no_place(&mut dag, hash);
        }
    }

    fn find_at_no_place(dag: &mut Dag, hash: ExprId) {
        let place = dag.zext(hash, 64);
        let zero = dag.constant(8, 0);
        let mut is_empty = |bytes: [u8; 8]| {
            let table = dag.snapshot(&bytes, &[]);
            let found = dag.read(table, place, 8);
            dag.compare(CmpOp::Eq, found, zero)
        };
        let [first, second] = [[0, 0, 7, 0, 0, 0, 1, 0], [0, 0, 7, 0, 9, 0, 0, 0]].map(&mut is_empty);
        let [in_first, in_second] = [first, second].map(|e| dag.not(e));
        let third = dag.constant(dag.width(hash), 2);
        let elsewhere = dag.compare(CmpOp::Eq, hash, third);
        let elsewhere = dag.not(elsewhere);
        let mut evaluator = Evaluator::new();
        let mut ruled_out = |prefix: &[ExprId], target| {
            is_ruled_out(&mut evaluator, dag, &Query { prefix, target }, &Deadline::never())
        };
        assert!(!ruled_out(&[in_first], in_second), "both have something in the third place");
        assert!(!ruled_out(&[first], in_second), "the fifth");
        assert!(ruled_out(&[in_first, elsewhere], in_second));
        assert!(!ruled_out(&[in_first, elsewhere], second));
    }
}
