//! Commands, one after the other.

use super::super::floats::BITS;
use super::super::function::SmtFunction;
use super::super::tables::TABLE;
use super::super::{Status, variable};
use super::terms::{Global, Macro, Terms};
use super::tokens::{Token, Tokens};
use super::value::{SmtValue, Sort};
use super::{Check, ReadError, Symbol, Typed, floats};
use crate::inputs::InputByte;
use crate::node::SnapshotId;
use crate::node::{ExprId, MAX_WIDTH};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The object whose bytes are the symbols that are no input bytes by name.
const SYMBOLS: u32 = u32::MAX;

/// Sizes of the lists when a scope was opened.
struct Scope {
    assertions: usize,
    symbols: usize,
    defined: usize,
}

/// A script as far as it has been read.
pub(super) struct Script<'t, 'a> {
    pub(super) terms: Terms<'t, 'a>,
    pub(super) checks: Vec<Check>,
    assertions: Vec<ExprId>,
    symbols: Vec<Symbol>,
    /// Names of everything global, in order.
    defined: Vec<&'a str>,
    scopes: Vec<Scope>,
    sorts: FxHashMap<&'a str, Sort>,
    pub(super) status: Option<Status>,
    pub(super) seed: Vec<(InputByte, u8)>,
    /// Tables that functions to come are said to read.
    pub(super) tables: FxHashMap<&'a str, SnapshotId>,
    /// Bytes that symbols take so far.
    bytes: u32,
}

impl<'t, 'a> Script<'t, 'a> {
    pub(super) fn new(terms: Terms<'t, 'a>) -> Self {
        Script {
            terms,
            checks: Vec::new(),
            assertions: Vec::new(),
            symbols: Vec::new(),
            defined: Vec::new(),
            scopes: Vec::new(),
            sorts: FxHashMap::default(),
            status: None,
            seed: Vec::new(),
            tables: FxHashMap::default(),
            bytes: 0,
        }
    }

