//! The output formats of `cairn report`, by name.

use crate::model::Report;

/// An output format.
#[derive(Clone, Copy, Debug)]
pub struct OutputFormat {
    /// Name, as `--format` takes it.
    pub name: &'static str,
    /// Description for the help, in one line.
    pub about: &'static str,
    /// True if it shows all executable lines, which are counted on a plain build.
    pub needs_lines: bool,
    /// Formats a report.
    pub format: fn(&Report) -> String,
}

/// The output formats, in the order of the help; the first is the default.
pub const FORMATS: &[OutputFormat] = &[
    OutputFormat {
        name: "html",
        about: "A self-contained HTML page",
        needs_lines: false,
        format: crate::html,
    },
    OutputFormat {
        name: "lcov",
        about: "Coverage for genhtml and other lcov tools",
        needs_lines: true,
        format: crate::lcov,
    },
    OutputFormat {
        name: "sarif",
        about: "Findings for code scanning (SARIF 2.1.0)",
        needs_lines: false,
        format: crate::sarif,
    },
    OutputFormat { name: "json", about: "Everything", needs_lines: false, format: crate::json },
    OutputFormat { name: "csv", about: "A row per branch", needs_lines: false, format: crate::csv },
    OutputFormat {
        name: "junit",
        about: "Tests and findings for CI",
        needs_lines: false,
        format: crate::junit,
    },
];

#[cfg(test)]
mod tests {
    use super::FORMATS;
    use crate::testing::report;

    #[test]
    fn every_format_has_a_name_of_its_own_and_text() {
        for (index, format) in FORMATS.iter().enumerate() {
            assert!(FORMATS[..index].iter().all(|other| other.name != format.name), "{}", format.name);
            assert!(!(format.format)(&report()).is_empty(), "{}", format.name);
        }
    }
}
