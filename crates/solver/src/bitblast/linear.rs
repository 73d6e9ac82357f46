//! Gaussian elimination over GF(2): what is linear in bits is solved exactly, whatever its length.
//!
//! Roots that are exclusive ors are rows of a system of equations. Its unknowns, the atoms, are variables and
//! gates of other kinds. A row is found by passing sets of roots from the roots down to the atoms: an atom
//! belongs to the rows that reach it in an odd number of ways. So the checksum of a long input costs one pass
//! over its circuit.
//!
//! A variable is pure if it occurs in exclusive ors only. Once it is eliminated from all rows but one, that
//! row can be dropped: whatever the other atoms are, the variable can be chosen. A system of pure variables
//! alone is decided here; of others the eliminated variables are replaced.

use super::budget::{Budget, Work};
use super::circuit::{Circuit, Gate, Lit};
use super::matrix::{Matrix, Row};
use super::rewrite::{Conjunction, Replaced, Stopped, cone, conjuncts};

/// Rows that are passed down together: the bits of a word.
const BATCH: usize = 64;

/// A variable that is computed from the values of all gates.
pub(super) struct Dropped {
    pub(super) variable: u32,
    pub(super) row: Row,
}

/// Result of the elimination.
pub(super) struct Solved {
    /// Roots that are left, of the same circuit.
    pub(super) roots: Vec<Lit>,
    /// Variables that do not occur in them any more.
    pub(super) dropped: Vec<Dropped>,
    /// Variables to replace.
    pub(super) replaced: Vec<Replaced>,
}

