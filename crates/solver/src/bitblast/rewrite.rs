//! Rewriting of a circuit under facts about its gates.
//!
//! The roots of a query are facts, and so are the operands of a conjunction that is one. A fact about a
//! variable, or about the exclusive or of two, replaces a variable. The circuit is built again with the
//! replacements, gate by gate in order, so that a fact simplifies all gates after it at once: from a known
//! sum and one known operand the other follows bit by bit, in one pass. A gate with a known value is replaced
//! too, but stays a root, since its operands have to give it that value.

use super::budget::{Budget, UsedUp, Work};
use super::circuit::{Circuit, Gate, Lit};
use rustc_hash::{FxHashMap, FxHashSet};

/// A circuit, and the roots that must all be true.
pub(super) struct Conjunction {
    pub(super) circuit: Circuit,
    pub(super) roots: Vec<Lit>,
}

/// A variable that was replaced: it equals the exclusive or of the constant and of other variables, which are
/// replaced after it or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Replaced {
    pub(super) variable: u32,
    pub(super) constant: bool,
    pub(super) others: Vec<u32>,
}

/// Reason for not having a rewritten circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stopped {
    /// The roots contradict each other.
    Contradiction,
    /// The effort or the time was used up before.
    UsedUp,
}

impl From<UsedUp> for Stopped {
    fn from(_: UsedUp) -> Stopped {
        Stopped::UsedUp
    }
}

/// Returns the gates that the roots depend on, in order.
pub(super) fn cone(circuit: &Circuit, roots: &[Lit]) -> Vec<usize> {
    // Of a large circuit only the pages that are written to take time.
    let mut seen = vec![false; circuit.len()];
    let mut cone = Vec::new();
    let mut open: Vec<usize> = roots.iter().map(|root| root.gate()).collect();
    while let Some(gate) = open.pop() {
        if !std::mem::replace(&mut seen[gate], true) {
            cone.push(gate);
            open.extend(circuit.gate(gate).operands().map(Lit::gate));
        }
    }
    cone.sort_unstable();
    cone
}

/// Copies what the roots depend on, simplified under the facts that they are; `replaced` gets the variables
/// that do not occur any more.
pub(super) fn rewrite(
    circuit: &Circuit,
    roots: &[Lit],
    beforehand: &[Replaced],
    replaced: &mut Vec<Replaced>,
    budget: &mut Budget,
) -> Result<Conjunction, Stopped> {
    let mut rewriter = Rewriter {
        new: Circuit::default(),
        map: LitTable::with_room_for(circuit.len()),
        values: LitTable::default(),
        roots: Vec::new(),
        replaced,
    };
    let needed = cone(circuit, roots);
    budget.spend(Work::Visit, needed.len())?;
    rewriter.copy_variables(circuit, &needed, beforehand);
    let facts = facts(&conjuncts(circuit, roots).0);
    for &index in &needed {
        budget.spend(Work::Rewrite, 1)?;
        rewriter.copy(circuit, index, &facts)?;
    }
    Ok(rewriter.finish())
}

/// Facts: gates with known values, by index.
type Facts = FxHashMap<usize, Fact>;

/// Known value of a gate; both of them if the roots contradict each other.
#[derive(Clone, Copy, Default)]
struct Fact {
    is_true: bool,
    is_false: bool,
}

/// Splits the roots that are conjunctions, down to literals that are not. Returns those, and the number of
/// conjunctions.
pub(super) fn conjuncts(circuit: &Circuit, roots: &[Lit]) -> (Vec<Lit>, usize) {
    let mut open = roots.to_vec();
    let mut split = FxHashSet::default();
    let mut parts = Vec::new();
    while let Some(root) = open.pop() {
        match circuit.gate(root.gate()) {
            Gate::And(a, b) if !root.is_negated() => {
                if split.insert(root) {
                    open.extend([a, b]);
                }
            }
            _ => parts.push(root),
        }
    }
    (parts, split.len())
}

/// Returns the values that the literals give to their gates.
fn facts(parts: &[Lit]) -> Facts {
    let mut facts = Facts::default();
    for part in parts {
        let fact = facts.entry(part.gate()).or_default();
        fact.is_true |= !part.is_negated();
        fact.is_false |= part.is_negated();
    }
    facts
}

struct Rewriter<'a> {
    new: Circuit,
    /// Per old gate: its literal in the new circuit.
    map: LitTable,
    /// Per new gate: the literal of an earlier gate that replaces it.
    values: LitTable,
    roots: Vec<Lit>,
    replaced: &'a mut Vec<Replaced>,
}

