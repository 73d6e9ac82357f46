use super::*;
use crate::control::{Recorded, layout};
use crate::input::{Input, Object};
use crate::shm::SharedMemory;
use crate::spec::Limits;
use cairn_expr::Evaluator;
use cairn_wire::event::NO_SITE;
use cairn_wire::label::{LENGTH, input_byte};
use cairn_wire::{LabelEntry, Layout, Math, Op};

mod prefix_cache;

/// Builds a trace in shared memory.
struct TraceBuilder {
    memory: SharedMemory,
    layout: Layout,
    recorded: Recorded,
    input: Input,
    sizes: Vec<usize>,
}

impl TraceBuilder {
    fn new(input: &[u8]) -> TraceBuilder {
        let sizes = Limits { input_bytes: 4096, snapshot_bytes: 4096, ..Limits::default() };
        let limits = Limits { labels: 2000, events: 2000, ..sizes };
        let layout = layout(1, &limits);
        let memory = SharedMemory::create(layout.total).unwrap();
        let input = Input { objects: vec![Object::stdin(input)] };
        let sizes = vec![input.len()];
        TraceBuilder { memory, layout, recorded: Recorded { labels: 1, ..Recorded::default() }, input, sizes }
    }

    fn entry(&mut self, entry: LabelEntry) -> u32 {
        let label = self.recorded.labels;
        self.recorded.labels += 1;
        self.memory.store(self.layout.labels + u64::from(label) * 24, entry);
        label
    }

    fn label(&mut self, op: Op, width: u8, aux: u16, l1: u32, l2: u32, k: u64) -> u32 {
        self.entry(LabelEntry { op: op as u8, width, aux, l1, l2, unused: 0, k })
    }

    fn byte(&mut self, offset: u64) -> u32 {
        self.label(Op::Input, 8, 0, 0, 0, offset)
    }

    fn event(&mut self, kind: EventKind, site: u32, label: u32, value: u64) {
        let at = self.layout.events + u64::from(self.recorded.events) * 16;
        self.recorded.events += 1;
        self.memory.store(at, Event::new(kind, site, label, value));
    }

    fn decode(&self, dag: &mut Dag) -> Trace {
        self.decode_by(&mut Decoder::default(), dag)
    }

    fn decode_by(&self, decoder: &mut Decoder, dag: &mut Dag) -> Trace {
        let raw_trace = RawTrace {
            memory: &self.memory,
            layout: &self.layout,
            recorded: self.recorded,
            sites: 10,
            object_sizes: &self.sizes,
        };
        decoder.read(&raw_trace);
        decoder.decode(&raw_trace, dag, &cairn_deadline::Deadline::never())
    }

    /// Decodes and evaluates a label; `None` if it was rejected.
    fn value_of(&mut self, label: u32) -> Option<u128> {
        self.event(EventKind::Check, 0, label, 0);
        let mut dag = Dag::new();
        let trace = self.decode(&mut dag);
        let (expr, _) = *trace.checks.last().filter(|_| !trace.damaged)?;
        Some(Evaluator::new().eval(&dag, expr, &self.input))
    }
}

#[test]
fn a_long_path_is_cut_at_the_step_limit() {
    let mut builder = TraceBuilder::new(&[200]);
    let byte = builder.byte(0);
    let conditions: Vec<u32> = (0..5).map(|k| builder.label(Op::Eq, 1, 8, byte, 0, k)).collect();
    conditions.iter().for_each(|condition| builder.event(EventKind::Branch, 1, *condition, 0));
    let short = |max_steps| {
        let mut decoder = Decoder { max_steps, ..Decoder::default() };
        let trace = builder.decode_by(&mut decoder, &mut Dag::new());
        (trace.steps.len(), trace.cut, trace.damaged)
    };
    assert_eq!(
        [3, 4, 5, 6].map(short),
        [(3, true, false), (4, true, false), (5, false, false), (5, false, false)]
    );
}

