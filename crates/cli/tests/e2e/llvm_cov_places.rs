//! Branches, lines and functions beside llvm-cov's: at the same places, with the same coverage.

use crate::common::{build_instrumented, cairn, output_of, root, run, write_source};
use crate::example::{Example, Part};
use cairn_program::{Program, Site, SiteKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Line and column.
type Place = (u64, u64);

/// Macros that decide what is included of libc's headers: as `cairn cc` has them.
const PLAIN_LIBRARY: [&str; 2] = ["-D__NO_STRING_INLINES", "-D__NO_CTYPE"];

/// Compiles a source for llvm-cov.
fn build_counting(source: &Path, program: &Path) {
    let include = root().join("include");
    let is_cxx = source.extension().is_some_and(|extension| extension == "cc");
    let mut clang = Command::new("clang-19");
    clang.args(["-w", "-fprofile-instr-generate", "-fcoverage-mapping"]);
    clang.args(["-mllvm", "-runtime-counter-relocation", "-isystem"]).arg(&include).args(PLAIN_LIBRARY);
    clang.arg(source).args(["-x", "c", "-w"]).arg(include.join("cairn_replay.c"));
    clang.args(["-x", "none", "-lm"]).args(is_cxx.then_some("-lstdc++")).arg("-o").arg(program);
    finish(&mut clang);
}

/// Exports llvm-cov's regions of a source, without any run.
fn exported(source: &Path, directory: &Path) -> Value {
    let (program, text, profile) =
        (directory.join("counting"), directory.join("none.txt"), directory.join("none.profdata"));
    build_counting(source, &program);
    std::fs::write(&text, "").unwrap();
    finish(Command::new("llvm-profdata-19").arg("merge").arg(&text).arg("-o").arg(&profile));
    let mut export = Command::new("llvm-cov-19");
    let told = finish(export.arg("export").arg(&program).arg("-instr-profile").arg(&profile));
    serde_json::from_str(&told).unwrap()
}

fn finish(command: &mut Command) -> String {
    let result = output_of(command);
    assert_eq!(result.code, Some(0), "{command:?}: {}", result.stderr);
    result.stdout
}

/// Returns the locations of llvm-cov's branches in a file: at conditions, at macros with conditions inside,
/// at labels.
fn llvms_places(told: &Value, source: &Path) -> BTreeSet<Place> {
    let files = told["data"][0]["files"].as_array().unwrap();
    let is_it =
        |file: &&Value| Path::new(file["filename"].as_str().unwrap()).ends_with(source.file_name().unwrap());
    let Some(file) = files.iter().find(is_it) else { return BTreeSet::new() };
    let place = |region: &Value| (region[0].as_u64().unwrap(), region[1].as_u64().unwrap());
    let expansions = file["expansions"].as_array().unwrap().iter();
    let expansions = expansions.filter(|expansion| !expansion["branches"].as_array().unwrap().is_empty());
    let direct = file["branches"].as_array().unwrap().iter().map(place);
    direct.chain(expansions.map(|expansion| place(&expansion["source_region"]))).collect()
}

/// The conditions that Cairn has sites for.
fn our_places(program: &Path, source: &Path) -> BTreeSet<Place> {
    let program = Program::read(program).unwrap();
    let is_condition = |site: &Site| {
        matches!(site.kind, SiteKind::Branch | SiteKind::Select) && site.contents.check().is_none()
    };
    let source = source.canonicalize().unwrap();
    let is_here = |file: &str| Path::new(file).canonicalize().is_ok_and(|file| file == source);
    let is_ours = |site: &Site| site.counted && is_condition(site) && is_here(&site.file);
    let sites = program.sites().map(|(_, site)| site).filter(|site| is_ours(site));
    sites.map(|site| (u64::from(site.line), u64::from(site.column))).collect()
}

/// Returns the text before and after a location.
fn around(text: &str, (line, column): Place) -> (&str, &str) {
    let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    text.split_at(start + column as usize - 1)
}

/// True if docs/coverage.md says why Cairn has no branch where llvm-cov has one: a label, a condition that is constant, a
/// sequence, or the last operand of `&&` or `||` whose value is used.
fn is_explained(text: &str, place: Place) -> bool {
    let (before, behind) = around(text, place);
    let is_label = ["case ", "default:", "case'"].iter().any(|word| behind.starts_with(word));
    // Where llvm-cov has the default of a switch without one.
    let is_switch = before.ends_with("switch (");
    let is_constant = behind.starts_with(|c: char| c.is_ascii_digit());
    let operator = before.trim_end_matches(|c: char| c.is_whitespace() || c == '(' || c == '!');
    let is_right = operator.ends_with("&&") || operator.ends_with("||");
    let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default().trim_start();
    let keywords = ["if", "else", "while", "for", "do", "switch"];
    let word = statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let is_argument =
        !word.is_empty() && !keywords.contains(&word) && statement[word.len()..].starts_with('(');
    let is_value = is_argument || statement.starts_with("return") || statement.contains(" = ");
    // Of `x, a && b` Cairn has the operands, llvm-cov the whole as well.
    let is_sequence =
        behind.starts_with('(') && behind.split("&&").next().is_some_and(|part| part.contains("), "));
    // `!(a ? 3 : 0)` decides once: llvm-cov has both `a` and the whole, Cairn the whole.
    let is_same_decision = before.ends_with('!') && is_macro(text, place);
    is_same_decision || is_label || is_switch || is_constant || is_sequence || (is_right && is_value)
}

/// True at code that clang makes branches for without any condition in the source: filling an array, matching an exception.
fn is_clangs_own(text: &str, place: Place) -> bool {
    let (_, behind) = around(text, place);
    behind.starts_with("{ ") || behind.starts_with("} catch")
}

/// Compares one source; how many places agree.
fn compare(source: &Path) -> usize {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    build_instrumented(source, &program);
    let source = source.canonicalize().unwrap();
    let (ours, theirs) =
        (our_places(&program, &source), llvms_places(&exported(&source, directory.path()), &source));
    let text = std::fs::read_to_string(&source).unwrap();
    let only_ours: Vec<&Place> =
        ours.difference(&theirs).filter(|place| !is_clangs_own(&text, **place)).collect();
    let only_theirs: Vec<&Place> =
        theirs.difference(&ours).filter(|place| !is_explained(&text, **place)).collect();
    assert!(
        only_ours.is_empty() && only_theirs.is_empty(),
        "{}: only Cairn has {only_ours:?}, only llvm-cov {only_theirs:?}",
        source.display()
    );
    ours.intersection(&theirs).count()
}

fn sources(directory: &str) -> Vec<PathBuf> {
    Example::all(directory).into_iter().map(|example| example.source).collect()
}

#[test]
fn every_condition_of_the_examples_is_where_llvm_cov_has_it() {
    let agreeing: usize = sources("examples").iter().map(|source| compare(source)).sum();
    assert!(agreeing > 200, "only {agreeing} conditions were compared");
}

#[test]
fn every_condition_of_the_tests_is_where_llvm_cov_has_it() {
    let agreeing: usize = sources("tests").iter().map(|source| compare(source)).sum();
    assert!(agreeing > 400, "only {agreeing} conditions were compared");
}

#[test]
fn every_condition_of_a_realistic_parser_is_where_llvm_cov_has_it() {
    let agreeing = compare(&root().join("tests/regressions/settings_reader.c"));
    assert!(agreeing > 80, "only {agreeing} conditions were compared");
}

#[test]
fn the_last_operand_of_a_condition_has_its_own_line() {
    let directory = tempfile::tempdir().unwrap();
    let (source, program) =
        (root().join("tests/regressions/condition_lines.c"), directory.path().join("program"));
    build_instrumented(&source, &program);
    let ours = our_places(&program, &source.canonicalize().unwrap());
    assert_eq!(ours, BTreeSet::from([(4, 9), (5, 12)]));
}

/// Clang 19 cannot emit all functions of this header: one of them names the wrong processor. The unused function is one
/// that it would have to.
#[test]
fn every_condition_of_a_source_with_vector_intrinsics_is_where_llvm_cov_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(
        directory.path(),
        "vector.c",
        "#include <immintrin.h>\n#include <stdio.h>\n#include <unistd.h>\n\
         static int unused(int x) { return x; }\n\
         int main(void) {\n    unsigned char b[16] = {0};\n    if (read(0, b, 16) < 16 ||\n        b[0] == 'x') return 1;\n\
         \x20   __m128i v = _mm_loadu_si128((__m128i *)b);\n\
         \x20   if (b[1] > 3 &&\n        _mm_extract_epi16(v, 1) == 7) puts(\"seven\");\n    return 0;\n}\n",
    );
    let compiled = output_of(cairn().arg("cc").arg(&source).arg("-o").arg(directory.path().join("vector")));
    assert_eq!((compiled.code, compiled.stderr.as_str()), (Some(0), ""));
    assert_eq!(compare(&source), 4);
}

