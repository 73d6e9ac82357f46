//! What a program says that was built with AddressSanitizer and UndefinedBehaviorSanitizer.
//!
//! They are told not to look up names: `/path/program+0x12` is what they print, and the line tables are read here. So a
//! report costs no second process, and there is one way in which lines are named.

use crate::findings::Key;
use crate::kind::FaultKind;
use crate::triage::Spot;
use cairn_program::{SourceFrame, Symbols, seen_from_here};

const ADDRESS: &str = "ERROR: AddressSanitizer: ";
const UNDEFINED: &str = ": runtime error: ";
/// Where the part of a report ends that is about the program.
const INTERNALS: [&str; 2] = ["Shadow bytes around", "Register values:"];
/// Most lines of a report that are kept.
const MAX_LINES: usize = 80;

/// One error.
#[derive(Clone, Debug)]
pub(crate) struct SanitizerError {
    pub kind: FaultKind,
    /// The frames of the user's code, innermost first.
    pub frames: Vec<SourceFrame>,
    /// What was said, with names.
    pub text: String,
    /// Whether the program went no further.
    pub is_fatal: bool,
}

impl SanitizerError {
    /// What it has in common with what is the same fault.
    pub fn key(&self) -> Key {
        (self.kind.class(), self.spot())
    }

    /// Both sanitizers may tell of one fault, the one that knows memory better last; a loop may repeat it.
    fn merge(&mut self, later: SanitizerError) {
        self.is_fatal |= later.is_fatal;
        if self.kind != later.kind {
            self.kind = later.kind;
            self.text.push_str(&later.text);
        }
    }

    /// Where it is.
    pub fn spot(&self) -> Option<Spot> {
        let (file, line) = self.frames.iter().find_map(|frame| frame.line.clone())?;
        Some(Spot::Line(file, line))
    }
}

/// The errors that a program told of, in order; `symbols` are the program's.
pub(crate) fn errors(said: &str, symbols: Option<&Symbols>) -> Vec<SanitizerError> {
    let mut errors: Vec<SanitizerError> = Vec::new();
    let lines: Vec<&str> = said.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let report = Report { lines: &lines[at..], symbols };
        let error = match (line.split_once(ADDRESS), line.split_once(UNDEFINED)) {
            (Some((_, what)), _) => report.of_address(what),
            (None, Some((place, what))) => report.of_undefined(place, what),
            (None, None) => None,
        };
        let Some(error) = error else { continue };
        match errors.iter_mut().find(|known| known.key() == error.key()) {
            Some(known) => known.merge(error),
            None => errors.push(error),
        }
    }
    errors
}

/// A report from its first line on.
struct Report<'a> {
    lines: &'a [&'a str],
    symbols: Option<&'a Symbols>,
}

impl Report<'_> {
    fn of_address(&self, what: &str) -> Option<SanitizerError> {
        let is_end = |line: &&str| INTERNALS.iter().any(|internal| line.contains(internal));
        let end = self.lines.iter().position(is_end).unwrap_or(self.lines.len());
        let own = Report { lines: &self.lines[..end.min(MAX_LINES)], ..*self };
        let near_null = own.lines.iter().any(|line| line.contains("points to the zero page"));
        let kind = address_kind(what, near_null)?;
        Some(SanitizerError { kind, frames: own.frames(), text: own.text(), is_fatal: true })
    }

    fn of_undefined(&self, place: &str, what: &str) -> Option<SanitizerError> {
        let is_next = |line: &str| line.contains(UNDEFINED) || line.contains(ADDRESS);
        let end =
            self.lines.iter().skip(1).position(|line| is_next(line)).map_or(self.lines.len(), |n| n + 1);
        let own = Report { lines: &self.lines[..end.min(MAX_LINES)], ..*self };
        let mut frames = own.frames();
        if let (true, Some(line)) = (frames.is_empty(), place_of(place)) {
            frames.push(SourceFrame { function: "?".to_owned(), line: Some(line) });
        }
        Some(SanitizerError { kind: undefined_kind(what), frames, text: own.text(), is_fatal: false })
    }

    /// The user's frames of the first stack.
    fn frames(&self) -> Vec<SourceFrame> {
        let stack = self.lines.iter().skip_while(|line| frame_of(line).is_none());
        let stack = stack.map_while(|line| frame_of(line));
        let all = stack.flat_map(|offset| self.lookup(offset));
        let mut frames: Vec<_> = all.filter(|frame| frame.line.is_some()).collect();
        if let Some(main) = frames.iter().position(|frame| frame.function == "main") {
            frames.truncate(main + 1);
        }
        frames
    }

    fn lookup(&self, offset: Option<u64>) -> Vec<SourceFrame> {
        offset.zip(self.symbols).map(|(offset, symbols)| symbols.frames(offset)).unwrap_or_default()
    }

    /// The report with names in the place of addresses, and without what is the system's.
    fn text(&self) -> String {
        let named = |line: &&str| match frame_of(line) {
            Some(offset) => {
                let frames = self.lookup(offset);
                let own = frames.iter().filter(|frame| frame.line.is_some());
                own.map(|frame| format!("    {frame}\n")).collect()
            }
            None if is_noise(line) => String::new(),
            None => format!("{line}\n"),
        };
        self.lines.iter().map(named).collect()
    }
}

