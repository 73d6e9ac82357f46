//! Layers, and how they are stacked.
//!
//! A [`Layer`] is one technique: it answers the queries it can and passes the others to the solver below it.
//! It holds no reference to that solver. [`Stacked`] joins the two and is a [`Solver`] again; all that is
//! common to the layers (passing on new limits, freeing of memory, replayed answers, statistics) is written
//! there, once. So a new layer is one file and its line in the stack (`stack.rs`); see
//! `docs/howto-solver-layer.md`.

use crate::{Answer, Limits, Query, Solver, Stats};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag};

/// A technique of solving, which answers what it can and passes the rest on.
pub trait Layer {
    /// Answers the query, or has `below` answer it.
    ///
    /// The contract is that of [`Solver::solve`]; `below` gets the same seed, and a deadline that is not
    /// later.
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer;

    /// Learns an answer that is replayed from the journal ([`Solver::replay_answer`]).
    ///
    /// Returns the query in the form in which this layer would have passed it on, for the layers below to
    /// learn. `None` says that they would not have seen it.
    fn replay_answer<'q>(&'q mut self, _dag: &Dag, query: &Query<'q>, _answer: &Answer) -> Option<Query<'q>> {
        Some(*query)
    }

    /// Applies new limits to this layer; the layers below are given them afterwards.
    fn set_limits(&mut self, _limits: Limits) {}

    /// Frees what this layer holds only to save time.
    fn forget(&mut self) {}

    /// Adds this layer's figures to those of the layers below.
    fn add_stats(&self, _stats: &mut Stats) {}

    /// Puts this layer on top of a solver.
    fn over<S: Solver>(self, below: S) -> Stacked<Self, S>
    where
        Self: Sized,
    {
        Stacked { layer: self, below }
    }
}

/// A layer on top of a solver.
pub struct Stacked<L, S> {
    pub(crate) layer: L,
    pub(crate) below: S,
}

impl<L: Layer, S: Solver> Solver for Stacked<L, S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        self.layer.solve(dag, query, seed, deadline, &mut self.below)
    }

    fn replay_answer(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        if let Some(query) = self.layer.replay_answer(dag, query, answer) {
            self.below.replay_answer(dag, &query, answer);
        }
    }

    fn set_limits(&mut self, limits: Limits) {
        self.layer.set_limits(limits);
        self.below.set_limits(limits);
    }

    fn forget(&mut self) {
        self.layer.forget();
        self.below.forget();
    }

    fn stats(&self) -> Stats {
        let mut stats = self.below.stats();
        self.layer.add_stats(&mut stats);
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, about, byte, zeros};
    use crate::{Cache, Dump, Metrics, Slice};

    /// Layers each on top of a solver that counts its calls.
    fn reaches_below<L: Layer>(name: &str, layer: L) {
        let mut dag = Dag::new();
        let target = about(&mut dag, 0, 1);
        let query = Query { prefix: &[], target };
        let answer = Answer::Sat([(byte(0), 0), (byte(1), 0)].into_iter().collect());
        let mut solver = layer.over(Scripted::new(answer.clone()));
        solver.replay_answer(&dag, &query, &answer);
        solver.set_limits(Limits::default());
        solver.forget();
        let Scripted { replayed, raised, forgotten, .. } = solver.below;
        assert_eq!((replayed, raised, forgotten), (vec![vec![target]], 1, 1), "{name}");
    }

    #[test]
    fn every_layer_passes_replayed_answers_limits_and_the_need_for_memory_on() {
        let limits = Limits::default();
        reaches_below("metrics", Metrics::new(limits));
        reaches_below("slice", Slice::default());
        reaches_below("dump", Dump::new(Box::new(|_, _| Some(0))));
        reaches_below("cache", Cache::new(limits));
    }

    #[test]
    fn a_layer_without_a_tally_shows_nothing() {
        let mut dag = Dag::new();
        let target = about(&mut dag, 0, 0);
        let mut solver = Dump::new(Box::new(|_, _| Some(0))).over(Scripted::new(Answer::Unsat));
        solver.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
        assert_eq!(solver.stats(), Stats::default());
    }
}
