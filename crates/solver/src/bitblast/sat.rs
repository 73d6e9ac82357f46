//! Decides a circuit with the SAT solver CaDiCaL, with a new solver for every query.
//!
//! A solver kept for many queries would assign the gates of all of them in each, and could eliminate none.
//! Within a query the search goes on where it stopped when it gets more effort.

use super::budget::{Budget, UsedUp, Work};
use super::circuit::{Circuit, Gate, Lit};
use cadical_sys::{CaDiCal, Status, Terminator};
use cairn_deadline::Deadline;

/// Variable of a gate that is not part of the formula.
const NONE: i32 = 0;

/// Result of a search.
pub(super) enum Searched {
    /// Values of the variables that the roots depend on, by number.
    Sat(Vec<(u32, bool)>),
    Unsat,
    /// The limit was reached first.
    TooLong,
}

/// Ends a search when the deadline is over.
struct AtDeadline(Deadline);

impl Terminator for AtDeadline {
    fn terminated(&mut self) -> bool {
        self.0.is_over()
    }
}

/// A search that can be continued.
pub(super) struct SatSearch {
    solver: CaDiCal,
    /// Variables of the circuit with their numbers in the formula.
    variables: Vec<(u32, i32)>,
}

impl SatSearch {
    /// Returns the search for values of the variables that make all roots true; an error if the
    /// effort is used up before all clauses are made.
    pub(super) fn new(circuit: &Circuit, roots: &[Lit], budget: &mut Budget) -> Result<SatSearch, UsedUp> {
        let mut formula = Formula::new(circuit);
        for &root in roots {
            let literal = formula.literal(root);
            formula.solver.clause1(literal);
        }
        formula.define_gates(budget)?;
        let variables = formula.variables();
        Ok(SatSearch { solver: formula.solver, variables })
    }

    /// Searches on for so many of CaDiCaL's ticks (cache lines read, which do not depend on the machine) and
    /// until the deadline. Returns the ticks it took as well.
    pub(super) fn search(&mut self, ticks: i32, deadline: &Deadline) -> (Searched, u64) {
        let before = self.ticks();
        self.solver.connect_terminator(AtDeadline(deadline.clone()));
        self.solver.limit("ticks", ticks);
        let found = match self.solver.solve() {
            Status::SATISFIABLE => Searched::Sat(self.values()),
            Status::UNSATISFIABLE => Searched::Unsat,
            Status::UNKNOWN => Searched::TooLong,
        };
        (found, self.ticks() - before)
    }

    fn ticks(&self) -> u64 {
        self.solver.get_statistic_value("ticks").max(0) as u64
    }

    fn values(&mut self) -> Vec<(u32, bool)> {
        let SatSearch { solver, variables } = self;
        variables.iter().map(|&(variable, number)| (variable, solver.val(number) > 0)).collect()
    }
}

/// A formula in conjunctive normal form: a variable and clauses for every gate that the roots depend on
/// (Tseitin's translation).
struct Formula<'a> {
    circuit: &'a Circuit,
    solver: CaDiCal,
    /// Per gate: its variable.
    numbers: Vec<i32>,
    next: i32,
}

impl<'a> Formula<'a> {
    fn new(circuit: &'a Circuit) -> Formula<'a> {
        let mut solver = CaDiCal::new();
        solver.set("quiet", 1);
        Formula { circuit, solver, numbers: vec![NONE; circuit.len()], next: 1 }
    }

    /// Returns the literal of the formula, with a variable for the gate if it has none yet.
    fn literal(&mut self, lit: Lit) -> i32 {
        let number = &mut self.numbers[lit.gate()];
        if *number == NONE {
            *number = self.next;
            self.next += 1;
        }
        if lit.is_negated() { -*number } else { *number }
    }

    /// Adds the clauses of all gates that have a variable, from the last one down, so that their operands get
    /// one in time.
    fn define_gates(&mut self, budget: &mut Budget) -> Result<(), UsedUp> {
        for index in (0..self.circuit.len()).rev() {
            if self.numbers[index] != NONE {
                let clauses = self.define(index);
                budget.spend(Work::Clause, clauses)?;
            }
        }
        Ok(())
    }

    /// Adds the clauses of a gate; returns their number.
    fn define(&mut self, index: usize) -> usize {
        let g = self.numbers[index];
        match self.circuit.gate(index) {
            Gate::False => {
                self.solver.clause1(-g);
                1
            }
            Gate::Variable(_) => 0,
            Gate::And(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.solver.clause2(-g, a);
                self.solver.clause2(-g, b);
                self.solver.clause3(g, -a, -b);
                3
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                for (a, b) in [(a, b), (-a, -b)] {
                    self.solver.clause3(-g, a, b);
                    self.solver.clause3(g, a, -b);
                }
                4
            }
            Gate::Mux(choice, one, zero) => {
                let [choice, one, zero] = [choice, one, zero].map(|lit| self.literal(lit));
                for (choice, value) in [(-choice, one), (choice, zero)] {
                    self.solver.clause3(choice, -value, g);
                    self.solver.clause3(choice, value, -g);
                }
                // Implied, but not by unit propagation: both values decide whatever the choice is.
                self.solver.clause3(-one, -zero, g);
                self.solver.clause3(one, zero, -g);
                6
            }
            Gate::Majority(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|lit| self.literal(lit));
                for (a, b) in [(a, b), (a, c), (b, c)] {
                    self.solver.clause3(-a, -b, g);
                    self.solver.clause3(a, b, -g);
                }
                6
            }
        }
    }

    /// Returns the variables of the circuit that have a number.
    fn variables(&self) -> Vec<(u32, i32)> {
        let numbered = self.numbers.iter().enumerate().filter(|(_, number)| **number != NONE);
        let variables = numbered.filter_map(|(index, &number)| match self.circuit.gate(index) {
            Gate::Variable(variable) => Some((variable, number)),
            _ => None,
        });
        variables.collect()
    }
}
