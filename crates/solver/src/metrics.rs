//! The outermost layer: counts queries, answers and time of all layers together, and limits the time of a
//! query.

use crate::stats::Meter;
use crate::{Answer, Layer, Limits, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag};

/// Keeps the totals of a stack, and its time limit.
pub struct Metrics {
    limits: Limits,
    meter: Meter,
}

impl Metrics {
    /// Returns the layer with no queries counted.
    pub fn new(limits: Limits) -> Self {
        Metrics { limits, meter: Meter::default() }
    }
}

impl Layer for Metrics {
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        let start = self.meter.begin();
        let own = deadline.within(self.limits.time.saturating_add(Limits::AFTERWARDS));
        let answer = match own.is_over() {
            true => Answer::Unknown(Unknown::TimeLimit),
            false => below.solve(dag, query, seed, &own),
        };
        let answer = self.meter.answer(start, answer);
        log::debug!(
            target: "solver",
            "{} for a prefix of {} constraints in {:.2} ms",
            answer.verdict(),
            query.prefix.len(),
            start.elapsed().as_secs_f64() * 1e3
        );
        answer
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.total = self.meter.tally();
    }
}
