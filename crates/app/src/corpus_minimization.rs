//! `cairn cmin`: chooses the smallest part of a test suite that covers what the whole suite covers.

use crate::empty_directory::EmptyDirectory;
use crate::error::Error;
use crate::frontend::Frontend;
use crate::subject::NamedSubject;
use crate::suite::{self, Suite};
use crate::{target, temporary};
use cairn_campaign::{TestFolder, covered, decode_test, fit, read_test_bytes, smallest_cover};
use cairn_exec::{Input, RunError, Server, Severity};
use cairn_program::{BranchId, Program};
use cairn_wire::Checks;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A test that the program accepts, and its coverage.
pub struct CoveringTest {
    /// Its file, as the user knows it.
    pub path: PathBuf,
    content: Vec<u8>,
    branches: Vec<BranchId>,
}

/// A suite and the tests chosen from it.
pub struct MinimizedSuite {
    tests: Vec<CoveringTest>,
    /// Indices of the chosen tests.
    kept: Vec<usize>,
    /// Tests that crash, hang or are rejected, and are left out.
    pub left_out: u64,
}

impl MinimizedSuite {
    /// Runs the tests of a directory and chooses. The paths of `named` must be absolute, since the
    /// working directory becomes the campaign's.
    pub fn choose(
        directory: &Path,
        named: &NamedSubject,
        timeout: u64,
        frontend: &dyn Frontend,
    ) -> Result<MinimizedSuite, Error> {
        let suite = Suite::read(directory, &[TestFolder::Queue], frontend)?;
        let files = suite.files.iter().map(std::path::absolute).collect::<Result<Vec<_>, _>>()?;
        let subject = suite::subject(named, &suite, directory)?;
        suite.enter_directory(directory)?;
        let scratch = temporary::directory()?;
        let path = target::program_path(&subject, Checks::default(), |_| Ok(scratch.path().join("program")))?;
        let program = Program::read(&path)?;
        let spec = target::spec(&subject, &path, &program, timeout)?;
        let blank = spec.blank_input();
        let mut server = Server::start(spec, subject.sandbox.limits())?;
        let (mut tests, mut left_out) = (Vec::new(), 0);
        for (file, shown) in files.iter().zip(&suite.files) {
            let test = run(&program, &mut server, file, shown, &blank)?;
            left_out += u64::from(test.is_none());
            tests.extend(test);
        }
        let sizes: Vec<_> = tests.iter().map(|test| (test.content.len(), test.branches.clone())).collect();
        Ok(MinimizedSuite { kept: smallest_cover(&sizes), tests, left_out })
    }

    /// The chosen tests.
    pub fn kept(&self) -> impl Iterator<Item = &CoveringTest> {
        self.kept.iter().map(|test| &self.tests[*test])
    }

    /// Candidate tests.
    pub fn tests(&self) -> &[CoveringTest] {
        &self.tests
    }

    /// Returns the number of branches that the tests cover together.
    pub fn branches(&self) -> usize {
        self.tests.iter().flat_map(|test| &test.branches).collect::<HashSet<_>>().len()
    }

    /// Writes the chosen tests to a new or empty directory.
    pub fn write(&self, out: &Path) -> Result<(), Error> {
        let out = EmptyDirectory::make(out)?;
        for test in self.kept() {
            out.write(test.path.file_name().unwrap_or_default(), &test.content)?;
        }
        Ok(())
    }
}

impl CoveringTest {
    /// Returns the size of its file.
    pub fn bytes(&self) -> u64 {
        self.content.len() as u64
    }
}

/// Runs a test and returns its coverage; none if it crashes, hangs or is rejected. `shown` is the name
/// that the user knows it by.
fn run(
    program: &Program,
    server: &mut Server,
    file: &Path,
    shown: &Path,
    blank: &Input,
) -> Result<Option<CoveringTest>, Error> {
    let content = read_test_bytes(file)?;
    let input = fit(decode_test(file, content.clone(), blank)?, blank);
    match covered(program, server, &input) {
        Ok(ran) if ran.end.severity() == Severity::Ok => {
            Ok(Some(CoveringTest { path: shown.to_owned(), content, branches: ran.branches }))
        }
        Ok(_) => Ok(None),
        Err(RunError::ServerDied(_) | RunError::ServerSilent) => {
            server.restart()?;
            Ok(None)
        }
        Err(other) => Err(Error::new(format_args!("{}: {other}", file.display()))),
    }
}
