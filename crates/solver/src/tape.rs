//! Expressions as straight-line code, for layers that evaluate the same ones for very many inputs.
//!
//! The reference evaluator traverses the DAG for every input. A tape is the result of one traversal: a list
//! of steps in order, whose operands are registers; adjacent bytes are one load, and zero extensions take no
//! step. Tapes of expressions with the same structure are equal wherever in the input their bytes are, so
//! that results, counters and machine code can be shared by structure. On three benchmark conditions an
//! interpreted tape is 8 to 21 times as fast as the evaluator, a compiled one 65 to 230 times
//! (bench/RESULTS.md).

#[cfg(test)]
mod bench;
mod build;
mod machine;
mod narrow;
mod native;
mod staged;
mod step;
mod wide;

pub use machine::Evaluations;
pub(crate) use machine::{Code, Machine};
pub(crate) use staged::{StagedTape, chain_lengths};

use cairn_expr::{Dag, ExprId, InputByte};
use std::time::Duration;
use step::{Reg, TapeStep, TapeTable};

/// Root expressions as straight-line code over the values of their own input bytes.
///
/// The result of step `i` is register `i`; constants have the registers after the last step's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Tape {
    steps: Box<[TapeStep]>,
    constants: Box<[u128]>,
    tables: Box<[TapeTable]>,
    roots: Box<[Reg]>,
    /// True if every value has at most 64 bits.
    is_narrow: bool,
}

/// Nominal time of building a step of code; measured over the queries of bc.
const NANOS_PER_CODE_STEP: u64 = 150;

/// Steps of code that may still be built in one attempt at a query.
#[derive(Clone, Copy, Default)]
pub(crate) struct Allowance {
    left: usize,
    /// Steps at first.
    whole: usize,
}

impl Allowance {
    /// Steps that every attempt may build, about a millisecond: the constraints that most paths add to others.
    const LEAST: usize = 1 << 13;
    /// Steps at most: about 150 ms. A bound is needed since in a loop each constraint may be as long as all
    /// before it together.
    const MOST: usize = 1 << 20;

    /// Returns the allowance of an attempt with this effort.
    pub(crate) fn of(effort: Duration) -> Allowance {
        let steps = effort.as_nanos() / u128::from(NANOS_PER_CODE_STEP);
        let whole = usize::try_from(steps).unwrap_or(usize::MAX).clamp(Self::LEAST, Self::MOST);
        Allowance { left: whole, whole }
    }

    /// True if no attempt may build more.
    pub(crate) fn is_greatest(self) -> bool {
        self.whole == Self::MOST
    }

    /// True if nothing is left.
    pub(crate) fn is_used_up(self) -> bool {
        self.left == 0
    }

    /// Returns the nominal time of what was spent of the whole.
    pub(crate) fn time_spent(self) -> Duration {
        Duration::from_nanos((self.whole - self.left) as u64 * NANOS_PER_CODE_STEP)
    }

    /// Builds code for the roots; `None` if it exceeds the allowance, which is then used up.
    pub(crate) fn make(&mut self, dag: &Dag, roots: &[ExprId], bytes: &[InputByte]) -> Option<Tape> {
        let tape = Tape::of_at_most(self.left, dag, roots, bytes);
        self.spend(tape.as_ref().map_or(self.left, Tape::len));
        tape
    }

    /// Subtracts the cost of other work, in steps.
    pub(crate) fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
    }
}

/// Registers of a run, kept for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    narrow: Vec<u64>,
    wide: Vec<u128>,
}

impl Tape {
    /// Builds code for the roots; `bytes` is the sorted list of all input bytes they depend on.
    pub(crate) fn new(dag: &Dag, roots: &[ExprId], bytes: &[InputByte]) -> Tape {
        build::tape(dag, roots, bytes, usize::MAX).expect("there is no limit")
    }

    /// Builds code for the roots; `None` if it would take more than `max_steps`.
    fn of_at_most(max_steps: usize, dag: &Dag, roots: &[ExprId], bytes: &[InputByte]) -> Option<Tape> {
        build::tape(dag, roots, bytes, max_steps)
    }

    /// Returns the number of steps.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the cost of a run, in steps: a library function counts as 20 more.
    fn cost(&self) -> usize {
        let functions = self.steps.iter().filter(|step| matches!(step, TapeStep::Math(..))).count();
        self.len() + 20 * functions
    }

    /// Computes all roots for these values of the bytes, into `out`.
    pub(crate) fn run(&self, input: &[u8], scratch: &mut Scratch, out: &mut [u128]) {
        if self.is_narrow {
            let registers = narrow::run(self, input, &mut scratch.narrow);
            self.copy_roots(out, |register| registers[register].into());
        } else {
            let registers = wide::run(self, input, &mut scratch.wide);
            self.copy_roots(out, |register| registers[register]);
        }
    }

