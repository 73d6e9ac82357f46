//! Keeps the most frequent slips of language out of the tree: see the style section of CONTRIBUTING.md.

use std::fs;
use std::path::{Path, PathBuf};

/// Openings of item docs that announce a clause instead of naming the thing.
const INDIRECT_OPENINGS: &[&str] = &["What ", "Whether ", "Where ", "Who ", "How ", "That "];

/// Largest share of item docs with such an opening, in percent.
const MAX_INDIRECT: usize = 4;

/// Words for people where the code means a component.
const PERSONS: &[&str] = &["nobody", "somebody", "whoever", "anybody"];

/// Columns of a line of Markdown.
const COLUMNS: usize = 110;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a workspace")
}

/// Returns the files below a directory with one of these extensions, without those of builds and hidden ones.
fn files(directory: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with('.') || name == "target" || name.starts_with("cairn-out") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, extensions));
        } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
            found.push(path);
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a readable file")
}

/// Returns the first lines of all doc comments, without their slashes.
fn openings(text: &str) -> Vec<&str> {
    let doc = |line: &'_ str| line.trim_start().starts_with("///") || line.trim_start().starts_with("//!");
    let mut found = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if doc(line) && !is_inside {
            found.push(line.trim_start()[3..].trim_start());
        }
        is_inside = doc(line);
    }
    found
}

/// Returns the comment of a line of Rust or C, if it has one.
fn comment(line: &str) -> Option<&str> {
    let start = line.find("//").or_else(|| line.find("/*"))?;
    Some(&line[start..])
}

fn has_word(text: &str, words: &[&str]) -> bool {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

#[test]
fn item_docs_open_with_a_verb_or_a_noun() {
    let mut total = 0;
    let mut indirect = Vec::new();
    for path in files(&root().join("crates"), &["rs"]) {
        let text = read(&path);
        for opening in openings(&text) {
            total += 1;
            if INDIRECT_OPENINGS.iter().any(|words| opening.starts_with(words)) {
                indirect.push(format!("{}: {opening}", path.display()));
            }
        }
    }
    let share = indirect.len() * 100 / total;
    assert!(share < MAX_INDIRECT, "{share} % of {total} docs open indirectly:\n{}", indirect.join("\n"));
}

#[test]
fn comments_name_components_and_not_persons() {
    let mut found = Vec::new();
    for directory in ["crates", "libc", "include", "tests", "examples"] {
        for path in files(&root().join(directory), &["rs", "c", "h"]) {
            // The user `nobody` is a proper name, and has a constant.
            let text = read(&path).replace("`nobody`", "").replace("NOBODY", "");
            let slips = text.lines().filter(|line| comment(line).is_some_and(|c| has_word(c, PERSONS)));
            found.extend(slips.map(|line| format!("{}: {}", path.display(), line.trim())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn markdown_fits_its_columns() {
    let mut found = Vec::new();
    for path in files(&root(), &["md"]) {
        let text = read(&path);
        let wide = (1..).zip(text.lines()).filter(|(_, line)| line.chars().count() > COLUMNS);
        found.extend(wide.map(|(number, _)| format!("{}:{number}", path.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn slips_are_seen() {
    let text = "/// Whether it is.\n/// How so.\nfn a() {}\n\n/// Returns it.\nfn b() {}\n";
    assert_eq!(openings(text), ["Whether it is.", "Returns it."]);
    let slip = format!("fn b() {{}} // {} knows", PERSONS[0]);
    assert!(comment(&slip).is_some_and(|c| has_word(c, PERSONS)));
    assert!(!has_word("nobodys", PERSONS));
}
