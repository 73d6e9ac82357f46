//! Reports of a campaign, for people and for other tools.
//!
//! [`Report`] is plain data that the caller fills in; this crate formats it as a page ([`html`]) or for other
//! tools ([`lcov`], [`sarif`], [`csv`], [`junit`], [`json`]). A [`Comparison`] of strategies is formatted as
//! a page as well. The crate reads no file and does not know what a campaign is.
//! `docs/howto-output-format.md` shows how to add a format.

mod comparison;
mod csv;
mod escape;
mod formats;
mod html;
mod junit;
mod lcov;
mod model;
mod sarif;
#[cfg(test)]
mod testing;

pub use comparison::{Compared, Comparison, Curve, comparison_html};
pub use csv::{csv, csv_field};
pub use formats::{FORMATS, OutputFormat};
pub use html::html;
pub use junit::junit;
pub use lcov::lcov;
pub use model::{
    Advice, Campaign, ExecutedFile, ExecutedFunction, File, Finding, Frame, Function, Generator, InputPart,
    Layer, Plain, Point, Report, Side, Site, SiteKind, Source, SourceLocation, Test, Tree, TreeEdge,
    TreeNode, Why, WhyKind,
};
pub use sarif::sarif;

/// Formats everything but the sources' text as one JSON object.
pub fn json(report: &Report) -> String {
    let text = serde_json::to_string_pretty(report);
    text.expect("plain data has a JSON form") + "\n"
}
