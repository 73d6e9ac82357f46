//! Random expressions and conjunctions: the reference evaluator, the SMT-LIB text and Z3 must agree.

#[path = "../../expr/tests/recipe/mod.rs"]
mod recipe;

use cairn_deadline::Deadline;
use cairn_expr::{BinOp, CmpOp, Conversion, Dag, Evaluator, ExprId, FloatOp, InputByte, Math, smtlib};
use cairn_solver::{Answer, Limits, Overlay, Query, Solver, Unknown, Z3, standard};
use recipe::{Floats, Recipe};
use std::time::Duration;
use z3::SatResult;

const BYTES: usize = 4;
const LIMITS: Limits = Limits { time: Duration::from_millis(2500) };

fn input_bytes() -> Vec<InputByte> {
    (0..BYTES as u32).map(|offset| InputByte { object: 0, offset }).collect()
}

fn lookup(bytes: &[u8]) -> impl Fn(InputByte) -> u8 {
    move |b: InputByte| bytes[b.offset as usize]
}

/// Constraints that leave only this input.
fn fixed(dag: &mut Dag, input: &[u8]) -> Vec<ExprId> {
    let equal = |(&value, byte): (&u8, InputByte)| {
        let (byte, value) = (dag.input(byte), dag.constant(8, value.into()));
        dag.compare(CmpOp::Eq, byte, value)
    };
    input.iter().zip(input_bytes()).map(equal).collect()
}

/// Asserts that Z3 computes the same value under the input: with the input fixed, no other value is possible.
fn check_value(dag: &mut Dag, z3: &mut Z3, e: ExprId, input: &[u8], what: &dyn Fn() -> String) {
    let value = Evaluator::new().eval(dag, e, &lookup(input));
    let prefix = fixed(dag, input);
    let value = dag.constant(dag.width(e), value);
    let target = dag.compare(CmpOp::Ne, e, value);
    let answer = z3.solve(dag, &Query { prefix: &prefix, target }, &lookup(input), &Deadline::never());
    assert_eq!(answer, Answer::Unsat, "{}, input {input:?}", what());
}

#[test]
fn random_expressions_have_z3s_value() {
    let mut z3 = Z3::new(LIMITS);
    let mut dag = Dag::new();
    for seed in 0..100 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, 30, &input_bytes(), Floats::Known);
        let built = recipe.build(&mut dag);
        let input: Vec<u8> = (0..BYTES).map(|_| rng.u8(..)).collect();
        for i in (0..built.len()).rev().step_by(3) {
            check_value(&mut dag, &mut z3, built[i], &input, &|| {
                format!("seed {seed} step {:?}", recipe.steps[i])
            });
        }
    }
}

/// Returns a value of this width made of input bytes: small, so that divisions by zero and odd shifts happen,
/// or spread wide.
fn operand(dag: &mut Dag, first: u32, width: u8) -> ExprId {
    let bytes = [first, first + 1].map(|offset| dag.input(InputByte { object: 0, offset }));
    let pair = dag.concat(bytes[1], bytes[0]);
    if width <= 16 { dag.trunc(pair, width) } else { dag.sext(pair, width) }
}

#[test]
fn every_operation_has_z3s_value_at_every_kind_of_width() {
    let mut z3 = Z3::new(LIMITS);
    let mut rng = fastrand::Rng::with_seed(7);
    let mut dag = Dag::new();
    for width in [1, 7, 8, 32, 33, 64, 128] {
        let (a, b) = (operand(&mut dag, 0, width), operand(&mut dag, 2, width));
        let mut made: Vec<(String, ExprId)> = Vec::new();
        for op in BinOp::ALL {
            made.push((format!("{op:?} {width}"), dag.binary(op, a, b)));
        }
        for op in CmpOp::ALL {
            made.push((format!("{op:?} {width}"), dag.compare(op, a, b)));
        }
        let edges = [[1, 0, 0, 0], [0xff, 0xff, 0, 0], [0, 0x80, 0xff, 0xff], [5, 0, width + 1, 0]];
        let more = [rng.u32(..).to_le_bytes(), rng.u32(..).to_le_bytes()];
        for (name, e) in made {
            for input in edges.iter().chain(&more) {
                check_value(&mut dag, &mut z3, e, input, &|| name.clone());
            }
        }
    }
}