#[test]
fn every_operation_has_the_semantics_of_wire() {
    let cases: &[(Op, u8, u16, u64, u128)] = &[
        // Byte 0 is 200 (-56 signed); the constant is the second operand.
        (Op::Add, 8, 0, 100, 44),
        (Op::Sub, 8, 0, 201, 255),
        (Op::Mul, 8, 0, 2, 144),
        (Op::UDiv, 8, 0, 3, 66),
        (Op::SDiv, 8, 0, 3, 238),
        (Op::URem, 8, 0, 3, 2),
        (Op::SRem, 8, 0, 3, 254),
        (Op::Shl, 8, 0, 9, 144),
        (Op::LShr, 8, 0, 1, 100),
        (Op::AShr, 8, 0, 1, 228),
        (Op::And, 8, 0, 0x0f, 8),
        (Op::Or, 8, 0, 0x0f, 207),
        (Op::Xor, 8, 0, 0xff, 55),
        (Op::Eq, 1, 8, 200, 1),
        (Op::Ne, 1, 8, 200, 0),
        (Op::Ult, 1, 8, 200, 0),
        (Op::Ule, 1, 8, 200, 1),
        (Op::Ugt, 1, 8, 100, 1),
        (Op::Uge, 1, 8, 201, 0),
        (Op::Slt, 1, 8, 100, 1),
        (Op::Sle, 1, 8, 200, 1),
        (Op::Sgt, 1, 8, 100, 0),
        (Op::Sge, 1, 8, 200, 1),
        (Op::ZExt, 32, 0, 0, 200),
        (Op::SExt, 16, 0, 0, 0xffc8),
        (Op::Trunc, 4, 0, 0, 8),
        (Op::Extract, 4, 4, 0, 12),
        (Op::Concat, 24, 0, 0x1234, 0xc8_1234),
        (Op::PopCount, 8, 0, 0, 3),
        (Op::LeadingZeros, 8, 0, 0, 0),
        (Op::TrailingZeros, 8, 0, 0, 3),
        (Op::SToF, 64, 8, 0, (-56.0f64).to_bits() as u128),
        (Op::UToF, 32, 8, 0, 200.0f32.to_bits() as u128),
    ];
    for &(op, width, aux, k, expected) in cases {
        let mut builder = TraceBuilder::new(&[200]);
        let byte = builder.byte(0);
        let label = builder.label(op, width, aux, byte, 0, k);
        assert_eq!(builder.value_of(label), Some(expected), "{op:?}");
    }
}

/// Evaluates a row on the 64-bit float 2.5, which the first eight input bytes hold.
fn evaluate_on_float(op: Op, width: u8, aux: u16, k: u64) -> Option<u128> {
    let mut builder = TraceBuilder::new(&2.5f64.to_le_bytes());
    let mut value = builder.byte(0);
    for offset in 1..8 {
        let byte = builder.byte(offset);
        value = builder.label(Op::Concat, offset as u8 * 8 + 8, 0, byte, value, 0);
    }
    let third = if aux == Math::Fma as u16 { value.into() } else { k };
    let second = if aux == Math::Fma as u16 { value } else { 0 };
    let label = builder.label(op, width, aux, value, second, third);
    builder.value_of(label)
}

