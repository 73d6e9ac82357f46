//! What can be wrong with a program.

use cairn_exec::{ExitKind, Run, signal_name};
use cairn_wire::{Check, OutOfBounds};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a finding is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum FaultKind {
    DivisionByZero,
    QuotientOverflow,
    SignedOverflow,
    ShiftOutOfRange,
    OutOfBoundsRead,
    OutOfBoundsWrite,
    NullPointer,
    InvalidRead,
    InvalidWrite,
    StackOverflow,
    FailedAssertion,
    HeapCorruption,
    StackSmashing,
    Abort,
    IllegalInstruction,
    Signal(i32),
    OutOfMemory,
    TooManyProcesses,
    OutOfScratch,
    Hang,
    /// An error that only a sanitizer sees, by its name.
    Memory(String),
    /// Undefined behaviour of another kind, by its name.
    Undefined(String),
}

/// What makes two kinds the same fault if they are found at the same place: one way of looking at it tells more than another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    Division,
    Overflow,
    Shift,
    Memory,
    NullPointer,
    Stack,
    Assertion,
    Abort,
    IllegalInstruction,
    Signal(i32),
    Excess,
    Hang,
    Undefined(String),
}

/// What the C library's messages begin with, or have in them, and what that is.
const MESSAGES: [(&str, FaultKind); 7] = [
    ("Assertion ", FaultKind::FailedAssertion),
    ("stack smashing detected", FaultKind::StackSmashing),
    ("free()", FaultKind::HeapCorruption),
    ("malloc", FaultKind::HeapCorruption),
    ("realloc()", FaultKind::HeapCorruption),
    ("corrupted", FaultKind::HeapCorruption),
    ("double free", FaultKind::HeapCorruption),
];

/// The kind of a program that does not end.
pub const HANG: &str = "hang";
/// What the name of undefined behaviour begins with.
const UNDEFINED: &str = "undefined behaviour: ";

impl FaultKind {
    /// The kind of something that sanitizers have seen, by its name.
    pub fn named(name: &str) -> FaultKind {
        let plain = [
            FaultKind::DivisionByZero,
            FaultKind::QuotientOverflow,
            FaultKind::SignedOverflow,
            FaultKind::ShiftOutOfRange,
            FaultKind::NullPointer,
            FaultKind::StackOverflow,
            FaultKind::Abort,
            FaultKind::IllegalInstruction,
        ];
        let known = plain.into_iter().find(|kind| kind.to_string() == name);
        known.unwrap_or_else(|| match name.strip_prefix(UNDEFINED) {
            Some(rest) => FaultKind::Undefined(rest.to_owned()),
            None => FaultKind::Memory(name.to_owned()),
        })
    }

    /// What a run ended with; nothing if nothing was wrong.
    pub fn of_end(run: &Run) -> Option<FaultKind> {
        Some(match run.end {
            ExitKind::Exit(_) | ExitKind::Rejected => return None,
            ExitKind::Timeout => FaultKind::Hang,
            ExitKind::OutOfMemory => FaultKind::OutOfMemory,
            ExitKind::TooManyProcesses => FaultKind::TooManyProcesses,
            ExitKind::OutOfScratch => FaultKind::OutOfScratch,
            ExitKind::Signal(signal) => FaultKind::of_signal(signal, run),
        })
    }

    fn of_signal(signal: i32, run: &Run) -> FaultKind {
        match (signal_name(signal), run.access) {
            (Some("SIGFPE"), _) => FaultKind::DivisionByZero,
            (Some("SIGABRT"), _) => {
                let known = MESSAGES.iter().find(|(text, _)| run.message.contains(text));
                known.map_or(FaultKind::Abort, |(_, kind)| kind.clone())
            }
            (Some("SIGILL"), _) => FaultKind::IllegalInstruction,
            (_, Some(access)) if access.is_null() => FaultKind::NullPointer,
            (_, Some(access)) if access.near_stack => FaultKind::StackOverflow,
            (_, Some(access)) if access.writes => FaultKind::InvalidWrite,
            (_, Some(_)) => FaultKind::InvalidRead,
            (_, None) => FaultKind::Signal(signal),
        }
    }

