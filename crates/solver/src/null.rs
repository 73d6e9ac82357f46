//! The bottom of a stack without a backend.

use crate::{Answer, Limits, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag};

/// Answers every query with [`Unknown::Unsupported`].
pub struct NullSolver;

impl Solver for NullSolver {
    fn solve(&mut self, _: &Dag, _: &Query, _: &dyn Assignment, _: &Deadline) -> Answer {
        Answer::Unknown(Unknown::Unsupported)
    }

    fn set_limits(&mut self, _: Limits) {}

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
