//! The overview of the tree for the report: forks near the root, and the number of runs and untried flips
//! below each side.
//!
//! Nodes at which all runs take the same side are skipped; forks are shown in order of the runs that reach
//! them. A run's nodes are consecutive and its record says where it left the tree, so the subtree of a side
//! is a range of runs, and prefix sums over the runs give its totals.

use crate::state::FlipState;
use crate::step::{Flip, NodeId, RunId};
use crate::tree::Tree;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The top of a tree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overview {
    /// Edges from the root: several if runs reached different first nodes.
    pub roots: Vec<OverviewEdge>,
    /// Forks shown, parents first.
    pub forks: Vec<OverviewNode>,
}

/// A node at which runs took different ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverviewNode {
    /// The node.
    pub node: NodeId,
    /// Number of nodes skipped just before it, at which all runs took the same side, and the untried flips
    /// there.
    pub passed: (u32, u64),
    /// Sides that runs took.
    pub ways: Vec<OverviewEdge>,
    /// Number of sides that no run took, by state.
    pub left: Vec<(FlipState, u32)>,
}

/// A side that runs took, with the totals of its subtree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverviewEdge {
    /// The side.
    pub side: u32,
    /// Number of runs that took it.
    pub runs: u64,
    /// Number of untried flips below it.
    pub untried: u64,
    /// Next fork, as an index into the overview's forks; none if it is not shown.
    pub next: Option<u32>,
    /// True if there is no fork below it.
    pub is_single: bool,
}

/// Consecutive nodes of one run, up to its last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct NodeRange {
    from: u32,
    to: u32,
}

/// A range of nodes whose first fork may be shown. Ordered by number of runs; of equals the older is first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    runs: u64,
    age: std::cmp::Reverse<u32>,
    /// The fork above and the edge of it that leads here; none for an edge of the root.
    above: Option<usize>,
    edge: usize,
    to: u32,
}

/// Sums over subtrees.
struct SubtreeSums {
    /// Runs sorted by the side at which they left, and for each the number of runs and of untried flips in
    /// the subtrees of those before it.
    left: Vec<(Flip, RunId)>,
    before: Vec<(u64, u64)>,
    /// By run: number of runs below its first node, including itself, and of untried flips there.
    subtree: Vec<(u64, u64)>,
}

impl Tree {
    /// Returns the top of the tree with at most `max_forks` forks. Visits every run once.
    pub fn overview(&self, max_forks: usize) -> Overview {
        let sums = self.sums();
        let mut overview = Overview::default();
        let mut candidates = BinaryHeap::new();
        let root_runs: Vec<RunId> =
            self.run_ids().filter(|run| self.runs.get(*run).left_at.is_none()).collect();
        let roots = self.edges_from(&sums, root_runs.iter().map(|run| (0, *run)), None);
        self.push_candidates(&mut candidates, &roots, None);
        overview.roots = roots.into_iter().map(|(edge, _)| edge).collect();
        while overview.forks.len() < max_forks
            && let Some(Candidate { above, edge, age, to, .. }) = candidates.pop()
        {
            let Some(fork) = self.next_fork(&sums, NodeRange { from: age.0, to }) else { continue };
            let index = overview.forks.len();
            let edges = match above {
                None => &mut overview.roots,
                Some(above) => &mut overview.forks[above].ways,
            };
            edges[edge].next = Some(index as u32);
            let (fork, ranges) = fork;
            self.push_candidates(&mut candidates, &ranges, Some(index));
            overview.forks.push(fork);
        }
        overview
    }

    fn run_ids(&self) -> impl DoubleEndedIterator<Item = RunId> + use<> {
        (0..self.runs.len() as u32).map(RunId)
    }

    fn sums(&self) -> SubtreeSums {
        let mut subtree = vec![(0, 0); self.runs.len()];
        let mut end = self.untried() as u64;
        let mut left = Vec::new();
        for run in self.run_ids().rev() {
            let start = self.untried_before(NodeId(self.runs.nodes(run, &self.nodes).start));
            let (runs, untried) = &mut subtree[run.index()];
            (*runs, *untried) = (*runs + 1, *untried + end - start);
            end = start;
            let below = (*runs, *untried);
            let Some(flip) = self.runs.get(run).left_at else { continue };
            let above = &mut subtree[self.creator(flip.node).index()];
            (above.0, above.1) = (above.0 + below.0, above.1 + below.1);
            left.push((flip, run));
        }
        left.sort_unstable();
        let mut before = vec![(0, 0)];
        for (_, run) in &left {
            let (last, more) = (before[before.len() - 1], subtree[run.index()]);
            before.push((last.0 + more.0, last.1 + more.1));
        }
        SubtreeSums { left, before, subtree }
    }

