//! Branch status: the states of each program branch over all nodes of its site.
//!
//! Very many nodes share a decision. So one pass over the nodes, four bytes each, collects the states of the
//! other side per decision; program branches are looked up once per decision only.

use crate::decision::DecisionId;
use crate::nodes::OtherSides;
use crate::state::FlipState;
use crate::step::Flip;
use crate::tree::{Tree, initial_state};
use cairn_wire::event::StepKind;
use rustc_hash::FxHashMap;

/// The set of states that one branch has at different nodes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BranchStatus(u8);

impl BranchStatus {
    /// True if it is in this state at some node.
    pub fn has(self, state: FlipState) -> bool {
        self.0 & bit(state) != 0
    }

    /// True if some node decides about it: runs reached its site with a symbolic value.
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
    /// Returns the status of every branch, by branch id. Scans the whole tree.
    pub fn branch_statuses(&self) -> Vec<BranchStatus> {
        let branches = self.sites().map(|(first, sides)| first + sides).max().unwrap_or(0);
        let mut branch_statuses = vec![BranchStatus::default(); branches as usize];
        self.add_changed_states(&mut branch_statuses);
        let DecisionStates { others, wide } = self.decision_states();
        let changes = self.changes_per_side();
        for (index, seen) in others.into_iter().enumerate() {
            let id = DecisionId(index as u32);
            let decision = self.decisions.get(id);
            if decision.kind != StepKind::Branch || seen == 0 {
                continue;
            }
            let (first, sides) = self.branches_of(decision.site);
            branch_statuses[(first + decision.side) as usize].add(FlipState::Sat);
            let has_one = OtherSides::states().filter(|(code, _)| seen & 1 << code != 0);
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

    fn decision_states(&self) -> DecisionStates {
        let mut seen = DecisionStates { others: vec![0; self.decisions.len()], wide: FxHashMap::default() };
        for record in self.nodes.records() {
            let decision = record.decision().0;
            seen.others[decision as usize] |= 1 << record.others_code();
            if record.others() == OtherSides::Many {
                *seen.wide.entry(decision).or_default() += 1;
            }
        }
        seen
    }

    fn add_changed_states(&self, branch_statuses: &mut [BranchStatus]) {
        for (flip, state) in self.changed.all() {
            if let Some(branch) = self.branch(flip) {
                branch_statuses[branch.0 as usize].add(state);
            }
        }
    }

    /// FenwickTree, per decision and side, the nodes at which the side is no longer in its initial state.
    fn changes_per_side(&self) -> FxHashMap<(u32, u32), u32> {
        let mut changes = FxHashMap::default();
        for (Flip { node, side }, _) in self.changed.all() {
            *changes.entry((self.nodes.get(node).decision().0, side)).or_default() += 1;
        }
        changes
    }
}

/// States of other sides, collected over the nodes of each decision.
struct DecisionStates {
    /// By decision: a bit for each code of [`OtherSides`] that a node has.
    others: Vec<u8>,
    /// By decision with more than two sides: its number of nodes.
    wide: FxHashMap<u32, u32>,
}
