//! Whatever the user gets wrong is told in one sentence, with exit code 2.

use crate::common::{CommandOutput, cairn, output_of, root, run, write_source};
use std::path::Path;

/// The one line that `cairn` said before it gave up.
fn complaint(result: &CommandOutput) -> &str {
    assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""), "{result:?}");
    let lines: Vec<&str> = result.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{result:?}");
    lines[0].strip_prefix("cairn: ").unwrap_or_else(|| panic!("{result:?}"))
}

#[test]
fn bad_usage_is_reported_in_one_sentence() {
    let source = root().join("examples/triangle.c");
    let source = source.to_str().unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["run"], "required arguments were not provided"),
        (&["fly"], "unrecognized subcommand 'fly'"),
        (&["run", "--fly", source], "unexpected argument '--fly'"),
        (&["run", "--execs", "0", source], "it must be at least 1"),
        (&["run", "--execs", "many", source], "it must be a whole number"),
        (&["run", "--time", "soon", source], "a time is a number and s, m or h"),
        (&["run", "--time", "0s", source], "a time of zero"),
        (&["run", "--timeout", "0", source], "it must be at least 1"),
        (&["run", "--sym-stdin", "0", source], "a length is a number from 1 to 1048576"),
        (&["run", "--sym-args", "3", "2", "4", source], "--sym-args 3 2 4: MIN is more than MAX"),
        (&["run", "--sym-args", "0", "0", "4", source], "MAX is a number from 1 to 255"),
        (&["run", "--sym-args", "0", "2", "0", source], "a length is a number from 1 to"),
        (&["run", "--sym-args", "0", "2", source], "invalid value"),
        (&["run", "--sym-file", "a", source], "a symbolic file is LEN or NAME LEN"),
        (&["run", "--sym-file", "a", "4", "--sym-file", "a=5", source], "--sym-file a is given twice"),
        (
            &["run", "--strategy", "clairvoyant", source],
            "there is no strategy `clairvoyant`; there are: auto",
        ),
        (&["run", "--strategy", "dfs:deep", source], "dfs:deep"),
        (&["run", "/no/such/program"], "no such file: /no/such/program"),
        (&["run", "/no/such/file.c"], "no such file: /no/such/file.c"),
        (&["run", "/etc/passwd"], "/etc/passwd is text: source is known by the end of its name"),
        (&["run", "/"], "/ is a directory: name the program in it"),
        (&["run", "/bin/true"], "/bin/true was not built with `cairn cc`"),
        (&["run", "/bin/true", "/bin/false"], "give one program"),
        (&["run", "/bin/true", source], "give one program"),
        (&["run", "--out", "/dev/null/out", source], "/dev/null/out"),
        (&["run", "--out", "/proc/out", source], "cannot make the directory /proc/out"),
        (&["run", "--out", "/dev/null", source], "cannot write to /dev/null"),
        (&["run", "--out", "/usr", source], "/usr is not a campaign directory"),
        (&["solve"], "required arguments were not provided"),
        (&["solve", "/no/such.smt2"], "cannot read /no/such.smt2"),
        (&["solve", "/proc/self/fd"], "there is no .smt2 file in /proc/self/fd"),
        (&["solve", "--timeout", "0", source], "it must be a number of seconds"),
        (&["solve", source], "a command should be here"),
        (&["run", "--sync", "/tmp", "--name", "a/b", source], "a name has up to 32 letters"),
        (&["run", "--sync", "/tmp", "--out", "x", source], "cannot be used with"),
        (&["run", "--sync", "others", source], "--sync exchanges raw bytes: make one stream symbolic"),
        (&["run", "--sync", "others", "--sym-stdin", "4", "--sym-arg", "4", source], "and nothing else"),
        (
            &["export", "/no/such", "--format", "tap", "--out", "x"],
            "invalid value 'tap' for '--format <FORMAT>' [possible values: ktest, libfuzzer, testcomp, dict]",
        ),
        (&["export", "/no/such", "--format", "ktest", "--out", "x"], "cannot read /no/such"),
        (
            &["export", "/proc/self/task", "--format", "ktest", "--out", "x"],
            "there is no test in /proc/self/task",
        ),
        (&["cmin", "/no/such", "/bin/true"], "cannot read /no/such"),
        (&["cmin", "/proc/self/task", "/bin/true"], "there is no test in /proc/self/task"),
        (&["replay", "/bin/true"], "required arguments were not provided"),
        (&["replay", "/bin/true", "/no/such/test"], "cannot read /no/such/test"),
        (&["replay", "/no/such/program", "/etc/passwd"], "no such file: /no/such/program"),
    ];
    for (args, expected) in cases {
        // Each in a place of its own: the default campaign directory is in the working directory.
        let place = tempfile::tempdir().unwrap();
        let result = output_of(cairn().args(*args).current_dir(&place));
        assert!(complaint(&result).contains(expected), "{args:?}: {result:?}");
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0, "{args:?} left something behind");
    }
}

