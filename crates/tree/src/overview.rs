//! The top of the tree for people to look at: where runs part, and how much lies behind each side.
//!
//! Where all runs go the same way there is nothing to see: only forks are shown, those first that most runs come to. A run's nodes lie
//! one after the other, and runs know where they left: so what lies behind a side is a range of runs, and sums over it are kept once.

use crate::state::FlipState;
use crate::step::{Flip, NodeId, RunId};
use crate::tree::Tree;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The top of a tree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overview {
    /// From the root: several, if runs that decided nothing yet came to different places.
    pub roots: Vec<OverviewEdge>,
    /// What is shown, parents first.
    pub forks: Vec<OverviewNode>,
}

/// A node at which runs part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverviewNode {
    /// Which one.
    pub node: NodeId,
    /// Nodes just before it at which all runs went the same way, and the untried flips there.
    pub passed: (u32, u64),
    /// Sides that runs took.
    pub ways: Vec<OverviewEdge>,
    /// How many of its sides no run took, by what became of them.
    pub left: Vec<(FlipState, u32)>,
}

/// A side that runs took, and what lies behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverviewEdge {
    /// The side.
    pub side: u32,
    /// Runs that went there.
    pub runs: u64,
    /// Untried flips behind it.
    pub untried: u64,
    /// The next fork, by its index in the picture; none if it is not shown.
    pub next: Option<u32>,
    /// Whether there is no fork behind it at all.
    pub is_single: bool,
}

/// A part of what one run made, to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stretch {
    from: u32,
    to: u32,
}

/// A stretch that may yet be shown: those that most runs come to first, of equals the older.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Hidden {
    runs: u64,
    age: std::cmp::Reverse<u32>,
    /// The fork and the way of it; none if it is a root.
    above: Option<usize>,
    way: usize,
    to: u32,
}

/// Sums over runs.
struct Sums {
    /// Runs by where they left, and before each of them: how many runs went the way of those before it, and untried flips there.
    left: Vec<(Flip, RunId)>,
    before: Vec<(u64, u64)>,
    /// By run: those that went the way it made first, itself among them, and untried flips there.
    behind: Vec<(u64, u64)>,
}

impl Tree {
    /// The top of the tree, so many forks at most. Looks at every run once.
    pub fn picture(&self, most: usize) -> Overview {
        let sums = self.sums();
        let mut picture = Overview::default();
        let mut hidden = BinaryHeap::new();
        let root_runs: Vec<RunId> = self.run_ids().filter(|run| self.runs.get(*run).left.is_none()).collect();
        let roots = self.ways_of(&sums, root_runs.iter().map(|run| (0, *run)), None);
        self.offer(&mut hidden, &roots, None);
        picture.roots = roots.into_iter().map(|(way, _)| way).collect();
        while picture.forks.len() < most
            && let Some(Hidden { above, way, age, to, .. }) = hidden.pop()
        {
            let Some(fork) = self.next_fork(&sums, Stretch { from: age.0, to }) else { continue };
            let index = picture.forks.len();
            let ways = match above {
                None => &mut picture.roots,
                Some(above) => &mut picture.forks[above].ways,
            };
            ways[way].next = Some(index as u32);
            let (fork, stretches) = fork;
            self.offer(&mut hidden, &stretches, Some(index));
            picture.forks.push(fork);
        }
        picture
    }

    fn run_ids(&self) -> impl DoubleEndedIterator<Item = RunId> + use<> {
        (0..self.runs.len() as u32).map(RunId)
    }

    fn sums(&self) -> Sums {
        let mut behind = vec![(0, 0); self.runs.len()];
        let mut end = self.untried() as u64;
        let mut left = Vec::new();
        for run in self.run_ids().rev() {
            let start = self.untried_before(NodeId(self.runs.nodes(run, &self.nodes).start));
            let (runs, untried) = &mut behind[run.index()];
            (*runs, *untried) = (*runs + 1, *untried + end - start);
            end = start;
            let below = (*runs, *untried);
            let Some(flip) = self.runs.get(run).left else { continue };
            let above = &mut behind[self.creator(flip.node).index()];
            (above.0, above.1) = (above.0 + below.0, above.1 + below.1);
            left.push((flip, run));
        }
        left.sort_unstable();
        let mut before = vec![(0, 0)];
        for (_, run) in &left {
            let (last, more) = (before[before.len() - 1], behind[run.index()]);
            before.push((last.0 + more.0, last.1 + more.1));
        }
        Sums { left, before, behind }
    }

