//! A campaign as people and other tools want to see it.
//!
//! [`Report`] is plain data that whoever knows campaigns fills in; here it becomes a page ([`html`]), or what
//! other tools read ([`lcov`], [`sarif`], [`csv`], [`junit`], [`json`]). A [`Comparison`] of strategies becomes a page as well. Nothing here reads a file or knows what a campaign is.

mod comparison;
mod csv;
mod escape;
mod html;
mod junit;
mod lcov;
mod model;
mod sarif;
#[cfg(test)]
mod testing;

pub use comparison::{Compared, Comparison, Curve, comparison_html};
pub use csv::{csv, csv_field};
pub use html::html;
pub use junit::junit;
pub use lcov::lcov;
pub use model::{
    Advice, Campaign, ExecutedFile, ExecutedFunction, File, Finding, Frame, Function, Generator, InputPart,
    Layer, Plain, Point, Report, Side, Site, SiteKind, Source, SourceLocation, Test, Tree, TreeEdge,
    TreeNode, Why, WhyKind,
};
pub use sarif::sarif;

/// Everything but the sources' text, as one JSON object.
pub fn json(report: &Report) -> String {
    let text = serde_json::to_string_pretty(report);
    text.expect("plain data has a JSON form") + "\n"
}
