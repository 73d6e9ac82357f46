//! Local search: descend by wishes and along lines, and escape when that leads nowhere.

use super::inverse::{self, Inverter};
use super::line::{Best, Line, keep_equalities};
use super::linear;
use super::moves;
use super::problem::{Judge, Move, Place, Problem, State};
use cairn_deadline::Deadline;
use cairn_expr::ExprId;
use fastrand::Rng;

/// Where a linear program looks for a point.
const REALS: (f64, f64) = (-1e6, 1e6);
const INTEGERS: f64 = 2e9;
/// Steps of a chase before the search looks whether it got anywhere.
const CHASE: usize = 12;
/// Starts that there is work for at least.
const STARTS: i64 = 20;
/// Random points of which the best is gone on from.
const SAMPLES: usize = 100;
/// Escapes from one best point before the search starts again somewhere else.
const PATIENCE: usize = 12;

/// One query's search.
pub(super) struct Search<'a> {
    pub(super) judge: Judge<'a>,
    inverter: Inverter,
    /// Numbers that occur in the query.
    interesting: Vec<f64>,
    random: Rng,
    /// Work that goes on from one start before the next is tried: some ways down never end.
    share: i64,
    /// What is left of the work when this start has had its share.
    enough: i64,
}

impl<'a> Search<'a> {
    /// `nodes` are those the problem's variables were recovered from.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        nodes: &[ExprId],
        (work, deadline): (i64, &Deadline),
        seed: u64,
    ) -> Search<'a> {
        Search {
            judge: Judge::new(problem, work, deadline),
            inverter: Inverter::new(inverse::leaves(problem, nodes)),
            interesting: moves::constants(problem.dag, nodes),
            random: Rng::with_seed(seed),
            share: work / STARTS,
            enough: 0,
        }
    }

    /// Looks for a point where all constraints hold, first from `starts`, then from places of its own.
    pub(super) fn run(&mut self, starts: Vec<State>) -> Option<Vec<u8>> {
        let first = starts[0].clone();
        for start in starts {
            if let Some(found) = self.run_from(start) {
                return Some(found);
            }
        }
        while self.judge.has_work_left() {
            let start = self.somewhere(&first);
            if let Some(found) = self.run_from(start) {
                return Some(found);
            }
        }
        None
    }

    /// A point inside the linear part's polytope, the rest as in `point`; none if the linear part says little.
    pub(super) fn inside_polytope(&mut self, point: Vec<u8>) -> Option<State> {
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
            variable.place(&mut point, variable.wrapped(number));
        }
        Some(self.judge.state(point, 0..problem.units.len()))
    }

    fn run_from(&mut self, start: State) -> Option<Vec<u8>> {
        self.enough = (self.judge.work - self.share).max(0);
        let mut best = self.descend(start);
        let mut tries = 0;
        while best.total > 0.0 {
            if tries == PATIENCE || !self.goes_on() {
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

    fn goes_on(&self) -> bool {
        self.judge.work > self.enough
    }

    /// Makes moves as long as they help.
    fn descend(&mut self, mut here: State) -> State {
        while here.total > 0.0 && self.goes_on() {
            let Some(moves) = self.better(&here) else { break };
            self.judge.carry_out(&mut here, &moves);
        }
        here
    }

    /// Moves that bring the total error down.
    fn better(&mut self, here: &State) -> Option<Vec<Move>> {
        let places = self.broken(here);
        let mut best = Best { moves: Vec::new(), error: here.total };
        for &place in &places {
            self.try_wishes(here, place, &mut best);
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
        state: &State,
        place: Place,
        variable: usize,
        best: Best,
        with_following: bool,
    ) -> Best {
        if with_following && !self.is_tied(state, variable) {
            return best;
        }
        let follow = with_following.then_some(&mut self.inverter);
        let line = Line { judge: &mut self.judge, state, variable, place, best, follow };
        line.search(&self.interesting)
    }

    /// Whether moving the variable would break an equality that another variable could mend.
    fn is_tied(&self, state: &State, variable: usize) -> bool {
        let problem = self.judge.problem;
        problem.units_of[variable].iter().any(|&unit| {
            let atom = problem.units[unit].get(problem).parts().single();
            state.errors[unit] == 0.0
                && problem.variables_of[unit].len() > 1
                && atom.is_some_and(|a| a.is_equality())
        })
    }

    fn variables_of(&mut self, place: Place) -> Vec<usize> {
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

    /// The atoms of constraints that do not hold.
    fn broken(&mut self, here: &State) -> Vec<Place> {
        let units: Vec<usize> = (0..here.errors.len()).filter(|&unit| here.errors[unit] > 0.0).collect();
        units.into_iter().flat_map(|unit| self.judge.broken_atoms(here, unit)).collect()
    }

    /// Tries what would make an atom hold, also with equalities kept that this would break.
    fn try_wishes(&mut self, here: &State, place: Place, best: &mut Best) {
        let problem = self.judge.problem;
        let atom = problem.atom(place);
        for wish in self.inverter.wishes(&mut self.judge, place, &here.point) {
            for moves in self.variants(here, atom.is_float(), wish) {
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

    /// A wish, and for floats, where it comes true only nearly, what is beside it.
    fn variants(&mut self, here: &State, is_float: bool, wish: Vec<Move>) -> Vec<Vec<Move>> {
        let mut variants = Vec::new();
        if let [(v, position)] = wish[..]
            && is_float
        {
            let variable = &self.judge.problem.variables[v];
            let near = [1, -1, 2, -2, 3, -3].map(|step| position + step);
            variants
                .extend(near.into_iter().filter(|&near| variable.contains(near)).map(|near| vec![(v, near)]));
            if self.is_tied(here, v) {
                let mut kept = wish.clone();
                keep_equalities(&mut self.judge, &mut self.inverter, here, &mut kept);
                variants.push(kept);
            }
        }
        variants.insert(0, wish);
        variants
    }

    /// Somewhere near the best point, from where another way down may lead.
    fn escape(&mut self, best: &State) -> State {
        if self.random.u8(..3) < 2 { self.chase(best) } else { self.wander(best, 3) }
    }

    /// Makes one broken atom hold after the other, whatever that breaks; a variable that was moved stays.
    fn chase(&mut self, from: &State) -> State {
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
            self.judge.carry_out(&mut here, &moves);
        }
        if here.total == from.total { self.wander(from, 3) } else { here }
    }

    /// One of the moves that make the atom's constraint hold without those that were moved already.
    fn satisfying(&mut self, here: &State, place: Place, is_moved: &[bool]) -> Option<Vec<Move>> {
        let mut wishes = self.inverter.wishes(&mut self.judge, place, &here.point);
        wishes.retain(|wish| wish.iter().all(|&(v, _)| !is_moved[v]));
        // A step that makes things worse may be half of one that makes them good.
        if self.random.bool() {
            wishes
                .retain(|wish| self.judge.unit_error_after(here, wish, place.unit) < here.errors[place.unit]);
        }
        let pick = self.random.usize(..wishes.len().max(1));
        wishes.into_iter().nth(pick)
    }

    /// A few variables somewhere else.
    fn wander(&mut self, from: &State, most: usize) -> State {
        let count = self.judge.problem.variables.len();
        let moves: Vec<Move> = (0..1 + self.random.usize(..count.min(most)))
            .map(|_| {
                let v = self.random.usize(..count);
                (v, self.anywhere(v))
            })
            .collect();
        let mut here = from.clone();
        self.judge.carry_out(&mut here, &moves);
        here
    }

    /// The best of some random points: to look at many is cheaper than to go down from a bad one.
    fn somewhere(&mut self, first: &State) -> State {
        let count = self.judge.problem.variables.len();
        let mut best = self.wander(first, count);
        for _ in 0..SAMPLES {
            if best.total == 0.0 || !self.judge.has_work_left() {
                break;
            }
            let moves: Vec<Move> = (0..count).map(|v| (v, self.anywhere(v))).collect();
            if self.judge.after(&best, &moves, best.total) < best.total {
                self.judge.carry_out(&mut best, &moves);
            }
        }
        best
    }

    fn anywhere(&mut self, v: usize) -> i128 {
        moves::anywhere(&self.judge.problem.variables[v], &self.interesting, &mut self.random)
    }
}
