//! A decoder that has seen other runs finds what one finds that has not.

use super::*;

fn agrees(trace: &TraceBuilder, decoder: &mut Decoder, dag: &mut Dag) -> Trace {
    let trace = trace.decode_by(decoder, dag);
    let known = dag.len();
    assert_eq!(trace, trace.decode(dag), "what was remembered is not what is there");
    assert_eq!(dag.len(), known, "all that is needed was made");
    trace
}

/// Sums of bytes; one row in fifty is anything.
fn row(label: u64, random: &mut impl FnMut(u64) -> u64) -> LabelEntry {
    if random(50) == 0 {
        return random_entry(label, random);
    }
    let (l1, l2, k) = (1 + random(label - 1) as u32, random(label) as u32, random(3));
    LabelEntry {
        op: Op::Add as u8,
        width: 8,
        l1,
        l2,
        k: if l2 == 0 { k } else { 0 },
        ..LabelEntry::default()
    }
}

fn pins(trace: &mut TraceBuilder, random: &mut impl FnMut(u64) -> u64) {
    trace.recorded.events = 0;
    for _ in 0..20 {
        trace.event(EventKind::Concretization, 0, 1 + random(200) as u32, 0);
    }
}

#[test]
fn whatever_changes_between_runs_is_noticed() {
    let mut random = dice();
    let (mut decoder, mut dag) = (Decoder::default(), Dag::new());
    let mut steps = 0;
    for _ in 0..50 {
        let mut trace = TraceBuilder::new(&[1; 16]);
        (0..16).for_each(|offset| _ = trace.byte(offset));
        (17..201).for_each(|label| _ = trace.entry(row(label, &mut random)));
        for _ in 0..20 {
            pins(&mut trace, &mut random);
            steps += agrees(&trace, &mut decoder, &mut dag).steps.len();
            let label = 17 + random(184);
            match random(3) {
                0 => trace.sizes[0] = 12 + random(5) as usize,
                _ => trace.memory.store(trace.layout.labels + label * 24, row(label, &mut random)),
            }
        }
    }
    assert!(steps > 1000, "{steps} steps: much of it must be decodable");
}

#[test]
fn a_snapshot_that_has_changed_is_read_anew() {
    let mut trace = TraceBuilder::new(&[1]);
    let byte = trace.byte(0);
    let index = trace.label(Op::ZExt, 64, 0, byte, 0, 0);
    let read = trace.label(Op::Read, 8, 0, index, 0, 0);
    let equal = trace.label(Op::Eq, 1, 8, read, 0, 7);
    trace.event(EventKind::Branch, 0, equal, 1);
    let (mut decoder, mut dag) = (Decoder::default(), Dag::new());
    let mut values = Vec::new();
    for bytes in [[6, 7, 8, 9], [7, 7, 7, 6], [6, 7, 8, 9]] {
        trace.memory.write(trace.layout.snapshots, &[&[4, 0, 0, 0, 0, 0, 0, 0], &bytes[..]].concat());
        values.push(agrees(&trace, &mut decoder, &mut dag).steps[0].value);
    }
    assert!(values[0] == values[2] && values[0] != values[1]);
}

#[test]
fn another_table_of_expressions_is_filled_too() {
    let mut trace = TraceBuilder::new(&[5]);
    let byte = trace.byte(0);
    let equal = trace.label(Op::Eq, 1, 8, byte, 0, 5);
    trace.event(EventKind::Branch, 0, equal, 1);
    let mut decoder = Decoder::default();
    agrees(&trace, &mut decoder, &mut Dag::new());
    let mut other = Dag::new();
    other.constant(32, 1);
    agrees(&trace, &mut decoder, &mut other);
}
