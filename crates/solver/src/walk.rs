//! Local search over typed variables, after Concolic Walk (P. Dinges, G. Agha, FSE 2014).
//!
//! An SMT solver bit-blasts floating-point operations, which takes it long, and interprets no function of the
//! C library; and for most branches of a parser any search is faster. Each constraint has an error, which is
//! 0 if it holds ([`condition`]). From the seed on, variables ([`variable`]) are moved so that the sum of
//! errors falls: [`inverse`] inverts the operations of a broken comparison, [`line`] follows one variable to
//! where the comparison changes, [`linear`] finds points that satisfy the linear part, [`search`] combines
//! them. Moving a variable evaluates only the constraints
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
mod variable;

pub use settings::{WalkMode, WalkSettings};

use crate::bytes::ByteCollector;
use crate::conjuncts::conjuncts;
use crate::stats::Meter;
use crate::tape::Allowance;
use crate::validate::holds;
use crate::{
    Answer, Attempt, Engine, LayerGroup, LayerInfo, Limits, Model, Overlay, Query, QueryClass, Solver, Stats,
    Task, Unknown,
};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, Evaluator, ExprId, InputByte};
use classic::Classic;
use library::Library;
use problem::{Problem, WalkState};
use search::WalkSearch;
use std::time::Duration;

static INFO: LayerInfo = LayerInfo {
    key: "walk",
    name: "walk",
    about: "searches locally",
    group: Some(LayerGroup { column: "walk", name: "local search" }),
};

/// Nominal time of a step; measured over the queries of bc, zlib and libpng.
const NANOS_PER_STEP: u64 = 3;
/// Nominal time of preparing a query, per expression in it; measured likewise.
const NANOS_PER_NODE: u64 = 200;
/// Steps of a first attempt: of integers the other engines solve most; with floats or functions of the C
/// library there is only Z3 beside this one, or nothing.
const FIRST_STEPS: u64 = 40_000;
const FIRST_STEPS_FLOATS: u64 = 500_000;

/// Searches locally: at first among the target's variables, then among all.
pub struct Walk {
    settings: WalkSettings,
    evaluator: Evaluator,
    bytes: ByteCollector,
    library: Library,
}

impl Walk {
    /// Returns the engine with these settings.
    pub fn new(settings: WalkSettings) -> Self {
        let (evaluator, bytes, library) = Default::default();
        Walk { settings, evaluator, bytes, library }
    }

    /// Moves only variables of the target: the rest of the path holds already.
    fn search_target(&mut self, task: &Search) -> (Option<Model>, i64) {
        let target = task.constraints.len() - 1;
        let nodes = parents_first(task.dag, &task.constraints[target..]);
        let problem =
            Problem::new(task.dag, &self.library, task.constraints, &nodes, task.bytes, task.deadline);
        let mut search = WalkSearch::new(&problem, &nodes, (task.steps, task.deadline), task.random_seed);
        let start = search.judge.state(task.start(), std::iter::once(target));
        let found = search.run(vec![start]);
        let left = search.judge.work;
        (found.and_then(|found| self.checked(task, &found)), left)
    }

    /// Moves all variables.
    fn search_all(&mut self, task: &Search) -> (Option<Model>, i64) {
        let nodes = parents_first(task.dag, task.constraints);
        let problem =
            Problem::new(task.dag, &self.library, task.constraints, &nodes, task.bytes, task.deadline);
        let mut search = WalkSearch::new(&problem, &nodes, (task.steps, task.deadline), task.random_seed);
        let mut starts: Vec<WalkState> = vec![search.judge.state(task.start(), 0..task.constraints.len())];
        starts.extend(search.inside_polytope(task.start()));
        let found = search.run(starts);
        let left = search.judge.work;
        (found.and_then(|found| self.checked(task, &found)), left)
    }

    /// Returns the point as a model if the reference evaluator confirms it: the seed may not satisfy the rest
    /// of the path.
    fn checked(&mut self, task: &Search, point: &[u8]) -> Option<Model> {
        let model: Model = task.bytes.iter().copied().zip(point.iter().copied()).collect();
        let input = Overlay { model: &model, seed: task.seed };
        let constraints = task.constraints.iter().copied();
        holds(&mut self.evaluator, task.dag, constraints, &input).then_some(model)
    }
}

