//! AFL++'s own tools read campaigns, and its fuzzer and a campaign exchange inputs. `scripts/setup.sh --tests` installs it.

use crate::common::{build_instrumented, cairn, output_of, write_source};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program with two gates. One is for fuzzers: inline assembly is not traced. The other is for solvers.
const GATES: &str = r#"
#include <stdio.h>
#include <string.h>
int main(void)
{
    unsigned char b[16] = {0};
    unsigned tried;
    unsigned long long solved;
    if (fread(b, 1, sizeof b, stdin) < 9)
        return 1;
    tried = b[0];
    __asm__ volatile("xorl $0x5a, %0" : "+r"(tried));
    if (tried == ('Q' ^ 0x5a))
        puts("tried");
    memcpy(&solved, b + 1, sizeof solved);
    if (solved == 0x1122334455667788ULL)
        puts("solved");
    return 0;
}
"#;
const TRIED: &[u8] = b"Q";
const SOLVED: [u8; 8] = 0x1122_3344_5566_7788_u64.to_le_bytes();
/// As long as anything here may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process that does not outlive the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(command: &mut Command) -> Running {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Running(command.spawn().expect("it can be started"))
}

/// Waits until some file of a queue satisfies `is_it`; false after the time limit.
fn comes(queue: &Path, is_it: impl Fn(&str, &[u8]) -> bool) -> bool {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        for entry in fs::read_dir(queue).into_iter().flatten().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let content = fs::read(entry.path()).unwrap_or_default();
            if name.starts_with("id:") && is_it(&name, &content) {
                return true;
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

fn is_solved(content: &[u8]) -> bool {
    content.get(1..9) == Some(&SOLVED)
}

/// A campaign among others, for a minute at most. Its strategy has no mutants, which would find everything.
fn campaign(program: &Path, shared: &Path) -> Running {
    let mut run = cairn();
    run.args(["run", "--strategy", "cgs", "--time", "60s", "--sym-stdin", "12", "--sync"])
        .arg(shared)
        .arg(program);
    spawn(&mut run)
}

#[test]
fn a_campaign_takes_what_others_find() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("gates");
    build_instrumented(&write_source(place.path(), "gates.c", GATES), &program);
    let shared = place.path().join("shared");
    let [theirs, ours] = ["other", "cairn"].map(|name| shared.join(name).join("queue"));
    fs::create_dir_all(&theirs).unwrap();
    fs::write(theirs.join("id:000000,time:0,execs:0,orig:seed"), "nothing special").unwrap();
    let _campaign = campaign(&program, &shared);
    assert!(comes(&ours, |_, content| is_solved(content)), "nothing was solved");
    // It comes when there is nothing left to solve.
    fs::write(theirs.join("id:000001,src:000000,op:havoc,+cov"), "Q and more than LEN").unwrap();
    fs::write(theirs.join("id:000002,sync:cairn,src:000000"), "Q is our own").unwrap();
    assert!(comes(&ours, |name, content| content.starts_with(TRIED) && name.contains("op:seed,+cov")));
    let notes = shared.join("cairn/.synced/other");
    assert!(wait_for(|| fs::read(&notes).is_ok_and(|n| n == 2_u32.to_ne_bytes())), "{:?}", fs::read(&notes));
}

fn wait_for(mut is_so: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn afl_and_a_campaign_exchange_inputs_and_its_tools_read_both() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let source = write_source(place.path(), "gates.c", GATES);
    build_instrumented(&source, &at("gates"));
    let built = output_of(Command::new("afl-clang-fast").arg(&source).arg("-o").arg(at("gates.afl")));
    assert_eq!(built.code, Some(0), "{built:?}");
    fs::create_dir(at("seeds")).unwrap();
    fs::write(at("seeds/seed"), "nothing more").unwrap();
    let shared = at("shared");

    let mut afl = Command::new("afl-fuzz");
    afl.args(["-M", "main", "-t", "2000", "-i"])
        .arg(at("seeds"))
        .arg("-o")
        .arg(&shared)
        .arg("--")
        .arg(at("gates.afl"));
    for name in ["AFL_NO_UI", "AFL_SKIP_CPUFREQ", "AFL_NO_AFFINITY", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES"]
    {
        afl.env(name, "1");
    }
    let _afl = spawn(&mut afl);
    let _campaign = campaign(&at("gates"), &shared);
    let [theirs, ours] = ["main", "cairn"].map(|name| shared.join(name).join("queue"));
    assert!(comes(&ours, |_, content| content.starts_with(TRIED)), "nothing came from AFL++");
    assert!(
        comes(&theirs, |name, content| name.contains("sync:cairn") && is_solved(content)),
        "nothing came to AFL++"
    );

    let whatsup = output_of(Command::new("afl-whatsup").arg(&shared).env("TERM", "dumb"));
    assert!(whatsup.code == Some(0) && whatsup.stdout.contains("Fuzzers alive : 2"), "{whatsup:?}");
    assert!(whatsup.stdout.contains(">>> gates (0 days, 0 hrs)"), "{whatsup:?}");
    for complaint in ["rror", "xpect", "not found"] {
        assert!(!whatsup.stderr.contains(complaint), "{whatsup:?}");
    }
    check_plots(&shared.join("cairn"), &at("plots"));
}

/// `afl-plot` draws what there is after a few seconds.
fn check_plots(campaign: &Path, plots: &Path) {
    let lines = || fs::read_to_string(campaign.join("plot_data")).unwrap_or_default().lines().count();
    assert!(wait_for(|| lines() >= 3));
    let plot = output_of(Command::new("afl-plot").arg(campaign).arg(plots));
    assert_eq!(plot.code, Some(0), "{plot:?}");
    for name in ["high_freq.png", "low_freq.png", "exec_speed.png", "edges.png"] {
        let picture = fs::read(plots.join(name)).unwrap_or_default();
        assert!(picture.starts_with(b"\x89PNG"), "{name}: {plot:?}");
    }
}
