//! Targets that misbehave, processes that are killed, systems without a sandbox: the campaign goes on, and leaves nothing
//! behind but its directory.

use crate::common::{CommandOutput, build_instrumented, build_plain, cairn, output_of, write_source};
use cairn_exec::Protection;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Keeps tests with fork bombs, and those that scan all processes, apart: a bomb slows every look at `/proc`.
static HEAVY: Mutex<()> = Mutex::new(());

fn one_at_a_time() -> MutexGuard<'static, ()> {
    HEAVY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Inputs of `misbehaver.c`, each of which misbehaves in another way.
const HARMS: std::ops::RangeInclusive<char> = 'a'..='y';

/// Surroundings of a campaign: where it is started, where it may write, and what it must not touch.
struct TestBed {
    directory: TempDir,
    program: PathBuf,
}

impl TestBed {
    fn with(program: &str) -> TestBed {
        let directory = tempfile::tempdir().unwrap();
        let test_bed = TestBed { program: directory.path().join("program"), directory };
        for name in ["here", "temporary", "outside"] {
            fs::create_dir(test_bed.at(name)).unwrap();
        }
        fs::write(test_bed.at("outside/treasure"), "treasure").unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e");
        build_instrumented(&sources.join(program), &test_bed.program);
        test_bed
    }

    fn with_source(text: &str) -> TestBed {
        let written = tempfile::tempdir().unwrap();
        TestBed::with(write_source(written.path(), "program.c", text).to_str().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Gives a command the directories of this test bed, one of which marks its processes.
    fn prepare<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(self.at("here"))
            .env("TMPDIR", self.at("temporary"))
            .env("OUTSIDE", self.at("outside"))
    }

    fn run(&self, options: &[&str]) -> CommandOutput {
        output_of(self.prepare(cairn().arg("run").args(options).args(["--out", "../out"]).arg(&self.program)))
    }

    /// Runs each of these inputs once, and nothing else.
    fn run_inputs(&self, inputs: &str, options: &[&str]) -> CommandOutput {
        let seeds = self.at("seeds");
        fs::create_dir_all(&seeds).unwrap();
        for input in inputs.chars() {
            fs::write(seeds.join(input.to_string()), format!("{input}-")).unwrap();
        }
        let execs = inputs.len().to_string();
        let usual = ["--sym-stdin", "2", "--execs", &execs, "--seeds", "../seeds"];
        self.run(&[&usual, options].concat())
    }

    /// The first byte of every test that was kept, with the places and names of all its files.
    fn tests(&self) -> BTreeMap<char, String> {
        let mut tests: BTreeMap<char, String> = BTreeMap::new();
        for directory in ["queue", "crashes", "hangs"] {
            let paths =
                fs::read_dir(self.at("out").join(directory)).unwrap().map(|entry| entry.unwrap().path());
            for path in paths.filter(|path| path.is_file()) {
                let first = fs::read(&path).unwrap().first().map_or('-', |byte| *byte as char);
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                *tests.entry(first).or_default() += &format!("{directory}/{name} ");
            }
        }
        tests
    }

    /// Processes that were started here and still run.
    fn processes(&self) -> Vec<(u32, u32)> {
        let mark = self.at("outside").to_string_lossy().into_owned();
        let numbers =
            fs::read_dir("/proc").unwrap().flatten().filter_map(|e| e.file_name().to_str()?.parse().ok());
        let is_ours = |pid: &u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&mark)
        };
        numbers.filter(is_ours).filter_map(|pid| Some((pid, parent(pid)?))).collect()
    }

    fn assert_nothing_is_left(&self) {
        assert_eq!(self.processes(), [], "processes are left");
        let left = fs::read_dir(self.at("temporary")).unwrap().flatten().map(|e| e.path());
        // `cairn cc` keeps one directory for all builds of a user; it is to be empty.
        let left: Vec<_> = left.filter(|path| fs::remove_dir(path).is_err()).collect();
        assert!(left.is_empty(), "{left:?}");
        assert!(!self.at("here/core").exists());
    }

    fn assert_nothing_is_touched(&self) {
        assert_eq!(fs::read_to_string(self.at("outside/treasure")).unwrap(), "treasure");
        assert_eq!(fs::read_dir(self.at("here")).unwrap().count(), 0);
        assert_eq!(fs::read_dir(self.at("outside")).unwrap().count(), 1);
    }
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit(") ").next()?.split(' ');
    // Those that have ended and wait to be buried are no processes any more.
    (fields.next()? != "Z").then(|| fields.next()?.parse().ok())?
}

