//! Adds concretizations that a run could not record because of a fault.
//!
//! The target records the events of a segment at the segment's end. A load or store at the address that the
//! flip asked for may fault before: the run reaches the flip and takes it, but cannot record it. The missing
//! events follow from its input.

use cairn_exec::Input;
use cairn_expr::{Dag, Evaluator};
use cairn_tree::{Flip, Node, Step, StepKind, Tree};

/// Adds the concretizations and constraints up to the flip to a path that ends before it, if no branch is
/// missing.
pub(super) fn add_missing_events(tree: &Tree, dag: &Dag, flip: Flip, input: &Input, steps: &mut Vec<Step>) {
    let expected = nodes_to(tree, flip);
    let matches = |(step, node): (&Step, &Node)| {
        (step.kind, step.site, step.value) == (node.kind, node.site, node.value)
    };
    if steps.len() >= expected.len() || !steps.iter().zip(&expected).all(matches) {
        return;
    }
    let missing = &expected[steps.len()..];
    if missing.iter().any(|node| node.kind == StepKind::Branch) {
        return;
    }
    let mut evaluator = Evaluator::new();
    steps.extend(missing.iter().map(|node| Step {
        kind: node.kind,
        site: node.site,
        side: 0,
        value: node.value,
        concrete: evaluator.eval(dag, node.value, input) as u64,
    }));
}

/// Returns the nodes up to a flip, one per step: of the constants of a concretization only the last.
fn nodes_to(tree: &Tree, flip: Flip) -> Vec<Node> {
    let passed = |node: &Node, side| node.kind == StepKind::Concretization && side != 0;
    let prefix = tree.prefix(flip.node).into_iter().map(|(node, side)| (tree.node(node), side));
    let mut nodes: Vec<Node> =
        prefix.filter(|(node, side)| !passed(node, *side)).map(|(node, _)| node).collect();
    nodes.push(tree.node(flip.node));
    nodes
}