    fn copy_roots(&self, out: &mut [u128], value: impl Fn(usize) -> u128) {
        for (out, &root) in out.iter_mut().zip(&self.roots) {
            *out = value(root as usize);
        }
    }

    /// Returns the number of input bytes it reads.
    fn inputs(&self) -> usize {
        let end = |step: &TapeStep| match step {
            TapeStep::Load(load) => load.first as usize + usize::from(load.bytes),
            _ => 0,
        };
        self.steps.iter().map(end).max().unwrap_or(0)
    }

    /// Returns its size in bytes.
    fn size(&self) -> usize {
        let table = |table: &TapeTable| table.bytes.len() + size_of_val(&*table.parts);
        let tables: usize = self.tables.iter().map(table).sum();
        size_of_val(&*self.steps) + size_of_val(&*self.constants) + size_of_val(&*self.roots) + tables
    }

    fn registers(&self) -> usize {
        self.steps.len() + self.constants.len()
    }
}

#[cfg(test)]
mod tests {
    use super::native::Compiler;
    use super::*;
    use crate::testing::byte;
    use crate::testing::random::{self, Random};
    use cairn_expr::{BinOp, CmpOp, Evaluator};
    use rustc_hash::FxHashSet;

    #[test]
    fn interpreted_and_compiled_tapes_agree_with_the_evaluator() {
        let mut random = Random::new(1);
        let (mut scratch, mut evaluator) = (Scratch::default(), Evaluator::new());
        let mut compiler = Compiler::new().expect("this machine has a compiler");
        let (mut narrow, mut operations) = (0, FxHashSet::default());
        for round in 0..3000 {
            let (dag, roots) = random.dag(if round % 2 == 0 { 64 } else { 128 });
            operations.extend(dag.reachable(&roots).into_iter().map(|e| dag.op(e)));
            let tape = Tape::new(&dag, &roots, &random::BYTES);
            narrow += usize::from(tape.is_narrow);
            let native = compiler.compile(&tape).expect("every tape can be compiled");
            for _ in 0..6 {
                let input = random.input();
                evaluator.begin();
                let value = |b: InputByte| input[b.offset as usize];
                let expected = [0, 1, 2, 3].map(|i| evaluator.value(&dag, roots[i], &value));
                let (mut interpreted, mut compiled) = ([1; 4], [2; 4]);
                tape.run(&input, &mut scratch, &mut interpreted);
                assert_eq!(interpreted, expected, "round {round}: {tape:?}");
                native.run(&input, &mut compiled);
                assert_eq!(compiled, expected, "round {round}: {tape:?}");
            }
        }
        assert!((1000..2500).contains(&narrow), "{narrow} narrow tapes");
        assert_eq!(operations.len(), random::OPERATIONS, "every operation occurs");
    }

    #[test]
    fn a_tape_is_not_longer_than_allowed() {
        let mut dag = Dag::new();
        let x = dag.input(byte(0));
        let mut sum = x;
        for i in 0..1000 {
            let (factor, i) = (dag.constant(8, 77), dag.constant(8, i % 256));
            let product = dag.binary(BinOp::Mul, sum, factor);
            let mixed = dag.binary(BinOp::Xor, product, x);
            sum = dag.binary(BinOp::Add, mixed, i);
        }
        let of_at_most = |most| Tape::of_at_most(most, &dag, &[sum], &[byte(0)]);
        let whole = Tape::new(&dag, &[sum], &[byte(0)]);
        assert!(whole.len() > 2000, "{}", whole.len());
        assert_eq!(of_at_most(whole.len()), Some(whole.clone()));
        assert_eq!([whole.len() - 1, 10, 0].map(of_at_most), [None, None, None]);
    }

    #[test]
    fn tapes_of_the_same_structure_are_equal_wherever_their_bytes_are() {
        let mut dag = Dag::new();
        let word = |dag: &mut Dag, first: u32| {
            let bytes = [0, 1, 2, 3].map(|i| dag.input(byte(first + i)));
            bytes.into_iter().reduce(|low, high| dag.concat(high, low)).expect("four bytes")
        };
        let mut tape = |first: u32, factor: u128| {
            let (a, b) = (word(&mut dag, first), word(&mut dag, first + 7));
            let factor = dag.constant(32, factor);
            let product = dag.binary(BinOp::Mul, a, factor);
            let less = dag.compare(CmpOp::Slt, product, b);
            let bytes = dag.inputs(less).to_vec();
            Tape::new(&dag, &[less], &bytes)
        };
        let first = tape(100, 35);
        assert_eq!(first.len(), 4, "two loads, a product and a comparison: {first:?}");
        assert_eq!(first, tape(3, 35));
        assert_ne!(first, tape(100, 37));
    }
}
