//! Terms become values, without recursion: files of other tools nest a hundred thousand deep.

use super::super::function::SmtFunction;
use super::tokens::{Token, Tokens};
use super::value::{Call, Mode, Real, SmtValue, Sort};
use super::{ReadError, bits, core, floats, ours};
use crate::dag::Dag;
use crate::node::MAX_WIDTH;
use crate::node::SnapshotId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Operations that may be applied for one script: definitions that use each other can be written out without
/// end.
const MAX_OPERATIONS: u64 = 20_000_000;

/// A function that the script defines.
pub(super) struct Macro<'a> {
    pub(super) parameters: Vec<(&'a str, Sort)>,
    pub(super) result: Sort,
    /// The token where its body begins.
    pub(super) body: usize,
    /// The table that it is said to read.
    pub(super) table: Option<SnapshotId>,
}

/// Meaning of a global name.
#[derive(Clone)]
pub(super) enum Global<'a> {
    Value(SmtValue<'a>),
    Macro(Rc<Macro<'a>>),
    Ours(SmtFunction),
}

/// Head of an application.
enum Head<'a> {
    Theory(&'a str, Vec<u32>),
    Macro(Rc<Macro<'a>>),
    Ours(SmtFunction),
}

/// A term under construction.
enum TermFrame<'a> {
    /// An operation, for its operands: those from this one on.
    Apply { at: usize, head: Head<'a>, first: usize },
    /// A `let`, for what its names are bound to.
    Bindings { names: Vec<&'a str>, values: Vec<SmtValue<'a>> },
    /// A `let`, for its body.
    Scope { names: Vec<&'a str> },
    /// An annotated term that ends with this token.
    Annotated { close: usize },
    /// A function of the script, for its body; then things go on at this token as they were.
    Call { at: usize, callee: Rc<Macro<'a>>, argument: SmtValue<'a>, resume: usize, era: u32 },
}

/// A pending task of the iterative reader.
enum Next<'a> {
    /// Read on at this token.
    Go(usize),
    /// Hand on this value; the token after it.
    Found(SmtValue<'a>, usize),
}

type TermStep<'a> = Result<Next<'a>, ReadError>;

/// Values of terms.
pub(super) struct Terms<'t, 'a> {
    pub(super) dag: &'t mut Dag,
    pub(super) tokens: &'t Tokens<'a>,
    pub(super) globals: FxHashMap<&'a str, Global<'a>>,
    /// Names that `:named` has given.
    pub(super) named: Vec<(&'a str, SmtValue<'a>)>,
    /// Bindings of names, innermost last, each with the call that it belongs to.
    locals: FxHashMap<&'a str, Vec<(u32, SmtValue<'a>)>>,
    /// The call whose bindings are seen.
    era: u32,
    calls: u32,
    operations: u64,
    frames: Vec<TermFrame<'a>>,
    values: Vec<SmtValue<'a>>,
}

impl<'t, 'a> Terms<'t, 'a> {
    pub(super) fn new(dag: &'t mut Dag, tokens: &'t Tokens<'a>) -> Self {
        Terms {
            dag,
            tokens,
            globals: FxHashMap::default(),
            named: Vec::new(),
            locals: FxHashMap::default(),
            era: 0,
            calls: 0,
            operations: 0,
            frames: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Returns the value of the term that begins at this token.
    pub(super) fn value(&mut self, start: usize) -> Result<SmtValue<'a>, ReadError> {
        let mut next = Next::Go(start);
        loop {
            next = match next {
                Next::Go(at) => match self.tokens.at(at) {
                    Token::Open => self.enter(at)?,
                    Token::Close => self.apply(at)?,
                    _ => Next::Found(self.atom(at)?, at + 1),
                },
                Next::Found(value, at) => match self.frames.pop() {
                    Some(frame) => self.hand(frame, value, at)?,
                    None => return Ok(value),
                },
            }
        }
    }

    fn fail<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ReadError> {
        Err(self.tokens.fail(at, message))
    }

    /// Goes into what an opening parenthesis begins.
    fn enter(&mut self, at: usize) -> TermStep<'a> {
        let word = self.tokens.at(at + 1);
        let first = self.values.len();
        match word {
            Token::Word("let") if self.tokens.at(at + 2) == Token::Open => {
                return self.next_binding(Vec::new(), Vec::new(), at + 3);
            }
            Token::Word("!") => {
                self.frames.push(TermFrame::Annotated { close: self.tokens.close(at) });
                return Ok(Next::Go(at + 2));
            }
            Token::Word("_") => {
                return Ok(Next::Found(self.indexed_constant(at)?, self.tokens.close(at) + 1));
            }
            Token::Open if self.tokens.at(at + 2) == Token::Word("_") => {
                let (name, indices) = self.indexed(at + 1)?;
                self.frames.push(TermFrame::Apply { at, head: Head::Theory(name, indices), first });
                return Ok(Next::Go(self.tokens.close(at + 1) + 1));
            }
            Token::Word("let" | "forall" | "exists" | "match" | "as" | "lambda") => {
                return self.fail(at, format!("Cairn does not know `{}`", self.tokens.text(at + 1)));
            }
            _ => {}
        }
        let Some(name) = word.symbol() else { return self.fail(at + 1, "an operation should be named here") };
        let head = match self.globals.get(name) {
            Some(Global::Macro(callee)) => Head::Macro(callee.clone()),
            Some(Global::Ours(function)) => Head::Ours(*function),
            _ => Head::Theory(name, Vec::new()),
        };
        self.frames.push(TermFrame::Apply { at, head, first });
        Ok(Next::Go(at + 2))
    }

    /// Goes on with the next binding of a `let`, or with its body.
    fn next_binding(
        &mut self,
        mut names: Vec<&'a str>,
        values: Vec<SmtValue<'a>>,
        at: usize,
    ) -> TermStep<'a> {
        if self.tokens.at(at) == Token::Close {
            self.bind(names.iter().copied().zip(values));
            self.frames.push(TermFrame::Scope { names });
            return Ok(Next::Go(at + 1));
        }
        match self.tokens.at(at + 1).symbol().filter(|_| self.tokens.at(at) == Token::Open) {
            Some(name) => names.push(name),
            None => return self.fail(at, "a name and a term in parentheses should be here"),
        }
        self.frames.push(TermFrame::Bindings { names, values });
        Ok(Next::Go(at + 2))
    }

    fn bind(&mut self, bindings: impl Iterator<Item = (&'a str, SmtValue<'a>)>) {
        for (name, value) in bindings {
            self.locals.entry(name).or_default().push((self.era, value));
        }
    }

    fn unbind(&mut self, names: impl Iterator<Item = &'a str>) {
        for name in names {
            self.locals.get_mut(name).and_then(Vec::pop);
        }
    }

    /// Hands a value to what waits for it.
    fn hand(&mut self, frame: TermFrame<'a>, value: SmtValue<'a>, at: usize) -> TermStep<'a> {
        match frame {
            TermFrame::Apply { .. } => {
                self.values.push(value);
                self.frames.push(frame);
                Ok(Next::Go(at))
            }
            TermFrame::Bindings { names, mut values } => {
                self.expect_close(at)?;
                values.push(value);
                self.next_binding(names, values, at + 1)
            }
            TermFrame::Scope { names } => {
                self.expect_close(at)?;
                self.unbind(names.into_iter());
                Ok(Next::Found(value, at + 1))
            }
            TermFrame::Annotated { close } => {
                if let (Token::Word(":named"), Some(name)) =
                    (self.tokens.at(at), self.tokens.at(at + 1).symbol())
                {
                    self.named.push((name, value));
                }
                Ok(Next::Found(value, close + 1))
            }
            TermFrame::Call { at, callee, argument, resume, era } => {
                self.unbind(callee.parameters.iter().map(|&(name, _)| name));
                self.era = era;
                if value.sort(self.dag) != Some(callee.result) {
                    return self.fail(at, "this function is defined to give something of another sort");
                }
                Ok(Next::Found(self.recognised(&callee, argument, value), resume))
            }
        }
    }

    fn expect_close(&self, at: usize) -> Result<(), ReadError> {
        if self.tokens.at(at) == Token::Close {
            Ok(())
        } else {
            self.fail(at, "a parenthesis should close here")
        }
    }

    fn recognised(&mut self, callee: &Macro, argument: SmtValue, value: SmtValue<'a>) -> SmtValue<'a> {
        match (callee.table, argument, value) {
            (Some(table), SmtValue::Bits(place), SmtValue::Bits(term)) => {
                SmtValue::Bits(ours::recognised(self.dag, table, place, term))
            }
            _ => value,
        }
    }

    /// Applies the operation that a closing parenthesis ends.
    fn apply(&mut self, close: usize) -> TermStep<'a> {
        let Some(TermFrame::Apply { at, head, first }) = self.frames.pop() else {
            return self.fail(close, "a term should be here");
        };
        self.operations += 1;
        if self.operations > MAX_OPERATIONS {
            return self.fail(at, "this script is too large with its definitions written out");
        }
        let args = self.values.split_off(first);
        let (name, indices) = match head {
            Head::Macro(callee) => return self.call(at, callee, args, close + 1),
            Head::Ours(function) => {
                let call = Call { name: "", indices: &[], args: &args };
                let applied = ours::apply(self.dag, function, &call);
                return applied.map(|value| Next::Found(value, close + 1)).or_else(|why| self.fail(at, why));
            }
            Head::Theory(name, indices) => (name, indices),
        };
        let call = Call { name, indices: &indices, args: &args };
        match in_theory(self.dag, &call) {
            Ok(Some(value)) => Ok(Next::Found(value, close + 1)),
            Ok(None) => self.fail(at, format!("Cairn does not know `{name}`")),
            Err(why) => self.fail(at, why),
        }
    }

    fn call(
        &mut self,
        at: usize,
        callee: Rc<Macro<'a>>,
        args: Vec<SmtValue<'a>>,
        resume: usize,
    ) -> TermStep<'a> {
        let sorts = args.iter().map(|arg| arg.sort(self.dag));
        if !sorts.eq(callee.parameters.iter().map(|&(_, sort)| Some(sort))) {
            return self.fail(at, "this function is defined for something else");
        }
        let era = self.era;
        self.calls += 1;
        self.era = self.calls;
        self.bind(callee.parameters.iter().map(|&(name, _)| name).zip(args.iter().copied()));
        let body = callee.body;
        self.frames.push(TermFrame::Call { at, callee, argument: args[0], resume, era });
        Ok(Next::Go(body))
    }

    /// Returns the value of a term that is one token.
    fn atom(&mut self, at: usize) -> Result<SmtValue<'a>, ReadError> {
        let token = self.tokens.at(at);
        if let Some(name) = token.symbol() {
            return self.named_value(at, name);
        }
        let Token::Word(word) = token else { return self.fail(at, "a term should be here") };
        if let Some(digits) = word.strip_prefix("#b") {
            return self.constant(at, digits, 1, 2);
        }
        if let Some(digits) = word.strip_prefix("#x") {
            return self.constant(at, digits, 4, 16);
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(SmtValue::Real(Real { negative: false, numerator: word, denominator: None }));
        }
        self.fail(at, format!("`{word}` is no term"))
    }

    fn named_value(&mut self, at: usize, name: &'a str) -> Result<SmtValue<'a>, ReadError> {
        if let Some(&(era, value)) = self.locals.get(name).and_then(|bound| bound.last())
            && era == self.era
        {
            return Ok(value);
        }
        match self.globals.get(name) {
            Some(Global::Value(value)) => return Ok(*value),
            Some(_) => return self.fail(at, format!("`{name}` is a function")),
            None => {}
        }
        match name {
            "true" | "false" => Ok(SmtValue::Bool(self.dag.truth(name == "true"))),
            _ => match Mode::named(name) {
                Some(mode) => Ok(SmtValue::Mode(mode)),
                None => self.fail(at, format!("Cairn does not know `{name}`")),
            },
        }
    }

    fn constant(
        &mut self,
        at: usize,
        digits: &str,
        bits: usize,
        radix: u32,
    ) -> Result<SmtValue<'a>, ReadError> {
        let width = digits.len() * bits;
        if !(1..=usize::from(MAX_WIDTH)).contains(&width) {
            return self.fail(at, format!("Cairn has values of 1 to {MAX_WIDTH} bits, not of {width}"));
        }
        match u128::from_str_radix(digits, radix) {
            Ok(value) if !digits.starts_with('+') => {
                Ok(SmtValue::Bits(self.dag.constant(width as u8, value)))
            }
            _ => self.fail(at, "this is no constant"),
        }
    }

    /// Name and indices of `(_ name 1 2)`.
    fn indexed(&self, open: usize) -> Result<(&'a str, Vec<u32>), ReadError> {
        let Some(name) = self.tokens.at(open + 2).symbol() else {
            return self.fail(open, "a name and numbers should follow here");
        };
        let mut indices = Vec::new();
        for i in open + 3..self.tokens.close(open) {
            match self.tokens.at(i) {
                Token::Word(word) if word.bytes().all(|b| b.is_ascii_digit()) && word.len() < 10 => {
                    indices.push(word.parse().expect("few digits are a number"));
                }
                _ => return self.fail(i, "this is no number that Cairn can use as an index"),
            }
        }
        Ok((name, indices))
    }

    /// `(_ bv12 32)`, `(_ NaN 8 24)` and their kin.
    fn indexed_constant(&mut self, open: usize) -> Result<SmtValue<'a>, ReadError> {
        let (name, indices) = self.indexed(open)?;
        match floats::special(self.dag, name, &indices) {
            Ok(Some(value)) => return Ok(value),
            Ok(None) => {}
            Err(why) => return self.fail(open, why),
        }
        let digits = name.strip_prefix("bv").filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        match (digits.and_then(|digits| digits.parse().ok()), indices.as_slice()) {
            (Some(value), &[width @ 1..=128]) => Ok(SmtValue::Bits(self.dag.constant(width as u8, value))),
            (Some(_), _) => self.fail(open, format!("Cairn has values of 1 to {MAX_WIDTH} bits")),
            (None, _) => self.fail(open, format!("Cairn does not know `{name}`")),
        }
    }
}

fn in_theory<'a>(dag: &mut Dag, call: &Call<'_, 'a>) -> Result<Option<SmtValue<'a>>, String> {
    if let Some(value) = core::apply(dag, call)? {
        return Ok(Some(value));
    }
    match bits::apply(dag, call)? {
        Some(value) => Ok(Some(value)),
        None => floats::apply(dag, call),
    }
}
