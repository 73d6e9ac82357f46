//! Files that `cairn run` accepts as a program, and its messages about all others.

use crate::common::{CommandOutput, cairn, output_of, root, write_source};
use std::fs;
use std::path::Path;
use std::process::Command;

fn run_in(place: &Path, args: &[&str]) -> CommandOutput {
    output_of(cairn().current_dir(place).args(["run", "--quiet", "--out", "out", "--force"]).args(args))
}

/// The one sentence with exit code 2.
fn refusal(place: &Path, args: &[&str]) -> String {
    let result = run_in(place, args);
    assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""), "{args:?}: {result:?}");
    assert_eq!(result.stderr.lines().count(), 1, "{args:?}: {result:?}");
    assert!(!place.join("out/queue").exists(), "{args:?}");
    result.stderr
}

fn clang(place: &Path, args: &[&str]) {
    let clang = std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into());
    let result = output_of(Command::new(clang).current_dir(place).args(args));
    assert_eq!(result.code, Some(0), "{args:?}: {result:?}");
}

const CLAMP: &str =
    "int clamp(int x, int lo, int hi) { if (x < lo) return lo; if (x > hi) return hi; return x; }\n";
const CHECK: &str =
    "#include <stdio.h>\nint main(void) { int c = getchar(); if (c == 'k') return 1; return 0; }\n";

#[test]
fn a_program_without_main_is_refused() {
    let place = tempfile::tempdir().unwrap();
    write_source(place.path(), "no_main.c", CLAMP);
    let result = refusal(place.path(), &["no_main.c"]);
    assert!(result.contains("has neither a main function nor LLVMFuzzerTestOneInput"), "{result}");
    let built = crate::common::run([
        "cc".as_ref(),
        place.path().join("no_main.c").as_os_str(),
        "-o".as_ref(),
        place.path().join("p").as_os_str(),
    ]);
    assert_eq!(built.code, Some(0), "{built:?}");
    for command in ["run", "doctor", "learn"] {
        let result = cairn_in(place.path(), &[command, "./p"]);
        assert_eq!(result.code, Some(2), "{command}: {result:?}");
        assert!(result.stderr.contains("neither a main function"), "{command}: {result:?}");
    }
    let fuzz = "#include <stddef.h>\n#include <stdint.h>\nint LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return n > 1 && d[0] == 7; }\n";
    write_source(place.path(), "fuzz.c", fuzz);
    assert_eq!(run_in(place.path(), &["--execs", "9", "fuzz.c"]).code, Some(0));
}

fn cairn_in(place: &Path, args: &[&str]) -> CommandOutput {
    output_of(cairn().current_dir(place).args(args))
}

#[test]
fn a_main_function_without_instrumentation_is_named() {
    let place = tempfile::tempdir().unwrap();
    write_source(place.path(), "clamp.c", CLAMP);
    write_source(
        place.path(),
        "main.c",
        "int clamp(int, int, int); int main(int c, char **v) { return clamp(c, 0, 1); }",
    );
    clang(place.path(), &["-c", "main.c", "-o", "main.o"]);
    let result = refusal(place.path(), &["clamp.c", "main.o"]);
    assert!(result.contains("the main function of") && result.contains("is not instrumented"), "{result}");
}

#[test]
fn preprocessed_files_and_ir_are_sources() {
    let place = tempfile::tempdir().unwrap();
    write_source(place.path(), "check.c", CHECK);
    clang(place.path(), &["-E", "check.c", "-o", "a.i"]);
    clang(place.path(), &["-E", "-x", "c++", "check.c", "-o", "b.ii"]);
    clang(place.path(), &["-g", "-S", "-emit-llvm", "check.c", "-o", "c.ll"]);
    clang(place.path(), &["-g", "-c", "-emit-llvm", "check.c", "-o", "d.bc"]);
    clang(place.path(), &["-O2", "-c", "-emit-llvm", "check.c", "-o", "e.bc"]);
    for file in ["a.i", "b.ii", "c.ll", "d.bc", "e.bc"] {
        let result = run_in(place.path(), &["--sym-stdin", "1", "--execs", "20", "--json", file]);
        assert_eq!(result.code, Some(0), "{file}: {result:?}");
        let summary: serde_json::Value = serde_json::from_str(&result.stdout).unwrap();
        let covered = summary["branches_covered"].as_u64().unwrap();
        assert_eq!(Some(covered), summary["branches_total"].as_u64(), "{file}: {result:?}");
        assert!(covered >= 2 || file == "e.bc", "{file}: {result:?}");
        let object = cairn_in(place.path(), &["cc", "-c", file, "-o", "x.o"]);
        assert_eq!(object.code, Some(0), "{file}: {object:?}");
    }
    let report = {
        run_in(place.path(), &["--sym-stdin", "1", "--execs", "20", "c.ll"]);
        cairn_in(place.path(), &["report", "out", "--format", "csv"])
    };
    assert!(report.stdout.contains("check.c"), "lines come from the debug information: {report:?}");
}

