//! Relaxed queries: flips solved without the constants of concretizations before them.
//!
//! After a concretization, later decisions are predicted for its constant only. A flip that the constant
//! rules out is solved once more without it. The run then leaves the path at the concretization, as it must,
//! and may take the flip on another path. So of all constants, those that some decision depends on are tried.

use cairn_exec::ExitKind;
use cairn_expr::{Dag, ExprId};
use cairn_tree::{AddedRun, Flip, Tree};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The relaxed queries made so far.
#[derive(Default)]
pub(super) struct RelaxedQueries {
    made: HashSet<u64>,
    /// Number of runs that left their path at a concretization, as expected.
    pub runs: u64,
}

impl RelaxedQueries {
    /// Forgets the queries: the expressions they are about are forgotten.
    pub fn forget(&mut self) {
        self.made = HashSet::new();
    }

    /// True if a query is new. The same one follows from every constant of a concretization: solved for each
    /// of them, it would yield constants without end.
    pub fn is_new(&mut self, prefix: &[ExprId], target: ExprId) -> bool {
        let mut hasher = DefaultHasher::new();
        (prefix, target).hash(&mut hasher);
        self.made.insert(hasher.finish())
    }
}

/// True if a run leaves the path to a flip at index `at` because of a concretization that was left open. A
/// fault may occur before the concretization is recorded.
pub(super) fn leaves_at_concretization(
    (tree, dag): (&Tree, &Dag),
    flip: Flip,
    at: usize,
    run: &AddedRun,
    end: ExitKind,
) -> bool {
    let Some(&(expected, _)) = tree.prefix(flip.node).get(at) else { return false };
    // The value may differ: a block of another size may have another address.
    let position = |node| (tree.node(node).kind, tree.node(node).site);
    let found = match run.nodes.get(at) {
        Some(node) => position(*node) == position(expected),
        None => matches!(end, ExitKind::Signal(_)),
    };
    found && tree.is_constant_choice(dag, expected)
}
