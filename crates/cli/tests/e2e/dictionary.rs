//! The dictionary: learnt from runs, taken from the program and from files, used to fill inputs, and read by other tools.

use crate::common::{build_instrumented, output_of, run, write_source};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Looks for keywords with strcmp, switches and a wide comparison; its table is compared by a checksum only.
const KEYWORDS: &str = r#"
#include <stdint.h>
#include <string.h>
#include <unistd.h>
static const char *const table[] = { "alpha", "omega" };
static uint8_t sum(const char *text)
{
    uint8_t sum = 0;
    while (*text)
        sum = sum * 31 + *text++;
    return sum;
}
int explore(const char *b)
{
    uint32_t magic;
    memcpy(&magic, b + 12, sizeof magic);
    if (magic == 0x89abcdef)
        return 9;
    if (strcmp(b, "begin") == 0)
        return 1;
    if (strcmp(b, "terminate") == 0)
        return 2;
    if (b[0] == 'f' && b[1] == 'o' && b[2] == 'r')
        return 3;
    for (int i = 0; i < 2; i++)
        if (sum(b) == sum(table[i]))
            return 4 + i;
    return 0;
}
#ifdef FUZZ
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char b[17] = {0};
    memcpy(b, data, size < 16 ? size : 16);
    explore(b);
    return 0;
}
#else
int main(void)
{
    char b[17] = {0};
    if (read(0, b, 16) < 16)
        return 0;
    return explore(b);
}
#endif
"#;

/// Has a gate that only a string can open which the solver never sees: assembly hides it.
const HIDDEN: &str = r#"
#include <unistd.h>
int main(void)
{
    char b[16] = {0};
    unsigned hidden, marks = 0;
    if (read(0, b, 16) < 16 || b[0] != '<')
        return 0;
    for (int i = 6; i < 16; i++)
        if (b[i] == '!')
            marks++;
    hidden = b[1] << 24 | b[2] << 16 | b[3] << 8 | b[4];
    __asm__ volatile("xorl $0x5a5a, %0" : "+r"(hidden));
    if (hidden == (('o' << 24 | 'p' << 16 | 'e' << 8 | 'n') ^ 0x5a5a))
        return 2;
    return marks > 5;
}
"#;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs a campaign; returns its directory.
fn campaign(place: &Path, program: &Path, name: &str, more: &[&str]) -> PathBuf {
    let out = place.join(name);
    let args = ["run", "--quiet", "--sym-stdin", "16", "--out", text(&out), text(program)];
    let result = run(args.iter().chain(more));
    assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
    out
}

/// Exports the dictionary of a campaign.
fn export(campaign: &Path, to: &Path) -> String {
    let result = run(["export", text(campaign), "--format", "dict", "--out", text(to)]);
    assert_eq!(result.code, Some(0), "{result:?}");
    let dictionary = fs::read_to_string(to).unwrap();
    let entries = dictionary.lines().count();
    assert_eq!(result.stdout, format!("{entries} entries in {}\n", to.display()));
    dictionary
}

/// A campaign on the program with keywords, and its dictionary.
fn keywords(place: &Path) -> (PathBuf, PathBuf, String) {
    let source = write_source(place, "keywords.c", KEYWORDS);
    build_instrumented(&source, &place.join("keywords"));
    let campaign = campaign(place, &place.join("keywords"), "campaign", &["--execs", "600"]);
    let dictionary = export(&campaign, &place.join("learnt.dict"));
    (source, campaign, dictionary)
}

#[test]
fn a_campaign_learns_the_strings_that_a_program_looks_for() {
    let place = tempfile::tempdir().unwrap();
    let (_, campaign, dictionary) = keywords(place.path());
    let has = |origin: &str, entry: &str| {
        dictionary.lines().any(|line| line.starts_with(origin) && line.ends_with(&format!("={entry}")))
    };
    for word in [r#""begin""#, r#""terminate""#, r#""for""#, r#""\xef\xcd\xab\x89""#] {
        assert!(has("satisfied_", word), "{word} in\n{dictionary}");
    }
    for prefix in [r#""termin""#, r#""terminat""#] {
        assert!(!dictionary.contains(prefix), "{prefix} in\n{dictionary}");
    }
    for literal in [r#""alpha""#, r#""omega""#] {
        assert!(has("program_", literal), "{literal} in\n{dictionary}");
    }
    let again = run([
        "export",
        text(&campaign),
        "--format",
        "dict",
        "--out",
        text(&place.path().join("learnt.dict")),
    ]);
    assert_eq!(again.code, Some(2), "no file is overwritten: {again:?}");
}

