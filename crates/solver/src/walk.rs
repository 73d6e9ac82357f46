//! Local search (Concolic Walk): numbers are tried until all constraints hold.
//!
//! An SMT solver turns a float's operations into circuits, which takes it long, and knows no function of the C
//! library; and for most branches of a parser any search is faster. From the seed on, variables are moved to where the
//! constraints are closer to being true: [`wish`] tells where an operation would have to be turned round to, [`line`] follows
//! one variable, [`linear`] finds points that satisfy the linear part, [`search`] puts them together. [`classic`] is the
//! published algorithm, for comparison. An answer is always a model: that there is none cannot be found out by trying.
//!
//! Work is counted in carried out instructions, and random choices start from a fixed seed: the same query has the same
//! answer. Only when the time limit of a query is over, on a machine that is slow or busy with much else, the clock decides.

mod classic;
mod condition;
mod inverse;
mod library;
mod line;
mod linear;
mod moves;
mod problem;
mod search;
mod settings;
mod shape;
mod variable;

pub use settings::{WalkMode, WalkSettings};

use crate::bytes::ByteCollector;
use crate::stats::Meter;
use crate::validate::holds;
use crate::{Answer, Layer, LayerGroup, LayerInfo, Limits, Model, Overlay, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, BinOp, Dag, Evaluator, ExprId, InputByte, Node};
use classic::Classic;
use library::Library;
use problem::{Problem, State};
use rustc_hash::FxHashSet;
use search::Search;
use shape::{Savings, Shapes, Trust};
use std::time::Instant;

static INFO: LayerInfo = LayerInfo {
    key: "walk",
    name: "walk",
    about: "searches locally",
    group: Some(LayerGroup { column: "search", name: "local search" }),
};

/// Searches before the layer below is asked, and harder when that does not know.
pub struct Walk {
    settings: WalkSettings,
    evaluator: Evaluator,
    bytes: ByteCollector,
    library: Library,
    shapes: Shapes,
    savings: Savings,
    trust: Trust,
    meter: Meter,
}

impl Walk {
    /// Returns the layer with these settings.
    pub fn new(settings: WalkSettings) -> Self {
        let (evaluator, bytes, library, shapes, savings, trust, meter) = Default::default();
        Walk { settings, evaluator, bytes, library, shapes, savings, trust, meter }
    }

    fn solve_fully(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        let start = self.meter.begin();
        let constraints = conjuncts(dag, query.constraints());
        let shape = self.shapes.of(dag, &constraints);
        self.savings.save();
        let bytes = self.bytes.collect(dag, query.constraints());
        let task = Task { dag, constraints: &constraints, bytes: &bytes, seed, deadline };
        let quick = self.near_target(&task, shape.quick_work());
        if let Some(model) = quick.or_else(|| self.everywhere(&task, shape.work_before_smt())) {
            return self.meter.answer(start, Answer::Sat(model));
        }
        self.meter.pause(start);
        let answer = match self.trust.asks(shape) {
            true => {
                let answer = below.solve(dag, query, seed, deadline);
                self.trust.learn(shape, !matches!(answer, Answer::Unknown(_)));
                answer
            }
            false => Answer::Unknown(Unknown::Unsupported),
        };
        if !matches!(answer, Answer::Unknown(_)) {
            return answer;
        }
        let start = Instant::now();
        let work = self.savings.spend(shape.work_after_smt());
        match self.everywhere(&task, work) {
            Some(model) => self.meter.answer(start, Answer::Sat(model)),
            None => {
                self.meter.pause(start);
                answer
            }
        }
    }

    /// Moves only what the target depends on: the rest of the path holds as it is.
    fn near_target(&mut self, task: &Task, work: i64) -> Option<Model> {
        if task.deadline.is_over() {
            return None;
        }
        let target = task.constraints.len() - 1;
        let nodes = parents_first(task.dag, &task.constraints[target..]);
        let problem =
            Problem::new(task.dag, &self.library, task.constraints, &nodes, task.bytes, task.deadline);
        let mut search =
            Search::new(&problem, &nodes, (self.scaled(work), task.deadline), self.settings.seed);
        let start = search.judge.state(task.start(), std::iter::once(target));
        let found = search.run(vec![start])?;
        self.checked(task, &found)
    }

