//! The how-tos of docs/, followed literally: their edits are applied to a copy of the workspace, which must compile.
//!
//! A how-to is prose with code blocks. A block is applied if the line before it says how:
//! "Create `path`:", "In `path`, after the line `text`, add:" or "In `path`, replace `text` with:".

use crate::common::{cairn, output_of, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The how-tos, in the order in which they are applied to one copy.
const HOWTOS: &[&str] = &[
    "new-strategy.md",
    "howto-solver-layer.md",
    "howto-output-format.md",
    "howto-library-model.md",
    "howto-operation.md",
    "howto-input-kind.md",
];

/// Parts of the workspace that compiling takes.
const COPIED: &[&str] =
    &["crates", "libc", "include", "docs", "Cargo.toml", "Cargo.lock", ".cargo", "rust-toolchain.toml"];

/// An edit that a how-to asks for.
#[derive(PartialEq, Eq, Debug)]
enum Edit {
    Create { path: String, text: String },
    InsertAfter { path: String, line: String, text: String },
    Replace { path: String, old: String, text: String },
}

impl Edit {
    /// Parses the line before a block; `None` if the block is only for reading.
    fn parse(line: &str, text: String) -> Option<Edit> {
        let mut quoted = line.split('`').skip(1).step_by(2).map(str::to_owned);
        let path = quoted.next()?;
        if line.starts_with("Create `") {
            return Some(Edit::Create { path, text });
        }
        if !line.starts_with("In `") {
            return None;
        }
        let anchor = quoted.next()?;
        if line.ends_with("with:") {
            return Some(Edit::Replace { path, old: anchor, text: text.trim_end().to_owned() });
        }
        line.ends_with("add:").then_some(Edit::InsertAfter { path, line: anchor, text })
    }

    fn apply(&self, workspace: &Path) {
        match self {
            Edit::Create { path, text } => {
                let path = workspace.join(path);
                assert!(!path.exists(), "{} exists already", path.display());
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Edit::InsertAfter { path, line, text } => {
                let old = read(workspace, path);
                let at = old.lines().position(|l| l.trim() == line.trim());
                let at = at.unwrap_or_else(|| panic!("{path} has no line `{line}`"));
                let mut lines: Vec<&str> = old.lines().collect();
                lines.splice(at + 1..at + 1, text.lines());
                fs::write(workspace.join(path), lines.join("\n") + "\n").unwrap();
            }
            Edit::Replace { path, old, text } => {
                let before = read(workspace, path);
                assert_eq!(before.matches(old.as_str()).count(), 1, "`{old}` must be in {path} once");
                fs::write(workspace.join(path), before.replace(old.as_str(), text)).unwrap();
            }
        }
    }
}

fn read(workspace: &Path, path: &str) -> String {
    fs::read_to_string(workspace.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the edits of a how-to, in order.
fn edits(page: &str) -> Vec<Edit> {
    let mut found = Vec::new();
    let (mut paragraph, mut is_over) = (String::new(), false);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            found.extend(Edit::parse(&paragraph, block.join("\n") + "\n"));
            paragraph.clear();
        } else if line.trim().is_empty() {
            is_over = true;
        } else {
            if is_over {
                paragraph.clear();
            }
            let separator = if paragraph.is_empty() { "" } else { " " };
            paragraph = format!("{paragraph}{separator}{line}");
            is_over = false;
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// Copies the workspace to a place that stays the same, so that repeated runs reuse what was compiled.
fn copy_of_workspace() -> PathBuf {
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("howtos");
    let _ = fs::remove_dir_all(&workspace);
    for part in COPIED {
        copy(&root().join(part), &workspace.join(part));
    }
    // Libraries that the build fetches, such as Z3.
    std::os::unix::fs::symlink(root().join(".deps").canonicalize().unwrap(), workspace.join(".deps"))
        .unwrap();
    workspace
}

#[test]
fn howtos_can_be_followed_literally() {
    let workspace = copy_of_workspace();
    for howto in HOWTOS {
        let edits = edits(&read(root(), &format!("docs/{howto}")));
        assert!(edits.len() >= 2, "{howto} has {} edits", edits.len());
        edits.iter().for_each(|edit| edit.apply(&workspace));
    }
    let target = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().unwrap().parent().unwrap();
    // In the background: other tests measure time meanwhile.
    let mut cargo = Command::new("nice");
    cargo.current_dir(&workspace).args([
        "-n",
        "19",
        env!("CARGO"),
        "check",
        "--jobs",
        "1",
        "--release",
        "--workspace",
        "--offline",
        "--quiet",
    ]);
    let told = output_of(cargo.arg("--target-dir").arg(target));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let model = workspace.join("libc/a64l.c");
    let told = output_of(
        cairn().args(["cc", "-O2", "-fno-builtin", "-Wall", "-Werror", "-c", "-o", "/dev/null"]).arg(model),
    );
    assert_eq!(told.code, Some(0), "{}", told.stderr);
}

#[test]
fn edits_of_a_howto_are_found() {
    let page = "Look:\n\n```\nonly text\n```\n\nFor it:\n\nCreate `a.rs`:\n\n```rust\nfn a() {}\n```\n\nIn `b.rs`, after the line\n\
                `mod b;`, add:\n\n```rust\nmod a;\n```\n\nIn `b.rs`, replace `one` with:\n\n```\ntwo\n```\n";
    let text = |text: &str| text.to_owned();
    let expected = [
        Edit::Create { path: text("a.rs"), text: text("fn a() {}\n") },
        Edit::InsertAfter { path: text("b.rs"), line: text("mod b;"), text: text("mod a;\n") },
        Edit::Replace { path: text("b.rs"), old: text("one"), text: text("two") },
    ];
    assert_eq!(edits(page), expected);
}
