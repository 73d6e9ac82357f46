//! KLEE's search by instruction count of the calling context (`nurs:cpicnt`).
//!
//! A pending state weighs 1/n, n being the number of instructions that all states together have executed so far in the
//! calling context of its innermost frame, callees excluded.
//!
//! What differs. A state is an untried flip. How its function was called is not known: n is the number of decisions on
//! symbolic values that runs have made in the flip's function.
//!
//! Cost: one addition per node of a run; and see `weighted.rs`.

use crate::traits::RunView;
use crate::weighted::Weigh;
use cairn_program::{FunctionId, Program, SiteId};
use cairn_tree::{Flip, NodeId, Tree};

/// How often each function decided something.
#[derive(Clone, Debug)]
pub struct Cpicnt {
    /// By site.
    function: Vec<FunctionId>,
    /// By function; the last is for what stands at no site of the program.
    decisions: Vec<u64>,
}

impl Cpicnt {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Cpicnt {
        let function = program.sites().map(|(_, site)| site.function).collect();
        Cpicnt { function, decisions: vec![0; program.functions().count() + 1] }
    }

    fn index(&self, SiteId(site): SiteId) -> usize {
        self.function.get(site as usize).map_or(self.decisions.len() - 1, |function| function.0 as usize)
    }

    fn add(&mut self, tree: &Tree, node: NodeId) {
        let index = self.index(tree.site(node));
        self.decisions[index] += 1;
    }
}

impl Weigh for Cpicnt {
    fn see(&mut self, run: &RunView) -> bool {
        run.nodes.iter().for_each(|node| self.add(run.tree, *node));
        false
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        1.0 / self.decisions[self.index(tree.site(flip.node))] as f64
    }

    fn describe(&self) -> &'static str {
        "cpicnt (flips by chance, in functions that decided little more likely)"
    }
}
