//! Local search over typed variables, after Concolic Walk (P. Dinges, G. Agha, FSE 2014).
//!
//! An SMT solver bit-blasts floating-point operations, which takes it long, and interprets no function of the
//! C library; and for most branches of a parser any search is faster. Each constraint has an error, which is
//! 0 if it holds ([`condition`]). From the seed on, variables ([`variable`]) are moved so that the sum of
//! errors falls: [`inverse`] inverts the operations of a broken comparison, [`line`] follows one variable to
//! where the comparison changes, [`linear`] finds points that satisfy the linear part, [`search`] combines
//! them, and [`shape`] says how much work a query is worth. Moving a variable evaluates only the constraints
//! it is in ([`problem`], [`library`]). An answer is always a model: a search cannot prove that there is
//! none.
//!
//! [`classic`] is the published algorithm, for comparison: on the corpus of the paper it covers 53 of 64
//! targets of coral where the whole stack covers all 64 (bench/RESULTS.md).
//!
//! Work is counted in tape steps, and random choices start from a fixed seed: the same query has the same
//! answer. Only if a query reaches its time limit, on a slow or busy machine, does the clock decide.

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
use problem::{Problem, WalkState};
use rustc_hash::FxHashSet;
use search::WalkSearch;
use shape::{Savings, Shapes, Trust};
use std::time::Instant;

static INFO: LayerInfo = LayerInfo {
    key: "walk",
    name: "walk",
    about: "searches locally",
    group: Some(LayerGroup { column: "walk", name: "local search" }),
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

    /// Searches a little, asks the layer below, and searches more if that does not know.
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
        let quick = self.search_target(&task, shape.quick_work());
        if let Some(model) = quick.or_else(|| self.search_all(&task, shape.work_before_smt())) {
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
        match self.search_all(&task, work) {
            Some(model) => self.meter.answer(start, Answer::Sat(model)),
            None => {
                self.meter.pause(start);
                answer
            }
        }
    }

    /// Moves only variables of the target: the rest of the path holds already.
    fn search_target(&mut self, task: &Task, work: i64) -> Option<Model> {
        if task.deadline.is_over() {
            return None;
        }
        let target = task.constraints.len() - 1;
        let nodes = parents_first(task.dag, &task.constraints[target..]);
        let problem =
            Problem::new(task.dag, &self.library, task.constraints, &nodes, task.bytes, task.deadline);
        let mut search =
            WalkSearch::new(&problem, &nodes, (self.scaled(work), task.deadline), self.settings.seed);
        let start = search.judge.state(task.start(), std::iter::once(target));
        let found = search.run(vec![start])?;
        self.checked(task, &found)
    }

    /// Moves all variables.
    fn search_all(&mut self, task: &Task, work: i64) -> Option<Model> {
        if work == 0 || task.deadline.is_over() {
            return None;
        }
        let nodes = parents_first(task.dag, task.constraints);
        let problem =
            Problem::new(task.dag, &self.library, task.constraints, &nodes, task.bytes, task.deadline);
        let mut search =
            WalkSearch::new(&problem, &nodes, (self.scaled(work), task.deadline), self.settings.seed);
        let mut starts: Vec<WalkState> = vec![search.judge.state(task.start(), 0..task.constraints.len())];
        starts.extend(search.inside_polytope(task.start()));
        let found = search.run(starts)?;
        self.checked(task, &found)
    }

    /// Runs the published algorithm alone.
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

    /// Returns work multiplied by the `effort` setting.
    fn scaled(&self, work: i64) -> i64 {
        (work as f64 * self.settings.effort) as i64
    }

    /// Returns the point as a model if the reference evaluator confirms it: the seed may not satisfy the rest
    /// of the path.
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
        // The same random choices would fail again.
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

/// The parts of a query that a search needs.
struct Task<'a> {
    dag: &'a Dag,
    constraints: &'a [ExprId],
    bytes: &'a [InputByte],
    seed: &'a dyn Assignment,
    /// The moment to give up, whatever work is left.
    deadline: &'a Deadline,
}

impl Task<'_> {
    fn start(&self) -> Vec<u8> {
        self.bytes.iter().map(|&byte| self.seed.byte(byte)).collect()
    }
}

/// Splits conjunctions into their conjuncts; those of the last constraint come last. A conjunction that is
/// shared within a constraint is split once: there may be exponentially many paths to it.
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

/// Returns the nodes reachable from the roots, parents before children.
fn parents_first(dag: &Dag, roots: &[ExprId]) -> Vec<ExprId> {
    let mut nodes = dag.reachable(roots);
    nodes.reverse();
    nodes
}
