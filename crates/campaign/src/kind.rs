//! What can be wrong with a program.

use cairn_exec::{End, Run, signal_name};
use cairn_wire::{Check, Outside};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a finding is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
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
const MESSAGES: [(&str, Kind); 7] = [
    ("Assertion ", Kind::FailedAssertion),
    ("stack smashing detected", Kind::StackSmashing),
    ("free()", Kind::HeapCorruption),
    ("malloc", Kind::HeapCorruption),
    ("realloc()", Kind::HeapCorruption),
    ("corrupted", Kind::HeapCorruption),
    ("double free", Kind::HeapCorruption),
];

/// The kind of a program that does not end.
pub const HANG: &str = "hang";
/// What the name of undefined behaviour begins with.
const UNDEFINED: &str = "undefined behaviour: ";

impl Kind {
    /// The kind of something that sanitizers have seen, by its name.
    pub fn named(name: &str) -> Kind {
        let plain = [
            Kind::DivisionByZero,
            Kind::QuotientOverflow,
            Kind::SignedOverflow,
            Kind::ShiftOutOfRange,
            Kind::NullPointer,
            Kind::StackOverflow,
            Kind::Abort,
            Kind::IllegalInstruction,
        ];
        let known = plain.into_iter().find(|kind| kind.to_string() == name);
        known.unwrap_or_else(|| match name.strip_prefix(UNDEFINED) {
            Some(rest) => Kind::Undefined(rest.to_owned()),
            None => Kind::Memory(name.to_owned()),
        })
    }

    /// What a run ended with; nothing if nothing was wrong.
    pub fn of_end(run: &Run) -> Option<Kind> {
        Some(match run.end {
            End::Exit(_) | End::Rejected => return None,
            End::Timeout => Kind::Hang,
            End::OutOfMemory => Kind::OutOfMemory,
            End::TooManyProcesses => Kind::TooManyProcesses,
            End::OutOfScratch => Kind::OutOfScratch,
            End::Signal(signal) => Kind::of_signal(signal, run),
        })
    }

    fn of_signal(signal: i32, run: &Run) -> Kind {
        match (signal_name(signal), run.access) {
            (Some("SIGFPE"), _) => Kind::DivisionByZero,
            (Some("SIGABRT"), _) => {
                let known = MESSAGES.iter().find(|(text, _)| run.message.contains(text));
                known.map_or(Kind::Abort, |(_, kind)| kind.clone())
            }
            (Some("SIGILL"), _) => Kind::IllegalInstruction,
            (_, Some(access)) if access.is_null() => Kind::NullPointer,
            (_, Some(access)) if access.near_stack => Kind::StackOverflow,
            (_, Some(access)) if access.writes => Kind::InvalidWrite,
            (_, Some(_)) => Kind::InvalidRead,
            (_, None) => Kind::Signal(signal),
        }
    }

    /// What it is if a check says so.
    pub fn of_check(check: Check) -> Kind {
        match check {
            Check::ZeroDivisor => Kind::DivisionByZero,
            Check::Quotient => Kind::QuotientOverflow,
            Check::Overflow => Kind::SignedOverflow,
            Check::Shift => Kind::ShiftOutOfRange,
        }
    }

    /// An access outside its object.
    pub fn of_outside(how: Outside) -> Kind {
        match how {
            Outside::Read => Kind::OutOfBoundsRead,
            Outside::Write => Kind::OutOfBoundsWrite,
        }
    }

    /// What it is the same fault as.
    pub fn class(&self) -> Class {
        match self {
            Kind::DivisionByZero | Kind::QuotientOverflow => Class::Division,
            Kind::SignedOverflow => Class::Overflow,
            Kind::ShiftOutOfRange => Class::Shift,
            Kind::OutOfBoundsRead | Kind::OutOfBoundsWrite | Kind::InvalidRead | Kind::InvalidWrite => {
                Class::Memory
            }
            Kind::HeapCorruption | Kind::StackSmashing | Kind::Memory(_) => Class::Memory,
            Kind::NullPointer => Class::NullPointer,
            Kind::StackOverflow => Class::Stack,
            Kind::FailedAssertion => Class::Assertion,
            Kind::Abort => Class::Abort,
            Kind::IllegalInstruction => Class::IllegalInstruction,
            Kind::Signal(signal) => Class::Signal(*signal),
            Kind::OutOfMemory | Kind::TooManyProcesses | Kind::OutOfScratch => Class::Excess,
            Kind::Hang => Class::Hang,
            Kind::Undefined(name) => Class::Undefined(name.clone()),
        }
    }

    /// What the file of an input that shows it has in its name, if the program does not end by it.
    pub fn suffix(&self) -> &'static str {
        match self {
            Kind::SignedOverflow => "overflow",
            Kind::ShiftOutOfRange => "shift",
            Kind::OutOfBoundsRead | Kind::OutOfBoundsWrite => "bounds",
            Kind::DivisionByZero | Kind::QuotientOverflow => "division",
            _ => "sanitizer",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::DivisionByZero => "division by zero",
            Kind::QuotientOverflow => "quotient overflow",
            Kind::SignedOverflow => "signed overflow",
            Kind::ShiftOutOfRange => "shift out of range",
            Kind::OutOfBoundsRead => "out-of-bounds read",
            Kind::OutOfBoundsWrite => "out-of-bounds write",
            Kind::NullPointer => "null pointer",
            Kind::InvalidRead => "invalid read",
            Kind::InvalidWrite => "invalid write",
            Kind::StackOverflow => "stack overflow",
            Kind::FailedAssertion => "failed assertion",
            Kind::HeapCorruption => "heap corruption detected by libc",
            Kind::StackSmashing => "stack smashing detected by libc",
            Kind::Abort => "abort",
            Kind::IllegalInstruction => "illegal instruction",
            Kind::Signal(signal) => match signal_name(*signal) {
                Some(name) => name,
                None => return write!(f, "signal {signal}"),
            },
            Kind::OutOfMemory => "memory limit",
            Kind::TooManyProcesses => "too many processes",
            Kind::OutOfScratch => "scratch limit",
            Kind::Hang => HANG,
            Kind::Memory(name) => name,
            Kind::Undefined(name) => return write!(f, "{UNDEFINED}{name}"),
        })
    }
}
