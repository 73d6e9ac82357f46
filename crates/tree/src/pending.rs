//! Pending counts: which parts of the tree still lead to untried flips.
//!
//! The nodes that a run created are consecutive on one path. Each run has a pending count: its own untried
//! flips, plus the runs that left it and have a pending count above 0. A change propagates to the run above
//! only when a count becomes 1 or 0.

use crate::nodes::Nodes;
use crate::runs::Runs;
use crate::step::{Flip, NodeId, RunId};
use std::collections::BTreeSet;
use std::ops::Range;

/// Pending counts of all runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    /// Pending count, by run.
    counts: Vec<u64>,
    /// Runs with a pending count above 0, by the side at which they left the tree.
    below: BTreeSet<(Option<Flip>, RunId)>,
}

impl Pending {
    /// Appends the count of a new run.
    pub fn start(&mut self) {
        self.counts.push(0);
    }

    /// Adds untried flips to the count of the last run.
    pub fn add_to_last(&mut self, untried: u64) {
        *self.counts.last_mut().expect("a run") += untried;
    }

    /// Propagates the count of a new run to the run it left.
    pub fn propagate_new(&mut self, run: RunId, runs: &Runs, nodes: &Nodes) {
        if self.counts[run.index()] > 0 {
            self.propagate_up(run, runs, nodes);
        }
    }

    fn propagate_up(&mut self, mut run: RunId, runs: &Runs, nodes: &Nodes) {
        loop {
            let left = runs.get(run).left_at;
            self.below.insert((left, run));
            let Some(above) = left else { return };
            run = runs.creator(above.node, nodes);
            self.counts[run.index()] += 1;
            if self.counts[run.index()] > 1 {
                return;
            }
        }
    }

    /// Adds one untried flip to the count of a run.
    pub fn increment(&mut self, run: RunId, runs: &Runs, nodes: &Nodes) {
        self.counts[run.index()] += 1;
        if self.counts[run.index()] == 1 {
            self.propagate_up(run, runs, nodes);
        }
    }

    /// Subtracts one from the count of a run, and propagates upwards where a count becomes 0.
    pub fn decrement(&mut self, mut run: RunId, runs: &Runs, nodes: &Nodes) {
        loop {
            self.counts[run.index()] -= 1;
            if self.counts[run.index()] > 0 {
                return;
            }
            let left = runs.get(run).left_at;
            self.below.remove(&(left, run));
            let Some(above) = left else { return };
            run = runs.creator(above.node, nodes);
        }
    }

    /// Returns the pending runs that left the tree at one of these nodes.
    pub fn below(&self, nodes: Range<u32>) -> impl Iterator<Item = (Flip, RunId)> + '_ {
        let key = |node| (Some(Flip { node: NodeId(node), side: 0 }), RunId(0));
        let range = self.below.range(key(nodes.start)..key(nodes.end));
        range.filter_map(|(left, run)| Some(((*left)?, *run)))
    }

    /// Returns the pending runs that share no node with another one.
    pub fn below_root(&self) -> impl Iterator<Item = RunId> + '_ {
        self.below.iter().take_while(|(left, _)| left.is_none()).map(|(_, run)| *run)
    }

    pub fn bytes(&self) -> usize {
        // B-tree nodes are at least half full.
        let below = self.below.len() * size_of::<(Option<Flip>, RunId)>() * 2;
        self.counts.capacity() * size_of::<u64>() + below
    }
}
