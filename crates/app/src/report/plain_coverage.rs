//! Coverage of the tests on a plain build, as llvm-cov measures it.

use super::retrace::Retraced;
use crate::error::Error;
use crate::frontend::Frontend;
use crate::native::run_plain;
use crate::rebuild::{Rebuild, Variant};
use crate::{temporary, toolchain};
use cairn_deadline::Deadline;
use cairn_exec::{Limits, TargetSpec};
use cairn_report::{ExecutedFile, ExecutedFunction, Plain, Report};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiler options. Counters are mapped from the profile while the program runs, so that a crash loses
/// nothing.
const FLAGS: [&str; 6] =
    ["-g", "-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm", "-runtime-counter-relocation"];

/// A plain build with llvm-cov's counters.
pub struct PlainBuild {
    scratch: tempfile::TempDir,
    spec: TargetSpec,
    limits: Limits,
}

impl PlainBuild {
    /// Builds the program that `spec` describes how to run again, from the records in it.
    pub fn new(spec: &TargetSpec, limits: Limits, frontend: &dyn Frontend) -> Result<PlainBuild, Error> {
        let scratch = temporary::directory()?;
        let program = scratch.path().join("program");
        let variant = Variant {
            name: "coverage",
            options: FLAGS.map(OsString::from).to_vec(),
            link_options: &[],
            own: &["cairn_replay.c"],
        };
        let rebuild =
            Rebuild { program: spec.path.clone(), is_sandboxed: spec.sandbox, stop: frontend.stop_flag()? };
        let mut shown: Option<Box<dyn FnMut(usize)>> = None;
        let mut progress = |done, total| {
            shown.get_or_insert_with(|| frontend.begin("files compiled for a plain build", total))(done);
        };
        rebuild
            .build(&variant, &program, &mut progress)
            .map_err(|error| Error::new(format_args!("a plain build: {error}")))?;
        let mut spec = TargetSpec { path: program, coverage: 0, ..spec.clone() };
        spec.writable = Some(scratch.path().to_owned());
        Ok(PlainBuild { scratch, spec, limits })
    }

    fn run(&self, tests: &[Retraced], frontend: &dyn Frontend) -> Result<(), Error> {
        let mut progress = frontend.begin("tests run on a plain build", tests.len());
        for (number, test) in tests.iter().enumerate() {
            progress(number);
            let mut spec = self.spec.clone();
            let profile = self.scratch.path().join(format!("{number}%c.profraw"));
            spec.env.push(("LLVM_PROFILE_FILE".into(), profile.into()));
            run_plain(spec, &self.limits, &test.input, &Deadline::never())?;
        }
        Ok(())
    }

    /// Merges the profiles of all runs; returns the merged one.
    fn merge(&self) -> Result<PathBuf, Error> {
        let (list, merged) = (self.scratch.path().join("list"), self.scratch.path().join("merged"));
        let is_profile = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "profraw");
        let entries = std::fs::read_dir(self.scratch.path())?.flatten().map(|entry| entry.path());
        let profiles: Vec<String> =
            entries.filter(is_profile).map(|path| path.display().to_string()).collect();
        if profiles.is_empty() {
            return Err(Error::new("a plain build: no test could be run on it"));
        }
        std::fs::write(&list, profiles.join("\n"))?;
        let mut from = OsString::from("--input-files=");
        from.push(&list);
        run_command(
            Command::new(tool("llvm-profdata")).args(["merge", "-sparse"]).arg(from).arg("-o").arg(&merged),
        )?;
        Ok(merged)
    }

    /// Exports llvm-cov's figures over all runs, in its own or lcov's format.
    fn export(&self, merged: &Path, format: &str) -> Result<Vec<u8>, Error> {
        let mut profile = OsString::from("-instr-profile=");
        profile.push(merged);
        let format = format!("-format={format}");
        run_command(
            Command::new(tool("llvm-cov")).args(["export", &format]).arg(&self.spec.path).arg(profile),
        )
    }
}

