//! The text as tokens; every opening parenthesis knows the one that closes it, so nothing has to recurse.

use super::ReadError;

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// A symbol, keyword, number or constant.
    Word(&'a str),
    /// A symbol between bars, without them.
    Quoted(&'a str),
    /// A string, without its quotes.
    Text(&'a str),
    /// Nothing is left.
    End,
}

impl<'a> Token<'a> {
    /// Returns a symbol, however it is written.
    pub(super) fn symbol(self) -> Option<&'a str> {
        match self {
            Token::Word(word)
                if !word.starts_with([':', '#', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) =>
            {
                Some(word)
            }
            Token::Quoted(name) => Some(name),
            _ => None,
        }
    }
}

/// Position of a token; for an opening parenthesis also the token that closes it.
#[derive(Clone, Copy)]
struct TokenPosition {
    start: usize,
    end: usize,
    close: u32,
}

/// The tokens of a text.
pub(super) struct Tokens<'a> {
    text: &'a str,
    places: Vec<TokenPosition>,
}

impl<'a> Tokens<'a> {
    /// Takes a text apart; comments are gone then, and parentheses match.
    pub(super) fn of(text: &'a str) -> Result<Tokens<'a>, ReadError> {
        let mut tokens = Tokens { text, places: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        while let Some(start) = tokens.next_start(at) {
            let end = tokens.end_of(start)?;
            let index = tokens.places.len();
            if text.as_bytes()[start] == b'(' {
                open.push(index);
            } else if text.as_bytes()[start] == b')' {
                let opened = open
                    .pop()
                    .ok_or_else(|| tokens.fail_at(start, "nothing is open that this could close"))?;
                tokens.places[opened].close = index as u32;
            }
            tokens.places.push(TokenPosition { start, end, close: 0 });
            at = end;
        }
        match open.last() {
            Some(&opened) => Err(tokens.fail(opened, "this parenthesis is never closed")),
            None => Ok(tokens),
        }
    }

    /// Returns the start of the next token, after white space and comments.
    fn next_start(&self, mut at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b';' => at += self.text[at..].find('\n').unwrap_or(self.text.len() - at),
                _ if byte.is_ascii_whitespace() => at += 1,
                _ => return Some(at),
            }
        }
        None
    }

    fn end_of(&self, start: usize) -> Result<usize, ReadError> {
        let rest = &self.text[start..];
        let until = |from: usize, what: char| rest[from..].find(what).map(|found| from + found + 1);
        let length = match rest.as_bytes()[0] {
            b'(' | b')' => Some(1),
            b'|' => until(1, '|'),
            b'"' => {
                // Two quotes stand for one.
                let mut end = until(1, '"');
                while let Some(inner) = end.filter(|&end| rest[end..].starts_with('"')) {
                    end = until(inner + 1, '"');
                }
                end
            }
            _ => {
                let is_end = |c: char| c.is_ascii_whitespace() || "()|\";".contains(c);
                Some(rest.find(is_end).unwrap_or(rest.len()))
            }
        };
        length.map(|length| start + length).ok_or_else(|| self.fail_at(start, "what begins here never ends"))
    }

    /// Returns the token with this number.
    pub(super) fn at(&self, index: usize) -> Token<'a> {
        let Some(place) = self.places.get(index) else { return Token::End };
        let text = &self.text[place.start..place.end];
        match text.as_bytes()[0] {
            b'(' => Token::Open,
            b')' => Token::Close,
            b'|' => Token::Quoted(&text[1..text.len() - 1]),
            b'"' => Token::Text(&text[1..text.len() - 1]),
            _ => Token::Word(text),
        }
    }

    /// Returns the token after the expression that begins here.
    pub(super) fn after(&self, index: usize) -> usize {
        match self.at(index) {
            Token::Open => self.close(index) + 1,
            _ => index + 1,
        }
    }

    /// Returns the token that closes this one.
    pub(super) fn close(&self, open: usize) -> usize {
        self.places[open].close as usize
    }

    /// True if the tokens of an expression are those of another text.
    pub(super) fn are_those_of(&self, index: usize, other: &Tokens) -> bool {
        (index..self.after(index)).map(|i| self.at(i)).eq((0..other.places.len()).map(|i| other.at(i)))
    }

    /// Returns the text of an expression.
    pub(super) fn text(&self, index: usize) -> &'a str {
        &self.text[self.places[index].start..self.places[self.after(index) - 1].end]
    }

    /// Returns an error at this token.
    pub(super) fn fail(&self, index: usize, message: impl Into<String>) -> ReadError {
        let end = self.text.trim_end().len();
        self.fail_at(self.places.get(index).map_or(end, |place| place.start), message)
    }

    fn fail_at(&self, start: usize, message: impl Into<String>) -> ReadError {
        let before = &self.text[..start];
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
        let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
        ReadError { line, column, message: message.into() }
    }
}
