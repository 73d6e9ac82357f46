//! `--time`, `--solver-timeout` and Ctrl-C are kept by programs that are expensive in each layer.

use crate::common::{build_instrumented, cairn, output_of, write_source};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time by which campaigns may exceed their budget.
const PROMISED: Duration = Duration::from_secs(2);
/// Time that campaigns are given.
const TIME: Duration = Duration::from_secs(2);

/// A program and the options that make it expensive.
struct Expensive {
    name: &'static str,
    source: String,
    options: &'static [&'static str],
}

const READ: &str = r#"
    #include <math.h>
    #include <signal.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    static unsigned char b[4096];
    static double number(int i) { double x; memcpy(&x, b + 8 * i, 8); return x; }
    static uint64_t word(int i) { uint64_t x; memcpy(&x, b + 8 * i, 8); return x; }
"#;

fn expensive(name: &'static str, options: &'static [&'static str], main: &str) -> Expensive {
    let source =
        format!("{READ}int main(void) {{ int n = read(0, b, sizeof b); (void)n; {main} return 0; }}\n");
    Expensive { name, source, options }
}

/// A branch behind very many dependent operations, as in the report that this reproduces.
fn deep_expression(name: &'static str, depth: u32) -> Expensive {
    let main = format!(
        "uint32_t h = b[0]; for (int i = 0; i < {depth}; i++) h = h * 31u + (h >> 7) + b[1];
         if ((h & 0xff) == 0x42) puts(\"hit\"); if (h == b[0]) puts(\"eq\");"
    );
    expensive(name, &["--sym-stdin", "2"], &main)
}

fn programs() -> Vec<Expensive> {
    vec![
        deep_expression("deep_expression_5000", 5_000),
        deep_expression("deep_expression_20000", 20_000),
        deep_expression("deep_expression_100000", 100_000),
        expensive(
            "rotations_nested_as_deep_as_a_path",
            &["--sym-stdin", "8"],
            "uint32_t h; memcpy(&h, b, 4); for (int i = 0; i < 100000; i++) h = (h << 5 | h >> 27) ^ b[4 + i % 4];
             if (h == 0x12345678) puts(\"hit\"); if (h % 1001 == 7) puts(\"eq\");",
        ),
        expensive(
            "products_that_become_many_gates",
            &["--sym-stdin", "32", "--solver-timeout", "60000"],
            "uint64_t x = word(0); for (int i = 1; i < 12; i++) x = (x ^ x >> 29) * (word(i % 4) | 1);
             if (x == 0x2f6e2b1a5d3c4b97) puts(\"never\");",
        ),
        expensive(
            "quotients_of_doubles",
            &["--sym-stdin", "32", "--solver-timeout", "60000"],
            "double x = number(0); for (int i = 1; i < 12; i++) x = (x + number(i % 4)) / (x - number((i + 1) % 4));
             if (x == 1.5) puts(\"hit\"); if (x > 1e300 && x < 1.1e300) puts(\"range\");",
        ),
        expensive(
            "local_search_that_finds_nothing",
            &["--sym-stdin", "16", "--solver-timeout", "60000"],
            "double x = number(0), y = number(1); if (sin(x) * cos(y) == 2) puts(\"never\");
             if (exp(x) + exp(y) < 0) puts(\"never\");",
        ),
        expensive(
            "wide_enumeration",
            &["--sym-stdin", "4", "--solver-timeout", "60000"],
            "uint32_t h = 2166136261u; for (int r = 0; r < 50; r++) for (int i = 0; i < 4; i++) h = (h ^ b[i]) * 16777619u;
             if (h == 1) puts(\"one\"); if (h == 2) puts(\"two\"); if (h == 3) puts(\"three\");",
        ),
        expensive(
            "a_trace_of_millions_of_labels",
            &["--sym-stdin", "2", "--timeout", "60000"],
            "unsigned x = b[0], y = 0; for (unsigned i = 0; i < 20000000; i++) { y = y * x + i; if (y == 12345) puts(\"found\"); }",
        ),
        expensive(
            "a_path_of_very_many_flips",
            &["--sym-stdin", "64"],
            "int found = 0; for (int i = 0; i < 150000; i++) if (b[i % 64] == (i / 64) % 256) found++;
             if (found == 77) puts(\"77\");",
        ),
        expensive(
            "large_tables_read_at_symbolic_places",
            &["--sym-stdin", "16", "--solver-timeout", "60000"],
            "static uint16_t t[32768]; for (int i = 0; i < 32768; i++) t[i] = i * 40503u >> 3;
             unsigned x = b[0] | b[1] << 8; for (int i = 0; i < 40; i++) x = t[x & 32767] ^ b[i % 16];
             if (x == 4711) puts(\"hit\"); if (x == 4712) puts(\"hit\");",
        ),
        expensive(
            "a_crash_that_is_slow_to_make_smaller",
            &["--sym-stdin", "200", "--timeout", "60000"],
            "if (b[3] == 'x') { usleep(300000); abort(); } usleep(1000);",
        ),
        expensive(
            "a_run_that_sleeps_and_stops_itself",
            &["--sym-stdin", "2", "--timeout", "60000"],
            "signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN); if (fork() == 0) { signal(SIGTERM, SIG_IGN); for (;;) pause(); }
             if (b[0] == 'a') raise(SIGSTOP); else for (;;) sleep(1);",
        ),
    ]
}

/// A directory with a built program.
struct Built {
    directory: tempfile::TempDir,
    program: PathBuf,
}

fn build(expensive: &Expensive) -> Built {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(directory.path(), "program.c", &expensive.source);
    let program = directory.path().join("program");
    build_instrumented(&source, &program);
    Built { directory, program }
}

/// `cairn run` of a program.
fn campaign(built: &Built, options: &[&str], time: Duration) -> Command {
    let mut command = cairn();
    command.arg("run").args(options).arg("--time").arg(format!("{}s", time.as_secs()));
    command.arg("--force").arg("--out").arg(built.directory.path().join("out")).arg(&built.program);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Measures how far a cheap campaign exceeds its budget: starting and ending it. The machine that runs tests
/// has other work to do, and this shows how much: a limit of 2 s is checked as 2 s more than four times this.
fn allowance() -> Duration {
    let easy = expensive("easy", &["--sym-stdin", "2"], "if (b[0] == 'x') puts(\"x\");");
    let built = build(&easy);
    let start = Instant::now();
    let status = campaign(&built, easy.options, Duration::from_secs(1)).status().unwrap();
    assert!(status.success());
    // It may have nothing left to try before its time is up.
    PROMISED + 4 * start.elapsed().saturating_sub(Duration::from_secs(1)).max(Duration::from_millis(100))
}

/// Waits for the end of a campaign, and kills it if that takes far too long.
fn time_to_end(mut child: Child, start: Instant) -> Duration {
    while start.elapsed() < Duration::from_secs(60) {
        if child.try_wait().unwrap().is_some() {
            return start.elapsed();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    start.elapsed()
}

#[test]
fn the_time_of_a_campaign_is_kept_by_what_is_expensive_in_any_layer() {
    let allowed = TIME + allowance();
    let mut late = Vec::new();
    for program in programs() {
        let built = build(&program);
        let start = Instant::now();
        let child = campaign(&built, program.options, TIME).spawn().unwrap();
        let took = time_to_end(child, start);
        println!("{}: {took:?}", program.name);
        if took > allowed {
            late.push((program.name, took));
        }
    }
    assert!(late.is_empty(), "{late:?} took longer than {allowed:?}");
}

#[test]
fn an_interrupt_ends_what_is_expensive_in_any_layer() {
    let allowed = allowance();
    let mut late = Vec::new();
    for program in programs() {
        let built = build(&program);
        let mut child = campaign(&built, program.options, Duration::from_secs(300)).spawn().unwrap();
        std::thread::sleep(TIME);
        if child.try_wait().unwrap().is_some() {
            continue;
        }
        let start = Instant::now();
        interrupt(&child);
        let took = time_to_end(child, start);
        println!("{}: {took:?}", program.name);
        if took > allowed {
            late.push((program.name, took));
        }
    }
    assert!(late.is_empty(), "{late:?} took longer than {allowed:?}");
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
}

/// A number with two prime factors of 32 bits each.
const FACTORING: &str = "
    (declare-const x (_ BitVec 64))
    (declare-const y (_ BitVec 64))
    (assert (bvugt x #x0000000000000001))
    (assert (bvult x #x0000000100000000))
    (assert (bvugt y #x0000000000000001))
    (assert (bvult y #x0000000100000000))
    (assert (= (bvmul x y) #xa60919f15c8ee5f9))
    (check-sat)
";

/// Sums of which the gates take Z3 far longer than the limit, where it looks at no clock.
fn sums() -> String {
    let mut text = String::from("(declare-const x (_ BitVec 32))\n(define-fun v0 () (_ BitVec 32) x)\n");
    for i in 0..30_000u32 {
        let number = i.wrapping_mul(2_654_435_761);
        text += &format!(
            "(define-fun v{} () (_ BitVec 32) (bvadd x (bvxor (bvadd v{i} (bvlshr v{i} #x00000007)) #x{number:08x})))\n",
            i + 1
        );
    }
    text + "(assert (= v30000 #x12345678))\n(check-sat)\n"
}

fn solve(directory: &Path, script: &str, seconds: &str) -> (Duration, String) {
    let file = directory.join("query.smt2");
    std::fs::write(&file, script).unwrap();
    let start = Instant::now();
    let result = output_of(cairn().args(["solve", "--timeout", seconds]).arg(&file));
    (start.elapsed(), result.stdout + &result.stderr)
}

#[test]
fn the_time_of_a_query_is_kept_and_not_cut_short() {
    let directory = tempfile::tempdir().unwrap();
    let (idle, _) =
        solve(directory.path(), "(declare-const x (_ BitVec 8))(assert (= x #x07))(check-sat)", "2");
    for script in [FACTORING, &sums()] {
        let (took, result) = solve(directory.path(), script, "2");
        assert!(result.contains("unknown after"), "{result}");
        assert!(took >= Duration::from_secs(2), "it was given up on after {took:?}: {result}");
        assert!(
            took < Duration::from_secs(2) + PROMISED + 4 * idle,
            "{took:?}, where an easy one takes {idle:?}"
        );
    }
}

/// Queries that Z3 needs longer for than is left, and for which it was refused therefore.
#[test]
fn a_campaign_uses_all_its_time_while_flips_have_no_answer() {
    let time = Duration::from_secs(4);
    let programs = [
        expensive(
            "more_products_than_fit_into_the_time",
            &["--sym-stdin", "32", "--solver-timeout", "60000"],
            "uint64_t x = word(0); for (int i = 1; i < 100; i++) x = (x ^ x >> 29) * (word(i % 4) | 1);
             if (x == 0x2f6e2b1a5d3c4b97) puts(\"never\");",
        ),
        expensive(
            "hashes_at_the_usual_timeout",
            &["--sym-stdin", "16", "--solver-timeout", "1000"],
            "uint32_t h = 2166136261u; for (int r = 0; r < 50; r++) for (int i = 0; i < 16; i++) h = (h ^ b[i]) * 16777619u;
             if (h == 1) puts(\"one\"); if (h == 2) puts(\"two\");",
        ),
    ];
    for program in programs {
        let built = build(&program);
        let start = Instant::now();
        let result = output_of(campaign(&built, program.options, time).stdout(Stdio::piped()).arg("--json"));
        let took = start.elapsed();
        assert!(took >= time, "{} ended after {took:?}: {}", program.name, result.stdout);
        assert!(took < time + allowance(), "{} ended after {took:?}", program.name);
    }
}

/// A target that is not ready for longer than campaigns last.
fn slow_to_start() -> Expensive {
    let source = format!(
        "{READ}__attribute__((constructor)) static void wait_long(void) {{ sleep(60); }}
         int main(void) {{ return read(0, b, 1) == 1 && b[0] == 'x'; }}"
    );
    Expensive { name: "slow_to_start", source, options: &["--sym-stdin", "2"] }
}

#[test]
fn a_target_that_does_not_start_holds_up_neither_time_nor_interrupt() {
    let (allowed, slow) = (allowance(), slow_to_start());
    let built = build(&slow);
    for workers in ["1", "3"] {
        let options = [slow.options, &["--workers", workers]].concat();
        let start = Instant::now();
        let child = campaign(&built, &options, TIME).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(start.elapsed() < TIME + allowed, "{:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("was not ready to run when the time was up or Ctrl-C was pressed"), "{told}");

        let child = campaign(&built, &options, Duration::from_secs(300)).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(1));
        let start = Instant::now();
        interrupt(&child);
        let took = time_to_end(child, start);
        assert!(took < allowed, "{took:?} after the interrupt");
    }
}

/// The time that was given is that of start-up and exploration together.
#[test]
fn the_time_to_start_counts_for_the_time_of_a_campaign() {
    let source = format!(
        "{READ}__attribute__((constructor)) static void wait(void) {{ sleep(3); }}
         int main(void) {{ int n = read(0, b, 64); (void)n; uint64_t x = word(0) * word(1) ^ word(2) * word(3);
         if (x * x * word(4) == 0x2f6e2b1a5d3c4b97) puts(\"never\"); return 0; }}"
    );
    let slow = Expensive { name: "starts_in_three_seconds", source, options: &["--sym-stdin", "64"] };
    let built = build(&slow);
    let start = Instant::now();
    let child = campaign(&built, slow.options, Duration::from_secs(5)).spawn().unwrap();
    let took = time_to_end(child, start);
    assert!(took < Duration::from_secs(5) + allowance(), "{took:?}");
}

/// Strategies choose among very many flips, and the final snapshot is of a large tree.
#[test]
fn an_interrupt_ends_every_strategy_with_a_large_frontier() {
    let many = expensive(
        "many",
        &["--sym-stdin", "64", "--timeout", "60000"],
        "int found = 0; for (int i = 0; i < 200000; i++) if (b[i % 64] == (i / 64) % 256) found++;
         if (found == 77) puts(\"77\");",
    );
    let (built, allowed, mut late) = (build(&many), allowance(), Vec::new());
    for strategy in ["cgs", "cfg", "generational", "parametric", "homi:klee"] {
        let options = [many.options, &["--strategy", strategy]].concat();
        let child = campaign(&built, &options, Duration::from_secs(300)).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(6));
        let start = Instant::now();
        interrupt(&child);
        let took = time_to_end(child, start);
        if took > allowed {
            late.push((strategy, took));
        }
    }
    assert!(late.is_empty(), "{late:?} took longer than {allowed:?}");
}

/// Trying pieces of a mebibyte one by one copies it a million times.
#[test]
fn a_large_input_that_crashes_is_made_smaller_in_time() {
    let large = Expensive {
        name: "large",
        source: format!(
            "{READ}static char a[1 << 20];
             int main(void) {{ long n = 0, k; while ((k = read(0, a + n, sizeof a - n)) > 0) n += k;
             if (n == sizeof a && a[1000] == 'x') abort(); return 0; }}"
        ),
        options: &["--sym-stdin", "1048576"],
    };
    let built = build(&large);
    let seed = built.directory.path().join("seed");
    let mut bytes = vec![b'a'; 1 << 20];
    bytes[1000] = b'x';
    std::fs::write(&seed, bytes).unwrap();
    let options = [large.options, &["--seeds", seed.to_str().unwrap()]].concat();
    let start = Instant::now();
    let took = time_to_end(campaign(&built, &options, Duration::from_secs(5)).spawn().unwrap(), start);
    assert!(took < Duration::from_secs(5) + allowance(), "{took:?}");
    let crashes = std::fs::read_dir(built.directory.path().join("out/crashes")).unwrap().count();
    assert!(crashes > 0, "the crash was not found");
}