/// Clang 19 crashes when it maps a function that is offered for inlining and then defined.
#[test]
fn a_source_that_clang_cannot_map_is_compiled_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(
        directory.path(),
        "twice.c",
        "extern inline __attribute__((gnu_inline)) int f(int x) { return x; }\n\
         int f(int x) { return x > 1 ? 3 : 4; }\nint main(int argc, char **argv) { return f(argc); }\n",
    );
    let program = directory.path().join("program");
    build_instrumented(&source, &program);
    assert_eq!(our_places(&program, &source).len(), 1);
    assert_eq!(output_of(&mut Command::new(&program)).code, Some(4));
}

#[test]
fn every_form_of_condition_is_where_llvm_cov_has_it() {
    let agreeing = compare(&root().join("tests/regressions/condition_places.c"));
    assert!(agreeing > 30, "only {agreeing} conditions were compared");
}

/// A campaign with an example; its directory.
fn explore(example: &Example, directory: &Path) -> PathBuf {
    let out = directory.join("out");
    let mut words = vec!["run", "--quiet", "--execs", "150", "--strategy", &example.strategy, "--out"];
    let options = example.options();
    words.extend([out.to_str().unwrap(), example.source.to_str().unwrap()]);
    words.extend(options.iter().map(String::as_str));
    let result = run(words);
    assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
    out
}

