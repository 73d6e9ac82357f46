//! Control flow within functions: the blocks of all functions in one graph, without edges between functions.

use super::dominator_tree::DominatorTree;
use super::graph::{Components, Graph};
use crate::model::{BlockId, Program};

/// Returns the edges between blocks, by block id.
pub(crate) fn edges(program: &Program) -> Vec<(u32, u32)> {
    let blocks = program.blocks().zip(0..);
    blocks.flat_map(|(block, id)| block.successors.iter().map(move |to| (id, to.0))).collect()
}

/// Computes dominance between blocks of one function. A node after the last block stands for the outside,
/// from where all functions are entered.
pub(crate) fn dominators(program: &Program) -> DominatorTree {
    let outside = program.block_count();
    let mut edges = edges(program);
    let functions = program.functions().filter(|(_, function)| !function.blocks.is_empty());
    edges.extend(functions.map(|(_, function)| (outside, function.blocks.start)));
    DominatorTree::new(&Graph::new(outside + 1, &edges), outside)
}

/// Post-dominance: the blocks that a run must still execute before its function ends.
///
/// A function ends at a block without successors. Blocks that reach only one another, a loop without an exit,
/// are taken to end after the last of them.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: DominatorTree,
    outside: u32,
}

impl PostDominators {
    /// Computes post-dominance in near-linear time.
    pub fn new(program: &Program) -> PostDominators {
        let outside = program.block_count();
        let forward = Graph::new(outside, &edges(program));
        let ends = ends(&forward).into_iter().map(|end| (outside, end));
        let backward: Vec<_> = edges(program).into_iter().map(|(from, to)| (to, from)).chain(ends).collect();
        PostDominators { tree: DominatorTree::new(&Graph::new(outside + 1, &backward), outside), outside }
    }

    /// True if every path from `b` to the end of its function contains `a`. Constant time.
    pub fn post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.dominates(a.0, b.0)
    }

    /// Returns the immediate post-dominator of a block; `None` if paths never meet again.
    pub(crate) fn next(&self, block: BlockId) -> Option<BlockId> {
        self.tree.parent(block.0).filter(|&next| next != self.outside).map(BlockId)
    }
}

/// Returns one block of each component that no edge leaves: the only one, or the last of a loop without an
/// exit.
fn ends(graph: &Graph) -> Vec<u32> {
    let components = Components::new(graph);
    let mut last = vec![None; components.count as usize];
    let component = |node: u32| components.of[node as usize];
    for node in 0..graph.len() as u32 {
        last[component(node) as usize] = Some(node);
    }
    for node in 0..graph.len() as u32 {
        if graph.successors(node).iter().any(|&to| component(to) != component(node)) {
            last[component(node) as usize] = None;
        }
    }
    last.into_iter().flatten().collect()
}
