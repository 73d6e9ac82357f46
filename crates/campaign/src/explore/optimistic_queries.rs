//! Optimistic solving: queries of the target and its nearest constraints alone, when the whole path condition
//! has no answer (Yun, Lee, Xu, Jang, Kim: QSYM, USENIX Security 2018).
//!
//! A checksum or a hash on the path keeps the solver from everything behind it. Without the constraints on
//! other bytes the query is easy, and a run of its model often takes the branch all the same, or covers
//! something else on its way. Such a run promises nothing: it is expected to leave the path, its flip keeps its
//! state, and it is counted as optimistic. What can be concluded is only that a contradiction among some of the
//! constraints is one of all.
//!
//! The campaign learns if it pays: optimistic runs go on while the share of them that covers something new is
//! not below that of all executions.

use cairn_expr::{Dag, ExprId};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Tries before their yield is judged; a chosen number.
const TRIES_UNJUDGED: u64 = 8;

/// The optimistic queries made so far, and their yield.
#[derive(Default)]
pub(super) struct OptimisticQueries {
    made: HashSet<u64>,
    /// Number of runs.
    pub runs: u64,
    /// Runs that covered a branch first.
    pub with_new_coverage: u64,
}

impl OptimisticQueries {
    /// True if another optimistic query is worth its cost, beside `executions` of which `tests` covered
    /// something new.
    pub fn pays(&self, executions: u64, tests: u64) -> bool {
        self.runs < TRIES_UNJUDGED || (self.with_new_coverage + 1) * executions >= self.runs * tests
    }

    /// Forgets the queries: the expressions they are about are forgotten.
    pub fn forget(&mut self) {
        self.made = HashSet::new();
    }

    /// Returns the constraints of the path prefix that read only bytes of the target; `None` if these are all,
    /// or the query was made before.
    pub fn nearest(&mut self, dag: &Dag, prefix: &[ExprId], target: ExprId) -> Option<Vec<ExprId>> {
        let own = dag.inputs(target);
        let is_near = |e: &&ExprId| dag.inputs(**e).iter().all(|byte| own.binary_search(byte).is_ok());
        let nearest: Vec<ExprId> = prefix.iter().filter(is_near).copied().collect();
        let mut hasher = DefaultHasher::new();
        (&nearest, target).hash(&mut hasher);
        (nearest.len() < prefix.len() && self.made.insert(hasher.finish())).then_some(nearest)
    }

    /// Counts a run.
    pub fn count(&mut self, covers_new: bool) {
        self.runs += 1;
        self.with_new_coverage += u64::from(covers_new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::{CmpOp, InputByte};

    #[test]
    fn constraints_on_other_bytes_are_left_out_and_no_query_is_made_twice() {
        let mut dag = Dag::new();
        let byte = |dag: &mut Dag, offset| dag.input(InputByte { object: 0, offset });
        let (x, y, five) = (byte(&mut dag, 0), byte(&mut dag, 1), dag.constant(8, 5));
        let near = dag.compare(CmpOp::Ult, x, five);
        let far = dag.compare(CmpOp::Ult, x, y);
        let target = dag.compare(CmpOp::Ne, five, x);
        let mut queries = OptimisticQueries::default();
        assert_eq!(queries.nearest(&dag, &[near, far], target), Some(vec![near]));
        assert_eq!(queries.nearest(&dag, &[far, near], target), None);
        assert_eq!(queries.nearest(&dag, &[near], target), None, "nothing would be left out");
    }

    #[test]
    fn it_pays_while_it_covers_as_much_as_other_runs() {
        let mut queries = OptimisticQueries::default();
        (0..20).for_each(|_| queries.count(false));
        assert!(queries.pays(1_000, 20) && !queries.pays(1_000, 200));
        queries.count(true);
        queries.count(true);
        queries.count(true);
        assert!(queries.pays(1_000, 170));
    }
}
