//! Dictionaries as text, in the format of AFL++ and libFuzzer.
//!
//! ```text
//! # a comment
//! "else"
//! keyword_if="if"
//! header@2="\x89PNG\x0d\x0a"
//! ```
//!
//! An entry is a string in double quotes, with an optional name and level. In it, `\\`, `\"` and `\xNN` stand
//! for a byte. All other bytes are printable ASCII.

use crate::dictionary::{Dictionary, TokenOrigin};
use std::fmt::Write;
use thiserror::Error;

/// Longest entry in bytes: the maximum of AFL++.
const MAX_ENTRY: usize = 128;

/// An entry of a dictionary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DictionaryEntry {
    /// The byte string.
    pub bytes: Vec<u8>,
    /// Level from which on it is used: AFL++ leaves out entries of levels above the one that it was given.
    pub level: u32,
}

/// Error of a line that is no entry.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {reason}")]
pub struct DictionaryError {
    /// Number of the line, from 1 on.
    pub line: usize,
    /// The mistake in it.
    pub reason: LineError,
}

/// Mistake in a line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LineError {
    /// There is no opening quote, or something other than a name and a level is before it.
    #[error("expected \"STRING\" or NAME=\"STRING\"")]
    NoEntry,
    /// The level is no number.
    #[error("the level after @ is no number")]
    Level,
    /// The closing quote is missing.
    #[error("the closing quote is missing")]
    Unclosed,
    /// A backslash that begins no escape.
    #[error("a backslash must begin \\\\, \\\" or \\xNN")]
    Escape,
    /// A byte that must be written as an escape.
    #[error("byte {0:#04x} must be written as \\x{0:02x}")]
    Raw(u8),
    /// Something follows the closing quote.
    #[error("nothing may follow the closing quote")]
    Trailing,
    /// The string has no bytes.
    #[error("the string is empty")]
    Empty,
    /// The string is longer than other tools accept.
    #[error("the string is longer than {MAX_ENTRY} bytes")]
    Long,
}

/// Parses a dictionary.
pub fn parse(text: &[u8]) -> Result<Vec<DictionaryEntry>, DictionaryError> {
    let mut entries = Vec::new();
    for (line, number) in text.split(|byte| *byte == b'\n').zip(1..) {
        let line = line.trim_ascii();
        if !line.is_empty() && line[0] != b'#' {
            entries.push(parse_line(line).map_err(|reason| DictionaryError { line: number, reason })?);
        }
    }
    Ok(entries)
}

fn parse_line(line: &[u8]) -> Result<DictionaryEntry, LineError> {
    let quote = line.iter().position(|byte| *byte == b'"').ok_or(LineError::NoEntry)?;
    let level = parse_name(line[..quote].trim_ascii())?;
    let (bytes, rest) = parse_string(&line[quote + 1..])?;
    match bytes.len() {
        _ if !rest.trim_ascii().is_empty() => Err(LineError::Trailing),
        0 => Err(LineError::Empty),
        length if length > MAX_ENTRY => Err(LineError::Long),
        _ => Ok(DictionaryEntry { bytes, level }),
    }
}

/// Parses what is before the string, and returns the level in it.
fn parse_name(text: &[u8]) -> Result<u32, LineError> {
    if text.is_empty() {
        return Ok(0);
    }
    let text = text.strip_suffix(b"=").ok_or(LineError::NoEntry)?.trim_ascii();
    let mut parts = text.splitn(2, |byte| *byte == b'@');
    let name = parts.next().unwrap_or_default();
    if !name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)) {
        return Err(LineError::NoEntry);
    }
    let level = parts.next().map(|level| std::str::from_utf8(level).ok()?.parse().ok());
    level.unwrap_or(Some(0)).ok_or(LineError::Level)
}

/// Parses a string from behind its opening quote on; returns it with what follows its closing quote.
fn parse_string(mut text: &[u8]) -> Result<(Vec<u8>, &[u8]), LineError> {
    let mut bytes = Vec::new();
    loop {
        let (byte, rest) = match text {
            [] => return Err(LineError::Unclosed),
            [b'"', rest @ ..] => return Ok((bytes, rest)),
            [b'\\', b'x', high, low, rest @ ..] => (hexadecimal(*high, *low).ok_or(LineError::Escape)?, rest),
            [b'\\', byte @ (b'\\' | b'"'), rest @ ..] => (*byte, rest),
            [b'\\', ..] => return Err(LineError::Escape),
            [byte @ b' '..=b'~', rest @ ..] => (*byte, rest),
            [byte, ..] => return Err(LineError::Raw(*byte)),
        };
        bytes.push(byte);
        text = rest;
    }
}

