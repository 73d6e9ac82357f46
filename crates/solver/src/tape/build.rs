//! Builds a tape from expressions.
//!
//! Registers are numbered in the order of a traversal from the roots, not by expression id: tapes do not
//! depend on the order in which a campaign built the expressions.

use super::Tape;
use super::step::{Load, Reg, TapeStep, TapeTable};
use cairn_expr::{Dag, ExprId, InputByte, Math, Node, SnapshotId};
use rustc_hash::FxHashMap;

/// Register of constant 0, counted downwards, until the number of steps is known: constant `i` has `CONSTANTS
/// - i`.
const CONSTANTS: Reg = Reg::MAX;
/// Bytes of the widest value.
const MAX_LOAD: usize = 16;

/// Expressions on the stack per step still to come, at least as a rule: a larger stack means that the limit
/// will be exceeded.
const WAITING_PER_STEP: usize = 4;

/// The state of building one tape.
struct Builder<'a> {
    dag: &'a Dag,
    bytes: &'a [InputByte],
    registers: FxHashMap<ExprId, Reg>,
    steps: Vec<TapeStep>,
    constants: Vec<u128>,
    constant_registers: FxHashMap<u128, Reg>,
    tables: Vec<TapeTable>,
    table_numbers: FxHashMap<SnapshotId, u32>,
    stack: Vec<ExprId>,
    is_narrow: bool,
    max_steps: usize,
}

/// Builds code for the roots; `None` if it has more than `max_steps`.
pub(super) fn tape(dag: &Dag, roots: &[ExprId], bytes: &[InputByte], max_steps: usize) -> Option<Tape> {
    let mut builder = Builder {
        dag,
        bytes,
        registers: FxHashMap::default(),
        steps: Vec::new(),
        constants: Vec::new(),
        constant_registers: FxHashMap::default(),
        tables: Vec::new(),
        table_numbers: FxHashMap::default(),
        stack: Vec::new(),
        is_narrow: true,
        max_steps,
    };
    let roots = roots.iter().map(|&root| builder.add(root)).collect::<Option<_>>()?;
    Some(builder.finish(roots))
}

