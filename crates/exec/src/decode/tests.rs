use super::*;
use crate::control::layout;
use crate::input::{Input, Object};
use crate::spec::Limits;
use cairn_expr::Evaluator;
use cairn_wire::Op;

/// A recording in the making.
struct Tape {
    memory: SharedMemory,
    layout: Layout,
    recorded: Recorded,
    input: Input,
    sizes: Vec<usize>,
}

impl Tape {
    fn new(input: &[u8]) -> Tape {
        let limits = Limits { labels: 2000, events: 2000, input_bytes: 4096, ..Limits::default() };
        let layout = layout(1, &limits);
        let memory = SharedMemory::create(layout.total).unwrap();
        let input = Input { objects: vec![Object::stdin(input)] };
        let sizes = vec![input.len()];
        Tape { memory, layout, recorded: Recorded { labels: 1, ..Recorded::default() }, input, sizes }
    }

    fn entry(&mut self, entry: LabelEntry) -> u32 {
        let label = self.recorded.labels;
        self.recorded.labels += 1;
        self.memory.store(self.layout.labels + u64::from(label) * 24, entry);
        label
    }

    fn label(&mut self, op: Op, width: u8, aux: u16, l1: u32, l2: u32, k: u64) -> u32 {
        self.entry(LabelEntry { op: op as u8, width, aux, l1, l2, next: 0, k })
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
        let recording = Recording {
            memory: &self.memory,
            layout: &self.layout,
            recorded: self.recorded,
            sites: 10,
            object_sizes: &self.sizes,
        };
        Decoder::default().decode(&recording, dag)
    }

    /// The value that decoding and evaluating a label gives; `None` if it was refused.
    fn value_of(&mut self, label: u32) -> Option<u128> {
        self.event(EventKind::Check, 0, label, 0);
        let mut dag = Dag::new();
        let trace = self.decode(&mut dag);
        let (expr, _) = *trace.checks.last().filter(|_| !trace.damaged)?;
        Some(Evaluator::new().eval(&dag, expr, &self.input))
    }
}

#[test]
fn every_operation_means_what_wire_says() {
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
    ];
    for &(op, width, aux, k, expected) in cases {
        let mut tape = Tape::new(&[200]);
        let byte = tape.byte(0);
        let label = tape.label(op, width, aux, byte, 0, k);
        assert_eq!(tape.value_of(label), Some(expected), "{op:?}");
    }
}

#[test]
fn the_constant_may_be_the_first_operand() {
    for (op, width, aux, expected) in [(Op::Sub, 8, 0, 93), (Op::Ult, 1, 8, 0), (Op::Concat, 16, 0, 0x6407)] {
        let mut tape = Tape::new(&[7]);
        let byte = tape.byte(0);
        let label = tape.label(op, width, aux, 0, byte, 100);
        assert_eq!(tape.value_of(label), Some(expected), "{op:?}");
    }
}

#[test]
fn a_choice_takes_three_labels() {
    for (first, expected) in [(0, 33), (1, 22)] {
        let mut tape = Tape::new(&[first, 22, 33]);
        let bytes = [0, 1, 2].map(|i| tape.byte(i));
        let condition = tape.label(Op::Ne, 1, 8, bytes[0], 0, 0);
        let label = tape.label(Op::Ite, 8, 0, condition, bytes[1], bytes[2].into());
        assert_eq!(tape.value_of(label), Some(expected));
    }
}

#[test]
fn entries_that_make_no_sense_are_refused() {
    // Label 1 is a byte, label 2 sixteen bits; the entry in question is label 3.
    let bad: &[(u8, u8, u16, u32, u32, u64)] = &[
        (0, 8, 0, 1, 1, 0),
        (32, 8, 0, 1, 1, 0),
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
        let mut tape = Tape::new(&[1, 2]);
        let (a, b) = (tape.byte(0), tape.byte(1));
        assert_eq!(tape.label(Op::Concat, 16, 0, a, b, 0), 3);
        // Renumber so that the entry under test is the third.
        tape.recorded.labels = 2;
        assert_eq!(tape.label(Op::ZExt, 16, 0, a, 0, 0), 2);
        let entry = LabelEntry { op, width, aux, l1, l2, next: 0, k };
        let label = tape.entry(entry);
        assert_eq!(tape.value_of(label), None, "{entry:?}");
    }
}

