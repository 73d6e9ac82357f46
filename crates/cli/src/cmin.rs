//! `cairn cmin`: the smallest part of a suite of tests that covers what all of it covers.

use crate::args::CminArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::message::{print, tell};
use crate::suite::{self, Suite};
use crate::target;
use cairn_app::empty_directory::EmptyDirectory;
use cairn_app::numbers::{counted, grouped};
use cairn_app::temporary;
use cairn_campaign::{TestFolder, covered, decode_test, fit, read_test_bytes, smallest_cover};
use cairn_exec::{Input, RunError, Server, Severity};
use cairn_program::{BranchId, Program};
use cairn_wire::Checks;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A test that ended well.
struct Test {
    path: PathBuf,
    content: Vec<u8>,
    branches: Vec<BranchId>,
}

/// Chooses, and writes or names what was chosen.
pub fn cmin(args: &mut CminArgs) -> Result<ExitCode, Failure> {
    let suite = Suite::read(&args.directory, &[TestFolder::Queue])?;
    let out = args.out.as_ref().map(std::path::absolute).transpose()?;
    let files = suite.files.iter().map(std::path::absolute).collect::<Result<Vec<_>, _>>()?;
    args.named.make_absolute()?;
    let subject = suite::subject(&args.named, &suite, &args.directory)?;
    suite.enter_directory(&args.directory)?;
    let scratch = temporary::directory()?;
    let path = target::program_path(&subject, Checks::default(), |_| Ok(scratch.path().join("program")))?;
    let program = Program::read(&path)?;
    let spec = target::spec(&subject, &path, &program, args.timeout)?;
    let blank = spec.blank_input();
    let mut server = Server::start(spec, subject.room.limits())?;
    let (mut tests, mut left_out) = (Vec::new(), 0);
    for (file, shown) in files.iter().zip(&suite.files) {
        let test = run(&program, &mut server, file, shown, &blank)?;
        left_out += u64::from(test.is_none());
        tests.extend(test);
    }
    if left_out > 0 {
        let some = counted(left_out, "test crashes, hangs or is refused", "tests crash, hang or are refused");
        tell(format_args!("cairn: {some} by the program and left out\n"));
    }
    let sizes: Vec<_> = tests.iter().map(|test| (test.content.len(), test.branches.clone())).collect();
    let kept: Vec<&Test> = smallest_cover(&sizes).into_iter().map(|test| &tests[test]).collect();
    let told = summary(&tests, &kept);
    match (&out, &args.out) {
        (Some(out), Some(shown)) => {
            write(&kept, out)?;
            print(format_args!("{told}; they are in {}\n", shown.display()))?;
        }
        _ => {
            kept.iter().try_for_each(|test| print(format_args!("{}\n", test.path.display())))?;
            tell(format_args!("cairn: {told}\n"));
        }
    }
    Ok(ExitCode::from(NOTHING_FOUND))
}

/// A test, under the name that the user knows it by, and what it covers; nothing if it does not end well.
fn run(
    program: &Program,
    server: &mut Server,
    file: &Path,
    shown: &Path,
    blank: &Input,
) -> Result<Option<Test>, Failure> {
    let content = read_test_bytes(file)?;
    let input = fit(decode_test(file, content.clone(), blank)?, blank);
    match covered(program, server, &input) {
        Ok(ran) if ran.end.severity() == Severity::Ok => {
            Ok(Some(Test { path: shown.to_owned(), content, branches: ran.branches }))
        }
        Ok(_) => Ok(None),
        Err(RunError::ServerDied(_) | RunError::ServerSilent) => {
            server.restart()?;
            Ok(None)
        }
        Err(other) => Err(Failure::new(format_args!("{}: {other}", file.display()))),
    }
}

fn summary(all: &[Test], kept: &[&Test]) -> String {
    let branches: HashSet<BranchId> = all.iter().flat_map(|test| test.branches.iter().copied()).collect();
    let bytes = |tests: &mut dyn Iterator<Item = &Test>| {
        grouped(tests.map(|test| test.content.len() as u64).sum::<u64>())
    };
    format!(
        "{} of {} cover all {} ({} of {} bytes)",
        grouped(kept.len() as u64),
        counted(all.len() as u64, "test", "tests"),
        counted(branches.len() as u64, "branch", "branches"),
        bytes(&mut kept.iter().copied()),
        bytes(&mut all.iter()),
    )
}

fn write(kept: &[&Test], out: &Path) -> Result<(), Failure> {
    let out = EmptyDirectory::make(out)?;
    for test in kept {
        out.write(test.path.file_name().unwrap_or_default(), &test.content)?;
    }
    Ok(())
}
