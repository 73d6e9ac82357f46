//! The Z3 backend: one context per thread, one solver kept, every term translated once.
//!
//! The default solver used incrementally is faster and more robust on path conditions than the one
//! specialised for bit-vectors, and Z3 5.4 than older ones, some of which gave wrong models. Which
//! constraints stay asserted between queries is told in [`scopes`]. Random seeds are fixed: the same queries
//! in the same order give the same models.
//!
//! The time limit is Z3's own timeout first, since it leaves the context clean; a watchdog interrupts
//! a check that does not look at its clock.

mod scopes;
mod terms;
mod watchdog;

use crate::bytes::ByteCollector;
use crate::{Answer, Limits, Query, Solver, Stats, Unknown};
use ::z3::{Params, SatResult};
use cairn_expr::{Assignment, Dag};
use scopes::Scopes;
use std::time::{Duration, Instant};
use terms::Terms;
use watchdog::Watchdog;

/// Terms kept before the backend starts over, to bound memory.
const MAX_TERMS: usize = 2_000_000;

/// Asks Z3.
pub struct Z3 {
    limits: Limits,
    scopes: Scopes,
    terms: Terms,
    bytes: ByteCollector,
    watchdog: Watchdog,
    asked: u64,
    time_limits: u64,
    time: Duration,
}

impl Z3 {
    /// A backend on this thread's Z3 context.
    pub fn new(limits: Limits) -> Z3 {
        Z3 {
            limits,
            scopes: Scopes::new(),
            terms: Terms::default(),
            bytes: ByteCollector::default(),
            watchdog: Watchdog::start(),
            asked: 0,
            time_limits: 0,
            time: Duration::ZERO,
        }
    }

    fn ask(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let start = Instant::now();
        let deadline = start + self.limits.time;
        self.scopes.enter(&mut self.terms, dag, query, start + self.limits.time / 4);
        match self.check(deadline) {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Sat => self.model(dag, query, seed),
            SatResult::Unknown => {
                let reason = self.why_unknown(deadline);
                // A solver that gave up is not to be trusted with its scopes.
                self.scopes = Scopes::new();
                Answer::Unknown(reason)
            }
        }
    }

    /// Lets Z3 decide, until the deadline or, should it not look at its clock, a little longer.
    fn check(&mut self, deadline: Instant) -> SatResult {
        let solver = self.scopes.solver();
        solver.set_params(&parameters(deadline.saturating_duration_since(Instant::now())));
        let armed = self.watchdog.arm(deadline + self.limits.time / 4);
        let result = solver.check();
        if armed.disarm() {
            // Interrupts that Z3 did not hear stay pending and would spoil the next scopes: an empty check takes them.
            ::z3::Solver::new().check();
            return SatResult::Unknown;
        }
        result
    }

    /// A value for every byte of the query; what Z3 leaves open keeps the seed's value.
    fn model(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let Some(found) = self.scopes.solver().get_model() else {
            return Answer::Unknown(Unknown::Unsupported);
        };
        let value = |byte| found.get_const_interp(self.terms.variable(byte)?)?.as_u64();
        let bytes = self.bytes.collect(dag, query.constraints());
        let model = bytes.into_iter().map(|b| (b, value(b).map_or_else(|| seed.byte(b), |v| v as u8)));
        Answer::Sat(model.collect())
    }

    fn why_unknown(&self, deadline: Instant) -> Unknown {
        let reason = self.scopes.solver().get_reason_unknown().unwrap_or_default();
        let is_time = ["timeout", "cancel", "interrupt"].iter().any(|word| reason.contains(word));
        if is_time || Instant::now() >= deadline { Unknown::TimeLimit } else { Unknown::Unsupported }
    }
}

fn parameters(time: Duration) -> Params {
    let mut params = Params::new();
    params.set_u32("random_seed", 0);
    // The largest number means no limit.
    params.set_u32("timeout", (time.as_millis() + 1).min(u32::MAX as u128 - 1) as u32);
    params
}

impl Solver for Z3 {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let start = Instant::now();
        if self.terms.len() > MAX_TERMS {
            self.scopes = Scopes::new();
            self.terms = Terms::default();
        }
        let answer = self.ask(dag, query, seed);
        self.asked += 1;
        self.time_limits += u64::from(answer == Answer::Unknown(Unknown::TimeLimit));
        self.time += start.elapsed();
        answer
    }

    fn stats(&self) -> Stats {
        Stats {
            smt: self.asked,
            time_limits: self.time_limits,
            smt_seconds: self.time.as_secs_f64(),
            ..Stats::default()
        }
    }
}
