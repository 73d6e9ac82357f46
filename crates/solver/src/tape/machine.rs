//! Runs tapes, and compiles those that are run often.
//!
//! How often a tape will be run nobody knows. It is compiled when interpreting it has taken about as long as compiling
//! it will: at worst that costs twice what knowing would have. Runs are counted by structure, across queries.
//! Memory is bounded by two generations, as in the cache of answers.

use super::native::{Compiler, Native};
use super::{Scratch, Tape};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::time::Instant;

/// Bytes that tapes and machine code of one generation may take.
const GENERATION_BYTES: usize = 32 << 20;
/// How often a tape is interpreted for what compiling takes per step: 1 µs, where a step takes 3.4 ns.
const RUNS: u64 = 300;
/// Longest tape that is compiled: nothing can interrupt a compiler, and this takes it some 20 ms.
const MOST_COMPILED: usize = 20_000;
/// How many steps are interpreted besides, for what compiling takes however short the tape is: 20 µs.
const STEPS: u64 = 6_000;

/// A tape, and its machine code once there is some.
pub(crate) struct Code {
    tape: Rc<Tape>,
    runs: Cell<u64>,
    /// `None` inside if no code could be made.
    native: OnceCell<Option<Native>>,
}

impl Code {
    /// What a run costs, in steps of the simplest kind: a function of the C library takes as long as many of them.
    pub(crate) fn cost(&self) -> usize {
        self.tape.cost()
    }

    fn is_due(&self) -> bool {
        self.tape.len() <= MOST_COMPILED
            && self.runs.get().saturating_sub(RUNS) * self.tape.len() as u64 >= STEPS
    }
}

/// How tapes were run, and what it took to compile some.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Evaluations {
    /// Runs step by step.
    pub interpreted: u64,
    /// Runs of machine code.
    pub compiled: u64,
    /// Tapes that were compiled.
    pub compiled_tapes: u64,
    /// Time that took, in seconds.
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
    /// What it has done since it was made.
    pub(crate) fn evaluations(&self) -> Evaluations {
        self.evaluations
    }

    /// What runs a tape: the same for equal ones.
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

    /// Computes all roots for these values of the bytes; `out` has a place for each.
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

    /// When the young generation is full it becomes the old one, whose unused tapes go.
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
    fn what_is_run_often_is_compiled_once_for_all_of_the_same_structure() {
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
    fn code_that_is_not_used_any_more_is_freed() {
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
