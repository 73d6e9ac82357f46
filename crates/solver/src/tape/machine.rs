//! Runs tapes, and compiles those that are run often.
//!
//! The number of runs of a tape is not known in advance. It is compiled when interpreting it has taken about
//! as long as compiling will: that costs at most twice the optimum (the ski-rental argument). Runs are
//! counted by structure, across queries. Memory is bounded by two generations, as in the cache of answers.

use super::native::{Compiler, Native};
use super::{Scratch, Tape};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::time::Instant;

/// Bytes of tapes and machine code in one generation; a chosen bound.
const GENERATION_BYTES: usize = 32 << 20;
/// Runs whose interpretation takes as long as compiling, per step: 1 µs, where a step takes 3.4 ns
/// (bench/RESULTS.md).
const RUNS: u64 = 300;
/// Longest tape that is compiled: nothing can interrupt the compiler, and this takes it some 20 ms.
const MAX_COMPILED: usize = 20_000;
/// Steps interpreted in addition, for the constant part of compiling: 20 µs.
const STEPS: u64 = 6_000;

/// A tape, and its machine code once there is some.
pub(crate) struct Code {
    tape: Rc<Tape>,
    runs: Cell<u64>,
    /// `Some(None)` if it could not be compiled.
    native: OnceCell<Option<Native>>,
}

impl Code {
    /// Returns the cost of a run, in steps.
    pub(crate) fn cost(&self) -> usize {
        self.tape.cost()
    }

    fn is_due(&self) -> bool {
        self.tape.len() <= MAX_COMPILED
            && self.runs.get().saturating_sub(RUNS) * self.tape.len() as u64 >= STEPS
    }
}

/// Counters of tape runs and compilations.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Evaluations {
    /// Interpreted runs.
    pub interpreted: u64,
    /// Runs of machine code.
    pub compiled: u64,
    /// Compiled tapes.
    pub compiled_tapes: u64,
    /// Time spent compiling, in seconds.
    pub compile_seconds: f64,
}

impl Evaluations {
    pub(crate) fn plus(self, other: Evaluations) -> Evaluations {
        Evaluations {
            interpreted: self.interpreted + other.interpreted,
            compiled: self.compiled + other.compiled,
            compiled_tapes: self.compiled_tapes + other.compiled_tapes,
            compile_seconds: self.compile_seconds + other.compile_seconds,
        }
    }
}

type Codes = FxHashMap<Rc<Tape>, Rc<Code>>;

/// Runs tapes; keep one and reuse it.
pub(crate) struct Machine {
    scratch: Scratch,
    compiler: Option<Compiler>,
    young: Codes,
    old: Codes,
    young_bytes: usize,
    generation_bytes: usize,
    evaluations: Evaluations,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            scratch: Scratch::default(),
            compiler: Compiler::new(),
            young: Codes::default(),
            old: Codes::default(),
            young_bytes: 0,
            generation_bytes: GENERATION_BYTES,
            evaluations: Evaluations::default(),
        }
    }
}

impl Machine {
    /// Returns the counters since it was made.
    pub(crate) fn evaluations(&self) -> Evaluations {
        self.evaluations
    }

    /// Returns the code of a tape: the same for equal tapes.
    pub(crate) fn code(&mut self, tape: Tape) -> Rc<Code> {
        if let Some(code) = self.young.get(&tape) {
            return code.clone();
        }
        let code = self.old.remove(&tape).unwrap_or_else(|| {
            Rc::new(Code { tape: Rc::new(tape), runs: Cell::new(0), native: OnceCell::new() })
        });
        let native = code.native.get().and_then(Option::as_ref).map_or(0, Native::size);
        self.make_room(code.tape.size() + native);
        self.young.insert(code.tape.clone(), code.clone());
        code
    }

    /// Computes all roots for these values of the bytes, into `out`; compiles the tape if it was run often.
    pub(crate) fn run(&mut self, code: &Code, input: &[u8], out: &mut [u128]) {
        if code.native.get().is_none() && code.is_due() {
            self.compile(code);
        }
        match code.native.get() {
            Some(Some(native)) => {
                self.evaluations.compiled += 1;
                native.run(input, out);
            }
            _ => {
                self.evaluations.interpreted += 1;
                code.runs.set(code.runs.get() + 1);
                code.tape.run(input, &mut self.scratch, out);
            }
        }
    }

    fn compile(&mut self, code: &Code) {
        let start = Instant::now();
        let native = self.compiler.as_mut().and_then(|compiler| compiler.compile(&code.tape));
        if let Some(native) = &native {
            self.evaluations.compiled_tapes += 1;
            self.make_room(native.size());
        }
        code.native.get_or_init(|| native);
        self.evaluations.compile_seconds += start.elapsed().as_secs_f64();
    }

    /// Makes room in the young generation: when it is full it becomes the old one, whose unused tapes are
    /// dropped.
    fn make_room(&mut self, bytes: usize) {
        if self.young_bytes + bytes > self.generation_bytes {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{about, byte};
    use cairn_expr::Dag;
    use std::rc::Weak;

    fn holds(machine: &mut Machine, code: &Code, input: [u8; 2]) -> bool {
        let mut out = [7];
        machine.run(code, &input, &mut out);
        out == [1]
    }

    #[test]
    fn a_tape_run_often_is_compiled_once_for_its_structure() {
        let mut dag = Dag::new();
        let mut machine = Machine::default();
        let first = about(&mut dag, 3, 8);
        let code = machine.code(Tape::new(&dag, &[first], &[byte(3), byte(8)]));
        assert!(holds(&mut machine, &code, [4, 5]) && !holds(&mut machine, &code, [5, 4]));
        assert_eq!(machine.evaluations(), Evaluations { interpreted: 2, ..Evaluations::default() });
        for _ in 0..RUNS + STEPS {
            assert!(holds(&mut machine, &code, [1, 2]));
        }
        let second = about(&mut dag, 70, 71);
        let code = machine.code(Tape::new(&dag, &[second], &[byte(70), byte(71)]));
        let before = machine.evaluations();
        assert!(holds(&mut machine, &code, [4, 5]) && !holds(&mut machine, &code, [5, 4]));
        let after = machine.evaluations();
        assert_eq!(after.compiled_tapes, 1);
        assert_eq!(after.compiled, before.compiled + 2);
    }

    #[test]
    fn unused_code_is_freed() {
        let mut dag = Dag::new();
        let mut machine = Machine { generation_bytes: 50_000, ..Machine::default() };
        let mut codes: Vec<Weak<Code>> = Vec::new();
        let alive = |codes: &[Weak<Code>]| codes.iter().filter(|code| code.strong_count() > 0).count();
        for i in 0..60 {
            let x = dag.input(byte(0));
            let number = dag.constant(8, i);
            let root = dag.compare(cairn_expr::CmpOp::Eq, x, number);
            let code = machine.code(Tape::new(&dag, &[root], &[byte(0)]));
            machine.compile(&code);
            assert!(holds(&mut machine, &code, [i as u8, 0]));
            codes.push(Rc::downgrade(&code));
        }
        assert!((8..30).contains(&alive(&codes)), "{} of 60 are kept", alive(&codes));
        assert_eq!(machine.evaluations().compiled_tapes, 60);
    }
}
