//! Faults that users have run into, each test named after one.

use crate::common::{CommandOutput, cairn, output_of, root, run, write_source};
use serde_json::Value;
use std::process::Command;
use tempfile::TempDir;

const READS_A_CHARACTER: &str = "#include <stdio.h>\n#include <stdlib.h>\nint nine(int);\n\
    int main(void) { int c = getchar(); if (nine(c)) abort(); return 0; }\n";
const READS_A_BYTE: &str = "#include <unistd.h>\nint nine(int);\n\
    int main(void) { unsigned char c; if (read(0, &c, 1) != 1) return 1; return nine(c); }\n";
const NINE: &str = "int nine(int x) { if (x == 9) return 1; return 0; }\n";

/// Some sources in a directory of their own.
struct SourceDirectory(TempDir);

impl SourceDirectory {
    fn with(sources: &[(&str, &str)]) -> SourceDirectory {
        let directory = SourceDirectory(tempfile::tempdir().unwrap());
        for (name, text) in sources {
            write_source(directory.0.path(), name, text);
        }
        directory
    }

    fn cc(&self, args: &[&str]) {
        let output = output_of(cairn().arg("cc").args(args).current_dir(self.0.path()));
        assert_eq!(output.code, Some(0), "{args:?}: {}", output.stderr);
    }

    /// Explores `program`, which reads one byte of standard input.
    fn campaign(&self, options: &[&str]) -> CommandOutput {
        let mut cairn = cairn();
        cairn.args(["run", "--oracle", "--sym-stdin", "1", "--out", "out"]).args(options).arg("program");
        output_of(cairn.current_dir(self.0.path()))
    }

    /// The figures of such a campaign.
    fn explore(&self) -> Value {
        let output = self.campaign(&["--json", "--execs", "50"]);
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }
}

#[test]
fn getchar_of_an_optimised_build_is_symbolic() {
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let directory = SourceDirectory::with(&[("main.c", READS_A_CHARACTER), ("nine.c", NINE)]);
        directory.cc(&[level, "main.c", "nine.c", "-o", "program"]);
        let summary = directory.explore();
        assert_eq!(summary["branches_covered"], 4, "{level}: {summary}");
        assert_eq!(summary["crashes"], 1, "{level}: {summary}");
    }
}

#[test]
fn a_shared_library_survives_symbolic_input_and_is_not_called_exhausted() {
    let directory = SourceDirectory::with(&[("main.c", READS_A_BYTE), ("nine.c", NINE)]);
    directory.cc(&["-fPIC", "-shared", "nine.c", "-o", "libnine.so"]);
    directory.cc(&["main.c", "-L.", "-lnine", "-Wl,-rpath,$ORIGIN", "-o", "program"]);
    let summary = directory.explore();
    assert_eq!(summary["crashes"], 0, "{summary}");
    assert_eq!(summary["exhausted"], false, "{summary}");
}

#[test]
fn only_a_function_without_instrumentation_loses_what_it_is_given() {
    let directory = SourceDirectory::with(&[("main.c", READS_A_BYTE), ("nine.c", NINE)]);
    directory.cc(&["main.c", "nine.c", "-o", "program"]);
    assert_eq!(directory.explore()["exhausted"], true);

    let directory = SourceDirectory::with(&[("main.c", READS_A_BYTE), ("nine.c", NINE)]);
    let plain = Command::new("clang-19").args(["-c", "nine.c"]).current_dir(directory.0.path()).status();
    assert!(plain.unwrap().success());
    directory.cc(&["main.c", "nine.o", "-o", "program"]);
    assert_eq!(directory.explore()["exhausted"], false);
}

/// A campaign finds the answer that depends on the number, or does not claim exhaustion.
#[test]
fn symbolic_arguments_that_models_pass_on_to_the_library_are_concretized() {
    let source = root().join("tests/regressions/model_arguments.c");
    for case in 0..10 {
        let directory = SourceDirectory::with(&[]);
        directory.cc(&["-w", &format!("-DCASE={case}"), source.to_str().unwrap(), "-o", "program"]);
        let summary = directory.explore();
        assert!(summary["crashes"] == 1 || summary["exhausted"] == false, "case {case}: {summary}");
    }
}

#[test]
fn a_main_without_instrumentation_links_and_runs() {
    let directory = SourceDirectory::with(&[("main.c", READS_A_BYTE), ("nine.c", NINE)]);
    let plain = Command::new("clang-19").args(["-c", "main.c"]).current_dir(directory.0.path()).status();
    assert!(plain.unwrap().success());
    directory.cc(&["main.o", "nine.c", "-o", "program"]);
    let mut program = Command::new("sh");
    program.args(["-c", "printf '\\t' | ./program"]).current_dir(directory.0.path());
    assert_eq!(output_of(&mut program).code, Some(1));
}

