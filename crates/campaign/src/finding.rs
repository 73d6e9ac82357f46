//! What a developer needs to know of a crash or hang, as text.

use crate::testcase::label;
use cairn_exec::{End, Input, Object};
use cairn_program::SourceFrame;
use std::fmt::Write;
use std::path::Path;

/// Lines of source shown before and behind the one that matters.
const AROUND: u32 = 3;
/// Bytes in a line of hexadecimal digits.
const ROW: usize = 16;
/// Most bytes of an object that are shown.
const MOST_BYTES: usize = 4096;

/// A crash or hang.
pub(crate) struct Report<'a> {
    pub end: End,
    /// The stack, innermost first.
    pub stack: &'a [SourceFrame],
    /// The input that shows it.
    pub input: &'a Input,
    /// The input it was found with, if that is a larger one.
    pub found_with: Option<&'a Input>,
    /// What shows it again.
    pub again: &'a str,
}

impl Report<'_> {
    /// All of it.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", headline(self.end, self.stack));
        if !self.stack.is_empty() {
            text.push_str("\nStack, innermost first, as far as it is known:\n");
            self.stack.iter().for_each(|frame| line(&mut text, format_args!("  {frame}")));
            text.push_str(&source(self.stack));
        }
        line(&mut text, format_args!("\nInput{}:", self.size()));
        self.input.objects.iter().for_each(|object| text.push_str(&shown(object)));
        line(&mut text, format_args!("\nAgain:\n  {}", self.again));
        text
    }

    fn size(&self) -> String {
        let bytes = if self.input.len() == 1 { "byte" } else { "bytes" };
        let found_with = self.found_with.map(|input| format!(" of the {} it was found with", input.len()));
        format!(", {} {bytes}{}", self.input.len(), found_with.unwrap_or_default())
    }
}

/// What happened and where, in a line.
pub(crate) fn headline(end: End, stack: &[SourceFrame]) -> String {
    match stack.first() {
        Some(frame) => format!("{end} in {frame}"),
        None => end.to_string(),
    }
}

fn line(text: &mut String, content: std::fmt::Arguments) {
    let _ = writeln!(text, "{content}");
}

/// The lines around the innermost one whose file can be read.
fn source(stack: &[SourceFrame]) -> String {
    let mut text = String::new();
    let lines = |(file, at): &(String, u32)| {
        Some((file.clone(), *at, std::fs::read_to_string(Path::new(file)).ok()?))
    };
    let Some((file, at, content)) = stack.iter().filter_map(|frame| frame.line.as_ref()).find_map(lines)
    else {
        return text;
    };
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
