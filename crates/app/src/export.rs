//! `cairn export`: writes tests in the formats of other tools.

use crate::empty_directory::EmptyDirectory;
use crate::error::Error;
use crate::frontend::Frontend;
use crate::origin::hexadecimal;
use crate::suite::Suite;
use crate::target;
use cairn_campaign::testcomp::{self, Metadata};
use cairn_campaign::{KTEST, TestFolder, encode_ktest, one_stream, read_test};
use cairn_exec::Input;
use cairn_program::{read_file, read_text};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Most bytes of a source and of a property; chosen bounds.
const MAX_SOURCE: u64 = 256 << 20;
const MAX_PROPERTY: u64 = 1 << 20;
const PRODUCER: &str = concat!("Cairn ", env!("CARGO_PKG_VERSION"));

/// A test and its file.
type NamedTest = (PathBuf, Input);

/// A format of tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestFormat {
    /// KLEE's.
    Ktest,
    /// Raw files, as libFuzzer, AFL and most other fuzzers read them.
    Libfuzzer,
    /// Test-Comp's exchange format.
    Testcomp,
}

/// Settings of an export.
#[derive(Clone, Debug)]
pub struct ExportSettings {
    /// The campaign directory, or a directory of tests.
    pub directory: PathBuf,
    /// The format to write.
    pub format: TestFormat,
    /// The new or empty directory to write to.
    pub out: PathBuf,
    /// Name of the file that raw tests are the content of.
    pub file: Option<String>,
    /// The program's source, for Test-Comp's metadata.
    pub program: Option<PathBuf>,
    /// Test-Comp's property file.
    pub property: Option<PathBuf>,
}

/// Writes the tests of a directory to another one; returns their number.
pub fn export(args: &ExportSettings, frontend: &dyn Frontend) -> Result<usize, Error> {
    let suite = Suite::read(&args.directory, folders(args.format), frontend)?;
    let shape = suite.shape(args.file.as_deref())?;
    let read = |file: &PathBuf| Ok((file.clone(), read_test(file, &shape)?));
    let tests = suite.files.iter().map(read).collect::<Result<Vec<NamedTest>, Error>>()?;
    let files = match args.format {
        TestFormat::Ktest => ktests(&tests, &program_name(&suite)),
        TestFormat::Libfuzzer => corpus(&tests)?,
        TestFormat::Testcomp => test_suite(args, &suite, &tests)?,
    };
    let out = EmptyDirectory::make(&args.out)?;
    for (name, content) in &files {
        out.write(name, content)?;
    }
    // Test-Comp's metadata is no test.
    Ok(files.len() - usize::from(args.format == TestFormat::Testcomp))
}

/// Returns the folders of a campaign that are exported. libFuzzer ends at the first crash of its corpus.
fn folders(format: TestFormat) -> &'static [TestFolder] {
    match format {
        TestFormat::Ktest | TestFormat::Testcomp => &TestFolder::ALL,
        TestFormat::Libfuzzer => &[TestFolder::Queue],
    }
}

/// Returns the command line that KLEE's tests mention.
fn program_name(suite: &Suite) -> Vec<String> {
    let Some(run) = &suite.made_by else { return Vec::new() };
    let args = run.subject.args.iter().map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(target::name(&run.subject.target)).chain(args).collect()
}

/// Encodes tests as .ktest files, named as KLEE names its own.
fn ktests(tests: &[NamedTest], command: &[String]) -> Vec<(String, Vec<u8>)> {
    let test = |(number, (_, input)): (usize, &NamedTest)| {
        (format!("test{number:06}{KTEST}"), encode_ktest(input, command))
    };
    (1..).zip(tests).map(test).collect()
}

/// Returns the raw bytes of tests, without duplicates.
fn corpus(tests: &[NamedTest]) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let (mut files, mut seen) = (Vec::new(), HashSet::new());
    for (path, input) in tests {
        let Some(bytes) = one_stream(input) else {
            return Err(Error::new(format_args!(
                "{} has more parts than one stream of bytes, which is all that libFuzzer's format knows: try --format ktest",
                path.display()
            )));
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if seen.insert(bytes) {
            files.push((name.strip_suffix(KTEST).unwrap_or(&name).to_owned(), bytes.to_vec()));
        }
    }
    Ok(files)
}

fn test_suite(
    args: &ExportSettings,
    suite: &Suite,
    tests: &[NamedTest],
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let program = source(args, suite)?;
    let hash = hexadecimal(&Sha256::digest(read_file(&program, MAX_SOURCE)?));
    let property = match &args.property {
        Some(file) => read_text(file, MAX_PROPERTY)?,
        None => testcomp::COVER_BRANCHES.to_owned(),
    };
    let metadata = testcomp::metadata(&Metadata {
        producer: PRODUCER,
        specification: property.trim(),
        program: &program.to_string_lossy(),
        hash: &hash,
        created: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_err(Error::new)?,
    });
    let mut files = vec![("metadata.xml".to_owned(), metadata.into_bytes())];
    for (number, (path, input)) in (1..).zip(tests) {
        let refused = |why| Error::new(format_args!("cannot export {}: {why}", path.display()));
        let text = testcomp::testcase(input).map_err(refused)?;
        files.push((format!("testcase-{number}.xml"), text.into_bytes()));
    }
    Ok(files)
}

/// Returns the source that Test-Comp's metadata names, wherever the campaign was run.
fn source(args: &ExportSettings, suite: &Suite) -> Result<PathBuf, Error> {
    let made_of = suite.made_by.as_ref().map_or(&[][..], |run| &run.subject.target);
    let is_source = |path: &Path| crate::compile::is_source(path);
    match (&args.program, made_of) {
        (Some(program), _) => Ok(program.clone()),
        (None, [only]) if is_source(only) => {
            let moved =
                suite.moved(&args.directory).map(|(_, now)| now.join(only)).filter(|path| path.exists());
            let found = [Some(only.clone()), moved].into_iter().flatten().find(|path| path.exists());
            let missing =
                || format!("{} is not there any more: say where it is with --program FILE.c", only.display());
            found.ok_or_else(|| Error::new(missing()))
        }
        _ => Err(Error::new(
            "metadata.xml wants the name and the hash of the program's source: name it with --program FILE.c",
        )),
    }
}
