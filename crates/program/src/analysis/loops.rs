//! Natural loops and their nesting.

use super::blocks;
use super::graph::Graph;
use crate::model::{BlockId, BranchId, Program, Site};
use std::collections::BTreeMap;

/// The effect of a side of a loop's condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopSide {
    /// Continues the loop, while another side leaves it.
    Stays,
    /// Leaves the innermost loop that the condition is in.
    Leaves,
}

/// The natural loops of a program: the blocks on paths that end with an edge to a block dominating its
/// origin. Loops with the same header are merged. An irreducible cycle, which can be entered at several
/// blocks, has no header and is no loop.
#[derive(Clone, Debug)]
pub struct Loops {
    /// By block: header of the innermost loop around it.
    header: Vec<Option<BlockId>>,
    depth: Vec<u32>,
    side: Vec<Option<LoopSide>>,
}

impl Loops {
    /// Computes the loops in time linear in the program and in the nesting depth of its loops.
    pub fn new(program: &Program) -> Loops {
        let (blocks, branches) = (program.block_count() as usize, program.branch_count() as usize);
        let (header, depth, side) = (vec![None; blocks], vec![0; blocks], vec![None; branches]);
        let mut loops = Loops { header, depth, side };
        let outer = loops.find(program);
        for (_, site) in program.sites() {
            loops.classify_sides(site, &outer);
        }
        loops
    }

    /// Returns the header of the innermost loop that a block is in.
    pub fn header(&self, block: BlockId) -> Option<BlockId> {
        self.header[block.0 as usize]
    }

    /// Returns the number of loops that a block is in.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.depth[block.0 as usize]
    }

    /// Returns the effect of a branch if it is a side of a loop's condition.
    pub fn side(&self, branch: BranchId) -> Option<LoopSide> {
        *self.side.get(branch.0 as usize)?
    }

    /// Computes headers and depths, outer loops before inner ones; returns for each header that of the
    /// enclosing loop.
    fn find(&mut self, program: &Program) -> BTreeMap<BlockId, BlockId> {
        let dominators = blocks::dominators(program);
        let mut edges = blocks::edges(program);
        edges.retain(|(from, _)| dominators.number(*from).is_some());
        let mut latches: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for &(from, to) in &edges {
            let number = dominators.number(to).filter(|_| dominators.dominates(to, from));
            if let Some(number) = number {
                latches.entry((number, to)).or_default().push(from);
            }
        }
        let backward = Graph::new(program.block_count(), &edges).reversed();
        let mut outer = BTreeMap::new();
        for ((_, header), latches) in latches {
            outer.extend(self.header[header as usize].map(|around| (BlockId(header), around)));
            self.enclose(&backward, BlockId(header), latches);
        }
        outer
    }

    /// Adds all blocks that lead to the latches, back to the header, to the header's loop.
    fn enclose(&mut self, backward: &Graph, header: BlockId, latches: Vec<u32>) {
        self.enter(header, header);
        let mut worklist = latches;
        while let Some(block) = worklist.pop() {
            if self.enter(BlockId(block), header) {
                worklist.extend(backward.successors(block));
            }
        }
    }

    fn enter(&mut self, block: BlockId, header: BlockId) -> bool {
        let innermost = &mut self.header[block.0 as usize];
        let new = *innermost != Some(header);
        *innermost = Some(header);
        self.depth[block.0 as usize] += u32::from(new);
        new
    }

    fn classify_sides(&mut self, site: &Site, outer: &BTreeMap<BlockId, BlockId>) {
        let Some(header) = self.header(site.block) else { return };
        let stays = |block| {
            let around = std::iter::successors(self.header(block), |inner| outer.get(inner).copied());
            around.into_iter().any(|around| around == header)
        };
        let stays: Vec<bool> = site.sides.iter().map(|side| stays(side.successor)).collect();
        if stays.iter().all(|stays| *stays) {
            return;
        }
        for (branch, stays) in site.branches().zip(stays) {
            self.side[branch.0 as usize] = Some(if stays { LoopSide::Stays } else { LoopSide::Leaves });
        }
    }
}
