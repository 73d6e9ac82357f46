//! The lists of operations agree: each of [`cairn_wire::Op`] is decoded, evaluated, printed and read back.
//!
//! An operation is in many lists: `wire` numbers it, `exec` decodes its rows, `expr` has a node, an
//! evaluator, a printer and a reader for it. This test has a row of each (`rows_of` does not compile without
//! one), with the value that the machine computes, and fails for an operation that one of the lists lacks or
//! takes for another.

use cairn_exec::{Arg, ExitKind, Input, Limits, Mode, Object, Server, TargetSpec};
use cairn_expr::smtlib::{Conjunction, full_script, read};
use cairn_expr::{CmpOp, Dag, Evaluator, ExprId, InputByte};
use cairn_wire::label::input_byte;
use cairn_wire::{Control, LabelEntry, Layout, Math, Op};
use std::hint::black_box;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Operands, all of them input: two integers, then three floats.
const A: u32 = 0xdead_beef;
const B: u32 = 0x0000_1235;
const X: f64 = 2.5;
const Y: f64 = 0.75;
const Z: f64 = -1.25;
/// Bytes of the snapshot.
const SNAPSHOT: [u8; 16] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];

// SAFETY: glibc has this function on every machine Cairn runs on, with these types; it only computes.
unsafe extern "C" {
    /// The C library's `cbrt`, under a name that Rust's own, which rounds better, does not hide.
    #[link_name = "cbrtf64"]
    safe fn cube_root(x: f64) -> f64;
}

/// A label table under construction.
#[derive(Default)]
struct Rows(Vec<LabelEntry>);

impl Rows {
    fn push(&mut self, row: LabelEntry) -> u32 {
        self.0.push(row);
        self.0.len() as u32
    }

    /// Adds the `bytes` input bytes from `offset` on, as one little-endian value.
    fn input(&mut self, offset: u32, bytes: u32) -> u32 {
        let byte = |offset| LabelEntry { k: input_byte(0, offset), ..row(Op::Input, 8) };
        let mut low = self.push(byte(offset));
        for index in 1..bytes {
            let high = self.push(byte(offset + index));
            low = self.push(LabelEntry { l1: high, l2: low, ..row(Op::Concat, 8 * (index + 1) as u8) });
        }
        low
    }
}

fn row(op: Op, width: u8) -> LabelEntry {
    LabelEntry { op: op as u8, width, ..LabelEntry::default() }
}

/// Labels of the operands.
struct Operands {
    a: u32,
    b: u32,
    x: u32,
    y: u32,
    z: u32,
    /// The low byte of `a`.
    byte: u32,
    /// `a < b`, unsigned.
    less: u32,
    /// The low three bits of `a`, as 64 bits.
    index: u32,
    /// The constant 0x5a, of eight bits.
    constant: u32,
}

impl Operands {
    fn of(rows: &mut Rows) -> Operands {
        let (a, b) = (rows.input(0, 4), rows.input(4, 4));
        let [x, y, z] = [8, 16, 24].map(|offset| rows.input(offset, 8));
        let byte = rows.input(0, 1);
        let less = rows.push(LabelEntry { aux: 32, l1: a, l2: b, ..row(Op::Ult, 1) });
        let low = rows.push(LabelEntry { l1: byte, k: 7, ..row(Op::And, 8) });
        let index = rows.push(LabelEntry { l1: low, ..row(Op::ZExt, 64) });
        let constant = rows.push(LabelEntry { k: 0x5a, ..row(Op::Const, 8) });
        Operands { a, b, x, y, z, byte, less, index, constant }
    }
}

