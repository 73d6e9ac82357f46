//! Campaigns that were cut short, by whatever, and go on.

use crate::agreement::tests;
use crate::common::{CommandOutput, build_instrumented, cairn, output_of, write_source};
use crate::example::Example;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// An example's program, and a place for its campaigns.
struct Scene {
    place: TempDir,
    example: Example,
    program: PathBuf,
}

impl Scene {
    fn new(name: &str) -> Scene {
        let place = tempfile::tempdir().unwrap();
        let (example, program) = (Example::named(name), place.path().join("program"));
        build_instrumented(&example.source, &program);
        Scene { place, example, program }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// `cairn run` on a directory, with these options.
    fn command(&self, out: &Path, options: &[&str]) -> Command {
        let mut command = cairn();
        command.args(["run", "-q", "--json", "--out"]).arg(out).args(options).args(self.example.options());
        command.arg(&self.program).arg("--").args(self.example.args());
        command
    }

    fn run(&self, out: &Path, options: &[&str]) -> CommandOutput {
        output_of(&mut self.command(out, options))
    }

    /// A campaign to its end: its figures.
    fn figures(&self, out: &Path, options: &[&str]) -> Figures {
        let result = self.run(out, options);
        assert!(matches!(result.code, Some(0 | 1)), "{options:?}: {result:?}");
        Figures::of(&result)
    }

    /// Begins a campaign or goes on with it, and kills it after this time. Files that were kept before must be there still; those
    /// that are there then are kept from now on.
    fn kill_within(
        &self,
        time: Duration,
        out: &Path,
        budget: &[&str],
        kept: &mut BTreeMap<PathBuf, Vec<u8>>,
    ) {
        let options: &[&str] = if out.join("queue").exists() { &["--resume"] } else { &["--force"] };
        let mut child = start(self.command(out, &[options, budget].concat()));
        std::thread::sleep(time);
        child.kill().unwrap();
        child.wait().unwrap();
        let now = if out.exists() { files(out) } else { BTreeMap::new() };
        assert!(kept.iter().all(|(name, bytes)| now.get(name) == Some(bytes)), "{kept:?} {now:?}");
        *kept = now;
    }
}

/// Figures that must not depend on whether a campaign was interrupted.
#[derive(PartialEq, Debug)]
struct Figures(BTreeMap<&'static str, Value>);

impl Figures {
    fn of(result: &CommandOutput) -> Figures {
        let told: Value = serde_json::from_str(&result.stdout).unwrap();
        let names =
            ["executions", "branches_covered", "tests", "crashes", "hangs", "divergences", "exhausted"];
        Figures(names.into_iter().map(|name| (name, told[name].clone())).collect())
    }

    fn number(&self, name: &str) -> u64 {
        self.0[name].as_u64().unwrap()
    }
}

/// Returns all kept inputs by name, without files that were being written.
fn files(out: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let name = |path: &Path| path.strip_prefix(out).unwrap().to_owned();
    let is_whole = |path: &&PathBuf| !path.file_name().unwrap().to_string_lossy().starts_with('.');
    tests(out).iter().filter(is_whole).map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

fn contents(out: &Path) -> BTreeSet<Vec<u8>> {
    files(out).into_values().collect()
}

/// A figure as AFL's tools read it.
fn stat(out: &Path, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(out.join("fuzzer_stats")).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(": ")?.1.parse().ok()
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn start(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_campaign_killed_at_any_moment_resumes_without_loss() {
    const KILLS: u32 = 20;
    let scene = Scene::new("calculator");
    let budget = ["--execs", "600", "--seed", "4"];
    let begun = Instant::now();
    let whole = scene.figures(&scene.out("whole"), &budget);
    let time = begun.elapsed();
    let mut rng = fastrand::Rng::with_seed(9);
    let out = scene.out("killed");
    let (mut kept, mut covered, mut made) = (BTreeMap::new(), 0, 0);
    for _ in 0..KILLS {
        scene.kill_within(time.mul_f64(rng.f64() * 1.1), &out, &budget, &mut kept);
        let reported = |name, before| stat(&out, name).map_or(before, |now| now.max(before));
        (covered, made) = (reported("edges_found", covered), reported("execs_done", made));
    }
    let resumed = scene.figures(&out, &[&["--resume"], &budget[..]].concat());
    assert!(resumed.number("branches_covered") >= covered && resumed.number("executions") >= made);
    assert_eq!(resumed, whole);
    assert_eq!(files(&out), files(&scene.out("whole")));
}

#[test]
fn several_workers_explore_what_one_does() {
    for name in ["triangle", "records"] {
        let scene = Scene::new(name);
        // However busy the machine is, no query times out.
        let patient = ["--solver-timeout", "60000"];
        let alone = scene.figures(&scene.out("alone"), &patient);
        for workers in ["2", "5"] {
            let together =
                scene.figures(&scene.out(workers), &[&patient[..], &["--workers", workers]].concat());
            for figure in ["branches_covered", "crashes", "divergences", "exhausted"] {
                assert_eq!(together.0[figure], alone.0[figure], "{name}, {workers} workers: {figure}");
            }
        }
    }
}

#[test]
fn several_workers_that_are_killed_lose_nothing_either() {
    let scene = Scene::new("calculator");
    let budget = ["--execs", "400", "--workers", "3"];
    let begun = Instant::now();
    scene.figures(&scene.out("whole"), &budget);
    let time = begun.elapsed();
    let mut rng = fastrand::Rng::with_seed(3);
    let out = scene.out("killed");
    let mut kept = BTreeMap::new();
    for _ in 0..8 {
        scene.kill_within(time.mul_f64(rng.f64() * 1.1), &out, &budget, &mut kept);
    }
    let mut last = cairn();
    last.args(["run", "--json", "--resume", "--out"]).arg(&out).args(budget).args(scene.example.options());
    let result = output_of(last.arg(&scene.program));
    assert!(result.stderr.contains("branches covered"), "{result:?}");
    assert!(!result.stderr.contains("replay diverged"), "{result:?}");
    assert_eq!(Figures::of(&result).number("executions"), 400);
    let now = files(&out);
    assert!(kept.iter().all(|(name, bytes)| now.get(name) == Some(bytes)), "{kept:?} {now:?}");
    let other = scene.run(&out, &["--resume", "--execs", "500", "--workers", "2"]);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("it has --workers 3"), "{other:?}");
}

#[test]
fn a_larger_budget_extends_a_campaign_whatever_its_strategy() {
    let scene = Scene::new("replace");
    for (number, strategy) in
        ["auto", "random-branch", "homi[cycle=5,rounds=40/4,explore=2,least=10]:covnew", "chameleon"]
            .iter()
            .enumerate()
    {
        let (whole, parts) = (scene.out(&format!("whole{number}")), scene.out(&format!("parts{number}")));
        let expected = scene.figures(&whole, &["--strategy", strategy, "--execs", "240"]);
        let mut figures = scene.figures(&parts, &["--strategy", strategy, "--execs", "70"]);
        for execs in ["70", "150", "240"] {
            figures = scene.figures(&parts, &["--strategy", strategy, "--execs", execs, "--resume"]);
            assert_eq!(figures.0["executions"], execs.parse::<u64>().unwrap(), "{strategy}");
        }
        assert_eq!(figures, expected, "{strategy}");
        assert_eq!(files(&parts), files(&whole), "{strategy}");
    }
}

#[test]
fn a_damaged_journal_costs_no_test_and_no_branch() {
    let scene = Scene::new("vm");
    let good = scene.out("good");
    let before = scene.figures(&good, &["--execs", "200"]);
    let (journal, kept) = (std::fs::read(good.join("journal")).unwrap(), contents(&good));
    let mut rng = fastrand::Rng::with_seed(2);
    for round in 0..10 {
        let out = scene.out(&format!("bad{round}"));
        copy(&good, &out);
        // Behind the first line and what the campaign is.
        let at = rng.usize(200..journal.len());
        let mut bad = journal.clone();
        if round % 2 == 0 {
            bad.truncate(at)
        } else {
            bad[at] ^= 1 << rng.u8(..8)
        }
        std::fs::write(out.join("journal"), bad).unwrap();
        let result = scene.run(&out, &["--execs", "240", "--resume"]);
        assert!(matches!(result.code, Some(0 | 1)), "{at}: {result:?}");
        assert!(
            result.stderr.contains("of the journal were incomplete and were discarded"),
            "{at}: {result:?}"
        );
        assert_eq!(result.stderr.lines().count(), 1, "{result:?}");
        assert!(contents(&out).is_superset(&kept), "{at}");
        assert!(Figures::of(&result).number("branches_covered") >= before.number("branches_covered"), "{at}");
        let again = scene.figures(&out, &["--execs", "240", "--resume"]);
        assert_eq!(again, Figures::of(&result), "{at}");
    }
    std::fs::write(good.join("journal"), b"cairn journal 0\n").unwrap();
    let refused = scene.run(&good, &["--resume"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("cannot be read") && refused.stderr.contains("--seeds"), "{refused:?}");
}

#[test]
fn a_campaign_does_not_go_on_as_another_one() {
    let scene = Scene::new("calculator");
    let out = scene.out("out");
    let no_campaign = scene.run(&out, &["--resume"]);
    assert_eq!((no_campaign.code, out.exists()), (Some(2), false), "{no_campaign:?}");
    scene.figures(&out, &["--execs", "20"]);
    let before = files(&out);
    for (options, reason) in [
        (&["--execs", "30"][..], "--resume continues it, --force replaces it"),
        (&["--resume", "--seed", "1"], "its seed is 0"),
        (&["--resume", "--strategy", "dfs"], "its strategy is auto"),
        (&["--resume", "--fixed-length"], "it began with another input"),
    ] {
        let result = scene.run(&out, options);
        assert_eq!(result.code, Some(2), "{result:?}");
        assert!(result.stderr.contains(reason) && result.stderr.lines().count() == 1, "{result:?}");
    }
    build_instrumented(&Example::named("utf8").source, &scene.program);
    let result = scene.run(&out, &["--resume"]);
    assert!(result.code == Some(2) && result.stderr.contains("it explores another program"), "{result:?}");
    assert_eq!(files(&out), before);
}

#[test]
fn a_directory_has_one_campaign_at_a_time() {
    let scene = Scene::new("replace");
    let out = scene.out("out");
    let mut first = start(scene.command(&out, &["--time", "60s"]));
    wait_until("a test is kept", || out.join("journal").exists() && !files(&out).is_empty());
    // A stopped campaign holds its lock however soon its program is exhausted.
    let stopped = Command::new("kill").args(["-STOP", &first.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    for options in [&["--force"][..], &["--resume"], &[]] {
        let result = scene.run(&out, options);
        assert_eq!(result.code, Some(2), "{result:?}");
        assert!(result.stderr.contains("another campaign is running in "), "{result:?}");
    }
    first.kill().unwrap();
    first.wait().unwrap();
    scene.figures(&out, &["--execs", "1", "--resume"]);
}

/// A program that does not repeat itself: its tests stay, its coverage as well.
#[test]
fn a_program_that_does_not_repeat_itself_loses_nothing_either() {
    let text = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int main(void)
        {
            struct timespec now;
            syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
            long turn = now.tv_nsec / 1000;
            char word[6] = "";
            if (!fread(word, 1, 6, stdin)) return 1;
            if (turn % 3 == 0 && word[0] > 'k') puts("now and then");
            for (int i = 1; i < 6; i++) if (word[i] == 'a' + i) puts("more");
            if (word[1] == 'x' && turn % 2) abort();
            return 0;
        }
    "#;
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "fickle.c", text);
    let out = place.path().join("out");
    let explore = |options: &[&str]| {
        let mut command = cairn();
        command.args(["run", "--json", "--sym-stdin", "6", "--out"]).arg(&out).args(options);
        output_of(command.arg(&source))
    };
    let first = explore(&["--execs", "60"]);
    let (before, kept) = (Figures::of(&first), files(&out));
    let again = explore(&["--execs", "90", "--resume"]);
    assert!(again.stderr.contains("replay diverged before execution "), "{again:?}");
    let after = Figures::of(&again);
    assert!(kept.iter().all(|(name, bytes)| files(&out).get(name) == Some(bytes)));
    assert_eq!(after.number("executions"), 90);
    for figure in ["branches_covered", "tests", "crashes"] {
        assert!(after.number(figure) >= before.number(figure), "{figure}: {before:?} {after:?}");
    }
}

/// Adds a byte to a file whenever it is run with sanitizers.
const COUNTS_SANITIZED_RUNS: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    char word[4] = "";
#if __has_feature(address_sanitizer)
    int runs = open(getenv("RUNS"), O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (write(runs, "x", 1) != 1)
        abort();
#endif
    if (!fread(word, 1, 3, stdin))
        return 1;
    for (int i = 0; i < 3; i++)
        if (word[i] == "key"[i])
            puts("more");
    return 0;
}
"#;

#[test]
fn paths_that_sanitizers_have_checked_are_not_checked_again() {
    let place = tempfile::tempdir().unwrap();
    let source = write_source(place.path(), "counts.c", COUNTS_SANITIZED_RUNS);
    let (out, runs) = (place.path().join("out"), place.path().join("runs"));
    let explore = |options: &[&str]| {
        let mut command = cairn();
        command.args(["run", "--json", "--no-sandbox", "--sym-stdin", "3", "--out"]).arg(&out).args(options);
        let result = output_of(command.env("RUNS", &runs).arg(&source));
        let summary: Value = serde_json::from_str(&result.stdout).unwrap();
        let paths = ["paths", "paths_checked"].map(|name| summary[name].as_u64().unwrap());
        (Figures::of(&result), paths)
    };
    let made = || std::fs::metadata(&runs).map_or(0, |file| file.len());
    let begun = explore(&["--execs", "2"]);
    let (_, [paths, checked]) = begun;
    assert_eq!((made(), checked), (paths, paths));
    let whole = explore(&["--resume"]);
    let (_, [all, checked]) = whole;
    assert!(all > paths, "{whole:?}");
    assert_eq!((made(), checked), (all, all));
    // A key whose line was cut short is none.
    let noted = std::fs::read(out.join("checked_paths")).unwrap();
    std::fs::write(out.join("checked_paths"), &noted[..noted.len() - 1]).unwrap();
    assert_eq!(explore(&["--resume"]), whole);
    assert_eq!(made(), all + 1);
    assert_eq!(explore(&["--resume"]), whole);
    assert_eq!(made(), all + 1);
}
