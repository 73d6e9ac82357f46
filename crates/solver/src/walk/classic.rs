//! The published Concolic Walk (Dinges and Agha, FSE 2014), with its constants, for comparison.
//!
//! The linear constraints define a polytope and a point in it; from there a tabu search walks inside the
//! polytope towards points where the other constraints hold. Steps only increase a variable, and a variable
//! in a linear equality cannot move: so the authors implemented it. Ablations are in bench/RESULTS.md.

use super::inverse::Leaves;
use super::linear::{self, Row};
use super::problem::{AtomRef, Judge, Problem, WalkState};
use super::settings::WalkSettings;
use cairn_deadline::Deadline;
use fastrand::Rng;

/// Bounds of the start point: reals in this range, integers this far from 0.
const REALS: (f64, f64) = (-8.0, 7.0);
const INTEGERS: f64 = 1e6;
/// Numbers tried for a variable when seeding is on.
const SEEDS: [f64; 5] = [0.0, 1.0, -1.0, f64::MAX, 4.9e-324];

/// The walk for one query.
pub(super) struct Classic<'a> {
    judge: Judge<'a>,
    settings: WalkSettings,
    random: Rng,
    /// Units that are linear, and all others.
    linear: Vec<usize>,
    others: Vec<usize>,
    tabu: Vec<u32>,
}

/// A number for each variable, and the error there.
#[derive(Clone)]
struct Point {
    numbers: Vec<f64>,
    state: WalkState,
    error: f64,
}

