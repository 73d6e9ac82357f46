//! The search: descends by inverse operations and line searches, and escapes from local minima.

use super::inverse::{self, Inverter};
use super::line::{Best, LineSearch, keep_equalities};
use super::linear;
use super::moves;
use super::problem::{AtomRef, Judge, Move, Problem, WalkState};
use cairn_deadline::Deadline;
use cairn_expr::ExprId;
use fastrand::Rng;

/// Bounds of the variables in a linear program: reals in this range, integers this far from 0. Chosen bounds.
const REALS: (f64, f64) = (-1e6, 1e6);
const INTEGERS: f64 = 2e9;
/// Steps of a chase before its result is compared; a chosen bound.
const CHASE: usize = 12;
/// Starts among which the work is divided; a chosen number.
const STARTS: i64 = 20;
/// Random points of which the best becomes a start; a chosen number.
const SAMPLES: usize = 100;
/// Escapes from one local minimum before the search restarts; a chosen bound.
const MAX_ESCAPES: usize = 12;

/// The search for one query.
pub(super) struct WalkSearch<'a> {
    pub(super) judge: Judge<'a>,
    inverter: Inverter,
    /// Constants that occur in the query.
    interesting: Vec<f64>,
    random: Rng,
    /// Work for one start: some descents never end.
    share: i64,
    /// Work left when this start has used its share.
    enough: i64,
}

