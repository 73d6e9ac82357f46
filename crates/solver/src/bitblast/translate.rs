//! Translation of expressions to words of literals, each once.

use super::budget::{Budget, UsedUp, Work};
use super::circuit::{Circuit, Lit};
use super::products::{Division, Divisions, constant};
use super::tables::Table;
use super::words::Shift;
use cairn_expr::{BinOp, Dag, ExprId, InputByte, Node, SnapshotId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The source of a variable's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A bit of an input byte.
    Input(InputByte, u8),
    /// A bit of the quotient or remainder of the division with this number.
    Division(usize),
}

/// Reason for not translating an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// It has floats or functions of the C library, or more gates than allowed.
    Never,
    /// The effort was used up before all gates were built; those that were are kept.
    UsedUp,
}

impl From<UsedUp> for Refused {
    fn from(_: UsedUp) -> Refused {
        Refused::UsedUp
    }
}

/// Bits of a read that decide, its snapshot and its width.
type TableKey = (SnapshotId, Range<u8>, u8);

/// The expressions translated so far.
#[derive(Default)]
pub(super) struct Blaster {
    pub(super) circuit: Circuit,
    divisions: Divisions,
    sources: Vec<Source>,
    /// Per expression: first of its bits in `bits`, and their number.
    words: FxHashMap<ExprId, (u32, u8)>,
    bits: Vec<Lit>,
    tables: FxHashMap<TableKey, Table>,
    stack: Vec<ExprId>,
    /// Conditions that cannot be translated.
    foreign: FxHashSet<ExprId>,
}

impl Blaster {
    /// Returns the literal of a one-bit expression, unless the circuit would have more than `max_gates`. Not
    /// recursive: expressions are as deep as paths are long.
    pub(super) fn condition(
        &mut self,
        dag: &Dag,
        e: ExprId,
        max_gates: usize,
        budget: &mut Budget,
    ) -> Result<Lit, Refused> {
        if self.foreign.contains(&e) {
            return Err(Refused::Never);
        }
        self.stack.clear();
        self.stack.push(e);
        while let Some(&top) = self.stack.last() {
            let (waiting, gates) = (self.stack.len(), self.circuit.len());
            if !self.words.contains_key(&top) {
                self.stack.extend(dag.children(top).filter(|child| !self.words.contains_key(child)));
                if self.stack.len() > waiting {
                    continue;
                }
                let Some(word) = self.translate(dag, top) else {
                    self.foreign.insert(e);
                    return Err(Refused::Never);
                };
                self.keep(top, &word);
            }
            self.stack.pop();
            if self.circuit.len() > max_gates {
                return Err(Refused::Never);
            }
            budget.spend(Work::Build, self.circuit.len() - gates + 1)?;
        }
        Ok(self.word(e)[0])
    }

    /// Returns the source of a variable.
    pub(super) fn source(&self, number: u32) -> Source {
        self.sources[number as usize]
    }

    /// True if there is a division with variables of its own.
    pub(super) fn has_divisions(&self) -> bool {
        !self.divisions.conditions.is_empty()
    }

    /// Returns the condition on the variables of a division.
    pub(super) fn division(&self, number: usize) -> Lit {
        self.divisions.conditions[number]
    }

    fn word(&self, e: ExprId) -> &[Lit] {
        let (first, width) = self.words[&e];
        &self.bits[first as usize..][..usize::from(width)]
    }

    fn keep(&mut self, e: ExprId, word: &[Lit]) {
        let first = u32::try_from(self.bits.len()).expect("fewer than 2^32 bits");
        self.words.insert(e, (first, word.len() as u8));
        self.bits.extend_from_slice(word);
    }

    /// Translates a node whose children are translated; `None` for floats.
    fn translate(&mut self, dag: &Dag, e: ExprId) -> Option<Vec<Lit>> {
        let width = usize::from(dag.width(e));
        Some(match dag.node(e) {
            Node::Const(value) => Circuit::number(value, width),
            Node::Input(byte) => self.input(byte),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Compare(op, a, b) => {
                let (a, b) = (self.word(a).to_vec(), self.word(b).to_vec());
                vec![self.circuit.compare(op, &a, &b)]
            }
            Node::ZExt(a) => extended(self.word(a), width, Lit::FALSE),
            Node::SExt(a) => extended(self.word(a), width, *self.word(a).last().expect("a value has a bit")),
            Node::Extract(a, low) => self.word(a)[usize::from(low)..][..width].to_vec(),
            Node::Concat(a, b) => [self.word(b), self.word(a)].concat(),
            Node::Ite(c, t, e) => {
                let (choice, one, zero) = (self.word(c)[0], self.word(t).to_vec(), self.word(e).to_vec());
                self.circuit.choose(choice, &one, &zero)
            }
            Node::BitCount(what, a) => {
                let value = self.word(a).to_vec();
                self.circuit.count(what, &value)
            }
            Node::Read(snapshot, index) => self.read(dag, snapshot, index, dag.width(e)),
            Node::Float(..) | Node::FloatCompare(..) | Node::Convert(..) | Node::Math(_) => {
                return None;
            }
        })
    }

