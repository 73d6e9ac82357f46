//! A query prepared for search: variables, and the code of each constraint.
//!
//! A constraint is evaluated on its own, and prepared only when one of its variables moves: the cost of a
//! move depends on the constraints of the moved variables, not on the length of the path.

use super::condition::{Atom, Parts};
use super::library::{Library, Prepared};
use super::variable::{self, Variable};
use cairn_deadline::{Deadline, Pace};
use cairn_expr::{Dag, ExprId, InputByte};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

/// A constraint of the query.
pub(super) struct Unit {
    constraint: ExprId,
    ready: OnceCell<Ready>,
}

/// A constraint that can be evaluated.
pub(super) struct Ready {
    prepared: Rc<Prepared>,
    /// Indices of the bytes that the code reads, among the query's.
    inputs: Vec<u32>,
}

impl Unit {
    pub(super) fn get(&self, problem: &Problem) -> &Ready {
        self.ready.get_or_init(|| {
            let own = problem.dag.inputs(self.constraint);
            let inputs = own.iter().map(|byte| problem.position(byte)).collect();
            Ready { prepared: problem.library.get(problem.dag, self.constraint), inputs }
        })
    }
}

impl Ready {
    pub(super) fn parts(&self) -> &Parts {
        &self.prepared.parts
    }

    /// Returns the cost of an evaluation, in steps.
    pub(super) fn cost(&self) -> i64 {
        self.prepared.cost
    }
}

/// Reference to an atom of a unit (constraint).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AtomRef {
    pub(super) unit: usize,
    pub(super) atom: usize,
}

/// The constant data of one query during a search.
pub(super) struct Problem<'a> {
    pub(super) dag: &'a Dag,
    library: &'a Library,
    /// Bytes of the query, sorted.
    pub(super) bytes: &'a [InputByte],
    /// Variables that may be moved; they need not cover all bytes.
    pub(super) variables: Vec<Variable>,
    pub(super) units: Vec<Unit>,
    /// Per variable: the units it is in, in order.
    pub(super) units_of: Vec<Vec<usize>>,
    /// Per unit: the variables in it, in order.
    pub(super) variables_of: Vec<Vec<usize>>,
}

impl<'a> Problem<'a> {
    /// Prepares a query; its variables are those of `nodes`, which come parents first.
    pub(super) fn new(
        dag: &'a Dag,
        library: &'a Library,
        constraints: &[ExprId],
        nodes: &[ExprId],
        bytes: &'a [InputByte],
        deadline: &Deadline,
    ) -> Problem<'a> {
        let variables = variable::all(dag, nodes, bytes);
        let unit = |&constraint: &ExprId| Unit { constraint, ready: OnceCell::new() };
        let units: Vec<Unit> = constraints.iter().map(unit).collect();
        let variables_of = incidence(dag, constraints, &variables, bytes, deadline);
        let mut units_of = vec![Vec::new(); variables.len()];
        for (unit, inside) in variables_of.iter().enumerate() {
            inside.iter().for_each(|&v| units_of[v].push(unit));
        }
        Problem { dag, library, bytes, variables, units, units_of, variables_of }
    }

    pub(super) fn atom(&self, place: AtomRef) -> &Atom {
        &self.units[place.unit].get(self).parts().atoms[place.atom]
    }

    fn position(&self, byte: &InputByte) -> u32 {
        self.bytes.binary_search(byte).expect("every byte of a constraint is one of the query's") as u32
    }
}

/// Returns per constraint the variables in it, in order; none for the rest of the constraints when the time
/// is over. If the variables are few, they are looked up in each constraint's bytes instead of the reverse.
fn incidence(
    dag: &Dag,
    constraints: &[ExprId],
    variables: &[Variable],
    bytes: &[InputByte],
    deadline: &Deadline,
) -> Vec<Vec<usize>> {
    let mut pace = Pace::new(deadline, STEPS_PER_CLOCK);
    let mut owned: Vec<(InputByte, usize)> = Vec::new();
    for (v, variable) in variables.iter().enumerate() {
        owned.extend(variable.bytes.iter().map(|&byte| (bytes[byte as usize], v)));
    }
    owned.sort_unstable();
    let inside = |&constraint: &ExprId| {
        let inputs = dag.inputs(constraint);
        if pace.is_over_after(inputs.len() as u64 + 1) {
            return Vec::new();
        }
        let mut inside: Vec<usize> = if owned.len() < inputs.len() / 4 {
            owned.iter().filter(|(byte, _)| inputs.binary_search(byte).is_ok()).map(|&(_, v)| v).collect()
        } else {
            let owner = |byte| owned.binary_search_by_key(byte, |&(b, _)| b).ok();
            inputs.iter().filter_map(owner).map(|found| owned[found].1).collect()
        };
        inside.sort_unstable();
        inside.dedup();
        inside
    };
    constraints.iter().map(inside).collect()
}

/// A point, and the error of each constraint there.
#[derive(Clone)]
pub(super) struct WalkState {
    pub(super) point: Vec<u8>,
    pub(super) errors: Vec<f64>,
    pub(super) total: f64,
}

/// A variable and the position it goes to.
pub(super) type Move = (usize, i128);

/// Steps between two looks at the clock: some milliseconds.
const STEPS_PER_CLOCK: u64 = 1_000_000;

