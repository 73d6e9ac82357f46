//! KLEE's search by instruction count of the calling context (`nurs:cpicnt`).
//!
//! A pending state weighs 1/n, n being the number of instructions that all states together have executed so far in the
//! calling context of its innermost frame, callees excluded.
//!
//! What differs. A state is an untried flip. How its function was called is not known: n is the number of decisions on
//! symbolic values that runs have made in the flip's function.
//!
//! Cost: one addition per node of a run; and see `weighted.rs`.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weighted::Weighted;
use cairn_program::{FunctionId, Program, SiteId};
use cairn_tree::{Flip, NodeId, Tree};

/// How often each function decided something.
#[derive(Clone, Debug)]
struct Counts {
    /// By site.
    function: Vec<FunctionId>,
    /// By function; the last is for what stands at no site of the program.
    decisions: Vec<u64>,
}

impl Counts {
    fn new(program: &Program) -> Counts {
        let function = program.sites().map(|(_, site)| site.function).collect();
        Counts { function, decisions: vec![0; program.functions().count() + 1] }
    }

    fn index(&self, SiteId(site): SiteId) -> usize {
        self.function.get(site as usize).map_or(self.decisions.len() - 1, |function| function.0 as usize)
    }

    fn add(&mut self, tree: &Tree, node: NodeId) {
        let index = self.index(tree.site(node));
        self.decisions[index] += 1;
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        1.0 / self.decisions[self.index(tree.site(flip.node))] as f64
    }
}

/// Search by how much happened in a function.
#[derive(Clone, Debug)]
pub struct Cpicnt {
    counts: Counts,
    flips: Weighted,
}

impl Cpicnt {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Cpicnt {
        Cpicnt { counts: Counts::new(program), flips: Weighted::default() }
    }
}

impl Strategy for Cpicnt {
    fn on_run(&mut self, run: &RunView) {
        run.nodes.iter().for_each(|node| self.counts.add(run.tree, *node));
        for flip in run.new_flips() {
            self.flips.add(flip, self.counts.weight(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| self.counts.weight(tree, flip));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "cpicnt (flips by chance, in functions that decided little more likely)".to_owned()
    }
}
