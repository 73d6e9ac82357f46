//! Hostile targets (`tests/hostile/`): what they must not do does not happen, and the campaign survives.
//!
//! Each runs as an unprivileged user against a victim of its own, a process of the same user that has one of everything a user
//! owns: shared memory, queues, sockets, ports, a home with files. A target aborts where something succeeds that must not; the
//! victim tells whether something was done to it.

#[path = "e2e/common.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod common;

use cairn_exec::Protection;
use common::{build_instrumented, output_of, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// The user that everything runs as, if the tests are root's.
const NOBODY: u32 = 65534;
/// Targets at a time.
const AT_ONCE: usize = 4;

/// Outcome of a campaign on a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// Nothing is found, and both sides of the decision are seen.
    Clean,
    /// There are findings, since runs had to be ended or end by a signal.
    Found,
    /// The target speaks for its own fork server. What is reported of it is its own; the campaign ends, in whatever way.
    Ends,
}

use Outcome::{Clean, Ends, Found};

const PROCESSES: &[(&str, Outcome)] = &[
    ("debug_others", Clean),
    ("limit_others", Clean),
    ("proc_of_others", Clean),
    ("renice_others", Clean),
    ("schedule_others", Clean),
    ("signal_everybody", Clean),
    ("signal_group", Clean),
    ("signal_parents", Clean),
    ("signal_victim", Clean),
    ("other_program", Clean),
    ("orphan", Clean),
    ("sibling", Clean),
];

const FILES: &[(&str, Outcome)] = &[
    ("change_attributes", Clean),
    ("devices", Clean),
    ("file_handles", Clean),
    ("file_requests", Clean),
    ("leases", Clean),
    ("machine_settings", Clean),
    ("mounts", Clean),
    ("read_home", Clean),
    ("scratch_flood", Clean),
    ("scratch_traps", Clean),
    ("write_here", Clean),
    ("write_home", Clean),
];

const OBJECTS: &[(&str, Outcome)] = &[
    ("abstract_socket", Clean),
    ("keys", Clean),
    ("network", Clean),
    ("posix_queue", Clean),
    ("sysv_memory", Clean),
    ("sysv_queue", Clean),
    ("sysv_semaphore", Clean),
    ("unix_datagram", Clean),
    ("unix_stream", Clean),
];

const KERNEL: &[(&str, Outcome)] = &[
    ("asynchronous_calls", Clean),
    ("kernel_programs", Clean),
    ("machine", Clean),
    ("more_rights", Clean),
    ("namespaces", Clean),
    ("ordinary", Clean),
    ("other_numbers", Clean),
];

const RESOURCES: &[(&str, Outcome)] = &[("deaf", Found), ("fork_bomb", Found), ("memory_bomb", Found)];

const CAIRN: &[(&str, Outcome)] = &[
    ("close_control", Clean),
    ("cut_shared_memory", Clean),
    ("deaf_server", Ends),
    ("flooded_pipe", Ends),
    ("forged_endings", Ends),
    ("forged_hello", Ends),
    ("forged_pid", Ends),
    ("full_tables", Ends),
    ("garbage", Clean),
    ("mute_server", Ends),
    ("scribble", Ends),
    ("stopped_server", Ends),
];

#[test]
fn other_processes_are_out_of_reach() {
    attack_with(PROCESSES);
}

#[test]
fn files_of_the_user_are_out_of_reach() {
    attack_with(FILES);
}

#[test]
fn sockets_queues_and_keys_are_out_of_reach() {
    attack_with(OBJECTS);
}

#[test]
fn the_kernel_gives_no_more_than_ordinary_programs_need() {
    attack_with(KERNEL);
}

#[test]
fn a_run_takes_no_more_than_it_may() {
    attack_with(RESOURCES);
}

#[test]
fn what_a_target_says_of_itself_harms_only_its_own_report() {
    attack_with(CAIRN);
}

