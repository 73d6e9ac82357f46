//! Random programs with two bytes of input, run on all 65,536 values (and on all shorter inputs) by a plain build. What a
//! campaign claims is compared with what brute force saw: after "every feasible path was executed" no probe, no path, no crash and
//! no side of a branch is missing. `bench/brute-force.sh` does it with a thousand programs.

mod generate;

use crate::common::{CommandOutput, cairn, output_of, run, write_source};
use generate::{Program, generate};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const HARNESS: &str = include_str!("brute_force/harness.h");

/// Programs of `make test`, with dozens of probes and paths each that are explored in a second.
const SEEDS: [u64; 18] = [2, 5, 10, 20, 31, 33, 35, 43, 44, 48, 58, 60, 63, 66, 69, 74, 76, 83];

/// Programs with more paths are explored without the switch that tells paths apart.
const MOST_PATHS: usize = 3000;

#[test]
fn what_is_exhausted_misses_nothing_that_brute_force_finds() {
    let checked = check_seeds(&SEEDS, "8s", None);
    checked.assert_flawless();
    assert!(2 * checked.exhausted >= checked.programs, "too few claims to check: {}", checked.summary());
}

/// For `bench/brute-force.sh`, which names the programs.
#[test]
#[ignore = "takes hours: bench/brute-force.sh"]
fn many_programs() {
    let number = |name, default| std::env::var(name).map_or(default, |value| value.parse().unwrap());
    let first = number("FIRST_SEED", 1);
    let keep = std::env::var_os("KEEP").map(PathBuf::from);
    let seeds: Vec<u64> = (first..first + number("PROGRAMS", 1000)).collect();
    let checked = check_seeds(&seeds, "20s", keep.as_deref());
    println!("{}", checked.summary());
    checked.assert_flawless();
}

/// A campaign that lost a test, or that never found one, is caught.
#[test]
fn a_campaign_that_misses_something_is_caught() {
    let directory = tempfile::tempdir().unwrap();
    let case = Case::build(43, directory.path());
    let campaign = case.explore("8s");
    assert!(campaign.exhausted && !case.tests().is_empty(), "{:?}", campaign.result);
    assert_eq!(case.missed(&campaign), Vec::<String>::new());
    let mut caught = 0;
    for test in case.tests() {
        let elsewhere = directory.path().join("removed");
        std::fs::rename(&test, &elsewhere).unwrap();
        caught += usize::from(!case.missed(&campaign).is_empty());
        std::fs::rename(&elsewhere, &test).unwrap();
    }
    // Every kept test was the first to show something; later ones may show it as well.
    assert!(2 * caught >= case.tests().len(), "{caught} of {} lost tests were caught", case.tests().len());
}

/// Results over many programs.
#[derive(Default)]
struct Checked {
    programs: usize,
    exhausted: usize,
    probes: usize,
    paths: usize,
    crashes: usize,
    executions: u64,
    flaws: Vec<String>,
}

impl Checked {
    fn summary(&self) -> String {
        let Self { programs, exhausted, probes, paths, crashes, executions, flaws } = self;
        format!(
            "{programs} programs, {exhausted} claimed exhausted, with {probes} reachable probes, {paths} paths and \
             {crashes} crashes; {executions} executions; {} flaws",
            flaws.len()
        )
    }

    fn assert_flawless(&self) {
        assert!(self.flaws.is_empty(), "\n{}\n{}", self.flaws.join("\n"), self.summary());
    }
}

/// Checks the programs of these seeds, two at a time; keeps those with flaws in `keep`.
fn check_seeds(seeds: &[u64], time: &str, keep: Option<&Path>) -> Checked {
    let (next, checked) = (AtomicUsize::new(0), Mutex::new(Checked::default()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(*seed, time, keep, &checked);
                }
            });
        }
    });
    checked.into_inner().unwrap()
}

fn check(seed: u64, time: &str, keep: Option<&Path>, checked: &Mutex<Checked>) {
    let directory = tempfile::tempdir().unwrap();
    let case = Case::build(seed, directory.path());
    let campaign = case.explore(time);
    let mut flaws = campaign.complaints();
    flaws.extend(case.wrongly_covered());
    if campaign.exhausted {
        flaws.extend(case.missed(&campaign));
    }
    let mut checked = checked.lock().unwrap();
    checked.programs += 1;
    checked.executions += campaign.executions;
    if campaign.exhausted {
        checked.exhausted += 1;
        checked.probes += case.truth.probes.len();
        checked.paths += case.truth.paths.len();
        checked.crashes += case.truth.crashes.len();
    }
    if let Some(keep) = keep {
        case.tell(seed, &campaign, &flaws, keep);
    }
    checked.flaws.extend(flaws.into_iter().map(|flaw| format!("seed {seed}: {flaw}")));
}

