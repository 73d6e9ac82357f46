//! The program as one graph: how branches follow one another, within functions and into callees.
//!
//! Its first nodes are the branches, under their own ids, then come the blocks' beginnings. A block with selects is a
//! chain: its beginning, the sides of the first select, the place after it, and so on. The order of selects and calls
//! in a block is not recorded: calls are taken to stand after the selects, right before the block ends, so that they are
//! ahead of whoever is in the block. A call leads to the callee's entry, and the code after it follows whether or not
//! the callee comes back. No edge leads out of a function. Calls through pointers of one type share a node.

use super::call_graph::CallGraph;
use super::graph::Graph;
use crate::model::{BlockId, BranchId, Call, FunctionId, Program};
use cairn_wire::SiteKind;

/// The nodes of a program's flow and the edges between them.
pub(crate) struct Flow {
    branches: u32,
    nodes: u32,
    /// The last place of each block, after its selects.
    ends: Vec<u32>,
    edges: Vec<(u32, u32)>,
}

impl Flow {
    /// The flow within functions and into callees.
    pub fn new(program: &Program, calls: &CallGraph) -> Flow {
        let mut flow = Flow::within_functions(program);
        flow.add_calls(program, calls);
        flow
    }

    /// A node that nothing leads to yet.
    pub fn add_node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }

    /// An edge more.
    pub fn add_edge(&mut self, from: u32, to: u32) {
        self.edges.push((from, to));
    }

    /// Where a function begins; nowhere if it has no blocks.
    pub fn entry(&self, program: &Program, function: FunctionId) -> Option<u32> {
        let blocks = &program.function(function).blocks;
        (!blocks.is_empty()).then(|| self.start(BlockId(blocks.start)))
    }

    /// Where a block begins.
    pub fn start(&self, block: BlockId) -> u32 {
        self.branches + block.0
    }

    /// The flow as a graph.
    pub fn graph(&self) -> Graph {
        Graph::new(self.nodes, &self.edges)
    }

    fn within_functions(program: &Program) -> Flow {
        let (branches, blocks) = (program.branch_count(), program.block_count());
        let ends = (branches..branches + blocks).collect();
        let mut flow = Flow { branches, nodes: branches + blocks, ends, edges: Vec::new() };
        for (_, site) in program.sites().filter(|(_, site)| site.kind == SiteKind::Select) {
            flow.add_select(site.block, site.branches());
        }
        for block in (0..blocks).map(BlockId) {
            flow.add_end(program, block);
        }
        flow
    }

    fn add_select(&mut self, block: BlockId, sides: impl Iterator<Item = BranchId>) {
        let (before, after) = (self.ends[block.0 as usize], self.add_node());
        for side in sides {
            self.add_edge(before, side.0);
            self.add_edge(side.0, after);
        }
        self.ends[block.0 as usize] = after;
    }

    fn add_end(&mut self, program: &Program, block: BlockId) {
        let end = self.ends[block.0 as usize];
        let Some(site) = program.block(block).site else {
            for &successor in &program.block(block).successors {
                self.add_edge(end, self.start(successor));
            }
            return;
        };
        let site = program.site(site);
        for (branch, side) in site.branches().zip(&site.sides) {
            self.add_edge(end, branch.0);
            self.add_edge(branch.0, self.start(side.successor));
        }
    }

    fn add_calls(&mut self, program: &Program, calls: &CallGraph) {
        let first_pointer = self.nodes;
        for (_, targets) in calls.pointers() {
            let pointer = self.add_node();
            self.add_edges_to_entries(program, pointer, targets);
        }
        for block in (0..program.block_count()).map(BlockId) {
            let end = self.ends[block.0 as usize];
            for call in &program.block(block).calls {
                match call {
                    Call::Indirect(hash) => {
                        let pointer = calls.find(*hash).expect("every type called is known");
                        self.add_edge(end, first_pointer + pointer as u32);
                    }
                    _ => self.add_edges_to_entries(program, end, calls.targets(call)),
                }
            }
        }
    }

    fn add_edges_to_entries(&mut self, program: &Program, from: u32, functions: &[FunctionId]) {
        for &function in functions {
            if let Some(entry) = self.entry(program, function) {
                self.add_edge(from, entry);
            }
        }
    }
}
