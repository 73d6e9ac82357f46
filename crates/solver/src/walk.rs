//! Local search, for queries with floating point.
//!
//! Z3 turns a float's operations into circuits, which takes it long, and knows no function of the C library. Numbers
//! can be tried: from the seed on, one variable after the other is moved to where the constraints are closer to being
//! true. An answer is always a model: that there is none cannot be found out by trying.
//!
//! Work is counted in evaluated nodes, not in time, and random choices start from a fixed seed: the same query has the
//! same answer.

mod error;
mod moves;
mod point;
mod variable;

use crate::bytes::ByteCollector;
use crate::stats::Meter;
use crate::{Answer, Model, Query, Solver, Stats};
use cairn_expr::{Assignment, Dag, Evaluator, ExprId, Op};
use error::{Atom, Judge};
use moves::Random;
use point::Point;
use variable::Variable;

/// Nodes that may be evaluated for a query.
const WORK: usize = 3_000_000;
/// Evaluations that may be made however few the nodes are.
const MAX_EVALUATIONS: usize = 30_000;

/// Tries numbers before the layer below is asked.
pub struct Walk<S> {
    inner: S,
    evaluator: Evaluator,
    bytes: ByteCollector,
    meter: Meter,
}

impl<S: Solver> Walk<S> {
    /// Answers what it can, and leaves the rest to `inner`.
    pub fn new(inner: S) -> Self {
        Walk { inner, evaluator: Evaluator::new(), bytes: ByteCollector::default(), meter: Meter::default() }
    }

    fn try_numbers(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Option<Model> {
        let constraints: Vec<ExprId> = query.constraints().collect();
        let mut nodes = dag.reachable(&constraints);
        nodes.reverse();
        if !nodes.iter().any(|&e| is_about_floats(dag.op(e))) {
            return None;
        }
        let bytes = self.bytes.collect(dag, query.constraints());
        let start = Point::new(&bytes, seed);
        let evaluations = (WORK / nodes.len()).min(MAX_EVALUATIONS);
        let mut search = Search {
            variables: variable::all(dag, &nodes, &bytes),
            interesting: moves::constants(dag, &nodes),
            judge: Judge::new(dag, &mut self.evaluator, &constraints, evaluations),
            random: Random::default(),
        };
        let found = search.run(start)?;
        Some(bytes.into_iter().map(|byte| (byte, found.byte(byte))).collect())
    }
}

impl<S: Solver> Solver for Walk<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let start = self.meter.begin();
        match self.try_numbers(dag, query, seed) {
            Some(model) => self.meter.answer(start, Answer::Sat(model)),
            None => {
                self.meter.spent(start);
                self.inner.solve(dag, query, seed)
            }
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = self.inner.stats();
        stats.layers.walk = self.meter.tally();
        stats
    }
}

fn is_about_floats(op: Op) -> bool {
    matches!(op, Op::FEq | Op::FLt | Op::FLe | Op::FToS | Op::FToU | Op::Math)
}

/// One query's search.
struct Search<'a> {
    variables: Vec<Variable>,
    /// Numbers that occur in the query.
    interesting: Vec<f64>,
    judge: Judge<'a>,
    random: Random,
}

/// A point and how far it is from an answer.
#[derive(Clone)]
struct Tried {
    point: Point,
    error: f64,
}

