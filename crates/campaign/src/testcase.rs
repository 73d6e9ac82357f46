//! Inputs as files.
//!
//! An input that is one stream (standard input or one file) is its bytes. Anything else is in KLEE's
//! format, whose objects have only a name: `stdin`, `arg01` for `argv[1]`, `n_args` for how many arguments
//! follow, `NAME-data` for a file, all as KLEE's own; any other name is an object the program named itself.
//! Should a program name one like those, a backslash before it tells them apart. KLEE counts arguments
//! from 0 and we by `argv`, so it is their order that counts when they are read.

use crate::inputs::input_files;
use crate::ktest::{KTest, KTestError, KTestObject};
use cairn_exec::{Input, Object};
use cairn_program::{FileError, Reason, read_file};
use cairn_wire::ObjectKind;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

const STDIN: &str = "stdin";
const ARG: &str = "arg";
/// How many symbolic arguments there are, as KLEE names it.
const ARG_COUNT: &str = "n_args";
const FILE_END: &str = "-data";
/// What KLEE says about files and about itself; nobody's input.
const KLEES_OWN: [&str; 2] = ["-stat", "model_version"];
/// Extension of what is not raw bytes.
pub const KTEST: &str = ".ktest";
/// Most bytes of a file with an input. A symbolic stream has a mebibyte at most, and there are fifteen of them.
const MOST_BYTES: u64 = 16 << 20;
const ESCAPE: char = '\\';

/// Why a file cannot be used as an input.
#[derive(Debug, Error)]
pub enum TestError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The directory cannot be listed.
    #[error("cannot read {}: {source}", path.display())]
    NoDirectory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its content is damaged.
    #[error("cannot use {} as an input: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: KTestError,
    },
    /// It is raw bytes, and there is not exactly one stream they could be for.
    #[error(
        "cannot use {} as an input: it is raw bytes, and the program has {streams} symbolic streams, not one",
        path.display()
    )]
    NoPlace {
        /// The file.
        path: PathBuf,
        /// Streams there are.
        streams: usize,
    },
    /// There is no file in the directory.
    #[error("there is no input in {}{}", path.display(), also_left_out(left_out.as_deref()))]
    NoSeeds {
        /// The directory.
        path: PathBuf,
        /// Names of what is there instead.
        left_out: Option<String>,
    },
}

impl TestError {
    /// True if the file is larger than any input may be.
    pub fn is_too_large(&self) -> bool {
        matches!(self, TestError::Unreadable(FileError { reason: Reason::TooLarge(_), .. }))
    }
}

fn also_left_out(names: Option<&str>) -> String {
    names.map_or_else(String::new, |names| format!(": these are not files: {names}"))
}

fn is_stream(object: &Object) -> bool {
    matches!(object.kind, ObjectKind::Stdin | ObjectKind::File)
}

/// The content of an input's file, and the extension its name needs.
pub fn encode_test(input: &Input, command: &[String]) -> (Vec<u8>, &'static str) {
    match one_stream(input) {
        Some(bytes) => (bytes.to_vec(), ""),
        None => (encode_ktest(input, command), KTEST),
    }
}

/// The bytes of an input that is one stream and nothing else.
pub fn one_stream(input: &Input) -> Option<&[u8]> {
    match input.objects.as_slice() {
        [only] if is_stream(only) => Some(&only.bytes),
        _ => None,
    }
}

/// An input in KLEE's format.
pub fn encode_ktest(input: &Input, command: &[String]) -> Vec<u8> {
    let argc = input.argc().unwrap_or(u32::MAX);
    let is_there = |o: &&Object| o.kind != ObjectKind::Arg || o.index < argc;
    let there: Vec<&Object> = input.objects.iter().filter(is_there).collect();
    let arguments = there.iter().filter(|o| o.kind == ObjectKind::Arg).count();
    let object = |o: &&Object| match o.kind {
        ObjectKind::ArgCount => {
            KTestObject { name: label(o), bytes: (arguments as u32).to_le_bytes().to_vec() }
        }
        _ => KTestObject { name: label(o), bytes: o.bytes.clone() },
    };
    KTest { args: command.to_vec(), objects: there.iter().map(object).collect() }.encode()
}

/// The input in a file's content. Raw bytes become the one stream that `blank`, an input of the
/// target's shape, has.
pub fn decode_test(path: &Path, content: Vec<u8>, blank: &Input) -> Result<Input, TestError> {
    // Raw bytes may begin like that by chance, or because the program looks for it.
    let must_be_ktest = path.extension().is_some_and(|extension| extension == "ktest");
    match KTest::decode(&content) {
        Ok(test) => return Ok(Input { objects: test.objects.into_iter().filter_map(object).collect() }),
        Err(source) if must_be_ktest => return Err(TestError::Damaged { path: path.to_owned(), source }),
        Err(_) => {}
    }
    let streams = blank.objects.iter().filter(|object| is_stream(object)).count();
    if streams != 1 {
        return Err(TestError::NoPlace { path: path.to_owned(), streams });
    }
    let mut input = blank.clone();
    for stream in input.objects.iter_mut().filter(|object| is_stream(object)) {
        replace(stream, content.clone());
    }
    Ok(input)
}

