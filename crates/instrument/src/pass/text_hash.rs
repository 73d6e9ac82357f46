//! Hashes of texts, by which units refer to the same types and variables.

/// Returns a hash of a text.
pub fn text_hash(text: &str) -> u64 {
    // FNV-1a: small, and the same on every machine.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
