//! Engines: the techniques among which the portfolio chooses.

use super::query_class::QueryClass;
use crate::{Answer, LayerInfo, Query, Stats};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag};
use std::time::Duration;

/// A query with everything that an engine needs for it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Expressions of the query.
    pub dag: &'a Dag,
    /// The query.
    pub query: &'a Query<'a>,
    /// Input under which the prefix holds.
    pub seed: &'a dyn Assignment,
    /// Moment to give up, whatever effort is left.
    pub deadline: &'a Deadline,
}

/// Result of one attempt of an engine at a query.
pub struct Attempt {
    /// Its answer; [`Answer::Unknown`] lets other engines try.
    pub answer: Answer,
    /// Effort that it took.
    pub spent: Duration,
}

/// A technique of solving that can be stopped and asked again with more effort.
///
/// Effort is nominal time: an engine counts its work (steps, conflicts) and converts it by a measured rate.
/// The clock does not enter, so that the same queries have the same answers on every machine.
pub trait Engine {
    /// Returns the names under which the engine's figures are shown.
    fn info(&self) -> &'static LayerInfo;

    /// Returns the effort of a first attempt at a query of this class; `None` if the engine cannot answer any.
    fn first_effort(&self, class: QueryClass) -> Option<Duration>;

    /// Returns the number of attempts after which more effort cannot help.
    fn max_attempts(&self) -> u32 {
        u32::MAX
    }

    /// True if its models are yet to be checked by the reference evaluator.
    fn needs_validation(&self) -> bool {
        false
    }

    /// Works on a query; `number` counts the attempts at it from 0.
    fn attempt(&mut self, task: &Task, number: u32, effort: Duration) -> Attempt;

    /// Learns the answer of a query, whichever engine found it.
    fn learn(&mut self, _dag: &Dag, _query: &Query, _answer: &Answer) {}

    /// Frees what is held only to save time.
    fn forget(&mut self) {}

    /// Adds figures other than the tally.
    fn add_stats(&self, _stats: &mut Stats) {}
}
