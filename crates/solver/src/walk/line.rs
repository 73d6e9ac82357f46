//! Line search along one variable.
//!
//! The gap of one comparison is followed to where its sign changes, by probes, secants and bisection;
//! positions are compared by the error of all constraints. Other variables may follow the moving one to keep
//! equalities that hold.

use super::inverse::Inverter;
use super::moves;
use super::problem::{AtomRef, Judge, Move, WalkState};

/// Secant steps from one probe; a chosen bound.
const SECANT_STEPS: usize = 12;
/// Positions tried on both sides of the sign change; a chosen bound.
const AROUND: i128 = 8;

/// The best moves so far, and the error they lead to.
pub(super) struct Best {
    pub(super) moves: Vec<Move>,
    pub(super) error: f64,
}

/// A line search for one variable and atom.
pub(super) struct LineSearch<'l, 'a> {
    pub(super) judge: &'l mut Judge<'a>,
    pub(super) state: &'l WalkState,
    pub(super) variable: usize,
    pub(super) place: AtomRef,
    pub(super) best: Best,
    /// Finds moves of other variables that keep equalities; `None` if they need not be kept.
    pub(super) follow: Option<&'l mut Inverter>,
}

impl LineSearch<'_, '_> {
    /// Tries probes, secants, and bisection where the gap changes its sign.
    pub(super) fn search(mut self, interesting: &[f64]) -> Best {
        let variable = &self.judge.problem.variables[self.variable];
        let middle = variable.position(&self.state.point);
        let probes = moves::probes(variable, middle, interesting);
        let border = self.try_all(middle, &probes);
        if self.has_budget() && !self.judge.problem.atom(self.place).is_truth() {
            self.follow_secants(middle, &probes);
            if let Some(border) = border.filter(|_| self.has_budget()) {
                self.bisect(border);
            }
        }
        self.best
    }

    fn has_budget(&self) -> bool {
        self.best.error > 0.0 && self.judge.has_work_left()
    }

    /// Tries a position; returns the gap there.
    fn try_at(&mut self, position: i128) -> f64 {
        let mut moves = vec![(self.variable, position)];
        if let Some(inverter) = &mut self.follow {
            keep_equalities(self.judge, inverter, self.state, &mut moves);
        }
        let gap = self.judge.gap_after(self.state, &moves, self.place);
        let error = self.judge.after(self.state, &moves, self.best.error);
        if error < self.best.error {
            self.best = Best { moves, error };
        }
        gap
    }

    /// Tries all probes; returns the two closest positions between which the gap changes its sign.
    fn try_all(&mut self, middle: i128, probes: &[i128]) -> Option<(i128, i128)> {
        let gap = self.judge.gap_after(self.state, &[], self.place);
        let mut border: Option<(i128, i128)> = None;
        for &probe in probes {
            if !self.has_budget() {
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

    /// Bisects between two positions with gaps of different sign, and tries positions around the sign change.
    fn bisect(&mut self, (mut a, mut b): (i128, i128)) {
        let sign = self.try_at(a).signum();
        while a.abs_diff(b) > 1 && self.has_budget() {
            let middle = a + (b - a) / 2;
            if self.try_at(middle).signum() == sign { a = middle } else { b = middle }
        }
        self.try_around(a.min(b));
    }

    fn try_around(&mut self, position: i128) {
        for step in 0..=AROUND {
            for near in [position - step, position + 1 + step] {
                if self.has_budget() && self.judge.problem.variables[self.variable].contains(near) {
                    self.try_at(near);
                }
            }
        }
    }

    /// Iterates the secant method from the first probes.
    fn follow_secants(&mut self, middle: i128, probes: &[i128]) {
        let variable = &self.judge.problem.variables[self.variable];
        for &start in probes.iter().take(moves::SECANTS) {
            let (mut a, mut b) = (middle, start);
            let mut gap_a = self.try_at(a);
            for _ in 0..SECANT_STEPS {
                if !self.has_budget() {
                    return;
                }
                let gap_b = self.try_at(b);
                let (x, y) = (variable.number(a), variable.number(b));
                let next = y - gap_b * (y - x) / (gap_b - gap_a);
                let Some(next) = variable.nearest(next).filter(|&next| next != b && gap_b != 0.0) else {
                    break;
                };
                (a, b, gap_a) = (b, next, gap_b);
            }
            for near in [b - 1, b + 1].into_iter().filter(|&near| variable.contains(near)) {
                self.try_at(near);
            }
            if !self.has_budget() {
                return;
            }
        }
    }
}

/// Adds moves of other variables that repair equalities which hold in the state and which the moves break. A
/// repair may break another equality, which is then repaired too; a variable moves once.
pub(super) fn keep_equalities(
    judge: &mut Judge,
    inverter: &mut Inverter,
    state: &WalkState,
    moves: &mut Vec<Move>,
) {
    let mut moved = state.clone();
    judge.apply(&mut moved, moves);
    while let Some(unit) = broken_equality(judge, state, &moved, moves).filter(|_| judge.has_work_left()) {
        let Some(repairs) = repair(judge, inverter, &moved, unit, moves) else { return };
        judge.apply(&mut moved, &repairs);
        moves.extend(repairs);
    }
}

/// Returns an equality that held before the moves and does not any more.
fn broken_equality(judge: &Judge, before: &WalkState, after: &WalkState, moves: &[Move]) -> Option<usize> {
    let problem = judge.problem;
    let touched = judge.touched(moves);
    touched.iter().copied().find(|&unit| {
        let is_broken = before.errors[unit] == 0.0 && after.errors[unit] > 0.0;
        is_broken && problem.units[unit].get(problem).parts().single().is_some_and(|atom| atom.is_equality())
    })
}

/// Returns moves of variables not yet moved that make a unit hold.
fn repair(
    judge: &mut Judge,
    inverter: &mut Inverter,
    state: &WalkState,
    unit: usize,
    moves: &[Move],
) -> Option<Vec<Move>> {
    let mut inverses = inverter.inverses(judge, AtomRef { unit, atom: 0 }, &state.point);
    inverses.retain(|inverse| inverse.iter().all(|(v, _)| moves.iter().all(|(other, _)| v != other)));
    inverses.into_iter().find_map(|inverse| exact(judge, state, unit, inverse))
}

/// Returns the inverse, or one a few floats next to it, that makes the unit hold.
fn exact(judge: &mut Judge, state: &WalkState, unit: usize, inverse: Vec<Move>) -> Option<Vec<Move>> {
    for step in [0, 1, -1, 2, -2, 3, -3] {
        let near: Vec<Move> = inverse.iter().map(|&(v, position)| (v, position + step)).collect();
        let is_there = near.iter().all(|&(v, position)| judge.problem.variables[v].contains(position));
        if is_there && judge.unit_error_after(state, &near, unit) == 0.0 {
            return Some(near);
        }
    }
    None
}
