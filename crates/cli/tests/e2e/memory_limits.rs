//! Limits on memory and scratch space hold against programs that do their best to get around them.
//!
//! The programs run as a user without rights if the tests run as root.

use crate::common::{CommandOutput, build_instrumented, cairn, output_of};
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The user that nothing belongs to.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A directory with a hostile program, in which `cairn` runs without rights.
struct HostileProgram {
    directory: TempDir,
    program: PathBuf,
}

impl HostileProgram {
    fn new(source: &str) -> HostileProgram {
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        let program = directory.path().join("program");
        build_instrumented(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e").join(source), &program);
        HostileProgram { directory, program }
    }

    fn new_from_text(text: &str) -> HostileProgram {
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        let source = crate::common::write_source(directory.path(), "program.c", text);
        let program = directory.path().join("program");
        build_instrumented(&source, &program);
        HostileProgram { directory, program }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A directory that the user without rights can write to.
    fn writable(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir(&path).unwrap();
        if is_root() {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        path
    }

    /// `cairn run` on the program.
    fn command(&self, options: &[&str]) -> Command {
        let mut command = cairn();
        let (out, home) = (self.writable("results").join("out"), self.at("results"));
        command.arg("run").args(options).arg("--out").arg(out).arg(&self.program).env("HOME", home);
        command.current_dir(self.directory.path());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Runs the program on inputs of one byte; gives the name of each one's test.
    fn run_inputs(&self, inputs: &str, options: &[&str]) -> (CommandOutput, BTreeMap<char, String>) {
        let seeds = self.at("seeds");
        fs::create_dir(&seeds).unwrap();
        for input in inputs.chars() {
            fs::write(seeds.join(input.to_string()), input.to_string()).unwrap();
        }
        let (seeds, execs) = (seeds.display().to_string(), (1 + inputs.len()).to_string());
        let usual = ["-q", "--sym-stdin", "1", "--seeds", &seeds, "--execs", &execs, "--timeout", "30000"];
        let result = output_of(&mut self.command(&[&usual[..], options].concat()));
        (result, self.tests())
    }

    fn tests(&self) -> BTreeMap<char, String> {
        let places = ["queue", "crashes", "hangs"].map(|name| self.at("results/out").join(name));
        let files = places.iter().filter_map(|path| fs::read_dir(path).ok()).flatten().flatten();
        let tests = files.filter(|file| file.path().is_file());
        let named = tests.map(|file| {
            let first = fs::read(file.path()).unwrap().first().map_or('-', |byte| char::from(*byte));
            (first, file.file_name().into_string().unwrap())
        });
        named.collect()
    }
}

#[test]
fn memory_is_counted_wherever_a_program_keeps_it() {
    let hostile = HostileProgram::new("memory_hog.c");
    let ways = "msdincfp";
    let (result, tests) = hostile.run_inputs(&format!("{ways}o"), &["--memory", "200"]);
    let named = |way| tests.get(&way).cloned().unwrap_or_default();
    let missed: Vec<_> = ways.chars().map(named).filter(|name| !name.contains(",oom")).collect();
    assert!(missed.is_empty(), "{missed:?} {tests:?} {result:?}");
    let usual = named('o');
    assert!(!["oom", "hang", "sig:"].iter().any(|end| usual.contains(end)), "{tests:?} {result:?}");
}

/// Keeps a memfd of 8 MiB open in every run, and branches on its input.
const FORGETFUL: &str = r#"
    #define _GNU_SOURCE
    #include <sys/mman.h>
    #include <unistd.h>
    static char content[8 << 20];
    int main(void)
    {
        unsigned char b[2] = {0};
        if (read(0, b, 2) != 2) return 1;
        int fd = memfd_create("kept", 0), sides = 0;
        write(fd, content, sizeof content);
        for (int i = 0; i < 8; i++) if (b[0] >> i & 1) sides++;
        return sides + (b[1] > 'x');
    }
"#;

#[test]
fn memory_that_runs_leave_behind_does_not_add_up() {
    let hostile = HostileProgram::new_from_text(FORGETFUL);
    let result =
        output_of(&mut hostile.command(&["-q", "--sym-stdin", "2", "--execs", "200", "--memory", "64"]));
    assert_eq!(result.code, Some(0), "{result:?}");
}

#[test]
fn scratch_space_has_a_limit_in_bytes_and_files() {
    let hostile = HostileProgram::new("scratch_hog.c");
    let ways = "bdhlqe";
    let (result, tests) = hostile.run_inputs(&format!("{ways}no"), &["--scratch-size", "40"]);
    let named = |way| tests.get(&way).cloned().unwrap_or_default();
    let missed: Vec<_> = ways.chars().map(named).filter(|name| !name.contains(",disk")).collect();
    assert!(missed.is_empty(), "{missed:?} {tests:?} {result:?}");
    for way in ['n', 'o'] {
        assert!(!["disk", "hang", "sig:"].iter().any(|end| named(way).contains(end)), "{tests:?} {result:?}");
    }
    assert!(result.stdout.contains("scratch limit"), "{result:?}");
}

/// The largest resident size of a command that runs to its end, and what it said.
fn peak_of(command: &mut Command) -> (u64, CommandOutput) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) << 10);
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (
        peak,
        CommandOutput {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        },
    )
}

#[test]
fn forged_tables_do_not_fill_the_drivers_memory() {
    let forger = include_str!("forger.c");
    for way in ['r', 't', 'c', 'p', 'o'] {
        let hostile = HostileProgram::new_from_text(&forger.replace("WAY;", &format!("'{way}';")));
        let options = ["--sym-stdin", "2", "--execs", "12", "--time", "10s", "--driver-memory", "512M"];
        let usual = ["-q", "--timeout", "5000", "--strategy", "random-input"];
        let (peak, result) = peak_of(&mut hostile.command(&[&usual[..], &options].concat()));
        assert!(matches!(result.code, Some(0 | 1)), "{way}: {result:?}");
        assert!(peak <= 512 << 20, "{way}: {} MiB, {result:?}", peak >> 20);
        assert!(!result.stdout.contains("every feasible path was executed"), "{way}: {result:?}");
    }
}
