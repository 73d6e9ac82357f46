//! Measures evaluation by the evaluator, interpreted and compiled; `bench/eval.sh` runs this.

use super::native::Compiler;
use super::{Scratch, Tape};
use crate::testing::byte;
use cairn_expr::{BinOp, CmpOp, Conversion, Dag, Evaluator, ExprId, FloatCmp, FloatOp, InputByte};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time of one measurement.
const MEASUREMENT: Duration = Duration::from_millis(300);
/// Evaluations timed at once.
const ROUND: usize = 64;

fn word(dag: &mut Dag, first: u32, bytes: u32) -> ExprId {
    let parts: Vec<ExprId> = (first..first + bytes).map(|i| dag.input(byte(i))).collect();
    parts.into_iter().reduce(|low, high| dag.concat(high, low)).expect("a byte")
}

/// `x * 7 + y < z` with numbers of 32 bits.
fn small(dag: &mut Dag) -> Vec<ExprId> {
    let [x, y, z] = [0, 4, 8].map(|first| word(dag, first, 4));
    let seven = dag.constant(32, 7);
    let product = dag.binary(BinOp::Mul, x, seven);
    let sum = dag.binary(BinOp::Add, product, y);
    vec![dag.compare(CmpOp::Slt, sum, z)]
}

/// Returns a checksum over 24 bytes that has to have certain digits on its way.
fn checksum(dag: &mut Dag) -> Vec<ExprId> {
    let mut sum = dag.constant(32, 5381);
    let mut conditions = Vec::new();
    for i in 0..24 {
        let digit = dag.input(byte(i));
        let digit = dag.zext(digit, 32);
        let factor = dag.constant(32, 33);
        sum = dag.binary(BinOp::Mul, sum, factor);
        sum = dag.xor(sum, digit);
        if i % 3 == 2 {
            let modulus = dag.constant(32, 10 + u128::from(i));
            let rest = dag.binary(BinOp::URem, sum, modulus);
            let bound = dag.constant(32, 8);
            conditions.push(dag.compare(CmpOp::Ult, rest, bound));
        }
        let least = dag.constant(32, 0x20);
        conditions.push(dag.compare(CmpOp::Ule, least, digit));
    }
    conditions
}

/// Points inside a few circles, in doubles.
fn circles(dag: &mut Dag) -> Vec<ExprId> {
    let [x, y] = [0, 8].map(|first| word(dag, first, 8));
    let circle = |i: u32| {
        let third = word(dag, 16 + 4 * i, 4);
        let z = dag.convert(Conversion::SignedToFloat, third, 64);
        let centre = dag.constant(64, (f64::from(i) * 0.5).to_bits().into());
        let [x, y, z] = [x, y, z].map(|value| dag.float(FloatOp::Sub, value, centre));
        let [x, y, z] = [x, y, z].map(|value| dag.float(FloatOp::Mul, value, value));
        let sum = dag.float(FloatOp::Add, x, y);
        let sum = dag.float(FloatOp::Add, sum, z);
        let radius = dag.constant(64, (f64::from(i) + 1.0).to_bits().into());
        dag.float_compare(FloatCmp::Le, sum, radius)
    };
    (0..8).map(circle).collect()
}

/// Returns the nanoseconds of one call in the best of many rounds, since other processes may disturb some.
fn time(round: usize, mut call: impl FnMut(usize)) -> f64 {
    let (begin, mut best) = (Instant::now(), Duration::MAX);
    while begin.elapsed() < MEASUREMENT {
        let start = Instant::now();
        (0..round).for_each(&mut call);
        best = best.min(start.elapsed());
    }
    best.as_nanos() as f64 / round as f64
}

#[test]
#[ignore = "a measurement"]
fn figures() {
    println!("| conditions | nodes | steps | evaluator | interpreted | compiled | building | compiling |");
    println!("|---|---|---|---|---|---|---|---|");
    line("small", small);
    line("checksum", checksum);
    line("circles", circles);
}

fn line(name: &str, build: impl Fn(&mut Dag) -> Vec<ExprId>) {
    let mut dag = Dag::new();
    let conditions = build(&mut dag);
    let all = conditions.into_iter().reduce(|a, b| dag.and(a, b)).expect("a condition");
    let bytes = dag.inputs(all).to_vec();
    let (tape, mut compiler) = (Tape::new(&dag, &[all], &bytes), Compiler::new().expect("a compiler"));
    let native = compiler.compile(&tape).expect("code");
    let input = |i| bytes.iter().map(|b| (b.offset as usize * 7 + i) as u8).collect();
    let inputs: Vec<Vec<u8>> = (0..ROUND).map(input).collect();
    let (mut scratch, mut out, mut evaluator) = (Scratch::default(), [0], Evaluator::new());
    let evaluated = time(ROUND, |i| {
        black_box(evaluator.eval(&dag, all, &|b: InputByte| inputs[i][b.offset as usize]));
    });
    let interpreted = time(ROUND, |i| tape.run(black_box(&inputs[i]), &mut scratch, &mut out));
    let compiled = time(ROUND, |i| native.run(black_box(&inputs[i]), &mut out));
    let building = time(1, |_| drop(black_box(Tape::new(&dag, &[all], &bytes))));
    let compiling = time(1, |_| drop(black_box(compiler.compile(&tape))));
    let [evaluated, interpreted, compiled] = [evaluated, interpreted, compiled].map(rate);
    let (nodes, steps) = (dag.reachable(&[all]).len(), tape.len());
    let (building, compiling) = (building / 1000.0, compiling / 1000.0);
    println!(
        "| {name} | {nodes} | {steps} | {evaluated} | {interpreted} | {compiled} | {building:.1} µs | {compiling:.0} µs |"
    );
}

fn rate(nanoseconds: f64) -> String {
    format!("{:.2} M/s", 1000.0 / nanoseconds)
}