/// An input for the target that `blank` is of: each of its objects with the bytes it has in `test`, and then
/// the named ones. A stream that is longer than it may be may from now on.
pub fn fit(test: Input, blank: &Input) -> Input {
    let (named, others): (Vec<Object>, Vec<Object>) =
        test.objects.into_iter().partition(|o| o.kind == ObjectKind::Named);
    let mut fitted = blank.clone();
    let arguments = others.iter().filter(|o| o.kind == ObjectKind::Arg).count();
    let mut given: Vec<Option<Object>> = others.into_iter().map(Some).collect();
    for object in &mut fitted.objects {
        let is_it = |o: &Object| o.kind == object.kind && o.name == object.name;
        let found = given.iter_mut().find(|o| o.as_ref().is_some_and(is_it)).and_then(Option::take);
        match found {
            Some(found) => replace(object, found.bytes),
            None if object.kind == ObjectKind::ArgCount => {
                let places = blank.objects.iter().filter(|o| o.kind == ObjectKind::Arg).count();
                let always = places.saturating_sub(object.limit);
                object.bytes = vec![arguments.saturating_sub(always).min(object.limit) as u8];
            }
            None => {}
        }
    }
    fitted.objects.extend(named);
    fitted
}

fn replace(object: &mut Object, bytes: Vec<u8>) {
    if object.has_any_length() {
        object.limit = object.limit.max(bytes.len());
    }
    object.bytes = bytes;
}

/// The input in a file.
pub fn read_test(path: &Path, blank: &Input) -> Result<Input, TestError> {
    decode_test(path, read_test_bytes(path)?, blank)
}

/// The content of an input's file.
pub fn read_test_bytes(path: &Path) -> Result<Vec<u8>, TestError> {
    Ok(read_file(path, MOST_BYTES)?)
}

/// Inputs to start from.
#[derive(Debug, Default)]
pub struct Seeds {
    /// The inputs.
    pub inputs: Vec<Input>,
    /// How many of them lost something that the target's input has no place for, or say nothing about that.
    pub misfits: usize,
    /// Files in directories that were skipped because they are too large, and why.
    pub skipped: Vec<TestError>,
    /// Names of the entries of each directory that are not files.
    pub left_out: Vec<String>,
}

/// Reads the inputs behind paths, as [`input_files`] finds them. A file that is named itself must be readable.
pub fn read_seeds(paths: &[PathBuf], blank: &Input) -> Result<Seeds, TestError> {
    let mut seeds = Seeds::default();
    for path in paths {
        let listing = input_files(path)?;
        seeds.left_out.extend(listing.left_out_names());
        for file in listing.files {
            match read_test(&file, blank) {
                Ok(test) => {
                    seeds.misfits += usize::from(!has_place(&test, blank));
                    seeds.inputs.push(fit(test, blank));
                }
                Err(error) if error.is_too_large() && file != *path => seeds.skipped.push(error),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(seeds)
}

/// Whether `blank` has a place for every part of a test, and the test something for `blank`. The program may ask for
/// named parts: that is not known yet.
fn has_place(test: &Input, blank: &Input) -> bool {
    let alike = |input: &Input, o: &Object| {
        input.objects.iter().filter(|other| other.kind == o.kind && other.name == o.name).count()
    };
    let mut others = test.objects.iter().filter(|o| o.kind != ObjectKind::Named).peekable();
    (others.peek().is_some() || blank.objects.is_empty()) && others.all(|o| alike(test, o) <= alike(blank, o))
}

/// What an object is called in a file of KLEE's format.
pub fn label(object: &Object) -> String {
    match object.kind {
        ObjectKind::Stdin => STDIN.to_owned(),
        ObjectKind::File => format!("{}{FILE_END}", object.name),
        ObjectKind::Arg => format!("{ARG}{:02}", object.index),
        ObjectKind::ArgCount => ARG_COUNT.to_owned(),
        ObjectKind::Named if is_plain(&object.name) => object.name.clone(),
        ObjectKind::Named => format!("{ESCAPE}{}", object.name),
    }
}

/// The object, unless it says nothing that the others do not.
fn object(object: KTestObject) -> Option<Object> {
    let KTestObject { name, bytes } = object;
    if let Some(escaped) = name.strip_prefix(ESCAPE) {
        return Some(Object::named(escaped, bytes));
    }
    if name == ARG_COUNT || is_klees_own(&name) {
        return None;
    }
    if name == STDIN {
        return Some(Object::stdin(bytes));
    }
    if let Some(index) = argument_index(&name) {
        return Some(Object::arg(index, bytes));
    }
    Some(match name.strip_suffix(FILE_END) {
        Some(file) => Object::file(file, bytes),
        None => Object::named(name, bytes),
    })
}

fn is_klees_own(name: &str) -> bool {
    KLEES_OWN.iter().any(|end| name.ends_with(end))
}

fn argument_index(name: &str) -> Option<u32> {
    let digits = name.strip_prefix(ARG)?;
    let is_number = digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// Whether a name means nothing but a named object.
fn is_plain(name: &str) -> bool {
    let taken = name == STDIN || name == ARG_COUNT || name.ends_with(FILE_END) || name.starts_with(ESCAPE);
    !taken && !is_klees_own(name) && argument_index(name).is_none()
}