#[test]
fn events_before_the_damage_are_kept() {
    let mut tape = Tape::new(&[5]);
    let byte = tape.byte(0);
    let good = tape.label(Op::Eq, 1, 8, byte, 0, 5);
    let bad = tape.entry(LabelEntry { op: 77, width: 1, ..LabelEntry::default() });
    let worse = tape.label(Op::Xor, 1, 0, bad, good, 0);
    tape.event(EventKind::Branch, 3, good, 1);
    tape.event(EventKind::Pin, NO_SITE, byte, 5);
    tape.event(EventKind::Branch, 4, worse, 1);
    tape.event(EventKind::Branch, 3, good, 1);
    let mut dag = Dag::new();
    let trace = tape.decode(&mut dag);
    assert!(trace.damaged);
    let seen: Vec<_> = trace.steps.iter().map(|s| (s.kind, s.site.0, s.concrete)).collect();
    assert_eq!(seen, [(StepKind::Branch, 3, 1), (StepKind::Pin, NO_SITE, 5)]);
}

#[test]
fn a_bad_label_that_no_event_needs_does_no_harm() {
    let mut tape = Tape::new(&[5]);
    let byte = tape.byte(0);
    tape.entry(LabelEntry { op: 77, ..LabelEntry::default() });
    tape.event(EventKind::Pin, 0, byte, 5);
    let mut dag = Dag::new();
    let trace = tape.decode(&mut dag);
    assert_eq!((trace.damaged, trace.steps.len(), trace.label_count, dag.len()), (false, 1, 2, 1));
}

#[test]
fn events_that_make_no_sense_end_the_path() {
    for (site, label) in [(10, 1), (NO_SITE, 1), (0, 0), (0, 2), (0, u32::MAX), (9 << 28, 1)] {
        let mut tape = Tape::new(&[5]);
        let byte = tape.byte(0);
        tape.event(EventKind::Branch, 0, byte, 5);
        tape.memory.store(tape.layout.events + 16, Event { site, label, value: 0 });
        tape.recorded.events = 2;
        let trace = tape.decode(&mut Dag::new());
        assert_eq!((trace.damaged, trace.steps.len()), (true, 1), "site {site:#x}, label {label}");
    }
}

/// Random tables that are mostly well-formed, so that decoding gets deep into them.
#[test]
fn no_table_makes_decoding_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) % below
    };
    let mut steps = 0;
    for _ in 0..300 {
        let mut tape = Tape::new(&[1; 16]);
        for _ in 0..16 {
            let offset = random(17);
            tape.byte(offset);
        }
        for label in 17..300 {
            let width = [1, 8, 8, 8, 16, 32, 64, 128, random(256) as u8][random(9) as usize];
            tape.entry(LabelEntry {
                op: random(34) as u8,
                width,
                aux: [0, 1, 8, 16, random(65536) as u16][random(5) as usize],
                l1: random(label + 1) as u32,
                l2: random(label + 1) as u32,
                next: 0,
                k: if random(4) == 0 { random(u64::MAX) } else { random(label) },
            });
        }
        for _ in 0..50 {
            let kind = [EventKind::Branch, EventKind::Pin, EventKind::Check][random(3) as usize];
            tape.event(kind, random(10) as u32, random(300) as u32 + 1, random(2));
        }
        steps += tape.decode(&mut Dag::new()).steps.len();
    }
    assert!(steps > 0, "some of it must be decodable");
}

#[test]
fn a_chain_of_the_length_of_the_table_is_decoded() {
    let mut tape = Tape::new(&[1]);
    let mut label = tape.byte(0);
    for _ in 0..1900 {
        label = tape.label(Op::Mul, 8, 0, label, 0, 3);
    }
    assert_eq!(tape.value_of(label), Some((0..1900).fold(1u8, |v, _| v.wrapping_mul(3)).into()));
}
