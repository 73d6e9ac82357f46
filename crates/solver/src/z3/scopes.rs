//! Incremental solving: one Z3 solver for many queries, and which constraints get a scope of their own.
//!
//! Z3's solver is kept (a fresh one per query costs 5 to 20 times as much on short queries), but what to keep
//! in it depends on the order of queries. Measured on 2,820 path-like queries (byte parsers, checksummed
//! records, words, decimal numbers, hashes), depth first and in random order, CPU seconds:
//!
//! * An indicator literal per constraint, all kept and assumed as needed: 46, against 21 to 23 for the ways
//!   below. Every check propagates the constraints of all queries before it.
//! * A scope per constraint, popped down to what two queries share: best when queries follow each other down
//!   a path (a hash over 300 bytes: 7 s for 620 queries), but when they come in random order opening all
//!   these scopes costs three times what the next way does, since Z3 cannot simplify across them.
//! * The whole query in one scope: the reverse (15 s for the first 360 of the same 620 queries), and the time
//!   limit is kept well, since Z3 does all its work where it can be interrupted.
//!
//! So: a query that shares at least half of its constraints with the one before gets scopes for what they
//! share, any other goes into one scope. In both orders that is about as fast as the better way.

use super::terms::Terms;
use crate::Query;
use ::z3::Solver;
use cairn_deadline::Deadline;
use cairn_expr::{Dag, ExprId};

/// A Z3 solver, and the constraints asserted in it.
pub(super) struct Scopes {
    solver: Solver,
    /// Constraints with a scope of their own, bottom first.
    single: Vec<ExprId>,
    /// True if a scope with the rest of a query lies on top.
    has_rest: bool,
    /// Constraints of the previous query.
    last: Vec<ExprId>,
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        Scopes { solver: Solver::new(), single: Vec::new(), has_rest: false, last: Vec::new() }
    }

    pub(super) fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Asserts the constraints of the query, and no others.
    ///
    /// Z3 works on a scope's constraints when the next one is opened, and cannot be interrupted there: from
    /// `hurry` on no more scopes are made. Returns false if the deadline is over before all are asserted.
    pub(super) fn enter(
        &mut self,
        terms: &mut Terms,
        dag: &Dag,
        query: &Query,
        hurry: &Deadline,
        deadline: &Deadline,
    ) -> bool {
        let constraints: Vec<ExprId> = query.constraints().collect();
        let asserted = self.pop_to(query.prefix);
        let with_last = common_prefix(&self.last, &constraints);
        if with_last * 2 >= constraints.len() {
            for &e in query.prefix.iter().take(with_last).skip(asserted) {
                if hurry.is_over() {
                    break;
                }
                self.solver.push();
                self.solver.assert(terms.condition(dag, e));
                self.single.push(e);
            }
        }
        self.solver.push();
        self.has_rest = true;
        for &e in &constraints[self.single.len()..] {
            if deadline.is_over() {
                return false;
            }
            self.solver.assert(terms.condition(dag, e));
        }
        self.last = constraints;
        true
    }

    /// Pops the scopes that are not part of the prefix; returns how many remain.
    fn pop_to(&mut self, prefix: &[ExprId]) -> usize {
        let shared = common_prefix(&self.single, prefix);
        let left = self.single.len() - shared + usize::from(self.has_rest);
        self.solver.pop(left as u32);
        self.single.truncate(shared);
        self.has_rest = false;
        shared
    }
}

/// Returns the length of the common prefix of two lists.
fn common_prefix(a: &[ExprId], b: &[ExprId]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
