//! Splits the input of a run into pieces: the bytes that made a producer return each of its values.

use cairn_exec::{Input, TracePiece, TraceStep};
use cairn_expr::Dag;
use cairn_mutate::pieces::Piece;
use cairn_program::SiteId;
use cairn_wire::label::LENGTH;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that a decision may depend on to count: a check over all of the input says nothing about a piece of it.
const MAX_BYTES: usize = 64;

/// The input of a run as a sequence of pieces.
pub(crate) struct SplitInput {
    /// Site of the producer.
    pub producer: SiteId,
    /// Object that the pieces are of.
    pub object: usize,
    pub pieces: Vec<Piece>,
}

/// Splits the input of a run, once for each producer.
pub(crate) fn split(trace: &[TracePiece], steps: &[TraceStep], dag: &Dag, input: &Input) -> Vec<SplitInput> {
    let mut by_producer: BTreeMap<u32, Vec<&TracePiece>> = BTreeMap::new();
    trace.iter().for_each(|piece| by_producer.entry(piece.site.0).or_default().push(piece));
    let splits = by_producer.into_iter().filter_map(|(producer, activations)| {
        let read: Vec<BTreeSet<(u32, u32)>> =
            activations.iter().map(|piece| bytes_read(&steps[piece.steps.clone()], dag)).collect();
        let object = read.iter().flatten().map(|(object, _)| *object as usize).find(|object| {
            let object = input.objects.get(*object);
            object.is_some_and(|object| object.has_any_length())
        })?;
        let of_object = |bytes: &BTreeSet<(u32, u32)>| {
            bytes.iter().filter(|(of, _)| *of as usize == object).map(|(_, offset)| *offset).collect()
        };
        let read: Vec<BTreeSet<u32>> = read.iter().map(of_object).collect();
        let values: Vec<u64> = activations.iter().map(|piece| piece.value).collect();
        let pieces = cut(&values, &read, &input.objects[object].bytes);
        Some(SplitInput { producer: SiteId(producer), object, pieces })
    });
    splits.collect()
}

/// Returns the input bytes that decisions depend on.
fn bytes_read(steps: &[TraceStep], dag: &Dag) -> BTreeSet<(u32, u32)> {
    let mut bytes = BTreeSet::new();
    for step in steps {
        let members = dag.sets().members(dag.input_set(step.value));
        if members.len() <= MAX_BYTES {
            let contents = members.iter().filter(|byte| byte.offset < LENGTH);
            bytes.extend(contents.map(|byte| (byte.object, byte.offset)));
        }
    }
    bytes
}

/// Cuts an object's bytes at the places where the producer's next activation begins to read. A byte that it has
/// looked at to see where a piece ends belongs to the next one.
fn cut(values: &[u64], read: &[BTreeSet<u32>], bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (index, value) in values.iter().enumerate() {
        let Some(first) = read[index].range(start..).next() else { continue };
        let next = read[index + 1..].iter().find(|bytes| !bytes.is_empty());
        let next = next.and_then(|bytes| bytes.range(first + 1..).next().copied());
        let end = next.unwrap_or_else(|| read[index].last().map_or(0, |last| last + 1));
        // The end of the input may have been looked at as a byte.
        let end = end.min(bytes.len() as u32);
        let Some(text) = bytes.get(start as usize..end as usize).filter(|text| !text.is_empty()) else {
            continue;
        };
        pieces.push(Piece { value: *value, text: text.to_vec() });
        start = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(read: &[&[u32]], bytes: &[u8]) -> Vec<(u64, String)> {
        let read: Vec<BTreeSet<u32>> = read.iter().map(|bytes| bytes.iter().copied().collect()).collect();
        let values: Vec<u64> = (0..read.len() as u64).collect();
        let text = |piece: &Piece| (piece.value, String::from_utf8(piece.text.clone()).unwrap());
        cut(&values, &read, bytes).iter().map(text).collect()
    }

    #[test]
    fn a_byte_that_was_looked_at_belongs_to_the_next_piece() {
        let expected = [(0, "if"), (1, "("), (2, " x1")].map(|(value, text)| (value, text.to_owned()));
        assert_eq!(texts(&[&[0, 1, 2], &[2], &[3, 4, 5, 6], &[]], b"if( x1"), expected);
    }

    #[test]
    fn a_line_that_is_read_ahead_is_cut_all_the_same() {
        let expected = [(0, "a"), (1, "+"), (2, "b\n")].map(|(value, text)| (value, text.to_owned()));
        assert_eq!(texts(&[&[0, 1, 2, 3], &[1, 2], &[2, 3]], b"a+b\n"), expected);
    }

    #[test]
    fn values_without_bytes_are_no_pieces() {
        let expected = [(0, "a"), (2, "b")].map(|(value, text)| (value, text.to_owned()));
        assert_eq!(texts(&[&[0], &[], &[1], &[]], b"ab"), expected);
    }
}
