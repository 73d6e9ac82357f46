//! The nodes, four bytes each and a few bytes per block of them.
//!
//! A node says what it is (a decision that many nodes share), whether it is the first that its run made, and what
//! became of the side its run did not take. All else follows: nodes of a run lie one after the other, so that a node
//! that is not the first of its run hangs below the one before it.

use crate::decision::DecisionId;
use crate::state::FlipState;
use crate::step::{NodeId, RunId};
use std::ops::Range;

/// How many nodes share what is counted before them.
pub(crate) const BLOCK: usize = 64;
/// How many nodes can be told apart.
const MAX_NODES: usize = u32::MAX as usize;
const MAX_DECISIONS: u32 = 1 << (32 - DECISION_SHIFT);

const OTHERS_MASK: u32 = 7;
const BRANCH_BIT: u32 = 1 << 3;
const FIRST_BIT: u32 = 1 << 4;
const DECISION_SHIFT: u32 = 5;

/// What a node knows of the sides its first run did not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Others {
    /// There are none.
    None,
    /// There is one, in this state.
    One(FlipState),
    /// There are more: their states are kept elsewhere.
    Many,
}

impl Others {
    const CODES: [Others; 8] = [
        Others::One(FlipState::Untried),
        Others::One(FlipState::Sat),
        Others::One(FlipState::Unsat),
        Others::One(FlipState::Unknown),
        Others::One(FlipState::Diverged),
        Others::One(FlipState::Suspended),
        Others::None,
        Others::Many,
    ];

    /// The states that the one other side can be in, with their codes.
    pub fn states() -> impl Iterator<Item = (u32, FlipState)> {
        (0..).zip(Others::CODES).filter_map(|(code, others)| match others {
            Others::One(state) => Some((code, state)),
            Others::None | Others::Many => None,
        })
    }

    const fn code(self) -> u32 {
        match self {
            Others::One(state) => state as u32,
            Others::None => 6,
            Others::Many => 7,
        }
    }
}

/// A node as it is stored.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record(u32);

impl Record {
    pub fn new(decision: DecisionId, is_branch: bool, is_first: bool, others: Others) -> Record {
        assert!(decision.0 < MAX_DECISIONS, "the tree is full");
        let branch = if is_branch { BRANCH_BIT } else { 0 };
        let first = if is_first { FIRST_BIT } else { 0 };
        Record(decision.0 << DECISION_SHIFT | branch | first | others.code())
    }

    pub fn decision(self) -> DecisionId {
        DecisionId(self.0 >> DECISION_SHIFT)
    }

    /// Whether it is the first node that its run made.
    pub fn is_first(self) -> bool {
        self.0 & FIRST_BIT != 0
    }

    pub fn is_branch(self) -> bool {
        self.0 & BRANCH_BIT != 0
    }

    pub fn others(self) -> Others {
        Others::CODES[self.others_code() as usize]
    }

    /// What [`Record::others`] is made from, a number below 8.
    pub fn others_code(self) -> u32 {
        self.0 & OTHERS_MASK
    }
}

/// A block of nodes.
#[derive(Clone, Debug)]
struct Block {
    records: [Record; BLOCK],
    /// The run that made its first node.
    run: u32,
    /// How many branches there are before its first node.
    branches: u32,
}

/// All nodes, in order of creation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    blocks: Vec<Block>,
    len: usize,
    branches: u32,
}

impl Nodes {
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many branches are among them.
    pub fn branches(&self) -> u32 {
        self.branches
    }

    /// Appends a node; whether a block begins with it.
    pub fn push(&mut self, run: RunId, record: Record) -> bool {
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
            // Doubling would keep up to half of the memory unused.
            self.blocks.reserve_exact(self.blocks.len() / 8 + 16);
        }
        self.blocks.push(Block { records: [Record(0); BLOCK], run: run.0, branches: self.branches });
    }

    pub fn get(&self, node: NodeId) -> Record {
        self.blocks[node.index() / BLOCK].records[node.index() % BLOCK]
    }

    /// All nodes, in order of creation.
    pub fn records(&self) -> impl Iterator<Item = Record> + '_ {
        self.blocks.iter().flat_map(|block| block.records).take(self.len)
    }

    /// Sets the state of a node's one other side.
    pub fn set_other(&mut self, node: NodeId, state: FlipState) {
        let record = &mut self.blocks[node.index() / BLOCK].records[node.index() % BLOCK];
        record.0 = record.0 & !OTHERS_MASK | Others::One(state).code();
    }

    /// How many branches there are before a node, in order of creation.
    pub fn branches_before(&self, node: NodeId) -> u32 {
        let block = &self.blocks[node.index() / BLOCK];
        let before = &block.records[..node.index() % BLOCK];
        block.branches + before.iter().map(|record| u32::from(record.is_branch())).sum::<u32>()
    }

    /// The first of these nodes that has so many branches before it, in order of creation, or their end. It is found
    /// the sooner the nearer it is.
    pub fn first_behind(&self, branches: u32, nodes: Range<u32>) -> u32 {
        let block = self.last_block_with_less(branches, &nodes);
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

    /// The last block of these nodes with fewer branches before it; their first one if there is none.
    fn last_block_with_less(&self, branches: u32, nodes: &Range<u32>) -> usize {
        let blocks = &self.blocks[..(nodes.end as usize).div_ceil(BLOCK)];
        let has_less = |block: &Block| block.branches < branches;
        let (mut last, mut step) = (nodes.start as usize / BLOCK, 1);
        while blocks.get(last + step).is_some_and(has_less) {
            last += step;
            step *= 2;
        }
        let further = blocks.len().min(last + 1)..blocks.len().min(last + step);
        last + blocks[further].partition_point(has_less)
    }

    /// The first and the last run that can have made a node; no last one if nobody knows.
    pub fn makers(&self, node: NodeId) -> (usize, Option<usize>) {
        let index = node.index() / BLOCK;
        let next = self.blocks.get(index + 1);
        (self.blocks[index].run as usize, next.map(|block| block.run as usize))
    }

    /// The ids of a block's nodes.
    pub fn of_block(&self, block: usize) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        let end = ((block + 1) * BLOCK).min(self.len);
        (block * BLOCK..end).map(|index| NodeId(index as u32))
    }

    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
    }
}