#[test]
fn every_hostile_target_is_run() {
    let lists = [PROCESSES, FILES, OBJECTS, KERNEL, RESOURCES, CAIRN];
    let listed: BTreeSet<String> = lists.into_iter().flatten().map(|(name, _)| format!("{name}.c")).collect();
    let entries =
        fs::read_dir(sources()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> = entries.filter(|name| name.ends_with(".c") && name != "victim.c").collect();
    assert_eq!(listed, there);
    assert!(there.len() >= 40);
}

/// Opens a file in the home, one beside itself, and one that an argument names.
const READER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char path[4096];
    int first = getchar();
    snprintf(path, sizeof path, "%s/secret", getenv("HOME"));
    FILE *hidden = fopen(path, "r"), *beside = fopen("beside", "r"), *named = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (hidden)
        return first == 'x' ? 1 : 2;
    if (!beside || (argc > 1 && !named))
        abort();
    return 0;
}
"#;

#[test]
fn the_home_is_hidden_but_for_what_is_named_and_the_summary_says_so_once() {
    if !sandbox_is_whole() {
        return;
    }
    let test_bed = TestBed::make();
    let here = test_bed.at("home/directory");
    let source = common::write_source(test_bed.0.path(), "reader.c", READER);
    build_instrumented(&source, &test_bed.at("target"));
    fs::write(here.join("beside"), "").unwrap();
    let run = |options: &[&str], args: &[&str]| {
        let mut cairn = cairn(&test_bed);
        cairn.args(["run", "-q", "--force", "--sym-stdin", "1", "--out", "../../out"]).args(options);
        output_of(cairn.arg(test_bed.at("target")).arg("--").args(args).current_dir(&here))
    };
    let secret = test_bed.at("home/secret");
    let told = format!("could not open a file there, the first {}", secret.display());
    let hidden = run(&[], &[]);
    assert_eq!((hidden.code, hidden.stdout.matches(&told).count()), (Some(0), 1), "{hidden:?}");
    for opened in [run(&["--read", "../secret"], &[]), run(&[], &[secret.to_str().unwrap()])] {
        assert_eq!((opened.code, opened.stdout.contains("hides your home")), (Some(0), false), "{opened:?}");
    }
    let other = test_bed.at("home/file");
    let named = run(&[], &[other.to_str().unwrap()]);
    assert_eq!((named.code, named.stdout.matches(&told).count()), (Some(0), 1), "{named:?}");
}

/// Crashes if it has any right of root's.
const UNPRIVILEGED: &str = r#"
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    if (getuid() != 65534 || geteuid() != 65534 || getegid() != 65534 || getgroups(0, NULL) != 0 || setuid(0) == 0)
        abort();
    FILE *file = fopen("table", "r");
    return getchar() == 'x' ? 1 : file ? 2 : 3;
}
"#;

/// The directories of a program may be root's alone.
#[test]
fn programs_of_root_run_unprivileged_and_find_their_files() {
    if !rustix::process::geteuid().is_root() || !sandbox_is_whole() {
        return;
    }
    let test_bed = tempfile::tempdir().unwrap();
    fs::set_permissions(test_bed.path(), Permissions::from_mode(0o700)).unwrap();
    fs::write(test_bed.path().join("table"), "").unwrap();
    fs::set_permissions(test_bed.path().join("table"), Permissions::from_mode(0o600)).unwrap();
    let source = common::write_source(test_bed.path(), "program.c", UNPRIVILEGED);
    let mut cairn = common::cairn();
    cairn
        .args(["run", "--json", "--sym-stdin", "1", "--out", "out"])
        .arg(source)
        .current_dir(test_bed.path());
    let explored = output_of(&mut cairn);
    assert_eq!(explored.code, Some(0), "{explored:?}");
    assert!(explored.stderr.contains("you are root: the program runs as nobody"), "{explored:?}");
    let tests = fs::read_dir(test_bed.path().join("out/queue")).unwrap().flatten();
    let names: Vec<String> = tests.map(|test| test.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.len() >= 2, "{names:?}");
    for name in names.iter().filter(|name| name.starts_with("id:")) {
        let test = test_bed.path().join("out/queue").join(name);
        let mut cairn = common::cairn();
        let replayed = output_of(
            cairn
                .arg("replay")
                .arg(test_bed.path().join("out/cairn-build/program"))
                .arg(&test)
                .current_dir(test_bed.path()),
        );
        let is_x = fs::read(&test).unwrap() == b"x";
        let code = if is_x { "exit code 1" } else { "exit code 2" };
        assert!(replayed.stderr.contains(code), "{name}: {replayed:?}");
    }
}

fn sources() -> PathBuf {
    root().join("tests/hostile")
}