/// Whether a line says nothing that the others do not.
fn is_noise(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("SUMMARY: ")
        || line.starts_with("====")
        || line.ends_with("DEADLYSIGNAL")
}

/// Whether a line is a frame of a stack, and its offset in a file that is not the system's.
fn frame_of(line: &str) -> Option<Option<u64>> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (number, rest) = rest.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let place = rest.split_once('(').and_then(|(_, place)| place.split_once(')')).map(|(place, _)| place);
    let offset = place.and_then(|place| place.rsplit_once("+0x")).filter(|(file, _)| !file.contains(".so"));
    Some(offset.and_then(|(_, digits)| u64::from_str_radix(digits, 16).ok()))
}

/// File and line of `file:line:column`.
fn place_of(place: &str) -> Option<(String, u32)> {
    let mut parts = place.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((seen_from_here(file), line.parse().ok()?))
}

fn address_kind(what: &str, near_null: bool) -> Option<FaultKind> {
    let name = what.strip_prefix("attempting ").unwrap_or(what);
    let name = name.split([' ', ':']).next()?;
    Some(match name {
        "SEGV" | "BUS" if near_null => FaultKind::NullPointer,
        "SEGV" | "BUS" => FaultKind::Memory("invalid access".to_owned()),
        "FPE" => FaultKind::DivisionByZero,
        "ABRT" => FaultKind::Abort,
        "ILL" => FaultKind::IllegalInstruction,
        "stack-overflow" => FaultKind::StackOverflow,
        "free" => FaultKind::Memory("invalid free".to_owned()),
        _ => FaultKind::Memory(name.replace('-', " ")),
    })
}

/// What messages of UndefinedBehaviorSanitizer have in them, and what that is.
fn undefined_kind(what: &str) -> FaultKind {
    let has = |part: &str| what.contains(part);
    if has("division by zero") {
        FaultKind::DivisionByZero
    } else if has("division of") {
        FaultKind::QuotientOverflow
    } else if has("signed integer overflow") || has("negation of") {
        FaultKind::SignedOverflow
    } else if has("shift") {
        FaultKind::ShiftOutOfRange
    } else if has("out of bounds") {
        FaultKind::Memory("index out of bounds".to_owned())
    } else if has("null pointer") {
        FaultKind::NullPointer
    } else {
        FaultKind::Undefined(general(what))
    }
}

/// A message without the numbers that differ from run to run.
fn general(what: &str) -> String {
    let words = what.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    words.take(8).collect::<Vec<_>>().join(" ").trim_end_matches([',', ':']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart() {
        let said = "noise\n/nowhere/a.c:7:3: runtime error: signed integer overflow: 1 + 2147483647\n\
            ==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1 at pc 0x2\n\
            READ of size 1\n    #0 0x1 (/p/prog+0x12) (BuildId: x)\n\nfreed by thread\n    #0 0x2 (/p/prog+0x13)\n\
            Shadow bytes around the buggy address:\n  secret\n";
        let errors = errors(said, None);
        let kinds: Vec<String> = errors.iter().map(|error| error.kind.to_string()).collect();
        assert_eq!(kinds, ["signed overflow", "heap use after free"]);
        assert_eq!(errors[0].spot(), Some(Spot::Line("/nowhere/a.c".to_owned(), 7)));
        assert!(!errors[1].text.contains("secret"), "{}", errors[1].text);
    }

    #[test]
    fn what_is_near_null_is_a_null_pointer() {
        let kind = |what, near| address_kind(what, near).unwrap().to_string();
        assert_eq!(kind("SEGV on unknown address 0x0 (pc 0x1)", true), "null pointer");
        assert_eq!(kind("SEGV on unknown address 0x7 (pc 0x1)", false), "invalid access");
        assert_eq!(kind("attempting double-free on 0x1 in thread T0:", false), "double free");
        assert_eq!(kind("attempting free on address which was not malloc()-ed", false), "invalid free");
    }

    #[test]
    fn frames_of_the_system_are_known_and_left_out() {
        assert_eq!(frame_of("    #12 0x55  (/p/prog+0x1f) (BuildId: 1)"), Some(Some(0x1f)));
        assert_eq!(frame_of("    #1 0x55  (/lib/libc.so.6+0x1f)"), Some(None));
        assert_eq!(frame_of("freed by thread T0 here:"), None);
    }
}
