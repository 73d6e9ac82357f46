//! What a developer needs to know of a finding: for people as text, for programs as JSON.

use crate::testcase::label;
use crate::visible::visible;
use cairn_exec::{Input, Object};
use cairn_program::{SourceFrame, read_text};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;

/// Lines of source shown before and behind the one that matters.
const AROUND: u32 = 3;
/// Bytes in a line of hexadecimal digits.
const ROW: usize = 16;
/// Most bytes of an object that are shown.
const MOST_BYTES: usize = 4096;

/// Larger files are not looked at for lines to show.
const MOST_SOURCE: u64 = 16 << 20;

/// A line of the source and the function it is in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// As the source names it.
    pub function: String,
    /// Source file, if it is known.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u32>,
}

impl Frame {
    pub(crate) fn new(frame: &SourceFrame) -> Frame {
        let (file, line) = frame.line.clone().unzip();
        Frame { function: frame.function.clone(), file, line }
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{} ({file}:{line})", self.function),
            _ => f.write_str(&self.function),
        }
    }
}

/// A finding; what serde makes of it is the file beside its report.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Finding {
    /// What it is, as in `null pointer`.
    pub kind: String,
    /// How the program ended on the input.
    pub end: String,
    /// Where it is.
    pub place: Option<Frame>,
    /// The stack, innermost first, as far as it is known.
    pub frames: Vec<Frame>,
    /// What the C library said before it aborted, or a sanitizer first.
    pub message: Option<String>,
    /// The input it was found with, as a path in the campaign directory.
    pub input: String,
    /// The smallest input known that shows it, likewise.
    pub smallest: String,
    /// Bytes of that.
    pub bytes: usize,
    /// Bytes of the input it was found with.
    pub found_bytes: usize,
    /// Whether something else than Cairn's own tracing has seen it.
    pub confirmed: bool,
    /// Who has: `plain build`, `build with sanitizers`, or `run without tracing`.
    pub confirmed_by: Vec<String>,
    /// What sanitizers said.
    pub sanitizer: Option<String>,
    /// The command that shows it again.
    pub reproduce: String,
    /// The same with sanitizers, if there is such a build.
    pub reproduce_sanitized: Option<String>,
    /// The path condition of the input it was found with in SMT-LIB, as a path in the campaign directory.
    pub path_condition: Option<String>,
    /// The name of the finding that is the same fault, if it turned out that there is one; this one then has no text.
    pub same_as: Option<String>,
}

impl Finding {
    /// What happened and where, in a line.
    pub fn headline(&self) -> String {
        match &self.place {
            Some(place) => format!("{} in {place}", self.kind),
            None => self.kind.clone(),
        }
    }

    /// Whether it is known to be true, and by whom.
    fn confirmation(&self) -> String {
        match self.confirmed_by.as_slice() {
            [] => "Unconfirmed: seen by Cairn only.".to_owned(),
            [by] => format!("Confirmed by a {by}."),
            by => format!("Confirmed by a {}.", by.join(" and by a ")),
        }
    }

    /// All of it, for people; `input` is the smallest.
    pub(crate) fn text(&self, input: &Input) -> String {
        let mut text = format!("{}\n", self.headline());
        line(&mut text, format_args!("{}", self.confirmation()));
        line(&mut text, format_args!("\nThe program: {}", self.end));
        self.message.iter().for_each(|message| line(&mut text, format_args!("  {message}")));
        if !self.frames.is_empty() {
            text.push_str("\nStack, innermost first, as far as it is known:\n");
            self.frames.iter().for_each(|frame| line(&mut text, format_args!("  {frame}")));
            text.push_str(&source(&self.frames));
        }
        line(&mut text, format_args!("\nInput{}:", self.size()));
        input.objects.iter().for_each(|object| text.push_str(&shown(object)));
        if let Some(said) = &self.sanitizer {
            line(&mut text, format_args!("\nSanitizers:"));
            said.lines().for_each(|said| line(&mut text, format_args!("  {said}")));
        }
        if let Some(file) = &self.path_condition {
            line(&mut text, format_args!("\nPath condition: {file}"));
        }
        if let Some(command) = &self.reproduce_sanitized {
            line(&mut text, format_args!("\nAgain, with sanitizers:\n  {command}"));
        }
        line(&mut text, format_args!("\nAgain:\n  {}", self.reproduce));
        // The program chose what it printed, and may have chosen it for the terminal on which this is read.
        visible(&text).into_owned()
    }

    fn size(&self) -> String {
        let bytes = if self.bytes == 1 { "byte" } else { "bytes" };
        let smaller = self.bytes < self.found_bytes;
        let found_with =
            if smaller { format!(" of the {} it was found with", self.found_bytes) } else { String::new() };
        format!(", {} {bytes}{found_with}", self.bytes)
    }
}

fn line(text: &mut String, content: std::fmt::Arguments) {
    let _ = writeln!(text, "{content}");
}

/// The lines around the innermost one whose file can be read.
fn source(stack: &[Frame]) -> String {
    let mut text = String::new();
    let lines = |frame: &Frame| {
        let file = frame.file.clone()?;
        let content = read_text(Path::new(&file), MOST_SOURCE).ok()?;
        Some((file, frame.line?, content))
    };
    let Some((file, at, content)) = stack.iter().find_map(lines) else { return text };
    line(&mut text, format_args!("\n{file}:"));
    for (number, content) in (1u32..).zip(content.lines()) {
        if number.abs_diff(at) <= AROUND {
            let mark = if number == at { '>' } else { ' ' };
            line(&mut text, format_args!("{mark} {number:5} | {content}"));
        }
    }
    text
}

/// An object as text and as hexadecimal digits.
fn shown(object: &Object) -> String {
    let mut text = String::new();
    let bytes = &object.bytes[..object.bytes.len().min(MOST_BYTES)];
    line(&mut text, format_args!("  {}: \"{}\"", label(object), bytes.escape_ascii()));
    for (row, bytes) in bytes.chunks(ROW).enumerate() {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x} ")).collect();
        let letter = |&byte: &u8| if byte.is_ascii_graphic() || byte == b' ' { byte as char } else { '.' };
        let letters: String = bytes.iter().map(letter).collect();
        line(&mut text, format_args!("    {:06x}  {digits:<48} {letters}", row * ROW));
    }
    if bytes.len() < object.bytes.len() {
        line(&mut text, format_args!("    and {} bytes more", object.bytes.len() - bytes.len()));
    }
    text
}
