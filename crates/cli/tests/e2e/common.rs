//! Running `cairn`, and what it needs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Exit code and output of a command.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A `cairn` that finds its archives and its headers.
pub fn cairn() -> Command {
    let executable = Path::new(env!("CARGO_BIN_EXE_cairn"));
    let mut command = Command::new(executable);
    command.env("CAIRN_LIB_DIR", runtime_directory());
    command.env("CAIRN_INCLUDE_DIR", root().join("include"));
    // Records of the tests' campaigns are none of the user's.
    command.env("XDG_STATE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"));
    command
}

/// `cairn` with these arguments, to its end.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> CommandOutput {
    output_of(cairn().args(args))
}

/// A command to its end.
pub fn output_of(command: &mut Command) -> CommandOutput {
    let output = command.output().expect("the command can be started");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    CommandOutput { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// Compiles C with `cairn cc`, C++ with `cairn c++`.
pub fn build_instrumented(source: &Path, program: &Path) {
    let compiler = if is_cxx(source) { "c++" } else { "cc" };
    let result = output_of(cairn().arg(compiler).arg(source).arg("-lm").arg("-o").arg(program));
    assert_eq!(result.code, Some(0), "cairn {compiler} {}: {}", source.display(), result.stderr);
}

fn is_cxx(source: &Path) -> bool {
    source.extension().is_some_and(|extension| extension == "cc")
}

/// Compiles C with clang alone; the program tells on standard error where it crashes.
pub fn build_plain(source: &Path, program: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e");
    let include = root().join("include");
    let mut clang = Command::new(std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into()));
    clang.args(["-O0", "-g", "-no-pie", "-I"]).arg(&include).arg(source).arg("-o").arg(program);
    clang.args(is_cxx(source).then_some("-lstdc++"));
    clang.arg(here.join("fault_frames.c")).arg(include.join("cairn_replay.c")).arg("-lm");
    let result = output_of(&mut clang);
    assert_eq!(result.code, Some(0), "clang {}: {}", source.display(), result.stderr);
}

/// Writes a C file.
pub fn write_source(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Builds the runtime and the models beside the `cairn` under test, once. It cannot be a dependency of the tests: it
/// has no standard library, and must not get the features that other crates want.
fn runtime_directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let profile = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root()).args(["build", "--quiet", "-p", "cairn-runtime", "--target-dir"]);
        cargo.arg(profile.parent().unwrap());
        if profile.file_name() == Some("release".as_ref()) {
            cargo.arg("--release");
        }
        let result = output_of(&mut cargo);
        assert_eq!(result.code, Some(0), "building the runtime: {}", result.stderr);
        run_script("trim-runtime.sh", profile);
        run_script("build-models.sh", profile);
        profile.to_owned()
    })
}

/// Runs a step of the build that is not cargo's, on the directory with the `cairn` under test.
fn run_script(name: &str, directory: &Path) {
    let mut script = Command::new(root().join("scripts").join(name));
    let result = output_of(script.arg(directory));
    assert_eq!(result.code, Some(0), "{name}: {}", result.stderr);
}
