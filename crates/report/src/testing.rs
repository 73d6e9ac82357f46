//! A small report for tests.

use crate::model::*;

pub(crate) fn report() -> Report {
    let side = |label: &str, tests, why| Side { label: label.to_owned(), covered: tests > 0, tests, why };
    let place = |line| SourceLocation { file: "a.c".to_owned(), line };
    let unsat = Why { kind: WhyKind::Unsat, text: "no input, \"at all\"".to_owned(), behind: None };
    let behind = Why {
        kind: WhyKind::NeverReached,
        text: "behind the true side of line 5".to_owned(),
        behind: Some(place(5)),
    };
    let case = |label| side(label, 0, Some(behind.clone()));
    let site = |line, column, kind, tests, sides| Site {
        line,
        column,
        kind,
        function: "main".to_owned(),
        tests,
        sides,
    };
    let file = File {
        name: "a.c".to_owned(),
        path: "/src/a.c".to_owned(),
        source: Source::Text("</script><script>alert(1)</script>\n".to_owned()),
        functions: vec![Function { name: "main".to_owned(), line: 3, tests: 2 }],
        sites: vec![
            site(5, 9, SiteKind::Branch, 2, vec![side("false", 2, None), side("true", 0, Some(unsat))]),
            site(9, 5, SiteKind::Switch, 0, vec![case("case 1, 2"), case("case 7"), case("default")]),
        ],
        plain: None,
    };
    let finding = Finding {
        name: "crashes/id:000000,sig:08".to_owned(),
        kind: "SIGFPE".to_owned(),
        headline: "killed by SIGFPE in main (a.c:7)".to_owned(),
        stack: vec![Frame { function: "main".to_owned(), place: Some(place(7)) }],
        input: vec![InputPart { name: "stdin".to_owned(), bytes: vec![0, 255], length: 2 }],
        command: "cairn replay a 'crashes/id:000000,sig:08'".to_owned(),
        text: "killed by SIGFPE in main (a.c:7)\n<\u{0}>".to_owned(),
        ..Finding::default()
    };
    let test = |name: &str, end: &str| Test {
        name: name.to_owned(),
        bytes: 2,
        end: Some(end.to_owned()),
        branches: 1,
    };
    Report {
        generator: Generator { name: "Cairn".to_owned(), version: "0.1.0".to_owned() },
        campaign: Campaign { program: "a<b>".to_owned(), executions: 7, seconds: 1.5, ..Campaign::default() },
        curve: vec![Point { executions: 1, seconds: 0.1, covered: 1 }],
        files: vec![file],
        tests: vec![
            test("queue/id:000000", "exit code 0"),
            test("crashes/id:000000,sig:08", "killed by SIGFPE"),
        ],
        findings: vec![finding],
        ..Report::default()
    }
}
