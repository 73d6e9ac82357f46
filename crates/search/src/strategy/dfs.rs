//! Bounded depth-first search.
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008; before it DART's and CUTE's
//! search. From the current position on, force one branch of the path after the other; when a run took the
//! flip, first continue the search behind it, with a depth reduced by one. A branch that cannot be forced
//! does not count, so a depth of d means all paths through the first d branches that have two sides, at most
//! 2^d of them. The same holds along one path: every branch forced there reduces the depth left for what
//! follows on it.
//!
//! Deviations. A switch is one branch with many sides, forced one after the other, and counts once. Another
//! constant of a concretization is forced like a branch, but does not count, since it is no branch of the
//! program. A side that another run has taken already is not executed again, but counts. CREST drops the path
//! of a run that diverged; here it is searched like that of a given input once the rest is done, so that an
//! unbounded search leaves no flip of the tree untried. The prefix that such a path shares with earlier ones
//! counts towards the depth.
//!
//! Cost: a stack of path suffixes, together never longer than the tree, and constant time per node.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, NodeId, RunId, StepKind, Tree};
use std::collections::VecDeque;

/// A path that is being searched from `next` on.
#[derive(Clone, Debug)]
struct PathFrame {
    nodes: Vec<NodeId>,
    next: usize,
    /// First side of that node to consider: a switch may have thousands.
    side: u32,
    depth: u32,
}

/// Depth-first search, bounded or not.
#[derive(Clone, Debug)]
pub struct Dfs {
    bound: Option<u32>,
    stack: Vec<PathFrame>,
    /// Runs this strategy did not request, and those that diverged.
    waiting: VecDeque<RunId>,
    requested: Option<Flip>,
}

impl Dfs {
    /// Creates a search of at most `bound` two-sided branches per path.
    pub fn new(bound: Option<u32>) -> Dfs {
        Dfs { bound, stack: Vec::new(), waiting: VecDeque::new(), requested: None }
    }

    /// Creates the search with the settings a user wrote.
    pub(crate) fn parse(depth: Option<&str>) -> Result<Dfs, String> {
        let Some(depth) = depth else { return Ok(Dfs::new(None)) };
        match depth.parse() {
            Ok(bound) if bound > 0 => Ok(Dfs::new(Some(bound))),
            _ => Err(format!("its depth is a number from 1 to {}, not `{depth}`", u32::MAX)),
        }
    }

    /// Starts to search a run's path, where it left those of earlier runs.
    fn frame(&self, tree: &Tree, run: RunId) -> PathFrame {
        let nodes: Vec<NodeId> = tree.run_nodes(run).collect();
        let depth = match (self.bound, nodes.first()) {
            (Some(bound), Some(first)) => {
                let before = tree.prefix(*first).into_iter().map(|(node, _)| used(tree, node));
                bound.saturating_sub(before.sum())
            }
            _ => u32::MAX,
        };
        PathFrame { nodes, next: 0, side: 0, depth }
    }
}

/// Returns the depth that forcing a node takes.
fn cost(tree: &Tree, node: NodeId) -> u32 {
    u32::from(tree.node(node).kind == StepKind::Branch)
}

/// Returns the depth taken by a node at which nothing is left to force.
fn used(tree: &Tree, node: NodeId) -> u32 {
    let taken = tree.sides(node).filter(|(_, state)| *state == FlipState::Sat);
    if taken.count() > 1 { cost(tree, node) } else { 0 }
}

impl Strategy for Dfs {
    fn on_run(&mut self, run: &RunView) {
        if run.flip.is_none() || run.flip != self.requested || !run.predicted {
            self.waiting.push_back(run.run);
        } else if let Some(above) = self.stack.last() {
            // The flip was untried, so all nodes after it are new.
            let nodes = run.nodes[run.first_new..].to_vec();
            let depth = above.depth - self.requested.map_or(0, |flip| cost(run.tree, flip.node));
            self.stack.push(PathFrame { nodes, next: 0, side: 0, depth });
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
                self.requested = Some(flip);
                return Next::flip(tree, flip);
            }
            frame.depth -= used(tree, node);
            (frame.next, frame.side) = (frame.next + 1, 0);
        }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {
        self.requested = None;
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
