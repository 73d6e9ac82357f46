//! A user's session: compile, run, interrupt, replay, run again.

use crate::common::{build_instrumented, build_plain, cairn, output_of, root, run, write_source};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LOGIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char word[8] = "";
    if (!fgets(word, sizeof word, stdin)) return 1;
    if (word[0] == 'k' && word[1] == 'e' && word[2] == 'y') { puts("in"); fflush(stdout); abort(); }
    puts("out");
    return 3;
}
"#;

/// A path in a directory, as text.
fn at(directory: &Path, name: &str) -> String {
    directory.join(name).display().to_string()
}

fn only_file(directory: &Path) -> PathBuf {
    let files = files(directory);
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).collect()
}

#[test]
fn from_a_c_file_to_a_crash_that_replays() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "login.c", LOGIN);
    let out = place.path().join("out");
    let explored =
        run(["run", "--sym-stdin", "4", "--out", &at(place.path(), "out"), source.to_str().unwrap()]);
    assert_eq!(explored.code, Some(1), "{explored:?}");
    assert!(explored.stdout.contains("1 crash; reproduce the first, abort in main ("), "{explored:?}");
    let crash = only_file(&out.join("crashes"));
    assert_eq!(std::fs::read(&crash).unwrap()[..3], *b"key");

    // The command that the summary names, and a plain build.
    let command = explored.stdout.split("with: cairn replay ").nth(1).unwrap().lines().next().unwrap();
    let replayed = run(["replay"].into_iter().chain(command.split(' ')));
    assert_eq!((replayed.code, replayed.stdout.as_str()), (Some(1), "in\n"), "{replayed:?}");
    let plain = place.path().join("plain");
    build_plain(&source, &plain);
    let replayed = run(["replay".as_ref(), plain.as_os_str(), crash.as_os_str()]);
    assert_eq!((replayed.code, replayed.stdout.as_str()), (Some(1), "in\n"), "{replayed:?}");
    assert!(replayed.stderr.ends_with("plain: killed by SIGABRT\n"), "{replayed:?}");

    let harmless = write_source(place.path(), "harmless", "word");
    let replayed = run(["replay".as_ref(), plain.as_os_str(), harmless.as_os_str()]);
    assert_eq!((replayed.code, replayed.stdout.as_str()), (Some(0), "out\n"), "{replayed:?}");
}

#[test]
fn a_crash_in_named_objects_replays_on_a_plain_build() {
    let place = tempfile::tempdir().unwrap();
    let source = root().join("examples/triangle.c");
    let explored =
        run(["run", "-q", "--strategy", "dfs", "--out", &at(place.path(), "out"), source.to_str().unwrap()]);
    assert_eq!(explored.code, Some(1), "{explored:?}");
    let crash = files(&place.path().join("out/crashes"))[0].clone();
    let plain = place.path().join("plain");
    build_plain(&source, &plain);
    for program in [plain, place.path().join("out/cairn-build/triangle")] {
        let replayed = run(["replay".as_ref(), program.as_os_str(), crash.as_os_str()]);
        assert_eq!(replayed.code, Some(1), "{replayed:?}");
        assert!(replayed.stderr.ends_with(": killed by SIGABRT\n"), "{replayed:?}");
    }
}

#[test]
fn a_named_file_is_found_by_the_program() {
    let text = r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) { FILE *f = fopen("level.cfg", "r"); if (!f) return 9; if (fgetc(f) == '7') abort(); return 0; }
    "#;
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "game.c", text);
    let out = place.path().join("out");
    let explored = run([
        "run",
        "-q",
        "--sym-file",
        "level.cfg=2",
        "--out",
        &at(place.path(), "out"),
        source.to_str().unwrap(),
    ]);
    assert_eq!(explored.code, Some(1), "{explored:?}");
    let crash = only_file(&out.join("crashes"));
    assert_eq!(std::fs::read(&crash).unwrap()[..1], *b"7");
    let command = explored.stdout.split("with: cairn replay ").nth(1).unwrap().lines().next().unwrap();
    assert_eq!(run(["replay"].into_iter().chain(command.split(' '))).code, Some(1), "{command}");
}