#[test]
fn every_float_operation_has_the_semantics_of_wire() {
    let bits = |x: f64| Some(u128::from(x.to_bits()));
    let constant = 2.0f64.to_bits();
    for (op, expected) in
        [(Op::FAdd, 4.5), (Op::FSub, 0.5), (Op::FMul, 5.0), (Op::FDiv, 1.25), (Op::FRem, 0.5)]
    {
        assert_eq!(evaluate_on_float(op, 64, 0, constant), bits(expected), "{op:?}");
    }
    // LLVM's predicates, for a first operand that is greater: ogt, oge, one, ord, ugt, uge, une.
    for predicate in 1..=14u16 {
        let expected = predicate >> 1 & 1;
        assert_eq!(evaluate_on_float(Op::FCmp, 1, predicate << 8 | 64, constant), Some(expected.into()));
        let with_nan = evaluate_on_float(Op::FCmp, 1, predicate << 8 | 64, f64::NAN.to_bits());
        assert_eq!(with_nan, Some((predicate >> 3).into()), "{predicate}");
    }
    assert_eq!(evaluate_on_float(Op::FToS, 8, 64, 0), Some(2));
    assert_eq!(evaluate_on_float(Op::FToU, 128, 64, 0), Some(2));
    assert_eq!(evaluate_on_float(Op::FToF, 32, 64, 0), Some(2.5f32.to_bits().into()));
    // Positive and normal is class 8.
    let classes: Vec<_> =
        (0..10).map(|class| evaluate_on_float(Op::FClass, 1, 1 << class, 0).unwrap()).collect();
    assert_eq!(classes, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn every_function_is_the_one_of_its_name() {
    let (x, y) = (2.5f64, 2.0f64);
    let expected = [
        (Math::Sin, x.sin()),
        (Math::Cos, x.cos()),
        (Math::Tan, x.tan()),
        (Math::Atan, x.atan()),
        (Math::Sinh, x.sinh()),
        (Math::Cosh, x.cosh()),
        (Math::Tanh, x.tanh()),
        (Math::Exp, x.exp()),
        (Math::Exp2, x.exp2()),
        (Math::Expm1, x.exp_m1()),
        (Math::Log, x.ln()),
        (Math::Log2, x.log2()),
        (Math::Log10, x.log10()),
        (Math::Log1p, x.ln_1p()),
        (Math::Sqrt, x.sqrt()),
        (Math::Floor, 2.0),
        (Math::Ceil, 3.0),
        (Math::Trunc, 2.0),
        (Math::Round, 3.0),
        (Math::RoundEven, 2.0),
        (Math::Pow, 6.25),
        (Math::Atan2, x.atan2(y)),
        (Math::Hypot, x.hypot(y)),
        (Math::Min, 2.0),
        (Math::Max, 2.5),
        (Math::Fma, 8.75),
    ];
    for (function, value) in expected {
        let got = evaluate_on_float(Op::Math, 64, function as u16, y.to_bits());
        assert_eq!(got, Some(value.to_bits().into()), "{function:?}");
    }
    let root = evaluate_on_float(Op::Math, 64, Math::Cbrt as u16, 0).expect("a value");
    assert!((f64::from_bits(root as u64).powi(3) - x).abs() < 1e-12);
    for outside in [Math::Asin, Math::Acos] {
        let got = evaluate_on_float(Op::Math, 64, outside as u16, 0).expect("a value");
        assert!(f64::from_bits(got as u64).is_nan(), "{outside:?}");
    }
}

/// Evaluates a 16-bit read at the index in input byte 0, from five bytes of which the middle one is input byte 1.
fn read_at(index: u8, offset: u64, scribble: impl Fn(&TraceBuilder)) -> Option<u128> {
    let mut builder = TraceBuilder::new(&[index, 0x77]);
    let (index, content) = (builder.byte(0), builder.byte(1));
    let index = builder.label(Op::ZExt, 64, 0, index, 0, 0);
    let at = builder.layout.snapshots + offset;
    builder.memory.write(at, &[5, 0, 0, 0, 1, 0, 0, 0, 0x10, 0x20, 0x30, 0x40, 0x50]);
    let words = [0, 0, content, 0, 0].map(u32::to_le_bytes);
    builder.memory.write(at + 16, &words.concat());
    scribble(&builder);
    let label = builder.label(Op::Read, 16, 0, index, 0, offset);
    builder.value_of(label)
}

#[test]
fn reads_use_snapshots() {
    let expected = [(0, 0x2010), (1, 0x7720), (2, 0x4077), (3, 0x5040), (4, 0x0050), (5, 0), (255, 0)];
    for (place, value) in expected {
        assert_eq!(read_at(place, 64, |_| ()), Some(value), "place {place}");
    }
}

#[test]
fn implausible_snapshots_are_rejected() {
    let at = |builder: &TraceBuilder| builder.layout.snapshots + 64;
    assert_eq!(read_at(0, u64::MAX - 7, |_| ()), None);
    let nonsense: [(u64, &[u8]); 4] =
        [(0, &[0; 4]), (0, &[1, 0x10, 0, 0]), (0, &[0xff; 4]), (24, &[0xff, 0xff, 0xff, 0x1f])];
    for (place, bytes) in nonsense {
        assert_eq!(
            read_at(0, 64, |builder| builder.memory.write(at(builder) + place, bytes)),
            None,
            "{bytes:?}"
        );
    }
    // The last position in the region has no room for a header.
    let end = TraceBuilder::new(&[]).layout.snapshot_size;
    for offset in [end, end + 8, 65] {
        let mut builder = TraceBuilder::new(&[0]);
        let byte = builder.byte(0);
        let index = builder.label(Op::ZExt, 64, 0, byte, 0, 0);
        let label = builder.label(Op::Read, 8, 0, index, 0, offset);
        assert_eq!(builder.value_of(label), None, "offset {offset}");
    }
}

/// Decodes 8-bit reads from snapshots of 400 bytes, so many bytes apart; returns how many are accepted.
fn accepted_reads(distance: u64, count: u64) -> usize {
    let mut builder = TraceBuilder::new(&[0]);
    let byte = builder.byte(0);
    let index = builder.label(Op::ZExt, 64, 0, byte, 0, 0);
    for number in 0..count {
        let at = builder.layout.snapshots + number * distance;
        builder.memory.write(at, &400u64.to_ne_bytes());
        let label = builder.label(Op::Read, 8, 0, index, 0, number * distance);
        builder.event(EventKind::Concretization, NO_SITE, label, 0);
    }
    // The bytes of each begin with its number, so that no two are equal.
    for number in 0..count {
        builder.memory.write(builder.layout.snapshots + number * distance + 8, &number.to_ne_bytes());
    }
    let trace = builder.decode(&mut Dag::new());
    assert_eq!(trace.damaged, trace.steps.len() < count as usize);
    trace.steps.len()
}

#[test]
fn overlapping_snapshots_are_not_all_accepted() {
    assert_eq!(accepted_reads(408, 10), 10);
    // Together they would exceed their region of 4096 bytes. Those of the last labels are loaded first.
    assert_eq!(accepted_reads(16, 100), 0);
}

#[test]
fn expressions_of_a_run_have_a_limit() {
    let mut builder = TraceBuilder::new(&[1, 2]);
    let (mut label, other) = (builder.byte(0), builder.byte(1));
    for number in 0..1000 {
        label = builder.label(if number % 2 == 0 { Op::Mul } else { Op::Xor }, 8, 0, label, other, 0);
        builder.event(EventKind::Concretization, NO_SITE, label, 0);
    }
    let decode = |most_bytes| {
        let (mut decoder, mut dag) = (Decoder::new(most_bytes), Dag::new());
        let mut decode = || {
            let trace = builder.decode_by(&mut decoder, &mut dag);
            (trace.steps.len(), trace.cut, trace.damaged)
        };
        [decode(), decode()]
    };
    assert_eq!(decode(u64::MAX), [(1000, false, false); 2]);
    let [(steps, cut, damaged), (more, ..)] = decode(10_000);
    assert!(cut && !damaged && (100..500).contains(&steps), "{steps}");
    assert!(more > steps, "the next run goes on where this one ended: {more}");
}

#[test]
fn the_length_of_an_object_is_symbolic() {
    for (object, is_there) in [(0, true), (1, false)] {
        let mut builder = TraceBuilder::new(&[5]);
        let label = builder.label(Op::Input, 8, 0, 0, 0, input_byte(object, LENGTH));
        assert_eq!(builder.value_of(label).is_some(), is_there);
    }
}

#[test]
fn the_constant_may_be_the_first_operand() {
    for (op, width, aux, expected) in [(Op::Sub, 8, 0, 93), (Op::Ult, 1, 8, 0), (Op::Concat, 16, 0, 0x6407)] {
        let mut builder = TraceBuilder::new(&[7]);
        let byte = builder.byte(0);
        let label = builder.label(op, width, aux, 0, byte, 100);
        assert_eq!(builder.value_of(label), Some(expected), "{op:?}");
    }
}

#[test]
fn a_choice_takes_three_labels() {
    for (first, expected) in [(0, 33), (1, 22)] {
        let mut builder = TraceBuilder::new(&[first, 22, 33]);
        let bytes = [0, 1, 2].map(|i| builder.byte(i));
        let condition = builder.label(Op::Ne, 1, 8, bytes[0], 0, 0);
        let label = builder.label(Op::Ite, 8, 0, condition, bytes[1], bytes[2].into());
        assert_eq!(builder.value_of(label), Some(expected));
    }
}

#[test]
fn implausible_rows_are_rejected() {
    // Label 1 is a byte, label 2 sixteen bits; the entry in question is label 3.
    let bad: &[(u8, u8, u16, u32, u32, u64)] = &[
        (0, 8, 0, 1, 1, 0),
        (49, 8, 0, 1, 1, 0),
        (Op::FAdd as u8, 8, 0, 1, 1, 0),
        (Op::FAdd as u8, 16, 0, 2, 2, 0),
        (Op::FCmp as u8, 1, 0x0108, 1, 1, 0),
        (Op::FToS as u8, 8, 8, 1, 0, 0),
        (Op::SToF as u8, 16, 8, 1, 0, 0),
        (Op::SToF as u8, 32, 16, 1, 0, 0),
        (Op::FToF as u8, 64, 16, 2, 0, 0),
        (Op::Math as u8, 16, 1, 2, 0, 0),
        (Op::Math as u8, 64, 99, 2, 0, 0),
        (Op::FClass as u8, 1, 1, 2, 0, 0),
        (Op::PopCount as u8, 16, 0, 1, 0, 0),
        (Op::Read as u8, 8, 0, 2, 0, 0),
        (255, 8, 0, 1, 1, 0),
        (Op::Add as u8, 0, 0, 1, 1, 0),
        (Op::Add as u8, 129, 0, 1, 0, 0),
        (Op::Add as u8, 8, 0, 0, 0, 5),
        (Op::Add as u8, 8, 0, 1, 2, 0),
        (Op::Add as u8, 16, 0, 1, 1, 0),
        (Op::Add as u8, 8, 0, 3, 1, 0),
        (Op::Add as u8, 8, 0, 1, 4, 0),
        (Op::Add as u8, 8, 0, u32::MAX, 1, 0),
        (Op::Eq as u8, 8, 8, 1, 1, 0),
        (Op::Eq as u8, 1, 0, 1, 1, 0),
        (Op::Eq as u8, 1, 16, 1, 1, 0),
        (Op::Eq as u8, 1, 264, 1, 1, 0),
        (Op::Input as u8, 8, 0, 0, 0, 2),
        (Op::Input as u8, 8, 1, 0, 0, 0),
        (Op::Input as u8, 8, 0, 0, 0, input_byte(1, 0)),
        (Op::Input as u8, 16, 0, 0, 0, 0),
        (Op::Input as u8, 8, 0, 0, 0, u64::MAX),
        (Op::Const as u8, 200, 0, 0, 0, 0),
        (Op::ZExt as u8, 7, 0, 1, 0, 0),
        (Op::SExt as u8, 8, 0, 2, 0, 0),
        (Op::ZExt as u8, 16, 0, 0, 0, 0),
        (Op::Trunc as u8, 9, 0, 1, 0, 0),
        (Op::Extract as u8, 4, 5, 1, 0, 0),
        (Op::Extract as u8, 4, 65535, 1, 0, 0),
        (Op::Concat as u8, 8, 0, 1, 0, 0),
        (Op::Concat as u8, 7, 0, 0, 1, 0),
        (Op::Concat as u8, 25, 0, 1, 2, 0),
        (Op::Ite as u8, 8, 0, 1, 1, 1),
        (Op::Ite as u8, 8, 0, 1, 1, 0),
        (Op::Ite as u8, 8, 0, 1, 1, 1 << 40),
    ];
    for &(op, width, aux, l1, l2, k) in bad {
        let mut builder = TraceBuilder::new(&[1, 2]);
        let (a, b) = (builder.byte(0), builder.byte(1));
        assert_eq!(builder.label(Op::Concat, 16, 0, a, b, 0), 3);
        // Renumber so that the entry under test is the third.
        builder.recorded.labels = 2;
        assert_eq!(builder.label(Op::ZExt, 16, 0, a, 0, 0), 2);
        let entry = LabelEntry { op, width, aux, l1, l2, unused: 0, k };
        let label = builder.entry(entry);
        assert_eq!(builder.value_of(label), None, "{entry:?}");
    }
}

#[test]
fn events_before_the_damage_are_kept() {
    let mut builder = TraceBuilder::new(&[5]);
    let byte = builder.byte(0);
    let good = builder.label(Op::Eq, 1, 8, byte, 0, 5);
    let bad = builder.entry(LabelEntry { op: 77, width: 1, ..LabelEntry::default() });
    let worse = builder.label(Op::Xor, 1, 0, bad, good, 0);
    builder.event(EventKind::Branch, 3, good, 1);
    builder.event(EventKind::Concretization, NO_SITE, byte, 5);
    builder.event(EventKind::Branch, 4, worse, 1);
    builder.event(EventKind::Branch, 3, good, 1);
    let mut dag = Dag::new();
    let trace = builder.decode(&mut dag);
    assert!(trace.damaged);
    let seen: Vec<_> = trace.steps.iter().map(|s| (s.kind, s.site.0, s.concrete)).collect();
    assert_eq!(seen, [(StepKind::Branch, 3, 1), (StepKind::Concretization, NO_SITE, 5)]);
}

#[test]
fn an_invalid_label_that_no_event_needs_does_no_harm() {
    let mut builder = TraceBuilder::new(&[5]);
    let byte = builder.byte(0);
    builder.entry(LabelEntry { op: 77, ..LabelEntry::default() });
    builder.event(EventKind::Concretization, 0, byte, 5);
    let mut dag = Dag::new();
    let trace = builder.decode(&mut dag);
    assert_eq!((trace.damaged, trace.steps.len(), trace.label_count, dag.len()), (false, 1, 2, 1));
}

#[test]
fn implausible_events_end_the_path() {
    for (site, label) in [(10, 1), (NO_SITE, 1), (0, 0), (0, 2), (0, u32::MAX), (9 << 28, 1)] {
        let mut builder = TraceBuilder::new(&[5]);
        let byte = builder.byte(0);
        builder.event(EventKind::Branch, 0, byte, 5);
        builder.memory.store(builder.layout.events + 16, Event { site, label, value: 0 });
        builder.recorded.events = 2;
        let trace = builder.decode(&mut Dag::new());
        assert_eq!((trace.damaged, trace.steps.len()), (true, 1), "site {site:#x}, label {label}");
    }
}

/// Decodes random tables that are mostly well-formed, so that decoding gets deep into them.
#[test]
fn no_table_makes_decoding_panic() {
    let mut random = dice();
    let mut steps = 0;
    for _ in 0..300 {
        steps += random_trace(&mut random).decode(&mut Dag::new()).steps.len();
    }
    assert!(steps > 0, "some of it must be decodable");
}

fn dice() -> impl FnMut(u64) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) % below
    }
}

