//! Pieces, and the bytes of a sequence of them.

use serde::{Deserialize, Serialize};

/// A value of a producer, and bytes that made it return the value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Piece {
    /// The value.
    pub value: u64,
    /// The bytes, with the white space before them.
    pub text: Vec<u8>,
}

impl Piece {
    /// Returns the bytes without white space around them, unless they are nothing else.
    pub fn word(&self) -> &[u8] {
        let word = self.text.trim_ascii();
        if word.is_empty() { &self.text } else { word }
    }
}

/// Returns the bytes of a sequence. A space separates pieces that would otherwise be one word.
pub fn join(pieces: &[Piece]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in pieces {
        append(&mut bytes, &piece.text);
    }
    bytes
}

/// Appends a text to a sequence of others.
pub(super) fn append(bytes: &mut Vec<u8>, text: &[u8]) {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if is_word(bytes.last()) && is_word(text.first()) {
        bytes.push(b' ');
    }
    bytes.extend_from_slice(text);
}
