//! SARIF 2.1.0: a result per finding.

use crate::escape::uri;
use crate::model::{Finding, Frame, Report, SourceLocation};
use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Formats the log.
pub fn sarif(report: &Report) -> String {
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": report.generator.name,
                "semanticVersion": report.generator.version,
                "rules": rules(report),
            }},
            "invocations": [{
                "commandLine": report.campaign.command,
                "executionSuccessful": true,
            }],
            "columnKind": "utf16CodeUnits",
            "results": report.findings.iter().map(|finding| result(report, finding)).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

/// Returns a rule for every kind of finding, in order of appearance.
fn rules(report: &Report) -> Vec<Value> {
    let kinds = kinds(report);
    let of = |kind: &&str| report.findings.iter().find(|finding| finding.kind == **kind);
    let rule = |finding: &Finding| {
        let text = match finding.is_hang {
            true => "The program does not end in time.".to_owned(),
            false => format!("The program ends by {}.", finding.kind),
        };
        json!({
            "id": finding.kind,
            "shortDescription": { "text": text },
            "defaultConfiguration": { "level": level(finding) },
        })
    };
    kinds.iter().filter_map(of).map(rule).collect()
}

fn kinds(report: &Report) -> Vec<&str> {
    let mut kinds = Vec::new();
    for finding in &report.findings {
        if !kinds.contains(&finding.kind.as_str()) {
            kinds.push(finding.kind.as_str());
        }
    }
    kinds
}

fn level(finding: &Finding) -> &'static str {
    if finding.is_hang { "warning" } else { "error" }
}

fn result(report: &Report, finding: &Finding) -> Value {
    let first = finding.stack.iter().find_map(|frame| frame.place.as_ref());
    let mut result = json!({
        "ruleId": finding.kind,
        "ruleIndex": kinds(report).iter().position(|kind| *kind == finding.kind),
        "level": level(finding),
        "message": { "text": format!("{}\nAgain: {}", finding.headline, finding.command) },
        "locations": first.map(|place| vec![location(report, place)]).unwrap_or_default(),
        "partialFingerprints": { "cairn/v1": finding.headline },
        "properties": { "reproduction": finding.command, "input": finding.name },
    });
    if !finding.stack.is_empty() {
        let frames: Vec<Value> = finding.stack.iter().map(|frame| stack_frame(report, frame)).collect();
        result["stacks"] = json!([{ "message": { "text": "Stack, innermost first" }, "frames": frames }]);
    }
    result
}

fn stack_frame(report: &Report, frame: &Frame) -> Value {
    let mut location = frame.place.as_ref().map_or_else(|| json!({}), |place| location(report, place));
    location["logicalLocations"] = json!([{ "name": frame.function, "kind": "function" }]);
    json!({ "location": location })
}

fn location(report: &Report, place: &SourceLocation) -> Value {
    // Files below the report's directory stay relative, since checkouts differ in their location.
    let known = report.files.iter().find(|file| file.name == place.file);
    let path = known.map_or(place.file.as_str(), |file| file.name.as_str());
    let uri = if path.starts_with('/') { format!("file://{}", uri(path)) } else { uri(path) };
    let mut physical = json!({ "artifactLocation": { "uri": uri } });
    if place.line > 0 {
        physical["region"] = json!({ "startLine": place.line });
    }
    json!({ "physicalLocation": physical })
}
