//! `cairn doctor` names what stalls a campaign, and where.

use crate::common::{run, write_source};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// A reason: its kind, its line in the source, and what it is about.
type ReasonKey = (String, Option<u64>, Option<String>);

/// Returns the doctor's reasons for a program.
fn reasons(options: &[&str], source: &str) -> BTreeSet<ReasonKey> {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(directory.path(), "patient.c", source);
    let result = run(["doctor", "--json"].iter().chain(options).copied().chain([source.to_str().unwrap()]));
    assert_eq!(result.code, Some(0), "{result:?}");
    let answer: Value = serde_json::from_str(&result.stdout).unwrap();
    assert!(answer["executions"].as_u64() > Some(0), "{answer}");
    answer["reasons"].as_array().unwrap().iter().map(reason_key).collect()
}

fn reason_key(reason: &Value) -> ReasonKey {
    assert!(reason["count"].as_u64() > Some(0), "{reason}");
    let line = reason["place"].as_str().map(|place| {
        let (file, line) = place.rsplit_once(':').unwrap();
        assert!(Path::new(file).exists(), "{file} cannot be opened");
        line.parse().unwrap()
    });
    (reason["kind"].as_str().unwrap().to_owned(), line, reason["about"].as_str().map(str::to_owned))
}

fn expected<const N: usize>(reasons: [(&str, Option<u64>, Option<&str>); N]) -> BTreeSet<ReasonKey> {
    reasons.into_iter().map(|(kind, line, about)| (kind.to_owned(), line, about.map(str::to_owned))).collect()
}

#[test]
fn a_program_without_trouble_is_well() {
    let source = "#include <unistd.h>\nint main(void) {\n char c;\n if (read(0, &c, 1) != 1) return 1;\n return c == 'x' ? 2 : 0;\n}\n";
    assert_eq!(reasons(&["--sym-stdin", "1"], source), expected([]));
}

#[test]
fn input_that_decides_nothing_is_named() {
    let source = "int main(int argc, char **argv) {\n (void)argv;\n return argc > 5 ? 1 : 0;\n}\n";
    assert_eq!(
        reasons(&[], source),
        expected([("nothing-symbolic", None, None), ("independent", Some(3), None)])
    );
    assert_eq!(
        reasons(&["--sym-stdin", "2", "--sym-arg", "3"], source),
        expected([
            ("unused-input", None, Some("standard input")),
            ("unused-input", None, Some("argument 1")),
            ("independent", Some(3), None),
        ])
    );
}

#[test]
fn lost_data_is_named_with_its_line() {
    let source = r#"#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char store[70000];
int main(void) {
    unsigned char in[4], other[4];
    unsigned y;
    if (read(0, in, 4) != 4) return 1;
    if (in[0] * 1.5L > 300) return 2;
    y = in[1];
    __asm__("incl %0" : "+r"(y));
    if (y == 99) return 3;
    char text[2] = {in[2], 0};
    if (a64l(text) == 7) return 5;
    store[in[2] * 256] = 1;
    for (int i = 0; i < 4; i++) other[i] = in[i];
    memfrob(other, 2);
    if (other[0] == 'c') return 4;
    if (in[3] == 'k') raise(SIGKILL);
    while (in[3] == 'h') sleep(1);
    return 0;
}
"#;
    let found = reasons(&["--sym-stdin", "4", "--fixed-length", "--timeout", "100"], source);
    let expected = expected([
        ("concretised", Some(11), Some("long double")),
        ("concretised", Some(13), Some("inline assembly")),
        ("foreign-function", Some(16), Some("a64l")),
        ("foreign-function", Some(19), Some("memfrob")),
        ("pinned", Some(17), None),
        ("overwritten", None, None),
        ("killed", None, None),
        ("hang", None, None),
        ("independent", Some(10), None),
        ("independent", Some(11), None),
        ("independent", Some(14), None),
        ("independent", Some(16), None),
        ("independent", Some(20), None),
    ]);
    assert_eq!(found, expected);
}

#[test]
fn flips_without_an_answer_are_named() {
    let source = r#"#include <unistd.h>
int main(void) {
    unsigned char in[9];
    unsigned long h = 1;
    if (read(0, in, 9) != 9) return 1;
    if (in[8] == 2) return 3;
    for (int i = 0; i < 8; i++) h = (h ^ in[i]) * (h | 3) + (h >> 7);
    if (h * h * (h >> 5) == 0x9e3779b97f4a7c15) return 4;
    return 0;
}
"#;
    let found =
        reasons(&["--sym-stdin", "9", "--fixed-length", "--solver-timeout", "20", "--execs", "60"], source);
    assert!(found.contains(&("unanswered".to_owned(), Some(8), None)), "{found:?}");
}

