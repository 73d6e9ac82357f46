//! Bit-blasting against brute force: every operation at small widths, and random conjunctions.

#[path = "../../expr/tests/recipe/mod.rs"]
mod recipe;

use cairn_deadline::Deadline;
use cairn_expr::{BinOp, BitCount, CmpOp, Dag, Evaluator, ExprId, InputByte};
use cairn_solver::{Answer, Limits, Query, Solver, Unknown, only_sat};
use recipe::{Floats, Recipe};
use std::time::Duration;

const LIMITS: Limits = Limits { time: Duration::from_secs(10) };

fn input(dag: &mut Dag, offset: u32, width: u8) -> ExprId {
    let byte = dag.input(InputByte { object: 0, offset });
    dag.trunc(byte, width)
}

fn equals(dag: &mut Dag, e: ExprId, value: u128) -> ExprId {
    let value = dag.constant(dag.width(e), value);
    dag.compare(CmpOp::Eq, e, value)
}

/// Asserts the verdict on a conjunction; models are validated by the stack.
fn assert_verdict(solver: &mut dyn Solver, dag: &Dag, all: &[ExprId], is_possible: bool, what: &str) {
    let (target, prefix) = all.split_last().expect("a constraint");
    let query = Query { prefix, target: *target };
    let answer = solver.solve(dag, &query, &|_: InputByte| 0, &Deadline::never());
    assert_eq!(answer.verdict(), if is_possible { "sat" } else { "unsat" }, "{what}: {answer:?}");
}

/// Asserts for every value of an expression over two inputs of a few bits, with the second one free and with
/// each of its values, that it is found if and only if the expression has it.
fn check_values(solver: &mut dyn Solver, dag: &mut Dag, e: ExprId, operands: (ExprId, u8), what: &str) {
    let (b, width) = operands;
    let mut evaluator = Evaluator::new();
    let mut values = Vec::new();
    for (x, y) in (0..1u8 << width).flat_map(|x| (0..1u8 << width).map(move |y| (x, y))) {
        let value = evaluator.eval(dag, e, &|byte: InputByte| if byte.offset == 0 { x } else { y });
        values.push((y, value));
    }
    for value in 0..1u128 << dag.width(e).min(5) {
        let target = equals(dag, e, value);
        let is_possible = values.iter().any(|&(_, v)| v == value);
        assert_verdict(solver, dag, &[target], is_possible, &format!("{what} is {value}"));
        for y in 0..1u8 << width {
            let fixed = equals(dag, b, y.into());
            let is_possible = values.contains(&(y, value));
            assert_verdict(solver, dag, &[fixed, target], is_possible, &format!("{what} is {value} for {y}"));
        }
    }
}

#[test]
fn every_operation_has_exactly_the_evaluators_values_at_small_widths() {
    let mut dag = Dag::new();
    let mut solver = only_sat(LIMITS);
    for width in 1..=4 {
        let (a, b) = (input(&mut dag, 0, width), input(&mut dag, 1, width));
        for op in BinOp::ALL {
            let e = dag.binary(op, a, b);
            check_values(&mut *solver, &mut dag, e, (b, width), &format!("{op:?} {width}"));
        }
        for op in CmpOp::ALL {
            let e = dag.compare(op, a, b);
            check_values(&mut *solver, &mut dag, e, (b, width), &format!("{op:?} {width}"));
        }
        for count in BitCount::ALL {
            let e = dag.count(count, a);
            check_values(&mut *solver, &mut dag, e, (b, width), &format!("{count:?} {width}"));
        }
    }
}

#[test]
fn operations_with_a_constant_have_exactly_the_evaluators_values() {
    let mut dag = Dag::new();
    let mut solver = only_sat(LIMITS);
    let (a, b) = (input(&mut dag, 0, 4), input(&mut dag, 1, 4));
    for op in BinOp::ALL {
        for value in 0..16 {
            let constant = dag.constant(4, value);
            for e in [dag.binary(op, a, constant), dag.binary(op, constant, a)] {
                check_values(&mut *solver, &mut dag, e, (b, 4), &format!("{op:?} with {value}"));
            }
        }
    }
}

/// One-bit steps of a recipe, each turned so that it holds under the hidden input, but the last if `other`.
fn conditions(dag: &mut Dag, recipe: &Recipe, hidden: [u8; 2], other: bool) -> Vec<ExprId> {
    let built = recipe.build(dag);
    let values = recipe.values(|byte: InputByte| hidden[byte.offset as usize]);
    let bits = (0..built.len()).filter(|&i| recipe.width(i) == 1);
    let mut all: Vec<ExprId> =
        bits.map(|i| if values[i] == 1 { built[i] } else { dag.not(built[i]) }).collect();
    if let Some(last) = all.last_mut().filter(|_| other) {
        *last = dag.not(*last);
    }
    all
}

#[test]
fn verdicts_on_random_conjunctions_over_two_bytes_are_those_of_brute_force() {
    let bytes = [0, 1].map(|offset| InputByte { object: 0, offset });
    let mut dag = Dag::new();
    let mut solver = only_sat(LIMITS);
    let mut evaluator = Evaluator::new();
    let (mut sat, mut unsat, mut floats) = (0, 0, 0);
    for seed in 0..400 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, 12, &bytes, Floats::Known);
        let all = conditions(&mut dag, &recipe, [rng.u8(..), rng.u8(..)], seed % 2 == 0);
        let Some((&target, prefix)) = all.split_last() else { continue };
        let mut holds = |value: u16| {
            let value = value.to_le_bytes();
            evaluator.begin();
            all.iter().all(|&e| evaluator.value(&dag, e, &|byte: InputByte| value[byte.offset as usize]) == 1)
        };
        let is_possible = (0..=u16::MAX).any(&mut holds);
        let query = Query { prefix, target };
        match solver.solve(&dag, &query, &|_: InputByte| 0, &Deadline::never()) {
            Answer::Sat(_) => sat += 1,
            Answer::Unsat => {
                assert!(!is_possible, "seed {seed}");
                unsat += 1;
            }
            Answer::Unknown(why) => {
                assert_eq!(why, Unknown::Unsupported, "seed {seed}");
                floats += 1;
            }
        }
    }
    assert!(sat > 50 && unsat > 50 && floats < 200, "{sat} sat, {unsat} unsat, {floats} with floats");
}