    /// Moves anything.
    fn everywhere(&mut self, task: &Task, work: i64) -> Option<Model> {
        if work == 0 || task.deadline.is_over() {
            return None;
        }
        let nodes = parents_first(task.dag, task.constraints);
        let problem =
            Problem::new(task.dag, &self.library, task.constraints, &nodes, task.bytes, task.deadline);
        let mut search =
            Search::new(&problem, &nodes, (self.scaled(work), task.deadline), self.settings.seed);
        let mut starts: Vec<State> = vec![search.judge.state(task.start(), 0..task.constraints.len())];
        starts.extend(search.inside_polytope(task.start()));
        let found = search.run(starts)?;
        self.checked(task, &found)
    }

    fn solve_classic(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
    ) -> Answer {
        let start = self.meter.begin();
        let constraints = conjuncts(dag, query.constraints());
        let bytes = self.bytes.collect(dag, query.constraints());
        let nodes = parents_first(dag, &constraints);
        let problem = Problem::new(dag, &self.library, &constraints, &nodes, &bytes, deadline);
        let found = Classic::new(&problem, self.settings, deadline).run(&inverse::leaves(&problem, &nodes));
        let task = Task { dag, constraints: &constraints, bytes: &bytes, seed, deadline };
        let model = found.and_then(|point| self.checked(&task, &point));
        let answer = model.map_or(Answer::Unknown(Unknown::Unsupported), Answer::Sat);
        self.meter.answer(start, answer)
    }

    fn scaled(&self, work: i64) -> i64 {
        (work as f64 * self.settings.effort) as i64
    }

    /// The point as a model, if the reference evaluator says so too: the seed may not satisfy the rest of the path.
    fn checked(&mut self, task: &Task, point: &[u8]) -> Option<Model> {
        let model: Model = task.bytes.iter().copied().zip(point.iter().copied()).collect();
        let input = Overlay { model: &model, seed: task.seed };
        let constraints = task.constraints.iter().copied();
        holds(&mut self.evaluator, task.dag, constraints, &input).then_some(model)
    }
}

impl Layer for Walk {
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        self.library.begin();
        match self.settings.mode {
            WalkMode::Off => below.solve(dag, query, seed, deadline),
            WalkMode::Full => self.solve_fully(dag, query, seed, deadline, below),
            WalkMode::Classic => self.solve_classic(dag, query, seed, deadline),
        }
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.savings = Savings::within(limits);
        self.trust = Trust::default();
        // The same choices would lead nowhere again.
        self.settings.seed = self.settings.seed.wrapping_add(1);
    }

    fn forget(&mut self) {
        self.library = Library::default();
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.layers.add(&INFO, self.meter.tally());
        stats.evaluations = self.library.evaluations();
    }
}

/// A query, unpacked.
struct Task<'a> {
    dag: &'a Dag,
    constraints: &'a [ExprId],
    bytes: &'a [InputByte],
    seed: &'a dyn Assignment,
    /// When to give up, whatever work is left.
    deadline: &'a Deadline,
}

impl Task<'_> {
    fn start(&self) -> Vec<u8> {
        self.bytes.iter().map(|&byte| self.seed.byte(byte)).collect()
    }
}

/// The constraints with conjunctions taken apart; the parts of the last come last. One that several conjunctions of a
/// constraint share is taken apart once: there may be exponentially many ways to it.
fn conjuncts(dag: &Dag, constraints: impl Iterator<Item = ExprId>) -> Vec<ExprId> {
    let mut parts = Vec::new();
    let mut seen = FxHashSet::default();
    for constraint in constraints {
        let mut open = vec![constraint];
        seen.clear();
        while let Some(e) = open.pop() {
            match dag.node(e) {
                Node::Binary(BinOp::And, a, b) => {
                    if seen.insert(e) {
                        open.extend([b, a]);
                    }
                }
                _ => parts.push(e),
            }
        }
    }
    parts
}

fn parents_first(dag: &Dag, roots: &[ExprId]) -> Vec<ExprId> {
    let mut nodes = dag.reachable(roots);
    nodes.reverse();
    nodes
}