/// Probes, paths and crashes that a plain build met.
#[derive(Default)]
struct Met {
    probes: BTreeSet<usize>,
    paths: BTreeSet<String>,
    crashes: BTreeSet<String>,
}

impl Met {
    fn parse(output: &str) -> Self {
        let mut met = Self::default();
        for line in output.lines() {
            match line.split_once(' ').unwrap() {
                ("probe", number) => drop(met.probes.insert(number.parse().unwrap())),
                ("path", hash) => drop(met.paths.insert(hash.to_owned())),
                ("crash", place) => drop(met.crashes.insert(place.to_owned())),
                _ => panic!("{line}"),
            }
        }
        met
    }
}

/// A program with its builds, and what brute force says of it.
struct Case<'a> {
    program: Program,
    directory: &'a Path,
    truth: Met,
}

impl<'a> Case<'a> {
    fn build(seed: u64, directory: &'a Path) -> Self {
        let program = generate(seed);
        let plain = write_source(directory, "plain.c", &format!("{HARNESS}{}", program.text));
        let mut clang = Command::new(std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into()));
        compile(clang.args(["-DBRUTE", "-no-pie", "-O0"]).arg(plain), &program, &directory.join("plain"));
        let mut case = Self { program, directory, truth: Met::default() };
        case.truth = case.run_plain(&[]);
        let source = format!("{HARNESS}{}{}", case.program.text, case.path_switch());
        let source = write_source(directory, "program.c", &source);
        compile(cairn().arg("cc").arg("-g").arg(source), &case.program, &directory.join("program"));
        case
    }

    /// Runs these inputs, or all if there are none, on the plain build.
    fn run_plain(&self, inputs: &[PathBuf]) -> Met {
        let result = output_of(Command::new(self.directory.join("plain")).args(inputs));
        assert_eq!(result.code, Some(0), "{result:?}");
        Met::parse(&result.stdout)
    }

    /// A switch over all paths: what a path is about is concrete there, but a test is kept for each.
    fn path_switch(&self) -> String {
        let mut text =
            "static void note_path(void) {\n    static volatile int path;\n    switch (trace) {\n".to_owned();
        if self.truth.paths.len() <= MOST_PATHS {
            for (number, path) in self.truth.paths.iter().enumerate() {
                text += &format!("    case {path}: path = {number}; break;\n");
            }
        }
        text + "    default: path = -1;\n    }\n}\n"
    }

    /// Prints the verdict on a program, and keeps a program with flaws.
    fn tell(&self, seed: u64, campaign: &Campaign, flaws: &[String], keep: &Path) {
        let Met { probes, paths, crashes } = &self.truth;
        let claim = if campaign.exhausted { "exhausted" } else { "not exhausted" };
        let (probes, paths, crashes, executions) =
            (probes.len(), paths.len(), crashes.len(), campaign.executions);
        println!(
            "seed {seed}: {claim}, {probes} probes, {paths} paths, {crashes} crashes, {executions} executions"
        );
        if !flaws.is_empty() {
            let kept = keep.join(format!("{seed}.c"));
            std::fs::copy(self.directory.join("program.c"), &kept).unwrap();
            let build = self.program.reader.macros().join(" ");
            println!("  {} ({build}, {}): {}", kept.display(), self.options().join(" "), flaws.join("; "));
        }
    }

    fn options(&self) -> Vec<&'static str> {
        let fixed = self.program.reader == generate::Reader::ReadFixedLength;
        ["--sym-stdin", "2"].into_iter().chain(fixed.then_some("--fixed-length")).collect()
    }

    fn explore(&self, time: &str) -> Campaign {
        let (program, out) = (self.directory.join("program"), self.directory.join("out"));
        let mut command = cairn();
        command.args(["run", "--json", "--oracle", "--time", time, "--out"]).arg(&out);
        Campaign::of(output_of(command.args(self.options()).arg(program)))
    }

    /// Files of `queue/`, `crashes/` and `hangs/`.
    fn tests(&self) -> Vec<PathBuf> {
        let listed = |name| std::fs::read_dir(self.directory.join("out").join(name)).unwrap();
        let files = ["queue", "crashes", "hangs"].into_iter().flat_map(listed);
        files.map(|file| file.unwrap().path()).filter(|path| path.is_file()).collect()
    }

    /// Everything that brute force met and the campaign's tests do not show.
    fn missed(&self, campaign: &Campaign) -> Vec<String> {
        let shown = self.run_plain(&self.tests());
        let mut missed: Vec<String> = self
            .truth
            .probes
            .difference(&shown.probes)
            .map(|probe| format!("probe {probe} was missed"))
            .collect();
        missed
            .extend(self.truth.crashes.difference(&shown.crashes).map(|at| format!("crash {at} was missed")));
        if self.truth.paths.len() <= MOST_PATHS {
            let paths = self.truth.paths.difference(&shown.paths);
            missed.extend(paths.map(|path| format!("path {path} was missed")));
        }
        if (campaign.executions as usize) < self.truth.paths.len() {
            missed.push(format!("{} paths in {} executions", self.truth.paths.len(), campaign.executions));
        }
        missed.extend(
            self.sides()
                .into_iter()
                .filter(|(_, is_covered, probe)| !is_covered && self.truth.probes.contains(probe))
                .map(|(line, _, probe)| {
                    format!("line {line}: the side of probe {probe} is reported as not covered")
                }),
        );
        missed
    }

    /// Sides reported as covered that no input takes.
    fn wrongly_covered(&self) -> Vec<String> {
        let wrong =
            |(_, is_covered, probe): &(usize, bool, usize)| *is_covered && !self.truth.probes.contains(probe);
        let sides = self.sides().into_iter().filter(wrong);
        sides
            .map(|(line, _, probe)| format!("line {line}: no input takes the side of probe {probe}"))
            .collect()
    }

    /// Line, reported coverage and probe of the sides of noted branches.
    fn sides(&self) -> Vec<(usize, bool, usize)> {
        let report = run([
            OsStr::new("report"),
            OsStr::new("--format"),
            OsStr::new("csv"),
            self.directory.join("out").as_os_str(),
        ]);
        let mut rows: BTreeMap<usize, Vec<(bool, bool)>> = BTreeMap::new();
        for row in report.stdout.lines().skip(1) {
            let columns: Vec<&str> = row.split(',').collect();
            let row = (columns[5] == "true", columns[6] == "1");
            rows.entry(columns[1].parse().unwrap()).or_default().push(row);
        }
        let prelude = HARNESS.lines().count();
        let mut sides = Vec::new();
        for branch in &self.program.branches {
            let line = prelude + branch.line;
            for (side, is_covered) in rows.get(&line).filter(|rows| rows.len() == 2).into_iter().flatten() {
                sides.push((line, *is_covered, if *side { branch.when_true } else { branch.when_false }));
            }
        }
        sides
    }
}

fn compile(compiler: &mut Command, program: &Program, to: &Path) {
    let result = output_of(compiler.args(["-w", "-fwrapv"]).args(program.reader.macros()).arg("-o").arg(to));
    assert_eq!(result.code, Some(0), "{}", result.stderr);
}

/// Claims of a campaign.
struct Campaign {
    exhausted: bool,
    executions: u64,
    divergences: u64,
    result: CommandOutput,
}

impl Campaign {
    fn of(result: CommandOutput) -> Self {
        let summary: serde_json::Value =
            serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{result:?}"));
        Self {
            exhausted: summary["exhausted"].as_bool().unwrap(),
            executions: summary["executions"].as_u64().unwrap(),
            divergences: summary["divergences"].as_u64().unwrap(),
            result,
        }
    }

    /// Returns the problems that the campaign itself reports.
    fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        if !self.result.stderr.contains(", 0 differ\n") {
            complaints.push(format!("oracle mismatches: {}", self.result.stderr));
        }
        if self.divergences > 0 {
            complaints.push(format!("{} divergences in {} executions", self.divergences, self.executions));
        }
        complaints
    }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    assert_eq!(generate(7).text, generate(7).text);
    assert_ne!(generate(7).text, generate(8).text);
}
