//! `cairn report`: writes what a campaign covered and found, as a page or for other tools.

use crate::args::ReportArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::message::{print, print_data, warn};
use cairn_app::report::{ReportSettings, gather};
use cairn_campaign::write_whole;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// File of the page in the campaign directory, unless `--out` names another.
const PAGE: &str = "report.html";
/// Stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Gathers the report and writes it.
pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let shown = out(args);
    let settings = ReportSettings {
        named: args.named.settings()?,
        directory: std::path::absolute(&args.directory)?,
        replay_coverage: args.replay_coverage,
        wants_lines: args.format.needs_lines,
        timeout: args.timeout,
    };
    // Absolute before the working directory changes.
    let out = shown.as_ref().map(std::path::absolute).transpose()?;
    let report = gather(&settings, &Console)?;
    report.missing.iter().for_each(warn);
    let text = (args.format.format)(&report);
    match out.zip(shown) {
        Some((file, shown)) => {
            write(&settings.directory, &file, &text)?;
            print(format_args!("report written to {}\n", shown.display()))?;
        }
        None => print_data(text)?,
    }
    Ok(ExitCode::from(NOTHING_FOUND))
}

/// Writes the file. One that the user names is followed through links; the page in the campaign directory replaces
/// whatever is there, since a stranger may have put a link.
fn write(directory: &Path, file: &Path, text: &str) -> Result<(), Failure> {
    if *file == directory.join(PAGE) {
        write_whole(directory, PAGE, text.as_bytes(), false)?;
        return Ok(());
    }
    std::fs::write(file, text).map_err(|error| Failure::cannot("write", file, &error))
}

/// Returns the file to write; none for standard output.
fn out(args: &ReportArgs) -> Option<PathBuf> {
    match (&args.out, args.format.name) {
        (Some(out), _) if out == Path::new(STANDARD_OUTPUT) => None,
        (Some(out), _) => Some(out.clone()),
        (None, "html") => Some(args.directory.join(PAGE)),
        (None, _) => None,
    }
}
