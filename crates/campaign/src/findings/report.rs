//! The report of a finding: text for people, JSON for programs.

use crate::visible::visible;
use cairn_program::{SourceFrame, read_text};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;

/// Source lines shown before and after the line of the fault.
const CONTEXT_LINES: u32 = 3;
/// Bytes per line of a hex dump.
const HEX_ROW: usize = 16;
/// Maximum number of bytes shown of an object; a chosen bound.
const MAX_BYTES: usize = 4096;
/// Maximum size of a source file that lines are quoted from; a chosen bound.
const MAX_SOURCE: u64 = 16 << 20;

/// A stack frame: function and source line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// Function, as the source names it.
    pub function: String,
    /// Source file, if it is known.
    pub file: Option<String>,
    /// Line in the file.
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

/// A finding; its serialization is the JSON file next to its report.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Finding {
    /// Kind of fault, such as `null pointer`.
    pub kind: String,
    /// Exit status of the program on the input.
    pub end: String,
    /// Location of the fault.
    pub place: Option<Frame>,
    /// The stack, innermost first, as far as it is known.
    pub frames: Vec<Frame>,
    /// Message of the C library before it aborted, or the first message of a sanitizer.
    pub message: Option<String>,
    /// The input it was found with, as a path in the campaign directory.
    pub input: String,
    /// The smallest known input that shows it, likewise.
    pub smallest: String,
    /// Size of the smallest input.
    pub bytes: usize,
    /// Size of the input it was found with.
    pub found_bytes: usize,
    /// True if something other than Cairn's own tracing has seen it.
    pub confirmed: bool,
    /// Names of what confirmed it: `plain build`, `build with sanitizers`, or `run without tracing`.
    pub confirmed_by: Vec<String>,
    /// Report of the sanitizers.
    pub sanitizer: Option<String>,
    /// Command that reproduces it.
    pub reproduce: String,
    /// Command that reproduces it with sanitizers, if there is such a build.
    pub reproduce_sanitized: Option<String>,
    /// The path condition of the input it was found with in SMT-LIB, as a path in the campaign directory.
    pub path_condition: Option<String>,
    /// Name of the finding into which this one was merged, if it turned out to be the same fault; there is no
    /// text then.
    pub same_as: Option<String>,
}

impl Finding {
    /// Returns kind and location in one line.
    pub fn headline(&self) -> String {
        match &self.place {
            Some(place) => format!("{} in {place}", self.kind),
            None => self.kind.clone(),
        }
    }

    /// Returns the sentence about confirmation.
    fn confirmation(&self) -> String {
        match self.confirmed_by.as_slice() {
            [] => "Unconfirmed: seen by Cairn only.".to_owned(),
            [by] => format!("Confirmed by a {by}."),
            by => format!("Confirmed by a {}.", by.join(" and by a ")),
        }
    }

    /// Renders the text report; `objects` are the names and bytes of the smallest input.
    pub(crate) fn text(&self, objects: &[(String, &[u8])]) -> String {
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
        objects.iter().for_each(|(name, bytes)| text.push_str(&hex_dump(name, bytes)));
        if let Some(report) = &self.sanitizer {
            line(&mut text, format_args!("\nSanitizers:"));
            report.lines().for_each(|content| line(&mut text, format_args!("  {content}")));
        }
        if let Some(file) = &self.path_condition {
            line(&mut text, format_args!("\nPath condition: {file}"));
        }
        if let Some(command) = &self.reproduce_sanitized {
            line(&mut text, format_args!("\nAgain, with sanitizers:\n  {command}"));
        }
        line(&mut text, format_args!("\nAgain:\n  {}", self.reproduce));
        // Output of the program is untrusted, and this text is read in a terminal.
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

/// Quotes the source around the innermost frame whose file can be read.
fn source(stack: &[Frame]) -> String {
    let mut text = String::new();
    let lines = |frame: &Frame| {
        let file = frame.file.clone()?;
        let content = read_text(Path::new(&file), MAX_SOURCE).ok()?;
        Some((file, frame.line?, content))
    };
    let Some((file, at, content)) = stack.iter().find_map(lines) else { return text };
    line(&mut text, format_args!("\n{file}:"));
    for (number, content) in (1u32..).zip(content.lines()) {
        if number.abs_diff(at) <= CONTEXT_LINES {
            let marker = if number == at { '>' } else { ' ' };
            line(&mut text, format_args!("{marker} {number:5} | {content}"));
        }
    }
    text
}

/// Renders an object as a string literal and as a hex dump.
fn hex_dump(name: &str, all: &[u8]) -> String {
    let mut text = String::new();
    let bytes = &all[..all.len().min(MAX_BYTES)];
    line(&mut text, format_args!("  {}: \"{}\"", name, bytes.escape_ascii()));
    for (row, bytes) in bytes.chunks(HEX_ROW).enumerate() {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x} ")).collect();
        let letter = |&byte: &u8| if byte.is_ascii_graphic() || byte == b' ' { byte as char } else { '.' };
        let letters: String = bytes.iter().map(letter).collect();
        line(&mut text, format_args!("    {:06x}  {digits:<48} {letters}", row * HEX_ROW));
    }
    if bytes.len() < all.len() {
        line(&mut text, format_args!("    and {} bytes more", all.len() - bytes.len()));
    }
    text
}
