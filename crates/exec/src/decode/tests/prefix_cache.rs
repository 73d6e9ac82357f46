//! A decoder with cached tables of other runs decodes the same as one without.

use super::*;

fn agrees(builder: &TraceBuilder, decoder: &mut Decoder, dag: &mut Dag) -> Trace {
    let trace = builder.decode_by(decoder, dag);
    let known = dag.len();
    assert_eq!(trace, builder.decode(dag), "what was remembered is not what is there");
    assert_eq!(dag.len(), known, "all that is needed was made");
    trace
}

/// Returns a sum of bytes; one row in fifty is random.
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

fn concretizations(builder: &mut TraceBuilder, random: &mut impl FnMut(u64) -> u64) {
    builder.recorded.events = 0;
    for _ in 0..20 {
        builder.event(EventKind::Concretization, 0, 1 + random(200) as u32, 0);
    }
}

#[test]
fn every_change_between_runs_is_noticed() {
    let mut random = dice();
    let (mut decoder, mut dag) = (Decoder::default(), Dag::new());
    let mut steps = 0;
    for _ in 0..50 {
        let mut builder = TraceBuilder::new(&[1; 16]);
        (0..16).for_each(|offset| _ = builder.byte(offset));
        (17..201).for_each(|label| _ = builder.entry(row(label, &mut random)));
        for _ in 0..20 {
            concretizations(&mut builder, &mut random);
            steps += agrees(&builder, &mut decoder, &mut dag).steps.len();
            let label = 17 + random(184);
            match random(3) {
                0 => builder.sizes[0] = 12 + random(5) as usize,
                _ => builder.memory.store(builder.layout.labels + label * 24, row(label, &mut random)),
            }
        }
    }
    assert!(steps > 1000, "{steps} steps: much of it must be decodable");
}

#[test]
fn a_changed_snapshot_is_read_again() {
    let mut builder = TraceBuilder::new(&[1]);
    let byte = builder.byte(0);
    let index = builder.label(Op::ZExt, 64, 0, byte, 0, 0);
    let read = builder.label(Op::Read, 8, 0, index, 0, 0);
    let equal = builder.label(Op::Eq, 1, 8, read, 0, 7);
    builder.event(EventKind::Branch, 0, equal, 1);
    let (mut decoder, mut dag) = (Decoder::default(), Dag::new());
    let mut values = Vec::new();
    for bytes in [[6, 7, 8, 9], [7, 7, 7, 6], [6, 7, 8, 9]] {
        builder.memory.write(builder.layout.snapshots, &[&[4, 0, 0, 0, 0, 0, 0, 0], &bytes[..]].concat());
        values.push(agrees(&builder, &mut decoder, &mut dag).steps[0].value);
    }
    assert!(values[0] == values[2] && values[0] != values[1]);
}

#[test]
fn another_dag_is_filled_too() {
    let mut builder = TraceBuilder::new(&[5]);
    let byte = builder.byte(0);
    let equal = builder.label(Op::Eq, 1, 8, byte, 0, 5);
    builder.event(EventKind::Branch, 0, equal, 1);
    let mut decoder = Decoder::default();
    agrees(&builder, &mut decoder, &mut Dag::new());
    let mut other = Dag::new();
    other.constant(32, 1);
    agrees(&builder, &mut decoder, &mut other);
}
