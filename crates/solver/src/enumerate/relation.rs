//! The relation of a constraint on two bytes: the pairs of values for which it holds, as a table.
//!
//! Comparisons of strings compare many pairs of bytes with the same code. Once the relation is computed for
//! all 65,536 pairs, the value of one byte gives at once the values left to the other.

use super::byteset::ByteSet;
use crate::tape::{Scratch, Tape};
use cairn_deadline::Deadline;

/// The pairs of values for which a constraint holds.
pub(super) struct Relation {
    /// Per value of the first byte: values of the second.
    seconds: Box<[ByteSet]>,
    /// Per value of the second byte: values of the first.
    firsts: Box<[ByteSet]>,
}

impl Relation {
    /// Size of a relation in words.
    pub(super) const WORDS: usize = 2 * 256 * size_of::<ByteSet>() / size_of::<u64>();

    /// Returns the steps that trying all pairs takes.
    pub(super) fn steps(code: &Tape) -> u64 {
        (1 << 16) * code.len() as u64
    }

    /// Tries all pairs; `None` if the time is over before.
    pub(super) fn new(code: &Tape, scratch: &mut Scratch, deadline: &Deadline) -> Option<Relation> {
        let mut holds = |first: u8, second: u8| {
            let mut out = [0];
            code.run(&[first, second], scratch, &mut out);
            out == [1]
        };
        let all = || 0..=u8::MAX;
        let row = |first| {
            (!deadline.is_over()).then(|| all().filter(|second| holds(first, *second)).collect::<ByteSet>())
        };
        let seconds: Box<[ByteSet]> = all().map(row).collect::<Option<_>>()?;
        let has = |first: &u8, second| seconds[usize::from(*first)].contains(second);
        let firsts = all().map(|second| all().filter(|first| has(first, second)).collect()).collect();
        Some(Relation { seconds, firsts })
    }

    /// Returns the values of the second byte for a value of the first.
    pub(super) fn seconds(&self, first: u8) -> &ByteSet {
        &self.seconds[usize::from(first)]
    }

    /// Returns the values of the first byte for a value of the second.
    pub(super) fn firsts(&self, second: u8) -> &ByteSet {
        &self.firsts[usize::from(second)]
    }
}