impl Search<'_> {
    /// Descends from the seed, then from places a few random steps away from the best one, until the work is done.
    fn run(&mut self, seed: Point) -> Option<Point> {
        let mut best = self.tried(seed);
        let mut here = best.clone();
        while self.judge.has_work_left() {
            here = self.descend(here);
            if here.error == 0.0 {
                return Some(here.point);
            }
            if here.error < best.error {
                best = here.clone();
            }
            here = self.wander(&best);
        }
        (best.error == 0.0).then_some(best.point)
    }

    fn tried(&mut self, point: Point) -> Tried {
        let error = self.judge.error(&point);
        Tried { point, error }
    }

    /// Moves variables of constraints that do not hold as long as that helps.
    fn descend(&mut self, mut here: Tried) -> Tried {
        loop {
            let before = here.error;
            for atom in self.judge.broken(&here.point) {
                for v in self.variables_of(atom) {
                    here = self.search_line(here, atom, v);
                    if here.error == 0.0 {
                        return here;
                    }
                }
            }
            if here.error >= before || !self.judge.has_work_left() {
                return here;
            }
        }
    }

    fn variables_of(&self, atom: Atom) -> Vec<usize> {
        let inputs = self.judge.dag.inputs(atom.condition);
        let is_in = |v: &Variable| v.bytes.iter().any(|byte| inputs.binary_search(byte).is_ok());
        (0..self.variables.len()).filter(|&v| is_in(&self.variables[v])).collect()
    }

    /// The best point along one variable, as far as probes, bisection and secants towards the atom's border see.
    fn search_line(&mut self, here: Tried, atom: Atom, v: usize) -> Tried {
        let variable = self.variables[v].clone();
        let mut line = Line { judge: &mut self.judge, variable: &variable, atom, best: here.clone(), here };
        let middle = line.variable.position(&line.here.point);
        let probes = moves::probes(&variable, middle, &self.interesting);
        let mut border = line.try_all(middle, &probes);
        if line.best.error > 0.0 {
            line.follow_secants(middle, &probes);
        }
        if line.best.error > 0.0
            && let Some(bracket) = border.take()
        {
            line.bisect(bracket);
        }
        line.best
    }

    /// A few variables somewhere else.
    fn wander(&mut self, from: &Tried) -> Tried {
        let mut point = from.point.clone();
        let count = self.variables.len();
        for _ in 0..1 + self.random.below(count.min(3) as u64) {
            let variable = &self.variables[self.random.below(count as u64) as usize];
            let position = moves::anywhere(variable, &self.interesting, &mut self.random);
            variable.place(&mut point, position);
        }
        self.tried(point)
    }
}

/// A search along one variable.
struct Line<'l, 'a> {
    judge: &'l mut Judge<'a>,
    variable: &'l Variable,
    atom: Atom,
    here: Tried,
    best: Tried,
}

impl Line<'_, '_> {
    /// Tries a position; gives the gap between the two sides of the atom there.
    fn try_at(&mut self, position: i128) -> f64 {
        let mut point = self.here.point.clone();
        self.variable.place(&mut point, position);
        let error = self.judge.error(&point);
        let gap = self.judge.gap(self.atom, &point);
        if error < self.best.error {
            self.best = Tried { point, error };
        }
        gap
    }

    /// Tries all probes; gives the two closest positions between which the gap changes its sign.
    fn try_all(&mut self, middle: i128, probes: &[i128]) -> Option<(i128, i128)> {
        let gap = self.try_at(middle);
        let mut border: Option<(i128, i128)> = None;
        for &probe in probes {
            if self.best.error == 0.0 || !self.judge.has_work_left() {
                break;
            }
            let there = self.try_at(probe);
            let is_across = gap * there < 0.0;
            if is_across && border.is_none_or(|(a, b)| a.abs_diff(b) > middle.abs_diff(probe)) {
                border = Some((middle, probe));
            }
        }
        border
    }

    /// Halves the way between two positions with gaps of different sign, and looks around where they meet.
    fn bisect(&mut self, (mut a, mut b): (i128, i128)) {
        let sign = self.try_at(a).signum();
        while a.abs_diff(b) > 1 && self.best.error > 0.0 {
            let middle = a + (b - a) / 2;
            if self.try_at(middle).signum() == sign { a = middle } else { b = middle }
        }
        for step in (1..=8).filter(|_| a.abs_diff(b) <= 1) {
            for position in [a - step, b + step] {
                if self.best.error > 0.0 && self.variable.contains(position) {
                    self.try_at(position);
                }
            }
        }
    }

    /// Where the gap would close if it were a straight line through two positions, again and again.
    fn follow_secants(&mut self, middle: i128, probes: &[i128]) {
        for &start in probes.iter().take(moves::SECANTS) {
            let (mut a, mut b) = (middle, start);
            let mut gap_a = self.try_at(a);
            for _ in 0..12 {
                let gap_b = self.try_at(b);
                let (x, y) = (self.variable.number(a), self.variable.number(b));
                let next = y - gap_b * (y - x) / (gap_b - gap_a);
                let Some(next) = self.variable.nearest(next).filter(|&next| next != b && gap_b != 0.0) else {
                    break;
                };
                (a, b, gap_a) = (b, next, gap_b);
            }
            for position in [b - 1, b + 1].into_iter().filter(|&p| self.variable.contains(p)) {
                self.try_at(position);
            }
            if self.best.error == 0.0 {
                return;
            }
        }
    }
}