    /// The first node of a stretch that another run left at, and what lies behind its ways.
    fn next_fork(
        &self,
        sums: &Sums,
        stretch: Stretch,
    ) -> Option<(OverviewNode, Vec<(OverviewEdge, Stretch)>)> {
        let at = sums.index(stretch.from);
        let node = sums.left.get(at).map(|(flip, _)| flip.node).filter(|node| node.0 < stretch.to)?;
        let here = at..sums.index(node.0 + 1);
        let rest = Stretch { from: node.0 + 1, to: stretch.to };
        let first = self.decision(node).side;
        let (below, own) = (sums.in_stretch(rest), self.untried_in(rest));
        let on = (first, (below.0 + 1, below.1 + own), rest, sums.index(rest.from) < sums.index(rest.to));
        let others = sums.left[here].iter().map(|(flip, run)| (flip.side, *run));
        let stretches = self.ways_of(sums, others, Some(on));
        let passed = Stretch { from: stretch.from, to: node.0 };
        let fork = OverviewNode {
            node,
            passed: (passed.to - passed.from, self.untried_in(passed)),
            ways: stretches.iter().map(|(way, _)| *way).collect(),
            left: self.not_taken(node),
        };
        Some((fork, stretches))
    }

    /// The ways that runs went from one place: each that made a node has one of its own, those that ended there share one.
    fn ways_of(
        &self,
        sums: &Sums,
        runs: impl Iterator<Item = (u32, RunId)>,
        on: Option<(u32, (u64, u64), Stretch, bool)>,
    ) -> Vec<(OverviewEdge, Stretch)> {
        let way = |side, (runs, untried): (u64, u64), forks: bool| OverviewEdge {
            side,
            runs,
            untried,
            next: None,
            is_single: !forks,
        };
        let mut ways: Vec<(OverviewEdge, Stretch)> = Vec::new();
        ways.extend(on.map(|(side, behind, rest, forks)| (way(side, behind, forks), rest)));
        let mut ended: Vec<u32> = Vec::new();
        for (side, run) in runs {
            let Range { start: from, end: to } = self.runs.nodes(run, &self.nodes);
            match from == to {
                true => ended.push(side),
                false => {
                    let forks = sums.index(from) < sums.index(to);
                    ways.push((way(side, sums.behind[run.index()], forks), Stretch { from, to }));
                }
            }
        }
        for side in ended {
            match ways.iter_mut().find(|(way, _)| way.side == side) {
                Some((way, _)) => way.runs += 1,
                None => ways.push((way(side, (1, 0), false), Stretch { from: 0, to: 0 })),
            }
        }
        ways.sort_by_key(|(way, stretch)| (way.side, stretch.from));
        ways
    }

    fn offer(&self, hidden: &mut BinaryHeap<Hidden>, ways: &[(OverviewEdge, Stretch)], above: Option<usize>) {
        for (index, (way, stretch)) in ways.iter().enumerate().filter(|(_, (way, _))| !way.is_single) {
            let age = std::cmp::Reverse(stretch.from);
            hidden.push(Hidden { runs: way.runs, age, above, way: index, to: stretch.to });
        }
    }

    fn untried_in(&self, stretch: Stretch) -> u64 {
        self.untried_before(NodeId(stretch.to)) - self.untried_before(NodeId(stretch.from))
    }

    fn not_taken(&self, node: NodeId) -> Vec<(FlipState, u32)> {
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

impl Sums {
    /// How many runs left before a node.
    fn index(&self, node: u32) -> usize {
        self.left.partition_point(|(flip, _)| flip.node.0 < node)
    }

    /// Runs and untried flips of those that left in a stretch.
    fn in_stretch(&self, stretch: Stretch) -> (u64, u64) {
        let (from, to) = (self.before[self.index(stretch.from)], self.before[self.index(stretch.to)]);
        (to.0 - from.0, to.1 - from.1)
    }
}