impl Engine for Walk {
    fn info(&self) -> &'static LayerInfo {
        &INFO
    }

    fn first_effort(&self, class: QueryClass) -> Option<Duration> {
        let is_hard_for_others = class.has_floats || class.has_functions;
        let steps = if is_hard_for_others { FIRST_STEPS_FLOATS } else { FIRST_STEPS };
        Some(Duration::from_nanos((steps as f64 * self.settings.effort) as u64 * NANOS_PER_STEP))
    }

    fn attempt(&mut self, task: &Task, number: u32, effort: Duration) -> Attempt {
        self.library.begin(Allowance::of(effort));
        let Task { dag, query, seed, deadline } = *task;
        let constraints = conjuncts(dag, query.constraints());
        let bytes = self.bytes.collect(dag, query.constraints());
        let steps = effort.as_nanos() as i64 / NANOS_PER_STEP as i64;
        // The random choices of the attempt before would fail again.
        let random_seed = self.settings.seed.wrapping_add(number.into());
        let search =
            Search { dag, constraints: &constraints, bytes: &bytes, seed, deadline, steps, random_seed };
        let prepared = Duration::from_nanos(dag.reachable(&constraints).len() as u64 * NANOS_PER_NODE);
        let (model, left) = if number == 0 { self.search_target(&search) } else { self.search_all(&search) };
        let taken = steps - left.clamp(0, steps);
        Attempt {
            answer: model.map_or(Answer::Unknown(Unknown::TimeLimit), Answer::Sat),
            spent: prepared + self.library.time_spent() + Duration::from_nanos(taken as u64 * NANOS_PER_STEP),
        }
    }

    fn forget(&mut self) {
        self.library = Library::default();
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.evaluations = self.library.evaluations();
    }
}

/// The published algorithm alone, for comparison.
pub struct ClassicWalk {
    walk: Walk,
    meter: Meter,
}

impl ClassicWalk {
    /// Returns the algorithm with these constants.
    pub fn new(settings: WalkSettings) -> ClassicWalk {
        ClassicWalk { walk: Walk::new(settings), meter: Meter::default() }
    }
}

impl Solver for ClassicWalk {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let start = self.meter.begin();
        let Walk { library, settings, bytes, .. } = &mut self.walk;
        library.begin(Allowance::of(Duration::MAX));
        let constraints = conjuncts(dag, query.constraints());
        let bytes = bytes.collect(dag, query.constraints());
        let nodes = parents_first(dag, &constraints);
        let problem = Problem::new(dag, library, &constraints, &nodes, &bytes, deadline);
        let found = Classic::new(&problem, *settings, deadline).run(&inverse::leaves(&problem, &nodes));
        let (constraints, bytes) = (&constraints[..], &bytes[..]);
        let search = Search { dag, constraints, bytes, seed, deadline, steps: 0, random_seed: 0 };
        let model = found.and_then(|point| self.walk.checked(&search, &point));
        self.meter.answer(start, model.map_or(Answer::Unknown(Unknown::Unsupported), Answer::Sat))
    }

    fn set_limits(&mut self, _: Limits) {}

    fn forget(&mut self) {
        Engine::forget(&mut self.walk);
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.layers.add(&INFO, self.meter.tally());
        self.walk.add_stats(&mut stats);
        stats
    }
}

/// The parts of a query that a search needs, and its bounds.
struct Search<'a> {
    dag: &'a Dag,
    constraints: &'a [ExprId],
    bytes: &'a [InputByte],
    seed: &'a dyn Assignment,
    /// The moment to give up, whatever steps are left.
    deadline: &'a Deadline,
    steps: i64,
    random_seed: u64,
}

impl Search<'_> {
    fn start(&self) -> Vec<u8> {
        self.bytes.iter().map(|&byte| self.seed.byte(byte)).collect()
    }
}

/// Returns the nodes reachable from the roots, parents before children.
fn parents_first(dag: &Dag, roots: &[ExprId]) -> Vec<ExprId> {
    let mut nodes = dag.reachable(roots);
    nodes.reverse();
    nodes
}
