//! Reduction of a query's circuit before search: rewriting under facts and Gaussian elimination, in turn.

use super::budget::Budget;
use super::circuit::{Circuit, Lit};
use super::linear::{Dropped, decide, eliminate};
use super::rewrite::{Conjunction, Replaced, Stopped, rewrite};
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
pub(super) fn reduce(circuit: &Circuit, roots: &[Lit], budget: &mut Budget) -> Result<Reduced, Stopped> {
    if let Some(solved) = decide(circuit, roots, budget)? {
        return Ok(Reduced::solved(solved));
    }
    let mut replaced = Vec::new();
    let first = rewrite(circuit, roots, &[], &mut replaced, budget)?;
    let mut reduced = Reduced { conjunction: first, steps: Vec::new() };
    for _ in 0..MAX_PASSES {
        let mut dropped = Vec::new();
        if replaced.is_empty() {
            let solved = eliminate(&mut reduced.conjunction, budget)?;
            if solved.replaced.is_empty() && solved.dropped.is_empty() {
                return Ok(reduced);
            }
            (replaced, dropped) = (solved.replaced, solved.dropped);
            reduced.conjunction.roots = solved.roots;
        }
        replaced = reduced.pass(replaced, dropped, budget)?;
    }
    reduced.restore(&replaced);
    Ok(reduced)
}

impl Reduced {
    /// Returns nothing to search, with the values of these variables.
    fn solved(variables: Vec<Replaced>) -> Reduced {
        let conjunction = Conjunction { circuit: Circuit::default(), roots: Vec::new() };
        Reduced { conjunction, steps: variables.into_iter().map(Step::Replaced).collect() }
    }

    /// Rewrites the circuit without these variables; returns those that were replaced meanwhile.
    fn pass(
        &mut self,
        replaced: Vec<Replaced>,
        dropped: Vec<Dropped>,
        budget: &mut Budget,
    ) -> Result<Vec<Replaced>, Stopped> {
        let mut new = Vec::new();
        let Conjunction { circuit, roots } = &self.conjunction;
        let next = rewrite(circuit, roots, &replaced, &mut new, budget)?;
        let old = std::mem::replace(&mut self.conjunction, next);
        if !dropped.is_empty() {
            // The gates that the dropped variables follow from are needed for the model.
            self.steps.push(Step::Dropped(old.circuit, dropped));
        }
        self.steps.extend(replaced.into_iter().map(Step::Replaced));
        Ok(new)
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