impl<'a> WalkSearch<'a> {
    /// Prepares a search; `nodes` are those the problem's variables were recovered from.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        nodes: &[ExprId],
        (work, deadline): (i64, &Deadline),
        seed: u64,
    ) -> WalkSearch<'a> {
        WalkSearch {
            judge: Judge::new(problem, work, deadline),
            inverter: Inverter::new(inverse::leaves(problem, nodes)),
            interesting: moves::constants(problem.dag, nodes),
            random: Rng::with_seed(seed),
            share: work / STARTS,
            enough: 0,
        }
    }

    /// Looks for a point where all constraints hold, from `starts` and then from random points.
    pub(super) fn run(&mut self, starts: Vec<WalkState>) -> Option<Vec<u8>> {
        let first = starts[0].clone();
        for start in starts {
            if let Some(found) = self.run_from(start) {
                return Some(found);
            }
        }
        while self.judge.has_work_left() {
            let start = self.random_start(&first);
            if let Some(found) = self.run_from(start) {
                return Some(found);
            }
        }
        None
    }

    /// Returns a point inside the polytope of the linear constraints, the rest as in `point`; `None` if no
    /// linear constraint has two variables.
    pub(super) fn inside_polytope(&mut self, point: Vec<u8>) -> Option<WalkState> {
        let problem = self.judge.problem;
        let atoms = problem.units.iter().filter_map(|unit| unit.get(problem).parts().single());
        let rows: Vec<_> =
            atoms.filter_map(|atom| linear::row(problem.dag, &self.inverter.leaves, atom)).collect();
        if rows.iter().all(|row| row.sum.factors.len() < 2) {
            return None;
        }
        let numbers = linear::start(problem, &rows, REALS, INTEGERS, self.judge.time_left())?;
        let mut point = point;
        for (v, number) in numbers {
            let variable = &problem.variables[v];
            variable.set(&mut point, variable.wrapped(number));
        }
        Some(self.judge.state(point, 0..problem.units.len()))
    }

    fn run_from(&mut self, start: WalkState) -> Option<Vec<u8>> {
        self.enough = (self.judge.work - self.share).max(0);
        let mut best = self.descend(start);
        let mut tries = 0;
        while best.total > 0.0 {
            if tries == MAX_ESCAPES || !self.has_budget() {
                return None;
            }
            let away = self.escape(&best);
            let here = self.descend(away);
            tries += 1;
            if here.total < best.total {
                best = here;
                tries = 0;
            }
        }
        Some(best.point)
    }

    fn has_budget(&self) -> bool {
        self.judge.work > self.enough
    }

    /// Applies moves as long as they reduce the error.
    fn descend(&mut self, mut here: WalkState) -> WalkState {
        while here.total > 0.0 && self.has_budget() {
            let Some(moves) = self.better(&here) else { break };
            self.judge.apply(&mut here, &moves);
        }
        here
    }

    /// Returns moves that reduce the total error.
    fn better(&mut self, here: &WalkState) -> Option<Vec<Move>> {
        let places = self.broken(here);
        let mut best = Best { moves: Vec::new(), error: here.total };
        for &place in &places {
            self.try_inverses(here, place, &mut best);
            if best.error == 0.0 {
                return Some(best.moves);
            }
        }
        if best.error < here.total {
            return Some(best.moves);
        }
        for with_following in [false, true] {
            for &place in &places {
                for v in self.variables_of(place) {
                    best = self.along(here, place, v, best, with_following);
                    if best.error == 0.0 || !self.judge.has_work_left() {
                        return (best.error < here.total).then_some(best.moves);
                    }
                }
            }
            if best.error < here.total {
                return Some(best.moves);
            }
        }
        None
    }

    fn along(
        &mut self,
        state: &WalkState,
        place: AtomRef,
        variable: usize,
        best: Best,
        with_following: bool,
    ) -> Best {
        if with_following && !self.is_tied(state, variable) {
            return best;
        }
        let follow = with_following.then_some(&mut self.inverter);
        let line = LineSearch { judge: &mut self.judge, state, variable, place, best, follow };
        line.search(&self.interesting)
    }

    /// True if moving the variable would break an equality that another variable could repair.
    fn is_tied(&self, state: &WalkState, variable: usize) -> bool {
        let problem = self.judge.problem;
        problem.units_of[variable].iter().any(|&unit| {
            let atom = problem.units[unit].get(problem).parts().single();
            state.errors[unit] == 0.0
                && problem.variables_of[unit].len() > 1
                && atom.is_some_and(|a| a.is_equality())
        })
    }

    fn variables_of(&mut self, place: AtomRef) -> Vec<usize> {
        let problem = self.judge.problem;
        let atom = problem.atom(place);
        let inputs = [atom.left, atom.right].map(|side| problem.dag.inputs(side));
        let is_in = |&v: &usize| {
            let bytes = problem.variables[v].bytes.iter().map(|&byte| problem.bytes[byte as usize]);
            bytes.into_iter().any(|byte| inputs.iter().any(|inputs| inputs.binary_search(&byte).is_ok()))
        };
        let mut inside: Vec<usize> = problem.variables_of[place.unit].iter().copied().filter(is_in).collect();
        self.random.shuffle(&mut inside);
        inside
    }

    /// Returns the atoms that keep constraints from holding.
    fn broken(&mut self, here: &WalkState) -> Vec<AtomRef> {
        let units: Vec<usize> = (0..here.errors.len()).filter(|&unit| here.errors[unit] > 0.0).collect();
        units.into_iter().flat_map(|unit| self.judge.broken_atoms(here, unit)).collect()
    }

    /// Tries the inverses of an atom, also together with repairs of the equalities that they break.
    fn try_inverses(&mut self, here: &WalkState, place: AtomRef, best: &mut Best) {
        let problem = self.judge.problem;
        let atom = problem.atom(place);
        for inverse in self.inverter.inverses(&mut self.judge, place, &here.point) {
            for moves in self.variants(here, atom.is_float(), inverse) {
                let error = self.judge.after(here, &moves, best.error);
                if error < best.error {
                    *best = Best { moves, error };
                }
                if best.error == 0.0 || !self.judge.has_work_left() {
                    return;
                }
            }
        }
    }

    /// Returns an inverse, and for floats, where it is only near, the floats next to it.
    fn variants(&mut self, here: &WalkState, is_float: bool, inverse: Vec<Move>) -> Vec<Vec<Move>> {
        let mut variants = Vec::new();
        if let [(v, position)] = inverse[..]
            && is_float
        {
            let variable = &self.judge.problem.variables[v];
            let near = [1, -1, 2, -2, 3, -3].map(|step| position + step);
            variants
                .extend(near.into_iter().filter(|&near| variable.contains(near)).map(|near| vec![(v, near)]));
            if self.is_tied(here, v) {
                let mut kept = inverse.clone();
                keep_equalities(&mut self.judge, &mut self.inverter, here, &mut kept);
                variants.push(kept);
            }
        }
        variants.insert(0, inverse);
        variants
    }

    /// Returns a point near the best one, from which another descent may start.
    fn escape(&mut self, best: &WalkState) -> WalkState {
        if self.random.u8(..3) < 2 { self.chase(best) } else { self.perturb(best, 3) }
    }

    /// Makes one broken atom hold after the other, whatever that breaks; a variable moves once.
    fn chase(&mut self, from: &WalkState) -> WalkState {
        let mut here = from.clone();
        let mut is_moved = vec![false; self.judge.problem.variables.len()];
        for _ in 0..CHASE {
            let places = self.broken(&here);
            if places.is_empty() || !self.judge.has_work_left() {
                break;
            }
            let place = places[self.random.usize(..places.len())];
            let Some(moves) = self.satisfying(&here, place, &is_moved) else { break };
            moves.iter().for_each(|&(v, _)| is_moved[v] = true);
            self.judge.apply(&mut here, &moves);
        }
        if here.total == from.total { self.perturb(from, 3) } else { here }
    }

    /// Returns a random inverse of the atom that moves no variable twice.
    fn satisfying(&mut self, here: &WalkState, place: AtomRef, is_moved: &[bool]) -> Option<Vec<Move>> {
        let mut inverses = self.inverter.inverses(&mut self.judge, place, &here.point);
        inverses.retain(|inverse| inverse.iter().all(|&(v, _)| !is_moved[v]));
        // A move that increases the error may be half of one that removes it.
        if self.random.bool() {
            inverses.retain(|inverse| {
                self.judge.unit_error_after(here, inverse, place.unit) < here.errors[place.unit]
            });
        }
        let pick = self.random.usize(..inverses.len().max(1));
        inverses.into_iter().nth(pick)
    }

    /// Moves a few variables to random positions.
    fn perturb(&mut self, from: &WalkState, most: usize) -> WalkState {
        let count = self.judge.problem.variables.len();
        let moves: Vec<Move> = (0..1 + self.random.usize(..count.min(most)))
            .map(|_| {
                let v = self.random.usize(..count);
                (v, self.anywhere(v))
            })
            .collect();
        let mut here = from.clone();
        self.judge.apply(&mut here, &moves);
        here
    }

    /// Returns the best of some random points: sampling is cheaper than a descent from a bad one.
    fn random_start(&mut self, first: &WalkState) -> WalkState {
        let count = self.judge.problem.variables.len();
        let mut best = self.perturb(first, count);
        for _ in 0..SAMPLES {
            if best.total == 0.0 || !self.judge.has_work_left() {
                break;
            }
            let moves: Vec<Move> = (0..count).map(|v| (v, self.anywhere(v))).collect();
            if self.judge.after(&best, &moves, best.total) < best.total {
                self.judge.apply(&mut best, &moves);
            }
        }
        best
    }

    fn anywhere(&mut self, v: usize) -> i128 {
        moves::anywhere(&self.judge.problem.variables[v], &self.interesting, &mut self.random)
    }
}