#[test]
fn json_is_one_object_with_the_promised_fields() {
    let place = tempfile::tempdir().unwrap();
    let source = root().join("examples/triangle.c");
    let result =
        run(["run", "--json", "--execs", "5", "--out", &at(place.path(), "out"), source.to_str().unwrap()]);
    assert_eq!(result.stdout.lines().count(), 1);
    let summary: Value = serde_json::from_str(&result.stdout).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut expected = vec![
        "executions",
        "elapsed_seconds",
        "branches_total",
        "branches_covered",
        "tests",
        "crashes",
        "cut_runs",
        "reused_runs",
        "hangs",
        "findings",
        "most_labels",
        "untried",
        "divergence_causes",
        "divergences",
        "divergences_after_losses",
        "choosing_seconds",
        "choosing_share",
        "driver_bytes",
        "mutation_gains",
        "mutation_runs",
        "optimistic_gains",
        "optimistic_runs",
        "paths",
        "paths_checked",
        "pin_tries",
        "full_logs",
        "missing_logs",
        "tree_bytes",
        "strategy",
        "seed",
        "exhausted",
        "gaps",
        "solver",
    ];
    expected.sort_unstable();
    assert_eq!(keys(&summary), expected);
    let mut expected = vec![
        "queries",
        "sat",
        "unsat",
        "unknown",
        "cached",
        "walk",
        "smt",
        "seconds",
        "in_vain",
        "layers",
        "evaluations",
    ];
    expected.sort_unstable();
    assert_eq!(keys(&summary["solver"]), expected);
    for layer in keys(&summary["solver"]["layers"]) {
        assert_eq!(
            keys(&summary["solver"]["layers"][&layer]),
            ["asked", "in_vain", "sat", "seconds", "unknown", "unsat"]
        );
    }
    assert_eq!(summary["executions"], 5);
}

#[test]
fn a_campaign_is_not_overwritten_unless_asked() {
    let place = tempfile::tempdir().unwrap();
    let source = root().join("examples/triangle.c");
    let again = |more: &[&str]| {
        let mut command = cairn();
        command.args(["run", "-q", "--execs", "3", "--out", &at(place.path(), "out")]).args(more);
        output_of(command.arg(&source))
    };
    assert_eq!(again(&[]).code, Some(0));
    let refused = again(&[]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("holds a campaign already"), "{refused:?}");
    assert_eq!(again(&["--force"]).code, Some(0));
}

#[test]
fn a_program_without_symbolic_input_gets_a_hint() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "login.c", LOGIN);
    let result = run(["run", "--out", &at(place.path(), "out"), source.to_str().unwrap()]);
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(result.stdout.contains("try --sym-stdin 16"), "{result:?}");
}

#[test]
fn seeds_are_where_a_campaign_starts() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "login.c", LOGIN);
    let seeds = place.path().join("seeds");
    std::fs::create_dir(&seeds).unwrap();
    std::fs::write(seeds.join("one"), "key!").unwrap();
    let mut command = cairn();
    command.args([
        "run",
        "-q",
        "--execs",
        "1",
        "--sym-stdin",
        "4",
        "--out",
        &at(place.path(), "out"),
        "--seeds",
    ]);
    let fits = output_of(command.arg(&seeds).arg(&source));
    assert_eq!((fits.code, fits.stderr.as_str()), (Some(1), ""));
    let mut command = cairn();
    command.args(["run", "-q", "--execs", "1", "--sym-arg", "4", "--sym-file", "a", "4", "--out"]);
    let other = at(place.path(), "other");
    std::fs::write(seeds.join("one"), ktest_of_standard_input()).unwrap();
    let misfit = output_of(command.args([&other, "--seeds"]).arg(&seeds).arg(&source));
    assert!(misfit.stderr.contains("warning: 1 of 1 seeds have other parts"), "{misfit:?}");
}