/// True if the sandbox is complete, so that it can be tested.
fn sandbox_is_whole() -> bool {
    let gaps = Protection::here().gaps();
    gaps.iter().for_each(|gaps| eprintln!("not tested: programs can {gaps} on this system"));
    gaps.is_none()
}

#[test]
fn a_misbehaving_target_is_contained_and_loses_no_test() {
    let _alone = one_at_a_time();
    if !sandbox_is_whole() {
        return;
    }
    let test_bed = TestBed::with("misbehaver.c");
    let options = ["--strategy", "dfs", "--sym-stdin", "2", "--fixed-length", "--execs", "300"];
    let explored = test_bed.run(&[&options[..], &["--timeout", "1000", "--memory", "100"]].concat());
    assert_eq!(explored.code, Some(1), "{explored:?}");
    test_bed.assert_nothing_is_left();
    test_bed.assert_nothing_is_touched();
    let tests = test_bed.tests();
    let lost: Vec<char> = HARMS.chain(['z']).filter(|harm| !tests.contains_key(harm)).collect();
    assert!(lost.is_empty(), "no test was kept of {lost:?}: {explored:?}");
    let crashes = [('d', ",oom,"), ('e', "sig:11"), ('f', ",forks,"), ('l', "sig:09"), ('z', "sig:06")];
    for (harm, kind) in "aboqwy".chars().map(|harm| (harm, "hangs/")).chain(crashes) {
        assert!(tests[&harm].contains(kind), "{harm}: {}", tests[&harm]);
    }
    for refused in ['u', 'x'] {
        assert!(!tests[&refused].contains("crashes/"), "it succeeded: {}", tests[&refused]);
    }
    assert!(!explored.stdout.contains("fork server"), "no run reached it: {explored:?}");
}

/// Builds that confirm findings and replay tests are the same program, and have no fork server.
#[test]
fn reference_builds_of_misbehaving_targets_are_contained() {
    let _alone = one_at_a_time();
    if !sandbox_is_whole() {
        return;
    }
    let test_bed = TestBed::with("misbehaver.c");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/misbehaver.c");
    let test_bed = TestBed { program: source, ..test_bed };
    let explored = test_bed.run_inputs("fgkpuvwxy-", &["--timeout", "1000", "--memory", "100"]);
    assert_eq!(explored.code, Some(1), "{explored:?}");
    assert!(test_bed.at("out/cairn-build/misbehaver.sanitized").is_file(), "{explored:?}");
    assert!(!explored.stdout.contains("no instrumented branch"), "there was no time for more: {explored:?}");
    test_bed.assert_nothing_is_left();
    test_bed.assert_nothing_is_touched();
    let forks = fs::read_dir(test_bed.at("out/crashes/reports")).unwrap().map(|entry| entry.unwrap().path());
    let told = forks
        .filter_map(|path| fs::read_to_string(path).ok())
        .find(|text| text.contains("too many processes"));
    let told = told.unwrap_or_else(|| panic!("{explored:?}"));
    assert!(told.contains("plain build"), "the other builds end by it as well: {told}");
}

/// Killing `cairn` while a reference build runs leaves no process behind.
#[test]
fn a_build_that_confirms_ends_with_the_campaign() {
    let test_bed = TestBed::with("misbehaver.c");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/misbehaver.c");
    fs::create_dir_all(test_bed.at("seeds")).unwrap();
    fs::write(test_bed.at("seeds/w"), "w-").unwrap();
    for options in [&[][..], &["--no-sandbox"]] {
        let mut command = cairn();
        command.args(["run", "-q", "--force", "--sym-stdin", "2", "--execs", "1", "--timeout", "4000"]);
        command.args(options).args(["--seeds", "../seeds", "--out", "../out"]).arg(&source);
        let mut campaign = test_bed.prepare(&mut command).stdout(Stdio::null()).spawn().unwrap();
        let is_confirming = |pid: &u32| {
            let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
            program.to_string_lossy().ends_with("misbehaver.sanitized")
        };
        let confirming = || test_bed.processes().iter().filter(|(pid, _)| is_confirming(pid)).count();
        // The server of the build, its run, and the five processes which that has started.
        wait_until(|| confirming() == 7);
        campaign.kill().unwrap();
        campaign.wait().unwrap();
        wait_until(|| test_bed.processes().is_empty());
    }
}

