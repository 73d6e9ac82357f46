//! Colours of text, and escaping of control characters.

use std::io::IsTerminal;

/// Choice of colours for a stream.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// Colours if the stream is a terminal, unless `NO_COLOR` is set.
    pub fn of(stream: &impl IsTerminal) -> Style {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let able = std::env::var_os("TERM").is_none_or(|t| t != "dumb");
        Style { colour: stream.is_terminal() && wanted && able }
    }

    /// Returns a style without colours.
    pub fn plain() -> Style {
        Style { colour: false }
    }

    /// Bad news.
    pub fn bad(self, text: &str) -> String {
        self.paint(Ink::Bad, text)
    }

    /// Good news.
    pub fn good(self, text: &str) -> String {
        self.paint(Ink::Good, text)
    }

    /// Colours text, if there is colour.
    pub fn paint(self, ink: Ink, text: &str) -> String {
        match self.colour && !text.is_empty() && ink != Ink::Plain {
            true => format!("{}{text}{END_OF_COLOUR}", ink.code()),
            false => text.to_owned(),
        }
    }
}

const END_OF_COLOUR: &str = "\x1b[0m";

/// Escapes control characters, except the colours that [`Style`] writes: foreign text can use these, but
/// nothing else.
pub fn visible(text: &str) -> String {
    let codes = Ink::COLOURS.map(Ink::code);
    let colours = || codes.iter().copied().chain([END_OF_COLOUR]);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        let colour = colours().find(|code| rest[at..].starts_with(code));
        let end = at + colour.map_or(1, str::len);
        shown.push_str(&cairn_campaign::visible(&rest[..at]));
        shown.push_str(&colour.map_or_else(|| cairn_campaign::visible("\x1b"), |code| code.into()));
        rest = &rest[end..];
    }
    shown.push_str(&cairn_campaign::visible(rest));
    shown
}

/// Meaning of text, which determines its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// Ordinary text.
    Plain,
    /// Bad news.
    Bad,
    /// Good news.
    Good,
    /// A warning.
    Warning,
    /// A bar or a curve.
    Figure,
    /// The label of a figure.
    Label,
}

impl Ink {
    const COLOURS: [Ink; 5] = [Ink::Bad, Ink::Good, Ink::Warning, Ink::Figure, Ink::Label];

    /// Returns the terminal's escape sequence.
    fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Bad => "\x1b[1;31m",
            Ink::Good => "\x1b[1;32m",
            Ink::Warning => "\x1b[33m",
            Ink::Figure => "\x1b[36m",
            Ink::Label => "\x1b[2m",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_colours_reach_a_terminal() {
        let ours = Style { colour: true }.bad("crash");
        assert_eq!(visible(&ours), ours);
        assert_eq!(visible("\x1b]0;title\x07\x1b[2J\x1b"), "\\u001b]0;title\\u0007\\u001b[2J\\u001b");
        assert_eq!(visible("a\nb\tc"), "a\nb\tc");
    }
}
