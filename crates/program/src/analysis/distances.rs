//! Distance from a branch to the nearest uncovered one.
//!
//! Uncovered branches only ever disappear, so distances only grow. Every node that reaches an uncovered
//! branch knows the next node on a shortest path; these paths form a forest with the uncovered branches as
//! roots. Covering a branch visits its tree alone: the nodes whose shortest path led there, and their edges.
//! All other distances stay.

use super::call_graph::CallGraph;
use super::flow::Flow;
use super::graph::Graph;
use crate::model::{BlockId, BranchId, Program};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The unit of distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weight {
    /// Branches taken.
    Branches,
    /// Instructions of the blocks entered.
    Instructions,
}

/// Distances to the nearest uncovered branch of user code. A call costs nothing, whether it is entered or
/// stepped over.
#[derive(Clone, Debug)]
pub struct Distances {
    branches: u32,
    /// Offset from a branch's node to the one that holds its distance: nonzero with returns.
    copy: u32,
    forward: Graph,
    backward: Graph,
    /// Cost of entering each node.
    weight: Vec<u32>,
    /// Distance of each node; [`FAR`] if no uncovered branch can be reached.
    distance: Vec<u32>,
    /// Next node on a shortest path; [`NOWHERE`] if there is none, or if this is an uncovered branch.
    next: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    affected: Vec<u32>,
}

const FAR: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX;

impl Distances {
    /// Computes the distances while nothing is covered, along calls but not back out of callees: code
    /// executed after the current function returns is ignored.
    pub fn new(program: &Program, calls: &CallGraph, weight: Weight) -> Distances {
        let flow = Flow::new(program, calls);
        let weights = weights(program, &flow, weight);
        Self::on_graph(program, flow.graph(), 0, weights)
    }

    /// Does the same, but paths continue from the end of a function after any call of it.
    pub fn with_returns(program: &Program, calls: &CallGraph, weight: Weight) -> Distances {
        let flow = Flow::new(program, calls);
        let mut weights = weights(program, &flow, weight);
        let (graph, copy) = flow.graph_with_returns(program, calls);
        weights.resize(copy as usize, 0);
        weights.extend_from_within(..);
        Self::on_graph(program, graph, copy, weights)
    }

    fn on_graph(program: &Program, forward: Graph, copy: u32, mut weight: Vec<u32>) -> Distances {
        let nodes = forward.len();
        weight.resize(nodes, 0);
        let mut distances = Distances {
            branches: program.branch_count(),
            copy,
            backward: forward.reversed(),
            forward,
            weight,
            distance: vec![FAR; nodes],
            next: vec![NOWHERE; nodes],
            queue: BinaryHeap::new(),
            affected: Vec::new(),
        };
        for branch in (0..distances.branches).filter(|&branch| program.is_counted(BranchId(branch))) {
            distances.lower(branch, 0, NOWHERE);
            distances.lower(branch + copy, 0, NOWHERE);
        }
        distances.propagate();
        distances
    }

    /// Returns the distance from having taken a branch to the nearest uncovered one: 0 if it is uncovered
    /// itself, `None` if no uncovered branch can be reached.
    pub fn of(&self, branch: BranchId) -> Option<u32> {
        if branch.0 >= self.branches {
            return None;
        }
        let distance = self.distance[(branch.0 + self.copy) as usize];
        (distance != FAR).then_some(distance)
    }

    /// Marks these branches as covered; some may be so already.
    pub fn cover(&mut self, branches: &[BranchId]) {
        for branch in branches.iter().filter(|branch| branch.0 < self.branches) {
            for node in [branch.0, branch.0 + self.copy] {
                let at = node as usize;
                if self.distance[at] == 0 && self.next[at] == NOWHERE {
                    self.distance[at] = FAR;
                    self.affected.push(node);
                }
            }
        }
        self.collect_affected();
        self.reconnect_affected();
        self.propagate();
    }

    /// Returns the branches that may come next after taking this one, with their own distances: those through
    /// which a path of at most `within` leads to an uncovered branch, in id order.
    pub fn towards(&self, branch: BranchId, within: u32) -> Vec<(BranchId, u32)> {
        let start = branch.0 + self.copy;
        let mut found = BTreeMap::new();
        let mut spent = BTreeMap::new();
        let mut queue = BinaryHeap::from([Reverse((0, start))]);
        while let Some(Reverse((cost, node))) = queue.pop() {
            for &next in self.forward.successors(node) {
                let cost = cost + self.weight[next as usize];
                let left = self.distance[next as usize];
                if cost.saturating_add(left) > within || spent.get(&next).is_some_and(|&known| known <= cost)
                {
                    continue;
                }
                spent.insert(next, cost);
                match self.branch(next) {
                    Some(branch) => found.extend(self.of(branch).map(|distance| (branch, distance))),
                    None => queue.push(Reverse((cost, next))),
                }
            }
        }
        found.into_iter().collect()
    }

    /// Returns the branch of a node.
    fn branch(&self, node: u32) -> Option<BranchId> {
        let copy = if node < self.copy { node } else { node - self.copy };
        (copy < self.branches).then_some(BranchId(copy))
    }

    /// Adds all nodes whose shortest path led to an affected one, and resets their distances.
    fn collect_affected(&mut self) {
        let mut at = 0;
        while let Some(&node) = self.affected.get(at) {
            at += 1;
            for &before in self.backward.successors(node) {
                if self.next[before as usize] == node {
                    self.next[before as usize] = NOWHERE;
                    self.distance[before as usize] = FAR;
                    self.affected.push(before);
                }
            }
        }
    }

    /// Sets each affected node to its best path through unaffected ones.
    fn reconnect_affected(&mut self) {
        for node in std::mem::take(&mut self.affected) {
            for at in 0..self.forward.successors(node).len() {
                let next = self.forward.successors(node)[at];
                let through = self.distance[next as usize].saturating_add(self.weight[next as usize]);
                self.lower(node, through, next);
            }
        }
    }

    /// Propagates the distances of the queued nodes to their predecessors, nearest first (Dijkstra).
    fn propagate(&mut self) {
        while let Some(Reverse((distance, node))) = self.queue.pop() {
            if distance > self.distance[node as usize] {
                continue;
            }
            let through = distance.saturating_add(self.weight[node as usize]);
            for at in 0..self.backward.successors(node).len() {
                self.lower(self.backward.successors(node)[at], through, node);
            }
        }
    }

    /// Lowers the distance of a node, only if it is strictly lower: this keeps the paths free of cycles where
    /// edges cost nothing.
    fn lower(&mut self, node: u32, distance: u32, next: u32) {
        if distance < self.distance[node as usize] {
            self.distance[node as usize] = distance;
            self.next[node as usize] = next;
            self.queue.push(Reverse((distance, node)));
        }
    }
}

/// Returns the cost of entering each branch and each block.
fn weights(program: &Program, flow: &Flow, weight: Weight) -> Vec<u32> {
    let mut weights = vec![0; flow.start(BlockId(program.block_count())) as usize];
    match weight {
        Weight::Branches => weights[..program.branch_count() as usize].fill(1),
        Weight::Instructions => {
            for (block, id) in program.blocks().zip(0..) {
                weights[flow.start(BlockId(id)) as usize] = block.instructions;
            }
        }
    }
    weights
}
