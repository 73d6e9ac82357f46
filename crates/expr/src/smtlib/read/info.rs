//! Annotations of a script: its status, the seed, and the functions that are tables.
//!
//! The last two are words between bars, as other solvers expect of what they do not know.

use super::super::Status;
use super::ReadError;
use super::commands::Script;
use super::terms::Global;
use super::tokens::Token;
use super::value::SmtValue;
use crate::node::ExprId;

impl<'a> Script<'_, 'a> {
    pub(super) fn info(&mut self, at: usize) -> Result<(), ReadError> {
        let done = match (self.token(at + 2), self.token(at + 3)) {
            (Token::Word(":status"), Token::Word(status)) => {
                self.status = [Status::Sat, Status::Unsat].into_iter().find(|s| s.to_string() == status);
                Some(())
            }
            (Token::Word(":cairn-seed"), Token::Quoted(words)) => self.seed(words),
            (Token::Word(":cairn-table"), Token::Quoted(words)) => self.table(words),
            _ => Some(()),
        };
        done.map_or_else(|| self.fail(at, "Cairn does not say it like this"), Ok)
    }

    /// Returns the expression that a name of some width stands for.
    fn bits(&self, name: &str) -> Option<ExprId> {
        match self.terms.globals.get(name)? {
            Global::Value(SmtValue::Bool(e) | SmtValue::Bits(e) | SmtValue::Float(e)) => Some(*e),
            _ => None,
        }
    }

    /// Symbols, and what they start with.
    fn seed(&mut self, words: &str) -> Option<()> {
        let mut words = words.split_ascii_whitespace();
        while let Some(name) = words.next() {
            let value = u128::from_str_radix(words.next()?, 16).ok()?;
            let inputs = self.terms.dag.inputs(self.bits(name)?);
            self.seed.extend(inputs.iter().copied().zip(value.to_le_bytes()));
        }
        Some(())
    }

    /// Reads the annotation of a table: its function, its bytes, and terms by index.
    fn table(&mut self, words: &'a str) -> Option<()> {
        let mut words = words.split_ascii_whitespace();
        let (name, bytes) = (words.next()?, hexadecimal(words.next()?)?);
        let mut parts: Vec<(u32, ExprId)> = Vec::new();
        while let Some(place) = words.next() {
            let (place, part) = (place.parse().ok()?, self.bits(words.next()?)?);
            let is_next =
                parts.last().is_none_or(|&(last, _)| last < place) && (place as usize) < bytes.len();
            if !is_next || self.terms.dag.width(part) != 8 {
                return None;
            }
            parts.push((place, part));
        }
        let table = self.terms.dag.snapshot(&bytes, &parts);
        self.tables.insert(name, table);
        Some(())
    }
}

/// At least one byte.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| !digits.is_empty() && digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