fn ktest_of_standard_input() -> Vec<u8> {
    let input = cairn_exec::Input {
        objects: vec![cairn_exec::Object::stdin("key!"), cairn_exec::Object::arg(1, "x")],
    };
    cairn_campaign::encode_test(&input, &[]).0
}

#[test]
fn a_hang_is_a_finding() {
    let text = "#include <stdio.h>\nint main(void) { if (getchar() == 'q') for (;;) ; return 0; }";
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "loop.c", text);
    let out = at(place.path(), "out");
    let result =
        run(["run", "--sym-stdin", "1", "--timeout", "200", "--out", &out, source.to_str().unwrap()]);
    assert_eq!(result.code, Some(1), "{result:?}");
    assert!(result.stdout.contains("1 hang; reproduce the first with: cairn replay "), "{result:?}");
    assert_eq!(std::fs::read(only_file(&place.path().join("out/hangs"))).unwrap(), b"q");
}

#[test]
fn an_interrupt_ends_the_campaign_with_its_summary() {
    let text = r#"
        #include <stdio.h>
        int main(void) { int c, n = 0; while ((c = getchar()) != EOF) if (c > 64) n++; return n & 1; }
    "#;
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "many.c", text);
    let program = place.path().join("many");
    build_instrumented(&source, &program);
    let out = place.path().join("out");
    let mut command = cairn();
    command.args(["run", "-q", "--sym-stdin", "64", "--out"]).arg(&out).arg(&program);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    wait_for(&out.join("fuzzer_stats"));
    std::thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let code = end_within(&mut child, Duration::from_secs(10));
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(code, Some(0), "none means that it did not end");
    assert!(text.contains(": interrupted"), "{text}");
}

/// The exit code, if the child ends by itself in time.
fn end_within(child: &mut Child, time: Duration) -> Option<i32> {
    let deadline = Instant::now() + time;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

fn wait_for(path: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !path.exists() {
        assert!(Instant::now() < deadline, "{} never appeared", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_link_called_cairn_cc_is_a_compiler() {
    let place = tempfile::tempdir().unwrap();
    let link = place.path().join("cairn-cc");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cairn"), &link).unwrap();
    let mut command = Command::new(link);
    command.envs(cairn().get_envs().filter_map(|(k, v)| Some((k, v?))));
    let result = output_of(command.arg("--version"));
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(result.stdout.contains("clang version 19"), "{result:?}");
}

#[test]
fn help_goes_to_standard_output() {
    for args in [&["--help"][..], &["run", "--help"], &["replay", "--help"]] {
        let result = run(args);
        assert_eq!((result.code, result.stderr.as_str()), (Some(0), ""));
        assert!(result.stdout.contains("Usage: cairn"));
    }
    assert!(run(["run", "--help"]).stdout.contains("random-branch"));
    assert!(run(["--version"]).stdout.starts_with("cairn "));
}

const WORDS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    FILE *names = fopen("names", "r"), *numbers = fopen("numbers", "r");
    if (argc == 4 && strcmp(argv[3], "go") == 0 && fgetc(names) == 'n' && fgetc(names) == EOF
        && fgetc(numbers) == '1') {
        printf("%d %s\n", argc, argv[argc - 1]);
        fflush(stdout);
        abort();
    }
    return 0;
}
"#;

/// The number of arguments and the lengths of two files are part of a test.
#[test]
fn a_test_of_several_parts_replays_on_both_builds() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "words.c", WORDS);
    let out = at(place.path(), "out");
    let explored = run([
        "run",
        "-q",
        "--execs",
        "400",
        "--strategy",
        "dfs",
        "--sym-file",
        "names",
        "3",
        "--sym-file",
        "numbers",
        "2",
        "--sym-args",
        "0",
        "4",
        "2",
        "--out",
        &out,
        source.to_str().unwrap(),
        "--",
        "first",
    ]);
    assert_eq!(explored.code, Some(1), "{explored:?}");
    let crash = only_file(&place.path().join("out/crashes"));
    let plain = place.path().join("plain");
    build_plain(&source, &plain);
    for program in [plain, place.path().join("out/cairn-build/words")] {
        let mut command = cairn();
        let replayed = output_of(command.arg("replay").arg(program).arg(&crash).args(["--", "first"]));
        assert_eq!((replayed.code, replayed.stdout.as_str()), (Some(1), "4 go\n"), "{replayed:?}");
    }
}

/// A seed that is longer than what the command line allows is the new limit, and may become shorter.
#[test]
fn a_seed_may_have_any_length() {
    let text = r#"
        #include <stdio.h>
        int main(void) { int n = 0; while (getchar() != EOF) n++; if (n == 6) puts("6"); if (n == 1) puts("1"); return 0; }
    "#;
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "count.c", text);
    let seeds = place.path().join("seeds");
    std::fs::create_dir(&seeds).unwrap();
    std::fs::write(seeds.join("long"), "abcdefgh").unwrap();
    for (more, lengths) in [(&[][..], vec![1, 6, 8]), (&["--fixed-length"], vec![8])] {
        let mut command = cairn();
        command.args([
            "run",
            "-q",
            "--force",
            "--sym-stdin",
            "2",
            "--out",
            &at(place.path(), "out"),
            "--seeds",
        ]);
        assert_eq!(output_of(command.arg(&seeds).args(more).arg(&source)).code, Some(0));
        let kept = std::fs::read_dir(place.path().join("out/queue")).unwrap();
        let mut found: Vec<u64> = kept.map(|test| test.unwrap().metadata().unwrap().len()).collect();
        found.sort_unstable();
        assert_eq!(found, lengths, "{more:?}");
    }
}

