//! Definitions and uses: what one part of the input stores and another part's effect needs.

use crate::common::{build_instrumented, cairn, output_of, write_source};
use cairn_program::{Definitions, Program, VariableId};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Options in pairs of bytes: no branch on the input decides about the fault, which needs what several of them
/// store.
const OPTIONS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static int level, port, strict, trace, color, quiet, depth;
static void set(int key, int value) {
    switch (key) {
    case 'l': level = value; break;
    case 'p': port = value; break;
    case 's': strict = 1; break;
    case 't': trace = 1; break;
    case 'c': color = 1; break;
    case 'q': quiet = 1; break;
    case 'd': depth = value; break;
    }
}
int main(void) {
    int key, value;
    while ((key = getchar()) != EOF && (value = getchar()) != EOF) set(key, value);
    if (color) puts("colors");
    if (depth > 3) puts("deep");
    if (strict && trace)
        if (level > 50 && !quiet)
            if (port == 42) abort();
    return 0;
}
"#;
/// The arms of `auto` that know nothing of definitions.
const OTHER_ARMS: &str = "auto:cfg:once,cgs,random-branch,weights,mutation";
/// Executions of a campaign.
const BUDGET: u64 = 4_000;
/// Executions within which `auto` finds the fault with any of the seeds; it took 40 to 162 when this was written,
/// and 66 to 1,827 without definitions.
const BOUND: u64 = 400;

fn build(source: &str) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("program");
    build_instrumented(&write_source(place.path(), "options.c", source), &program);
    (place, program)
}

/// Returns the number of the execution that found the fault, or the budget if none did.
fn executions_to_fault(place: &Path, program: &Path, strategy: &str, seed: u64) -> u64 {
    let out = place.join(format!("{strategy}-{seed}").replace(':', "-"));
    let mut command = cairn();
    command.args(["run", "-q", "--sym-stdin", "16", "--strategy", strategy, "--seed", &seed.to_string()]);
    command.args(["--execs", &BUDGET.to_string(), "--out"]).arg(&out).arg(program);
    let result = output_of(&mut command);
    assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
    let names = std::fs::read_dir(out.join("crashes")).into_iter().flatten();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let execution = |name: String| name.split("execs:").nth(1)?.split(',').next()?.parse().ok();
    names.filter_map(execution).min().unwrap_or(BUDGET)
}

#[test]
fn stores_on_several_paths_are_brought_together() {
    let (place, program) = build(OPTIONS);
    let all = |strategy| -> Vec<u64> {
        (1..=5).map(|seed| executions_to_fault(place.path(), &program, strategy, seed)).collect()
    };
    let (with, without) = (all("auto"), all(OTHER_ARMS));
    assert!(with.iter().all(|executions| *executions < BOUND), "{with:?}");
    assert!(without.iter().sum::<u64>() > 3 * with.iter().sum::<u64>(), "{with:?}, {without:?} without");
}

/// Reads variables of all kinds.
const VARIABLES: &str = r#"
#include <stdio.h>
struct options { int first, second; };
static struct options options;
static int seen;
static void note(void) { seen = 5; }
static int limit(void) { return options.first; }
static int is_high(int value) {
    int high = 0;
    if (value == 'h') high = 7;
    return high;
}
int main(void) {
    struct options *all = &options;
    int c = getchar();
    if (c == 'a') all->second = 3;
    if (c == 'b') note();
    if (c == 'c') options.first = 9;
    if (options.second) puts("member");
    if (seen) puts("global");
    if (limit()) puts("getter");
    if (is_high(c)) puts("result");
    return 0;
}
"#;

#[test]
fn conditions_know_who_stores_what_they_read() {
    let (_place, program) = build(VARIABLES);
    let program = Program::read(&program).unwrap();
    let definitions = Definitions::new(&program);
    let constants = |variable: &VariableId| definitions.of(*variable).iter().filter_map(|store| store.1);
    let stored = |line: u32| -> Vec<u64> {
        let sites = program.sites().filter(|(_, site)| site.line == line && site.counted);
        sites.flat_map(|(_, site)| site.reads.iter().flat_map(constants)).collect()
    };
    let line = |text: &str| 1 + VARIABLES.lines().position(|line| line.contains(text)).unwrap() as u32;
    assert!(stored(line("if (options.second)")).contains(&3), "through a pointer");
    assert!(stored(line("if (seen)")).contains(&5), "by a small function");
    assert!(stored(line("if (limit())")).contains(&9), "returned by a small function");
    assert!(stored(line("if (is_high(c))")).contains(&7), "returned from a local");
    assert!(stored(line("if (c == 'a')")).is_empty(), "only the library stores to it");
}
