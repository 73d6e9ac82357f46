//! One record per run: where it left the known tree, from which parent, depth and creator of its nodes
//! follow.

use crate::nodes::Nodes;
use crate::step::{Flip, NodeId, RunId};
use std::ops::Range;

/// The record of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Number of nodes before the run: the id of its first node, if it created any.
    first: u32,
    /// Number of branches among these nodes.
    branches: u32,
    /// Side below which the run created its first node, or ended; none at the root.
    pub left_at: Option<Flip>,
    /// Number of branches on the path before its first node.
    pub depth: u32,
    /// Number of branches on its whole path.
    pub end_depth: u32,
}

/// The records of all runs, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
}

impl Runs {
    /// Appends the record of a new run.
    pub fn start(&mut self, nodes: &Nodes) -> RunId {
        let run = RunId(u32::try_from(self.runs.len()).expect("the tree is full"));
        let (first, branches) = (nodes.len() as u32, nodes.branches());
        self.runs.push(Run { first, branches, left_at: None, depth: 0, end_depth: 0 });
        run
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    pub fn get(&self, run: RunId) -> &Run {
        &self.runs[run.index()]
    }

    pub fn get_mut(&mut self, run: RunId) -> &mut Run {
        &mut self.runs[run.index()]
    }

    /// Returns the ids of the nodes that a run created.
    pub fn nodes(&self, run: RunId, nodes: &Nodes) -> Range<u32> {
        let end = self.runs.get(run.index() + 1).map_or(nodes.len() as u32, |next| next.first);
        self.runs[run.index()].first..end
    }

    /// Returns the run that created a node.
    pub fn creator(&self, node: NodeId, nodes: &Nodes) -> RunId {
        let (from, to) = nodes.creators(node);
        let possible = &self.runs[from..to.map_or(self.runs.len(), |to| to + 1)];
        RunId((from + possible.partition_point(|run| run.first <= node.0) - 1) as u32)
    }

    /// Returns the number of branches on the path before `node`, one of the run's nodes.
    pub fn depth(&self, run: RunId, node: NodeId, nodes: &Nodes) -> u32 {
        let run = self.get(run);
        run.depth + nodes.branches_before(node) - run.branches
    }

    /// Returns the number of branches created before the run's nodes at this depth.
    pub fn branches_before(&self, run: RunId, depth: u32) -> u32 {
        let run = self.get(run);
        run.branches + depth - run.depth
    }

    /// Returns the runs that have nodes, or their end, at this depth.
    pub fn reaching_depth(&self, depth: u32) -> impl DoubleEndedIterator<Item = RunId> + '_ {
        let runs = self.runs.iter().enumerate();
        let reaching = runs.filter(move |(_, run)| run.depth <= depth && depth <= run.end_depth);
        reaching.map(|(index, _)| RunId(index as u32))
    }

    pub fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}
