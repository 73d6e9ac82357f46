//! Escapes untrusted text before it is shown.
//!
//! Output of the target, and names of files and functions, are untrusted. Control characters in them can move
//! a terminal's cursor, change its title or rewrite earlier lines, and characters that change the writing
//! direction can make one name look like another.

use std::borrow::Cow;
use std::fmt::Write;

/// Replaces control characters by `\u001b`, JSON's notation, in which the text may be quoted; newlines and
/// tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_hidden(c) {
            true => drop(write!(shown, "\\u{:04x}", c as u32)),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(c: char) -> bool {
    let changes_direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    changes_direction || (c.is_control() && c != '\n' && c != '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(visible("a\tb\nü"), "a\tb\nü");
        assert_eq!(visible("\x1b[2J\r\x7f\u{9b}1m\u{202e}"), "\\u001b[2J\\u000d\\u007f\\u009b1m\\u202e");
    }
}
