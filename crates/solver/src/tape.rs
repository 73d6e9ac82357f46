//! Expressions as straight-line code, for whoever evaluates the same ones at very many points.
//!
//! The reference evaluator finds its way through the DAG anew for every input. A tape has been there once: its steps
//! are in order, the operands of each are registers, bytes read side by side are one load, and what only extends a
//! value with zeros is no step at all. Tapes of expressions with the same structure are equal wherever in the
//! input their bytes are, so that whatever is known of one holds for all.

mod build;
mod narrow;
#[cfg(test)]
mod random;
mod step;
mod wide;

use cairn_expr::{Dag, ExprId, InputByte};
use step::{Reg, Step, Table};

/// Root expressions as straight-line code over the values of their own input bytes.
///
/// The result of step `i` is register `i`; constants have the registers after the last step's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Tape {
    steps: Box<[Step]>,
    constants: Box<[u128]>,
    tables: Box<[Table]>,
    roots: Box<[Reg]>,
    /// Whether every value has at most 64 bits.
    is_narrow: bool,
}

/// Room for the registers of a run; keep it for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    narrow: Vec<u64>,
    wide: Vec<u128>,
}

impl Tape {
    /// Code for the roots; `bytes` is the sorted list of all input bytes they depend on.
    pub(crate) fn new(dag: &Dag, roots: &[ExprId], bytes: &[InputByte]) -> Tape {
        build::tape(dag, roots, bytes)
    }

    /// How many steps it has.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// What a run costs, in steps of the simplest kind: a function of the C library takes as long as many of them.
    pub(crate) fn cost(&self) -> usize {
        let functions = self.steps.iter().filter(|step| matches!(step, Step::Math(..))).count();
        self.len() + 20 * functions
    }

    /// Computes all roots for these values of the bytes; `out` has a place for each.
    pub(crate) fn run(&self, input: &[u8], scratch: &mut Scratch, out: &mut [u128]) {
        if self.is_narrow {
            let registers = narrow::run(self, input, &mut scratch.narrow);
            self.hand_out(out, |register| registers[register].into());
        } else {
            let registers = wide::run(self, input, &mut scratch.wide);
            self.hand_out(out, |register| registers[register]);
        }
    }

    fn hand_out(&self, out: &mut [u128], value: impl Fn(usize) -> u128) {
        for (out, &root) in out.iter_mut().zip(&self.roots) {
            *out = value(root as usize);
        }
    }

    fn registers(&self) -> usize {
        self.steps.len() + self.constants.len()
    }
}

#[cfg(test)]
mod tests {
    use super::random::Random;
    use super::*;
    use crate::testing::byte;
    use cairn_expr::{BinOp, CmpOp, Evaluator};

    #[test]
    fn a_tape_computes_what_the_evaluator_does() {
        let mut random = Random::new(1);
        let (mut scratch, mut evaluator) = (Scratch::default(), Evaluator::new());
        let mut narrow = 0;
        for round in 0..4000 {
            let (dag, roots) = random.dag(if round % 2 == 0 { 64 } else { 128 });
            let tape = Tape::new(&dag, &roots, &random::BYTES);
            narrow += usize::from(tape.is_narrow);
            let mut out = vec![0; roots.len()];
            for _ in 0..6 {
                let input = random.input();
                tape.run(&input, &mut scratch, &mut out);
                evaluator.begin();
                for (&root, &value) in roots.iter().zip(&out) {
                    let expected = evaluator.value(&dag, root, &|b: InputByte| input[b.offset as usize]);
                    assert_eq!(value, expected, "round {round}: {:?} in {tape:?}", dag.node(root));
                }
            }
        }
        assert!(narrow > 1000 && narrow < 3000, "{narrow} narrow tapes");
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