#[test]
fn symbolic_files_need_a_way_to_the_program() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "p.c", "int main(void) { return 0; }");
    let out = place.path().join("out");
    let try_with = |options: &[&str]| {
        let mut command = cairn();
        command.args(["run", "--out"]).arg(&out).arg(&source).args(options);
        output_of(&mut command)
    };
    assert!(complaint(&try_with(&["--sym-file", "4"])).contains("--sym-file 4 needs @@"));
    assert!(complaint(&try_with(&["--", "@@"])).contains("no --sym-file LEN"));
    assert!(complaint(&try_with(&["--sym-file", "../b=4"])).contains("`../b` is not the name of a file"));
    let two = try_with(&["--sym-file", "4", "--sym-file", "5", "--", "@@"]);
    assert!(complaint(&two).contains("--sym-file 5 needs one more @@"));
    assert!(!out.exists());
}

#[test]
fn a_syntax_error_is_shown_as_clang_shows_it() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "bad.c", "int main(void) { return 0 }\n");
    let out = place.path().join("out");
    let result = run(["run".as_ref(), "--out".as_ref(), out.as_os_str(), source.as_os_str()]);
    assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""), "{result:?}");
    assert!(result.stderr.contains("bad.c:1:26: error: expected ';'"), "{result:?}");
    let last = result.stderr.lines().last().unwrap();
    assert_eq!(last, format!("cairn: cannot compile {}", source.display()));
    assert!(!out.exists(), "nothing is left behind");
}

#[test]
fn other_peoples_directories_are_left_alone() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("thesis.tex"), "years of work").unwrap();
    let source = root().join("examples/triangle.c");
    let result = run([
        "run".as_ref(),
        "--force".as_ref(),
        "--out".as_ref(),
        place.path().as_os_str(),
        source.as_os_str(),
    ]);
    assert!(complaint(&result).contains("it has thesis.tex in it"), "{result:?}");
    let left: Vec<_> = std::fs::read_dir(&place).unwrap().collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn seeds_must_be_there() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "p.c", "int main(void) { return 0; }");
    let empty = tempfile::tempdir().unwrap();
    let with_seeds = |seeds: &Path| {
        let mut command = cairn();
        command.args(["run", "--sym-stdin", "4", "--out"]).arg(place.path().join("out"));
        output_of(command.arg("--seeds").arg(seeds).arg(&source))
    };
    assert!(complaint(&with_seeds(empty.path())).contains("there is no input in"));
    assert!(complaint(&with_seeds(Path::new("/no/such/seeds"))).contains("cannot read /no/such/seeds"));
}

#[test]
fn a_missing_tool_is_named() {
    let source = root().join("examples/triangle.c");
    let place = tempfile::tempdir().unwrap();
    for (variable, value, expected) in [
        ("CAIRN_LIB_DIR", "/no/such", "CAIRN_LIB_DIR is set, but /no/such has no libcairn_runtime.a"),
        ("CAIRN_INCLUDE_DIR", "/no/such", "CAIRN_INCLUDE_DIR is set, but /no/such has no cairn.h"),
        ("CAIRN_CLANG", "/bin/true", "CAIRN_CLANG is /bin/true, which is no clang"),
    ] {
        let mut command = cairn();
        command.env(variable, value).arg("run").arg(&source).current_dir(&place);
        assert!(complaint(&output_of(&mut command)).contains(expected), "{variable}");
    }
}

/// The reader may be gone by then, as in `cairn run … 2>&1 | head -2`.
#[test]
fn a_complaint_needs_no_reader() {
    let cases: [(&[&str], i32); 3] = [
        (&["run", "/no/such/file.c"], 2),
        (&["run", "--fly"], 2),
        // With a warning.
        (&["cc", "-fsanitize=address", "-c", "-x", "c", "/dev/null", "-o", "/dev/null"], 0),
    ];
    for (args, code) in cases {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = cairn().args(args).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}: {status}");
    }
}
