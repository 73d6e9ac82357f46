//! Floating point must be what compiled C computes on this machine, bit for bit: clang's code, and the C
//! library's.

use cairn_expr::{Conversion, Dag, ExprId, FloatOp, Math};
use std::io::Write;
use std::process::{Command, Stdio};

/// Makes an expression of operands.
type Build = Box<dyn Fn(&mut Dag, [u128; 3]) -> ExprId>;

/// An operation, its number in `machine/answers.c` (those come in pairs, of 64 and 32 bits), and how to build
/// it from the operands.
struct Case {
    number: u64,
    width: u8,
    operands: usize,
    build: Build,
}

const WIDTHS: [(u8, u64); 2] = [(64, 0), (32, 1)];
const INTEGERS: [u8; 5] = [8, 16, 32, 64, 128];

fn case(
    number: u64,
    width: u8,
    operands: usize,
    build: impl Fn(&mut Dag, [u128; 3]) -> ExprId + 'static,
) -> Case {
    Case { number, width, operands, build: Box::new(build) }
}

/// Returns a case on floats of one width.
fn on_floats(
    number: u64,
    width: u8,
    operands: usize,
    build: impl Fn(&mut Dag, &[ExprId]) -> ExprId + 'static,
) -> Case {
    let take = usize::min(operands, 3);
    case(number, width, operands, move |dag, values| {
        let floats = values.map(|value| dag.constant(width, value));
        build(dag, &floats[..take])
    })
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (width, odd) in WIDTHS {
        for (function, n) in Math::ALL.into_iter().zip(0..) {
            let build = move |dag: &mut Dag, x: &[ExprId]| dag.math(function, x);
            cases.push(on_floats(2 * n + odd, width, function.operands(), build));
        }
        for (op, n) in FloatOp::ALL.into_iter().zip(100..) {
            cases.push(on_floats(2 * n + odd, width, 2, move |dag, x| dag.float(op, x[0], x[1])));
        }
        for (relation, n) in [1, 2, 3, 4, 5, 14].into_iter().zip(110..) {
            let build = move |dag: &mut Dag, x: &[ExprId]| dag.float_relation(relation, x[0], x[1]);
            cases.push(on_floats(2 * n + odd, width, 2, build));
        }
        cases.push(on_floats(282 + odd, width, 2, |dag, x| dag.float_min(x[0], x[1])));
        cases.push(on_floats(284 + odd, width, 2, |dag, x| dag.float_max(x[0], x[1])));
        cases.push(on_floats(280 + odd, width, 1, move |dag, x| {
            dag.convert(Conversion::FloatToFloat, x[0], 96 - width)
        }));
        integer_cases(&mut cases, width, odd);
    }
    cases
}

fn integer_cases(cases: &mut Vec<Case>, width: u8, odd: u64) {
    for (integer, n) in INTEGERS.into_iter().zip(0..) {
        let to = [(Conversion::FloatToSigned, 120), (Conversion::FloatToUnsigned, 125)];
        for (how, first) in to {
            cases.push(on_floats(2 * (first + n) + odd, width, 1, move |dag, x| {
                let result = dag.convert(how, x[0], integer);
                // As C returns it, in 128 bits.
                match how {
                    Conversion::FloatToSigned => dag.sext(result, 128),
                    _ => dag.zext(result, 128),
                }
            }));
        }
        for (how, first) in [(Conversion::SignedToFloat, 130), (Conversion::UnsignedToFloat, 135)] {
            cases.push(case(2 * (first + n) + odd, 64, 2, move |dag, [low, high, _]| {
                let value = dag.constant(integer, high << 64 | low);
                dag.convert(how, value, width)
            }));
        }
    }
}

/// Returns a float or integer at which things happen, or any.
fn operand(rng: &mut fastrand::Rng, width: u8) -> u128 {
    let value = match rng.u8(..10) {
        0 => {
            [0.0, 1.0, 0.5, 2.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::MAX, 1e-320][rng.usize(..9)]
        }
        1 => f64::from(rng.i32(-40..40)) / 4.0,
        2 => f64::from(rng.u32(..)) * 2.0f64.powi(rng.i32(-20..100)),
        3 => 2.0f64.powi(rng.i32(0..130)) + f64::from(rng.i32(-2..3)),
        4..=6 => (rng.f64() - 0.5) * 2.0f64.powi(rng.i32(-10..12)),
        _ => f64::from_bits(rng.u64(..)),
    };
    let value = if rng.bool() { -value } else { value };
    let any = rng.u8(..8) == 0;
    match width {
        32 if any => rng.u32(..).into(),
        32 => (value as f32).to_bits().into(),
        _ if any => (rng.u64(..) >> rng.u32(0..64)).into(),
        _ => value.to_bits().into(),
    }
}

fn answers(requests: &[u8]) -> Vec<u128> {
    let place = tempfile::tempdir().expect("a place");
    let program = place.path().join("answers");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machine/answers.c");
    let compiler = std::env::var("CAIRN_CLANG").unwrap_or_else(|_| "clang-19".to_owned());
    let compiled = Command::new(compiler).args(["-O1", "-o"]).arg(&program).args([source, "-lm"]).status();
    assert!(compiled.expect("clang-19 is installed").success());
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let requests = requests.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&requests).expect("it listens"));
    let output = child.wait_with_output().expect("it answers");
    writer.join().expect("all was written");
    output.stdout.chunks_exact(16).map(|c| u128::from_le_bytes(c.try_into().expect("16 bytes"))).collect()
}

/// True if two results are equal, or both NaN: of two NaN operands the first one counts, and compilers may
/// swap them.
fn same(width: u8, a: u128, b: u128) -> bool {
    let is_nan = |bits: u128| match width {
        32 => f32::from_bits(bits as u32).is_nan(),
        64 => f64::from_bits(bits as u64).is_nan(),
        _ => false,
    };
    a == b || is_nan(a) && is_nan(b)
}

#[test]
fn every_operation_on_floats_is_the_machines() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut asked, mut requests) = (Vec::new(), Vec::new());
    let cases = cases();
    for case in &cases {
        for _ in 0..3000 {
            let mut values = [0; 3];
            values[..case.operands].fill_with(|| operand(&mut rng, case.width));
            asked.push((case, values));
            requests.extend(case.number.to_le_bytes());
            requests.extend(values.iter().flat_map(|&value| (value as u64).to_le_bytes()));
        }
    }
    let answers = answers(&requests);
    assert_eq!(answers.len(), asked.len());
    let mut dag = Dag::new();
    let mut numbers = 0;
    for ((case, values), answer) in asked.into_iter().zip(answers) {
        let built = (case.build)(&mut dag, values);
        let (width, value) = (dag.width(built), dag.as_constant(built).expect("constants fold"));
        assert!(same(width, value, answer), "{} of {values:x?}: {value:x}, C gives {answer:x}", case.number);
        numbers += usize::from(value == answer);
    }
    assert!(numbers > cases.len() * 2500, "{numbers} equal results");
}
