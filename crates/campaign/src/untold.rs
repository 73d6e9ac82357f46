//! Pins that a fault came before.
//!
//! The target records what a stretch of code has decided at the stretch's end. A load or store at an address
//! the flip has asked for may strike before: the run comes to the flip, takes it, and cannot tell any more.
//! What it would have told follows from its input.

use cairn_exec::Input;
use cairn_expr::{Dag, Evaluator};
use cairn_tree::{Flip, Node, Step, StepKind, Tree};

/// Adds the pins up to the flip to a path that ends on the way there, if there is nothing else in between.
pub(crate) fn add_untold_pins(tree: &Tree, dag: &Dag, flip: Flip, input: &Input, steps: &mut Vec<Step>) {
    let way = way_to(tree, flip);
    let is = |(step, node): (&Step, &Node)| {
        (step.kind, step.site, step.value) == (node.kind, node.site, node.value)
    };
    if steps.len() >= way.len() || !steps.iter().zip(&way).all(is) {
        return;
    }
    let untold = &way[steps.len()..];
    if untold.iter().any(|node| node.kind == StepKind::Branch) {
        return;
    }
    let mut evaluator = Evaluator::new();
    steps.extend(untold.iter().map(|node| Step {
        kind: node.kind,
        site: node.site,
        side: 0,
        value: node.value,
        concrete: evaluator.eval(dag, node.value, input) as u64,
    }));
}

/// The nodes to a flip, one per step: of the constants of a pin only the last.
fn way_to(tree: &Tree, flip: Flip) -> Vec<Node> {
    let passed = |node: &Node, side| node.kind == StepKind::Concretization && side != 0;
    let prefix = tree.prefix(flip.node).into_iter().map(|(node, side)| (tree.node(node), side));
    let mut way: Vec<Node> =
        prefix.filter(|(node, side)| !passed(node, *side)).map(|(node, _)| node).collect();
    way.push(tree.node(flip.node));
    way
}
