//! Pending counts: which parts of the tree still lead to untried flips, and the random walk to one.
//!
//! The nodes that a run created are consecutive on one path. Each run has a pending count: its own untried
//! flips, plus the runs that left it and have a pending count above 0. A change propagates to the run above
//! only when a count becomes 1 or 0. A random walk jumps from one fork to the next instead of visiting every
//! node.

use crate::step::{Flip, NodeId, RunId};
use crate::tree::Tree;
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

    /// Returns the pending runs that left the tree at one of these nodes.
    fn below(&self, nodes: Range<u32>) -> impl Iterator<Item = (Flip, RunId)> + '_ {
        let key = |node| (Some(Flip { node: NodeId(node), side: 0 }), RunId(0));
        let range = self.below.range(key(nodes.start)..key(nodes.end));
        range.filter_map(|(left, run)| Some(((*left)?, *run)))
    }

    fn below_root(&self) -> impl Iterator<Item = RunId> + '_ {
        self.below.iter().take_while(|(left, _)| left.is_none()).map(|(_, run)| *run)
    }

    pub fn bytes(&self) -> usize {
        // B-tree nodes are at least half full.
        let below = self.below.len() * size_of::<(Option<Flip>, RunId)>() * 2;
        self.counts.capacity() * size_of::<u64>() + below
    }
}

/// A way for the walk to continue from a node.
#[derive(Clone, Copy, Debug)]
struct WalkEdge {
    side: u32,
    to: EdgeTarget,
}

#[derive(Clone, Copy, Debug)]
enum EdgeTarget {
    /// The untried side itself.
    UntriedSide,
    /// The nodes that another run created.
    Run(RunId),
    /// The later nodes of the same run.
    SameRun,
}

impl Tree {
    /// Propagates the pending count of a new run to the run it left.
    pub(crate) fn propagate_new_run(&mut self, run: RunId) {
        if self.pending.counts[run.index()] > 0 {
            self.propagate_up(run);
        }
    }

    fn propagate_up(&mut self, mut run: RunId) {
        loop {
            let left = self.runs.get(run).left_at;
            self.pending.below.insert((left, run));
            let Some(above) = left else { return };
            run = self.creator(above.node);
            self.pending.counts[run.index()] += 1;
            if self.pending.counts[run.index()] > 1 {
                return;
            }
        }
    }

    /// Adds one untried flip to the pending count of a run.
    pub(crate) fn increment_pending(&mut self, run: RunId) {
        self.pending.counts[run.index()] += 1;
        if self.pending.counts[run.index()] == 1 {
            self.propagate_up(run);
        }
    }

    /// Subtracts one from the pending count of a run, and propagates upwards where a count becomes 0.
    pub(crate) fn decrement_pending(&mut self, mut run: RunId) {
        loop {
            self.pending.counts[run.index()] -= 1;
            if self.pending.counts[run.index()] > 0 {
                return;
            }
            let left = self.runs.get(run).left_at;
            self.pending.below.remove(&(left, run));
            let Some(above) = left else { return };
            run = self.creator(above.node);
        }
    }

    /// Returns an untried flip found by a walk from the root that takes a random side at each node, among
    /// those that lead to untried flips; `below(n)` draws a number below `n`.
    pub fn random_path(&self, mut below: impl FnMut(usize) -> usize) -> Option<Flip> {
        let mut draw = |n: usize| if n > 1 { below(n) } else { 0 };
        let runs = self.pending.below_root().count();
        let run = self.pending.below_root().nth(draw(runs))?;
        let mut nodes = self.runs.nodes(run, &self.nodes);
        let mut edges = Vec::new();
        loop {
            let node = self.next_pending(&nodes)?;
            self.edges(node, node.0 + 1..nodes.end, &mut edges);
            let WalkEdge { side, to } = pick_edge(&edges, &mut draw);
            match to {
                EdgeTarget::UntriedSide => return Some(Flip { node, side }),
                EdgeTarget::SameRun => nodes.start = node.0 + 1,
                EdgeTarget::Run(run) => nodes = self.runs.nodes(run, &self.nodes),
            }
        }
    }

    /// Returns the first of these nodes of a run that has an untried flip or at which a pending run left.
    fn next_pending(&self, nodes: &Range<u32>) -> Option<NodeId> {
        if nodes.is_empty() {
            return None;
        }
        let untried = self.nth_untried(self.untried_before(NodeId(nodes.start))).map(|flip| flip.node);
        let left = self.pending.below(nodes.clone()).next().map(|(left, _)| left.node);
        untried.into_iter().chain(left).min().filter(|node| nodes.contains(&node.0))
    }

    /// Collects the edges for the walk to continue from a node, in order of sides.
    fn edges(&self, node: NodeId, rest: Range<u32>, edges: &mut Vec<WalkEdge>) {
        edges.clear();
        edges.extend(
            self.untried_of(node).map(|flip| WalkEdge { side: flip.side, to: EdgeTarget::UntriedSide }),
        );
        let others = self.pending.below(node.0..node.0 + 1);
        edges.extend(others.map(|(left, run)| WalkEdge { side: left.side, to: EdgeTarget::Run(run) }));
        if self.next_pending(&rest).is_some() {
            edges.push(WalkEdge { side: self.decision(node).side, to: EdgeTarget::SameRun });
        }
        edges.sort_by_key(|edge| edge.side);
    }
}

/// Returns a random edge of a random side: a side has several edges if runs that decided alike reached
/// different nodes.
fn pick_edge(edges: &[WalkEdge], draw: &mut impl FnMut(usize) -> usize) -> WalkEdge {
    let sides = || edges.chunk_by(|a, b| a.side == b.side);
    let side = sides().nth(draw(sides().count())).expect("a edge to what is pending");
    side[draw(side.len())]
}