/// Decides roots that depend on nothing but exclusive ors and conjunctions of these; `None` for others. The
/// variables that are returned follow from the others, which are free.
pub(super) fn decide(
    circuit: &Circuit,
    roots: &[Lit],
    budget: &mut Budget,
) -> Result<Option<Vec<Replaced>>, Stopped> {
    let (parts, conjunctions) = conjuncts(circuit, roots);
    let needed = cone(circuit, roots);
    budget.spend(Work::Visit, needed.len())?;
    let is_linear =
        |gate: &&usize| matches!(circuit.gate(**gate), Gate::Xor(..) | Gate::Variable(_) | Gate::False);
    if needed.iter().filter(is_linear).count() + conjunctions < needed.len() {
        return Ok(None);
    }
    let mut rows = Vec::new();
    for batch in parts.chunks(BATCH) {
        rows.extend(expand(circuit, &needed, batch, budget)?);
    }
    let solved = Matrix::new(&rows, |_| 0).reduced(budget)?;
    solved
        .into_iter()
        .filter_map(|row| as_replaced(circuit, row).transpose())
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Returns a row of variables as the value of its first one; `None` if it says nothing.
fn as_replaced(circuit: &Circuit, row: Row) -> Result<Option<Replaced>, Stopped> {
    if row.atoms.is_empty() {
        return if row.constant { Err(Stopped::Contradiction) } else { Ok(None) };
    }
    let mut variables = row.atoms.iter().filter_map(|&atom| variable_of(circuit, atom));
    Ok(variables.next().map(|variable| Replaced {
        variable,
        constant: row.constant,
        others: variables.collect(),
    }))
}

/// Eliminates variables from the roots that are exclusive ors.
pub(super) fn eliminate(conjunction: &mut Conjunction, budget: &mut Budget) -> Result<Solved, Stopped> {
    let Conjunction { circuit, roots } = conjunction;
    let is_pure = pure(circuit);
    let (linear, mut others): (Vec<Lit>, Vec<Lit>) =
        roots.iter().partition(|root| matches!(circuit.gate(root.gate()), Gate::Xor(..)));
    let mut rows = Vec::new();
    let needed = cone(circuit, &linear);
    budget.spend(Work::Visit, circuit.len())?;
    for batch in linear.chunks(BATCH) {
        let expanded = expand(circuit, &needed, batch, budget)?;
        for (row, &root) in expanded.into_iter().zip(batch) {
            let is_solvable = row.atoms.iter().any(|&atom| is_pure[atom])
                || row.atoms.iter().all(|&atom| is_variable(circuit, atom));
            match is_solvable {
                true => rows.push(row),
                false => others.push(root),
            }
        }
    }
    let preference = |atom: usize| match circuit.gate(atom) {
        Gate::Variable(_) if is_pure[atom] => 0,
        Gate::Variable(_) => 1,
        _ => 2,
    };
    let solved = Matrix::new(&rows, preference).reduced(budget)?;
    let mut result = Solved { roots: others, dropped: Vec::new(), replaced: Vec::new() };
    for row in solved {
        use_row(circuit, row, &is_pure, &mut result)?;
    }
    Ok(result)
}

/// Decides what becomes of a row, whose first atom is in no other row if it is a variable.
fn use_row(circuit: &mut Circuit, row: Row, is_pure: &[bool], result: &mut Solved) -> Result<(), Stopped> {
    let Some((&pivot, rest)) = row.atoms.split_first() else {
        return if row.constant { Err(Stopped::Contradiction) } else { Ok(()) };
    };
    match circuit.gate(pivot) {
        Gate::Variable(variable) if is_pure[pivot] => {
            let row = Row { atoms: rest.to_vec(), constant: row.constant };
            result.dropped.push(Dropped { variable, row });
        }
        Gate::Variable(_) if rest.iter().all(|&atom| is_variable(circuit, atom)) => {
            result.replaced.extend(as_replaced(circuit, row)?);
        }
        _ => {
            let sum = row
                .atoms
                .iter()
                .fold(Lit::from(row.constant), |sum, &atom| circuit.xor(sum, Lit::new(atom, false)));
            result.roots.push(!sum);
        }
    }
    Ok(())
}

fn variable_of(circuit: &Circuit, gate: usize) -> Option<u32> {
    match circuit.gate(gate) {
        Gate::Variable(number) => Some(number),
        _ => None,
    }
}

fn is_variable(circuit: &Circuit, gate: usize) -> bool {
    variable_of(circuit, gate).is_some()
}

/// Returns per gate whether it is a variable that only exclusive ors depend on.
fn pure(circuit: &Circuit) -> Vec<bool> {
    let mut is_free = vec![true; circuit.len()];
    for index in (0..circuit.len()).rev() {
        let gate = circuit.gate(index);
        if !matches!(gate, Gate::Xor(..)) || !is_free[index] {
            gate.operands().for_each(|operand| is_free[operand.gate()] = false);
        }
    }
    let mut is_pure = is_free;
    for (index, is_pure) in is_pure.iter_mut().enumerate() {
        *is_pure &= is_variable(circuit, index);
    }
    is_pure
}

/// Returns the rows that say that these roots are true, which depend on no other than the needed gates.
fn expand(
    circuit: &Circuit,
    needed: &[usize],
    batch: &[Lit],
    budget: &mut Budget,
) -> Result<Vec<Row>, Stopped> {
    let mut rows: Vec<Row> =
        batch.iter().map(|root| Row { atoms: Vec::new(), constant: !root.is_negated() }).collect();
    let mut reached = vec![0u64; circuit.len()];
    for (i, root) in batch.iter().enumerate() {
        reached[root.gate()] ^= 1 << i;
    }
    budget.spend(Work::Expand, needed.len())?;
    for &index in needed.iter().rev() {
        let by = reached[index];
        match circuit.gate(index) {
            _ if by == 0 => {}
            Gate::False => {}
            Gate::Xor(a, b) => {
                reached[a.gate()] ^= by;
                reached[b.gate()] ^= by;
            }
            _ => (0..batch.len()).filter(|i| by >> i & 1 == 1).for_each(|i| rows[i].atoms.push(index)),
        }
    }
    Ok(rows)
}