/// A report of a campaign in a format.
fn report(campaign: &Path, options: &[&str]) -> String {
    let result = run([&["report", campaign.to_str().unwrap()], options].concat());
    assert_eq!(result.code, Some(0), "{result:?}");
    result.stdout
}

/// Examples that read nothing but standard input.
fn stdin_examples() -> Vec<Example> {
    let reads_stdin = |example: &Example| matches!(example.parts[..], [Part::Stdin(_)]);
    Example::all("examples").into_iter().filter(reads_stdin).collect()
}

/// Sites whose sides are true and false, by place: whether each was covered. Sites at one place are taken together.
fn our_sides(file: &Value) -> BTreeMap<Place, [bool; 2]> {
    let mut sides: BTreeMap<Place, [bool; 2]> = BTreeMap::new();
    for site in file["sites"].as_array().unwrap().iter().filter(|site| site["kind"] != "switch") {
        let place = (site["line"].as_u64().unwrap(), site["column"].as_u64().unwrap());
        for side in site["sides"].as_array().unwrap() {
            let index = usize::from(side["label"] == "true");
            sides.entry(place).or_default()[index] |= side["covered"] == true;
        }
    }
    sides
}

fn llvms_sides(file: &Value) -> BTreeMap<Place, [bool; 2]> {
    let mut sides: BTreeMap<Place, [bool; 2]> = BTreeMap::new();
    for condition in file["plain"]["conditions"].as_array().unwrap() {
        let number = |index: usize| condition[index].as_u64().unwrap();
        let covered = sides.entry((number(0), number(1))).or_default();
        *covered = [covered[0] | (number(3) > 0), covered[1] | (number(2) > 0)];
    }
    sides
}

/// True if a macro of ours is invoked at a place.
fn is_macro(text: &str, place: Place) -> bool {
    let (_, behind) = around(text, place);
    let name = behind.split(|c: char| !c.is_ascii_uppercase() && c != '_').next().unwrap_or_default();
    name.len() > 1 && behind[name.len()..].starts_with('(')
}

#[test]
fn every_condition_is_true_and_false_when_llvm_cov_says_so() {
    let (mut compared, mut equal) = (0_u32, 0_u32);
    let mut examples = stdin_examples();
    assert!(examples.len() > 5, "only {} examples", examples.len());
    let parser = root().join("tests/regressions/settings_reader.c");
    examples.push(Example { source: parser, parts: vec![Part::Stdin(12)], ..Example::named("date") });
    for example in examples {
        let directory = tempfile::tempdir().unwrap();
        let out = explore(&example, directory.path());
        let told: Value =
            serde_json::from_str(&report(&out, &["--format", "json", "--replay-coverage"])).unwrap();
        for file in told["files"].as_array().unwrap() {
            let text = std::fs::read_to_string(file["path"].as_str().unwrap()).unwrap();
            let theirs = llvms_sides(file);
            for (place, mut sides) in our_sides(file) {
                let mut expected = theirs.get(&place).copied();
                if is_macro(&text, place) {
                    // Which side a macro's `!` makes true is not told: compare what was covered at all.
                    sides.sort_unstable();
                    expected.iter_mut().for_each(|sides| sides.sort_unstable());
                }
                let path = &file["path"];
                let expected =
                    expected.unwrap_or_else(|| panic!("{path}:{place:?}: llvm-cov has no condition here"));
                // llvm-cov computes one side from the other: a run that ends in a call before is counted as if it returned.
                let is_wrong = (0..2).any(|side| sides[side] && !expected[side]);
                assert!(
                    !is_wrong,
                    "{path}:{place:?}: false and true are {sides:?}, for llvm-cov {expected:?}"
                );
                (compared, equal) = (compared + 1, equal + u32::from(sides == expected));
            }
        }
    }
    assert!(compared - equal <= compared / 50, "{equal} of {compared} conditions agree");
    assert!(compared > 150, "only {compared} conditions were compared");
}

