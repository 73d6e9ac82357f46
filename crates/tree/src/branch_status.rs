//! What became of each branch of the program, wherever in the tree runs came upon it.
//!
//! A decision is shared by very many nodes, so all nodes are looked at once, four bytes each, for what became of the other side of
//! their decision; the program's branches are looked up per decision only.

use crate::decision::DecisionId;
use crate::nodes::Others;
use crate::state::FlipState;
use crate::step::Flip;
use crate::tree::{Tree, initial_state};
use cairn_wire::event::StepKind;
use rustc_hash::FxHashMap;

/// The states that one branch is in at different nodes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BranchStatus(u8);

impl BranchStatus {
    /// Whether it is in this state at some node.
    pub fn has(self, state: FlipState) -> bool {
        self.0 & bit(state) != 0
    }

    /// Whether some node decides about it: runs came to its site, and the input decided there.
    pub fn is_met(self) -> bool {
        self.0 != 0
    }

    fn add(&mut self, state: FlipState) {
        self.0 |= bit(state);
    }
}

fn bit(state: FlipState) -> u8 {
    1 << state as u8
}

impl Tree {
    /// What became of every branch, by its id. Looks at the whole tree.
    pub fn branch_statuses(&self) -> Vec<BranchStatus> {
        let branches = self.sites().map(|(first, sides)| first + sides).max().unwrap_or(0);
        let mut branch_statuses = vec![BranchStatus::default(); branches as usize];
        self.look_at_changes(&mut branch_statuses);
        let Seen { others, wide } = self.seen();
        let changes = self.changes_per_side();
        for (index, seen) in others.into_iter().enumerate() {
            let id = DecisionId(index as u32);
            let decision = self.decisions.get(id);
            if decision.kind != StepKind::Branch || seen == 0 {
                continue;
            }
            let (first, sides) = self.branches_of(decision.site);
            branch_statuses[(first + decision.side) as usize].add(FlipState::Sat);
            let has_one = Others::states().filter(|(code, _)| seen & 1 << code != 0);
            has_one.for_each(|(_, state)| branch_statuses[(first + (1 - decision.side)) as usize].add(state));
            let Some(nodes) = wide.get(&id.0) else { continue };
            for side in (0..sides).filter(|side| *side != decision.side) {
                if changes.get(&(id.0, side)).is_none_or(|changed| changed < nodes) {
                    branch_statuses[(first + side) as usize].add(initial_state(decision.forced));
                }
            }
        }
        branch_statuses
    }

    fn seen(&self) -> Seen {
        let mut seen = Seen { others: vec![0; self.decisions.len()], wide: FxHashMap::default() };
        for record in self.nodes.records() {
            let decision = record.decision().0;
            seen.others[decision as usize] |= 1 << record.others_code();
            if record.others() == Others::Many {
                *seen.wide.entry(decision).or_default() += 1;
            }
        }
        seen
    }

    fn look_at_changes(&self, branch_statuses: &mut [BranchStatus]) {
        for (flip, state) in self.changed.all() {
            if let Some(branch) = self.branch(flip) {
                branch_statuses[branch.0 as usize].add(state);
            }
        }
    }

    /// At how many nodes of a decision a side is no more what it was at first.
    fn changes_per_side(&self) -> FxHashMap<(u32, u32), u32> {
        let mut changes = FxHashMap::default();
        for (Flip { node, side }, _) in self.changed.all() {
            *changes.entry((self.nodes.get(node).decision().0, side)).or_default() += 1;
        }
        changes
    }
}

/// What the nodes of each decision know of its other sides.
struct Seen {
    /// By decision: a bit for each code that a node has.
    others: Vec<u8>,
    /// By decision with many sides: its nodes.
    wide: FxHashMap<u32, u32>,
}
