//! Kinds of faults.

use cairn_exec::{ExitKind, Run, signal_name};
use cairn_wire::{Check, OutOfBounds};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Kind of a fault.
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
    /// A memory error that only a sanitizer sees, by its name.
    Memory(String),
    /// Undefined behaviour of another kind, by its name.
    Undefined(String),
}

/// Class of kinds that are the same fault if they occur at the same location: tracing, signals and sanitizers
/// describe one fault in different detail.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FaultClass {
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

/// Parts of the C library's messages, and the kinds they stand for.
const MESSAGES: [(&str, FaultKind); 7] = [
    ("Assertion ", FaultKind::FailedAssertion),
    ("stack smashing detected", FaultKind::StackSmashing),
    ("free()", FaultKind::HeapCorruption),
    ("malloc", FaultKind::HeapCorruption),
    ("realloc()", FaultKind::HeapCorruption),
    ("corrupted", FaultKind::HeapCorruption),
    ("double free", FaultKind::HeapCorruption),
];

/// Name of the kind of a program that does not end.
pub const HANG: &str = "hang";
/// Prefix of the names of undefined behaviour.
const UNDEFINED: &str = "undefined behaviour: ";

impl FaultKind {
    /// Returns the kind of a sanitizer's finding by its name.
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

    /// Returns the kind of fault that ended a run; None if it ended normally.
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

    /// Returns the kind that a failed check stands for.
    pub fn of_check(check: Check) -> FaultKind {
        match check {
            Check::ZeroDivisor => FaultKind::DivisionByZero,
            Check::Quotient => FaultKind::QuotientOverflow,
            Check::Overflow => FaultKind::SignedOverflow,
            Check::Shift => FaultKind::ShiftOutOfRange,
        }
    }

    /// Returns the kind of an access outside its object.
    pub fn of_out_of_bounds(access: OutOfBounds) -> FaultKind {
        match access {
            OutOfBounds::Read => FaultKind::OutOfBoundsRead,
            OutOfBounds::Write => FaultKind::OutOfBoundsWrite,
        }
    }

    /// Returns the class for deduplication.
    pub fn class(&self) -> FaultClass {
        match self {
            FaultKind::DivisionByZero | FaultKind::QuotientOverflow => FaultClass::Division,
            FaultKind::SignedOverflow => FaultClass::Overflow,
            FaultKind::ShiftOutOfRange => FaultClass::Shift,
            FaultKind::OutOfBoundsRead
            | FaultKind::OutOfBoundsWrite
            | FaultKind::InvalidRead
            | FaultKind::InvalidWrite => FaultClass::Memory,
            FaultKind::HeapCorruption | FaultKind::StackSmashing | FaultKind::Memory(_) => FaultClass::Memory,
            FaultKind::NullPointer => FaultClass::NullPointer,
            FaultKind::StackOverflow => FaultClass::Stack,
            FaultKind::FailedAssertion => FaultClass::Assertion,
            FaultKind::Abort => FaultClass::Abort,
            FaultKind::IllegalInstruction => FaultClass::IllegalInstruction,
            FaultKind::Signal(signal) => FaultClass::Signal(*signal),
            FaultKind::OutOfMemory | FaultKind::TooManyProcesses | FaultKind::OutOfScratch => {
                FaultClass::Excess
            }
            FaultKind::Hang => FaultClass::Hang,
            FaultKind::Undefined(name) => FaultClass::Undefined(name.clone()),
        }
    }

    /// Returns the part of a file name that stands for a fault by which the program does not end.
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
