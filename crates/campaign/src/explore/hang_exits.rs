//! Flips that leave the loops of hangs, tried before those that the strategy names.
//!
//! A run that reaches its limit of time or memory is in a loop. What is behind the loop is one flip away, while
//! most other flips of the run lead into the same loop again and cost its time again. So for each condition that
//! all rounds of the loop decide alike, the other side is tried: in the first round, which is the shortest way
//! out, or else in the last one. A side that a run has taken this way is not tried for later hangs, whether it
//! left the loop or not; so there are at most as many such runs as the loops have conditions.

use super::hang_loop::LAST_STEPS;
use cairn_program::{BranchId, SiteId};
use cairn_tree::{AddedRun, Flip, FlipState, NodeId, StepKind, Tree};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Flips that may leave loops of hangs, and the branches that were taken for that.
#[derive(Debug, Default)]
pub(super) struct HangExits {
    waiting: VecDeque<Flip>,
    taken: BTreeSet<BranchId>,
}

/// Decisions at one site of a loop: the side that all rounds take, and the nodes of the first and the last one.
struct Rounds {
    side: u32,
    first: NodeId,
    last: NodeId,
    count: usize,
    /// True if an earlier round took another side: the loop's last visit begins after it.
    is_complete: bool,
}

impl HangExits {
    /// Adds the exits of the loop in which a run was when it reached its limit.
    pub fn add(&mut self, tree: &Tree, run: &AddedRun) {
        let rounds = rounds(tree, run);
        let firsts = rounds.values().map(|rounds| rounds.first);
        let nodes = firsts.chain(rounds.values().map(|rounds| rounds.last));
        self.waiting.extend(nodes.flat_map(|node| tree.untried_of(node)));
    }

    /// Removes and returns the next exit that is worth trying.
    pub fn next(&mut self, tree: &Tree) -> Option<Flip> {
        let is_open = |flip: &Flip| {
            let is_taken = tree.branch(*flip).is_some_and(|branch| self.taken.contains(&branch));
            !is_taken && tree.state(*flip) == FlipState::Untried
        };
        std::iter::from_fn(|| self.waiting.pop_front()).find(is_open)
    }

    /// Notes that a run has taken a branch to leave a loop.
    pub fn add_taken(&mut self, branch: Option<BranchId>) {
        self.taken.extend(branch);
    }

    /// Forgets the flips: the tree they are in is gone.
    pub fn forget(&mut self) {
        self.waiting.clear();
    }
}

/// Returns the rounds of a run's last loop, by site: of sites that are decided several times among the last
/// steps, and each time alike.
fn rounds(tree: &Tree, run: &AddedRun) -> BTreeMap<SiteId, Rounds> {
    let decisions = || {
        let all = run.nodes.iter().zip(&run.sides).rev().map(|(node, side)| (*node, *side));
        all.filter(|(node, _)| tree.node(*node).kind == StepKind::Branch)
    };
    let mut rounds = BTreeMap::<SiteId, Rounds>::new();
    for (node, side) in decisions().take(LAST_STEPS) {
        let new = Rounds { side, first: node, last: node, count: 0, is_complete: false };
        let rounds = rounds.entry(tree.site(node)).or_insert(new);
        rounds.count += 1;
        rounds.is_complete |= rounds.side != side;
    }
    rounds.retain(|_, rounds| rounds.count > 1 && !rounds.is_complete);
    let mut open = rounds.len();
    for (node, side) in decisions() {
        if open == 0 {
            break;
        }
        match rounds.get_mut(&tree.site(node)) {
            Some(rounds) if rounds.is_complete => {}
            Some(rounds) if rounds.side == side => rounds.first = node,
            Some(rounds) => {
                rounds.is_complete = true;
                open -= 1;
            }
            None => {}
        }
    }
    rounds
}
