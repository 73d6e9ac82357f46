//! Node storage: four bytes per node, and eight bytes per block of 64 nodes.
//!
//! A node's word holds the id of its decision (interned, since many nodes share it), a bit if it is the first
//! node that its run created, a bit if it is a branch, and the state of the side that its first run did not
//! take. Parent and depth follow: a run creates its nodes consecutively, so the parent of any node but its
//! run's first is the node before it.

use crate::decision::DecisionId;
use crate::state::FlipState;
use crate::step::{NodeId, RunId};
use std::ops::Range;

/// Nodes per block; the counts before a block are stored once for all of them.
pub(crate) const BLOCK: usize = 64;
/// Bound of the 32-bit node ids.
const MAX_NODES: usize = u32::MAX as usize;
const MAX_DECISIONS: u32 = 1 << (32 - DECISION_SHIFT);

const OTHERS_MASK: u32 = 7;
const BRANCH_BIT: u32 = 1 << 3;
const FIRST_BIT: u32 = 1 << 4;
const DECISION_SHIFT: u32 = 5;

/// The sides that a node's first run did not take, as the node's word stores them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OtherSides {
    /// No other sides.
    None,
    /// A single other side, in this state.
    One(FlipState),
    /// Several other sides; their states are in [`crate::state::ChangedStates`].
    Many,
}

impl OtherSides {
    const CODES: [OtherSides; 8] = [
        OtherSides::One(FlipState::Untried),
        OtherSides::One(FlipState::Sat),
        OtherSides::One(FlipState::Unsat),
        OtherSides::One(FlipState::Unknown),
        OtherSides::One(FlipState::Diverged),
        OtherSides::One(FlipState::Suspended),
        OtherSides::None,
        OtherSides::Many,
    ];

    /// Returns the states that a single other side can have, with their codes.
    pub fn states() -> impl Iterator<Item = (u32, FlipState)> {
        (0..).zip(OtherSides::CODES).filter_map(|(code, others)| match others {
            OtherSides::One(state) => Some((code, state)),
            OtherSides::None | OtherSides::Many => None,
        })
    }

    const fn code(self) -> u32 {
        match self {
            OtherSides::One(state) => state as u32,
            OtherSides::None => 6,
            OtherSides::Many => 7,
        }
    }
}

/// The stored form of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeRecord(u32);

impl NodeRecord {
    pub fn new(decision: DecisionId, is_branch: bool, is_first: bool, others: OtherSides) -> NodeRecord {
        assert!(decision.0 < MAX_DECISIONS, "the tree is full");
        let branch = if is_branch { BRANCH_BIT } else { 0 };
        let first = if is_first { FIRST_BIT } else { 0 };
        NodeRecord(decision.0 << DECISION_SHIFT | branch | first | others.code())
    }

    pub fn decision(self) -> DecisionId {
        DecisionId(self.0 >> DECISION_SHIFT)
    }

    /// True if it is the first node that its run created.
    pub fn is_first(self) -> bool {
        self.0 & FIRST_BIT != 0
    }

    pub fn is_branch(self) -> bool {
        self.0 & BRANCH_BIT != 0
    }

    pub fn others(self) -> OtherSides {
        OtherSides::CODES[self.others_code() as usize]
    }

    /// Returns the code of [`NodeRecord::others`], a number below 8.
    pub fn others_code(self) -> u32 {
        self.0 & OTHERS_MASK
    }
}

/// 64 consecutive nodes, with counts of what precedes them.
#[derive(Clone, Debug)]
struct NodeBlock {
    records: [NodeRecord; BLOCK],
    /// Run that created the block's first node.
    run: u32,
    /// Number of branches before the block's first node.
    branches: u32,
}

/// The nodes, in order of creation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    blocks: Vec<NodeBlock>,
    len: usize,
    branches: u32,
}

impl Nodes {
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of branches among the nodes.
    pub fn branches(&self) -> u32 {
        self.branches
    }

