//! Tries behind a pin.
//!
//! Once a run has used a symbolic value as a constant, its later decisions are predicted for that constant only. A
//! flip that the constant rules out is asked for once more without it. The run then leaves the path where the value
//! is used, as it must, and may take the flip on another one: of all constants, those that something depends on are tried.

use cairn_exec::ExitKind;
use cairn_expr::{Dag, ExprId};
use cairn_tree::{AddedRun, Flip, Tree};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The questions that were asked without constants, and what came of them.
#[derive(Default)]
pub(crate) struct BehindPins {
    asked: HashSet<u64>,
    /// Runs that left their path at a pin, as was expected of them.
    pub runs: u64,
}

impl BehindPins {
    /// Whether a question is new. The same one follows from every constant of a pin: asked for each, a
    /// search would find constants without end.
    pub fn is_new(&mut self, prefix: &[ExprId], target: ExprId) -> bool {
        let mut hasher = DefaultHasher::new();
        (prefix, target).hash(&mut hasher);
        self.asked.insert(hasher.finish())
    }
}

/// Whether a run that leaves the path to a flip at this index does so at a pin that was left open. A fault may
/// strike before the pin is recorded.
pub(crate) fn leaves_at_pin(
    (tree, dag): (&Tree, &Dag),
    flip: Flip,
    at: usize,
    run: &AddedRun,
    end: ExitKind,
) -> bool {
    let Some(&(expected, _)) = tree.prefix(flip.node).get(at) else { return false };
    // A block of another size may lie elsewhere: it need not be the same value.
    let place = |node| (tree.node(node).kind, tree.node(node).site);
    let found = match run.nodes.get(at) {
        Some(node) => place(*node) == place(expected),
        None => matches!(end, ExitKind::Signal(_)),
    };
    found && tree.is_constant_choice(dag, expected)
}
