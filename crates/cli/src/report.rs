//! `cairn report`: what a campaign covered and found, as a page or for other tools.

mod findings;
mod gather;
mod negation;
mod places;
mod plain;
mod progress;
mod retrace;
mod sources;
mod statistics;
mod tree;
mod why;

use crate::args::{ReportArgs, ReportFormat};
use crate::failure::{Failure, NOTHING_FOUND};
use crate::message::{print, print_data, warn};
use cairn_campaign::write_whole;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where the page goes unless told otherwise.
const PAGE: &str = "report.html";
/// Stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Gathers all there is to tell, and writes it.
pub fn report(args: &mut ReportArgs) -> Result<ExitCode, Failure> {
    let shown = out(args);
    args.named.make_absolute()?;
    args.directory = std::path::absolute(&args.directory)?;
    args.out = shown.as_ref().map(std::path::absolute).transpose()?;
    let report = gather::gather(args)?;
    report.missing.iter().for_each(warn);
    let text = match args.format {
        ReportFormat::Html => cairn_report::html(&report),
        ReportFormat::Lcov => cairn_report::lcov(&report),
        ReportFormat::Sarif => cairn_report::sarif(&report),
        ReportFormat::Json => cairn_report::json(&report),
        ReportFormat::Csv => cairn_report::csv(&report),
        ReportFormat::Junit => cairn_report::junit(&report),
    };
    match args.out.as_ref().zip(shown) {
        Some((file, shown)) => {
            write(args, file, &text)?;
            print(format_args!("the report is in {}\n", shown.display()))?;
        }
        None => print_data(text)?,
    }
    Ok(ExitCode::from(NOTHING_FOUND))
}

/// Writes the file that the user names wherever that leads; the one in the campaign directory replaces what a stranger
/// may have put there.
fn write(args: &ReportArgs, file: &Path, text: &str) -> Result<(), Failure> {
    if *file == args.directory.join(PAGE) {
        write_whole(&args.directory, PAGE, text.as_bytes(), false)?;
        return Ok(());
    }
    std::fs::write(file, text).map_err(|error| Failure::cannot("write", file, &error))
}

/// The file to write; none for standard output.
fn out(args: &ReportArgs) -> Option<PathBuf> {
    match (&args.out, args.format) {
        (Some(out), _) if out == Path::new(STANDARD_OUTPUT) => None,
        (Some(out), _) => Some(out.clone()),
        (None, ReportFormat::Html) => Some(args.directory.join(PAGE)),
        (None, _) => None,
    }
}
