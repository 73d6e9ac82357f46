//! The interprocedural control-flow graph: the order of branches within functions and into callees.
//!
//! Its first nodes are the branches, by branch id, then the starts of blocks. A block with selects is a
//! chain: its start, the sides of the first select, the point after it, and so on. The order of selects and
//! calls in a block is not recorded: calls are placed after the selects, right before the block ends, so that
//! they are reachable from everywhere in the block. A call leads to the callee's entry, and the code after it
//! follows whether or not the callee returns. Calls through pointers of one type share a node.
//!
//! No edge leads out of a function, unless returns are requested. Then there is a second copy of all nodes,
//! for a run whose callers are unknown: where its function ends, it continues after any call of it. A path
//! that enters a callee moves to the first copy and does not return: the call can as well be stepped over. So
//! no path enters a function from one call and returns to another.

use super::call_graph::CallGraph;
use super::graph::Graph;
use crate::model::{BlockId, BranchId, Call, FunctionId, Program};
use cairn_wire::SiteKind;

/// The nodes and edges of a program's control flow.
pub(crate) struct Flow {
    branches: u32,
    nodes: u32,
    /// By block: its last node, after its selects.
    ends: Vec<u32>,
    /// Edges within functions.
    edges: Vec<(u32, u32)>,
    /// Edges to the entries of callees.
    calls: Vec<(u32, u32)>,
}

impl Flow {
    /// Builds the control flow within functions and into callees.
    pub fn new(program: &Program, calls: &CallGraph) -> Flow {
        let mut flow = Flow::within_functions(program);
        flow.add_calls(program, calls);
        flow
    }

    /// Adds a node without edges.
    pub fn add_node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }

    /// Adds an edge.
    pub fn add_edge(&mut self, from: u32, to: u32) {
        self.edges.push((from, to));
    }

    /// Returns the entry node of a function; `None` if it has no blocks.
    pub fn entry(&self, program: &Program, function: FunctionId) -> Option<u32> {
        let blocks = &program.function(function).blocks;
        (!blocks.is_empty()).then(|| self.start(BlockId(blocks.start)))
    }

    /// Returns the first node of a block.
    pub fn start(&self, block: BlockId) -> u32 {
        self.branches + block.0
    }

    /// Returns the control flow as a graph.
    pub fn graph(&self) -> Graph {
        Graph::new(self.nodes, &[&self.edges[..], &self.calls].concat())
    }

    /// Returns the graph with returns, and the offset from a node to its second copy.
    pub fn graph_with_returns(mut self, program: &Program, calls: &CallGraph) -> (Graph, u32) {
        let copy = self.nodes;
        self.nodes *= 2;
        let within = self.edges.iter().map(|(from, to)| (from + copy, to + copy));
        let into = self.calls.iter().map(|(from, to)| (from + copy, *to));
        let copies: Vec<_> = within.chain(into).collect();
        self.edges.extend(copies);
        self.add_returns(program, calls, copy);
        (self.graph(), copy)
    }

    fn within_functions(program: &Program) -> Flow {
        let (branches, blocks) = (program.branch_count(), program.block_count());
        let ends = (branches..branches + blocks).collect();
        let mut flow =
            Flow { branches, nodes: branches + blocks, ends, edges: Vec::new(), calls: Vec::new() };
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
        for (block, end) in program.blocks().zip(self.ends.clone()) {
            for call in &block.calls {
                match pointer_of(calls, call) {
                    Some(pointer) => self.calls.push((end, first_pointer + pointer)),
                    None => self.add_edges_to_entries(program, end, calls.targets(call)),
                }
            }
        }
    }

    fn add_edges_to_entries(&mut self, program: &Program, from: u32, functions: &[FunctionId]) {
        for &function in functions {
            if let Some(entry) = self.entry(program, function) {
                self.calls.push((from, entry));
            }
        }
    }

    /// Adds edges from the ends of each function to a node of its own, and from there to after its calls; all
    /// in the second copy.
    fn add_returns(&mut self, program: &Program, calls: &CallGraph, copy: u32) {
        let first_function = self.nodes;
        self.nodes += program.functions().count() as u32;
        let first_pointer = self.nodes;
        self.nodes += calls.pointers().len() as u32;
        for ((_, targets), pointer) in calls.pointers().iter().zip(first_pointer..) {
            self.edges.extend(targets.iter().map(|target| (first_function + target.0, pointer)));
        }
        for (block, end) in program.blocks().zip(self.ends.clone()) {
            if block.successors.is_empty() {
                self.add_edge(end + copy, first_function + block.function.0);
            }
            for call in &block.calls {
                let targets =
                    calls.targets(call).iter().map(|target| (first_function + target.0, end + copy));
                match pointer_of(calls, call) {
                    Some(pointer) => self.add_edge(first_pointer + pointer, end + copy),
                    None => self.edges.extend(targets),
                }
            }
        }
    }
}

/// Returns the index of an indirect call's type.
fn pointer_of(calls: &CallGraph, call: &Call) -> Option<u32> {
    match call {
        Call::Indirect(hash) => calls.find(*hash).ok().map(|at| at as u32),
        Call::Internal(_) | Call::External(_) => None,
    }
}
