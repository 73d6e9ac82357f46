//! Findings, read from the reports that the campaign wrote.

use super::retrace::Retraced;
use cairn_campaign::{TestFolder as Kept, label, lies_inside, read_test};
use cairn_exec::{ExitKind, Input};
use cairn_program::read_file;
use cairn_report::{Finding, Frame, InputPart, SourceLocation};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Directory of a campaign's finding reports.
const REPORTS: &str = "reports";
/// Most bytes of an input part that are shown; a chosen bound.
const MAX_BYTES: usize = 4096;
/// Most bytes of a finding's report or record; a chosen bound against hostile directories.
const MAX_REPORT: u64 = 16 << 20;

/// The campaign that findings are read from.
pub struct Context<'a> {
    /// The campaign directory.
    pub directory: &'a Path,
    /// An input of the program's shape.
    pub blank: &'a Input,
    /// The replayed tests, including crashes and hangs.
    pub tests: &'a [Retraced],
    /// True if the user ran the campaign.
    pub is_trusted: bool,
    /// Returns the command that replays a test.
    pub again: &'a dyn Fn(&Path) -> String,
}

/// Fields of a finding's JSON record that are used here.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Record {
    kind: String,
    frames: Vec<RecordFrame>,
    place: Option<RecordFrame>,
    message: Option<String>,
    input: String,
    smallest: String,
    confirmed_by: Option<Vec<String>>,
    sanitizer: Option<String>,
    reproduce_sanitized: Option<String>,
    same_as: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RecordFrame {
    function: String,
    file: Option<String>,
    line: Option<u32>,
}

impl Context<'_> {
    /// Returns all findings, crashes first.
    pub fn findings(&self) -> Vec<Finding> {
        [Kept::Crashes, Kept::Hangs].into_iter().flat_map(|place| self.of(place)).collect()
    }

    fn of(&self, place: Kept) -> Vec<Finding> {
        let reports = self.directory.join(place.directory()).join(REPORTS);
        let names = explained(&reports);
        if names.is_empty() {
            // The campaign was killed before it wrote reports, or is another tool's.
            return self.inputs(place).map(|test| self.unexplained(place, test)).collect();
        }
        names.iter().filter_map(|name| self.explained(place, &reports, name)).collect()
    }

    fn inputs(&self, place: Kept) -> impl Iterator<Item = &Retraced> {
        let directory = self.directory.join(place.directory());
        self.tests.iter().filter(move |test| test.path.parent() == Some(&directory))
    }

    fn explained(&self, place: Kept, reports: &Path, name: &str) -> Option<Finding> {
        let text = self.read(&reports.join(format!("{name}.txt"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let record = self.read(&reports.join(format!("{name}.json")));
        let record: Option<Record> = record.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut finding = match record {
            Some(record) if record.same_as.is_some() => return None,
            Some(record) => self.recorded(record),
            None => self.finding_of(place, reports, name, &text),
        };
        finding.is_hang = place == Kept::Hangs;
        finding.headline = text.lines().next().map_or(finding.headline, str::to_owned);
        finding.text = text;
        Some(finding)
    }

    /// Reads a file of the campaign; none if it is a link to somewhere else.
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        lies_inside(self.directory, path).then(|| read_file(path, MAX_REPORT).ok()).flatten()
    }

    /// Builds a finding from its JSON record. The command is rebuilt: the directory may have moved, and a
    /// stranger's record is not for the user to paste into a shell.
    fn recorded(&self, record: Record) -> Finding {
        let smallest = self.directory.join(record.smallest);
        let headline = match record.place.map(frame) {
            Some(Frame { function, .. }) => format!("{} in {function}", record.kind),
            None => record.kind.clone(),
        };
        Finding {
            name: record.input,
            kind: record.kind,
            headline,
            stack: record.frames.into_iter().map(frame).collect(),
            input: self.parts(&smallest),
            command: (self.again)(&smallest),
            command_sanitized: record.reproduce_sanitized.filter(|_| self.is_trusted),
            said: record.message.into_iter().chain(record.sanitizer).collect(),
            confirmed_by: record.confirmed_by,
            ..Finding::default()
        }
    }

    /// Builds a finding from its text report.
    fn finding_of(&self, place: Kept, reports: &Path, name: &str, text: &str) -> Finding {
        let headline = text.lines().next().unwrap_or_default();
        let input = self.inputs(place).find(|test| file_name(&test.path).split(',').next() == Some(name));
        let smallest = ["", ".ktest"].map(|end| reports.join(format!("{name},min{end}")));
        let smallest = smallest.into_iter().find(|path| path.exists());
        let shown = smallest.or_else(|| input.map(|test| test.path.clone())).unwrap_or_default();
        Finding {
            name: input.map_or_else(
                || name.to_owned(),
                |test| format!("{}/{}", place.directory(), file_name(&test.path)),
            ),
            kind: kind(headline),
            headline: headline.to_owned(),
            stack: stack(text),
            input: self.parts(&shown),
            command: (self.again)(&shown),
            ..Finding::default()
        }
    }

    fn unexplained(&self, place: Kept, test: &Retraced) -> Finding {
        let end = test.end.as_ref().map_or("it could not be run again".to_owned(), ExitKind::to_string);
        Finding {
            name: format!("{}/{}", place.directory(), file_name(&test.path)),
            kind: kind(&end),
            is_hang: place == Kept::Hangs,
            headline: end.clone(),
            input: self.parts(&test.path),
            command: (self.again)(&test.path),
            text: format!("{end}\n"),
            ..Finding::default()
        }
    }

    fn parts(&self, path: &Path) -> Vec<InputPart> {
        let is_own = lies_inside(self.directory, path);
        let input = is_own.then(|| read_test(path, self.blank).ok()).flatten().unwrap_or_default();
        let objects = input.objects;
        let part = |object: &cairn_exec::Object| InputPart {
            name: label(object),
            bytes: object.bytes[..object.bytes.len().min(MAX_BYTES)].to_vec(),
            length: object.bytes.len() as u64,
        };
        objects.iter().map(part).collect()
    }
}

/// Returns the names of findings with a report.
fn explained(reports: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(reports).into_iter().flatten().flatten();
    let name = |path: PathBuf| {
        let name = file_name(&path);
        let stem = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".json"));
        stem.map(str::to_owned)
    };
    entries.filter_map(|entry| name(entry.path())).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the kind of finding that a headline names.
