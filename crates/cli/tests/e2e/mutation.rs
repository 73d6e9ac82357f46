//! Mutants: executed without tracing, found faults explained, campaigns repeated and resumed.

use crate::agreement::tests;
use crate::common::{build_instrumented, cairn, output_of, write_source};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Counts words by a library function that is neither instrumented nor modelled: no expression says how the number
/// depends on the input. The loop gives other strategies more than enough to do.
const WORDS: &str = r#"
#define _GNU_SOURCE
#include <argz.h>
#include <stdio.h>
#include <stdlib.h>
static int vowels;
static void too_many(void) { abort(); }
int main(void) {
    char line[65] = "";
    size_t length = fread(line, 1, 64, stdin), size;
    char *words;
    for (size_t i = 0; i < length; i++)
        if (line[i] == 'a' || line[i] == 'e') vowels++;
    if (argz_create_sep(line, ';', &words, &size)) return 1;
    if (argz_count(words, size) > 4) {
        puts("five words");
        if (argz_count(words, size) > 7) too_many();
    }
    return 0;
}
"#;
/// The arms of `auto` that solve.
const SOLVING: &str = "auto:cfg,cgs,random-branch,weights";

/// A program, a seed, and campaigns with them.
pub struct Scene {
    place: TempDir,
    program: PathBuf,
}

impl Scene {
    /// Builds a program from its source text.
    pub fn new(source: &str) -> Scene {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("program");
        build_instrumented(&write_source(place.path(), "words.c", source), &program);
        std::fs::create_dir(place.path().join("seeds")).unwrap();
        std::fs::write(place.path().join("seeds/one"), "one;two\n").unwrap();
        Scene { place, program }
    }

