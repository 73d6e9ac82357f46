//! A line of a screen, which is never wider than there is room for.

use crate::style::{Ink, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A line that is being written.
pub struct Row {
    text: String,
    room: usize,
    style: Style,
}

impl Row {
    /// An empty line. Its last column stays empty: some terminals begin a new line when that is written to.
    pub fn new(width: usize, style: Style) -> Row {
        Row { text: String::new(), room: width.saturating_sub(1), style }
    }

    /// Columns that are left.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Adds as much of the text as there is room for.
    pub fn add(self, text: &str) -> Row {
        self.ink(Ink::Plain, text)
    }

    /// The same, in colour.
    pub fn ink(mut self, ink: Ink, text: &str) -> Row {
        let text = fit(text, self.room);
        self.room -= text.width();
        self.text.push_str(&self.style.paint(ink, &text));
        self
    }

    /// Adds the text if there is room for all of it.
    pub fn add_whole(self, text: &str) -> Row {
        if text.width() <= self.room { self.add(text) } else { self }
    }

    /// Adds a bar of so many columns, full to some share.
    pub fn bar(self, share: f64, columns: usize, unicode: bool) -> Row {
        let full = (share * columns as f64) as usize;
        let (done, open) = if unicode { ("█", "░") } else { ("#", ".") };
        self.ink(Ink::Figure, &done.repeat(full)).ink(Ink::Label, &open.repeat(columns - full))
    }

    /// The line.
    pub fn text(self) -> String {
        self.text
    }
}

/// The text without what would move the cursor, cut to so many columns.
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

/// Stands for what was cut off.
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
    fn a_row_leaves_its_last_column_empty() {
        let row = Row::new(6, Style::plain()).add("abc").add_whole("defg").add("defg");
        assert_eq!(row.text(), "abc..");
    }
}
