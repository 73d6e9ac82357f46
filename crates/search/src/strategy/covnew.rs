//! KLEE's search for states that covered something new (`nurs:covnew`).
//!
//! A pending state weighs 1/d² + 1/max(1, s - 1000)²: d as in `md2u`, s the number of instructions since its path last
//! covered something new (the second part is 0 if it never did). A state that forks hands s on.
//!
//! What differs. A state is an untried flip. Its path covered something new where the run that created it took branches
//! that were new; if all of these were concrete, where that run left the known tree. Instructions
//! are not counted: every decision since then stands for [`INSTRUCTIONS`] of them. For d see `md2u.rs`.
//!
//! Cost: a few numbers per run and new branch; and see `weighted.rs`.

use crate::distance_classes::Nearness;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weighted::Weighted;
use cairn_program::Program;
use cairn_tree::{Flip, NodeId, Tree};
use std::collections::BTreeSet;

/// Instructions between two decisions on symbolic values.
const INSTRUCTIONS: usize = 20;
/// Instructions for which having covered something counts in full.
const FRESH: usize = 1_000;

/// Where a run covered something new. Places are counted from the node at which the run left the known tree: that is 0,
/// and the nodes that the run created follow.
#[derive(Clone, Default, Debug)]
struct News {
    /// The first node that the run created, at place 1.
    first: usize,
    /// At place 0, decisions since something new was covered before it.
    since: Option<usize>,
    /// Where the run covered something new, in order.
    covered: Vec<usize>,
}

impl News {
    /// Decisions since something new was covered on the way to one of the run's nodes.
    fn since(&self, node: NodeId) -> Option<usize> {
        let place = node.index() - self.first + 1;
        match self.covered.partition_point(|covered| *covered < place) {
            0 => Some(self.since? + place),
            passed => Some(place - self.covered[passed - 1]),
        }
    }
}

/// What makes a flip worth while.
#[derive(Clone, Debug)]
struct Merit {
    nearness: Nearness,
    /// By run.
    news: Vec<News>,
}

impl Merit {
    /// Takes in a run. True if flips may now weigh more than before.
    fn see(&mut self, run: &RunView) -> bool {
        self.news.push(self.look(run));
        self.nearness.see(run)
    }

    fn look(&self, run: &RunView) -> News {
        let Some(first) = run.nodes.get(run.first_new) else { return News::default() };
        let left_at = run.first_new.checked_sub(1).map(|at| run.nodes[at]);
        let since = left_at.and_then(|node| self.since(run.tree, node));
        News { first: first.index(), since, covered: Merit::covered(run) }
    }

    /// The places where a run took branches that are new.
    fn covered(run: &RunView) -> Vec<usize> {
        let mut left: BTreeSet<_> = run.new_branches.iter().copied().collect();
        let mut covered = Vec::new();
        for at in run.first_new.saturating_sub(1)..run.nodes.len() {
            if left.is_empty() {
                break;
            }
            let side = Flip { node: run.nodes[at], side: run.sides[at] };
            if run.tree.branch(side).is_some_and(|branch| left.remove(&branch)) {
                covered.push(at + 1 - run.first_new);
            }
        }
        if covered.is_empty() && !left.is_empty() {
            covered.push(0);
        }
        covered
    }

    fn since(&self, tree: &Tree, node: NodeId) -> Option<usize> {
        self.news[tree.creator(node).index()].since(node)
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        let fresh = self.since(tree, flip.node).map_or(0.0, |decisions| {
            let instructions = (decisions * INSTRUCTIONS).saturating_sub(FRESH).max(1);
            (instructions as f64).powi(-2)
        });
        self.nearness.weight(tree, flip) + fresh
    }
}

/// Search for flips on paths that lately covered something.
#[derive(Clone, Debug)]
pub struct CovNew {
    merit: Merit,
    flips: Weighted,
}

impl CovNew {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> CovNew {
        let merit = Merit { nearness: Nearness::new(program), news: Vec::new() };
        CovNew { merit, flips: Weighted::default() }
    }
}

impl Strategy for CovNew {
    fn on_run(&mut self, run: &RunView) {
        let merit = &mut self.merit;
        if merit.see(run) {
            self.flips.weigh_again(run.tree, |flip| merit.weight(run.tree, flip));
        }
        for flip in run.new_flips() {
            self.flips.add(flip, merit.weight(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| self.merit.weight(tree, flip));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn wants_callees(&self) -> bool {
        true
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        let weight = |flip: Flip| self.merit.weight(tree, flip);
        self.flips.resume(flips, weight);
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "covnew (flips by chance, those near uncovered code or behind newly covered more likely)".to_owned()
    }
}