/// Runs targets, a few at a time, and tells of all that got through.
fn attack_with(targets: &[(&str, Outcome)]) {
    if !sandbox_is_whole() {
        return;
    }
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((name, outcome)) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = attack(name, *outcome) {
                        failures.lock().unwrap().push(format!("{name}: {failure}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// True if there is a whole sandbox to be tested.
fn sandbox_is_whole() -> bool {
    let gaps = Protection::here().gaps();
    gaps.iter().for_each(|gaps| eprintln!("not tested: programs can {gaps} on this system"));
    gaps.is_none()
}

/// `cairn` where another user can execute it, and the victim.
fn tools() -> &'static Path {
    static TOOLS: OnceLock<TempDir> = OnceLock::new();
    let directory = TOOLS.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_cairn"), directory.path().join("cairn")).unwrap();
        for library in fs::read_dir(root().join(".deps/z3/lib")).into_iter().flatten().flatten() {
            let _ = fs::copy(library.path(), directory.path().join(library.file_name()));
        }
        let victim = directory.path().join("victim");
        let mut clang = Command::new(std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into()));
        clang.args(["-O1", "-o"]).arg(victim).arg(sources().join("victim.c")).arg("-lrt");
        assert!(clang.status().unwrap().success());
        directory
    });
    directory.path()
}