#[test]
fn the_value_of_longjmp_is_concretized_and_flipped() {
    let source = "#include <setjmp.h>\n#include <unistd.h>\nstatic jmp_buf directory;\nint main(void) {\n\
        unsigned char c; if (read(0, &c, 1) != 1) return 1;\n\
        switch (setjmp(directory)) { case 0: longjmp(directory, (c & 3) + 1); case 1: return 5; case 3: return 7; }\n\
        return 0; }\n";
    let directory = SourceDirectory::with(&[("main.c", source)]);
    directory.cc(&["main.c", "-o", "program"]);
    let summary = directory.explore();
    assert_eq!(summary["branches_covered"], summary["branches_total"], "{summary}");
}

#[test]
fn three_calls_of_abort_are_three_crashes() {
    let source = "#include <stdlib.h>\n#include <unistd.h>\nint main(void) {\n\
        unsigned char c; if (read(0, &c, 1) != 1) return 1;\n\
        if (c == 'a') abort();\nif (c == 'b') abort();\nif (c == 'c') abort();\nreturn 0; }\n";
    let directory = SourceDirectory::with(&[("main.c", source)]);
    directory.cc(&["main.c", "-o", "program"]);
    assert_eq!(directory.explore()["crashes"], 3);
}

#[test]
fn threads_keep_the_label_table_whole() {
    let source = "#include <pthread.h>\n#include <unistd.h>\nstatic unsigned char byte;\n\
        static void *work(void *result) { unsigned sum = 0, i;\n\
        for (i = 0; i < 300; i++) sum = sum * 31 + byte + i;\n*(unsigned *)result = sum; return 0; }\n\
        int main(void) { pthread_t threads[3]; unsigned sums[3]; int i;\n\
        if (read(0, &byte, 1) != 1) return 1;\n\
        for (i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, &sums[i]);\n\
        for (i = 0; i < 3; i++) pthread_join(threads[i], 0);\n\
        return byte == 7 && sums[0] == sums[1] && sums[1] == sums[2]; }\n";
    let directory = SourceDirectory::with(&[("main.c", source)]);
    directory.cc(&["main.c", "-pthread", "-o", "program"]);
    let output = directory.campaign(&["--execs", "5", "--solver-timeout", "100"]);
    assert!(output.stdout.contains(", 0 differ"), "{output:?}");
}