/// Evaluates constraints at points, and counts the work.
pub(super) struct Judge<'a> {
    pub(super) problem: &'a Problem<'a>,
    /// Steps left.
    pub(super) work: i64,
    /// The clock.
    pace: Pace,
    gathered: Vec<u8>,
    values: Vec<u128>,
    trial: Vec<u8>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, work: i64, deadline: &Deadline) -> Judge<'a> {
        let (gathered, values, trial) = Default::default();
        Judge { problem, work, pace: Pace::new(deadline, STEPS_PER_CLOCK), gathered, values, trial }
    }

    /// Counts work; sets what is left to 0 once the time is over.
    pub(super) fn spend(&mut self, work: i64) {
        self.work -= work;
        if self.pace.is_over_after(work as u64) {
            self.work = self.work.min(0);
        }
    }

    /// Returns the time until the deadline.
    pub(super) fn time_left(&self) -> Duration {
        self.pace.time_left()
    }

    pub(super) fn has_work_left(&self) -> bool {
        self.work > 0
    }

    /// Returns the values of a unit's sides at a point.
    fn values(&mut self, unit: usize, point: &[u8]) -> &[u128] {
        let unit = self.problem.units[unit].get(self.problem);
        self.gathered.clear();
        self.gathered.extend(unit.inputs.iter().map(|&byte| point[byte as usize]));
        self.values.resize(unit.parts().sides.len(), 0);
        self.problem.library.run(&unit.prepared, &self.gathered, &mut self.values);
        self.spend(unit.prepared.cost);
        &self.values
    }

    /// Returns the error of a unit at a point.
    pub(super) fn error(&mut self, unit: usize, point: &[u8]) -> f64 {
        let problem = self.problem;
        problem.units[unit].get(problem).parts().error(self.values(unit, point))
    }

    /// Returns the published error of a unit at a point.
    pub(super) fn plain_error(&mut self, unit: usize, point: &[u8]) -> f64 {
        let problem = self.problem;
        problem.units[unit].get(problem).parts().plain_error(self.values(unit, point))
    }

    /// Returns the state at a point, where all units but the `doubtful` ones hold.
    pub(super) fn state(&mut self, point: Vec<u8>, doubtful: impl Iterator<Item = usize>) -> WalkState {
        let mut errors = vec![0.0; self.problem.units.len()];
        doubtful.for_each(|unit| errors[unit] = self.error(unit, &point));
        let total = errors.iter().sum();
        WalkState { point, errors, total }
    }

    /// Returns the total error after some moves, or a lower bound of it if that is at least `limit`.
    pub(super) fn after(&mut self, state: &WalkState, moves: &[Move], limit: f64) -> f64 {
        let touched = self.touched(moves);
        let mut total = state.total - touched.iter().map(|&unit| state.errors[unit]).sum::<f64>();
        self.with_trial(state, moves, |judge, trial| {
            for &unit in touched.iter() {
                if total >= limit {
                    break;
                }
                total += judge.error(unit, trial);
            }
        });
        // Errors are at least 1: less is the rounding error of a difference of sums.
        if total < 0.5 { 0.0 } else { total }
    }

    /// Returns the gap of an atom after some moves.
    pub(super) fn gap_after(&mut self, state: &WalkState, moves: &[Move], place: AtomRef) -> f64 {
        let atom = *self.problem.atom(place);
        self.with_trial(state, moves, |judge, trial| atom.gap(judge.values(place.unit, trial)))
    }

    /// Returns the error of one unit after some moves.
    pub(super) fn unit_error_after(&mut self, state: &WalkState, moves: &[Move], unit: usize) -> f64 {
        self.with_trial(state, moves, |judge, trial| judge.error(unit, trial))
    }

    fn with_trial<T>(
        &mut self,
        state: &WalkState,
        moves: &[Move],
        what: impl FnOnce(&mut Self, &[u8]) -> T,
    ) -> T {
        let mut trial = std::mem::take(&mut self.trial);
        trial.clear();
        trial.extend_from_slice(&state.point);
        for &(v, position) in moves {
            self.problem.variables[v].set(&mut trial, position);
        }
        let result = what(self, &trial);
        self.trial = trial;
        result
    }

    /// Returns the units that contain a moved variable.
    pub(super) fn touched(&self, moves: &[Move]) -> Cow<'a, [usize]> {
        let problem = self.problem;
        if let [(v, _)] = moves {
            return problem.units_of[*v][..].into();
        }
        let mut all: Vec<usize> = moves.iter().flat_map(|&(v, _)| &problem.units_of[v]).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.into()
    }

    /// Applies moves to a state.
    pub(super) fn apply(&mut self, state: &mut WalkState, moves: &[Move]) {
        for &(v, position) in moves {
            self.problem.variables[v].set(&mut state.point, position);
        }
        for &unit in self.touched(moves).iter() {
            state.errors[unit] = self.error(unit, &state.point);
        }
        state.total = state.errors.iter().sum();
    }

    /// Returns the atoms that keep a unit from holding.
    pub(super) fn broken_atoms(&mut self, state: &WalkState, unit: usize) -> Vec<AtomRef> {
        let mut atoms = Vec::new();
        let problem = self.problem;
        problem.units[unit].get(problem).parts().broken(self.values(unit, &state.point), &mut atoms);
        atoms.into_iter().map(|atom| AtomRef { unit, atom }).collect()
    }
}