/// A command of the unprivileged user's.
fn as_user(program: &Path) -> Command {
    let mut command = Command::new(program);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Surroundings of a target: a home, a working directory and a campaign, all of the unprivileged user's.
struct TestBed(TempDir);

impl TestBed {
    fn make() -> TestBed {
        let test_bed = TestBed(tempfile::tempdir().unwrap());
        for name in ["home", "home/directory", "here", "temporary", "sockets"] {
            fs::create_dir(test_bed.at(name)).unwrap();
        }
        for (name, text) in [("home/secret", "secret"), ("home/file", "file")] {
            fs::write(test_bed.at(name), text).unwrap();
            fs::set_permissions(test_bed.at(name), Permissions::from_mode(0o640)).unwrap();
        }
        if rustix::process::geteuid().is_root() {
            let all = ["home", "home/directory", "home/secret", "home/file", "here", "temporary", "sockets"];
            for path in all.map(|name| test_bed.at(name)).iter().chain([&test_bed.0.path().to_owned()]) {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        test_bed
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Everything about the files that a target must leave alone.
    fn files(&self) -> Vec<(PathBuf, u32, u32, u64, SystemTime, Vec<u8>)> {
        let names = |directory: &Path| {
            let mut names: Vec<PathBuf> =
                fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
            names.sort();
            names
        };
        let (home, here) = (self.at("home"), self.at("here"));
        let paths = names(&home).into_iter().chain(names(&here)).chain([home, here]);
        let describe = |path: PathBuf| {
            let about = fs::symlink_metadata(&path).unwrap();
            let bytes = if about.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            (path, about.mode(), about.uid(), about.nlink(), about.modified().unwrap(), bytes)
        };
        paths.map(describe).collect()
    }
}

/// A process that a target attacks.
struct Victim {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The names of what it owns.
    names: Vec<(String, String)>,
}

impl Victim {
    fn start(test_bed: &TestBed) -> Victim {
        let mut command = as_user(&tools().join("victim"));
        command.arg(test_bed.at("sockets")).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut process = command.spawn().unwrap();
        let (requests, answers) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut victim = Victim { process, requests, answers: BufReader::new(answers), names: Vec::new() };
        let line = victim.line();
        let words = line.split_whitespace().filter_map(|word| word.split_once('='));
        victim.names = words.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        assert!(!victim.names.is_empty(), "the victim has not started: {line}");
        victim
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line
    }

    /// Returns the state of the process and of everything it owns.
    fn state(&mut self) -> String {
        if self.requests.write_all(b"?\n").is_err() {
            return "dead".to_owned();
        }
        self.line()
    }

    /// Lets it remove what it owns.
    fn leave(mut self) {
        drop(self.requests);
        let _ = self.process.wait();
    }
}

/// Explores a target; what it got away with, if anything.
fn attack(name: &str, outcome: Outcome) -> Result<(), String> {
    let test_bed = TestBed::make();
    let target = test_bed.at("target");
    // A run path opens no more than libraries, whatever directory a program names in it.
    let run_path = format!("-Wl,-rpath,{},-rpath,/", test_bed.at("home").display());
    let built = output_of(
        common::cairn()
            .arg("cc")
            .arg(sources().join(format!("{name}.c")))
            .args([&run_path, "-o"])
            .arg(&target),
    );
    assert_eq!(built.code, Some(0), "{name}: {built:?}");
    let mut victim = Victim::start(&test_bed);
    let before = (test_bed.files(), victim.state());
    let explored = explore(&test_bed, &target, &victim)?;
    let after = (test_bed.files(), victim.state());
    victim.leave();
    if before != after {
        return Err(format!("something was done to others: {before:#?} became {after:#?}; {explored:?}"));
    }
    let left = left_behind(&test_bed);
    if !left.is_empty() {
        return Err(format!("something is left: {left:?}; {explored:?}"));
    }
    explored.judge(outcome)
}

/// End of a campaign.
#[derive(Debug)]
struct Explored {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    crashes: Vec<String>,
}

impl Explored {
    fn judge(&self, outcome: Outcome) -> Result<(), String> {
        let aborted = || self.crashes.iter().find(|crash| crash.contains("sig:06"));
        let summary: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        let covered = summary["branches_covered"].as_u64().unwrap_or(0);
        let runs = summary["executions"].as_u64().unwrap_or(0);
        let is_seen = covered >= 2 && runs >= 2;
        let is_expected = match outcome {
            Clean => self.code == Some(0) && is_seen,
            Found => self.code == Some(1) && is_seen,
            Ends => {
                matches!(self.code, Some(0 | 1)) && runs >= 1
                    || self.code == Some(2) && is_one_sentence(&self.stderr)
            }
        };
        match aborted() {
            Some(crash) => Err(format!("its attack succeeded ({crash}): {self:?}")),
            None if !is_expected => Err(format!("not {outcome:?}: {self:?}")),
            None => Ok(()),
        }
    }
}

fn is_one_sentence(text: &str) -> bool {
    text.lines().filter(|line| line.starts_with("cairn: ")).count() >= 1 && !text.contains("panicked")
}

/// Returns `cairn` run by the unprivileged user, whose home is in the test bed.
fn cairn(test_bed: &TestBed) -> Command {
    let mut cairn = as_user(&tools().join("cairn"));
    cairn
        .current_dir(test_bed.at("here"))
        .env("HOME", test_bed.at("home"))
        .env("TMPDIR", test_bed.at("temporary"));
    // Records of campaigns are kept away from the home, which is compared.
    cairn.env("XDG_STATE_HOME", test_bed.at("state"));
    cairn.env("LD_LIBRARY_PATH", tools());
    cairn
}

fn explore(test_bed: &TestBed, target: &Path, victim: &Victim) -> Result<Explored, String> {
    let mut cairn = cairn(test_bed);
    cairn.args(["run", "-q", "--json", "--sym-stdin", "2", "--fixed-length", "--execs", "6", "--seed", "1"]);
    cairn.args(["--timeout", "1500", "--memory", "100", "--out", "../out"]).arg(target);
    cairn.env("CAIRN_HOSTILE", test_bed.0.path()).envs(victim.names.iter().cloned());
    cairn.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let running = cairn.spawn().map_err(|error| error.to_string())?;
    let pid = rustix::process::Pid::from_child(&running);
    let (done, waiting) = std::sync::mpsc::channel();
    let output = std::thread::spawn(move || {
        let output = running.wait_with_output();
        let _ = done.send(());
        output
    });
    if waiting.recv_timeout(Duration::from_secs(150)).is_err() {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        return Err("the campaign does not end".to_owned());
    }
    let output = output.join().unwrap().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let crashes = fs::read_dir(test_bed.at("out/crashes")).into_iter().flatten().flatten();
    let crashes = crashes.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    Ok(Explored {
        code: output.status.code(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        crashes,
    })
}

/// Processes of a campaign that still run, and files in its directory for temporary ones.
fn left_behind(test_bed: &TestBed) -> Vec<String> {
    let mark = format!("CAIRN_HOSTILE={}", test_bed.0.path().display());
    let is_ours = |pid: &String| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&mark)
    };
    let names =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let processes = names.filter(|name| name.parse::<u32>().is_ok()).filter(is_ours);
    let files = fs::read_dir(test_bed.at("temporary")).unwrap().flatten();
    processes.chain(files.map(|entry| entry.path().display().to_string())).collect()
}
