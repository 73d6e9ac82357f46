//! Order of a function's blocks, and blocks inserted on edges.

use crate::llvm::{Block, Builder, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// Returns a function's blocks in reverse postorder, so that each follows its dominators; unreachable ones
/// come last.
pub fn reverse_postorder(function: Value) -> Vec<Block> {
    let all = function.blocks();
    let (mut seen, mut finished) = (HashSet::from([all[0]]), Vec::new());
    let mut path = vec![(all[0], all[0].terminator().successors())];
    while let Some((block, left)) = path.last_mut() {
        match left.pop() {
            Some(next) if seen.insert(next) => path.push((next, next.terminator().successors())),
            Some(_) => {}
            None => {
                finished.push(*block);
                path.pop();
            }
        }
    }
    finished.reverse();
    finished.extend(all.into_iter().filter(|block| !seen.contains(block)));
    finished
}

/// Inserts a block on the normal edge of every `invoke`: the code after its return goes there.
pub fn split_invokes(module: &Module, function: Value) {
    let builder = module.builder();
    let mut moved = MovedEdges::default();
    for block in function.blocks() {
        let invoke = block.terminator();
        if invoke.opcode() == Opcode::LLVMInvoke {
            let (successor, edge) = (invoke.normal_destination(), module.block_at_end(function));
            builder.at_end(edge);
            builder.jump(successor);
            invoke.set_normal_destination(edge);
            moved.add(block, successor, edge);
        }
    }
    moved.rebuild_phis(&builder);
}

/// Edges that were split by an inserted block, by successor and former predecessor.
#[derive(Default)]
pub struct MovedEdges {
    by_successor: HashMap<Block, HashMap<Block, Vec<Block>>>,
    order: Vec<Block>,
}

impl MovedEdges {
    /// Records that the edge between two blocks leads through `edge`; a switch may have several edges between
    /// them.
    pub fn add(&mut self, from: Block, successor: Block, edge: Block) {
        let entry = self.by_successor.entry(successor).or_insert_with(|| {
            self.order.push(successor);
            HashMap::new()
        });
        entry.entry(from).or_default().push(edge);
    }

    /// Replaces the phis of the successors, since LLVM's C interface cannot change a phi's predecessor.
    pub fn rebuild_phis(&self, builder: &Builder) {
        for block in &self.order {
            let moved = &self.by_successor[block];
            let phis: Vec<Value> =
                block.instructions().into_iter().take_while(|i| i.opcode() == Opcode::LLVMPHI).collect();
            for phi in phis {
                builder.before(phi);
                let new = builder.phi(phi.ty());
                let mut seen = HashSet::new();
                for (value, from) in phi.incoming() {
                    match moved.get(&from) {
                        None => new.add_incoming(&[(value, from)]),
                        Some(edges) if seen.insert(from) => {
                            edges.iter().for_each(|edge| new.add_incoming(&[(value, *edge)]));
                        }
                        // A switch had several edges here; they share one block now.
                        Some(_) => {}
                    }
                }
                phi.replace_with(new);
                phi.erase();
            }
        }
    }
}
