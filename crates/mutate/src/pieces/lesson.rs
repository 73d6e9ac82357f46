//! What attempts teach.

use super::{Attempt, Piece, Pieces};
use crate::pieces::attempt::Source;
use crate::pieces::sequence::append;
use cairn_exec::ProducedValue;
use serde::{Deserialize, Serialize};

/// A change of the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Lesson {
    /// So many samples were measured.
    Measured(u32),
    /// The value of a text was asked for.
    Probed(Vec<u8>),
    /// So many values were tried behind a state.
    Tried {
        /// The state.
        state: u32,
        /// Number of values.
        count: u32,
    },
    /// A text makes the producer return a value.
    Text {
        /// The value.
        value: u64,
        /// The text.
        text: Vec<u8>,
    },
    /// A sequence of pieces leads to a place with these contexts.
    State {
        /// Input whose other objects belong to it.
        input: u32,
        /// Object that consists of the pieces.
        object: u32,
        /// The pieces.
        pieces: Vec<Piece>,
        /// The least specific level that has a new one.
        level: u8,
        /// New contexts of the place behind them.
        contexts: Vec<u64>,
    },
}

impl Attempt {
    /// Returns the lesson that it was made; none if it may be made again.
    pub fn done(&self) -> Option<Lesson> {
        match &self.source {
            Source::Sample(number) => Some(Lesson::Measured(*number as u32 + 1)),
            Source::Probe { text } => Some(Lesson::Probed(text.clone())),
            Source::Transition { state, value } => {
                Some(Lesson::Tried { state: *state, count: *value as u32 + 1 })
            }
            Source::Variation => None,
        }
    }
}

impl Pieces {
    /// Returns what an attempt teaches, which has made the producer return these values.
    pub fn lessons(&self, attempt: &Attempt, produced: &[ProducedValue]) -> Vec<Lesson> {
        let mut lessons = Vec::new();
        let ends = self.align(&attempt.pieces, produced);
        for (count, end) in ends.iter().enumerate() {
            if let Some((level, contexts)) = self.contexts.new_behind(&produced[..*end]) {
                let (input, object, level) = (attempt.input as u32, attempt.object as u32, level as u8);
                let pieces = attempt.pieces[..count].to_vec();
                lessons.push(Lesson::State { input, object, pieces, level, contexts });
            }
        }
        lessons.extend(self.text(attempt, produced, ends.len() - 1));
        lessons
    }

    /// Returns for each number of pieces, as far as the producer has returned their values, how many values there
    /// were until then. There may be others between them: one that the parser has given back and asked for again,
    /// or one that no bytes stand for.
    fn align(&self, pieces: &[Piece], produced: &[ProducedValue]) -> Vec<usize> {
        let mut ends = vec![0];
        let mut at = 0;
        for piece in pieces {
            while let Some(next) = produced.get(at)
                && next.value != piece.value
                && (!self.vocabulary.contains(next.value) || at > 0 && next.value == produced[at - 1].value)
            {
                at += 1;
            }
            if produced.get(at).is_none_or(|next| next.value != piece.value) {
                break;
            }
            at += 1;
            ends.push(at);
        }
        ends
    }

    /// Returns the text that an attempt has found for a value, if that has no shorter one: that of a probe, or of
    /// the last two pieces of a sequence, which the producer took for one.
    fn text(&self, attempt: &Attempt, produced: &[ProducedValue], equal: usize) -> Option<Lesson> {
        let count = attempt.pieces.len();
        let (value, text) = match &attempt.source {
            Source::Probe { text } => (produced.first()?.value, text.clone()),
            Source::Transition { .. } if count >= 2 && equal == count - 2 => {
                let mut text = attempt.pieces[count - 2].word().to_vec();
                append(&mut text, attempt.pieces[count - 1].word());
                (produced.get(equal)?.value, text)
            }
            _ => return None,
        };
        // One value for all of the text, and one for its end; a single byte cannot be more than one.
        let place = if count == 0 { 0 } else { equal };
        let is_one = text.len() == 1 || produced.len() == place + 2;
        // The empty text is what makes the producer return the last value.
        let is_end = produced.len() == place + 1 && produced[place].reaction.is_some();
        (is_one && !is_end && self.vocabulary.is_shorter(value, &text))
            .then_some(Lesson::Text { value, text })
    }
}