/// Returns rows of an operation, and their values.
fn rows_of(op: Op, o: &Operands) -> Vec<(LabelEntry, u128)> {
    let (signed_a, signed_b) = (A.cast_signed(), B.cast_signed());
    let binary = |value: u32| vec![(LabelEntry { l1: o.a, l2: o.b, ..row(op, 32) }, value.into())];
    let compare = |value: bool| vec![(LabelEntry { aux: 32, l1: o.a, l2: o.b, ..row(op, 1) }, value.into())];
    let unary = |width, aux, value: u128| vec![(LabelEntry { aux, l1: o.a, ..row(op, width) }, value)];
    let float = |value: f64| vec![(LabelEntry { l1: o.x, l2: o.y, ..row(op, 64) }, value.to_bits().into())];
    let of_float = |width, aux, value: u128| vec![(LabelEntry { aux, l1: o.x, ..row(op, width) }, value)];
    match op {
        Op::Input => vec![(LabelEntry { k: input_byte(0, 1), ..row(op, 8) }, (A >> 8 & 0xff).into())],
        // A constant alone is no step.
        Op::Const => {
            let joined = LabelEntry { l1: o.constant, l2: o.byte, ..row(Op::Concat, 16) };
            vec![(joined, (0x5a00 | A & 0xff).into())]
        }
        Op::Add => binary(A.wrapping_add(B)),
        Op::Sub => binary(A.wrapping_sub(B)),
        Op::Mul => binary(A.wrapping_mul(B)),
        Op::UDiv => binary(A / B),
        Op::SDiv => binary((signed_a / signed_b).cast_unsigned()),
        Op::URem => binary(A % B),
        Op::SRem => binary((signed_a % signed_b).cast_unsigned()),
        Op::Shl => binary(A << (B % 32)),
        Op::LShr => binary(A >> (B % 32)),
        Op::AShr => binary((signed_a >> (B % 32)).cast_unsigned()),
        Op::And => binary(A & B),
        Op::Or => binary(A | B),
        Op::Xor => binary(A ^ B),
        Op::Eq => compare(A == B),
        Op::Ne => compare(A != B),
        Op::Ult => compare(A < B),
        Op::Ule => compare(A <= B),
        Op::Ugt => compare(A > B),
        Op::Uge => compare(A >= B),
        Op::Slt => compare(signed_a < signed_b),
        Op::Sle => compare(signed_a <= signed_b),
        Op::Sgt => compare(signed_a > signed_b),
        Op::Sge => compare(signed_a >= signed_b),
        Op::ZExt => unary(64, 0, A.into()),
        Op::SExt => unary(64, 0, i64::from(signed_a).cast_unsigned().into()),
        Op::Trunc => unary(16, 0, (A & 0xffff).into()),
        Op::Extract => unary(8, 12, (A >> 12 & 0xff).into()),
        Op::Concat => {
            let value = u128::from(A) << 32 | u128::from(B);
            vec![(LabelEntry { l1: o.a, l2: o.b, ..row(op, 64) }, value)]
        }
        Op::Ite => {
            let choice = LabelEntry { l1: o.less, l2: o.a, k: o.b.into(), ..row(op, 32) };
            vec![(choice, if A < B { A } else { B }.into())]
        }
        Op::FAdd => float(X + Y),
        Op::FSub => float(X - Y),
        Op::FMul => float(X * Y),
        Op::FDiv => float(X / Y),
        Op::FRem => float(X % Y),
        // Bits of a predicate: equal, greater, less, unordered.
        Op::FCmp => (1..=14)
            .map(|predicate: u16| {
                let aux = 64 | predicate << 8;
                (LabelEntry { aux, l1: o.x, l2: o.y, ..row(op, 1) }, (predicate >> 1 & 1).into())
            })
            .collect(),
        Op::FToS => {
            let of_z = LabelEntry { aux: 64, l1: o.z, ..row(op, 32) };
            vec![(of_z, (Z as i32).cast_unsigned().into())]
        }
        Op::FToU => of_float(32, 64, 2),
        Op::SToF => unary(64, 32, f64::from(signed_a).to_bits().into()),
        Op::UToF => unary(64, 32, f64::from(A).to_bits().into()),
        Op::FToF => of_float(32, 64, (X as f32).to_bits().into()),
        Op::Math => Math::ALL.into_iter().map(|function| math_row(function, o)).collect(),
        // Classes of LLVM: 0x100 is positive and normal, 0x008 negative and normal.
        Op::FClass => [of_float(1, 0x100, 1), of_float(1, 0x008, 0)].concat(),
        Op::PopCount => unary(32, 0, A.count_ones().into()),
        Op::LeadingZeros => vec![(LabelEntry { l1: o.b, ..row(op, 32) }, B.leading_zeros().into())],
        Op::TrailingZeros => unary(32, 0, A.trailing_zeros().into()),
        Op::Read => {
            let at = (A & 7) as usize;
            let value = u16::from_le_bytes([SNAPSHOT[at], SNAPSHOT[at + 1]]);
            vec![(LabelEntry { l1: o.index, ..row(op, 16) }, value.into())]
        }
    }
}

fn math_row(function: Math, o: &Operands) -> (LabelEntry, u128) {
    let entry = LabelEntry { aux: function as u16, l1: o.y, ..row(Op::Math, 64) };
    let entry = match function.operands() {
        1 => entry,
        2 => LabelEntry { l2: o.x, ..entry },
        _ => LabelEntry { l2: o.x, k: o.z.into(), ..entry },
    };
    // Not computed at compile time: the library's results differ in the last bit.
    let [x, y, z] = black_box([X, Y, Z]);
    let value = match function {
        Math::Sin => y.sin(),
        Math::Cos => y.cos(),
        Math::Tan => y.tan(),
        Math::Asin => y.asin(),
        Math::Acos => y.acos(),
        Math::Atan => y.atan(),
        Math::Sinh => y.sinh(),
        Math::Cosh => y.cosh(),
        Math::Tanh => y.tanh(),
        Math::Exp => y.exp(),
        Math::Exp2 => y.exp2(),
        Math::Expm1 => y.exp_m1(),
        Math::Log => y.ln(),
        Math::Log2 => y.log2(),
        Math::Log10 => y.log10(),
        Math::Log1p => y.ln_1p(),
        Math::Sqrt => y.sqrt(),
        Math::Floor => y.floor(),
        Math::Ceil => y.ceil(),
        Math::Trunc => y.trunc(),
        Math::Round => y.round(),
        Math::RoundEven => y.round_ties_even(),
        Math::Pow => y.powf(x),
        Math::Atan2 => y.atan2(x),
        Math::Hypot => y.hypot(x),
        Math::Min => y.min(x),
        Math::Max => y.max(x),
        Math::Fma => y.mul_add(x, z),
        Math::Cbrt => cube_root(y),
    };
    (entry, value.to_bits().into())
}

