//! Inputs made of pieces, and what they are to find out.

use super::sequence::append;
use super::{Piece, Pieces, Sample, join};
use cairn_exec::Input;

/// The reason for an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// To see the contexts of a sample, with this number.
    Sample(usize),
    /// To see which value a text has, at the beginning of an input.
    Probe { text: Vec<u8> },
    /// To see what the program does with a value, with this number, in a state.
    Transition { state: u32, value: usize },
    /// To see what it does with another sequence.
    Variation,
}

/// An input made of pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    pub(super) input: usize,
    pub(super) object: usize,
    /// The pieces; of a probe none, since its value is not known.
    pub(super) pieces: Vec<Piece>,
    pub(super) source: Source,
}

impl Attempt {
    pub(super) fn sample(sample: &Sample, number: usize) -> Attempt {
        Attempt::of(sample.clone(), Source::Sample(number))
    }

    pub(super) fn probe(root: Sample, text: Vec<u8>) -> Attempt {
        Attempt::of(root, Source::Probe { text })
    }

    pub(super) fn transition(
        sample: &Sample,
        (value, text): (u64, &[u8]),
        state: u32,
        number: usize,
    ) -> Attempt {
        let mut next = sample.clone();
        next.pieces.push(Piece { value, text: text.to_vec() });
        Attempt::of(next, Source::Transition { state, value: number })
    }

    pub(super) fn of(sample: Sample, source: Source) -> Attempt {
        let Sample { input, object, pieces } = sample;
        Attempt { input, object, pieces, source }
    }
}

impl Pieces {
    /// Returns the input of an attempt; bytes beyond the limit of their object are cut off.
    pub fn input(&self, attempt: &Attempt) -> Input {
        let mut input = self.inputs[attempt.input].clone();
        let mut bytes = join(&attempt.pieces);
        if let Source::Probe { text } = &attempt.source {
            append(&mut bytes, text);
        }
        let object = &mut input.objects[attempt.object];
        bytes.truncate(object.limit.max(object.bytes.len()));
        object.bytes = bytes;
        input
    }
}
