//! Where a run's path leads towards a block, and where it might.

use super::pairs::Approach;
use crate::rng::Rng;
use cairn_program::BranchId;
use cairn_tree::{Flip, NodeId, RunId, Tree};
use std::ops::Range;

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
        let Some(left) = tree.branch(flip).and_then(|branch| approach.get(&branch).copied()) else {
            continue;
        };
        if left < least {
            flips.clear();
            least = left;
        }
        if left == least && left < below {
            flips.push(flip);
        }
    }
    Some((least, draw_late(&flips, rng)?))
}

/// Returns one of the last untried flips of a run's path before its last decision at a site with these branches: the
/// very last one if it is to be behind a node.
pub(super) fn flip_before(
    tree: &Tree,
    run: RunId,
    branches: Range<u32>,
    after: Option<NodeId>,
    rng: &mut Rng,
) -> Option<Flip> {
    let (mut flips, mut before, mut is_after) = (Vec::new(), None, after.is_none());
    for side in sides_taken(tree, run) {
        let is_at_site = |branch: BranchId| branches.contains(&branch.0);
        if tree.concrete_branches(side.node).any(is_at_site) || tree.branch(side).is_some_and(is_at_site) {
            before = Some(flips.len());
        }
        if is_after {
            flips.extend(tree.untried_of(side.node));
        }
        is_after |= after == Some(side.node);
    }
    // Concrete branches behind the last decision are not recorded.
    flips.truncate(before.unwrap_or(flips.len()));
    if after.is_some() { flips.last().copied() } else { draw_late(&flips, rng) }
}

/// Draws a flip, a later one with a higher chance: it keeps more of the run.
fn draw_late(flips: &[Flip], rng: &mut Rng) -> Option<Flip> {
    let mut at = flips.len().checked_sub(1)?;
    while at > 0 && rng.below(2) == 0 {
        at -= 1;
    }
    Some(flips[at])
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