#[test]
fn runs_that_differ_on_one_input_are_named() {
    // It counts its runs in a file, and every other one is different.
    let source = r#"#include <fcntl.h>
#include <unistd.h>
int main(void) {
    unsigned char in[2];
    int runs = open(__FILE__ ".runs", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (read(0, in, 2) != 2 || write(runs, "+", 1) != 1) return 1;
    if (lseek(runs, 0, SEEK_END) % 2 && in[1] == 1) return 2;
    if (in[1] == 2) return 3;
    return in[0] == 3;
}
"#;
    let found = reasons(&["--no-sandbox", "--sym-stdin", "2", "--fixed-length", "--execs", "60"], source);
    assert!(found.iter().any(|(kind, ..)| kind == "nondeterministic"), "{found:?}");
}

#[test]
fn the_report_is_for_people() {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(
        directory.path(),
        "patient.c",
        "int main(int argc, char **argv) { return argv[0][0] == argc; }\n",
    );
    let result = run(["doctor", "--sym-stdin", "4", source.to_str().unwrap()]);
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(result.stdout.starts_with("1 execution in "), "{result:?}");
    assert!(result.stdout.contains("\nno branch depends on a part of the input"), "{result:?}");
    assert!(result.stdout.contains("\n  standard input\n"), "{result:?}");
}

#[test]
fn one_line_of_the_source_is_one_of_the_report() {
    let source = r#"#include <immintrin.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char in[16];
    if (read(0, in, 16) != 16) return 1;
    if (argc > 5) return 2; if (argv[0][0] == 1) return 3;
    __m128i x = _mm_madd_epi16(_mm_loadu_si128((void *)in), _mm_set1_epi16(3));
    return _mm_cvtsi128_si32(x) == 7 ? 4 : 0;
}
"#;
    let found = reasons(&["--sym-stdin", "16", "--fixed-length"], source);
    let instruction = "the instruction llvm.x86.sse2.pmadd.wd";
    assert!(found.contains(&("concretised".to_owned(), Some(7), Some(instruction.to_owned()))), "{found:?}");
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(directory.path(), "patient.c", source);
    let result = run(["doctor", "--sym-stdin", "16", "--fixed-length", source.to_str().unwrap()]);
    assert!(result.stdout.contains("patient.c:6 (2 sides)"), "{result:?}");
}

/// A hard condition between easy ones: its site, condition and cost are named, by an examination and for a campaign.
#[test]
fn a_condition_that_the_solver_cannot_answer_is_named() {
    let source = r#"#include <string.h>
#include <unistd.h>
static int is_licensed(const unsigned char *key) {
    unsigned long h = 1;
    for (int i = 0; i < 8; i++)
        h = (h ^ key[i]) * (h | 3) + (h >> 7);
    return h * h == 0x9e3779b97f4a7c11;
}
int main(void) {
    unsigned char in[10];
    if (read(0, in, 10) != 10) return 1;
    if (in[8] == 'x' && in[9] == 'y') return 2;
    return is_licensed(in) ? 3 : 0;
}
"#;
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(directory.path(), "patient.c", source);
    let (source, out) = (source.to_str().unwrap(), directory.path().join("out"));
    let out = out.to_str().unwrap();
    let options =
        ["--sym-stdin", "10", "--fixed-length", "--solver-timeout", "20", "--execs", "40", "--json"];
    let campaign = run(["run", "--out", out].iter().chain(&options).copied().chain([source]));
    assert_eq!(campaign.code, Some(0), "{campaign:?}");
    let of_campaign = ["doctor", "--json", out].to_vec();
    for arguments in [["doctor"].iter().chain(&options).copied().chain([source]).collect(), of_campaign] {
        let result = run(arguments.iter().copied());
        assert_eq!(result.code, Some(0), "{result:?}");
        let answer: Value = serde_json::from_str(&result.stdout).unwrap();
        let sites = answer["costly_sites"].as_array().unwrap();
        assert_eq!(sites.len(), 1, "{answer}");
        let site = &sites[0];
        assert!(site["place"].as_str().unwrap().ends_with("patient.c:13"), "{site}");
        assert_eq!(site["function"], "main", "{site}");
        let hard: Vec<_> =
            site["hard"].as_array().unwrap().iter().map(|hard| hard.as_str().unwrap()).collect();
        assert!(hard.contains(&"square") && hard.contains(&"hash"), "{site}");
        let condition = site["condition"].as_str().unwrap();
        assert!(condition.contains("== 11400714819323198481") && condition.contains('…'), "{site}");
        assert_eq!(site["bytes"], 8, "{site}");
        // On the paths of the condition before it, as far as they were executed.
        assert!((1..=3).contains(&site["unanswered"].as_u64().unwrap()), "{site}");
        let [spent, in_vain] = ["seconds", "in_vain"].map(|name| site[name].as_f64().unwrap());
        assert!(0.0 < in_vain && in_vain <= spent, "{site}");
        assert!(site["queries"].as_u64() > Some(0), "{site}");
    }
    let text = run(["doctor", out]);
    assert!(text.stdout.contains("these conditions cost the solver most"), "{text:?}");
    assert!(
        text.stdout.contains("patient.c:13 (main): ") && text.stdout.contains("a value multiplied by itself"),
        "{text:?}"
    );
}