/// Returns a float with its sign, exponent and highest bits from two input bytes, or none of these and tiny.
fn float_operand(dag: &mut Dag, first: u32, width: u8) -> ExprId {
    let bytes = [first, first + 1].map(|offset| dag.input(InputByte { object: 0, offset }));
    let pair = dag.concat(bytes[1], bytes[0]);
    let rest = dag.constant(width - 16, 0x1234_5678_9abc);
    dag.concat(pair, rest)
}

/// Operations on floats that Z3 knows, all of one width.
fn float_operations(dag: &mut Dag, width: u8) -> Vec<(String, ExprId)> {
    let (a, b) = (float_operand(dag, 0, width), float_operand(dag, 2, width));
    let mut made = Vec::new();
    for op in [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div] {
        made.push((format!("{op:?} {width}"), dag.float(op, a, b)));
    }
    for mask in 1..15 {
        made.push((format!("relation {mask} {width}"), dag.float_relation(mask, a, b)));
    }
    for function in [Math::Sqrt, Math::Floor, Math::Ceil, Math::Trunc, Math::Round, Math::RoundEven] {
        made.push((format!("{function:?} {width}"), dag.math(function, &[a])));
    }
    made.push((format!("Fma {width}"), dag.math(Math::Fma, &[a, b, b])));
    made.push((format!("Min {width}"), dag.float_min(a, b)));
    made.push((format!("resized {width}"), dag.convert(Conversion::FloatToFloat, a, 96 - width)));
    for class in 0..10 {
        made.push((format!("class {class} {width}"), dag.float_class(1 << class, a)));
    }
    for integer in [8, 16, 32, 64] {
        let number = operand(dag, 0, integer);
        for how in [Conversion::FloatToSigned, Conversion::FloatToUnsigned] {
            made.push((format!("{how:?} {width} {integer}"), dag.convert(how, a, integer)));
        }
        for how in [Conversion::SignedToFloat, Conversion::UnsignedToFloat] {
            made.push((format!("{how:?} {integer} {width}"), dag.convert(how, number, width)));
        }
    }
    made
}

#[test]
fn every_operation_on_floats_has_z3s_value() {
    let mut z3 = Z3::new(LIMITS);
    let mut dag = Dag::new();
    for width in [32, 64] {
        // Ones, zeros of both signs, numbers of all sizes, infinity, and NaN.
        let pairs = [
            [0x80, 0x3f, 0, 0x40],
            [0, 0x80, 0, 0],
            [0xf0, 0x3f, 0xf0, 0xbf],
            [0xf1, 0x7f, 0xf0, 0x7f],
            [0x80, 0x7f, 0x81, 0xff],
            [0xd0, 0x41, 0xe3, 0xc1],
            [0x01, 0x43, 0xef, 0x5f],
            [0xf3, 0xff, 0xc8, 0x7f],
            [0x7f, 0x4f, 0xe8, 0xc3],
            [0xe5, 0x43, 0x20, 0x5f],
            [0x20, 0x5f, 0x20, 0xdf],
        ];
        for (name, e) in float_operations(&mut dag, width) {
            for input in &pairs {
                check_value(&mut dag, &mut z3, e, input, &|| name.clone());
            }
        }
    }
}

