//! Validates SARIF against its schema, which the crate `serde-sarif` ships, so that no network is needed.
//! Debian's python3-jsonschema validates: a crate that does would make cargo build most of the others once
//! more, with other features, and take minutes of every test run.

use cairn_report::{Finding, Frame, Generator, Report, SourceLocation, sarif};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Returns the schema, from cargo's copy of the crate's sources.
fn schema() -> String {
    let cargo = Command::new(env!("CARGO")).args(["metadata", "--format-version", "1", "--locked"]).output();
    let told: Value = serde_json::from_slice(&cargo.unwrap().stdout).unwrap();
    let packages = told["packages"].as_array().unwrap();
    let shipping = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let manifest = Path::new(shipping["manifest_path"].as_str().unwrap());
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    // One of its patterns has an unbalanced bracket, which not every engine accepts as a literal.
    text.replace("{2}]?$", "{2}$")
}

/// Runs the validator on a log.
fn validated(directory: &Path, log: &Value) -> Output {
    let (schema, instance) = (directory.join("schema.json"), directory.join("log.json"));
    std::fs::write(&instance, log.to_string()).unwrap();
    // Debian's own Python, not the first on the path.
    let mut python = Command::new("/usr/bin/python3");
    python
        .args(["-W", "ignore", "-m", "jsonschema", "--instance"])
        .arg(instance)
        .arg(schema)
        .output()
        .unwrap()
}

fn finding(kind: &str, is_hang: bool, file: &str) -> Finding {
    let place = Some(SourceLocation { file: file.to_owned(), line: 7 });
    let stack =
        vec![Frame { function: "f".to_owned(), place }, Frame { function: "main".to_owned(), place: None }];
    let headline = format!("{kind} in f");
    Finding {
        name: "crashes/id:000000".to_owned(),
        kind: kind.to_owned(),
        is_hang,
        headline,
        stack,
        ..Finding::default()
    }
}

#[test]
fn the_log_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("schema.json"), schema()).unwrap();
    let generator = Generator { name: "Cairn".to_owned(), version: "0.1.0".to_owned() };
    let findings = vec![
        finding("SIGSEGV", false, "a b.c"),
        finding("SIGSEGV", false, "/abs/ü.c"),
        finding("time limit reached", true, "a.c"),
        Finding { kind: "SIGABRT".to_owned(), ..Finding::default() },
    ];
    for findings in [findings, Vec::new()] {
        let report = Report { generator: generator.clone(), findings, ..Report::default() };
        let mut log: Value = serde_json::from_str(&sarif(&report)).unwrap();
        let said = validated(directory.path(), &log);
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        log["runs"][0]["tool"]["driver"]["rules"] = Value::String("none".to_owned());
        let said = validated(directory.path(), &log);
        let errors = String::from_utf8_lossy(&said.stderr);
        assert!(!said.status.success() && errors.contains("'none' is not of type 'array'"), "{errors}");
    }
}

#[test]
fn results_name_their_rules_and_locations() {
    let report = Report {
        findings: vec![finding("A", false, "x.c"), finding("B", true, "/y z.c"), finding("A", false, "x.c")],
        ..Report::default()
    };
    let log: Value = serde_json::from_str(&sarif(&report)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let rules = &log["runs"][0]["tool"]["driver"]["rules"];
    for (result, (rule, level)) in results.iter().zip([("A", "error"), ("B", "warning"), ("A", "error")]) {
        assert_eq!(result["ruleId"], rule);
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], rule);
        assert_eq!(result["level"], level);
    }
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file:///y%20z.c");
    assert_eq!(rules.as_array().unwrap().len(), 2);
}
