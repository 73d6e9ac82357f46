//! Solver session: answers scripts one after another, with its caches.

use super::answers::{Outcome, Solution};
use cairn_deadline::Deadline;
use cairn_expr::smtlib::{self, Check, Status};
use cairn_expr::{Assignment, Dag, Evaluator, ExprId, InputByte};
use cairn_solver::{Answer, Limits, Overlay, Query, Solver, Unknown};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Most retries of a query, each with twice the effort; 2^20 times the effort exceeds every time limit.
const ROUNDS: u32 = 20;

/// The solver that answers scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverChoice {
    /// The stack of layers, as in a campaign.
    Stack,
    /// Z3 alone.
    Z3,
    /// Bit-blasting alone.
    Sat,
    /// The local search alone.
    Walk,
}

/// A solver with the expressions it knows.
pub struct Session {
    name: SolverChoice,
    limits: Limits,
    is_fresh: bool,
    dag: Dag,
    solver: Option<Box<dyn Solver>>,
    /// Tallies of solvers that were replaced.
    past: Value,
}

impl Session {
    /// Starts a session; each query may take `time`. If `is_fresh`, every script gets a new solver.
    pub fn new(name: SolverChoice, time: Duration, is_fresh: bool) -> Session {
        let (dag, past) = (Dag::new(), json!({}));
        Session { name, limits: Limits { time }, is_fresh, dag, solver: None, past }
    }

    /// Answers every `check-sat` of a script.
    pub fn answer(&mut self, file: &Path, text: &str) -> Result<Vec<Outcome>, String> {
        if self.is_fresh {
            self.past = self.layers();
            self.solver = None;
            self.dag = Dag::new();
        }
        let checks = smtlib::read(&mut self.dag, text).map_err(|error| error.to_string())?;
        if checks.is_empty() {
            return Err("it has no query: (check-sat) is missing".to_owned());
        }
        Ok(checks.iter().map(|check| self.answer_check(file, check)).collect())
    }

    fn answer_check(&mut self, file: &Path, check: &Check) -> Outcome {
        let start: HashMap<InputByte, u8> = check.seed.iter().copied().collect();
        let seed = |byte: InputByte| start.get(&byte).copied().unwrap_or_default();
        let (prefix, target) = self.split(&check.assertions, &seed);
        let (name, limits) = (self.name, self.limits);
        let solver = self.solver.get_or_insert_with(|| make(name, limits));
        let (wall, cpu) = (Instant::now(), cpu_time(&**solver));
        let answer = solve(&mut **solver, limits, &self.dag, &Query { prefix: &prefix, target }, &seed);
        let (wall, cpu) = (wall.elapsed(), cpu_time(&**solver).saturating_sub(cpu));
        let solution = self.solution(check, &answer, &seed);
        Outcome { file: file.to_owned(), solution, expected: check.status, wall, cpu }
    }

    /// Splits assertions into a path prefix, which the seed satisfies, and the target: in a campaign's query
    /// the last one.
    fn split(&mut self, assertions: &[ExprId], seed: &dyn Assignment) -> (Vec<ExprId>, ExprId) {
        let mut evaluator = Evaluator::new();
        let (mut prefix, rest): (Vec<ExprId>, Vec<ExprId>) =
            assertions.iter().partition(|&&e| evaluator.eval(&self.dag, e, seed) == 1);
        let target = rest.into_iter().reduce(|all, one| self.dag.and(all, one));
        let target = target.or_else(|| prefix.pop()).unwrap_or_else(|| self.dag.truth(true));
        (prefix, target)
    }

    /// Converts an answer; a model must satisfy every assertion.
    fn solution(&self, check: &Check, answer: &Answer, seed: &dyn Assignment) -> Solution {
        let model = match answer {
            Answer::Sat(model) => model,
            Answer::Unsat => return Solution::without(Status::Unsat),
            Answer::Unknown(why) => return Solution::unknown(reason(*why)),
        };
        let input = Overlay { model, seed };
        let mut evaluator = Evaluator::new();
        evaluator.begin();
        let mut value = |e| evaluator.value(&self.dag, e, &input);
        if check.assertions.iter().any(|&e| value(e) != 1) {
            return Solution::unknown(reason(Unknown::Invalid));
        }
        let symbols = check.symbols.iter();
        let model =
            symbols.map(|s| (s.name.clone(), s.value.sort(), s.value.show(value(s.value.expression))));
        let model = model.collect();
        let values =
            check.values.iter().map(|(text, term)| (text.clone(), term.show(value(term.expression))));
        Solution { status: Status::Sat, reason: None, model, values: values.collect() }
    }

    /// Returns the tallies of every layer over all scripts so far.
    pub fn layers(&self) -> Value {
        let mut all = self.past.clone();
        if let Some(solver) = &self.solver {
            let layers = serde_json::to_value(solver.stats().layers).expect("tallies are plain data");
            add(&mut all, layers);
        }
        all
    }
}

fn make(name: SolverChoice, limits: Limits) -> Box<dyn Solver> {
    match name {
        SolverChoice::Stack => cairn_solver::standard(limits),
        SolverChoice::Z3 => cairn_solver::only_z3(limits),
        SolverChoice::Sat => cairn_solver::only_sat(limits),
        SolverChoice::Walk => cairn_solver::only_walk(limits),
    }
}

fn reason(why: Unknown) -> &'static str {
    match why {
        Unknown::TimeLimit => "the time limit was reached, or is too short to begin",
        Unknown::Unsupported => "no solver can decide it",
        Unknown::Invalid => {
            "local search found no model, and Z3's model is invalid: Z3 does not know all the functions"
        }
    }
}

/// Adds JSON figures of the same shape.
fn add(sum: &mut Value, one: Value) {
    match (sum, one) {
        (Value::Object(sum), Value::Object(one)) => {
            for (name, value) in one {
                add(sum.entry(name).or_insert(Value::Null), value);
            }
        }
        (sum, one) => {
            *sum = match (sum.as_u64(), one.as_u64()) {
                (Some(a), Some(b)) => json!(a + b),
                _ if sum.is_null() => one,
                _ => json!(sum.as_f64().unwrap_or(0.0) + one.as_f64().unwrap_or(0.0)),
            };
        }
    }
}

/// Solves with ever more effort until there is an answer or the time limit is reached: effort is counted in
/// work so that campaigns are reproducible, and here only time matters.
fn solve(solver: &mut dyn Solver, limits: Limits, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
    let (limit, end) =
        (Deadline::after(limits.time), Deadline::after(limits.time.saturating_add(Limits::AFTERWARDS)));
    let mut answer = solver.solve(dag, query, seed, &end);
    let mut effort = limits;
    for _ in 0..ROUNDS {
        if limit.is_over() || !matches!(answer, Answer::Unknown(_)) {
            break;
        }
        effort.time = effort.time.saturating_mul(2);
        solver.set_limits(effort);
        answer = solver.solve(dag, query, seed, &limit);
    }
    if effort != limits {
        solver.set_limits(limits);
    }
    answer
}

/// Returns the CPU time of this thread, on which all layers work, and of a solver process.
fn cpu_time(solver: &dyn Solver) -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32) + solver.stats().backend_cpu
}