fn hexadecimal(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16);
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

/// Returns a dictionary as text. Names say where the strings come from; those that are less likely to be of use
/// have higher levels.
pub fn text(dictionary: &Dictionary) -> String {
    let mut text = String::new();
    for origin in TokenOrigin::ALL {
        let (name, level) = name_and_level(origin);
        for (token, number) in dictionary.tokens(origin).iter().zip(1..) {
            let entry = entry(&token.bytes);
            writeln!(text, "{name}_{number}@{level}={entry}").expect("a string takes any text");
        }
    }
    text
}

/// Returns the name and the level of entries. Fuzzers try all single bytes anyway.
fn name_and_level(origin: TokenOrigin) -> (&'static str, u32) {
    match origin {
        TokenOrigin::Given => ("given", 0),
        TokenOrigin::Satisfied => ("satisfied", 0),
        TokenOrigin::Wanted => ("wanted", 1),
        TokenOrigin::Program => ("program", 2),
        TokenOrigin::Character => ("character", 3),
    }
}

/// Returns an entry without a name.
fn entry(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\\' | b'"' => text.extend(['\\', byte as char]),
            b' '..=b'~' => text.push(byte as char),
            _ => write!(text, "\\x{byte:02x}").expect("a string takes any text"),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::TokenPlace;

    #[test]
    fn entries_are_read_as_they_are_written() {
        let all: Vec<u8> = (0..=255).collect();
        let text: String = all.chunks(100).map(|bytes| entry(bytes) + "\n").collect();
        assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
        let read: Vec<u8> =
            parse(text.as_bytes()).unwrap().into_iter().flat_map(|entry| entry.bytes).collect();
        assert_eq!(read, all);
    }

    #[test]
    fn a_dictionary_is_written_with_names_and_levels() {
        let mut dictionary = Dictionary::default();
        dictionary.add(b"say \"if\"");
        dictionary.learn(b"\x89PNG", TokenPlace { object: 0, offset: 0 });
        dictionary.learn(b"(", TokenPlace { object: 0, offset: 0 });
        dictionary.add_from(TokenOrigin::Program, b"keyword");
        let text = text(&dictionary);
        assert_eq!(
            text,
            "given_1@0=\"say \\\"if\\\"\"\nsatisfied_1@0=\"\\x89PNG\"\ncharacter_1@3=\"(\"\nprogram_1@2=\"keyword\"\n"
        );
        let levels: Vec<u32> = parse(text.as_bytes()).unwrap().iter().map(|entry| entry.level).collect();
        assert_eq!(levels, [0, 0, 3, 2]);
    }

    #[test]
    fn names_levels_and_comments_are_accepted() {
        let text = b"# words\n\n  \"if\"  \r\nkw_else=\"else\"\nspaced = \"a b\"\nmagic@3=\"\\x89PNG\\\\\\\"\"\n@1=\"x\"";
        let expected = [(&b"if"[..], 0), (b"else", 0), (b"a b", 0), (b"\x89PNG\\\"", 3), (b"x", 1)];
        let entries = parse(text).unwrap();
        let entries: Vec<(&[u8], u32)> =
            entries.iter().map(|entry| (&entry.bytes[..], entry.level)).collect();
        assert_eq!(entries, expected);
    }

    #[test]
    fn each_mistake_is_named_with_its_line() {
        let cases: [(&[u8], LineError); 11] = [
            (b"if", LineError::NoEntry),
            (b"kw \"if\"", LineError::NoEntry),
            (b"k w=\"if\"", LineError::NoEntry),
            (b"kw@high=\"if\"", LineError::Level),
            (b"\"if", LineError::Unclosed),
            (b"\"i\\nf\"", LineError::Escape),
            (b"\"\\x4\"", LineError::Escape),
            (b"\"\tif\"", LineError::Raw(9)),
            (b"\"if\" # word", LineError::Trailing),
            (b"\"\"", LineError::Empty),
            (b"long", LineError::Long),
        ];
        for (line, reason) in cases {
            let long = [b"\"", &[b'a'; MAX_ENTRY + 1][..], b"\""].concat();
            let line = if line == b"long" { &long } else { line };
            let text = [b"\"ok\"\n# fine\n", line].concat();
            assert_eq!(parse(&text), Err(DictionaryError { line: 3, reason }), "{}", line.escape_ascii());
        }
    }
}