    /// What it is if a check says so.
    pub fn of_check(check: Check) -> FaultKind {
        match check {
            Check::ZeroDivisor => FaultKind::DivisionByZero,
            Check::Quotient => FaultKind::QuotientOverflow,
            Check::Overflow => FaultKind::SignedOverflow,
            Check::Shift => FaultKind::ShiftOutOfRange,
        }
    }

    /// An access outside its object.
    pub fn of_outside(how: OutOfBounds) -> FaultKind {
        match how {
            OutOfBounds::Read => FaultKind::OutOfBoundsRead,
            OutOfBounds::Write => FaultKind::OutOfBoundsWrite,
        }
    }

    /// What it is the same fault as.
    pub fn class(&self) -> Class {
        match self {
            FaultKind::DivisionByZero | FaultKind::QuotientOverflow => Class::Division,
            FaultKind::SignedOverflow => Class::Overflow,
            FaultKind::ShiftOutOfRange => Class::Shift,
            FaultKind::OutOfBoundsRead
            | FaultKind::OutOfBoundsWrite
            | FaultKind::InvalidRead
            | FaultKind::InvalidWrite => Class::Memory,
            FaultKind::HeapCorruption | FaultKind::StackSmashing | FaultKind::Memory(_) => Class::Memory,
            FaultKind::NullPointer => Class::NullPointer,
            FaultKind::StackOverflow => Class::Stack,
            FaultKind::FailedAssertion => Class::Assertion,
            FaultKind::Abort => Class::Abort,
            FaultKind::IllegalInstruction => Class::IllegalInstruction,
            FaultKind::Signal(signal) => Class::Signal(*signal),
            FaultKind::OutOfMemory | FaultKind::TooManyProcesses | FaultKind::OutOfScratch => Class::Excess,
            FaultKind::Hang => Class::Hang,
            FaultKind::Undefined(name) => Class::Undefined(name.clone()),
        }
    }

    /// What the file of an input that shows it has in its name, if the program does not end by it.
    pub fn suffix(&self) -> &'static str {
        match self {
            FaultKind::SignedOverflow => "overflow",
            FaultKind::ShiftOutOfRange => "shift",
            FaultKind::OutOfBoundsRead | FaultKind::OutOfBoundsWrite => "bounds",
            FaultKind::DivisionByZero | FaultKind::QuotientOverflow => "division",
            _ => "sanitizer",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::DivisionByZero => "division by zero",
            FaultKind::QuotientOverflow => "quotient overflow",
            FaultKind::SignedOverflow => "signed overflow",
            FaultKind::ShiftOutOfRange => "shift out of range",
            FaultKind::OutOfBoundsRead => "out-of-bounds read",
            FaultKind::OutOfBoundsWrite => "out-of-bounds write",
            FaultKind::NullPointer => "null pointer",
            FaultKind::InvalidRead => "invalid read",
            FaultKind::InvalidWrite => "invalid write",
            FaultKind::StackOverflow => "stack overflow",
            FaultKind::FailedAssertion => "failed assertion",
            FaultKind::HeapCorruption => "heap corruption detected by libc",
            FaultKind::StackSmashing => "stack smashing detected by libc",
            FaultKind::Abort => "abort",
            FaultKind::IllegalInstruction => "illegal instruction",
            FaultKind::Signal(signal) => match signal_name(*signal) {
                Some(name) => name,
                None => return write!(f, "signal {signal}"),
            },
            FaultKind::OutOfMemory => "memory limit",
            FaultKind::TooManyProcesses => "too many processes",
            FaultKind::OutOfScratch => "scratch limit",
            FaultKind::Hang => HANG,
            FaultKind::Memory(name) => name,
            FaultKind::Undefined(name) => return write!(f, "{UNDEFINED}{name}"),
        })
    }
}