    pub(super) fn token(&self, at: usize) -> Token<'a> {
        self.terms.tokens.at(at)
    }

    pub(super) fn fail<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ReadError> {
        Err(self.terms.tokens.fail(at, message))
    }

    pub(super) fn command(&mut self, word: &str, at: usize) -> Result<(), ReadError> {
        match word {
            "set-logic" | "set-option" | "get-model" | "get-info" | "get-option" | "echo" => Ok(()),
            "get-assertions" | "get-unsat-core" | "get-assignment" | "get-proof" => Ok(()),
            "set-info" => self.info(at),
            "declare-const" => self.declare(at, at + 3),
            "declare-fun" => self.declare_fun(at),
            "define-fun" => self.define_fun(at),
            "define-const" => self.define(at, at + 3),
            "define-sort" => self.define_sort(at),
            "assert" => self.assert(at),
            "check-sat" => self.check(&[]),
            "check-sat-assuming" => self.check_assuming(at),
            "get-value" => self.get_value(at),
            "push" => self.push(at),
            "pop" => self.pop(at),
            _ => self.fail(at, format!("Cairn does not know the command `{word}`")),
        }
    }

    pub(super) fn name(&self, at: usize) -> Result<&'a str, ReadError> {
        match self.token(at).symbol() {
            Some(name) => Ok(name),
            None => self.fail(at, "a name should be here"),
        }
    }

    /// Gives a name its meaning; no name has two.
    fn introduce(&mut self, at: usize, name: &'a str, meaning: Global<'a>) -> Result<(), ReadError> {
        if self.terms.globals.insert(name, meaning).is_some() {
            return self.fail(at, format!("`{name}` has a meaning already"));
        }
        self.defined.push(name);
        Ok(())
    }

    fn sort(&self, at: usize) -> Result<Sort, ReadError> {
        let number = |i| match self.token(i) {
            Token::Word(word) => word.parse::<u32>().ok(),
            _ => None,
        };
        if let Some(name) = self.token(at).symbol() {
            return match name {
                "Bool" => Ok(Sort::Bool),
                "Float32" => Ok(Sort::Float(32)),
                "Float64" => Ok(Sort::Float(64)),
                "RoundingMode" => Ok(Sort::Mode),
                _ => self.sorts.get(name).copied().map_or_else(|| self.unknown_sort(at), Ok),
            };
        }
        if self.token(at + 1) != Token::Word("_") {
            return self.unknown_sort(at);
        }
        match (self.token(at + 2), number(at + 3), number(at + 4), self.terms.tokens.after(at) - at) {
            (Token::Word("BitVec"), Some(width @ 1..=128), None, 5) => Ok(Sort::Bits(width as u8)),
            (Token::Word("BitVec"), Some(width), None, 5) => {
                self.fail(at, format!("Cairn has values of 1 to {MAX_WIDTH} bits, not of {width}"))
            }
            (Token::Word("FloatingPoint"), Some(exponent), Some(significand), 6) => {
                floats::width(exponent, significand).map(Sort::Float).or_else(|why| self.fail(at, why))
            }
            _ => self.unknown_sort(at),
        }
    }

    fn unknown_sort(&self, at: usize) -> Result<Sort, ReadError> {
        match self.token(at) {
            Token::Close | Token::End => self.fail(at, "a sort should be here"),
            _ => self.fail(at, format!("Cairn does not know the sort `{}`", self.terms.tokens.text(at))),
        }
    }

    /// Declares a symbol of the sort at `sort`.
    fn declare(&mut self, at: usize, sort: usize) -> Result<(), ReadError> {
        let name = self.name(at + 2)?;
        let (place, sort) = (sort, self.sort(sort)?);
        let width = match sort {
            Sort::Bool => 1,
            Sort::Bits(width) | Sort::Float(width) => width,
            Sort::Mode => return self.fail(place, "Cairn has rounding modes only as constants"),
        };
        let expression = self.input(name, width);
        let value = SmtValue::of(sort, expression).expect("rounding modes are refused above");
        self.introduce(at, name, Global::Value(value))?;
        let name = self.terms.tokens.text(at + 2).to_owned();
        self.symbols.push(Symbol { name, value: Typed { sort, expression } });
        Ok(())
    }

    /// Input bytes for a symbol of this width.
    fn input(&mut self, name: &str, width: u8) -> ExprId {
        let dag = &mut *self.terms.dag;
        if let Some(byte) = named_byte(name).filter(|_| width == 8) {
            return dag.input(byte);
        }
        let count = u32::from(width.div_ceil(8));
        let mut bytes = (self.bytes..self.bytes + count).map(|offset| InputByte { object: SYMBOLS, offset });
        self.bytes += count;
        let lowest = dag.input(bytes.next().expect("at least one byte"));
        let all = bytes.fold(lowest, |low, byte| {
            let high = dag.input(byte);
            dag.concat(high, low)
        });
        dag.trunc(all, width)
    }

    fn declare_fun(&mut self, at: usize) -> Result<(), ReadError> {
        let name = self.name(at + 2)?;
        if let Some(done) = self.ours(at, name) {
            return done;
        }
        if self.token(at + 3) != Token::Open {
            return self.fail(at + 3, "a list of sorts should be here");
        }
        if self.token(at + 4) != Token::Close {
            return self.fail(at, format!("Cairn does not know the function `{name}`"));
        }
        self.declare(at, at + 5)
    }

    /// Takes note of a function of ours that a command declares or defines.
    fn ours(&mut self, at: usize, name: &'a str) -> Option<Result<(), ReadError>> {
        if !name.starts_with("cairn.") || name.starts_with(TABLE) {
            return None;
        }
        let Some(function) = SmtFunction::named(name) else {
            return Some(self.fail(at, format!("Cairn has no function `{name}`")));
        };
        let command = function.command();
        let own = Tokens::of(&command).expect("what is printed can be read");
        if !self.terms.tokens.are_those_of(at, &own) {
            return Some(self.fail(at, format!("this is not what Cairn means by `{name}`")));
        }
        Some(self.introduce(at, name, Global::Ours(function)))
    }

    fn define_fun(&mut self, at: usize) -> Result<(), ReadError> {
        let name = self.name(at + 2)?;
        if let Some(done) = self.ours(at, name) {
            return done;
        }
        let parameters = self.parameters(at + 3)?;
        let sort = self.terms.tokens.after(at + 3);
        if parameters.is_empty() {
            return self.define(at, sort);
        }
        let (result, body) = (self.sort(sort)?, self.terms.tokens.after(sort));
        self.expect_term(body)?;
        self.expect_end(at, body)?;
        let is_itself = |&place: &usize| self.token(place) == Token::Word(name);
        let is_parameter = parameters.iter().any(|(parameter, _)| *parameter == name);
        if let Some(place) = (body..self.terms.tokens.after(body)).find(is_itself).filter(|_| !is_parameter) {
            return self.fail(place, format!("`{name}` is defined by itself"));
        }
        let table = self.tables.remove(name);
        self.introduce(at, name, Global::Macro(Rc::new(Macro { parameters, result, body, table })))
    }

    fn parameters(&self, open: usize) -> Result<Vec<(&'a str, Sort)>, ReadError> {
        if self.token(open) != Token::Open {
            return self.fail(open, "a list of parameters should be here");
        }
        let mut parameters = Vec::new();
        let mut at = open + 1;
        while self.token(at) != Token::Close {
            if self.token(at) != Token::Open {
                return self.fail(at, "a name and a sort in parentheses should be here");
            }
            parameters.push((self.name(at + 1)?, self.sort(at + 2)?));
            at = self.terms.tokens.after(at);
        }
        Ok(parameters)
    }

    /// Defines a name for a term, whose sort comes before it.
    fn define(&mut self, at: usize, sort: usize) -> Result<(), ReadError> {
        let (name, place) = (self.name(at + 2)?, sort);
        let sort = self.sort(sort)?;
        let term = self.terms.tokens.after(place);
        let value = self.term(term)?;
        if value.sort(self.terms.dag) != Some(sort) {
            return self.fail(term, format!("`{name}` is defined as something of another sort"));
        }
        self.expect_end(at, term)?;
        self.introduce(at, name, Global::Value(value))
    }

    fn define_sort(&mut self, at: usize) -> Result<(), ReadError> {
        let name = self.name(at + 2)?;
        if self.token(at + 3) != Token::Open || self.token(at + 4) != Token::Close {
            return self.fail(at + 3, "Cairn knows sorts only without parameters");
        }
        let sort = self.sort(at + 5)?;
        self.sorts.insert(name, sort);
        Ok(())
    }

    fn expect_term(&self, at: usize) -> Result<(), ReadError> {
        if self.token(at) == Token::Close { self.fail(at, "a term should be here") } else { Ok(()) }
    }

    /// Checks that a command ends with this term.
    fn expect_end(&self, command: usize, term: usize) -> Result<(), ReadError> {
        let next = self.terms.tokens.after(term);
        match next == self.terms.tokens.close(command) {
            true => Ok(()),
            false => self.fail(next, "this is more than the command takes"),
        }
    }

    /// Reads a term; names that it defines (`:named`) are known from then on.
    pub(super) fn term(&mut self, at: usize) -> Result<SmtValue<'a>, ReadError> {
        self.expect_term(at)?;
        let value = self.terms.value(at)?;
        for (name, value) in std::mem::take(&mut self.terms.named) {
            self.introduce(at, name, Global::Value(value))?;
        }
        Ok(value)
    }

    fn truth(&mut self, at: usize) -> Result<ExprId, ReadError> {
        match self.term(at)? {
            SmtValue::Bool(e) => Ok(e),
            _ => self.fail(at, "a truth value should be here"),
        }
    }

    fn assert(&mut self, at: usize) -> Result<(), ReadError> {
        if self.ties_bits(at + 2) {
            return self.tie_bits(at + 3);
        }
        let assertion = self.truth(at + 2)?;
        self.assertions.push(assertion);
        self.expect_end(at, at + 2)
    }

    /// True if an assertion equates a float's bits with its number.
    fn ties_bits(&self, at: usize) -> bool {
        let tokens = self.terms.tokens;
        if tokens.at(at) != Token::Open || tokens.at(at + 1) != Token::Word("!") {
            return false;
        }
        let attribute = tokens.after(at + 2);
        let name = tokens.at(attribute + 1).symbol().unwrap_or_default();
        tokens.at(attribute) == Token::Word(":named") && name.starts_with(BITS)
    }

    /// `(! (and (= ((_ to_fp …) bits) number) …) …)`, from the `!` on: to us the bits are the number.
    fn tie_bits(&mut self, at: usize) -> Result<(), ReadError> {
        const FORM: &str = "this does not tie bits to a number as Cairn does";
        let tokens = self.terms.tokens;
        let words = [(at + 2, Token::Word("and")), (at + 4, Token::Word("=")), (at + 5, Token::Open)];
        if words.iter().any(|&(i, token)| tokens.at(i) != token) {
            return self.fail(at, FORM);
        }
        let close = tokens.close(at + 5);
        let Some(name) = tokens.at(close - 1).symbol() else { return self.fail(at, FORM) };
        let (Some(Global::Value(SmtValue::Bits(bits))), SmtValue::Float(number)) =
            (self.terms.globals.get(name).cloned(), self.terms.value(close + 1)?)
        else {
            return self.fail(at, FORM);
        };
        if self.terms.dag.width(bits) != self.terms.dag.width(number) {
            return self.fail(at, FORM);
        }
        self.terms.globals.insert(name, Global::Value(SmtValue::Bits(number)));
        // It was declared just before, and is no symbol any more.
        if let Some(i) = self.symbols.iter().rposition(|symbol| symbol.name == name) {
            self.symbols.remove(i);
        }
        Ok(())
    }

    fn check(&mut self, assumptions: &[ExprId]) -> Result<(), ReadError> {
        self.checks.push(Check {
            assertions: self.assertions.iter().chain(assumptions).copied().collect(),
            symbols: self.symbols.clone(),
            status: self.status.take(),
            seed: self.seed.clone(),
            values: Vec::new(),
        });
        Ok(())
    }

    /// Terms of the list that begins here.
    pub(super) fn list(&self, open: usize) -> Result<Vec<usize>, ReadError> {
        if self.token(open) != Token::Open {
            return self.fail(open, "a list should be here");
        }
        let mut items = Vec::new();
        let mut at = open + 1;
        while self.token(at) != Token::Close {
            items.push(at);
            at = self.terms.tokens.after(at);
        }
        Ok(items)
    }

    fn check_assuming(&mut self, at: usize) -> Result<(), ReadError> {
        let mut assumptions = Vec::new();
        for item in self.list(at + 2)? {
            assumptions.push(self.truth(item)?);
        }
        self.check(&assumptions)
    }

    fn get_value(&mut self, at: usize) -> Result<(), ReadError> {
        for item in self.list(at + 2)? {
            let value = self.term(item)?;
            let (
                SmtValue::Bool(expression) | SmtValue::Bits(expression) | SmtValue::Float(expression),
                Some(sort),
            ) = (value, value.sort(self.terms.dag))
            else {
                return self.fail(item, "Cairn gives values of bits, floats and truths only");
            };
            let text = self.terms.tokens.text(item).to_owned();
            if let Some(check) = self.checks.last_mut() {
                check.values.push((text, Typed { sort, expression }));
            }
        }
        Ok(())
    }

    fn levels(&self, at: usize) -> Result<usize, ReadError> {
        match self.token(at + 2) {
            Token::Close => Ok(1),
            Token::Word(word) if word.parse::<u16>().is_ok() => {
                Ok(word.parse::<u16>().expect("just seen").into())
            }
            _ => self.fail(at, "a small number should be here"),
        }
    }

    fn push(&mut self, at: usize) -> Result<(), ReadError> {
        for _ in 0..self.levels(at)? {
            self.scopes.push(Scope {
                assertions: self.assertions.len(),
                symbols: self.symbols.len(),
                defined: self.defined.len(),
            });
        }
        Ok(())
    }

    fn pop(&mut self, at: usize) -> Result<(), ReadError> {
        for _ in 0..self.levels(at)? {
            let Some(scope) = self.scopes.pop() else {
                return self.fail(at, "nothing was pushed that could be popped");
            };
            self.assertions.truncate(scope.assertions);
            self.symbols.truncate(scope.symbols);
            for name in self.defined.drain(scope.defined..) {
                self.terms.globals.remove(name);
            }
        }
        Ok(())
    }
}

/// Returns the input byte that has this name.
fn named_byte(name: &str) -> Option<InputByte> {
    let (object, offset) = name.strip_prefix("obj")?.split_once('_')?;
    let byte = InputByte { object: object.parse().ok()?, offset: offset.parse().ok()? };
    (variable(byte) == name && byte.object != SYMBOLS).then_some(byte)
}
