//! lcov's tracefiles, for `genhtml` and other tools.
//!
//! Branch counts are numbers of tests. Lines and functions are all executable ones with their execution
//! counts, if these were measured; otherwise those with branches, with numbers of tests.

use crate::model::{ExecutedFile, File, Report};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Formats the tracefile.
pub fn lcov(report: &Report) -> String {
    let mut text = "TN:\n".to_owned();
    for (path, file, executed) in records(report) {
        let _ = writeln!(text, "SF:{}", path.replace('\n', " "));
        let (functions, lines) = match executed {
            Some(executed) => (counted_functions(executed), executed.lines.clone()),
            None => {
                (file.map_or_else(Vec::new, branching_functions), file.map_or_else(Vec::new, branching_lines))
            }
        };
        add_functions(&mut text, &functions);
        file.into_iter().for_each(|file| add_branches(&mut text, file));
        add_lines(&mut text, &lines);
        text.push_str("end_of_record\n");
    }
    text
}

/// Returns every file once: its branches, if it has any, and its lines, if they were counted.
fn records(report: &Report) -> Vec<(&str, Option<&File>, Option<&ExecutedFile>)> {
    let executed = report.executed.as_deref().unwrap_or_default();
    let counted = |path: &str| executed.iter().find(|executed| executed.path == path);
    let has_branches = |path: &str| report.files.iter().any(|file| file.path == path);
    let with = report.files.iter().map(|file| (file.path.as_str(), Some(file), counted(&file.path)));
    let without = executed.iter().filter(|executed| !has_branches(&executed.path));
    with.chain(without.map(|executed| (executed.path.as_str(), None, Some(executed)))).collect()
}

/// Line, name and count of a function.
type LcovFunction<'a> = (u64, &'a str, u64);

fn counted_functions(file: &ExecutedFile) -> Vec<LcovFunction<'_>> {
    file.functions.iter().map(|function| (function.line, function.name.as_str(), function.calls)).collect()
}

fn branching_functions(file: &File) -> Vec<LcovFunction<'_>> {
    let known = file.functions.iter().filter(|function| function.line > 0);
    known.map(|function| (function.line.into(), function.name.as_str(), function.tests)).collect()
}

fn add_functions(text: &mut String, functions: &[LcovFunction]) {
    for (line, name, _) in functions {
        let _ = writeln!(text, "FN:{line},{name}");
    }
    for (_, name, count) in functions {
        let _ = writeln!(text, "FNDA:{count},{name}");
    }
    let hit = functions.iter().filter(|(_, _, count)| *count > 0).count();
    let _ = writeln!(text, "FNF:{}\nFNH:{hit}", functions.len());
}

fn add_branches(text: &mut String, file: &File) {
    let (mut found, mut hit) = (0, 0);
    for (number, site) in file.sites.iter().filter(|site| site.line > 0).enumerate() {
        for (index, side) in site.sides.iter().enumerate() {
            let taken = if site.is_reached() { side.tests.to_string() } else { "-".to_owned() };
            let _ = writeln!(text, "BRDA:{},{number},{index},{taken}", site.line);
            found += 1;
            hit += u32::from(side.tests > 0);
        }
    }
    let _ = writeln!(text, "BRF:{found}\nBRH:{hit}");
}

fn branching_lines(file: &File) -> Vec<(u64, u64)> {
    let mut lines: BTreeMap<u64, u64> = BTreeMap::new();
    let sites = file.sites.iter().map(|site| (site.line, site.tests));
    let functions = file.functions.iter().map(|function| (function.line, function.tests));
    for (line, tests) in sites.chain(functions).filter(|(line, _)| *line > 0) {
        let max = lines.entry(line.into()).or_default();
        *max = tests.max(*max);
    }
    lines.into_iter().collect()
}

fn add_lines(text: &mut String, lines: &[(u64, u64)]) {
    for (line, count) in lines {
        let _ = writeln!(text, "DA:{line},{count}");
    }
    let hit = lines.iter().filter(|(_, count)| *count > 0).count();
    let _ = writeln!(text, "LF:{}\nLH:{hit}", lines.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ExecutedFunction;
    use crate::testing::report;

    #[test]
    fn records_hold_the_branches_taken() {
        let expected = "TN:\nSF:/src/a.c\nFN:3,main\nFNDA:2,main\nFNF:1\nFNH:1\n\
            BRDA:5,0,0,2\nBRDA:5,0,1,0\nBRDA:9,1,0,-\nBRDA:9,1,1,-\nBRDA:9,1,2,-\nBRF:5\nBRH:1\n\
            DA:3,2\nDA:5,2\nDA:9,0\nLF:3\nLH:2\nend_of_record\n";
        assert_eq!(lcov(&report()), expected);
    }

    #[test]
    fn counted_lines_and_functions_replace_those_with_branches() {
        let function = |name: &str, line, calls| ExecutedFunction { name: name.to_owned(), line, calls };
        let file = |path: &str, lines: &[(u64, u64)], functions| ExecutedFile {
            path: path.to_owned(),
            lines: lines.to_vec(),
            functions,
        };
        let executed = vec![
            file("/src/a.c", &[(3, 7), (4, 0)], vec![function("main", 3, 7)]),
            file("/src/b.h", &[(1, 0)], vec![function("b.h:unused", 1, 0)]),
        ];
        let expected = "TN:\nSF:/src/a.c\nFN:3,main\nFNDA:7,main\nFNF:1\nFNH:1\n\
            BRDA:5,0,0,2\nBRDA:5,0,1,0\nBRDA:9,1,0,-\nBRDA:9,1,1,-\nBRDA:9,1,2,-\nBRF:5\nBRH:1\n\
            DA:3,7\nDA:4,0\nLF:2\nLH:1\nend_of_record\n\
            SF:/src/b.h\nFN:1,b.h:unused\nFNDA:0,b.h:unused\nFNF:1\nFNH:0\nDA:1,0\nLF:1\nLH:0\nend_of_record\n";
        assert_eq!(lcov(&Report { executed: Some(executed), ..report() }), expected);
    }
}