fn random_trace(random: &mut impl FnMut(u64) -> u64) -> TraceBuilder {
    let mut builder = TraceBuilder::new(&[1; 16]);
    for _ in 0..16 {
        let offset = random(17);
        builder.byte(offset);
    }
    for label in 17..300 {
        let entry = random_entry(label, random);
        builder.entry(entry);
    }
    random_events(&mut builder, random);
    builder
}

fn random_entry(label: u64, random: &mut impl FnMut(u64) -> u64) -> LabelEntry {
    LabelEntry {
        op: random(50) as u8,
        width: [1, 8, 8, 8, 16, 32, 64, 128, random(256) as u8][random(9) as usize],
        aux: [0, 1, 8, 16, 32, 64, 0x0340, random(65536) as u16][random(8) as usize],
        l1: random(label + 1) as u32,
        l2: random(label + 1) as u32,
        unused: 0,
        k: if random(4) == 0 { random(u64::MAX) } else { random(label) },
    }
}

fn random_events(builder: &mut TraceBuilder, random: &mut impl FnMut(u64) -> u64) {
    for _ in 0..50 {
        let kind = [EventKind::Branch, EventKind::Concretization, EventKind::Check][random(3) as usize];
        builder.event(kind, random(10) as u32, random(300) as u32 + 1, random(2));
    }
}

#[test]
fn a_chain_of_the_length_of_the_table_is_decoded() {
    let mut builder = TraceBuilder::new(&[1]);
    let mut label = builder.byte(0);
    for _ in 0..1900 {
        label = builder.label(Op::Mul, 8, 0, label, 0, 3);
    }
    assert_eq!(builder.value_of(label), Some((0..1900).fold(1u8, |v, _| v.wrapping_mul(3)).into()));
}
