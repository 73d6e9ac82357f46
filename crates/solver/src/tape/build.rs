//! From expressions to a tape.
//!
//! Registers are numbered in the order in which the roots' operands are met, not by expression: where in a campaign an
//! expression was first seen does not matter.

use super::Tape;
use super::step::{Load, Reg, Step, Table};
use cairn_expr::{Dag, ExprId, InputByte, Math, Node, SnapshotId};
use rustc_hash::FxHashMap;

/// Until it is known how many steps there are, constant `i` has register `CONSTANTS - i`.
const CONSTANTS: Reg = Reg::MAX;
/// Bytes of the widest value.
const MAX_LOAD: usize = 16;

/// How many expressions wait for the same step at most, as a rule: where more wait than that, as many steps will follow.
const WAITING_PER_STEP: usize = 4;

struct Builder<'a> {
    dag: &'a Dag,
    bytes: &'a [InputByte],
    registers: FxHashMap<ExprId, Reg>,
    steps: Vec<Step>,
    constants: Vec<u128>,
    constant_registers: FxHashMap<u128, Reg>,
    tables: Vec<Table>,
    table_numbers: FxHashMap<SnapshotId, u32>,
    stack: Vec<ExprId>,
    is_narrow: bool,
    most_steps: usize,
}

/// Code for the roots, unless it has more than so many steps.
pub(super) fn tape(dag: &Dag, roots: &[ExprId], bytes: &[InputByte], most_steps: usize) -> Option<Tape> {
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
        most_steps,
    };
    let roots = roots.iter().map(|&root| builder.add(root)).collect::<Option<_>>()?;
    Some(builder.finish(roots))
}

impl Builder<'_> {
    /// The register of an expression, whose steps are added unless they are there. Not recursive: expressions are as
    /// deep as paths are long. Nothing if there are too many steps.
    fn add(&mut self, root: ExprId) -> Option<Reg> {
        self.stack.push(root);
        while let Some(&top) = self.stack.last() {
            if self.steps.len().max(self.stack.len() / WAITING_PER_STEP) > self.most_steps {
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
                    Some(load) => self.push(Step::Load(load)),
                    None => self.compute(top),
                };
                self.is_narrow &= self.dag.width(top) <= 64;
                self.registers.insert(top, register);
            }
            self.stack.pop();
        }
        (self.steps.len() <= self.most_steps).then(|| self.registers[&root])
    }

    /// Neighbouring input bytes in one order or the other: a concatenation's first part is no concatenation.
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

    fn push(&mut self, step: Step) -> Reg {
        self.steps.push(step);
        (self.steps.len() - 1) as Reg
    }

    /// The register of a node whose operands have theirs.
    fn compute(&mut self, e: ExprId) -> Reg {
        let width = self.dag.width(e);
        let register = |e: ExprId| self.registers[&e];
        let step = match self.dag.node(e) {
            Node::Const(value) => return self.constant(value),
            Node::Input(_) => unreachable!("an input byte is a load"),
            Node::Binary(op, a, b) => Step::Binary(op, width, register(a), register(b)),
            Node::Compare(op, a, b) => Step::Compare(op, self.dag.width(a), register(a), register(b)),
            Node::ZExt(a) => return register(a),
            Node::SExt(a) => Step::SignExtend { from: self.dag.width(a), to: width, of: register(a) },
            Node::Extract(a, low) => Step::Extract { low, width, of: register(a) },
            Node::Concat(a, b) => {
                Step::Concat { width, low_width: self.dag.width(b), high: register(a), low: register(b) }
            }
            Node::Ite(c, t, e) => {
                Step::Choose { width, condition: register(c), yes: register(t), no: register(e) }
            }
            Node::Float(op, a, b) => Step::Float(op, width, register(a), register(b)),
            Node::FloatCompare(op, a, b) => {
                Step::FloatCompare(op, self.dag.width(a), register(a), register(b))
            }
            Node::Convert(how, a) => {
                Step::Convert { how, from: self.dag.width(a), to: width, of: register(a) }
            }
            Node::Math(function) => self.math(e, function),
            Node::BitCount(what, a) => Step::BitCount(what, width, register(a)),
            Node::Read(snapshot, place) => {
                let place = register(place);
                Step::Read { table: self.table(snapshot), bytes: width / 8, place }
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

    fn math(&self, e: ExprId, function: Math) -> Step {
        let mut operands = self.dag.children(e).map(|operand| self.registers[&operand]);
        let first = operands.next().expect("a function takes an operand");
        let others = [operands.next(), operands.next()].map(|operand| operand.unwrap_or(first));
        Step::Math(function, self.dag.width(e), [first, others[0], others[1]])
    }

    fn table(&mut self, snapshot: SnapshotId) -> u32 {
        let next = self.tables.len() as u32;
        let number = *self.table_numbers.entry(snapshot).or_insert(next);
        if number == next {
            let snapshots = self.dag.snapshots();
            let parts = snapshots.parts(snapshot).iter().map(|&(place, e)| (place, self.registers[&e]));
            let parts = parts.collect();
            self.tables.push(Table { bytes: snapshots.bytes(snapshot).into(), parts });
        }
        number
    }

    /// Gives constants the registers after the last step's.
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