#[test]
fn what_is_no_program_is_named_for_what_it_is() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    write_source(here, "check.c", CHECK);
    write_source(here, "clamp.c", CLAMP);
    fs::write(here.join("script"), "#!/bin/sh\nexec ./prog\n").unwrap();
    fs::write(here.join("empty"), "").unwrap();
    fs::write(here.join("mach"), b"\xcf\xfa\xed\xfe\x07\0\0\x01").unwrap();
    fs::write(here.join("data"), b"\0\x01\x02\xff").unwrap();
    clang(here, &["-c", "clamp.c", "-o", "object"]);
    clang(here, &["-shared", "-fPIC", "clamp.c", "-o", "library"]);
    clang(here, &["check.c", "-o", "plain"]);
    clang(here, &["-c", "-emit-llvm", "clamp.c", "-o", "bitcode"]);
    clang(here, &["-m32", "-c", "clamp.c", "-o", "object32"]);
    assert!(
        Command::new("ar").current_dir(here).args(["rc", "archive", "object"]).status().unwrap().success()
    );
    assert!(Command::new("mkfifo").arg(here.join("pipe")).status().unwrap().success());
    for (file, what) in [
        ("script", "script is a shell script: name the program that it starts"),
        ("empty", "empty is empty"),
        ("mach", "mach is a Mach-O file"),
        ("data", "data is neither a program nor source"),
        ("object", "object is an object file: link it to a program with `cairn cc`"),
        ("library", "library is a shared library: name a program that loads it"),
        ("archive", "archive is an archive of object files: link it"),
        ("plain", "plain was not built with `cairn cc`"),
        ("bitcode", "bitcode is LLVM bitcode: give it a name that ends in .bc"),
        ("object32", "object32 is a 32-bit program"),
        (".", ". is a directory: name the program in it"),
        ("pipe", "cannot read pipe: it is a pipe, not a file"),
        ("/dev/zero", "cannot read /dev/zero: it is a device, not a file"),
    ] {
        let result = refusal(here, &[file]);
        assert!(result.starts_with(&format!("cairn: {what}")), "{file}: {result}");
    }
}

/// Whatever is read has a size that is still reasonable for it.
#[test]
fn files_that_are_too_large_are_refused_with_a_sentence() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    let large = |name: &str| fs::File::create(here.join(name)).unwrap().set_len(1 << 30).unwrap();
    let source = root().join("examples/triangle.c");
    let source = source.to_str().unwrap();
    ["large", "large.ktest", "large.smt2", "large.toml"].into_iter().for_each(large);
    fs::create_dir(here.join("seeds")).unwrap();
    fs::write(here.join("seeds/small"), "ab").unwrap();
    large("seeds/large");
    let cases: [(&[&str], &str); 7] = [
        (
            &["run", "--sym-stdin", "4", "--seeds", "large", source],
            "cannot read large: it has more than 16 MiB",
        ),
        (&["run", "--sym-stdin", "4", "--seeds", "large.ktest", source], "it has more than 16 MiB"),
        (&["run", "--strategy", "parametric:large.toml", source], "it has more than 1 MiB"),
        (&["explain", "large.toml"], "it has more than 1 MiB"),
        (&["solve", "large.smt2"], "it has more than 256 MiB"),
        (&["replay", "/bin/true", "large"], "it has more than 16 MiB"),
        (&["run", "--sym-stdin", "4", "--seeds", "/dev/zero", source], "it is a device, not a file"),
    ];
    for (args, what) in cases {
        let result = cairn_in(here, args);
        assert_eq!(result.code, Some(2), "{args:?}: {result:?}");
        assert!(result.stderr.contains(what) && result.stderr.lines().count() == 1, "{args:?}: {result:?}");
    }
    let result =
        cairn_in(here, &["run", "--quiet", "--sym-stdin", "4", "--execs", "9", "--seeds", "seeds", source]);
    assert!(result.stderr.contains("1 seed is left out, since they are too large"), "{result:?}");
    assert_ne!(result.code, Some(2), "{result:?}");
}
