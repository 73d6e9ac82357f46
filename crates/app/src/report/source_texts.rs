//! The text of the user's source files, for the page and for the labels of sides.

use cairn_program::{FileError, Program, Reason, read_file};
use cairn_report::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most bytes of a file that are shown; a chosen bound.
const MAX_BYTES: u64 = 4 << 20;
/// Most bytes of all files together; a chosen bound.
const MAX_TOTAL_BYTES: u64 = 64 << 20;

/// The text of source files with branches.
pub struct SourceTexts(BTreeMap<String, (Source, Vec<usize>)>);

impl SourceTexts {
    /// Reads the files that exist, within the size limits. `moved` is the old and the new directory of a
    /// moved campaign.
    pub fn read(program: &Program, moved: Option<(PathBuf, PathBuf)>) -> SourceTexts {
        let located = |name: &str| located(name, moved.as_ref());
        let names: BTreeSet<&str> =
            program.sites().filter(|(_, site)| site.counted).map(|(_, site)| &*site.file).collect();
        let (mut texts, mut room) = (BTreeMap::new(), MAX_TOTAL_BYTES);
        for name in names {
            let source = text(&located(name), room).map_or_else(Source::Missing, Source::Text);
            if let Source::Text(text) = &source {
                room = room.saturating_sub(text.len() as u64);
            }
            let starts = line_starts(&source);
            texts.insert(name.to_owned(), (source, starts));
        }
        SourceTexts(texts)
    }

    /// Returns the files that are newer than the program: their lines may differ from those it was built
    /// from.
    pub fn changed_since(&self, program: &Path) -> Vec<String> {
        let written = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
        let Some(built) = written(program) else { return Vec::new() };
        let is_newer = |name: &&String| written(&absolute(name)).is_some_and(|changed| changed > built);
        self.0.keys().filter(is_newer).cloned().collect()
    }

    /// Returns a file's text from a location on; line and column are counted from 1, columns in bytes.
    pub fn text_at(&self, file: &str, line: u32, column: u32) -> Option<&str> {
        let (Source::Text(text), starts) = self.0.get(file)? else { return None };
        let start = *starts.get((line as usize).checked_sub(1)?)?;
        text.get(start + (column as usize).checked_sub(1)?..)
    }

    /// Returns a file's text, or why it is missing.
    pub fn source(&self, file: &str) -> Source {
        self.0.get(file).map(|(source, _)| source.clone()).unwrap_or_default()
    }
}

fn line_starts(source: &Source) -> Vec<usize> {
    match source {
        Source::Text(text) => {
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
        }
        Source::Missing(_) => Vec::new(),
    }
}

/// Returns the path of a source, in the directory that it was moved to if it is not where its name says.
fn located(name: &str, moved: Option<&(PathBuf, PathBuf)>) -> PathBuf {
    let path = absolute(name);
    let elsewhere = || Some(moved?.1.join(path.strip_prefix(&moved?.0).ok()?));
    if path.exists() { path } else { elsewhere().unwrap_or(path) }
}

/// Returns the absolute path of a source.
pub fn absolute(name: &str) -> PathBuf {
    std::path::absolute(name).unwrap_or_else(|_| name.into())
}

fn text(path: &Path, room: u64) -> Result<String, String> {
    let told = |error: FileError| match error.reason {
        Reason::TooLarge(_) => "the source is too large to be shown".to_owned(),
        reason => format!("the source cannot be read: {reason}"),
    };
    let content = read_file(path, MAX_BYTES.min(room)).map_err(told)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}
