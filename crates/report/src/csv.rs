//! CSV: a table with a row per branch.

use crate::model::Report;
use std::fmt::Write;

/// Formats the table, with a header line.
pub fn csv(report: &Report) -> String {
    let mut text = "file,line,column,function,kind,side,covered,tests,why,explanation\n".to_owned();
    for file in &report.files {
        for (site, side) in file.branches() {
            let kind = format!("{:?}", site.kind).to_lowercase();
            let (why, explanation) =
                side.why.as_ref().map_or(("", ""), |why| (why.kind.name(), why.text.as_str()));
            let _ = writeln!(
                text,
                "{},{},{},{},{kind},{},{},{},{why},{}",
                csv_field(&file.name),
                site.line,
                site.column,
                csv_field(&site.function),
                csv_field(&side.label),
                u8::from(side.covered),
                side.tests,
                csv_field(explanation),
            );
        }
    }
    text
}

/// Formats a field, in quotes if necessary.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::report;

    #[test]
    fn every_branch_has_a_row() {
        let table = csv(&report());
        let rows: Vec<&str> = table.lines().collect();
        assert_eq!(rows.len(), 6);
        assert_eq!(rows[1], "a.c,5,9,main,branch,false,1,2,,");
        assert_eq!(rows[2], "a.c,5,9,main,branch,true,0,0,unsat,\"no input, \"\"at all\"\"\"");
        assert_eq!(
            rows[3],
            "a.c,9,5,main,switch,\"case 1, 2\",0,0,never-reached,behind the true side of line 5"
        );
    }
}