#[test]
fn a_length_beyond_all_memory_is_refused() {
    let output = run(["run", "--sym-stdin", "99999999999999", "program"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
}

#[test]
fn a_conditional_expression_of_constants_loses_nothing() {
    let source = "#include <unistd.h>\nint main(void) { unsigned char c; if (read(0, &c, 1) != 1) return 1;\n\
        int size = c == 'x' ? 3 : 5; return size; }\n";
    let directory = SourceDirectory::with(&[("main.c", source)]);
    directory.cc(&["main.c", "-o", "program"]);
    let summary = directory.explore();
    assert_eq!(summary["branches_covered"], 4, "{summary}");
    assert_eq!(summary["exhausted"], true, "{summary}");
}

#[test]
fn memory_that_is_freed_through_a_pointer_is_not_lost() {
    let source = "#include <stdlib.h>\n#include <unistd.h>\nvoid (*volatile release)(void *) = free;\n\
        void *(*volatile get)(size_t) = malloc;\n\
        int main(void) { char c, *copy; if (read(0, &c, 1) != 1) return 1;\n\
        copy = get(1 + (c & 1)); *copy = c; c = *copy == 'x'; release(copy); return c ? 3 : 5; }\n";
    let directory = SourceDirectory::with(&[("main.c", source)]);
    directory.cc(&["main.c", "-o", "program"]);
    let summary = directory.explore();
    assert_eq!(summary["exhausted"], true, "{summary}");
}

#[test]
fn the_runtime_stands_for_no_library_that_was_forgotten() {
    let directory = SourceDirectory::with(&[(
        "main.c",
        "double fmod(double, double);\nint main(int c, char **v) { return fmod(c, 2); }\n",
    )]);
    let forgotten = output_of(cairn().args(["cc", "-fno-builtin", "main.c"]).current_dir(directory.0.path()));
    assert!(forgotten.stderr.contains("undefined symbol: fmod"), "{forgotten:?}");
    directory.cc(&["-fno-builtin", "main.c", "-lm", "-o", "program"]);
}

#[test]
fn what_an_earlier_call_left_on_the_stack_is_not_input() {
    let main = "#include <unistd.h>\nvoid scrub(void);\n\
        static void get(char *c, int *more) { *more = read(0, c, 1) == 1; }\n\
        static int one(void) { char c; int more; get(&c, &more);\n\
        if (!more && c == 'y') return 2;\nreturn more; }\n\
        int main(void) { int state; while ((state = one()) == 1) scrub(); return state; }\n";
    let scrub = "void scrub(void) { volatile char all[600]; for (int i = 0; i < 600; i++) all[i] = 0; }\n";
    let directory = SourceDirectory::with(&[("main.c", main), ("scrub.c", scrub)]);
    let plain =
        Command::new("clang-19").args(["-O1", "-c", "scrub.c"]).current_dir(directory.0.path()).status();
    assert!(plain.unwrap().success());
    directory.cc(&["main.c", "scrub.o", "-o", "program"]);
    // Memory is zero and so is the byte that was read into it before: that must not make it the same.
    let summary = directory.explore();
    assert_eq!(summary["divergences"], 0, "{summary}");
}

#[test]
fn a_table_is_read_before_it_is_written() {
    let source = "#include <unistd.h>\nstatic int count[16];\n\
        int main(void) { unsigned char c; if (read(0, &c, 1) != 1) return 1;\n\
        count[c & 15]++;\ncount[c >> 4] += 2;\nint before = count[c & 7];\n\
        __atomic_fetch_add(&count[5], 1, __ATOMIC_SEQ_CST);\nreturn count[3] + before == 3; }\n";
    let directory = SourceDirectory::with(&[("main.c", source)]);
    directory.cc(&["main.c", "-o", "program"]);
    let output = directory.campaign(&["--execs", "50"]);
    assert!(output.stdout.contains(", 0 differ"), "{output:?}");
}

#[test]
fn assumptions_that_no_input_satisfies_are_reported() {
    let refused = "#include <cairn.h>\nint main(void) { int x; cairn_symbolic(&x, 4, \"x\"); cairn_assume(x > 5 && x < 5); return x; }\n";
    let directory = SourceDirectory::with(&[("main.c", refused)]);
    directory.cc(&["main.c", "-o", "program"]);
    let output = directory.campaign(&[]).stdout;
    assert!(output.contains(": every run was rejected by cairn_assume\n"), "{output}");
}

#[test]
fn an_order_of_threads_is_named_where_it_misleads_the_search() {
    let source = "#include <pthread.h>\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\nstatic unsigned char b[2]; static int n;\n\
        static void *look(void *at) { if (*(unsigned char *)at == 'x') n++; return at; }\n\
        int main(void) {\n pthread_t t; struct timespec now;\n if (read(0, b, 1) < 1) return 1;\n b[1] = b[0] + 1;\n\
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);\n if (now.tv_nsec & 64) look(b);\n\
        pthread_create(&t, 0, look, b + 1); pthread_join(t, 0);\n look(b);\n return n; }\n";
    let directory = SourceDirectory::with(&[("main.c", source)]);
    directory.cc(&["main.c", "-lpthread", "-o", "program"]);
    let output = (0..20).map(|_| directory.campaign(&["--force"]).stdout);
    let mut diverged = output.filter(|output| output.contains("path divergence"));
    let output = diverged.next().expect("twenty campaigns of the same order");
    assert!(output.contains("several threads compute with the input"), "{output}");
}

/// A campaign on so many bytes in which no value differs from the evaluator's, and no run from what was predicted.
fn exact_campaign(directory: &SourceDirectory, bytes: &str, execs: &str) -> CommandOutput {
    let mut cairn = cairn();
    cairn.args(["run", "--oracle", "--fixed-length", "--sym-stdin", bytes]);
    let output =
        output_of(cairn.args(["--execs", execs, "--out", "out", "program"]).current_dir(directory.0.path()));
    assert!(output.stdout.contains(", 0 differ\n"), "{output:?}");
    assert!(!output.stdout.contains("path divergence"), "{output:?}");
    output
}

/// Reads a double, two wide integers, a number and a choice: 45 bytes.
const RARE_OPERATIONS: &str = r#"#include <unistd.h>
typedef __int128 wide;
#pragma STDC FENV_ACCESS ON
static int strict(double x) { return x * 3 > 5 ? 1 : 0; }
#pragma STDC FENV_ACCESS OFF
int main(void) {
    struct { double x; wide a, b; int n; char choice; } __attribute__((packed)) in;
    wide product;
    if (read(0, &in, sizeof in) != sizeof in) return 1;
    switch (in.choice) {
    case 1: return strict(in.x);
    case 2: return (wide)in.x == 5;
    case 3: return (unsigned __int128)in.x == 5;
    case 4: return __builtin_mul_overflow(in.a, in.b, &product) ? 1 : product == 6;
    case 5: return __builtin_powi(in.x, in.n) > 10;
    case 6: return (int)in.x == 7;
    }
    return 0;
}
"#;

#[test]
fn operations_without_a_word_for_them_are_counted_and_never_wrong() {
    for options in [&["-O1"][..], &["-O2", "-fno-strict-float-cast-overflow"]] {
        let directory = SourceDirectory::with(&[("main.c", RARE_OPERATIONS)]);
        directory.cc(&[options, &["-w", "main.c", "-o", "program"]].concat());
        let output = exact_campaign(&directory, "45", "60");
        let lost: u32 = output
            .stdout
            .split(" symbolic values lost")
            .next()
            .unwrap()
            .lines()
            .last()
            .unwrap()
            .parse()
            .unwrap();
        assert!(lost >= 5, "{output:?}");
    }
}

#[test]
fn fast_arithmetic_is_exact_all_the_same() {
    let floats = root().join("tests/floats.c");
    for options in ["-ffast-math", "-Ofast"] {
        let directory = SourceDirectory::with(&[]);
        directory.cc(&[options, "-w", floats.to_str().unwrap(), "-lm", "-o", "program"]);
        exact_campaign(&directory, "17", "300");
    }
}

/// Leaves a process behind in every run, and crashes where the dead among them are many.
const LEAVES_PROCESSES: &str = r#"#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int dead(void) {
    struct dirent *entry;
    int count = 0;
    DIR *processes = opendir("/proc");
    while ((entry = readdir(processes))) {
        char name[300], line[100] = "";
        snprintf(name, sizeof name, "/proc/%s/stat", entry->d_name);
        FILE *stat = fopen(name, "r");
        if (!stat) continue;
        if (fgets(line, sizeof line, stat) && strstr(line, "(leaves_orphans) Z")) count++;
        fclose(stat);
    }
    closedir(processes);
    return count;
}
int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 1;
    if (fork() == 0) for (;;) pause();
    for (int i = 0; i < 20; i++) if (c == i) break;
    if (dead() > 8) abort();
    return 0;
}
"#;

