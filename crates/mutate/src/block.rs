//! Random blocks of bytes: what is copied, moved and deleted as a whole.
//!
//! Formats are made of units, most of them words and lines, and a block that is one keeps its meaning elsewhere.
//! So blocks come in three kinds, each as likely: any bytes, whole words, whole lines.

use cairn_search::Rng;
use std::ops::Range;

/// Binary logarithm of the longest block of any bytes, which is drawn evenly: most blocks are short.
const MAX_LOG_LENGTH: usize = 10;

/// Returns a random block; `bytes` must not be empty.
pub(crate) fn block(bytes: &[u8], rng: &mut Rng) -> Range<usize> {
    let at = rng.below(bytes.len());
    match rng.below(3) {
        0 => at..at + length(bytes.len() - at, rng),
        1 => words(bytes, at, rng),
        _ => line(bytes, at),
    }
}

/// Returns the length of a block of at most `most` bytes, at least 1; short ones are more likely.
pub(crate) fn length(most: usize, rng: &mut Rng) -> usize {
    let log = rng.below(MAX_LOG_LENGTH + 1).min(most.ilog2() as usize);
    1 + rng.below(most.min(1 << log))
}

/// Returns a random place for a block: between two bytes, or between two words.
pub(crate) fn place(bytes: &[u8], rng: &mut Rng) -> usize {
    let at = rng.below(bytes.len() + 1);
    if at == bytes.len() || rng.below(2) == 0 { at } else { word(bytes, at).start }
}

/// Returns the word at an offset, and with equal chance also the next, and so on.
fn words(bytes: &[u8], at: usize, rng: &mut Rng) -> Range<usize> {
    let mut range = word(bytes, at);
    while range.end < bytes.len() && rng.below(2) == 0 {
        range.end = word(bytes, range.end).end;
    }
    range
}

/// Returns the longest range of bytes of one class around an offset.
pub(crate) fn word(bytes: &[u8], at: usize) -> Range<usize> {
    let class = Class::of(bytes[at]);
    let is_other = |byte: &u8| Class::of(*byte) != class || class == Class::Sign;
    let start = bytes[..at].iter().rposition(is_other).map_or(0, |before| before + 1);
    let end = bytes[at + 1..].iter().position(is_other).map_or(bytes.len(), |after| at + 1 + after);
    start..end
}

/// Returns the line around an offset, with its end.
pub(crate) fn line(bytes: &[u8], at: usize) -> Range<usize> {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
    start..end
}

/// A class of bytes. Signs stand each for itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Sign,
    Zero,
    Binary,
}

impl Class {
    fn of(byte: u8) -> Class {
        match byte {
            b'_' => Class::Word,
            0 => Class::Zero,
            _ if byte.is_ascii_alphanumeric() => Class::Word,
            _ if byte.is_ascii_whitespace() => Class::Space,
            _ if byte.is_ascii_graphic() => Class::Sign,
            _ => Class::Binary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn words_and_lines_are_found() {
        let text = b"if (ab1==2)\n x;\0\0\0";
        let word_at = |at| word(text, at);
        assert_eq!([word_at(0), word_at(1), word_at(4), word_at(6)], [0..2, 0..2, 4..7, 4..7]);
        assert_eq!([word_at(7), word_at(8), word_at(11), word_at(16)], [7..8, 8..9, 11..13, 15..18]);
        assert_eq!([line(text, 0), line(text, 11), line(text, 12)], [0..12, 0..12, 12..18]);
    }

    #[test]
    fn blocks_lie_within_the_bytes_and_differ() {
        let text = b"one two\nthree\n";
        let mut rng = Rng::new(1);
        let seen: BTreeSet<(usize, usize)> = (0..2_000)
            .map(|_| {
                let range = block(text, &mut rng);
                assert!(!range.is_empty() && range.end <= text.len());
                (range.start, range.end)
            })
            .collect();
        assert!(seen.len() > 50 && seen.contains(&(0, 8)) && seen.contains(&(8, 13)));
        assert!((0..200).all(|_| place(text, &mut rng) <= text.len()));
        assert_eq!(block(b"x", &mut rng), 0..1);
    }
}
