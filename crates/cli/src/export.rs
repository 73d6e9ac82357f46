//! `cairn export`: writes tests in the formats of other tools.

use crate::args::ExportArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::message::print;
use cairn_app::numbers::counted;
use std::process::ExitCode;

/// Exports the tests of a directory.
pub fn export(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let written = cairn_app::export::export(&args.settings(), &Console)?;
    let tests = counted(written as u64, "test", "tests");
    print(format_args!("{tests} in {}\n", args.out.display()))?;
    Ok(ExitCode::from(NOTHING_FOUND))
}