/// The same without a sandbox: processes left behind are still found, and a killed fork server is restarted.
#[test]
fn without_a_sandbox_nothing_is_left_behind_either() {
    let _alone = one_at_a_time();
    let test_bed = TestBed::with("misbehaver.c");
    // Not mended yet: with sanitizers, processes of the fork bomb outlive the end of their supervisor.
    let options = ["--no-sandbox", "--no-sanitizers", "--timeout", "30000", "--memory", "100"];
    let explored = test_bed.run_inputs("cfgkpu-", &options);
    assert_eq!(explored.code, Some(1), "{explored:?}");
    assert!(explored.stdout.contains("fork server died and was restarted 3 times"), "{explored:?}");
    assert!(explored.stdout.contains("1 input killed the fork server"), "{explored:?}");
    test_bed.assert_nothing_is_left();
    let tests = test_bed.tests();
    assert_eq!(tests.keys().collect::<String>(), "-cfgpu");
    assert!(tests[&'c'].contains(",oom,"), "{tests:?}");
    assert!(test_bed.at("here/escaped").exists() && test_bed.at("outside/escaped").exists());
}

const STEPS: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int c, count = 0;
    while ((c = getchar()) != EOF)
        if (c == 'a' + count % 26)
            count++;
    usleep(2000);
    return count;
}
"#;

/// Returns the process below `cairn` at a depth: its supervisor, its fork server, a run.
fn processes_at(test_bed: &TestBed, cairn: u32, depth: usize) -> Option<u32> {
    let all = test_bed.processes();
    let child = |of: u32| all.iter().find(|(_, parent)| *parent == of).map(|(pid, _)| *pid);
    // Between supervisor and fork server is the init process of the namespace, if there is one.
    let init = usize::from(depth > 0 && Protection::here().namespaces.processes);
    (0..=depth + init).try_fold(cairn, |at, _| child(at))
}

/// Waits until some runs were made: an input that kills its fork server several times is given up.
fn wait_for_runs(test_bed: &TestBed, cairn: u32) {
    let mut runs = BTreeSet::new();
    let deadline = Instant::now() + Duration::from_secs(20);
    while runs.len() < 4 && Instant::now() < deadline && parent(cairn).is_some() {
        runs.extend(processes_at(test_bed, cairn, 2));
    }
}

#[test]
fn processes_killed_at_any_moment_are_replaced() {
    let _alone = one_at_a_time();
    let test_bed = TestBed::with_source(STEPS);
    let options =
        ["run", "--strategy", "random-branch", "--sym-stdin", "13", "--fixed-length", "--out", "../out"];
    let mut command = cairn();
    let campaign = test_bed.prepare(command.args(options).arg(&test_bed.program));
    let mut campaign = campaign.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut random = 1u64;
    let mut killed = [0; 3];
    while campaign.try_wait().unwrap().is_none() && killed.iter().sum::<u32>() < 50 {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        std::thread::sleep(Duration::from_millis(20 + (random >> 33) % 50));
        // Supervisors are killed less often: no other process looks after them.
        let depth = [1, 2, 1, 2, 0][killed.iter().sum::<u32>() as usize % 5];
        if let Some(pid) = processes_at(&test_bed, campaign.id(), depth) {
            Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
            killed[depth] += 1;
            wait_for_runs(&test_bed, campaign.id());
        }
    }
    let output = campaign.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(killed[1] >= 20 && killed[2] >= 20, "{killed:?}: the campaign was over too soon: {text}");
    assert_eq!(output.status.code(), Some(0), "{text} {}", String::from_utf8_lossy(&output.stderr));
    assert!(
        text.contains("every feasible path was executed") && text.contains("no crash, no hang"),
        "{text}"
    );
    assert!(text.contains("fork server died and was restarted"), "{text}");
    test_bed.assert_nothing_is_left();
}

/// Supervisor, server and run of a program that keeps itself company, and `cairn`.
const COMPANY: usize = 9;

/// Killing `cairn` leaves no process behind: the program's processes end too.
#[test]
fn a_killed_campaign_leaves_no_process_behind() {
    let test_bed = TestBed::with("misbehaver.c");
    for options in [&[][..], &["--no-sandbox"]] {
        fs::create_dir_all(test_bed.at("seeds")).unwrap();
        fs::write(test_bed.at("seeds/w"), "w-").unwrap();
        let mut command = cairn();
        command.args([
            "run",
            "-q",
            "--force",
            "--sym-stdin",
            "2",
            "--timeout",
            "60000",
            "--seeds",
            "../seeds",
        ]);
        let campaign =
            test_bed.prepare(command.args(options).args(["--out", "../out"]).arg(&test_bed.program));
        let mut campaign = campaign.stdout(Stdio::null()).spawn().unwrap();
        // The first process of the namespace is one more.
        let init = usize::from(options.is_empty() && Protection::here().namespaces.processes);
        wait_until(|| test_bed.processes().len() == COMPANY + init);
        campaign.kill().unwrap();
        campaign.wait().unwrap();
        wait_until(|| test_bed.processes().is_empty());
    }
}

