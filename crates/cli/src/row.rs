//! A line of the screen that never exceeds its width.

use crate::style::{Ink, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A line under construction.
pub struct Row {
    text: String,
    room: usize,
    style: Style,
}

impl Row {
    /// Starts an empty line. Its last column stays empty, since some terminals wrap when it is written.
    pub fn new(width: usize, style: Style) -> Row {
        Row { text: String::new(), room: width.saturating_sub(1), style }
    }

    /// Returns the columns that are left.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Adds text, cut to the columns that are left.
    pub fn add(self, text: &str) -> Row {
        self.ink(Ink::Plain, text)
    }

    /// Adds text in colour, cut to the columns that are left.
    pub fn ink(mut self, ink: Ink, text: &str) -> Row {
        let text = fit(text, self.room);
        self.room -= text.width();
        self.text.push_str(&self.style.paint(ink, &text));
        self
    }

    /// Adds text if all of it fits.
    pub fn add_whole(self, text: &str) -> Row {
        if text.width() <= self.room { self.add(text) } else { self }
    }

    /// Adds a bar of `columns` columns, filled to `share`.
    pub fn bar(self, share: f64, columns: usize, unicode: bool) -> Row {
        let full = (share * columns as f64) as usize;
        let (done, open) = if unicode { ("█", "░") } else { ("#", ".") };
        self.ink(Ink::Figure, &done.repeat(full)).ink(Ink::Label, &open.repeat(columns - full))
    }

    /// Returns the line.
    pub fn text(self) -> String {
        self.text
    }
}

/// Wraps text to lines of `columns` columns, at most `most`; the last is not wrapped.
pub fn wrapped(text: &str, columns: usize, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while lines.len() + 1 < most && rest.width() > columns {
        let at = break_at(rest, columns);
        let (line, behind) = rest.split_at(at);
        lines.push(line.trim_end().to_owned());
        rest = behind.trim_start();
    }
    if lines.is_empty() || !rest.is_empty() {
        lines.push(rest.to_owned());
    }
    lines
}

/// Returns where to break a text that does not fit: at the last space in the second half of the line, or
/// where the line is full.
fn break_at(text: &str, columns: usize) -> usize {
    let mut width = 0;
    let full = text.char_indices().find(|(_, c)| {
        width += c.width().unwrap_or(0);
        width > columns
    });
    let full = full.map_or(text.len(), |(at, _)| at);
    let space = text[..full].rfind(' ').filter(|at| 2 * text[..*at].width() >= columns);
    // At least one character, so that wrapping terminates.
    space.unwrap_or(full).max(text.chars().next().map_or(1, char::len_utf8))
}

/// Removes characters that would move the cursor, and cuts the text to `columns` columns.
fn fit(text: &str, columns: usize) -> String {
    let visible: String = text.chars().filter(|c| c.width().is_some_and(|width| width > 0)).collect();
    if visible.width() <= columns {
        return visible;
    }
    let mut room = columns.saturating_sub(MORE.len());
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= room;
        room = room.saturating_sub(if fits { width } else { room });
        fits
    };
    let mut cut: String = visible.chars().take_while(fits).collect();
    cut.push_str(&MORE[..MORE.len().min(columns)]);
    cut
}

/// Marks text that was cut off.
const MORE: &str = "..";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_the_columns_there_are() {
        let cases = [
            ("abc", 3, "abc"),
            ("abcd", 3, "a.."),
            ("abcd", 1, "."),
            ("abcd", 0, ""),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日.."),
            ("日a本", 4, "日.."),
            ("a\x1b[2Jb\r\n", 9, "a[2Jb"),
        ];
        for (text, columns, expected) in cases {
            assert_eq!(fit(text, columns), expected, "{text} in {columns}");
        }
    }

    #[test]
    fn long_text_goes_on_in_further_lines() {
        let text = "killed by SIGABRT in main (/a/very/long/path/login.c:8)";
        assert_eq!(wrapped(text, 60, 2), [text]);
        assert_eq!(wrapped(text, 30, 2), ["killed by SIGABRT in main", "(/a/very/long/path/login.c:8)"]);
        assert_eq!(wrapped("abcdef", 2, 9), ["ab", "cd", "ef"]);
        assert_eq!(wrapped("abcdef", 2, 2), ["ab", "cdef"]);
        assert_eq!(wrapped("日本", 0, 9), ["日", "本"]);
    }

    #[test]
    fn a_row_leaves_its_last_column_empty() {
        let row = Row::new(6, Style::plain()).add("abc").add_whole("defg").add("defg");
        assert_eq!(row.text(), "abc..");
    }
}
