//! Bounded depth-first search.
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008; before it DART's
//! and CUTE's search. From the current position on, force one branch of the path after the other;
//! when a run took the flip, search on behind it first, with one less of the depth. A branch that
//! cannot be forced does not count, so a depth of d means all paths through the first d branches
//! that have two sides, at most 2^d of them. The same holds along one path: every branch forced
//! there uses up one of the depth of what follows on it.
//!
//! What differs. A switch is one branch with many sides, forced one after the other, and counts once.
//! Another constant for a pinned value is forced like a branch, but does not count. A side that another
//! run has taken already is not run again, but counts. And CREST forgets the path of a run that went
//! elsewhere than predicted; here it is searched like a given input's once the rest is done, so that an
//! unbounded search leaves no flip of the tree untried. What such a path has in common with earlier ones
//! counts towards the depth.
//!
//! Cost: a stack of path suffixes, together never longer than the tree, and constant time per node.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, NodeId, RunId, StepKind, Tree};
use std::collections::VecDeque;

/// A path that is being searched from `next` on.
#[derive(Clone, Debug)]
struct Frame {
    nodes: Vec<NodeId>,
    next: usize,
    /// The first side of that node to look at: a switch may have thousands.
    side: u32,
    depth: u32,
}

/// Depth-first search, bounded or not.
#[derive(Clone, Debug)]
pub struct Dfs {
    bound: Option<u32>,
    stack: Vec<Frame>,
    /// Runs that nobody asked for: given inputs', and those that went elsewhere.
    waiting: VecDeque<RunId>,
    asked: Option<Flip>,
}

impl Dfs {
    /// A search of at most `bound` two-sided branches per path.
    pub fn new(bound: Option<u32>) -> Dfs {
        Dfs { bound, stack: Vec::new(), waiting: VecDeque::new(), asked: None }
    }

    /// The search with the settings a user wrote.
    pub(crate) fn parse(depth: Option<&str>) -> Result<Dfs, String> {
        let Some(depth) = depth else { return Ok(Dfs::new(None)) };
        match depth.parse() {
            Ok(bound) if bound > 0 => Ok(Dfs::new(Some(bound))),
            _ => Err(format!("its depth is a number from 1 to {}, not `{depth}`", u32::MAX)),
        }
    }

    /// Begins to search a run's path, where it left those of earlier runs.
    fn frame(&self, tree: &Tree, run: RunId) -> Frame {
        let nodes: Vec<NodeId> = tree.run_nodes(run).collect();
        let depth = match (self.bound, nodes.first()) {
            (Some(bound), Some(first)) => {
                let before = tree.prefix(*first).into_iter().map(|(node, _)| used(tree, node));
                bound.saturating_sub(before.sum())
            }
            _ => u32::MAX,
        };
        Frame { nodes, next: 0, side: 0, depth }
    }
}

/// What forcing a node takes of the depth.
fn cost(tree: &Tree, node: NodeId) -> u32 {
    u32::from(tree.node(node).kind == StepKind::Branch)
}

/// What a node that nothing more is forced at has taken of the depth.
fn used(tree: &Tree, node: NodeId) -> u32 {
    let taken = tree.sides(node).filter(|(_, state)| *state == FlipState::Sat);
    if taken.count() > 1 { cost(tree, node) } else { 0 }
}

impl Strategy for Dfs {
    fn on_run(&mut self, run: &RunView) {
        if run.flip.is_none() || run.flip != self.asked || !run.predicted {
            self.waiting.push_back(run.run);
        } else if let Some(above) = self.stack.last() {
            // The flip was untried, so all that follows it is new.
            let nodes = run.nodes[run.first_new..].to_vec();
            let depth = above.depth - self.asked.map_or(0, |flip| cost(run.tree, flip.node));
            self.stack.push(Frame { nodes, next: 0, side: 0, depth });
        }
    }

    fn next(&mut self, tree: &Tree, _: &mut Rng) -> Next {
        loop {
            let Some(frame) = self.stack.last_mut() else {
                let Some(run) = self.waiting.pop_front() else { return Next::Done };
                self.stack.push(self.frame(tree, run));
                continue;
            };
            let Some(&node) = frame.nodes.get(frame.next).filter(|_| frame.depth > 0) else {
                self.stack.pop();
                continue;
            };
            if let Some(flip) = tree.next_untried(node, frame.side) {
                frame.side = flip.side + 1;
                self.asked = Some(flip);
                return Next::flip(tree, flip);
            }
            frame.depth -= used(tree, node);
            (frame.next, frame.side) = (frame.next + 1, 0);
        }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {
        self.asked = None;
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        let runs = flips.chunk_by(|a, b| tree.creator(a.node) == tree.creator(b.node));
        self.waiting.extend(runs.map(|flips| tree.creator(flips[0].node)));
    }

    fn describe(&self) -> String {
        match self.bound {
            Some(bound) => format!("dfs:{bound} (depth first, {bound} two-sided branches deep)"),
            None => "dfs (depth first, unbounded)".to_owned(),
        }
    }
}
