//! Test cases: inputs as files.
//!
//! An input that is one stream (standard input or one file) is stored as its bytes. Anything else is in
//! KLEE's format, whose objects have only a name: `stdin`, `arg01` for `argv[1]`, `n_args` for the number of
//! arguments, `NAME-data` for a file, all as in KLEE; any other name is that of an object the program
//! requested. If a program uses one of these names itself, a backslash is put before it. KLEE numbers
//! arguments from 0, Cairn by `argv`, so only the order of arguments matters when they are read.

use super::ktest::{KTest, KTestError, KTestObject};
use cairn_exec::{Input, Object};
use cairn_program::{FileError, Reason, read_file};
use cairn_wire::ObjectKind;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

const STDIN: &str = "stdin";
const ARG: &str = "arg";
/// Number of symbolic arguments, as KLEE names it.
const ARG_COUNT: &str = "n_args";
const FILE_SUFFIX: &str = "-data";
/// Suffixes of KLEE's own objects, which are no input.
const KLEE_INTERNAL: [&str; 2] = ["-stat", "model_version"];
/// Extension of tests in KLEE's format.
pub const KTEST: &str = ".ktest";
/// Maximum size of a test. A symbolic stream has at most a mebibyte, and there are at most fifteen.
const MAX_BYTES: u64 = 16 << 20;
const ESCAPE: char = '\\';

/// Error of reading an input.
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
        /// Error of the system.
        source: io::Error,
    },
    /// Its content is damaged.
    #[error("cannot use {} as an input: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Error of the decoder.
        source: KTestError,
    },
    /// It is raw bytes, and the target does not have exactly one stream.
    #[error(
        "cannot use {} as an input: it is raw bytes, and the program has {streams} symbolic streams, not one",
        path.display()
    )]
    NoPlace {
        /// The file.
        path: PathBuf,
        /// Number of streams.
        streams: usize,
    },
    /// The directory has no file.
    #[error("there is no input in {}{}", path.display(), also_left_out(left_out.as_deref()))]
    NoSeeds {
        /// The directory.
        path: PathBuf,
        /// Names of its other entries.
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

/// Encodes an input; returns the content of its file and the extension of its name.
pub fn encode_test(input: &Input, command: &[String]) -> (Vec<u8>, &'static str) {
    match one_stream(input) {
        Some(bytes) => (bytes.to_vec(), ""),
        None => (encode_ktest(input, command), KTEST),
    }
}

/// Returns the bytes of an input that consists of one stream.
pub fn one_stream(input: &Input) -> Option<&[u8]> {
    match input.objects.as_slice() {
        [only] if only.kind.is_stream() => Some(&only.bytes),
        _ => None,
    }
}

/// Encodes an input in KLEE's format.
pub fn encode_ktest(input: &Input, command: &[String]) -> Vec<u8> {
    let argc = input.argc().unwrap_or(u32::MAX);
    let is_there = |o: &&Object| !o.kind.is_argument() || o.index < argc;
    let there: Vec<&Object> = input.objects.iter().filter(is_there).collect();
    let arguments = there.iter().filter(|o| o.kind.is_argument()).count();
    let object = |o: &&Object| {
        let count = || (arguments as u32).to_le_bytes().to_vec();
        KTestObject { name: label(o), bytes: if o.kind.is_count() { count() } else { o.bytes.clone() } }
    };
    KTest { args: command.to_vec(), objects: there.iter().map(object).collect() }.encode()
}

/// Decodes the content of a file. Raw bytes become the only stream of `blank`, an input with the target's
/// objects.
pub fn decode_test(path: &Path, content: Vec<u8>, blank: &Input) -> Result<Input, TestError> {
    // Raw bytes may begin with KLEE's magic number by chance, or because the program parses it.
    let must_be_ktest = path.extension().is_some_and(|extension| extension == "ktest");
    match KTest::decode(&content) {
        Ok(test) => return Ok(Input { objects: test.objects.into_iter().filter_map(object).collect() }),
        Err(source) if must_be_ktest => return Err(TestError::Damaged { path: path.to_owned(), source }),
        Err(_) => {}
    }
    let streams = blank.objects.iter().filter(|object| object.kind.is_stream()).count();
    if streams != 1 {
        return Err(TestError::NoPlace { path: path.to_owned(), streams });
    }
    let mut input = blank.clone();
    for stream in input.objects.iter_mut().filter(|object| object.kind.is_stream()) {
        replace(stream, content.clone());
    }
    Ok(input)
}

/// Converts a test to the objects of `blank`: each gets the bytes it has in `test`, and named objects are
/// appended. The limit of a stream is raised if the test has a longer one.
pub fn fit(test: Input, blank: &Input) -> Input {
    let (named, others): (Vec<Object>, Vec<Object>) =
        test.objects.into_iter().partition(|o| o.kind.is_named());
    let mut fitted = blank.clone();
    let arguments = others.iter().filter(|o| o.kind.is_argument()).count();
    let mut given: Vec<Option<Object>> = others.into_iter().map(Some).collect();
    for object in &mut fitted.objects {
        let matches = |o: &Object| o.kind == object.kind && o.name == object.name;
        let found = given.iter_mut().find(|o| o.as_ref().is_some_and(matches)).and_then(Option::take);
        match found {
            Some(found) => replace(object, found.bytes),
            None if object.kind.is_count() => {
                let places = blank.objects.iter().filter(|o| o.kind.is_argument()).count();
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

/// Reads and decodes a test.
pub fn read_test(path: &Path, blank: &Input) -> Result<Input, TestError> {
    decode_test(path, read_test_bytes(path)?, blank)
}

/// Reads the content of a test.
pub fn read_test_bytes(path: &Path) -> Result<Vec<u8>, TestError> {
    Ok(read_file(path, MAX_BYTES)?)
}

/// Returns the name of an object in KLEE's format.
pub fn label(object: &Object) -> String {
    match object.kind {
        ObjectKind::Stdin => STDIN.to_owned(),
        ObjectKind::File => format!("{}{FILE_SUFFIX}", object.name),
        ObjectKind::Arg => format!("{ARG}{:02}", object.index),
        ObjectKind::ArgCount => ARG_COUNT.to_owned(),
        ObjectKind::Named if is_plain(&object.name) => object.name.clone(),
        ObjectKind::Named => format!("{ESCAPE}{}", object.name),
    }
}

/// Decodes an object; None if it is redundant or KLEE's own.
fn object(object: KTestObject) -> Option<Object> {
    let KTestObject { name, bytes } = object;
    if let Some(escaped) = name.strip_prefix(ESCAPE) {
        return Some(Object::named(escaped, bytes));
    }
    if name == ARG_COUNT || is_klee_internal(&name) {
        return None;
    }
    if name == STDIN {
        return Some(Object::stdin(bytes));
    }
    if let Some(index) = argument_index(&name) {
        return Some(Object::arg(index, bytes));
    }
    Some(match name.strip_suffix(FILE_SUFFIX) {
        Some(file) => Object::file(file, bytes),
        None => Object::named(name, bytes),
    })
}

fn is_klee_internal(name: &str) -> bool {
    KLEE_INTERNAL.iter().any(|end| name.ends_with(end))
}

fn argument_index(name: &str) -> Option<u32> {
    let digits = name.strip_prefix(ARG)?;
    let is_number = digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// True if a name can only be that of a named object.
fn is_plain(name: &str) -> bool {
    let taken = name == STDIN || name == ARG_COUNT || name.ends_with(FILE_SUFFIX) || name.starts_with(ESCAPE);
    !taken && !is_klee_internal(name) && argument_index(name).is_none()
}
