//! The conditions that conjunctions consist of.

use cairn_expr::{BinOp, Dag, ExprId, Node};
use rustc_hash::FxHashSet;

/// Splits conjunctions into their conjuncts; those of the last constraint come last. A conjunction that is
/// shared within a constraint is split once: there may be exponentially many paths to it.
pub(crate) fn conjuncts(dag: &Dag, constraints: impl Iterator<Item = ExprId>) -> Vec<ExprId> {
    let mut parts = Vec::new();
    let mut seen = FxHashSet::default();
    for constraint in constraints {
        let mut open = vec![constraint];
        seen.clear();
        while let Some(e) = open.pop() {
            match dag.node(e) {
                Node::Binary(BinOp::And, a, b) => {
                    if seen.insert(e) {
                        open.extend([b, a]);
                    }
                }
                _ => parts.push(e),
            }
        }
    }
    parts
}
