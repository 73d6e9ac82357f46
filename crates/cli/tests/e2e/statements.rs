//! Exhaustion is claimed where it is true, by every output alike, and nowhere else.

use crate::common::{CommandOutput, cairn, output_of, write_source};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const CLAIM: &str = "every feasible path was executed";

/// In what the statements of one campaign differ, if they do: `--json`, the summary and the snapshot.
pub fn disagreement(result: &CommandOutput, summary: &Value, out: &Path) -> Option<String> {
    let snapshot = std::fs::read(out.join("snapshot.json")).unwrap_or_default();
    let snapshot: Value = serde_json::from_slice(&snapshot).unwrap_or_default();
    let exhausted = summary["exhausted"] == true;
    let is_one = result.stderr.contains(CLAIM) == exhausted
        && summary["gaps"].as_object().is_some_and(|gaps| gaps.is_empty()) == exhausted
        && snapshot["summary"]["exhausted"] == summary["exhausted"]
        && snapshot["summary"]["gaps"] == summary["gaps"];
    (!is_one).then(|| format!("statements differ: {summary}\n{}\n{}", snapshot["summary"], result.stderr))
}

/// A campaign on one source, and what it states.
pub struct Campaign {
    place: TempDir,
    pub summary: Value,
}

impl Campaign {
    pub fn of(source: &str, options: &[&str]) -> Campaign {
        let place = tempfile::tempdir().unwrap();
        write_source(place.path(), "program.c", source);
        Campaign::with(place, &["program.c"], options)
    }

    fn with(place: TempDir, program: &[&str], options: &[&str]) -> Campaign {
        let mut campaign = Campaign { place, summary: Value::Null };
        campaign.explore(program, options);
        campaign
    }

    fn explore(&mut self, program: &[&str], options: &[&str]) {
        let mut command = cairn();
        command.args(["run", "--json", "--no-sanitizers", "--out", "out"]).args(options).args(program);
        let result = output_of(command.current_dir(self.place.path()));
        self.summary = serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{result:?}"));
        assert_eq!(disagreement(&result, &self.summary, &self.place.path().join("out")), None);
    }

    pub fn has(&self, gap: &str) -> bool {
        self.summary["gaps"][gap].as_u64().is_some_and(|count| count > 0)
    }
}

/// Reads a byte into `c`, which is neither 'x' nor missing where `rest` begins; `before` stands before `main`.
fn reads_a_byte(before: &str, rest: &str) -> String {
    format!(
        "#include <stdlib.h>\n#include <string.h>\n#include <sys/wait.h>\n#include <unistd.h>\n{before}\n\
         int main(void) {{ char c; if (read(0, &c, 1) != 1) return 0; if (c == 'x') return 1;\n{rest}\nreturn 0; }}\n"
    )
}

const BYTE: [&str; 2] = ["--sym-stdin", "1"];

#[test]
fn a_run_cut_by_time_is_not_exhausted_even_when_it_is_resumed() {
    let source = "extern int __VERIFIER_nondet_int(void);\n#include <stdlib.h>\n\
        int main(void) { volatile unsigned i; int x = __VERIFIER_nondet_int();\n\
        for (i = 0; i < 2000000000u; i++) ;\nif (x == 12345) abort(); return 0; }\n";
    let mut campaign = Campaign::of(source, &["--timeout", "200"]);
    assert!(campaign.has("limit"), "{}", campaign.summary);
    campaign.explore(&["program.c"], &["--timeout", "200", "--resume"]);
    assert!(campaign.has("limit"), "{}", campaign.summary);
    let mut report = cairn();
    let report =
        output_of(report.args(["report", "--format", "json", "out"]).current_dir(campaign.place.path()));
    let report: Value = serde_json::from_str(&report.stdout).unwrap_or_else(|_| panic!("{report:?}"));
    let ended = report["campaign"]["ended"].as_str().unwrap();
    assert!(ended.contains(" stopped at a limit") && !ended.contains(CLAIM), "{ended}");
    let figures = report["figures"].as_array().unwrap();
    let figure = figures.iter().find(|figure| figure[0] == "exhausted").unwrap();
    let reason = figure[1].as_str().unwrap();
    assert!(reason.starts_with("no: ") && reason.ends_with(" stopped at a limit"), "{reason}");
}

#[test]
fn a_trace_with_more_labels_than_there_is_room_for_is_not_exhausted() {
    let source = reads_a_byte(
        "",
        "unsigned sum = c; for (unsigned i = 0; i < 40000000; i++) sum = sum * 31 + i;\nif (sum == 7) abort();",
    );
    let campaign = Campaign::of(&source, &["--sym-stdin", "1", "--timeout", "20000", "--execs", "3"]);
    assert!(campaign.has("cut") || campaign.has("slow"), "{}", campaign.summary);
}

#[test]
fn a_child_process_that_decides_on_the_input_is_not_exhausted() {
    let source = reads_a_byte("", "if (fork() == 0) _exit(c == '7'); int s; wait(&s); if (s) abort();");
    assert!(Campaign::of(&source, &BYTE).has("child-process"));
}