#[test]
fn what_a_run_leaves_running_is_killed_and_buried() {
    let directory = SourceDirectory::with(&[("main.c", LEAVES_PROCESSES)]);
    directory.cc(&["main.c", "-o", "leaves_orphans"]);
    let options = ["run", "--json", "--fixed-length", "--sym-stdin", "1", "--execs", "60", "--out", "out"];
    let output = output_of(cairn().args(options).arg("leaves_orphans").current_dir(directory.0.path()));
    let summary: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert!(summary["executions"].as_u64() > Some(20), "{summary}");
    assert_eq!(summary["crashes"], 0, "{summary}");
}

/// The dynamic linker is asked to find all functions at once, so that runs need not. That is no reason not to start.
#[test]
fn an_undefined_function_of_a_library_matters_only_when_it_is_called() {
    let nine = "int nobody(int);\nint nine(int x) { if (x == 300) return nobody(x); return x == 9; }\n";
    let directory = SourceDirectory::with(&[("main.c", READS_A_CHARACTER), ("nine.c", nine)]);
    // With instrumentation it would ask for the function's address, which no linker can put off.
    let mut clang = Command::new("clang-19");
    clang.args(["-fPIC", "-shared", "nine.c", "-o", "libnine.so"]).current_dir(directory.0.path());
    assert!(clang.status().unwrap().success());
    let may_lack = "-Wl,--unresolved-symbols=ignore-in-shared-libs";
    directory.cc(&["main.c", "-L.", "-lnine", "-Wl,-rpath,$ORIGIN", may_lack, "-o", "program"]);
    let output = directory.campaign(&["--execs", "20"]);
    assert!(matches!(output.code, Some(0 | 1)), "{output:?}");
}

/// A condition on an element of an array of pointers: the pass asked LLVM for the name of a type that is no struct, which
/// reads beyond it. Memory that is filled with something makes the compiler crash every time instead of now and then.
#[test]
fn a_condition_on_an_element_of_an_array_of_pointers_compiles() {
    let directory = SourceDirectory::with(&[(
        "names.c",
        "int known(char **names, int i) { if (names[i]) return 1; return 0; }\n",
    )]);
    let mut compiler = cairn();
    compiler.args(["cc", "-c", "names.c"]).env("MALLOC_PERTURB_", "85").current_dir(directory.0.path());
    let output = output_of(&mut compiler);
    assert_eq!(output.code, Some(0), "{output:?}");
}
