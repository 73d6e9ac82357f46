//! Random changes of sequences of pieces.

use super::attempt::Source;
use super::{Attempt, Piece, Pieces};
use cairn_search::Rng;

/// Changes of a sequence: 1, 2, 4 or 8, each as likely, as in havoc.
const STACK_SIZES: usize = 4;
/// Pieces that are moved together, a chosen bound.
const MAX_BLOCK: usize = 8;
/// Kinds of changes.
const CHANGES: usize = 7;

impl Pieces {
    /// Returns a sample with random changes; newer samples are likelier.
    pub(super) fn vary(&self, rng: &mut Rng) -> Option<Attempt> {
        if self.vocabulary.is_empty() || self.samples.is_empty() {
            return None;
        }
        let mut sample = self.samples[self.draw_sample(rng)].clone();
        for _ in 0..1 << rng.below(STACK_SIZES) {
            self.change(&mut sample.pieces, rng);
        }
        Some(Attempt::of(sample, Source::Variation))
    }

    fn draw_sample(&self, rng: &mut Rng) -> usize {
        let count = self.samples.len();
        rng.below(count).max(rng.below(count))
    }

    fn change(&self, pieces: &mut Vec<Piece>, rng: &mut Rng) {
        let choice = if pieces.is_empty() { 0 } else { rng.below(CHANGES) };
        let at = rng.below(pieces.len().max(1));
        match choice {
            0 => {
                let piece = self.draw_piece(rng);
                pieces.insert(rng.below(pieces.len() + 1), piece);
            }
            1 => pieces[at] = self.draw_piece(rng),
            2 => {
                let end = block_end(at, pieces.len(), rng);
                pieces.drain(at..end);
            }
            3 => {
                let end = block_end(at, pieces.len(), rng);
                let copy = pieces[at..end].to_vec();
                let to = rng.below(pieces.len() + 1);
                pieces.splice(to..to, copy);
            }
            4 => {
                let other = rng.below(pieces.len());
                pieces.swap(at, other);
            }
            5 => {
                let other = &self.samples[self.draw_sample(rng)].pieces;
                let from = rng.below(other.len().max(1));
                let end = block_end(from, other.len(), rng);
                pieces.splice(at..at, other[from..end].iter().cloned());
            }
            _ => {
                let texts = self.vocabulary.texts_of(pieces[at].value);
                if !texts.is_empty() {
                    pieces[at].text = texts[rng.below(texts.len())].clone();
                }
            }
        }
    }

    fn draw_piece(&self, rng: &mut Rng) -> Piece {
        let (value, texts) = self.vocabulary.texts(rng.below(self.vocabulary.len()));
        Piece { value, text: texts[rng.below(texts.len())].clone() }
    }
}

/// Returns a random end of a block that starts at `at`.
fn block_end(at: usize, len: usize, rng: &mut Rng) -> usize {
    (at + 1 + rng.below(MAX_BLOCK)).min(len)
}
