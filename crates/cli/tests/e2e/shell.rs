//! Shells complete our words, and manual pages are well formed.

use crate::common::{cairn, output_of, root, run};
use std::path::Path;
use std::process::Command;

/// Returns the completions that a real bash offers for the last word.
fn completed(script: &Path, words: &[&str]) -> Vec<String> {
    let text = format!(
        "source {}; COMP_WORDS=({}); COMP_CWORD={}; _cairn cairn {} {}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        words.join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    // Interactive: that is the bash which has completion built in and switched on.
    let result = output_of(Command::new("bash").args(["--norc", "-ic", &text]));
    assert_eq!(result.code, Some(0), "{result:?}");
    result.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_strategies() {
    let place = tempfile::tempdir().unwrap();
    let script = place.path().join("cairn");
    let printed = run(["completions", "bash"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
    std::fs::write(&script, printed.stdout).unwrap();
    assert_eq!(completed(&script, &["cairn", "comp"]), ["compare", "completions"]);
    assert_eq!(completed(&script, &["cairn", "run", "--str"]), ["--strategy"]);
    let strategies = completed(&script, &["cairn", "run", "--strategy", "c"]);
    assert!(["cfg", "cgs"].iter().all(|name| strategies.contains(&(*name).to_owned())), "{strategies:?}");
}

#[test]
fn there_are_completions_for_other_shells() {
    for (shell, word) in [
        ("zsh", "#compdef cairn"),
        ("fish", "complete -c cairn"),
        ("elvish", "edit:"),
        ("powershell", "Register-"),
    ] {
        let printed = run(["completions", shell]);
        assert!(printed.code == Some(0) && printed.stdout.contains(word), "{shell}");
        assert!(printed.stdout.contains("strategy"), "{shell}");
    }
    let unknown = run(["completions", "tcsh"]);
    assert_eq!((unknown.code, unknown.stderr.lines().count()), (Some(2), 1), "{unknown:?}");
}

#[test]
fn manual_pages_are_read_without_a_warning() {
    let place = tempfile::tempdir().unwrap();
    let written = output_of(cairn().args(["man", "--out"]).arg(place.path()));
    assert_eq!((written.code, written.stderr.as_str()), (Some(0), ""));
    let pages: Vec<_> = std::fs::read_dir(place.path()).unwrap().map(|page| page.unwrap().path()).collect();
    assert!(pages.contains(&place.path().join("cairn-run.1")), "{pages:?}");
    for page in pages {
        let read = output_of(Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(&page));
        assert_eq!((read.code, read.stderr.as_str()), (Some(0), ""), "{}", page.display());
        // Bold is printed twice.
        assert!(read.stdout.replace('\x08', "").contains("SSYYNNOOPPSSIISS"), "{}", page.display());
    }
    let printed = run(["man"]).stdout;
    assert_eq!(printed, std::fs::read_to_string(place.path().join("cairn.1")).unwrap());
}

#[test]
fn installing_and_uninstalling_leave_nothing_behind() {
    let place = tempfile::tempdir().unwrap();
    let make = |goal: &str| {
        let mut make = Command::new("make");
        // What is built is built: the tests run on it.
        make.current_dir(root()).args([goal, "-o", "build", "PREFIX=/usr", "--silent"]);
        output_of(make.arg(format!("DESTDIR={}", place.path().display())))
    };
    let installed = make("install");
    assert_eq!(installed.code, Some(0), "{installed:?}");
    for file in ["man/man1/cairn-run.1", "bash-completion/completions/cairn", "zsh/site-functions/_cairn"] {
        assert!(place.path().join("usr/share").join(file).exists(), "{file}");
    }
    assert_eq!(make("uninstall").code, Some(0));
    let left = output_of(Command::new("find").arg(place.path()).args(["-type", "f"]));
    assert_eq!(left.stdout, "");
}
