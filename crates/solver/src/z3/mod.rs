//! The Z3 backend.

mod terms;
mod watchdog;

use crate::bytes::ByteCollector;
use crate::{Answer, Limits, Model, Query, Solver, Stats, Unknown};
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
            solver: new_solver(limits),
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
        let guard = self.watchdog.arm(deadline);
        let result = match enter(&self.solver, &mut self.stack, &mut self.terms, dag, query, deadline) {
            true => self.solver.check(),
            false => SatResult::Unknown,
        };
        drop(guard);
        match result {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Sat => self.model(dag, query, seed),
            SatResult::Unknown => {
                let late = Instant::now() >= deadline;
                self.start_over();
                self.time_limits += u64::from(late);
                Answer::Unknown(if late { Unknown::TimeLimit } else { Unknown::Unsupported })
            }
        }
    }

    /// A value for every byte of the query; what Z3 leaves open keeps the seed's value.
    fn model(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let Some(found) = self.solver.get_model() else {
            return Answer::Unknown(Unknown::Unsupported);
        };
        let bytes = self.bytes.collect(dag, query.constraints());
        let value = |byte| self.terms.variable(byte).and_then(|v| found.get_const_interp(v)?.as_u64());
        let model: Model =
            bytes.into_iter().map(|b| (b, value(b).map_or_else(|| seed.byte(b), |v| v as u8))).collect();
        Answer::Sat(model)
    }

    fn start_over(&mut self) {
        self.solver = new_solver(self.limits);
        self.stack.clear();
    }
}

fn new_solver(limits: Limits) -> ::z3::Solver {
    let solver = ::z3::Solver::new();
    let mut params = Params::new();
    params.set_u32("random_seed", 0);
    params.set_u32("timeout", limits.time.as_millis().clamp(1, u32::MAX as u128 - 1) as u32);
    solver.set_params(&params);
    solver
}

/// Brings the solver's scopes in line with the query; false if that alone took too long.
fn enter(
    solver: &::z3::Solver,
    stack: &mut Vec<ExprId>,
    terms: &mut Terms,
    dag: &Dag,
    query: &Query,
    deadline: Instant,
) -> bool {
    let shared = query.constraints().zip(stack.iter()).take_while(|(a, b)| a == *b).count();
    solver.pop((stack.len() - shared) as u32);
    stack.truncate(shared);
    for e in query.constraints().skip(shared) {
        if Instant::now() >= deadline {
            return false;
        }
        solver.push();
        solver.assert(terms.condition(dag, e));
        stack.push(e);
    }
    true
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
