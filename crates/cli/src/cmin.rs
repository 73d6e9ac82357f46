//! `cairn cmin`: writes or names the tests that minimization keeps.

use crate::args::CminArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::message::{log, print};
use cairn_app::corpus_minimization::{CoveringTest, MinimizedSuite};
use cairn_app::numbers::{counted, grouped};
use std::process::ExitCode;

/// Minimizes a suite.
pub fn cmin(args: &CminArgs) -> Result<ExitCode, Failure> {
    // Absolute before the working directory changes.
    let out = args.out.as_ref().map(std::path::absolute).transpose()?;
    let suite = MinimizedSuite::choose(&args.directory, &args.named.settings()?, args.timeout, &Console)?;
    if suite.left_out > 0 {
        let some = counted(
            suite.left_out,
            "test crashes, hangs or is rejected",
            "tests crash, hang or are rejected",
        );
        log(format_args!("cairn: {some} by the program and left out\n"));
    }
    match (&out, &args.out) {
        (Some(out), Some(shown)) => {
            suite.write(out)?;
            print(format_args!("{}; they are in {}\n", summary(&suite), shown.display()))?;
        }
        _ => {
            suite.kept().try_for_each(|test| print(format_args!("{}\n", test.path.display())))?;
            log(format_args!("cairn: {}\n", summary(&suite)));
        }
    }
    Ok(ExitCode::from(NOTHING_FOUND))
}

fn summary(suite: &MinimizedSuite) -> String {
    let bytes =
        |tests: &mut dyn Iterator<Item = &CoveringTest>| grouped(tests.map(CoveringTest::bytes).sum::<u64>());
    format!(
        "{} of {} cover all {} ({} of {} bytes)",
        grouped(suite.kept().count() as u64),
        counted(suite.tests().len() as u64, "test", "tests"),
        counted(suite.branches() as u64, "branch", "branches"),
        bytes(&mut suite.kept()),
        bytes(&mut suite.tests().iter()),
    )
}