impl Builder<'_> {
    /// Returns the register of an expression, after adding its steps if they are missing. Not recursive:
    /// expressions are as deep as paths are long. `None` if there are too many steps.
    fn add(&mut self, root: ExprId) -> Option<Reg> {
        self.stack.push(root);
        while let Some(&top) = self.stack.last() {
            if self.steps.len().max(self.stack.len() / WAITING_PER_STEP) > self.max_steps {
                return None;
            }
            let waiting = self.stack.len();
            if !self.registers.contains_key(&top) {
                let load = self.load(top);
                if load.is_none() {
                    let unknown = self.dag.children(top).rev().filter(|e| !self.registers.contains_key(e));
                    self.stack.extend(unknown);
                }
                if self.stack.len() > waiting {
                    continue;
                }
                let register = match load {
                    Some(load) => self.push(TapeStep::Load(load)),
                    None => self.compute(top),
                };
                self.is_narrow &= self.dag.width(top) <= 64;
                self.registers.insert(top, register);
            }
            self.stack.pop();
        }
        (self.steps.len() <= self.max_steps).then(|| self.registers[&root])
    }

    /// Returns a load for a concatenation of adjacent input bytes, little- or big-endian. A concatenation
    /// leans right: its first part is none.
    fn load(&self, e: ExprId) -> Option<Load> {
        let mut positions = [0; MAX_LOAD];
        let mut count = 0;
        let mut rest = Some(e);
        while let Some(e) = rest.take() {
            let byte = match self.dag.node(e) {
                Node::Concat(high, low) => {
                    rest = Some(low);
                    self.dag.node(high)
                }
                node => node,
            };
            let Node::Input(byte) = byte else { return None };
            positions[count] = self.position(byte);
            count += 1;
        }
        let positions = &positions[..count];
        let (highest, lowest) = (positions[0], positions[count - 1]);
        let are_neighbours =
            |step: i64| positions.windows(2).all(|pair| i64::from(pair[1]) - i64::from(pair[0]) == step);
        let load = |first, is_big_endian| Some(Load { first, bytes: count as u8, is_big_endian });
        if are_neighbours(-1) {
            load(lowest, false)
        } else if are_neighbours(1) {
            load(highest, true)
        } else {
            None
        }
    }

    fn position(&self, byte: InputByte) -> u32 {
        self.bytes.binary_search(&byte).expect("all bytes the roots depend on are listed") as u32
    }

    fn push(&mut self, step: TapeStep) -> Reg {
        self.steps.push(step);
        (self.steps.len() - 1) as Reg
    }

    /// Returns the register of a node whose operands have registers.
    fn compute(&mut self, e: ExprId) -> Reg {
        let width = self.dag.width(e);
        let register = |e: ExprId| self.registers[&e];
        let step = match self.dag.node(e) {
            Node::Const(value) => return self.constant(value),
            Node::Input(_) => unreachable!("an input byte is a load"),
            Node::Binary(op, a, b) => TapeStep::Binary(op, width, register(a), register(b)),
            Node::Compare(op, a, b) => TapeStep::Compare(op, self.dag.width(a), register(a), register(b)),
            Node::ZExt(a) => return register(a),
            Node::SExt(a) => TapeStep::SignExtend { from: self.dag.width(a), to: width, of: register(a) },
            Node::Extract(a, low) => TapeStep::Extract { low, width, of: register(a) },
            Node::Concat(a, b) => {
                TapeStep::Concat { width, low_width: self.dag.width(b), high: register(a), low: register(b) }
            }
            Node::Ite(c, t, e) => {
                TapeStep::Choose { width, condition: register(c), yes: register(t), no: register(e) }
            }
            Node::Float(op, a, b) => TapeStep::Float(op, width, register(a), register(b)),
            Node::FloatCompare(op, a, b) => {
                TapeStep::FloatCompare(op, self.dag.width(a), register(a), register(b))
            }
            Node::Convert(how, a) => {
                TapeStep::Convert { how, from: self.dag.width(a), to: width, of: register(a) }
            }
            Node::Math(function) => self.math(e, function),
            Node::BitCount(what, a) => TapeStep::BitCount(what, width, register(a)),
            Node::Read(snapshot, place) => {
                let place = register(place);
                TapeStep::Read { table: self.table(snapshot), bytes: width / 8, place }
            }
        };
        self.push(step)
    }

    fn constant(&mut self, value: u128) -> Reg {
        let next = CONSTANTS - self.constants.len() as Reg;
        let register = *self.constant_registers.entry(value).or_insert(next);
        if register == next {
            self.constants.push(value);
        }
        register
    }

    fn math(&self, e: ExprId, function: Math) -> TapeStep {
        let mut operands = self.dag.children(e).map(|operand| self.registers[&operand]);
        let first = operands.next().expect("a function takes an operand");
        let others = [operands.next(), operands.next()].map(|operand| operand.unwrap_or(first));
        TapeStep::Math(function, self.dag.width(e), [first, others[0], others[1]])
    }

    fn table(&mut self, snapshot: SnapshotId) -> u32 {
        let next = self.tables.len() as u32;
        let number = *self.table_numbers.entry(snapshot).or_insert(next);
        if number == next {
            let snapshots = self.dag.snapshots();
            let parts = snapshots.parts(snapshot).iter().map(|&(place, e)| (place, self.registers[&e]));
            let parts = parts.collect();
            self.tables.push(TapeTable { bytes: snapshots.bytes(snapshot).into(), parts });
        }
        number
    }

    /// Renumbers constants to the registers after the last step's.
    fn finish(mut self, mut roots: Box<[Reg]>) -> Tape {
        let steps = self.steps.len() as Reg;
        let first_constant = CONSTANTS - self.constants.len() as Reg;
        let settle = |register: &mut Reg| {
            if *register > first_constant {
                *register = steps + (CONSTANTS - *register);
            }
        };
        self.steps.iter_mut().for_each(|step| step.operands_mut().into_iter().flatten().for_each(settle));
        self.tables.iter_mut().for_each(|table| table.parts.iter_mut().for_each(|(_, part)| settle(part)));
        roots.iter_mut().for_each(settle);
        Tape {
            steps: self.steps.into(),
            constants: self.constants.into(),
            tables: self.tables.into(),
            roots,
            is_narrow: self.is_narrow,
        }
    }
}