    fn input(&mut self, byte: InputByte) -> Vec<Lit> {
        let bits =
            (0..8).map(|bit| new_variable(&mut self.circuit, &mut self.sources, Source::Input(byte, bit)));
        bits.collect()
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Vec<Lit> {
        let (a, b) = (self.word(a).to_vec(), self.word(b).to_vec());
        let circuit = &mut self.circuit;
        let pairs = a.iter().zip(&b);
        match op {
            BinOp::Add => circuit.add(&a, &b),
            BinOp::Sub => circuit.subtract(&a, &b),
            BinOp::Mul => circuit.multiply(&a, &b),
            BinOp::And => pairs.map(|(&a, &b)| circuit.and(a, b)).collect(),
            BinOp::Or => pairs.map(|(&a, &b)| circuit.or(a, b)).collect(),
            BinOp::Xor => pairs.map(|(&a, &b)| circuit.xor(a, b)).collect(),
            BinOp::UDiv => self.divide(&a, &b).quotient,
            BinOp::URem => self.divide(&a, &b).remainder,
            BinOp::SDiv | BinOp::SRem => self.divide_signed(op, &a, &b),
            BinOp::Shl => self.shift(Shift::Left, &a, &b),
            BinOp::LShr => self.shift(Shift::Right, &a, &b),
            BinOp::AShr => self.shift(Shift::ArithmeticRight, &a, &b),
        }
    }

    /// Shifts by the amount modulo the width, which every width can represent.
    fn shift(&mut self, how: Shift, value: &[Lit], amount: &[Lit]) -> Vec<Lit> {
        let width = value.len();
        let amount = match constant(amount) {
            Some(amount) => Circuit::number(amount % width as u128, width),
            None if width.is_power_of_two() => amount.to_vec(),
            None => self.divide(amount, &Circuit::number(width as u128, width)).remainder,
        };
        self.circuit.shift(how, value, &amount)
    }

    fn divide(&mut self, dividend: &[Lit], divisor: &[Lit]) -> Division {
        let number = self.divisions.conditions.len();
        let sources = &mut self.sources;
        self.circuit.divide(&mut self.divisions, dividend, divisor, |circuit, count| {
            (0..count).map(|_| new_variable(circuit, sources, Source::Division(number))).collect()
        })
    }

    /// Divides the magnitudes. By zero that gives all ones and the dividend, from which the signs make what
    /// SMT-LIB defines.
    fn divide_signed(&mut self, op: BinOp, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let [sign_a, sign_b] = [a, b].map(|value| *value.last().expect("a value has a bit"));
        let (magnitude, divisor) = (self.circuit.negate_if(sign_a, a), self.circuit.negate_if(sign_b, b));
        let Division { quotient, remainder } = self.divide(&magnitude, &divisor);
        match op {
            BinOp::SDiv => {
                let sign = self.circuit.xor(sign_a, sign_b);
                self.circuit.negate_if(sign, &quotient)
            }
            _ => self.circuit.negate_if(sign_a, &remainder),
        }
    }

    fn read(&mut self, dag: &Dag, snapshot: SnapshotId, index: ExprId, width: u8) -> Vec<Lit> {
        let (varying, border) = dag.reach(snapshot, index);
        let table = self
            .tables
            .entry((snapshot, varying, width))
            .or_insert_with(|| Table::new(dag.lookup(snapshot, index, width).0));
        let Blaster { circuit, words, bits, .. } = self;
        let word = |e: ExprId| {
            let (first, width) = words[&e];
            &bits[first as usize..][..usize::from(width)]
        };
        let index = word(index);
        let value = circuit.read(table, index, usize::from(width), &word);
        match border {
            None => value,
            Some(border) => {
                let outside = circuit.any(&index[usize::from(border)..]);
                value.into_iter().map(|bit| circuit.and(bit, !outside)).collect()
            }
        }
    }
}

fn new_variable(circuit: &mut Circuit, sources: &mut Vec<Source>, source: Source) -> Lit {
    sources.push(source);
    circuit.variable(sources.len() as u32 - 1)
}

fn extended(value: &[Lit], width: usize, fill: Lit) -> Vec<Lit> {
    let mut value = value.to_vec();
    value.resize(width, fill);
    value
}
