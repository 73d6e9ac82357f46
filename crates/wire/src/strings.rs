//! String literals that conditions and tables of a program refer to: what it may compare its input with.
//!
//! Each is a byte with its length and its bytes, in a section of their own. The linker joins the sections of
//! all units; a program without the section was built by an older `cairn cc`.

use alloc::vec::Vec;

/// ELF section of the string literals.
pub const STRING_SECTION: &str = "cairn_str";
/// Longest string in the section, in bytes; a chosen bound, as longer ones are messages.
pub const MAX_STRING: usize = 64;

/// Encodes strings; empty ones and those that are too long are left out.
pub fn encode_strings<'a>(strings: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for string in strings.filter(|string| (1..=MAX_STRING).contains(&string.len())) {
        bytes.push(string.len() as u8);
        bytes.extend_from_slice(string);
    }
    bytes
}

/// Decodes strings, up to the first that is malformed.
pub fn decode_strings(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut strings = Vec::new();
    while let Some((&length, rest)) = bytes.split_first() {
        let Some((string, rest)) = rest.split_at_checked(length.into()) else { break };
        // The linker may pad with zeros.
        if length > 0 {
            strings.push(string);
        }
        bytes = rest;
    }
    strings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_survive_and_padding_is_skipped() {
        let strings = [&b"if"[..], b"", b"a\0b", &[b'x'; MAX_STRING + 1]];
        let mut bytes = encode_strings(strings.into_iter());
        bytes.extend([0, 0, 2, b'd', b'o', 9, b'c']);
        assert_eq!(decode_strings(&bytes), [&b"if"[..], b"a\0b", b"do"]);
    }
}
