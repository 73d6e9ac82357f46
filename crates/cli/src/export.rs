//! `cairn export`: tests in the formats of other tools.

use crate::args::{ExportArgs, Format};
use crate::failure::{Failure, NOTHING_FOUND};
use crate::message::print;
use crate::suite::Suite;
use crate::target;
use cairn_app::empty_directory::EmptyDirectory;
use cairn_app::numbers::counted;
use cairn_app::origin::hexadecimal;
use cairn_campaign::testcomp::{self, Metadata};
use cairn_campaign::{KTEST, TestFolder, encode_ktest, one_stream, read_test};
use cairn_exec::Input;
use cairn_program::{read_file, read_text};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

/// Most bytes of a source and of a property.
const MOST_SOURCE: u64 = 256 << 20;
const MOST_PROPERTY: u64 = 1 << 20;
const PRODUCER: &str = concat!("Cairn ", env!("CARGO_PKG_VERSION"));

/// A test and its file.
type Test = (PathBuf, Input);

/// Writes the tests of a directory to another one.
pub fn export(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let suite = Suite::read(&args.directory, places(args.format))?;
    let shape = suite.shape(args.file.as_deref())?;
    let read = |file: &PathBuf| Ok((file.clone(), read_test(file, &shape)?));
    let tests = suite.files.iter().map(read).collect::<Result<Vec<Test>, Failure>>()?;
    let files = match args.format {
        Format::Ktest => ktests(&tests, &program_name(&suite)),
        Format::Libfuzzer => corpus(&tests)?,
        Format::Testcomp => test_suite(args, &suite, &tests)?,
    };
    let out = EmptyDirectory::make(&args.out)?;
    for (name, content) in &files {
        out.write(name, content)?;
    }
    let written = files.len() - usize::from(args.format == Format::Testcomp);
    let written = counted(written as u64, "test", "tests");
    print(format_args!("{written} in {}\n", args.out.display()))?;
    Ok(ExitCode::from(NOTHING_FOUND))
}

/// What of a campaign is exported. libFuzzer ends at the first crash of its corpus.
fn places(format: Format) -> &'static [TestFolder] {
    match format {
        Format::Ktest | Format::Testcomp => &TestFolder::ALL,
        Format::Libfuzzer => &[TestFolder::Queue],
    }
}

/// The program as KLEE's tests mention it.
fn program_name(suite: &Suite) -> Vec<String> {
    let Some(run) = &suite.made_by else { return Vec::new() };
    let args = run.subject.args.iter().map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(target::name(&run.subject.target)).chain(args).collect()
}

/// Named as KLEE names its own.
fn ktests(tests: &[Test], command: &[String]) -> Vec<(String, Vec<u8>)> {
    let test = |(number, (_, input)): (usize, &Test)| {
        (format!("test{number:06}{KTEST}"), encode_ktest(input, command))
    };
    (1..).zip(tests).map(test).collect()
}

/// Raw bytes, none of them twice.
fn corpus(tests: &[Test]) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let (mut files, mut seen) = (Vec::new(), HashSet::new());
    for (path, input) in tests {
        let Some(bytes) = one_stream(input) else {
            return Err(Failure::new(format_args!(
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

fn test_suite(args: &ExportArgs, suite: &Suite, tests: &[Test]) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let program = source(args, suite)?;
    let hash = hexadecimal(&Sha256::digest(read_file(&program, MOST_SOURCE)?));
    let property = match &args.property {
        Some(file) => read_text(file, MOST_PROPERTY)?,
        None => testcomp::COVER_BRANCHES.to_owned(),
    };
    let metadata = testcomp::metadata(&Metadata {
        producer: PRODUCER,
        specification: property.trim(),
        program: &program.to_string_lossy(),
        hash: &hash,
        created: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?,
    });
    let mut files = vec![("metadata.xml".to_owned(), metadata.into_bytes())];
    for (number, (path, input)) in (1..).zip(tests) {
        let refused = |why| Failure::new(format_args!("cannot export {}: {why}", path.display()));
        let text = testcomp::testcase(input).map_err(refused)?;
        files.push((format!("testcase-{number}.xml"), text.into_bytes()));
    }
    Ok(files)
}

/// The file that the competition knows the program by, from wherever the campaign was run.
fn source(args: &ExportArgs, suite: &Suite) -> Result<PathBuf, Failure> {
    let made_of = suite.made_by.as_ref().map_or(&[][..], |run| &run.subject.target);
    let is_source = |path: &Path| cairn_app::compile::is_source(path);
    match (&args.program, made_of) {
        (Some(program), _) => Ok(program.clone()),
        (None, [only]) if is_source(only) => {
            let moved =
                suite.moved(&args.directory).map(|(_, now)| now.join(only)).filter(|path| path.exists());
            let found = [Some(only.clone()), moved].into_iter().flatten().find(|path| path.exists());
            let missing =
                || format!("{} is not there any more: say where it is with --program FILE.c", only.display());
            found.ok_or_else(|| Failure::new(missing()))
        }
        _ => Err(Failure::new(
            "metadata.xml wants the name and the hash of the program's source: name it with --program FILE.c",
        )),
    }
}
