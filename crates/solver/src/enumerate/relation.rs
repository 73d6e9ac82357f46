//! Which values of two bytes go together, for a constraint that is about just these.
//!
//! That a byte of one key is one of another's is said of every pair of their bytes, and with the same code. Once it is
//! known for all values, the value of one byte tells at once which are left of the other.

use super::byteset::ByteSet;
use crate::tape::{Scratch, Tape};
use cairn_deadline::Deadline;

/// The pairs of values for which a constraint holds.
pub(super) struct Relation {
    /// By value of the first byte: values of the second.
    seconds: Box<[ByteSet]>,
    /// By value of the second byte: values of the first.
    firsts: Box<[ByteSet]>,
}

impl Relation {
    /// Words of memory that one takes.
    pub(super) const WORDS: usize = 2 * 256 * size_of::<ByteSet>() / size_of::<u64>();

    /// Steps of code that trying all pairs takes.
    pub(super) fn steps(code: &Tape) -> u64 {
        (1 << 16) * code.len() as u64
    }

    /// Tries all pairs, unless the time is over before.
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

    /// The values that the second byte may have, given the first.
    pub(super) fn seconds(&self, first: u8) -> &ByteSet {
        &self.seconds[usize::from(first)]
    }

    /// The values that the first byte may have, given the second.
    pub(super) fn firsts(&self, second: u8) -> &ByteSet {
        &self.firsts[usize::from(second)]
    }
}
