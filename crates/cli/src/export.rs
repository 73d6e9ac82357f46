//! `cairn export`: writes tests, or the dictionary, in the formats of other tools.

use crate::args::ExportArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::message::print;
use cairn_app::numbers::counted;
use std::process::ExitCode;

/// Exports the tests of a directory, or the dictionary of a campaign.
pub fn export(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let written = match args.settings() {
        Some(tests) => counted(cairn_app::export::export(&tests, &Console)? as u64, "test", "tests"),
        None => {
            let entries = cairn_app::dictionary::export(&args.directory, &args.out)?;
            counted(entries as u64, "entry", "entries")
        }
    };
    print(format_args!("{written} in {}\n", args.out.display()))?;
    Ok(ExitCode::from(NOTHING_FOUND))
}
