//! Static features of conditions: expected ones in the source's comments, found ones in the executable.

use crate::common;
use cairn_program::{ConditionFeatures, Nesting, Program, Site};
use std::collections::BTreeSet;
use std::path::Path;

const WORDS: [(&str, ConditionFeatures); 5] = [
    ("external", ConditionFeatures::EXTERNAL_CALL),
    ("integer", ConditionFeatures::INTEGER),
    ("text", ConditionFeatures::TEXT),
    ("dereference", ConditionFeatures::DEREFERENCE),
    ("local", ConditionFeatures::LOCAL),
];

fn words(site: &Site, nesting: &Nesting) -> BTreeSet<&'static str> {
    let contents = WORDS.into_iter().filter(|(_, bit)| site.contents.contains(*bit)).map(|(word, _)| word);
    contents.chain(nesting.is_nested(site.block).then_some("nested")).collect()
}

#[test]
fn conditions_are_known_by_what_the_source_says() {
    let directory = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/contents.c");
    let executable = directory.path().join("contents");
    common::build_instrumented(&source, &executable);
    let program = Program::read(&executable).unwrap();
    let nesting = Nesting::new(&program);
    let text = std::fs::read_to_string(&source).unwrap();
    let decides = |site: &Site| site.counted && !site.sides.is_empty();
    let (mut told, mut wrong) = (0, Vec::new());
    for (line, number) in text.lines().zip(1..).skip(1) {
        let Some((_, comment)) = line.split_once("//") else { continue };
        let is_here = |site: &Site| site.line == number && decides(site);
        let found: Vec<_> = program.sites().map(|(_, site)| site).filter(|site| is_here(site)).collect();
        let expected: Vec<BTreeSet<_>> =
            comment.split(';').map(|words| words.split_whitespace().collect()).collect();
        let seen: Vec<_> = found.iter().map(|site| words(site, &nesting)).collect();
        if seen != expected {
            wrong.push((line, seen));
        }
        told += found.len();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(told, program.sites().filter(|(_, site)| decides(site)).count(), "none was left out");
}
