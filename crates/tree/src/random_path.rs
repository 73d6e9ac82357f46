//! The random walk from the root to an untried flip: it jumps from one fork to the next instead of visiting
//! every node.

use crate::step::{Flip, NodeId, RunId};
use crate::tree::Tree;
use std::ops::Range;

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