/// Ways for a byte that is not the first to go to uninstrumented code.
const HANDED_OVER: [(&str, &str, &str); 8] = [
    ("a stack variable", "", "char b[32] = \"test 7 = \"; b[9] = c; b[10] = 0; if (!system(b)) abort();"),
    (
        "a heap block",
        "",
        "char *b = malloc(300); strcpy(b, \"test 7 = \"); b[9] = c; b[10] = 0; if (!system(b)) abort();",
    ),
    (
        "a global variable",
        "char b[32] = \"test 7 = \"; int hand(char *p) { return system(p); }",
        "b[9] = c; b[10] = 0; if (!hand(b)) abort();",
    ),
    (
        "a variable of the caller",
        "int hand(char *p) { return system(p); }",
        "char b[128]; memset(b, ' ', 100); memcpy(b, \"test\", 4); b[100] = c; strcpy(b + 101, \" = 7\");\n\
         if (!hand(b)) abort();",
    ),
    (
        "a call through a pointer",
        "int (*volatile hand)(const char *) = system;",
        "char b[32] = \"test 7 = \"; b[9] = c; b[10] = 0; if (!hand(b)) abort();",
    ),
    (
        "a pointer in a list of arguments",
        "#include <spawn.h>",
        "char *b = malloc(16); strcpy(b, \"test 7 = \"); b[9] = c; b[10] = 0;\n\
         char *list[] = {\"sh\", \"-c\", b, 0}; pid_t pid; int s;\n\
         if (posix_spawn(&pid, \"/bin/sh\", 0, 0, list, 0)) return 2; waitpid(pid, &s, 0); if (!s) abort();",
    ),
    (
        "a program that takes this one's place",
        "",
        "char b[32] = \"test 7 = \"; b[9] = c; b[10] = 0; execl(\"/bin/sh\", \"sh\", \"-c\", b, (char *)0);",
    ),
    (
        "a large object",
        "static char b[1 << 20];",
        "memset(b, ' ', sizeof b - 1); memcpy(b, \"test 7 =\", 8); b[4000] = c; b[4001] = 0; if (!system(b)) abort();",
    ),
];

#[test]
fn input_behind_a_pointer_into_an_uninstrumented_function_is_noticed() {
    for (what, before, rest) in HANDED_OVER {
        let campaign = Campaign::of(&reads_a_byte(before, rest), &BYTE);
        assert!(campaign.has("lost-value"), "{what}: {}", campaign.summary);
    }
}

/// Calls that lose nothing.
const KEPT: [(&str, &str, &str); 4] = [
    ("concrete memory", "", "char b[32] = \"test 7 = 8\"; if (a64l(b) == 7) abort();"),
    (
        "another member of the struct",
        "#include <time.h>\nstruct both { char a[40]; struct tm time; } both;",
        "both.a[0] = c; both.time.tm_year = 100; if (mktime(&both.time) == 7) abort();",
    ),
    ("memory that is written out", "", "char b[32] = {0}; b[9] = c; if (write(1, b, 10) < 0) return 2;"),
    (
        "another block of the heap",
        "",
        "char *a = malloc(16), *b = malloc(16); b[0] = c; strcpy(a, \"true\"); if (a64l(a) == 7) return b[0];",
    ),
];

#[test]
fn concrete_memory_beside_symbolic_memory_is_not_lost() {
    for (what, before, rest) in KEPT {
        let campaign = Campaign::of(&reads_a_byte(before, rest), &BYTE);
        assert_eq!(campaign.summary["exhausted"], true, "{what}: {}", campaign.summary);
    }
}

#[test]
fn memory_given_to_an_instrumented_function_elsewhere_is_not_lost() {
    let callee = "int ninth(const char *b) { if (b[9] == '7') return 1; return 0; }\n";
    let caller = reads_a_byte(
        "int ninth(const char *); int (*volatile hand)(const char *) = ninth;",
        "char b[32] = {0}; b[9] = c; if (ninth(b)) abort(); return hand(b);",
    );
    for instrumented in [true, false] {
        let place = tempfile::tempdir().unwrap();
        write_source(place.path(), "caller.c", &caller);
        write_source(place.path(), "callee.c", callee);
        let mut compiler = if instrumented { cairn() } else { Command::new("clang-19") };
        compiler.args(instrumented.then_some("cc")).args(["-c", "callee.c"]).current_dir(place.path());
        assert_eq!(output_of(&mut compiler).code, Some(0));
        let linked = output_of(
            cairn().args(["cc", "caller.c", "callee.o", "-o", "program"]).current_dir(place.path()),
        );
        assert_eq!(linked.code, Some(0), "{linked:?}");
        let campaign = Campaign::with(place, &["program"], &BYTE);
        assert_eq!(campaign.summary["exhausted"], instrumented, "{}", campaign.summary);
        assert_eq!(campaign.has("lost-value"), !instrumented, "{}", campaign.summary);
    }
}