impl Rewriter<'_> {
    /// Makes the variables first, so that none comes after a gate, and replaces those that are known already.
    fn copy_variables(&mut self, circuit: &Circuit, needed: &[usize], beforehand: &[Replaced]) {
        for &index in needed {
            if let Gate::Variable(number) = circuit.gate(index) {
                self.new.variable(number);
            }
        }
        for number in beforehand.iter().flat_map(|one| [&[one.variable], &one.others[..]].concat()) {
            self.new.variable(number);
        }
        for Replaced { variable, constant, others } in beforehand.iter().rev() {
            let sum = others.iter().fold(Lit::from(*constant), |sum, &number| {
                let other = self.new.variable(number);
                self.new.xor(sum, resolved(&self.values, other))
            });
            let variable = self.new.variable(*variable);
            self.values.insert(variable.gate(), sum);
        }
    }

    fn copy(&mut self, circuit: &Circuit, index: usize, facts: &Facts) -> Result<(), Stopped> {
        let Rewriter { new, map, values, .. } = self;
        let made = new.rebuild(circuit.gate(index), |lit| {
            let copied = map.get(lit.gate()).expect("operands come before gates");
            resolved(values, copied).negated_if(lit.is_negated())
        });
        let made = resolved(values, made);
        self.map.insert(index, made);
        let Some(&Fact { is_true, is_false }) = facts.get(&index) else { return Ok(()) };
        if is_true {
            self.assert(made)?;
        }
        if is_false {
            self.assert(!made)?;
        }
        Ok(())
    }

    /// Takes a literal of the new circuit for true.
    fn assert(&mut self, lit: Lit) -> Result<(), Stopped> {
        let mut open = vec![lit];
        while let Some(lit) = open.pop() {
            let lit = resolved(&self.values, lit);
            match self.new.gate(lit.gate()) {
                Gate::False if lit == Lit::FALSE => return Err(Stopped::Contradiction),
                Gate::False => {}
                Gate::Variable(_) => self.replace(lit.gate(), constant_of(lit)),
                Gate::And(a, b) if !lit.is_negated() => {
                    self.values.insert(lit.gate(), constant_of(lit));
                    open.extend([a, b]);
                }
                Gate::Xor(a, b) => open.extend(self.assert_xor(lit, a, b)),
                _ => self.know(lit),
            }
        }
        Ok(())
    }

    /// Replaces the later operand of an exclusive or that is known by the earlier one. Returns what to assert
    /// instead if an operand was replaced already.
    fn assert_xor(&mut self, lit: Lit, a: Lit, b: Lit) -> Option<Lit> {
        let (now_a, now_b) = (resolved(&self.values, a), resolved(&self.values, b));
        if (now_a, now_b) != (a, b) {
            self.values.insert(lit.gate(), constant_of(lit));
            return Some(self.new.xor(now_a, now_b).negated_if(lit.is_negated()));
        }
        match self.new.gate(b.gate()) {
            Gate::Variable(_) => {
                self.values.insert(lit.gate(), constant_of(lit));
            }
            _ => self.know(lit),
        }
        self.replace(b.gate(), a.negated_if(!lit.is_negated()));
        None
    }

    /// Gives the gate its value in all gates to come, and keeps it as a root.
    fn know(&mut self, lit: Lit) {
        self.roots.push(lit);
        self.values.insert(lit.gate(), constant_of(lit));
    }

    fn replace(&mut self, gate: usize, by: Lit) {
        self.values.insert(gate, by);
        let Gate::Variable(variable) = self.new.gate(gate) else { return };
        let others = match self.new.gate(by.gate()) {
            Gate::Variable(other) => vec![other],
            _ => Vec::new(),
        };
        self.replaced.push(Replaced { variable, constant: by.is_negated(), others });
    }

    /// Returns the new circuit with the roots that are left.
    fn finish(self) -> Conjunction {
        let mut roots = self.roots;
        roots.sort_unstable();
        roots.dedup();
        Conjunction { circuit: self.new, roots }
    }
}

/// Literals by gate, where there is one.
#[derive(Default)]
struct LitTable(Vec<u32>);

impl LitTable {
    fn with_room_for(gates: usize) -> LitTable {
        LitTable(vec![0; gates])
    }

    fn get(&self, gate: usize) -> Option<Lit> {
        self.0.get(gate)?.checked_sub(1).map(Lit::from_code)
    }

    fn insert(&mut self, gate: usize, lit: Lit) {
        if self.0.len() <= gate {
            self.0.resize(gate + 1, 0);
        }
        self.0[gate] = lit.code() + 1;
    }
}

/// Returns the value of the literal's gate if the literal is true.
fn constant_of(lit: Lit) -> Lit {
    Lit::TRUE.negated_if(lit.is_negated())
}

/// Follows replacements.
fn resolved(values: &LitTable, mut lit: Lit) -> Lit {
    while let Some(by) = values.get(lit.gate()) {
        lit = by.negated_if(lit.is_negated());
    }
    lit
}
