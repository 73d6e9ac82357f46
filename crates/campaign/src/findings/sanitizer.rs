//! Parses the reports of AddressSanitizer and UndefinedBehaviorSanitizer.
//!
//! The sanitizers run without symbolization: they print `/path/program+0x12`, and the line tables are read
//! here. A report then needs no symbolizer process, and lines are named in one way everywhere.

use super::fault::{FaultKey, FaultLocation};
use super::fault_kind::FaultKind;
use cairn_program::{SourceFrame, Symbols, relative_to_current_dir};

const ADDRESS: &str = "ERROR: AddressSanitizer: ";
const UNDEFINED: &str = ": runtime error: ";
/// Lines that begin the part of a report about the sanitizer's internals.
const INTERNALS: [&str; 2] = ["Shadow bytes around", "Register values:"];
/// Maximum number of lines kept of a report; a chosen bound.
const MAX_LINES: usize = 80;

/// An error that a sanitizer reported.
#[derive(Clone, Debug)]
pub(crate) struct SanitizerError {
    pub kind: FaultKind,
    /// The frames of the user's code, innermost first.
    pub frames: Vec<SourceFrame>,
    /// Text of the report, with names for addresses.
    pub text: String,
    /// True if it ended the program.
    pub is_fatal: bool,
}

impl SanitizerError {
    /// Returns the deduplication key.
    pub fn key(&self) -> FaultKey {
        (self.kind.class(), self.location())
    }

    /// Merges another report of the same fault: both sanitizers may report it, AddressSanitizer, which is
    /// more precise about memory, last; and a loop may repeat it.
    fn merge(&mut self, later: SanitizerError) {
        self.is_fatal |= later.is_fatal;
        if self.kind != later.kind {
            self.kind = later.kind;
            self.text.push_str(&later.text);
        }
    }

    /// Returns the innermost line of the user's code.
    pub fn location(&self) -> Option<FaultLocation> {
        let (file, line) = self.frames.iter().find_map(|frame| frame.line.clone())?;
        Some(FaultLocation::Line(file, line))
    }
}

/// Parses the errors in a program's standard error, in order; `symbols` are the program's.
pub(crate) fn errors(stderr: &str, symbols: Option<&Symbols>) -> Vec<SanitizerError> {
    let mut errors: Vec<SanitizerError> = Vec::new();
    let lines: Vec<&str> = stderr.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let report = RawReport { lines: &lines[at..], symbols };
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

/// The lines of standard error from the first line of a report on.
struct RawReport<'a> {
    lines: &'a [&'a str],
    symbols: Option<&'a Symbols>,
}

impl RawReport<'_> {
    fn of_address(&self, what: &str) -> Option<SanitizerError> {
        let is_end = |line: &&str| INTERNALS.iter().any(|internal| line.contains(internal));
        let end = self.lines.iter().position(is_end).unwrap_or(self.lines.len());
        let own = RawReport { lines: &self.lines[..end.min(MAX_LINES)], ..*self };
        let near_null = own.lines.iter().any(|line| line.contains("points to the zero page"));
        let kind = address_kind(what, near_null)?;
        Some(SanitizerError { kind, frames: own.frames(), text: own.text(), is_fatal: true })
    }

    fn of_undefined(&self, place: &str, what: &str) -> Option<SanitizerError> {
        let is_next = |line: &str| line.contains(UNDEFINED) || line.contains(ADDRESS);
        let end =
            self.lines.iter().skip(1).position(|line| is_next(line)).map_or(self.lines.len(), |n| n + 1);
        let own = RawReport { lines: &self.lines[..end.min(MAX_LINES)], ..*self };
        let mut frames = own.frames();
        if let (true, Some(line)) = (frames.is_empty(), line_of(place)) {
            frames.push(SourceFrame { function: "?".to_owned(), line: Some(line) });
        }
        Some(SanitizerError { kind: undefined_kind(what), frames, text: own.text(), is_fatal: false })
    }

    /// Returns the user's frames of the first stack.
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

    /// Returns the report with names for addresses, and without frames of system libraries.
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

/// True for a line without information of its own.
fn is_noise(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("SUMMARY: ")
        || line.starts_with("====")
        || line.ends_with("DEADLYSIGNAL")
}

/// Parses a frame of a stack; the inner value is its offset in the program, None in a shared library.
fn frame_of(line: &str) -> Option<Option<u64>> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (number, rest) = rest.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let place = rest.split_once('(').and_then(|(_, place)| place.split_once(')')).map(|(place, _)| place);
    let offset = place.and_then(|place| place.rsplit_once("+0x")).filter(|(file, _)| !file.contains(".so"));
    Some(offset.and_then(|(_, digits)| u64::from_str_radix(digits, 16).ok()))
}

/// Parses file and line of `file:line:column`.
fn line_of(place: &str) -> Option<(String, u32)> {
    let mut parts = place.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((relative_to_current_dir(file), line.parse().ok()?))
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

/// Returns the kind that a message of UndefinedBehaviorSanitizer stands for.
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
        FaultKind::Undefined(without_numbers(what))
    }
}

/// Returns a message without the numbers that differ from run to run.
fn without_numbers(what: &str) -> String {
    let words = what.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    words.take(8).collect::<Vec<_>>().join(" ").trim_end_matches([',', ':']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_distinguished() {
        let stderr = "noise\n/nowhere/a.c:7:3: runtime error: signed integer overflow: 1 + 2147483647\n\
            ==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1 at pc 0x2\n\
            READ of size 1\n    #0 0x1 (/p/prog+0x12) (BuildId: x)\n\nfreed by thread\n    #0 0x2 (/p/prog+0x13)\n\
            Shadow bytes around the buggy address:\n  secret\n";
        let errors = errors(stderr, None);
        let kinds: Vec<String> = errors.iter().map(|error| error.kind.to_string()).collect();
        assert_eq!(kinds, ["signed overflow", "heap use after free"]);
        assert_eq!(errors[0].location(), Some(FaultLocation::Line("/nowhere/a.c".to_owned(), 7)));
        assert!(!errors[1].text.contains("secret"), "{}", errors[1].text);
    }

    #[test]
    fn faults_near_null_are_null_pointers() {
        let kind = |what, near| address_kind(what, near).unwrap().to_string();
        assert_eq!(kind("SEGV on unknown address 0x0 (pc 0x1)", true), "null pointer");
        assert_eq!(kind("SEGV on unknown address 0x7 (pc 0x1)", false), "invalid access");
        assert_eq!(kind("attempting double-free on 0x1 in thread T0:", false), "double free");
        assert_eq!(kind("attempting free on address which was not malloc()-ed", false), "invalid free");
    }

    #[test]
    fn frames_of_shared_libraries_are_left_out() {
        assert_eq!(frame_of("    #12 0x55  (/p/prog+0x1f) (BuildId: 1)"), Some(Some(0x1f)));
        assert_eq!(frame_of("    #1 0x55  (/lib/libc.so.6+0x1f)"), Some(None));
        assert_eq!(frame_of("freed by thread T0 here:"), None);
    }
}
