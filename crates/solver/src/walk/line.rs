//! A search along one variable.
//!
//! The value of one comparison's gap is followed to where its sign changes; what counts is the error of all
//! constraints. Other variables may follow the moving one, so that equalities that held go on holding.

use super::inverse::Inverter;
use super::moves;
use super::problem::{Judge, Move, Place, State};

/// Secant steps from one probe.
const SECANT_STEPS: usize = 12;
/// Positions that are tried on both sides of where the sign changes.
const AROUND: i128 = 8;

/// The best moves so far, and the error they lead to.
pub(super) struct Best {
    pub(super) moves: Vec<Move>,
    pub(super) error: f64,
}

/// One search.
pub(super) struct Line<'l, 'a> {
    pub(super) judge: &'l mut Judge<'a>,
    pub(super) state: &'l State,
    pub(super) variable: usize,
    pub(super) place: Place,
    pub(super) best: Best,
    /// Finds moves of other variables that keep equalities, if they shall be kept.
    pub(super) follow: Option<&'l mut Inverter>,
}

impl Line<'_, '_> {
    /// Tries probes, secants, and bisection where the gap changes its sign.
    pub(super) fn search(mut self, interesting: &[f64]) -> Best {
        let variable = &self.judge.problem.variables[self.variable];
        let middle = variable.position(&self.state.point);
        let probes = moves::probes(variable, middle, interesting);
        let border = self.try_all(middle, &probes);
        if self.goes_on() && !self.judge.problem.atom(self.place).is_truth() {
            self.follow_secants(middle, &probes);
            if let Some(border) = border.filter(|_| self.goes_on()) {
                self.bisect(border);
            }
        }
        self.best
    }

    fn goes_on(&self) -> bool {
        self.best.error > 0.0 && self.judge.has_work_left()
    }

    /// Tries a position; gives the gap there.
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

    /// Tries all probes; gives the two closest positions between which the gap changes its sign.
    fn try_all(&mut self, middle: i128, probes: &[i128]) -> Option<(i128, i128)> {
        let gap = self.judge.gap_after(self.state, &[], self.place);
        let mut border: Option<(i128, i128)> = None;
        for &probe in probes {
            if !self.goes_on() {
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
        while a.abs_diff(b) > 1 && self.goes_on() {
            let middle = a + (b - a) / 2;
            if self.try_at(middle).signum() == sign { a = middle } else { b = middle }
        }
        self.look_around(a.min(b));
    }

    fn look_around(&mut self, position: i128) {
        for step in 0..=AROUND {
            for near in [position - step, position + 1 + step] {
                if self.goes_on() && self.judge.problem.variables[self.variable].contains(near) {
                    self.try_at(near);
                }
            }
        }
    }

    /// Where the gap would close if it were a straight line through two positions, again and again.
    fn follow_secants(&mut self, middle: i128, probes: &[i128]) {
        let variable = &self.judge.problem.variables[self.variable];
        for &start in probes.iter().take(moves::SECANTS) {
            let (mut a, mut b) = (middle, start);
            let mut gap_a = self.try_at(a);
            for _ in 0..SECANT_STEPS {
                if !self.goes_on() {
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
            if !self.goes_on() {
                return;
            }
        }
    }
}

/// Adds moves of other variables so that equalities which hold in the state and would break go on holding. What mends one
/// may break another, which is mended in its turn; a variable moves once.
pub(super) fn keep_equalities(
    judge: &mut Judge,
    inverter: &mut Inverter,
    state: &State,
    moves: &mut Vec<Move>,
) {
    let mut moved = state.clone();
    judge.carry_out(&mut moved, moves);
    while let Some(unit) = broken_equality(judge, state, &moved, moves).filter(|_| judge.has_work_left()) {
        let Some(mended) = mend(judge, inverter, &moved, unit, moves) else { return };
        judge.carry_out(&mut moved, &mended);
        moves.extend(mended);
    }
}

/// An equality that held before the moves and does not hold any more.
fn broken_equality(judge: &Judge, before: &State, after: &State, moves: &[Move]) -> Option<usize> {
    let problem = judge.problem;
    let touched = judge.touched(moves);
    touched.iter().copied().find(|&unit| {
        let is_broken = before.errors[unit] == 0.0 && after.errors[unit] > 0.0;
        is_broken && problem.units[unit].get(problem).parts().single().is_some_and(|atom| atom.is_equality())
    })
}

/// Moves of variables that have not moved yet which make a unit hold.
fn mend(
    judge: &mut Judge,
    inverter: &mut Inverter,
    state: &State,
    unit: usize,
    moves: &[Move],
) -> Option<Vec<Move>> {
    let mut wishes = inverter.wishes(judge, Place { unit, atom: 0 }, &state.point);
    wishes.retain(|wish| wish.iter().all(|(v, _)| moves.iter().all(|(other, _)| v != other)));
    wishes.into_iter().find_map(|wish| exact(judge, state, unit, wish))
}

/// The wish, or one a few floats beside it, that makes the unit hold.
fn exact(judge: &mut Judge, state: &State, unit: usize, wish: Vec<Move>) -> Option<Vec<Move>> {
    for step in [0, 1, -1, 2, -2, 3, -3] {
        let near: Vec<Move> = wish.iter().map(|&(v, position)| (v, position + step)).collect();
        let is_there = near.iter().all(|&(v, position)| judge.problem.variables[v].contains(position));
        if is_there && judge.unit_error_after(state, &near, unit) == 0.0 {
            return Some(near);
        }
    }
    None
}
