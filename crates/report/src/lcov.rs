//! lcov's tracefiles, for `genhtml` and whoever else reads them.
//!
//! Counts are tests. Lines are known where something is decided and where functions begin; of others nothing is said.

use crate::model::{File, Report};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The tracefile.
pub fn lcov(report: &Report) -> String {
    let mut text = "TN:\n".to_owned();
    report.files.iter().for_each(|file| add_file(&mut text, file));
    text
}

fn add_file(text: &mut String, file: &File) {
    let _ = writeln!(text, "SF:{}", file.path.replace('\n', " "));
    let functions = || file.functions.iter().filter(|function| function.line > 0);
    for function in functions() {
        let _ = writeln!(text, "FN:{},{}", function.line, function.name);
    }
    for function in functions() {
        let _ = writeln!(text, "FNDA:{},{}", function.tests, function.name);
    }
    let hit = functions().filter(|function| function.tests > 0).count();
    let _ = writeln!(text, "FNF:{}\nFNH:{hit}", functions().count());
    add_branches(text, file);
    add_lines(text, file);
    text.push_str("end_of_record\n");
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

fn add_lines(text: &mut String, file: &File) {
    let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
    let sites = file.sites.iter().map(|site| (site.line, site.tests));
    let functions = file.functions.iter().map(|function| (function.line, function.tests));
    for (line, tests) in sites.chain(functions).filter(|(line, _)| *line > 0) {
        let most = lines.entry(line).or_default();
        *most = tests.max(*most);
    }
    for (line, tests) in &lines {
        let _ = writeln!(text, "DA:{line},{tests}");
    }
    let hit = lines.values().filter(|tests| **tests > 0).count();
    let _ = writeln!(text, "LF:{}\nLH:{hit}", lines.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::report;

    #[test]
    fn records_say_what_the_tests_take() {
        let expected = "TN:\nSF:/src/a.c\nFN:3,main\nFNDA:2,main\nFNF:1\nFNH:1\n\
            BRDA:5,0,0,2\nBRDA:5,0,1,0\nBRDA:9,1,0,-\nBRDA:9,1,1,-\nBRDA:9,1,2,-\nBRF:5\nBRH:1\n\
            DA:3,2\nDA:5,2\nDA:9,0\nLF:3\nLH:2\nend_of_record\n";
        assert_eq!(lcov(&report()), expected);
    }
}
