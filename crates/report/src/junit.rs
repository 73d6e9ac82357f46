//! JUnit's XML: tests are test cases, findings are failures.

use crate::escape::xml;
use crate::model::{Finding, Report, Test};
use std::fmt::Write;

/// Formats the document.
pub fn junit(report: &Report) -> String {
    let program = xml(&report.campaign.program);
    let has_no_finding = |test: &&Test| !report.findings.iter().any(|finding| finding.name == test.name);
    let passed: Vec<&Test> = report.tests.iter().filter(has_no_finding).collect();
    let counts =
        format!("tests=\"{}\" failures=\"{}\"", passed.len() + report.findings.len(), report.findings.len());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{program}\" {counts}>\n  \
         <testsuite name=\"{program}\" {counts} errors=\"0\" skipped=\"0\" time=\"{:.3}\">\n",
        report.campaign.seconds
    );
    for test in passed {
        let _ = writeln!(text, "    <testcase classname=\"{program}\" name=\"{}\"/>", xml(&test.name));
    }
    report.findings.iter().for_each(|finding| add_failure(&mut text, &program, finding));
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn add_failure(text: &mut String, program: &str, finding: &Finding) {
    let _ = writeln!(
        text,
        "    <testcase classname=\"{program}\" name=\"{}\">\n      <failure message=\"{}\" type=\"{}\">{}</failure>\n    \
         </testcase>",
        xml(&finding.name),
        xml(&finding.headline),
        xml(&finding.kind),
        xml(&finding.text),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::report;

    #[test]
    fn findings_are_failures() {
        let text = junit(&report());
        assert!(text.contains("<testsuite name=\"a&lt;b&gt;\" tests=\"2\" failures=\"1\""), "{text}");
        assert!(text.contains("<testcase classname=\"a&lt;b&gt;\" name=\"queue/id:000000\"/>"), "{text}");
        assert!(
            text.contains("<failure message=\"killed by SIGFPE in main (a.c:7)\" type=\"SIGFPE\">"),
            "{text}"
        );
        assert_eq!(text.matches("<testcase").count(), 2);
    }
}
