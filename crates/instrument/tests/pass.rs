//! The pass on small modules: each `tests/pass/*.ll` is instrumented and compared with the expectations in it.
//!
//! Expectations are comments, a small part of LLVM's FileCheck:
//!
//! ```text
//! ; CHECK: text        some line after the previous match contains the text
//! ; CHECK-NEXT: text   the line right after the previous match contains it
//! ; CHECK-NOT: text    no line between the previous match and the next one contains it
//! ```
//!
//! Runs of blanks are equal, and `*` stands for any text within a line. `CAIRN_TEST_SHOW=1` prints the output.

use cairn_instrument::Pass;
use cairn_instrument::driver::Instrumenter;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass")
}

fn llvm(tool: &str, input: &Path, output: &Path) {
    let prefix = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-19".into());
    let tool = Path::new(&prefix).join("bin").join(tool);
    let status = Command::new(&tool).args([input, Path::new("-o"), output]).status();
    assert!(status.is_ok_and(|status| status.success()), "{} {}", tool.display(), input.display());
}

/// Returns the module after the pass, in LLVM's notation.
fn instrumented(source: &Path) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name);
    llvm("llvm-as", source, &path("plain.bc"));
    Pass::default().instrument(&path("plain.bc"), None, &path("traced.bc")).unwrap();
    llvm("llvm-dis", &path("traced.bc"), &path("traced.ll"));
    fs::read_to_string(path("traced.ll")).unwrap()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Check {
    Later,
    Next,
    Not,
}

/// Returns the expectations of a test.
fn expectations(source: &str) -> Vec<(Check, String)> {
    let kinds = [("; CHECK:", Check::Later), ("; CHECK-NEXT:", Check::Next), ("; CHECK-NOT:", Check::Not)];
    let expectation = |line: &str| {
        let (prefix, kind) = kinds.iter().find(|(prefix, _)| line.starts_with(prefix))?;
        Some((*kind, normalised(&line[prefix.len()..])))
    };
    source.lines().filter_map(expectation).collect()
}

fn normalised(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if a line contains the parts of a pattern between its `*`s, in order.
fn matches(line: &str, pattern: &str) -> bool {
    let mut rest = line;
    pattern.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Compares a module with expectations; the error names the first that fails.
fn check(module: &str, expectations: &[(Check, String)]) -> Result<(), String> {
    let lines: Vec<String> = module.lines().map(normalised).collect();
    let (mut at, mut forbidden) = (0, Vec::new());
    for (kind, pattern) in expectations {
        let end = match kind {
            Check::Not => {
                forbidden.push(pattern);
                continue;
            }
            Check::Next => lines.get(at).filter(|line| matches(line, pattern)).map(|_| at),
            Check::Later => (at..lines.len()).find(|index| matches(&lines[*index], pattern)),
        };
        let end = end.ok_or_else(|| format!("{kind:?} not found after line {at}: {pattern}"))?;
        reject(&lines[at..end], &mut forbidden)?;
        at = end + 1;
    }
    reject(&lines[at..], &mut forbidden)
}

fn reject(lines: &[String], forbidden: &mut Vec<&String>) -> Result<(), String> {
    let found = |pattern: &&String| lines.iter().any(|line| matches(line, pattern));
    match forbidden.drain(..).find(found) {
        Some(pattern) => Err(format!("found, and must not be: {pattern}")),
        None => Ok(()),
    }
}

fn run(name: &str) {
    let source = directory().join(format!("{name}.ll"));
    let expected = expectations(&fs::read_to_string(&source).unwrap());
    assert!(!expected.is_empty(), "{name} expects nothing");
    let module = instrumented(&source);
    if std::env::var_os("CAIRN_TEST_SHOW").is_some() {
        println!("{module}");
    }
    if let Err(error) = check(&module, &expected) {
        panic!("{name}: {error}\n{module}");
    }
}

macro_rules! tests {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            run(stringify!($name));
        })*

        #[test]
        fn every_module_has_a_test() {
            let entries = fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
            let files: BTreeSet<String> =
                entries.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
            assert_eq!(files, BTreeSet::from([$(stringify!($name).to_owned()),*]));
        }
    };
}

tests! {
    arithmetic
    load_store
    branch
    select
    switch
    call
    uninstrumented_call
    variadic_call
    atomic
    concrete
}

#[test]
fn expectations_can_fail() {
    let module = "define i32 @f() {\n  %x = add   i32 1, 2\n  ret i32 %x\n}\n";
    let verdict = |text: &str| check(module, &expectations(text)).is_ok();
    assert!(verdict("; CHECK: define *@f\n; CHECK-NEXT: add i32\n; CHECK-NOT: add\n; CHECK: ret"));
    for wrong in [
        "; CHECK: sub",
        "; CHECK: ret\n; CHECK: add",
        "; CHECK: define\n; CHECK-NEXT: ret",
        "; CHECK-NOT: add\n; CHECK: ret",
        "; CHECK: define\n; CHECK-NOT: ret",
        "; CHECK: f()*@",
    ] {
        assert!(!verdict(wrong), "{wrong}");
    }
}