    /// Returns the first fork of a range of nodes, with its edges and the ranges they lead to.
    fn next_fork(
        &self,
        sums: &SubtreeSums,
        range: NodeRange,
    ) -> Option<(OverviewNode, Vec<(OverviewEdge, NodeRange)>)> {
        let at = sums.index(range.from);
        let node = sums.left.get(at).map(|(flip, _)| flip.node).filter(|node| node.0 < range.to)?;
        let here = at..sums.index(node.0 + 1);
        let rest = NodeRange { from: node.0 + 1, to: range.to };
        let first = self.decision(node).side;
        let (below, own) = (sums.in_range(rest), self.untried_in(rest));
        let same_run =
            (first, (below.0 + 1, below.1 + own), rest, sums.index(rest.from) < sums.index(rest.to));
        let others = sums.left[here].iter().map(|(flip, run)| (flip.side, *run));
        let ranges = self.edges_from(sums, others, Some(same_run));
        let passed = NodeRange { from: range.from, to: node.0 };
        let fork = OverviewNode {
            node,
            passed: (passed.to - passed.from, self.untried_in(passed)),
            ways: ranges.iter().map(|(edge, _)| *edge).collect(),
            left: self.untaken_states(node),
        };
        Some((fork, ranges))
    }

    /// Collects the edges from one position: each run that created a node has its own, runs that ended there
    /// share one.
    fn edges_from(
        &self,
        sums: &SubtreeSums,
        runs: impl Iterator<Item = (u32, RunId)>,
        same_run: Option<(u32, (u64, u64), NodeRange, bool)>,
    ) -> Vec<(OverviewEdge, NodeRange)> {
        let edge = |side, (runs, untried): (u64, u64), has_fork: bool| OverviewEdge {
            side,
            runs,
            untried,
            next: None,
            is_single: !has_fork,
        };
        let mut edges: Vec<(OverviewEdge, NodeRange)> = Vec::new();
        edges.extend(same_run.map(|(side, subtree, rest, forks)| (edge(side, subtree, forks), rest)));
        let mut ended: Vec<u32> = Vec::new();
        for (side, run) in runs {
            let Range { start: from, end: to } = self.runs.nodes(run, &self.nodes);
            match from == to {
                true => ended.push(side),
                false => {
                    let forks = sums.index(from) < sums.index(to);
                    edges.push((edge(side, sums.subtree[run.index()], forks), NodeRange { from, to }));
                }
            }
        }
        for side in ended {
            match edges.iter_mut().find(|(edge, _)| edge.side == side) {
                Some((edge, _)) => edge.runs += 1,
                None => edges.push((edge(side, (1, 0), false), NodeRange { from: 0, to: 0 })),
            }
        }
        edges.sort_by_key(|(edge, range)| (edge.side, range.from));
        edges
    }

    fn push_candidates(
        &self,
        candidates: &mut BinaryHeap<Candidate>,
        edges: &[(OverviewEdge, NodeRange)],
        above: Option<usize>,
    ) {
        for (index, (edge, range)) in edges.iter().enumerate().filter(|(_, (edge, _))| !edge.is_single) {
            let age = std::cmp::Reverse(range.from);
            candidates.push(Candidate { runs: edge.runs, age, above, edge: index, to: range.to });
        }
    }

    fn untried_in(&self, range: NodeRange) -> u64 {
        self.untried_before(NodeId(range.to)) - self.untried_before(NodeId(range.from))
    }

    fn untaken_states(&self, node: NodeId) -> Vec<(FlipState, u32)> {
        let mut left: Vec<(FlipState, u32)> = Vec::new();
        for (_, state) in self.sides(node).filter(|(_, state)| *state != FlipState::Sat) {
            match left.iter_mut().find(|(known, _)| *known == state) {
                Some((_, count)) => *count += 1,
                None => left.push((state, 1)),
            }
        }
        left
    }
}

impl SubtreeSums {
    /// Returns the number of runs that left before a node.
    fn index(&self, node: u32) -> usize {
        self.left.partition_point(|(flip, _)| flip.node.0 < node)
    }

    /// Returns the number of runs and untried flips in the subtrees of runs that left within the range.
    fn in_range(&self, range: NodeRange) -> (u64, u64) {
        let (from, to) = (self.before[self.index(range.from)], self.before[self.index(range.to)]);
        (to.0 - from.0, to.1 - from.1)
    }
}
