//! Text from outside, made safe to show.
//!
//! A target chooses what it prints, a stranger what his files and functions are called. Control characters in such text
//! can move a terminal's cursor, change its title or rewrite lines that are already there, and characters that change
//! the direction of writing can make a name look like another one.

use std::borrow::Cow;
use std::fmt::Write;

/// Shows control characters as `\u001b`, the notation of JSON, in which the text may be quoted; lines and tabs stay.
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
    let turns_text = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns_text || (c.is_control() && c != '\n' && c != '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_is_shown() {
        assert_eq!(visible("a\tb\nü"), "a\tb\nü");
        assert_eq!(visible("\x1b[2J\r\x7f\u{9b}1m\u{202e}"), "\\u001b[2J\\u000d\\u007f\\u009b1m\\u202e");
    }
}
