//! Campaigns whose time, memory or disk comes to an end.

use crate::common::{CommandOutput, build_instrumented, cairn, output_of, run, write_source};
use crate::example::Example;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Queries that take every solver longer than the time limits of these tests.
const HARD: &str = r#"
    #include <stdint.h>
    #include <stdio.h>
    static uint64_t mix(uint64_t x, uint64_t y)
    {
        for (int i = 0; i < 3; i++) x = (x ^ x >> 29) * (y | 1), y = (y ^ y >> 31) * (x | 1);
        return x ^ y;
    }
    int main(void)
    {
        uint64_t n[2] = {0};
        if (fread(n, 8, 2, stdin) != 2) return 1;
        if (mix(n[0], n[1]) != 0x2f6e2b1a5d3c4b97ull) return 0;
        if (mix(n[1], n[0]) == 0x8d3c1f4e6b5a7921ull) puts("never");
        return 3;
    }
"#;

/// Two seconds, and as much again for a machine that has more to do.
const SLACK: Duration = Duration::from_secs(4);

/// A program that never ends on most input.
const HANGS: &str = r#"
    #include <stdio.h>
    int main(void) { int c = getchar(); if (c == 'x') return 0; for (volatile int i = 0;; i++) ; }
"#;

/// A sum of more bytes than enumeration tries the values of.
const LONG: &str = r#"
    #include <stdio.h>
    int main(void)
    {
        unsigned sum = 0;
        for (int c; (c = getchar()) != EOF;) sum = sum * 31 + c;
        if (sum == 0x12345) puts("found");
        return 0;
    }
"#;

/// Millions of decisions in one run, each about what all before it computed.
const LOOPS: &str = r#"
    #include <stdio.h>
    int main(void)
    {
        unsigned x = getchar(), y = 0;
        for (unsigned i = 0; i < LOOPS; i++) {
            y = y * x + i;
            if (y == 12345) puts("found");
        }
        return 0;
    }
"#;

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn time_is_kept_whatever_the_solver_and_the_program_do() {
    let place = tempfile::tempdir().unwrap();
    let options =
        |solver: &'static str, timeout: &'static str| ["--solver-timeout", solver, "--timeout", timeout];
    for (name, source, input, limits, timeout) in [
        ("hard", HARD, "16", options("60000", "500"), 500),
        ("hangs", HANGS, "16", options("1000", "6000"), 6000),
        ("long", LONG, "16384", options("1000", "2000"), 2000),
        ("loops", &LOOPS.replace("LOOPS", "20000000"), "4", options("1000", "3000"), 3000),
        // Few enough for queries about them.
        ("loop", &LOOPS.replace("LOOPS", "300000"), "4", options("1000", "3000"), 3000),
    ] {
        let source = write_source(place.path(), &format!("{name}.c"), source);
        let program = place.path().join(name);
        build_instrumented(&source, &program);
        let (out, begun) = (text(&place.path().join(name)) + "-out", Instant::now());
        let mut args = vec!["run", "-q", "--time", "2s", "--sym-stdin", input, "--out", &out];
        args.extend(limits);
        let program = text(&program);
        let result = run(args.iter().chain([&program.as_str()]));
        let (took, most) = (begun.elapsed(), Duration::from_millis(2000 + timeout) + SLACK);
        assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
        assert!(took < most, "{name} took {took:?}, and not {most:?}");
        assert!(result.stdout.contains("time budget used up"), "{result:?}");
    }
}

#[test]
fn memory_that_is_used_up_ends_a_campaign_that_can_go_on() {
    let place = tempfile::tempdir().unwrap();
    let example = Example::named("lists");
    let program = place.path().join("program");
    build_instrumented(&example.source, &program);
    let out = place.path().join("out");
    let explore = |options: &[&str]| {
        let mut command = cairn();
        command.args(["run", "-q", "--strategy", "random-input", "--out"]).arg(&out).args(options);
        output_of(command.args(example.options()).arg(&program))
    };
    let ended = explore(&["--driver-memory", "64M", "--execs", "200000"]);
    assert!(matches!(ended.code, Some(0 | 1)), "{ended:?}");
    assert!(ended.stdout.contains("memory budget used up (see --driver-memory)"), "{ended:?}");
    let runs = |result: &CommandOutput| {
        let words: Vec<&str> = result.stdout.split(' ').collect();
        let at = words.iter().position(|word| word.starts_with("execution")).unwrap();
        words[at - 1].replace(',', "").parse::<u64>().unwrap()
    };
    let more = (runs(&ended) + 50).to_string();
    let again = explore(&["--resume", "--execs", &more]);
    assert_eq!(runs(&again).to_string(), more, "{again:?}");
}

/// A script that runs `cairn` in a directory on a small disk of its own; nothing if the system does not let us.
fn on_a_small_disk(script: &str, arguments: &[PathBuf]) -> Option<CommandOutput> {
    let mut shell = Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    let can = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
        .stderr(Stdio::null())
        .status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("no disk of one's own can be had here: nothing was tested");
        return None;
    }
    let cairn = cairn();
    let envs = cairn.get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned()));
    shell.envs(envs).arg(script).arg(cairn.get_program()).args(arguments);
    Some(output_of(&mut shell))
}