/// Runs the tests on a plain build, and adds llvm-cov's figures to the report: all lines and functions, and
/// the branches of each file.
pub fn measure(
    build: &PlainBuild,
    tests: &[Retraced],
    report: &mut Report,
    frontend: &dyn Frontend,
) -> Result<(), Error> {
    build.run(tests, frontend)?;
    let merged = build.merge()?;
    let exported: Value = serde_json::from_slice(&build.export(&merged, "text")?)?;
    for file in exported["data"][0]["files"].as_array().into_iter().flatten() {
        let count = |name: &str| file["summary"]["branches"][name].as_u64();
        let name = file["filename"].as_str().unwrap_or_default();
        let ours = report.files.iter_mut().find(|ours| is_same(&ours.path, name));
        if let (Some(ours), Some(branches), Some(covered)) = (ours, count("count"), count("covered")) {
            let conditions = conditions(file);
            ours.plain = Some(Plain { branches, covered, lines: lines(&conditions), conditions });
        }
    }
    let tracefile = build.export(&merged, "lcov")?;
    let mut executed = executed(&String::from_utf8_lossy(&tracefile));
    for file in &mut executed {
        let ours = report.files.iter().find(|ours| is_same(&ours.path, &file.path));
        file.path = ours.map_or_else(|| file.path.clone(), |ours| ours.path.clone());
    }
    report.executed = Some(executed);
    Ok(())
}

/// Parses the lines and functions of every file of an lcov tracefile.
fn executed(tracefile: &str) -> Vec<ExecutedFile> {
    let mut files: Vec<ExecutedFile> = Vec::new();
    for (key, value) in tracefile.lines().filter_map(|line| line.split_once(':')) {
        if key == "SF" {
            files.push(ExecutedFile { path: value.to_owned(), lines: Vec::new(), functions: Vec::new() });
        }
        let Some((file, (first, second))) = files.last_mut().zip(value.split_once(',')) else { continue };
        match (key, first.parse(), second.parse()) {
            ("DA", Ok(line), Ok(count)) => file.lines.push((line, count)),
            ("FN", Ok(line), _) => {
                file.functions.push(ExecutedFunction { name: second.to_owned(), line, calls: 0 });
            }
            ("FNDA", Ok(calls), _) => {
                let named = file.functions.iter_mut().find(|function| function.name == second);
                named.into_iter().for_each(|function| function.calls = calls);
            }
            _ => {}
        }
    }
    files
}

/// Returns line, column and the counts of true and false of every condition of a file. A condition inside a
/// macro is where the macro is invoked.
fn conditions(file: &Value) -> Vec<(u64, u64, u64, u64)> {
    let number = |region: &Value, index: usize| region[index].as_u64().unwrap_or(0);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let condition =
        |at: &Value, branch: &Value| (number(at, 0), number(at, 1), number(branch, 4), number(branch, 5));
    let own = list(&file["branches"]).into_iter().map(|branch| condition(&branch, &branch));
    let inside = list(&file["expansions"]).into_iter().flat_map(|expansion| {
        let branches = list(&expansion["branches"]);
        branches.into_iter().map(move |branch| condition(&expansion["source_region"], &branch))
    });
    let mut all: Vec<_> = own.chain(inside).collect();
    all.sort_unstable();
    all
}

/// Counts branches and covered branches by line.
fn lines(conditions: &[(u64, u64, u64, u64)]) -> Vec<(u64, u64, u64)> {
    let mut lines: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (line, _, yes, no) in conditions {
        let line = lines.entry(*line).or_default();
        line.0 += 2;
        line.1 += u64::from(*yes > 0) + u64::from(*no > 0);
    }
    lines.into_iter().map(|(line, (branches, covered))| (line, branches, covered)).collect()
}

fn is_same(ours: &str, theirs: &str) -> bool {
    let real = |path: &str| Path::new(path).canonicalize().ok();
    ours == theirs || (real(ours).is_some() && real(ours) == real(theirs))
}

/// Returns a tool of LLVM, by Debian's name if that exists.
fn tool(name: &str) -> PathBuf {
    let debians = format!("{name}-19");
    toolchain::on_path(&debians).unwrap_or_else(|| name.into())
}

/// Runs a command to its end; returns its output.
fn run_command(command: &mut Command) -> Result<Vec<u8>, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| Error::cannot("run", Path::new(&name), error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let first = said.lines().find(|line| line.contains("error")).or(said.lines().next()).unwrap_or_default();
    Err(Error::new(format_args!("a plain build: {name} failed: {first}")))
}
