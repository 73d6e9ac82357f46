//! Where runs left what was known: all that is needed to say where the nodes they made hang.

use crate::nodes::Nodes;
use crate::step::{Flip, NodeId, RunId};
use std::ops::Range;

/// What is kept of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// How many nodes there were before it: the id of its first one, if it made any.
    first: u32,
    /// How many branches were among them.
    branches: u32,
    /// The side behind which it made its first node, or ended; none at the root.
    pub left: Option<Flip>,
    /// How many branches lie before its first node on the path.
    pub depth: u32,
    /// How many branches lie before its end.
    pub end_depth: u32,
}

/// All runs, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
}

impl Runs {
    /// A run begins.
    pub fn start(&mut self, nodes: &Nodes) -> RunId {
        let run = RunId(u32::try_from(self.runs.len()).expect("the tree is full"));
        let (first, branches) = (nodes.len() as u32, nodes.branches());
        self.runs.push(Run { first, branches, left: None, depth: 0, end_depth: 0 });
        run
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    pub fn get(&self, run: RunId) -> &Run {
        &self.runs[run.index()]
    }

    pub fn get_mut(&mut self, run: RunId) -> &mut Run {
        &mut self.runs[run.index()]
    }

    /// The ids of the nodes that a run made.
    pub fn nodes(&self, run: RunId, nodes: &Nodes) -> Range<u32> {
        let end = self.runs.get(run.index() + 1).map_or(nodes.len() as u32, |next| next.first);
        self.runs[run.index()].first..end
    }

    /// The run that made a node.
    pub fn maker(&self, node: NodeId, nodes: &Nodes) -> RunId {
        let (from, to) = nodes.makers(node);
        let possible = &self.runs[from..to.map_or(self.runs.len(), |to| to + 1)];
        RunId((from + possible.partition_point(|run| run.first <= node.0) - 1) as u32)
    }

    /// How many branches lie before one of a run's nodes on the path.
    pub fn depth(&self, run: RunId, node: NodeId, nodes: &Nodes) -> u32 {
        let run = self.get(run);
        run.depth + nodes.branches_before(node) - run.branches
    }

    /// How many branches were made before those of a run's nodes that lie so deep.
    pub fn branches_before(&self, run: RunId, depth: u32) -> u32 {
        let run = self.get(run);
        run.branches + depth - run.depth
    }

    /// All runs that have nodes or ends this deep.
    pub fn around(&self, depth: u32) -> impl DoubleEndedIterator<Item = RunId> + '_ {
        let runs = self.runs.iter().enumerate();
        let reaching = runs.filter(move |(_, run)| run.depth <= depth && depth <= run.end_depth);
        reaching.map(|(index, _)| RunId(index as u32))
    }

    pub fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}
