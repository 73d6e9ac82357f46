//! Tests of the invariants that ARCHITECTURE.md states.

use std::fs;
use std::path::{Path, PathBuf};

/// Every crate and the crates of this workspace it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("deadline", &[]),
    ("runtime", &["wire"]),
    ("instrument", &["wire"]),
    ("expr", &[]),
    ("program", &["wire"]),
    ("tree", &["wire", "expr", "program"]),
    ("solver", &["deadline", "expr"]),
    ("search", &["tree", "program"]),
    ("mutate", &["expr", "search", "exec"]),
    ("learn", &[]),
    ("exec", &["deadline", "wire", "expr"]),
    ("report", &[]),
    ("campaign", &["deadline", "wire", "expr", "program", "tree", "solver", "search", "mutate", "exec"]),
    ("app", EVERYTHING),
    ("cli", FRONT_END),
];

/// Crates below `app`: it alone, and `cli` above it, see all parts of the engine.
const EVERYTHING: &[&str] = &[
    "deadline",
    "wire",
    "instrument",
    "expr",
    "program",
    "tree",
    "solver",
    "search",
    "mutate",
    "learn",
    "exec",
    "campaign",
    "report",
];

/// Crates that the command line may name: those it shows something of, and `app`.
const FRONT_END: &[&str] = &[
    "app",
    "deadline",
    "wire",
    "instrument",
    "program",
    "solver",
    "search",
    "learn",
    "exec",
    "campaign",
    "report",
];

/// Crates and files that may contain `unsafe` code.
const UNSAFE: &[&str] = &[
    "wire",
    "runtime",
    "instrument/src/llvm",
    "exec",
    "expr/src/semantics/library.rs",
    "solver/src/tape/native.rs",
];

/// Names that a crate without I/O and clock must not use.
const OUTSIDE_WORLD: &[&str] =
    &["std::fs", "std::io", "std::net", "std::env", "std::process", "std::time", "println!"];

/// The only file of such a crate that reads files.
const READER: &str = "search/src/weights/file.rs";

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_owned()
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a readable directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

/// Returns the code of a file without comments, up to its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a readable file");
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    before_tests.lines().map(|l| l.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_crate_depends_only_on_what_the_design_allows() {
    for entry in fs::read_dir(crates()).expect("crates") {
        let name = entry.expect("an entry").file_name().into_string().expect("a plain name");
        let (_, allowed) =
            ARROWS.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("{name} is new here"));
        let manifest = fs::read_to_string(crates().join(&name).join("Cargo.toml")).expect("a manifest");
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        for line in dependencies.lines().filter_map(|l| l.strip_prefix("cairn-")) {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(allowed.contains(&used), "{name} must not depend on {used}");
        }
    }
}

#[test]
fn expressions_tree_and_search_have_no_io_and_no_clock() {
    for name in ["expr", "tree", "search", "mutate", "learn", "report"] {
        for path in sources(&crates().join(name).join("src")).into_iter().filter(|p| !p.ends_with(READER)) {
            let code = code(&path);
            for word in OUTSIDE_WORLD {
                assert!(!code.contains(word), "{} uses {word}", path.display());
            }
        }
    }
}

#[test]
fn unsafe_code_stays_where_it_belongs() {
    let allowed = |path: &Path| UNSAFE.iter().any(|place| path.starts_with(crates().join(place)));
    for path in sources(&crates()).into_iter().filter(|p| !allowed(p) && !p.ends_with("architecture.rs")) {
        assert!(!code(&path).contains("unsafe "), "{} has unsafe code", path.display());
    }
}
