//! The time limit is kept, whatever the query, and the next query does not suffer from it.

use cairn_deadline::Deadline;
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, FloatCmp, FloatOp, InputByte, Math};
use cairn_solver::{Answer, Limits, Query, Solver, Unknown, WalkMode, WalkSettings, Z3, standard, with_walk};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_millis(200);
/// For machines that are busy with much else; without a limit these queries take minutes.
const SLACK: Duration = Duration::from_secs(3);

fn zeros(_: InputByte) -> u8 {
    0
}

fn word(dag: &mut Dag, first: u32, bytes: u32) -> ExprId {
    let mut word = dag.input(InputByte { object: 0, offset: first });
    for offset in first + 1..first + bytes {
        let byte = dag.input(InputByte { object: 0, offset });
        word = dag.concat(byte, word);
    }
    word
}

/// Asks for the two prime factors, of 32 bits each, of a number.
fn factoring(dag: &mut Dag) -> ExprId {
    let (x, y) = (word(dag, 0, 4), word(dag, 4, 4));
    let (x, y) = (dag.zext(x, 64), dag.zext(y, 64));
    let product = dag.binary(BinOp::Mul, x, y);
    let number = dag.constant(64, 3_244_611_641 * 3_687_381_953);
    let one = dag.constant(64, 1);
    let (x_proper, y_proper) = (dag.compare(CmpOp::Ugt, x, one), dag.compare(CmpOp::Ugt, y, one));
    let equal = dag.compare(CmpOp::Eq, product, number);
    let proper = dag.and(x_proper, y_proper);
    dag.and(proper, equal)
}

fn easy(dag: &mut Dag, value: u128) -> ExprId {
    let x = word(dag, 100, 2);
    let value = dag.constant(16, value);
    dag.compare(CmpOp::Eq, x, value)
}

fn assert_easy_works(dag: &mut Dag, solver: &mut dyn Solver, value: u128) {
    let target = easy(dag, value);
    let Answer::Sat(model) = solver.solve(dag, &Query { prefix: &[], target }, &zeros, &Deadline::never())
    else {
        panic!("an easy query was not answered");
    };
    let bytes: Vec<u8> = model.iter().map(|(_, value)| value).collect();
    assert_eq!(bytes, (value as u16).to_le_bytes());
}

#[test]
fn a_hard_query_ends_in_time_and_the_next_one_works() {
    let mut dag = Dag::new();
    let mut solver = standard(Limits { time: LIMIT });
    let hard = factoring(&mut dag);
    for round in 0..3 {
        // Another constraint each time, or the cache would answer.
        let extra = easy(&mut dag, round);
        let target = dag.and(hard, extra);
        let start = Instant::now();
        let answer = solver.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
        assert_eq!(answer, Answer::Unknown(Unknown::TimeLimit));
        let time = start.elapsed();
        assert!(time < 2 * LIMIT + SLACK, "{time:?}");
        assert_easy_works(&mut dag, &mut *solver, 0x1234 + round);
    }
    let stats = solver.stats();
    let total = stats.total;
    assert_eq!((total.asked, total.sat, total.unknown, stats.time_limits), (6, 3, 3, 3));
    assert!(total.seconds >= 0.06 && stats.layers.get("smt").seconds <= total.seconds);
}

#[test]
fn a_long_path_of_sums_keeps_the_limit_query_after_query() {
    let mut dag = Dag::new();
    let mut sum = dag.constant(32, 0);
    let mut path = Vec::new();
    for offset in 0..120 {
        let byte = word(&mut dag, offset, 1);
        let byte = dag.zext(byte, 32);
        sum = dag.binary(BinOp::Add, sum, byte);
        let bound = dag.constant(32, 100 + u128::from(offset * 7919 % 101) * 50);
        path.push(dag.compare(CmpOp::Ult, sum, bound));
    }
    let mut z3 = Z3::new(Limits { time: LIMIT });
    for end in (110..path.len()).rev() {
        let target = dag.not(path[end]);
        let start = Instant::now();
        z3.solve(&dag, &Query { prefix: &path[..end], target }, &zeros, &Deadline::never());
        let time = start.elapsed();
        assert!(time < 2 * LIMIT + SLACK, "query {end} took {time:?}");
    }
    assert_easy_works(&mut dag, &mut z3, 7);
}

#[test]
fn operations_of_too_many_gates_are_not_begun() {
    let mut dag = Dag::new();
    let [x, y, z] = [0, 8, 16].map(|first| word(&mut dag, first, 8));
    let quotients = (0..12).fold(x, |value, _| {
        let sum = dag.float(FloatOp::Add, value, y);
        dag.float(FloatOp::Div, sum, z)
    });
    let products = (0..40).fold(x, |value, _| {
        let sum = dag.binary(BinOp::Add, value, y);
        dag.binary(BinOp::Mul, sum, z)
    });
    let mut z3 = Z3::new(Limits { time: LIMIT });
    for value in [quotients, products] {
        let number = dag.constant(64, 0x3ff8_0000_0000_0001);
        let target = dag.compare(CmpOp::Eq, value, number);
        let start = Instant::now();
        let answer = z3.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
        assert_eq!(answer, Answer::Unknown(Unknown::TimeLimit));
        assert!(start.elapsed() < 2 * LIMIT + SLACK, "{:?}", start.elapsed());
    }
    assert_easy_works(&mut dag, &mut z3, 9);
}

#[test]
fn a_search_without_end_ends_in_time() {
    // No sine is 2, which no layer can prove; with this effort the search would go on for minutes.
    for mode in [WalkMode::Full, WalkMode::Classic] {
        let mut dag = Dag::new();
        let x = word(&mut dag, 0, 8);
        let (sine, two) = (dag.math(Math::Sin, &[x]), dag.constant(64, 2f64.to_bits().into()));
        let target = dag.float_compare(FloatCmp::Eq, sine, two);
        let mut settings = WalkSettings { mode, ..WalkSettings::default() };
        settings.set("effort=1000,steps=1000000,neighbours=1000,attempts=1000").unwrap();
        let mut solver = with_walk(Limits { time: LIMIT }, settings);
        let start = Instant::now();
        let answer = solver.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
        assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
        assert!(start.elapsed() < 3 * LIMIT + SLACK, "{:?}", start.elapsed());
    }
}

#[test]
fn the_same_queries_in_the_same_order_give_the_same_models() {
    let models = || {
        let mut dag = Dag::new();
        let mut solver = standard(Limits { time: Duration::from_secs(20) });
        let mut path = Vec::new();
        let mut models = Vec::new();
        for i in 0..30 {
            let (x, y) = (word(&mut dag, i % 7, 4), word(&mut dag, i % 5 + 3, 2));
            let y = dag.zext(y, 32);
            let sum = dag.binary(BinOp::Add, x, y);
            let bound = dag.constant(32, 0x1000 + 77 * u128::from(i) * u128::from(i));
            let target = dag.compare(CmpOp::Ugt, sum, bound);
            models.push(solver.solve(&dag, &Query { prefix: &path, target }, &zeros, &Deadline::never()));
            path.push(target);
        }
        models
    };
    // Each on a thread, hence a Z3 context, of its own.
    let [one, other] =
        [std::thread::spawn(models), std::thread::spawn(models)].map(|t| t.join().expect("no panic"));
    assert!(one.iter().any(|answer| matches!(answer, Answer::Sat(model) if !model.is_empty())));
    assert_eq!(one, other);
}
