//! Detects divergences: compares a run with the path its input was solved for.
//!
//! The run of a solved flip must reach the flip's node along the same path and take the requested side. If it
//! does not, the expressions do not capture everything that the path depends on.

use cairn_tree::{AddedRun, Flip, Tree};

/// Returns the first index at which a run leaves the path to a flip; None if it takes the flip.
pub(super) fn first_difference(tree: &Tree, flip: Flip, run: &AddedRun) -> Option<usize> {
    // There is only one path to a node.
    let at = run.nodes.iter().position(|node| *node == flip.node);
    if at.is_some_and(|at| run.sides.get(at) == Some(&flip.side)) {
        return None;
    }
    let mut expected = tree.prefix(flip.node);
    expected.push((flip.node, flip.side));
    let taken = |index: usize| run.nodes.get(index).copied().zip(run.sides.get(index).copied());
    (0..expected.len()).find(|&index| taken(index) != Some(expected[index]))
}