    /// Appends a node; true if it starts a new block.
    pub fn push(&mut self, run: RunId, record: NodeRecord) -> bool {
        assert!(self.len < MAX_NODES, "the tree is full");
        let begins = self.len.is_multiple_of(BLOCK);
        if begins {
            self.add_block(run);
        }
        self.blocks[self.len / BLOCK].records[self.len % BLOCK] = record;
        self.len += 1;
        self.branches += u32::from(record.is_branch());
        begins
    }

    fn add_block(&mut self, run: RunId) {
        if self.blocks.len() == self.blocks.capacity() {
            // Doubling would leave up to half of the memory unused.
            self.blocks.reserve_exact(self.blocks.len() / 8 + 16);
        }
        self.blocks.push(NodeBlock { records: [NodeRecord(0); BLOCK], run: run.0, branches: self.branches });
    }

    pub fn get(&self, node: NodeId) -> NodeRecord {
        self.blocks[node.index() / BLOCK].records[node.index() % BLOCK]
    }

    /// Returns all nodes, in order of creation.
    pub fn records(&self) -> impl Iterator<Item = NodeRecord> + '_ {
        self.blocks.iter().flat_map(|block| block.records).take(self.len)
    }

    /// Sets the state of a node's only other side.
    pub fn set_other(&mut self, node: NodeId, state: FlipState) {
        let record = &mut self.blocks[node.index() / BLOCK].records[node.index() % BLOCK];
        record.0 = record.0 & !OTHERS_MASK | OtherSides::One(state).code();
    }

    /// Returns the number of branches created before a node.
    pub fn branches_before(&self, node: NodeId) -> u32 {
        let block = &self.blocks[node.index() / BLOCK];
        let before = &block.records[..node.index() % BLOCK];
        block.branches + before.iter().map(|record| u32::from(record.is_branch())).sum::<u32>()
    }

    /// Returns the first node of `nodes` with `branches` branches created before it, or the end of `nodes`.
    /// Exponential search from the start: the nearer it is, the sooner it is found.
    pub fn first_after_branches(&self, branches: u32, nodes: Range<u32>) -> u32 {
        let block = self.last_block_with_fewer(branches, &nodes);
        let start = nodes.start.max((block * BLOCK) as u32);
        if start >= nodes.end {
            return nodes.end;
        }
        let Some(missing) = branches.checked_sub(self.branches_before(NodeId(start)) + 1) else {
            return start;
        };
        let mut further = (start..nodes.end).filter(|node| self.get(NodeId(*node)).is_branch());
        further.nth(missing as usize).map_or(nodes.end, |last| last + 1)
    }

    /// Returns the last block of `nodes` with fewer than `branches` branches before it, or the first block if
    /// there is none.
    fn last_block_with_fewer(&self, branches: u32, nodes: &Range<u32>) -> usize {
        let blocks = &self.blocks[..(nodes.end as usize).div_ceil(BLOCK)];
        let has_fewer = |block: &NodeBlock| block.branches < branches;
        let (mut last, mut step) = (nodes.start as usize / BLOCK, 1);
        while blocks.get(last + step).is_some_and(has_fewer) {
            last += step;
            step *= 2;
        }
        let further = blocks.len().min(last + 1)..blocks.len().min(last + step);
        last + blocks[further].partition_point(has_fewer)
    }

    /// Returns the first and the last run that can have created a node; no last one for nodes of the last
    /// block.
    pub fn creators(&self, node: NodeId) -> (usize, Option<usize>) {
        let index = node.index() / BLOCK;
        let next = self.blocks.get(index + 1);
        (self.blocks[index].run as usize, next.map(|block| block.run as usize))
    }

    /// Returns the ids of a block's nodes.
    pub fn ids_in_block(&self, block: usize) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        let end = ((block + 1) * BLOCK).min(self.len);
        (block * BLOCK..end).map(|index| NodeId(index as u32))
    }

    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<NodeBlock>()
    }
}
