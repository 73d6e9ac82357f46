//! Which parts of the tree still hold untried flips, and a random walk towards one.
//!
//! What a run created is a stretch of one path. For every stretch it is known how much is pending: its own untried
//! flips, and the stretches below it with something pending. Only when the first comes or the last goes does the
//! stretch above hear of it. A walk jumps from one place where the ways part to the next.

use crate::step::{Flip, NodeId, RunId};
use crate::tree::Tree;
use std::collections::BTreeSet;
use std::ops::Range;

/// What is pending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    /// Per run.
    counts: Vec<u64>,
    /// Runs with something pending, by where they left the tree.
    below: BTreeSet<(Option<Flip>, RunId)>,
}

impl Pending {
    /// A run begins.
    pub fn start(&mut self) {
        self.counts.push(0);
    }

    /// The last run has come upon untried flips.
    pub fn add_to_last(&mut self, untried: u64) {
        *self.counts.last_mut().expect("a run") += untried;
    }

    /// The runs with something pending that left the tree at one of these nodes.
    fn below(&self, nodes: Range<u32>) -> impl Iterator<Item = (Flip, RunId)> + '_ {
        let key = |node| (Some(Flip { node: NodeId(node), side: 0 }), RunId(0));
        let range = self.below.range(key(nodes.start)..key(nodes.end));
        range.filter_map(|(left, run)| Some(((*left)?, *run)))
    }

    fn below_root(&self) -> impl Iterator<Item = RunId> + '_ {
        self.below.iter().take_while(|(left, _)| left.is_none()).map(|(_, run)| *run)
    }

    pub fn bytes(&self) -> usize {
        // A node of a B-tree is at least half full.
        let below = self.below.len() * size_of::<(Option<Flip>, RunId)>() * 2;
        self.counts.capacity() * size_of::<u64>() + below
    }
}

/// Where a walk can go on from a node.
#[derive(Clone, Copy, Debug)]
struct OverviewEdge {
    side: u32,
    to: End,
}

#[derive(Clone, Copy, Debug)]
enum End {
    /// The side is untried.
    Here,
    /// What another run created.
    Run(RunId),
    /// What follows of the same run.
    On,
}

impl Tree {
    /// A new run may have something pending: the run it left hears of it.
    pub(crate) fn announce(&mut self, run: RunId) {
        if self.pending.counts[run.index()] > 0 {
            self.more_above(run);
        }
    }

    fn more_above(&mut self, mut run: RunId) {
        loop {
            let left = self.runs.get(run).left;
            self.pending.below.insert((left, run));
            let Some(above) = left else { return };
            run = self.creator(above.node);
            self.pending.counts[run.index()] += 1;
            if self.pending.counts[run.index()] > 1 {
                return;
            }
        }
    }

    /// A run's stretch has one more untried flip.
    pub(crate) fn more_pending(&mut self, run: RunId) {
        self.pending.counts[run.index()] += 1;
        if self.pending.counts[run.index()] == 1 {
            self.more_above(run);
        }
    }

    /// Of what was pending in a run's stretch one is no more.
    pub(crate) fn less_pending(&mut self, mut run: RunId) {
        loop {
            self.pending.counts[run.index()] -= 1;
            if self.pending.counts[run.index()] > 0 {
                return;
            }
            let left = self.runs.get(run).left;
            self.pending.below.remove(&(left, run));
            let Some(above) = left else { return };
            run = self.creator(above.node);
        }
    }

    /// An untried flip, found by going from the root to a random side at each node, only towards untried flips;
    /// `below(n)` draws a number below `n`.
    pub fn random_path(&self, mut below: impl FnMut(usize) -> usize) -> Option<Flip> {
        let mut draw = |n: usize| if n > 1 { below(n) } else { 0 };
        let runs = self.pending.below_root().count();
        let run = self.pending.below_root().nth(draw(runs))?;
        let mut nodes = self.runs.nodes(run, &self.nodes);
        let mut ways = Vec::new();
        loop {
            let node = self.next_pending(&nodes)?;
            self.ways(node, node.0 + 1..nodes.end, &mut ways);
            let OverviewEdge { side, to } = pick_way(&ways, &mut draw);
            match to {
                End::Here => return Some(Flip { node, side }),
                End::On => nodes.start = node.0 + 1,
                End::Run(run) => nodes = self.runs.nodes(run, &self.nodes),
            }
        }
    }

    /// The first of some nodes of a run at which there is an untried flip, or another run left towards one.
    fn next_pending(&self, nodes: &Range<u32>) -> Option<NodeId> {
        if nodes.is_empty() {
            return None;
        }
        let untried = self.nth_untried(self.untried_before(NodeId(nodes.start))).map(|flip| flip.node);
        let left = self.pending.below(nodes.clone()).next().map(|(left, _)| left.node);
        untried.into_iter().chain(left).min().filter(|node| nodes.contains(&node.0))
    }

    /// Where a walk can go on from a node, in order of sides.
    fn ways(&self, node: NodeId, rest: Range<u32>, ways: &mut Vec<OverviewEdge>) {
        ways.clear();
        ways.extend(self.untried_of(node).map(|flip| OverviewEdge { side: flip.side, to: End::Here }));
        let others = self.pending.below(node.0..node.0 + 1);
        ways.extend(others.map(|(left, run)| OverviewEdge { side: left.side, to: End::Run(run) }));
        if self.next_pending(&rest).is_some() {
            ways.push(OverviewEdge { side: self.decision(node).side, to: End::On });
        }
        ways.sort_by_key(|way| way.side);
    }
}

/// A random side, and a random one of the ways behind it: there are several if runs that decided alike came to
/// different nodes.
fn pick_way(ways: &[OverviewEdge], draw: &mut impl FnMut(usize) -> usize) -> OverviewEdge {
    let sides = || ways.chunk_by(|a, b| a.side == b.side);
    let side = sides().nth(draw(sides().count())).expect("a way to what is pending");
    side[draw(side.len())]
}