const FILES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    FILE *a = fopen(argv[1], "r"), *b = fopen(argv[2], "r"), *c = fopen("data/two.bin", "r");
    if (argc == 3 && fgetc(a) == 'a' && fgetc(b) == 'b' && fgetc(c) == 'c')
        abort();
    return 0;
}
"#;

/// Each mark in the arguments is a file of its own, and a file may lie in a directory.
#[test]
fn several_files_are_named_by_arguments() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "files.c", FILES);
    let out = at(place.path(), "out");
    let files = ["--sym-file", "2", "--sym-file", "data/two.bin", "1", "--sym-file", "3"];
    let options = ["run", "-q", "--execs", "200", "--out", &out].into_iter().chain(files);
    let explored = run(options.chain([source.to_str().unwrap(), "--", "@@", "@@"]));
    assert_eq!(explored.code, Some(1), "{explored:?}");
    let crash = only_file(&place.path().join("out/crashes"));
    let plain = place.path().join("plain");
    build_plain(&source, &plain);
    for program in [plain, place.path().join("out/cairn-build/files")] {
        let mut command = cairn();
        let replayed = output_of(command.arg("replay").arg(program).arg(&crash).args(["--", "@@", "@@"]));
        assert_eq!(replayed.code, Some(1), "{replayed:?}");
    }
}

/// A crash that several inputs show, each on a branch of its own, is one.
#[test]
fn crashes_and_their_inputs_are_distinguished() {
    let text = r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main(void)
        {
            int c = getchar(), n = 0;
            if (c == 'a') n = 1;
            if (c == 'b') n = 2;
            if (n > 0) abort();
            return 0;
        }
    "#;
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "twice.c", text);
    let explored =
        run(["run", "-q", "--sym-stdin", "1", "--out", &at(place.path(), "out"), source.to_str().unwrap()]);
    assert_eq!(files(&place.path().join("out/crashes")).len(), 2);
    assert!(explored.stdout.contains("1 crash (2 inputs); reproduce the first"), "{explored:?}");
}