#[test]
fn z3_reads_the_printed_script_and_finds_the_same_value() {
    for seed in 1000..1080 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, 30, &input_bytes(), Floats::Known);
        let mut dag = Dag::new();
        let e = *recipe.build(&mut dag).last().expect("a recipe has steps");
        let input: Vec<u8> = (0..BYTES).map(|_| rng.u8(..)).collect();
        let value = Evaluator::new().eval(&dag, e, &lookup(&input));
        let value = dag.constant(dag.width(e), value);
        for (op, expected) in [(CmpOp::Eq, SatResult::Sat), (CmpOp::Ne, SatResult::Unsat)] {
            let mut constraints = fixed(&mut dag, &input);
            constraints.push(dag.compare(op, e, value));
            let solver = z3::Solver::new();
            let (seed_input, status) = (lookup(&input), Some(smtlib::Status::Sat));
            let conjunction =
                smtlib::Conjunction { constraints: &constraints, seed: Some(&seed_input), status };
            solver.from_string(smtlib::full_script(&dag, &conjunction));
            assert!(solver.get_assertions().len() >= constraints.len(), "seed {seed}: the script was read");
            assert_eq!(solver.check(), expected, "seed {seed}");
        }
    }
}

/// One-bit steps of a recipe, each turned so that it holds under the hidden input.
fn true_conditions(dag: &mut Dag, recipe: &Recipe, hidden: &[u8]) -> Vec<ExprId> {
    let built = recipe.build(dag);
    let values = recipe.values(lookup(hidden));
    let bits = (0..built.len()).filter(|&i| recipe.width(i) == 1);
    bits.map(|i| if values[i] == 1 { built[i] } else { dag.not(built[i]) }).collect()
}

#[test]
fn satisfiable_conjunctions_get_valid_models() {
    let mut solver = standard(LIMITS);
    let mut dag = Dag::new();
    let (mut answered, mut asked) = (0, 0);
    for seed in 2000..2120 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, 25, &input_bytes(), Floats::Known);
        let hidden: Vec<u8> = (0..BYTES).map(|_| rng.u8(..)).collect();
        let conditions = true_conditions(&mut dag, &recipe, &hidden);
        let Some((&target, prefix)) = conditions.split_last() else { continue };
        asked += 1;
        match solver.solve(&dag, &Query { prefix, target }, &lookup(&hidden), &Deadline::never()) {
            Answer::Sat(model) => {
                answered += 1;
                let input = Overlay { model: &model, seed: &lookup(&hidden) };
                assert!(
                    conditions.iter().all(|&e| Evaluator::new().eval(&dag, e, &input) == 1),
                    "seed {seed}"
                );
            }
            Answer::Unknown(Unknown::TimeLimit) => {}
            other => panic!("seed {seed}: {other:?} for a conjunction that {hidden:?} satisfies"),
        }
    }
    assert_eq!(solver.stats().layers.get("validate").unknown, 0);
    assert!(answered * 10 >= asked * 9, "{answered} of {asked}");
}

#[test]
fn answers_about_one_byte_are_those_of_trying_all_256_values() {
    let byte = [InputByte { object: 0, offset: 0 }];
    let (mut sat, mut unsat) = (0, 0);
    let mut solver = standard(LIMITS);
    let mut dag = Dag::new();
    let mut evaluator = Evaluator::new();
    for seed in 3000..3500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, 25, &byte, Floats::Known);
        let conditions = true_conditions(&mut dag, &recipe, &[rng.u8(..)]);
        let Some((&last, prefix)) = conditions.split_last() else { continue };
        // The other side of the last condition may or may not be possible.
        let target = dag.not(last);
        let mut holds = |value: u8| {
            let input = move |_: InputByte| value;
            prefix.iter().chain([&target]).all(|&e| evaluator.eval(&dag, e, &input) == 1)
        };
        let possible = (0..=255).any(&mut holds);
        match solver.solve(&dag, &Query { prefix, target }, &|_: InputByte| 0, &Deadline::never()) {
            Answer::Sat(model) => {
                sat += 1;
                assert!(possible && holds(model.get(byte[0]).unwrap_or(0)), "seed {seed}");
            }
            Answer::Unsat => {
                unsat += 1;
                assert!(!possible, "seed {seed}");
            }
            Answer::Unknown(why) => assert_eq!(why, Unknown::TimeLimit, "seed {seed}"),
        }
    }
    assert!(sat > 10 && unsat > 10, "{sat} sat, {unsat} unsat");
}