impl<'a> Classic<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, settings: WalkSettings, deadline: &Deadline) -> Classic<'a> {
        Classic {
            judge: Judge::new(problem, i64::MAX, deadline),
            settings,
            random: Rng::with_seed(settings.seed),
            linear: Vec::new(),
            others: Vec::new(),
            tabu: vec![0; problem.variables.len()],
        }
    }

    /// Returns a point where all constraints hold, if the walk reaches one.
    pub(super) fn run(&mut self, leaves: &Leaves) -> Option<Vec<u8>> {
        let rows = self.split(leaves);
        let mut here = self.start(&rows)?;
        for _ in 0..self.settings.steps.saturating_mul(self.others.len() as u32) {
            if here.error == 0.0 || !self.judge.has_work_left() {
                break;
            }
            match self.worst_variable(&here) {
                Some(v) => self.step(&mut here, v),
                None => here = self.jump(here)?,
            }
        }
        (here.error == 0.0).then_some(here.state.point)
    }

    fn split(&mut self, leaves: &Leaves) -> Vec<Row> {
        let problem = self.judge.problem;
        let mut rows = Vec::new();
        for (u, unit) in problem.units.iter().enumerate() {
            let atom = unit.get(problem).parts().single();
            match atom.and_then(|atom| linear::row(problem.dag, leaves, atom)) {
                Some(row) => {
                    rows.push(row);
                    self.linear.push(u);
                }
                None => self.others.push(u),
            }
        }
        rows
    }

    /// Returns the linear program's point, with 0 for variables that are in no linear constraint.
    fn start(&mut self, rows: &[Row]) -> Option<Point> {
        let mut numbers = vec![0.0; self.judge.problem.variables.len()];
        if !rows.is_empty() {
            let found = linear::start(self.judge.problem, rows, REALS, INTEGERS, self.judge.time_left())?;
            found.into_iter().for_each(|(v, number)| numbers[v] = number);
        }
        let point = self.point(numbers);
        self.is_inside(&point.state).then_some(point)
    }

    fn point(&mut self, numbers: Vec<f64>) -> Point {
        let problem = self.judge.problem;
        let mut bytes = vec![0; problem.bytes.len()];
        for (variable, &number) in problem.variables.iter().zip(&numbers) {
            variable.set(&mut bytes, variable.wrapped(number));
        }
        let errors =
            (0..problem.units.len()).map(|unit| self.judge.plain_error(unit, &bytes)).collect::<Vec<f64>>();
        let error = self.others.iter().map(|&unit| errors[unit]).sum();
        Point { numbers, state: WalkState { point: bytes, total: error, errors }, error }
    }

    fn is_inside(&self, state: &WalkState) -> bool {
        self.linear.iter().all(|&unit| state.errors[unit] == 0.0)
    }

    /// Returns the variable that is not tabu and whose constraints have the largest error.
    fn worst_variable(&self, here: &Point) -> Option<usize> {
        let problem = self.judge.problem;
        let error = |v: usize| -> f64 {
            let units = problem.units_of[v].iter().filter(|unit| self.others.binary_search(unit).is_ok());
            units.map(|&unit| here.state.errors[unit]).sum()
        };
        let free = (0..problem.variables.len()).filter(|&v| self.tabu[v] == 0);
        free.map(|v| (v, error(v)))
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .map(|(v, _)| v)
    }

    /// Moves to the best neighbour if it is better; else makes the variable tabu for a while.
    fn step(&mut self, here: &mut Point, v: usize) {
        let mut best: Option<Point> = None;
        let mut offer = |point: Point| {
            if best.as_ref().is_none_or(|best| point.error < best.error) {
                best = Some(point);
            }
        };
        let seeds = if self.settings.seeding { &SEEDS[..] } else { &[] };
        for &seed in seeds {
            let point = self.moved(here, v, seed);
            if self.is_inside(&point.state) {
                offer(point);
            }
        }
        for _ in 0..self.settings.neighbours {
            let Some(neighbour) = self.random_step(here, v).filter(|_| self.judge.has_work_left()) else {
                break;
            };
            let secant = if self.settings.bisection { self.secant(here, &neighbour, v) } else { None };
            offer(neighbour);
            secant.into_iter().for_each(&mut offer);
        }
        match best.filter(|best| best.error < here.error) {
            Some(better) => {
                *here = better;
                self.tabu.iter_mut().for_each(|left| *left = left.saturating_sub(1));
            }
            None => self.tabu[v] = self.tabu_length(),
        }
    }

    fn tabu_length(&self) -> u32 {
        let share = self.settings.tabu_share * self.tabu.len() as f64;
        (share.round() as u32).max(self.settings.tabu_least)
    }

    /// Makes a random step of each variable when all are tabu; the walk ends if one cannot.
    fn jump(&mut self, mut here: Point) -> Option<Point> {
        for v in 0..self.tabu.len() {
            here = self.random_step(&here, v)?;
            self.tabu[v] = 0;
        }
        Some(here)
    }

    fn moved(&mut self, here: &Point, v: usize, number: f64) -> Point {
        let mut numbers = here.numbers.clone();
        numbers[v] = number;
        self.point(numbers)
    }

    /// Returns a random step upwards that stays inside the polytope.
    fn random_step(&mut self, here: &Point, v: usize) -> Option<Point> {
        let scale = self.settings.scale as i32;
        for _ in 0..self.settings.attempts {
            let (fraction, exponent) = (self.random.f64(), self.random.i32(-scale..scale));
            let size = fraction * f64::from(exponent.abs()).exp2();
            let step = if exponent > 0 { size } else { 1.0 / size };
            let point = self.moved(here, v, here.numbers[v] + step);
            if self.is_inside(&point.state) {
                return Some(point);
            }
        }
        None
    }

    /// Returns the point where a constraint's gap would be 0 on the line through both points, overshot for
    /// inequalities.
    fn secant(&mut self, here: &Point, neighbour: &Point, v: usize) -> Option<Point> {
        let problem = self.judge.problem;
        let mut units: Vec<usize> =
            problem.units_of[v].iter().copied().filter(|u| self.others.contains(u)).collect();
        self.random.shuffle(&mut units);
        let broken = units.iter().find(|&&unit| here.state.errors[unit] > 0.0);
        let unit = *broken.or(units.last())?;
        let place = AtomRef { unit, atom: 0 };
        let gap_here = self.judge.gap_after(&here.state, &[], place);
        let gap_there = self.judge.gap_after(&neighbour.state, &[], place);
        let mut t = if gap_here == gap_there { self.gauss() } else { -gap_here / (gap_there - gap_here) };
        if !problem.atom(place).is_equality() {
            t *= 1.0 + 0.01 * f64::from(self.random.u32(..250));
            t = if t == 0.0 { self.gauss() } else { t };
        }
        let number = here.numbers[v] + t * (neighbour.numbers[v] - here.numbers[v]);
        let point = self.moved(here, v, number);
        self.is_inside(&point.state).then_some(point)
    }

    /// Returns a normally distributed number (Box and Muller 1958).
    fn gauss(&mut self) -> f64 {
        let (radius, angle) =
            ((-2.0 * (1.0 - self.random.f64()).ln()).sqrt(), std::f64::consts::TAU * self.random.f64());
        radius * angle.cos()
    }
}
