//! Random programs by csmith: instrumented they give the checksum that a plain build gives, and what some of their
//! globals, made input, lead to is what its expressions say. `bench/csmith.sh` does it with hundreds.

use crate::common::{cairn, output_of, root, run, write_source};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Programs that end at once and look at their input; others, some of them without an end, have other seeds.
const SEEDS: [u32; 12] = [2, 4, 8, 11, 12, 16, 17, 19, 20, 21, 23, 24];

/// Small enough to be compiled in a second.
const SIZE: [&str; 6] = ["--max-funcs", "5", "--max-block-depth", "3", "--max-block-size", "4"];

#[test]
fn a_random_program_computes_what_it_should() {
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(seed) = SEEDS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = check(*seed);
                    complaints.lock().unwrap().extend(found.err());
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Explores a random program; returns what is wrong.
fn check(seed: u32) -> Result<(), String> {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(directory.path(), "random.c", &with_input(&generate(seed, directory.path())));
    let [plain, instrumented] = ["plain", "instrumented"].map(|name| directory.path().join(name));
    build(clang(&source), &plain);
    build(cairn().arg("cc").arg(&source), &instrumented);
    let [expected, found] = [&plain, &instrumented].map(|program| output_of(&mut Command::new(program)));
    if !expected.stdout.starts_with("checksum = ") || found.stdout != expected.stdout {
        return Err(format!("seed {seed}: {found:?}, not {expected:?}"));
    }
    explore(&instrumented, &directory.path().join("out")).map_err(|result| format!("seed {seed}: {result}"))
}

fn generate(seed: u32, directory: &Path) -> String {
    let mut csmith = Command::new("csmith");
    // It leaves a file behind where it is.
    csmith.args(["--seed", &seed.to_string()]).args(SIZE).current_dir(directory);
    let made = csmith.output().expect("csmith is installed: scripts/setup.sh --tests");
    String::from_utf8(made.stdout).unwrap()
}

/// The program with its first globals of a plain integer type made input.
fn with_input(program: &str) -> String {
    let globals = program.lines().filter_map(plain_integer).take(4);
    let marks: String = globals
        .map(|name| format!("cairn_symbolic((void *)&{name}, sizeof {name}, \"{name}\");\n"))
        .collect();
    let (before, body) = program.split_once("int main (int argc, char* argv[])\n{\n").unwrap();
    format!("#include <cairn.h>\n{before}int main(int argc, char *argv[])\n{{\n{marks}{body}")
}

/// The name in `static int16_t g_14 = 0x697EL;`.
fn plain_integer(line: &str) -> Option<&str> {
    let declared = line.strip_prefix("static ")?;
    let declared = declared.strip_prefix("volatile ").unwrap_or(declared);
    let (ty, rest) = declared.split_once(' ')?;
    let (name, _) = rest.split_once(" = ")?;
    (ty.ends_with("_t") && name.starts_with("g_") && !name.contains(['[', ' '])).then_some(name)
}

fn clang(source: &Path) -> Command {
    let include = root().join("include");
    let mut clang = Command::new(std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into()));
    clang.arg("-I").arg(&include).arg(source).arg(include.join("cairn_replay.c"));
    clang
}

fn build(mut compiler: impl std::borrow::BorrowMut<Command>, program: &Path) {
    let compiler = compiler.borrow_mut().args(["-w", "-O1", "-I/usr/include/csmith", "-o"]);
    let result = output_of(compiler.arg(program));
    assert_eq!(result.code, Some(0), "{}", result.stderr);
}

/// A few executions under the oracle.
fn explore(program: &Path, out: &Path) -> Result<(), String> {
    let options = ["run", "--oracle", "--execs", "5", "--out"].map(std::ffi::OsStr::new);
    let result = run(options.into_iter().chain([out.as_os_str(), program.as_os_str()]));
    let is_content = result.stdout.contains(", 0 differ\n") && !result.stdout.contains("path divergence");
    if is_content { Ok(()) } else { Err(format!("{result:?}")) }
}