#[test]
fn a_full_disk_and_a_read_only_one_end_a_campaign_that_can_go_on() {
    let place = tempfile::tempdir().unwrap();
    let example = Example::named("calculator");
    let (program, disk) = (place.path().join("program"), place.path().join("disk"));
    build_instrumented(&example.source, &program);
    std::fs::create_dir(&disk).unwrap();
    // Room for what a campaign begins with and for a few tests, then for more. After a build in the sandbox the disk
    // was seen busy for half a second, although no process was found that uses it; the cause is not known.
    let script = r#"
        cairn=$0 program=$1
        explore() { "$cairn" run -q --seed 1 --execs 400 --sym-stdin 5 --out "$@" "$program" > /dev/null; echo "code $?"; }
        mount -t tmpfs -o size=56k none "$2" && cd "$2" || exit 9
        explore out
        tries=50
        until mount -o remount,ro,size=8m "$2" 2> /dev/null || [ $((tries -= 1)) = 0 ]; do sleep 0.1; done
        explore out --resume
        mount -o remount,rw,size=8m "$2"
        explore out --resume
        explore whole
        diff -r out/queue whole/queue && echo same
    "#;
    let Some(result) = on_a_small_disk(script, &[program, disk]) else { return };
    assert_eq!(result.stdout, "code 2\ncode 2\ncode 0\ncode 0\nsame\n", "{result:?}");
    let full =
        "No space left on device (os error 28): when that is fixed, resume the campaign in out with --resume";
    assert!(result.stderr.contains(full) && result.stderr.contains("Read-only file system"), "{result:?}");
    assert_eq!(result.stderr.lines().count(), 2, "{result:?}");
}

#[test]
fn a_directory_that_vanishes_ends_the_campaign() {
    let place = tempfile::tempdir().unwrap();
    let example = Example::named("vm");
    let (program, out) = (place.path().join("program"), place.path().join("out"));
    build_instrumented(&example.source, &program);
    let mut command = cairn();
    command.args(["run", "-q", "--time", "60s", "--out"]).arg(&out).args(example.options());
    command.arg(&program).arg("--").args(example.args());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !out.join("fuzzer_stats").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::remove_dir_all(&out).or_else(|_| std::fs::remove_dir_all(&out)).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.starts_with("cairn: cannot write ") && told.lines().count() == 1, "{told}");
}

/// Any of many bytes sends the program into the same endless loop, and one into a long computation.
const ONE_LOOP: &str = r#"
    #include <stdio.h>
    int main(void)
    {
        unsigned char bytes[12];
        volatile unsigned long sum = 0;
        if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes) return 2;
        if (bytes[0] == 'l') {
            for (unsigned long i = 0; i < 20000000; i++) sum += i;
            if (bytes[1] == 'm') return 4;
        }
        for (int i = 1; i < 12; i++)
            for (int turn = 0; bytes[i] == 'h'; turn++) sum += turn;
        return sum == 3;
    }
"#;

/// The loop costs `--timeout` once, twice with the run that is not traced, and not for each of its inputs. The
/// long computation ends within that time, so it is no hang.
#[test]
fn a_known_hang_is_not_paid_for_again() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("program");
    build_instrumented(&write_source(place.path(), "program.c", ONE_LOOP), &program);
    let (out, program) = (text(&place.path().join("out")), text(&program));
    let explore = |options: &[&str]| {
        let usual = ["run", "--json", "--sym-stdin", "12", "--timeout", "4000", "--out", &out];
        let begun = Instant::now();
        let said = run(usual.iter().chain(options).chain([&program.as_str()]));
        let summary: serde_json::Value =
            serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
        (summary, begun.elapsed(), said)
    };
    let (summary, took, said) = explore(&["--fixed-length"]);
    assert_eq!((&summary["hangs"], &summary["divergences"]), (&1.into(), &0.into()), "{said:?}");
    let stopped = summary["gaps"]["limit"].as_u64().unwrap();
    assert!(stopped >= 8 && summary["exhausted"] == false, "{said:?}");
    // Eight hangs would take 64 seconds.
    assert!(took < Duration::from_secs(40), "{took:?}");
    assert_eq!(summary["branches_covered"], 11, "all but a short read: {said:?}");
    let executions = (summary["executions"].as_u64().unwrap() + 5).to_string();
    let (resumed, ..) = explore(&["--fixed-length", "--resume", "--execs", &executions]);
    for figure in ["tests", "hangs", "divergences"] {
        assert_eq!(summary[figure], resumed[figure], "{figure}");
    }
    // Further runs may be stopped, too.
    let limit = resumed["gaps"]["limit"].as_u64().unwrap();
    assert!(limit >= stopped, "{resumed}");
}