fn kind(headline: &str) -> String {
    match headline.strip_prefix("killed by ") {
        Some(rest) => rest.split(' ').next().unwrap_or(rest).to_owned(),
        None => headline.split(" in ").next().unwrap_or(headline).to_owned(),
    }
}

/// Parses the stack of a report: the lines between `Stack` and the next empty line.
fn stack(text: &str) -> Vec<Frame> {
    let lines = text.lines().skip_while(|line| !line.starts_with("Stack,")).skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| stack_line(line.trim())).collect()
}

/// Parses a stack line, `function (file:line)`.
fn stack_line(line: &str) -> Frame {
    let placed = line.strip_suffix(')').and_then(|line| line.rsplit_once(" ("));
    let place = |at: &str| {
        let (file, line) = at.rsplit_once(':')?;
        Some(SourceLocation { file: file.to_owned(), line: line.parse().ok()? })
    };
    match placed {
        Some((function, at)) => Frame { function: function.to_owned(), place: place(at) },
        None => Frame { function: line.to_owned(), place: None },
    }
}

fn frame(frame: RecordFrame) -> Frame {
    let place = frame.file.zip(frame.line).map(|(file, line)| SourceLocation { file, line });
    Frame { function: frame.function, place }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_read_as_it_was_written() {
        let text = "killed by SIGFPE in f (a b.c:7)\n\nStack, innermost first, as far as it is known:\n  f (a b.c:7)\n  main\n\nInput";
        let frames = stack(text);
        assert_eq!(frames.len(), 2);
        assert_eq!(frames[0].place, Some(SourceLocation { file: "a b.c".to_owned(), line: 7 }));
        assert_eq!((frames[1].function.as_str(), &frames[1].place), ("main", &None));
        assert_eq!(
            [kind("killed by SIGFPE in f (a.c:7)"), kind("time limit reached")],
            ["SIGFPE", "time limit reached"]
        );
    }
}
