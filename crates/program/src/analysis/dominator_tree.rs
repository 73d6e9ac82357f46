//! Dominator trees by semidominators: the SEMI-NCA algorithm (L. Georgiadis, R. Tarjan).
//!
//! Near-linear in practice on any graph: call edges make a program's graph far from reducible, where the
//! simpler fixed-point iteration becomes slow.

use super::graph::{DepthFirstOrder, Graph};

/// Dominance among the nodes that the root reaches.
#[derive(Clone, Debug)]
pub(crate) struct DominatorTree {
    /// Immediate dominator of each node; the node itself for the root and for unreachable nodes.
    parent: Vec<u32>,
    /// Preorder number of each node in the dominator tree; [`DepthFirstOrder::UNMET`] if unreachable.
    number: Vec<u32>,
    /// Number of nodes that each dominates, including itself.
    size: Vec<u32>,
}

impl DominatorTree {
    /// Computes the tree of the nodes that `root` reaches.
    pub fn new(graph: &Graph, root: u32) -> DominatorTree {
        let dfs = DepthFirstOrder::new(graph, root);
        let immediate = immediate_dominators(&dfs, &semidominators(&dfs, &graph.reversed()));
        Self::from_positions(&dfs, &immediate)
    }

    /// True if every path from the root to `b` contains `a`. An unreachable node is dominated by itself only.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (above, below) = (self.number[a as usize], self.number[b as usize]);
        if above == DepthFirstOrder::UNMET || below == DepthFirstOrder::UNMET {
            return a == b;
        }
        above <= below && below - above < self.size[a as usize]
    }

    /// Returns the immediate dominator of a node; `None` for the root and for unreachable nodes.
    pub fn parent(&self, node: u32) -> Option<u32> {
        let parent = self.parent[node as usize];
        (parent != node).then_some(parent)
    }

    /// Returns the preorder number of a node, dominators first; `None` if unreachable.
    pub fn number(&self, node: u32) -> Option<u32> {
        let number = self.number[node as usize];
        (number != DepthFirstOrder::UNMET).then_some(number)
    }

    /// Numbers the tree so that the nodes a node dominates have the numbers right after its own. A dominator
    /// precedes the nodes it dominates in the depth-first order, so that no second traversal is needed.
    fn from_positions(dfs: &DepthFirstOrder, immediate: &[u32]) -> DominatorTree {
        let count = dfs.order.len();
        let mut sizes = vec![1; count];
        for position in (1..count).rev() {
            sizes[immediate[position] as usize] += sizes[position];
        }
        let nodes = dfs.position.len();
        let parent = (0..nodes as u32).collect();
        let mut tree =
            DominatorTree { parent, number: vec![DepthFirstOrder::UNMET; nodes], size: vec![1; nodes] };
        let mut numbers = vec![0; count];
        let mut free = vec![1; count];
        for position in 0..count {
            if position > 0 {
                let above = immediate[position] as usize;
                numbers[position] = free[above];
                free[above] += sizes[position];
                free[position] = numbers[position] + 1;
                tree.parent[dfs.order[position] as usize] = dfs.order[above];
            }
            let node = dfs.order[position] as usize;
            (tree.number[node], tree.size[node]) = (numbers[position], sizes[position]);
        }
        tree
    }
}

/// Computes the semidominator of each position: the earliest one from which a path leads here through later
/// positions only.
fn semidominators(dfs: &DepthFirstOrder, backward: &Graph) -> Vec<u32> {
    let mut semi: Vec<u32> = (0..dfs.order.len() as u32).collect();
    let mut minimum = PathMinimum { above: dfs.parent.clone(), least: semi.clone(), path: Vec::new() };
    for position in (1..semi.len() as u32).rev() {
        let before = backward.successors(dfs.order[position as usize]);
        let visited =
            before.iter().map(|&node| dfs.position[node as usize]).filter(|&p| p != DepthFirstOrder::UNMET);
        let least = visited.map(|p| minimum.least(p, position)).min();
        semi[position as usize] = least.expect("a position is met from another");
        minimum.least[position as usize] = semi[position as usize];
    }
    semi
}

/// Minimum semidominator on the path up the depth-first tree, with path compression.
struct PathMinimum {
    above: Vec<u32>,
    /// Minimum from a position up to, but not including, the one above it.
    least: Vec<u32>,
    path: Vec<u32>,
}

impl PathMinimum {
    /// Returns the minimum from a position up to the last one after `limit`; all of these have their
    /// semidominators already.
    fn least(&mut self, mut position: u32, limit: u32) -> u32 {
        let start = position;
        if start <= limit {
            return start;
        }
        while self.above[position as usize] > limit {
            self.path.push(position);
            position = self.above[position as usize];
        }
        while let Some(below) = self.path.pop() {
            let above = self.above[below as usize] as usize;
            self.least[below as usize] = self.least[below as usize].min(self.least[above]);
            self.above[below as usize] = self.above[above];
        }
        self.least[start as usize]
    }
}

/// Computes the immediate dominator of each position: up the dominator tree from its parent, to its
/// semidominator or above.
fn immediate_dominators(dfs: &DepthFirstOrder, semi: &[u32]) -> Vec<u32> {
    let mut immediate = dfs.parent.clone();
    for position in 1..immediate.len() {
        while immediate[position] > semi[position] {
            immediate[position] = immediate[immediate[position] as usize];
        }
    }
    immediate
}