fn wait_until(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "it did not come to that");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A system that lacks something: the campaign works, and one line says what is missing.
#[test]
fn a_missing_sandbox_is_reported_in_one_line() {
    if !sandbox_is_whole() {
        return;
    }
    let test_bed = TestBed::with_source(STEPS);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/without.c");
    let without = test_bed.at("without");
    build_plain(&source, &without);
    let gaps = [
        ("landlock", "write and read wherever you can (no Landlock)"),
        ("seccomp", "reach the network (no seccomp filters)"),
        ("namespaces", "see which processes there are (no pid and mount namespaces)"),
    ];
    for (missing, gap) in gaps {
        let with_cairn = |arguments: &[&str]| {
            let cairn = cairn();
            let mut command = Command::new(&without);
            command.arg(missing).arg(cairn.get_program()).args(arguments).arg(&test_bed.program);
            command.envs(cairn.get_envs().filter_map(|(name, value)| Some((name, value?))));
            output_of(test_bed.prepare(&mut command))
        };
        let explored = with_cairn(&["run", "-q", "--force", "--sym-stdin", "2", "--out", "../out"]);
        assert_eq!(explored.code, Some(0), "{explored:?}");
        assert_eq!(explored.stderr.lines().count(), 1, "{explored:?}");
        assert!(explored.stderr.contains(gap), "{explored:?}");
        let refused =
            with_cairn(&["run", "-q", "--force", "--require-sandbox", "--sym-stdin", "2", "--out", "../out"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("the program could ") && refused.stdout.is_empty(), "{refused:?}");
        let quiet =
            with_cairn(&["run", "-q", "--force", "--no-sandbox", "--sym-stdin", "2", "--out", "../out"]);
        assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
        let told = with_cairn(&["doctor", "--execs", "5", "--sym-stdin", "2"]);
        assert!(
            told.stdout.contains("the sandbox has gaps here: a program can") && told.stdout.contains(gap),
            "{told:?}"
        );
        test_bed.assert_nothing_is_left();
    }
    let told = output_of(
        test_bed.prepare(cairn().args(["doctor", "--execs", "5", "--sym-stdin", "2"]).arg(&test_bed.program)),
    );
    assert!(told.stdout.contains("the sandbox works here"), "{told:?}");
}

const WRITER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    FILE *last = fopen("result", "r"), *table = fopen("table", "r"), *result, *temporary;
    char name[512];
    snprintf(name, sizeof name, "%s/temporary", getenv("TMPDIR"));
    if (last || fopen(name, "r") || !(temporary = fopen(name, "w")))
        return 9;
    if (!(result = fopen("result", "w")))
        return table ? 1 : 8;
    if (getchar() == 'x' && fputs("x", result) >= 0 && fclose(result) == 0 && fputs("x", temporary) >= 0)
        abort();
    return 2;
}
"#;

/// A program finds the user's files and cannot change them; in its scratch directory it can write, and every run finds
/// it empty.
#[test]
fn what_a_program_writes_is_gone_before_the_next_run() {
    if !sandbox_is_whole() {
        return;
    }
    let test_bed = TestBed::with_source(WRITER);
    fs::write(test_bed.at("here/table"), "").unwrap();
    let names = || fs::read_dir(test_bed.at("here")).unwrap().count();
    let explored = test_bed.run(&["--sym-stdin", "1", "--json"]);
    assert_eq!((explored.code, names()), (Some(0), 1), "it has nowhere to write to: {explored:?}");
    let explored = test_bed.run(&["--sym-stdin", "1", "--force", "--scratch"]);
    assert_eq!((explored.code, names()), (Some(1), 1), "{explored:?}");
    let again = explored.stdout.split("with: cairn ").nth(1).unwrap().lines().next().unwrap();
    assert!(again.starts_with("replay --scratch "), "{again}");
    for _ in 0..2 {
        let replayed = output_of(test_bed.prepare(cairn().args(again.split(' '))));
        assert_eq!((replayed.code, names()), (Some(1), 1), "{replayed:?}");
    }
    // What is left makes later runs diverge, so this campaign never finishes by itself.
    test_bed.run(&["--sym-stdin", "1", "--force", "--no-sandbox", "--execs", "20"]);
    assert_eq!(names(), 2, "without a sandbox it writes where it is");
    test_bed.assert_nothing_is_left();
}
