//! The link line of a rebuild: all units, and what was linked as it is.
//!
//! Shared libraries of `cairn cc` become parts of the program, so that one file has all frames of a report.
//! The first definition of a symbol wins then, as it does for the dynamic linker.

use super::Variant;
use crate::error::Error;
use cairn_instrument::build_record::{BuildRecords, LinkItem, LinkRecord, UnitRecord};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options of a shared library that apply to a program that contains it.
const OF_LIBRARIES: [&str; 3] = ["-l", "-L", "-pthread"];
/// Options that are left out: sanitizers exist as shared code only, and a linker's map is written outside the
/// directory of the build.
const LEFT_OUT: [&str; 4] = ["-static", "--static", "-Wl,-Map", "-Wl,--Map"];

/// Parts that a program is linked from.
pub(super) struct LinkLine {
    /// Directory of the link.
    pub directory: PathBuf,
    /// True if something in it is C++.
    pub is_cxx: bool,
    /// Units of the program and its libraries.
    pub units: Vec<UnitRecord>,
    words: Vec<OsString>,
}

impl LinkLine {
    /// Collects the parts of a program from its records and those of its libraries.
    pub fn of(records: BuildRecords) -> Result<LinkLine, Error> {
        let BuildRecords { units, link } = records;
        let mut line = LinkLine {
            directory: PathBuf::from(&link.directory),
            is_cxx: link.is_cxx || units.iter().any(|unit| unit.is_cxx),
            units,
            words: Vec::new(),
        };
        let mut libraries = BTreeSet::new();
        line.add(&link, &mut libraries, |_| true)?;
        Ok(line)
    }

    fn add(
        &mut self,
        link: &LinkRecord,
        libraries: &mut BTreeSet<OsString>,
        keeps: fn(&str) -> bool,
    ) -> Result<(), Error> {
        for item in &link.items {
            match item {
                LinkItem::File(words) => self.words.extend(file_words(words)),
                LinkItem::Library(path) if !libraries.insert(path.clone()) => {}
                LinkItem::Library(path) => self.add_library(Path::new(path), libraries)?,
                LinkItem::Option(words) => {
                    let first = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
                    let is_left_out = LEFT_OUT.iter().any(|option| first.starts_with(option));
                    if keeps(&first) && !is_left_out {
                        self.words.extend(absolute(words, Path::new(&link.directory)));
                    }
                }
            }
        }
        Ok(())
    }

    fn add_library(&mut self, path: &Path, libraries: &mut BTreeSet<OsString>) -> Result<(), Error> {
        let BuildRecords { units, link } = BuildRecords::read(path).map_err(Error::new)?;
        self.is_cxx |= link.is_cxx;
        self.units.extend(units);
        self.add(&link, libraries, |option| OF_LIBRARIES.iter().any(|own| option.starts_with(own)))
    }

    /// Returns the words of the link of `objects` to `program`.
    pub fn words(&self, objects: &[PathBuf], variant: &Variant, program: &Path) -> Vec<OsString> {
        let chosen = |word: &OsString| {
            let word = word.to_string_lossy();
            word.starts_with("-fuse-ld=") || word.starts_with("--ld-path=")
        };
        let linker = (!self.words.iter().any(chosen)).then(|| "-fuse-ld=lld".into());
        let objects = objects.iter().map(|object| object.clone().into());
        let options =
            ["-w", "-Qunused-arguments", "-Wl,--allow-multiple-definition", "-Wl,--undefined-version"];
        let mut words: Vec<OsString> = objects.chain(self.words.iter().cloned()).collect();
        words.extend(variant.options.iter().cloned().chain(linker));
        words.extend(options.iter().chain(variant.link_options).map(OsString::from));
        words.extend(["-o".into(), program.into()]);
        words
    }
}

fn file_words(words: &[OsString]) -> Vec<OsString> {
    let reset = if words.len() > 1 { &["-x", "none"][..] } else { &[] };
    words.iter().cloned().chain(reset.iter().map(OsString::from)).collect()
}

/// Returns an option with the directory of `-L` made absolute: that of a library's link may be another than
/// the program's.
fn absolute(words: &[OsString], directory: &Path) -> Vec<OsString> {
    let text: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let named = match &text[..] {
        [option, value] if option == "-L" => Some(&**value),
        [joined] => joined.strip_prefix("-L"),
        _ => None,
    };
    match named {
        Some(path) => vec!["-L".into(), directory.join(path).into()],
        None => words.to_vec(),
    }
}