    /// Returns the directory of a campaign.
    pub fn out(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Returns the command of a campaign.
    pub fn command(&self, out: &Path, options: &[&str]) -> Command {
        let mut command = cairn();
        command.args(["run", "-q", "--json", "--sym-stdin", "64", "--seeds"]).arg(self.out("seeds"));
        command.arg("--out").arg(out).args(options).arg(&self.program);
        command
    }

    /// Returns the figures of a campaign.
    pub fn figures(&self, out: &str, options: &[&str]) -> Value {
        let result = output_of(&mut self.command(&self.out(out), options));
        assert!(matches!(result.code, Some(0 | 1)), "{options:?}: {result:?}");
        serde_json::from_str(&result.stdout).unwrap()
    }
}

fn number(figures: &Value, name: &str) -> u64 {
    figures[name].as_u64().unwrap_or_else(|| panic!("{name} in {figures}"))
}

/// Returns all kept inputs by name.
pub fn files(out: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let name = |path: &Path| path.strip_prefix(out).unwrap().to_owned();
    let is_whole = |path: &&PathBuf| !path.file_name().unwrap().to_string_lossy().starts_with('.');
    tests(out).iter().filter(is_whole).map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

#[test]
fn mutation_reaches_what_no_expression_describes() {
    let scene = Scene::new(WORDS);
    // Where a mutant costs an execution, `auto` tries few.
    for (strategy, budget) in [("mutation", ["--execs", "6000"]), ("auto", ["--time", "15"])] {
        let found = scene.figures(strategy, &[&["--strategy", strategy], &budget[..]].concat());
        assert_eq!(number(&found, "crashes"), 1, "{strategy}: {found}");
        assert!(number(&found, "mutation_gains") > 0 && number(&found, "mutation_runs") > 100, "{found}");
        let crashes = scene.out(strategy).join("crashes/reports");
        let explained = std::fs::read_dir(crashes).unwrap().filter_map(|entry| {
            let path = entry.unwrap().path();
            let is_report = path.extension().is_some_and(|extension| extension == "txt");
            is_report.then(|| std::fs::read_to_string(path).unwrap())
        });
        let explained: Vec<String> = explained.collect();
        assert!(
            explained.iter().any(|text| text.contains("abort in too_many (") && text.contains("words.c:7)")),
            "{explained:?}"
        );
        let by_mutation = files(&scene.out(strategy))
            .into_keys()
            .any(|name| name.to_string_lossy().contains("op:mutation"));
        assert!(by_mutation, "{strategy}");
    }
    let solved = scene.figures("solved", &["--strategy", SOLVING, "--execs", "6000"]);
    assert_eq!((number(&solved, "crashes"), number(&solved, "mutation_runs")), (0, 0), "{solved}");
}

#[test]
fn the_same_seed_makes_the_same_mutants() {
    let scene = Scene::new(WORDS);
    let [first, again, other] = [("first", "3"), ("again", "3"), ("other", "4")].map(|(out, seed)| {
        let figures = scene.figures(out, &["--strategy", "mutation", "--execs", "3000", "--seed", seed]);
        assert!(number(&figures, "mutation_runs") > 2000, "{figures}");
        files(&scene.out(out))
    });
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn a_campaign_with_mutants_killed_at_any_moment_resumes_without_loss() {
    let scene = Scene::new(WORDS);
    for workers in ["1", "2"] {
        let budget =
            ["--strategy", "auto:mutation,cfg", "--execs", "3000", "--seed", "4", "--workers", workers];
        let (whole, killed) = (format!("whole-{workers}"), format!("killed-{workers}"));
        let begun = Instant::now();
        let expected = scene.figures(&whole, &budget);
        let time = begun.elapsed();
        let mut rng = fastrand::Rng::with_seed(9);
        let out = scene.out(&killed);
        let mut kept: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
        for _ in 0..8 {
            let first: &[&str] = if out.join("queue").exists() { &["--resume"] } else { &["--force"] };
            let mut command = scene.command(&out, &[first, &budget].concat());
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(time.mul_f64(rng.f64()).max(Duration::from_millis(50)));
            child.kill().unwrap();
            child.wait().unwrap();
            let now = if out.exists() { files(&out) } else { BTreeMap::new() };
            assert!(
                kept.iter().all(|(name, bytes)| now.get(name) == Some(bytes)),
                "what was reported is lost"
            );
            kept = now;
        }
        let resumed = scene.figures(&killed, &[&["--resume"], &budget[..]].concat());
        assert!(kept.keys().all(|name| out.join(name).exists()));
        // With several workers, their order is another each time.
        if workers == "1" {
            for name in
                ["executions", "branches_covered", "tests", "crashes", "mutation_runs", "mutation_gains"]
            {
                assert_eq!(resumed[name], expected[name], "{name}");
            }
            assert_eq!(files(&out), files(&scene.out(&whole)));
        }
        assert_eq!(number(&resumed, "executions"), number(&expected, "executions"));
    }
}

#[test]
fn a_campaign_bounded_by_time_makes_many_mutants_and_ends_in_time() {
    let scene = Scene::new(WORDS);
    let begun = Instant::now();
    let figures = scene.figures("timed", &["--strategy", "mutation", "--time", "3"]);
    assert!(begun.elapsed() < Duration::from_secs(8));
    assert!(number(&figures, "mutation_runs") > 500, "{figures}");
    // Resumed without time, it is where it was.
    let resumed = scene.figures("timed", &["--strategy", "mutation", "--time", "3", "--resume"]);
    assert!(number(&resumed, "mutation_runs") >= number(&figures, "mutation_runs"));
    assert!(number(&resumed, "branches_covered") >= number(&figures, "branches_covered"));
}

/// A program whose mutants hang, crash, exit and end by themselves.
const UNRULY: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char text[17] = "";
    size_t length = fread(text, 1, 16, stdin);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '!') for (volatile int forever = 1; forever;) continue;
        if (text[i] == '?') *(volatile int *)0 = 1;
        if (text[i] == ';') exit(3);
    }
    return 0;
}
"#;

#[test]
fn mutants_that_hang_or_crash_are_findings() {
    let scene = Scene::new(UNRULY);
    let options = ["--strategy", "mutation", "--execs", "1500", "--timeout", "200"];
    let figures = scene.figures("unruly", &options);
    assert_eq!((number(&figures, "crashes"), number(&figures, "hangs")), (1, 1), "{figures}");
    assert_eq!(figures["exhausted"], false);
}

#[test]
fn an_exhausted_campaign_ends_and_is_exhausted() {
    let scene = Scene::new("#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n");
    let figures = scene.figures("small", &["--time", "60"]);
    assert_eq!(figures["exhausted"], true, "{figures}");
    assert!(number(&figures, "executions") < 200);
}