/// Starts a fork server that records what is on its standard input.
fn server(directory: &TempDir) -> Server {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operations_server.c");
    let program = directory.path().join("server");
    let compiler = std::env::var("CAIRN_CLANG").unwrap_or_else(|_| "clang-19".to_owned());
    let status = Command::new(compiler).arg("-O1").arg(source).arg("-o").arg(&program).status();
    assert!(status.expect("clang-19 is installed").success());
    let layout = offset_of!(Control, layout);
    let offsets = [
        layout + offset_of!(Layout, labels),
        layout + offset_of!(Layout, events),
        layout + offset_of!(Layout, snapshots),
        offset_of!(Control, labels),
        offset_of!(Control, events),
        offset_of!(Control, snapshots_used),
    ];
    let mut spec = TargetSpec::new(program, 1);
    spec.args.extend(offsets.map(|offset| Arg::Literal(offset.to_string().into())));
    Server::start(spec, Limits::default()).unwrap()
}

/// Returns the standard input of a run that records these rows and an event for each of the labels.
fn encode(rows: &Rows, labels: &[u32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = [A, B].into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend([X, Y, Z].into_iter().flat_map(f64::to_le_bytes));
    bytes.extend([SNAPSHOT.len() as u32, 0].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend(SNAPSHOT);
    bytes.extend([rows.0.len() as u32, labels.len() as u32].into_iter().flat_map(u32::to_le_bytes));
    for entry in &rows.0 {
        bytes.extend([entry.op, entry.width]);
        bytes.extend(entry.aux.to_le_bytes());
        bytes.extend([entry.l1, entry.l2, entry.unused].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(entry.k.to_le_bytes());
    }
    bytes.extend(labels.iter().copied().flat_map(u32::to_le_bytes));
    bytes
}

/// Returns the value, after printing and reading, of the condition that an expression has this value.
fn printed_and_read(dag: &mut Dag, e: ExprId, value: u128, input: &Input) -> u128 {
    let constant = dag.constant(dag.width(e), value);
    let condition = dag.compare(CmpOp::Eq, e, constant);
    let script =
        full_script(dag, &Conjunction { constraints: &[condition], seed: Some(input), status: None });
    let mut dag = Dag::new();
    let checks = read(&mut dag, &script).unwrap_or_else(|error| panic!("{error}\n{script}"));
    let seed =
        |byte: InputByte| checks[0].seed.iter().find(|(of, _)| *of == byte).map_or(0, |(_, value)| *value);
    let [assertion] = checks[0].assertions[..] else { panic!("one assertion:\n{script}") };
    Evaluator::new().eval(&dag, assertion, &seed)
}

#[test]
fn every_operation_is_in_every_list() {
    let mut rows = Rows::default();
    let operands = Operands::of(&mut rows);
    let mut expected = Vec::new();
    for op in Op::ALL {
        for (entry, value) in rows_of(op, &operands) {
            expected.push((op, entry, rows.push(entry), value));
        }
    }
    let labels: Vec<u32> = expected.iter().map(|(_, _, label, _)| *label).collect();
    let input = Input { objects: vec![Object::stdin(encode(&rows, &labels))] };
    let directory = tempfile::tempdir().unwrap();
    let mut server = server(&directory);
    let run = server.run(&input, Mode::TRACE).unwrap();
    assert_eq!(run.end, ExitKind::Exit(0));
    let mut dag = Dag::new();
    let trace = server.decode(&mut dag);
    if trace.steps.len() < expected.len() {
        let (op, entry, _, _) = &expected[trace.steps.len()];
        panic!("{op:?} is not decoded: {entry:?}");
    }
    assert!(!trace.damaged && !trace.cut);
    for (step, (op, entry, _, value)) in trace.steps.iter().zip(&expected) {
        let width = u32::from(dag.width(step.value));
        assert_eq!(width, entry.width.into(), "width of {op:?}");
        assert_eq!(Evaluator::new().eval(&dag, step.value, &input), *value, "value of {op:?}: {entry:?}");
        assert_eq!(printed_and_read(&mut dag, step.value, *value, &input), 1, "{op:?} as SMT-LIB: {entry:?}");
        let other = value ^ 1;
        assert_eq!(printed_and_read(&mut dag, step.value, other, &input), 0, "{op:?} as SMT-LIB: {entry:?}");
    }
}
