//! Where a run's path leads towards a block, and where it might.

use super::pairs::Approach;
use crate::rng::Rng;
use cairn_tree::{Flip, NodeId, RunId, Tree};

/// Returns the untried flip of a run's path after which the fewest branches are left to be taken, if these are
/// fewer than `below`, with their number.
pub(super) fn nearest_flip(
    tree: &Tree,
    run: RunId,
    approach: &Approach,
    below: u32,
    rng: &mut Rng,
) -> Option<(u32, Flip)> {
    let (mut least, mut flips) = (below, Vec::new());
    for flip in sides_taken(tree, run).flat_map(|side| tree.untried_of(side.node)) {
        let Some(left) = tree.branch(flip).and_then(|branch| approach.get(&branch).copied()) else { continue };
        if left < least {
            flips.clear();
            least = left;
        }
        if left == least && left < below {
            flips.push(flip);
        }
    }
    // A later flip keeps more of the run.
    let mut at = flips.len().checked_sub(1)?;
    while at > 0 && rng.below(2) == 0 {
        at -= 1;
    }
    Some((least, flips[at]))
}

/// Returns the last decision on a run's path of those that have led nearest to the block.
pub(super) fn deciding_node(tree: &Tree, run: RunId, approach: &Approach) -> Option<NodeId> {
    let left = |side: Flip| Some((*approach.get(&tree.branch(side)?)?, side.node));
    let mut nearest = None;
    for (left, node) in sides_taken(tree, run).filter_map(left) {
        if nearest.is_none_or(|(least, _)| left <= least) {
            nearest = Some((left, node));
        }
    }
    nearest.map(|(_, node)| node)
}

/// Returns the sides that a run took, in order.
fn sides_taken(tree: &Tree, run: RunId) -> impl Iterator<Item = Flip> + '_ {
    let left_at = tree.left_at(run);
    let known = left_at.map(|flip| tree.prefix(flip.node)).unwrap_or_default();
    let known = known.into_iter().map(|(node, side)| Flip { node, side }).chain(left_at);
    known.chain(tree.run_nodes(run).map(|node| tree.first_side(node)))
}
