//! Reads SMT-LIB scripts: what [`super::script`] prints, and what other tools write in QF_BV, QF_FP and
//! QF_BVFP.
//!
//! A declared symbol becomes input bytes, lowest first, as many as its bits need; `obj0_12` of 8 bits is the
//! input byte of that name. What has no place in a [`Dag`] (arrays, other floats, symbolic rounding modes,
//! more than 128 bits) is refused with its place in the text.

mod bits;
mod check;
mod commands;
mod core;
mod floats;
mod info;
mod ours;
mod terms;
mod tokens;
mod value;

pub use check::{Check, Symbol, Typed};

use crate::dag::Dag;
use commands::Script;
use std::fmt::{self, Display};
use terms::Terms;
use tokens::{Token, Tokens};

/// Why a script cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Description of the error.
    pub message: String,
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// Reads a script into a DAG; one check for every `check-sat` in it.
pub fn read(dag: &mut Dag, text: &str) -> Result<Vec<Check>, ReadError> {
    let tokens = Tokens::of(text)?;
    let mut script = Script::new(Terms::new(dag, &tokens));
    let mut at = 0;
    while tokens.at(at) != Token::End {
        let word = tokens.at(at + 1).symbol().filter(|_| tokens.at(at) == Token::Open);
        match word.ok_or_else(|| tokens.fail(at, "a command should be here"))? {
            "exit" => break,
            word => script.command(word, at)?,
        }
        at = tokens.after(at);
    }
    Ok(script.checks)
}
