//! The Z3 backend.

mod terms;
mod watchdog;

use crate::bytes::ByteCollector;
use crate::{Answer, Limits, Query, Solver, Stats, Unknown};
use ::z3::{Params, SatResult};
use cairn_expr::{Assignment, Dag, ExprId};
use std::time::{Duration, Instant};
use terms::Terms;
use watchdog::Watchdog;

/// Terms kept before the backend starts over, to bound memory.
const MAX_TERMS: usize = 2_000_000;

/// Asks Z3.
pub struct Z3 {
    limits: Limits,
    solver: ::z3::Solver,
    /// Constraints asserted, one scope each.
    stack: Vec<ExprId>,
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
            solver: ::z3::Solver::new(),
            stack: Vec::new(),
            terms: Terms::default(),
            bytes: ByteCollector::default(),
            watchdog: Watchdog::start(),
            asked: 0,
            time_limits: 0,
            time: Duration::ZERO,
        }
    }

    fn ask(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let deadline = Instant::now() + self.limits.time;
        if !self.enter(dag, query, deadline) {
            return Answer::Unknown(Unknown::TimeLimit);
        }
        match self.check(deadline) {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Sat => self.model(dag, query, seed),
            SatResult::Unknown => {
                let reason = self.why_unknown(deadline);
                self.start_over();
                Answer::Unknown(reason)
            }
        }
    }

    /// Brings the solver's scopes in line with the query; false if that alone took too long.
    ///
    /// Z3 works on a constraint when the next scope is opened, and cannot be interrupted there.
    fn enter(&mut self, dag: &Dag, query: &Query, deadline: Instant) -> bool {
        let shared = query.constraints().zip(&self.stack).take_while(|(a, b)| a == *b).count();
        self.solver.pop((self.stack.len() - shared) as u32);
        self.stack.truncate(shared);
        for e in query.constraints().skip(shared) {
            if Instant::now() >= deadline {
                return false;
            }
            self.solver.push();
            self.solver.assert(self.terms.condition(dag, e));
            self.stack.push(e);
        }
        true
    }

    /// Lets Z3 decide, until the deadline or, should it not look at its clock, a little longer.
    fn check(&mut self, deadline: Instant) -> SatResult {
        let time = deadline.saturating_duration_since(Instant::now());
        self.solver.set_params(&parameters(time));
        let armed = self.watchdog.arm(deadline + self.limits.time / 4);
        let result = self.solver.check();
        if armed.disarm() {
            // Interrupts that came too late stay pending and would spoil the next scopes: an empty check takes them.
            ::z3::Solver::new().check();
            return SatResult::Unknown;
        }
        result
    }

    /// A value for every byte of the query; what Z3 leaves open keeps the seed's value.
    fn model(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let Some(found) = self.solver.get_model() else {
            return Answer::Unknown(Unknown::Unsupported);
        };
        let value = |byte| found.get_const_interp(self.terms.variable(byte)?)?.as_u64();
        let bytes = self.bytes.collect(dag, query.constraints());
        let model = bytes.into_iter().map(|b| (b, value(b).map_or_else(|| seed.byte(b), |v| v as u8)));
        Answer::Sat(model.collect())
    }

    fn why_unknown(&self, deadline: Instant) -> Unknown {
        let reason = self.solver.get_reason_unknown().unwrap_or_default();
        let is_time = ["timeout", "cancel", "interrupt"].iter().any(|word| reason.contains(word));
        if is_time || Instant::now() >= deadline { Unknown::TimeLimit } else { Unknown::Unsupported }
    }

    /// A solver that gave up is not to be trusted with its scopes.
    fn start_over(&mut self) {
        self.solver = ::z3::Solver::new();
        self.stack.clear();
    }
}

fn parameters(time: Duration) -> Params {
    let mut params = Params::new();
    params.set_u32("random_seed", 0);
    // Z3 would take over SIGINT during a query, and with it the user's wish to stop.
    params.set_bool("ctrl_c", false);
    // The largest number means no limit.
    params.set_u32("timeout", (time.as_millis() + 1).min(u32::MAX as u128 - 1) as u32);
    params
}

impl Solver for Z3 {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let start = Instant::now();
        if self.terms.len() > MAX_TERMS {
            self.start_over();
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
