//! Reduction of a query's circuit before search: rewriting under facts and Gaussian elimination, in turn.

use super::circuit::{Circuit, Lit};
use super::linear::{Dropped, eliminate};
use super::rewrite::{Conjunction, Replaced, Stopped, rewrite};
use cairn_deadline::Deadline;
use rustc_hash::FxHashMap;

/// Rewriting passes after which facts that are left become roots again; a chosen bound: each pass costs as
/// much as the first, and most find nothing after the third.
const MAX_PASSES: usize = 8;

/// A step of the reduction, to be undone for a model.
enum Step {
    /// A variable was replaced.
    Replaced(Replaced),
    /// Variables were dropped that follow from the gates of this circuit.
    Dropped(Circuit, Vec<Dropped>),
}

/// A query that is left to search, and how to get from its models to those of the original.
pub(super) struct Reduced {
    pub(super) conjunction: Conjunction,
    steps: Vec<Step>,
}

/// Reduces the conjunction of the roots.
pub(super) fn reduce(circuit: &Circuit, roots: &[Lit], deadline: &Deadline) -> Result<Reduced, Stopped> {
    let mut replaced = Vec::new();
    let first = rewrite(circuit, roots, &[], &mut replaced, deadline)?;
    let mut reduced = Reduced { conjunction: first, steps: Vec::new() };
    for _ in 0..MAX_PASSES {
        if replaced.is_empty() {
            replaced = reduced.eliminate(deadline)?;
        }
        if replaced.is_empty() {
            return Ok(reduced);
        }
        let mut new = Vec::new();
        let Conjunction { circuit, roots } = &reduced.conjunction;
        reduced.conjunction = rewrite(circuit, roots, &replaced, &mut new, deadline)?;
        reduced.steps.extend(std::mem::replace(&mut replaced, new).into_iter().map(Step::Replaced));
    }
    reduced.restore(&replaced);
    Ok(reduced)
}

impl Reduced {
    /// Solves the linear roots; returns the variables to replace.
    fn eliminate(&mut self, deadline: &Deadline) -> Result<Vec<Replaced>, Stopped> {
        let solved = eliminate(&mut self.conjunction, deadline)?;
        if !solved.dropped.is_empty() {
            // The gates that the dropped variables follow from are needed for the model.
            let nothing = Conjunction { circuit: Circuit::default(), roots: Vec::new() };
            let old = std::mem::replace(&mut self.conjunction, nothing);
            self.conjunction = rewrite(&old.circuit, &solved.roots, &[], &mut Vec::new(), deadline)?;
            self.steps.push(Step::Dropped(old.circuit, solved.dropped));
        }
        Ok(solved.replaced)
    }

    /// Makes replacements that were not applied roots.
    fn restore(&mut self, replaced: &[Replaced]) {
        let Conjunction { circuit, roots } = &mut self.conjunction;
        for Replaced { variable, constant, others } in replaced {
            let sum = others.iter().fold(Lit::from(*constant), |sum, &number| {
                let other = circuit.variable(number);
                circuit.xor(sum, other)
            });
            let variable = circuit.variable(*variable);
            roots.push(!circuit.xor(variable, sum));
        }
    }

    /// Completes values of the variables that are left; `default` has those of variables that can have any.
    pub(super) fn complete(&self, values: &mut FxHashMap<u32, bool>, default: impl Fn(u32) -> bool) {
        for step in self.steps.iter().rev() {
            let of = |values: &FxHashMap<u32, bool>, number: u32| {
                values.get(&number).copied().unwrap_or_else(|| default(number))
            };
            match step {
                Step::Replaced(Replaced { variable, constant, others }) => {
                    let value = others.iter().fold(*constant, |sum, &other| sum ^ of(values, other));
                    values.insert(*variable, value);
                }
                Step::Dropped(circuit, dropped) => {
                    let gates = circuit.evaluate(|number| of(values, number));
                    for Dropped { variable, row } in dropped {
                        let bit = |sum: bool, &atom: &usize| sum ^ gates.of(Lit::new(atom, false));
                        values.insert(*variable, row.atoms.iter().fold(row.constant, bit));
                    }
                }
            }
        }
    }
}