/// Lines and functions of a tracefile, and how often they were executed. The sums are left out: llvm-cov's leave out lines of macros
/// that it lists.
#[derive(PartialEq, Debug, Default)]
struct Traced {
    lines: BTreeMap<u64, u64>,
    functions: BTreeMap<String, u64>,
}

fn traced(text: &str) -> BTreeMap<String, Traced> {
    let mut files: BTreeMap<String, Traced> = BTreeMap::new();
    let mut current = String::new();
    for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let file = files.entry(current.clone()).or_default();
        match (key, value.split_once(',')) {
            ("SF", _) => current = value.to_owned(),
            ("DA", Some((line, count))) => {
                file.lines.insert(line.parse().unwrap(), count.parse().unwrap());
            }
            ("FNDA", Some((count, name))) => {
                file.functions.insert(name.to_owned(), count.parse().unwrap());
            }
            _ => {}
        }
    }
    files.remove("");
    files
}

/// Runs every test of a campaign on a build for llvm-cov; what that says of lines and functions.
fn llvms_tracefile(example: &Example, campaign: &Path, directory: &Path) -> String {
    let program = directory.join("counting");
    build_counting(&example.source, &program);
    let mut merge = Command::new("llvm-profdata-19");
    merge.arg("merge");
    for kind in ["queue", "crashes"] {
        for test in std::fs::read_dir(campaign.join(kind)).into_iter().flatten() {
            let test = test.unwrap();
            let name = test.file_name();
            if !name.to_string_lossy().starts_with("id:") || name.to_string_lossy().ends_with(".txt") {
                continue;
            }
            // With `%c` the counters lie in the file itself, and survive a crash.
            let profile = directory.join(format!("{kind}-{}-%c.profraw", name.to_string_lossy()));
            let input = std::fs::File::open(test.path()).unwrap();
            output_of(Command::new(&program).stdin(input).env("LLVM_PROFILE_FILE", &profile));
            merge.arg(profile.display().to_string().replace("%c", ""));
        }
    }
    let merged = directory.join("merged");
    finish(merge.arg("-o").arg(&merged));
    let mut export = Command::new("llvm-cov-19");
    finish(export.args(["export", "-format=lcov"]).arg(&program).arg("-instr-profile").arg(&merged))
}

#[test]
fn lines_and_functions_of_a_tracefile_are_those_of_llvm_cov() {
    for name in ["calculator", "utf8", "deque", "lists"] {
        let directory = tempfile::tempdir().unwrap();
        let example = Example::named(name);
        let out = explore(&example, directory.path());
        let ours = traced(&report(&out, &["--format", "lcov"]));
        let theirs = traced(&llvms_tracefile(&example, &out, directory.path()));
        let file = example.source.canonicalize().unwrap().display().to_string();
        let find = |files: &BTreeMap<String, Traced>| {
            let found = files
                .keys()
                .find(|path| Path::new(path).canonicalize().unwrap().display().to_string() == file);
            found.unwrap_or_else(|| panic!("{file} is not in {:?}", files.keys())).clone()
        };
        assert_eq!(ours[&find(&ours)], theirs[&find(&theirs)], "{name}");
    }
}

#[test]
fn a_tracefile_of_a_program_without_records_says_that_it_has_only_lines_with_branches() {
    let directory = tempfile::tempdir().unwrap();
    let (program, out) = (directory.path().join("program"), directory.path().join("out"));
    let mut compiler = cairn();
    let compiler = compiler.env("CAIRN_CC_RECORD", "0").arg("cc").arg(&Example::named("calculator").source);
    assert_eq!(output_of(compiler.arg("-o").arg(&program)).code, Some(0));
    let result = run(["run", "--quiet", "--sym-stdin", "4", "--execs", "20", "--out"]
        .map(std::ffi::OsStr::new)
        .into_iter()
        .chain([out.as_os_str(), program.as_os_str()]));
    assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
    let told = run(["report", out.to_str().unwrap(), "--format", "lcov"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.stderr.contains("only lines and functions with branches are listed"), "{}", told.stderr);
    assert!(told.stdout.contains("\nDA:") && told.stdout.contains("\nFN:"), "{}", told.stdout);
}