#[test]
fn given_strings_fill_what_the_solver_leaves_open() {
    let place = tempfile::tempdir().unwrap();
    build_instrumented(&write_source(place.path(), "hidden.c", HIDDEN), &place.path().join("hidden"));
    let program = place.path().join("hidden");
    let dictionary = place.path().join("words");
    fs::write(&dictionary, "# of the gate\nshut=\"shut\"\nopen@1=\"open\"\n").unwrap();
    let opened = |name: &str, level: &[&str]| {
        let options = ["--execs", "200", "--time", "60s", "--strategy", "cgs"];
        let out = campaign(place.path(), &program, name, &[&options, level].concat());
        let tests = fs::read_dir(out.join("queue")).unwrap().map(|entry| fs::read(entry.unwrap().path()));
        tests.filter(|test| test.as_ref().unwrap().starts_with(b"<open")).count()
    };
    let with_level = format!("{}@1", dictionary.display());
    assert!(opened("with", &["--dict", &with_level]) > 0);
    assert_eq!(opened("without", &["--dict", text(&dictionary)]), 0);
}

#[test]
fn a_malformed_dictionary_is_refused_in_one_sentence() {
    let place = tempfile::tempdir().unwrap();
    let dictionary = place.path().join("words");
    fs::write(&dictionary, "\"fine\"\n\"not fine\n").unwrap();
    let source = write_source(place.path(), "hidden.c", HIDDEN);
    let out = place.path().join("out");
    let result = run(["run", "--out", text(&out), "--dict", text(&dictionary), text(&source)]);
    assert_eq!(result.code, Some(2));
    let sentence = format!("{}, line 2: the closing quote is missing", dictionary.display());
    assert!(result.stderr.trim_end().ends_with(&sentence), "{result:?}");
    assert!(!out.exists());
}

#[test]
fn afl_and_libfuzzer_read_an_exported_dictionary() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let (source, _, dictionary) = keywords(place.path());
    let built = output_of(Command::new("afl-clang-fast").arg(&source).arg("-o").arg(at("afl")));
    assert_eq!(built.code, Some(0), "{built:?}");
    fs::create_dir(at("seeds")).unwrap();
    fs::write(at("seeds/seed"), "nothing special.").unwrap();
    let mut afl = Command::new("afl-fuzz");
    afl.env("AFL_NO_UI", "1").env("AFL_SKIP_CPUFREQ", "1").env("AFL_NO_AFFINITY", "1");
    afl.env("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1");
    let levels = format!("{}@3", at("learnt.dict").display());
    afl.args(["-E", "100", "-i"]).arg(at("seeds")).arg("-o").arg(at("found")).args(["-x", &levels, "--"]);
    let fuzzed = output_of(afl.arg(at("afl")));
    let entries = dictionary.lines().count();
    let loaded = format!("Loaded {entries} extra tokens");
    assert!(fuzzed.code == Some(0) && fuzzed.stdout.contains(&loaded), "{loaded}: {fuzzed:?}");

    let mut clang = Command::new("clang-19");
    clang.args(["-fsanitize=fuzzer", "-DFUZZ"]).arg(&source).arg("-o").arg(at("fuzzer"));
    assert_eq!(output_of(&mut clang).code, Some(0));
    let mut fuzzer = Command::new(at("fuzzer"));
    fuzzer.arg(format!("-dict={}", at("learnt.dict").display())).arg("-runs=100");
    let fuzzed = output_of(&mut fuzzer);
    let loaded = format!("Dictionary: {entries} entries");
    assert!(fuzzed.code == Some(0) && fuzzed.stderr.contains(&loaded), "{loaded}: {fuzzed:?}");
}
