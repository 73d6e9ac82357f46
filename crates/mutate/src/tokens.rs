//! Byte strings of the dictionary.

use crate::block;
use crate::field::Field;
use cairn_search::Rng;

/// Inserts a token.
pub(crate) fn insert_token(field: &mut Field, token: &[u8], rng: &mut Rng) {
    let at = block::place(field.bytes(), rng);
    if at < field.most() {
        field.insert(at, token.iter().copied());
    }
}

/// Writes a token over what is there.
pub(crate) fn overwrite(field: &mut Field, token: &[u8], rng: &mut Rng) {
    if field.len() > 0 {
        let at = rng.below(field.len());
        let len = token.len().min(field.len() - at);
        field.bytes_mut()[at..at + len].copy_from_slice(&token[..len]);
    }
}

/// Replaces a word by a token.
pub(crate) fn replace_word(field: &mut Field, token: &[u8], rng: &mut Rng) {
    if field.len() > 0 {
        let at = rng.below(field.len());
        let range = block::word(field.bytes(), at);
        field.replace(range, token);
    }
}
