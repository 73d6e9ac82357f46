//! Programs that declare library functions by other types, or define functions with the names of the library's.

use crate::common::{CommandOutput, build_plain, cairn, output_of, root, run, write_source};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// First lines of every program below: three bytes of input, read without a declaration from a header.
const READS: &str = "long syscall(long, ...);\nstatic int get(unsigned char *to, int n)\n{ int got = 0; \
    while (got < n) { long one = (read)(0, to + got, n - got); if (one <= 0) return got; got += one; } return got; }\n";

/// A function, how a program declares it, and what `main` does with the input in `b`, whose last byte is 0. Every program can
/// return 7.
const DECLARED_OTHERWISE: &[(&str, &str, &str)] = &[
    (
        "malloc without a prototype",
        "char *malloc();",
        "int n = b[0] + 1; char *p = malloc(n); p[n - 1] = 20; if (b[1] == 77 && n == 9) return 7;",
    ),
    (
        "malloc of an int",
        "void *malloc(unsigned int);",
        "unsigned n = b[0]; char *p = malloc(n * 4); if (p && b[1] == 3) return 7;",
    ),
    (
        "malloc of a signed int",
        "void *malloc(int);",
        "int n = b[0] - 200; char *p = malloc(n & 0xffff); if (p && b[1] == 3) return 7;",
    ),
    (
        "calloc of ints",
        "void *calloc(int, int);",
        "char *p = calloc(b[0] + 1, b[1] + 1); if (p[0] == 0 && b[0] == b[1] + 3) return 7;",
    ),
    (
        "realloc without a prototype",
        "char *malloc(); char *realloc();",
        "char *p = malloc(2); p[0] = b[1]; p = realloc(p, b[0] + 2); if (p[0] == 'q') return 7;",
    ),
    (
        "free without a prototype",
        "char *malloc(); int free();",
        "char *p = malloc(b[0] + 1); free(p); if (b[1] == 8) return 7;",
    ),
    (
        "memcpy without a prototype",
        "char *memcpy();",
        "char to[4] = \"abc\"; int n = b[0] & 3; memcpy(to, b, n); if (to[1] == 9) return 7;",
    ),
    (
        "memmove of an int",
        "void *memmove(void *, void *, int);",
        "char to[4] = \"abc\"; memmove(to, b, 2); if (to[1] == 9) return 7;",
    ),
    (
        "memset of a char",
        "void *memset(void *, char, int);",
        "char to[4]; memset(to, (char)b[0], 4); if (to[3] == -3) return 7;",
    ),
    ("memcmp without a prototype", "int memcmp();", "if (memcmp(b, \"xy\", 2) == 0) return 7;"),
    (
        "memchr of a char",
        "char *memchr(void *, char, int);",
        "char *at = memchr(b, 'z', 2); if (at == (char *)b + 1) return 7;",
    ),
    ("strlen as an int", "int strlen(char *);", "if (strlen((char *)b) == 1) return 7;"),
    ("strcmp without a prototype", "int strcmp();", "if (strcmp(b, \"ok\") == 0) return 7;"),
    (
        "strncmp of an int",
        "int strncmp(char *, char *, int);",
        "if (strncmp((char *)b, \"kk\", 2) == 0) return 7;",
    ),
    (
        "strchr of a char",
        "char *strchr(char *, char);",
        "char *at = strchr((char *)b, (char)0xe9); if (at == (char *)b + 1) return 7;",
    ),
    ("strcpy without a prototype", "int strcpy();", "char to[4]; strcpy(to, b); if (to[0] == 'c') return 7;"),
    ("strdup without a prototype", "char *strdup();", "char *p = strdup(b); if (p[1] == 'd') return 7;"),
    ("strtol as an int", "int strtol();", "if (strtol(b, 0, 10) == 42) return 7;"),
    ("atoi as a short", "short atoi();", "if (atoi(b) == 17) return 7;"),
    ("abs of a short", "int abs(short);", "if (abs((short)(b[0] - 40)) == 33) return 7;"),
    ("toupper of a char", "int toupper(char);", "if (toupper((char)b[0]) == 'R') return 7;"),
    ("tolower as a char", "char tolower(unsigned char);", "if (tolower(b[0]) == 'r') return 7;"),
    ("isdigit without a prototype", "int isdigit();", "if (isdigit(b[0]) && !isdigit(b[1])) return 7;"),
    (
        "qsort without a prototype",
        "int qsort(); static int by(unsigned char *a, unsigned char *c) { return *a - *c; }",
        "unsigned char c[2]; c[0] = b[0]; c[1] = b[1]; qsort(c, 2, 1, by); if (c[0] == 5 && b[1] == 5) return 7;",
    ),
    (
        "snprintf without a prototype",
        "int snprintf();",
        "char to[8]; snprintf(to, 8, \"%d\", b[0]); if (to[0] == '9' && to[1] == '3') return 7;",
    ),
];

/// A program that returns 7 for some input, is the same with and without instrumentation, and has no label that is wrong.
fn check_reachable(name: &str, directory: &Path, program: &Path, plain: &Path) {
    let out = directory.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let mut cairn = cairn();
    cairn.args([
        "run",
        "--oracle",
        // Some of these programs read beyond their blocks, which is not what is tested.
        "--no-sanitizers",
        "--sym-stdin",
        "2",
        "--fixed-length",
        "--time",
        "60s",
        "--execs",
        "2000",
        "--out",
    ]);
    let campaign = output_of(cairn.arg(&out).arg(program));
    assert_eq!(campaign.code, Some(0), "{name}: {campaign:?}");
    assert!(campaign.stdout.contains(", 0 differ"), "{name}: {campaign:?}");
    assert!(!campaign.stdout.contains("overwrote"), "{name}: {campaign:?}");
    let mut codes = BTreeSet::new();
    for test in std::fs::read_dir(out.join("queue")).unwrap().map(|test| test.unwrap().path()) {
        let [ours, theirs] = [program, plain].map(|program| with_input(program, &test));
        assert_eq!((ours.code, ours.stdout), (theirs.code, theirs.stdout), "{name}: {}", test.display());
        codes.insert(theirs.code);
    }
    assert!(codes.contains(&Some(7)), "{name}: {codes:?} {campaign:?}");
}

fn with_input(program: &Path, input: &Path) -> CommandOutput {
    output_of(Command::new(program).stdin(Stdio::from(std::fs::File::open(input).unwrap())))
}

#[test]
fn library_functions_may_be_declared_by_other_types() {
    let directory = tempfile::tempdir().unwrap();
    let (program, plain) = (directory.path().join("program"), directory.path().join("plain"));
    for (name, declared, body) in DECLARED_OTHERWISE {
        let text = format!(
            "int read();\n{READS}{declared}\nint main(void) {{ unsigned char b[3] = {{0}}; if (get(b, 2) != 2) return 1;\n{body}\nreturn 0; }}\n"
        );
        let source = write_source(directory.path(), "declared.c", &text);
        let built = output_of(cairn().args(["cc", "-w", "-std=gnu89"]).arg(&source).arg("-o").arg(&program));
        assert_eq!(built.code, Some(0), "{name}: {}", built.stderr);
        let clang = std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into());
        let built =
            output_of(Command::new(clang).args(["-w", "-std=gnu89"]).arg(&source).arg("-o").arg(&plain));
        assert_eq!(built.code, Some(0), "{name}: {}", built.stderr);
        check_reachable(name, directory.path(), &program, &plain);
    }
}

/// Arguments and results of the program's own functions, which another unit declares otherwise.
#[test]
fn the_programs_functions_may_be_declared_by_other_types() {
    let caller = "int read(); int narrow(); int wide(int); int fewer(int, int); long returns(int); int none(int); \
        static int late(); int calls_late(int x) { return late(x); } static int late(long x) { return (int)x == 30; } \
        int main(void) { unsigned char b[2]; if (read(0, b, 2) != 2) return 1; if (narrow(b[0]) && wide(b[0]) && fewer(b[0], b[1]) && \
        (int)returns(b[1]) && calls_late(b[0])) return 7; none(b[0]); return 0; }\n";
    let callee = "int narrow(unsigned char c) { return c == 30; } int wide(long x) { return (int)x == 30; } \
        int fewer(int x) { return x == 30; } int returns(int x) { return x == 4; } void none(void) { }\n";
    let directory = tempfile::tempdir().unwrap();
    let (caller, callee) = (
        write_source(directory.path(), "caller.c", caller),
        write_source(directory.path(), "callee.c", callee),
    );
    let (program, plain) = (directory.path().join("program"), directory.path().join("plain"));
    let built =
        output_of(cairn().args(["cc", "-w", "-std=gnu89"]).args([&caller, &callee]).arg("-o").arg(&program));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let clang = std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into());
    let built = output_of(
        Command::new(clang).args(["-w", "-std=gnu89"]).args([&caller, &callee]).arg("-o").arg(&plain),
    );
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    check_reachable("other types", directory.path(), &program, &plain);
}

/// Names that an archive does not define itself, without those that are reserved.
fn names_from_outside(archive: &str) -> BTreeSet<String> {
    run(["--version"]); // builds the archives
    let path = Path::new(env!("CARGO_BIN_EXE_cairn")).with_file_name(archive);
    let listed = output_of(Command::new("nm").arg("-u").arg(path));
    let names =
        listed.stdout.lines().filter_map(|line| line.trim().strip_prefix(['U', 'w'])?.strip_prefix(' '));
    let ours = |name: &str| name.starts_with("cairn_") || name.starts_with("LLVMFuzzer");
    names.filter(|name| !name.starts_with('_') && !ours(name)).map(str::to_owned).collect()
}

/// Functions that the C library takes from the program as well, and those that only their own wrappers call.
const ALLOCATOR: [&str; 4] = ["malloc", "calloc", "realloc", "free"];
const WRAPPED: [&str; 3] = ["memcpy", "memmove", "memset"];
const VARIABLES: [&str; 3] = ["stdin", "stderr", "optind"];

#[test]
fn the_runtime_calls_no_function_that_a_program_may_define() {
    let names = names_from_outside("libcairn_runtime.a");
    let known: BTreeSet<String> = ALLOCATOR.iter().chain(&WRAPPED).map(|name| name.to_string()).collect();
    assert_eq!(names, known);
}

/// Every name that the runtime or a model takes from the C library, defined by a program that ends at once if anything but the program
/// calls it.
#[test]
fn programs_may_define_any_function_that_the_runtime_or_the_models_call() {
    let mut names = names_from_outside("libcairn_runtime.a");
    names.extend(names_from_outside("libcairn_models.a"));
    // What earlier versions of the runtime called.
    names.extend(
        ["read", "write", "mmap", "mprotect", "fork", "getenv", "kill", "waitpid", "strlen", "etext"]
            .map(str::to_owned),
    );
    names.retain(|name| !ALLOCATOR.contains(&&**name) && !VARIABLES.contains(&&**name));
    assert!(names.len() > 150, "{names:?}");
    let names: Vec<String> = names.into_iter().collect();
    let directory = tempfile::tempdir().unwrap();
    for (number, group) in names.chunks(names.len().div_ceil(6)).enumerate() {
        let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nstatic int mine, calls;\n");
        for name in group {
            text += &format!("int {name}(int x) {{ if (!mine) __builtin_trap(); calls++; return x + 1; }}\n");
        }
        let calls: String = group.iter().map(|name| format!("sum += {name}(1); ")).collect();
        text += &format!(
            "int main(void) {{ int x, sum = 0; mine = 1; {calls}mine = 0; x = __VERIFIER_nondet_int();\n\
             if (x == 77) return 7; if (x > 1000 && x < 1005) return 8; return 3 + sum - 2 * {} + calls - {}; }}\n",
            group.len(),
            group.len()
        );
        let source = write_source(directory.path(), &format!("own{number}.c"), &text);
        let program = directory.path().join(format!("own{number}"));
        let built = output_of(
            cairn().args(["cc", "-w", "-fno-builtin"]).arg(&source).args(["-lm", "-o"]).arg(&program),
        );
        assert_eq!(built.code, Some(0), "{group:?}: {}", built.stderr);
        let alone = output_of(&mut Command::new(&program));
        assert_eq!(alone.code, Some(3), "{group:?}: {alone:?}");
        let out = directory.path().join("out");
        let _ = std::fs::remove_dir_all(&out);
        let campaign = run([
            "run",
            "--oracle",
            "--time",
            "60s",
            "--out",
            out.to_str().unwrap(),
            program.to_str().unwrap(),
        ]);
        assert_eq!(campaign.code, Some(0), "{group:?}: {campaign:?}");
        // No function but `main` ends by its own doing.
        let covered = format!("{} of {} branches", 6 + group.len(), 6 + 2 * group.len());
        for result in [covered.as_str(), "every feasible path was executed", "no crash", ", 0 differ"] {
            assert!(campaign.stdout.contains(result), "{result} {group:?}: {campaign:?}");
        }
    }
}

/// Models mean the C library's functions: the program's own of these names end it.
const OWN_BESIDE_MODELS: &str = "extern void *stdin; char *strdup(const char *); char *fgets(char *, int, void *);\n\
    int strcmp(const char *, const char *); long strtol(const char *, char **, int);\n\
    #define OWN(name) int name(int x) { __builtin_trap(); return x; }\n\
    OWN(strlen) OWN(memchr) OWN(memcmp) OWN(read) OWN(lseek) OWN(fileno) OWN(getenv) OWN(strchr) OWN(isspace) OWN(index)\n\
    int main(void) { char line[4], *copy; if (!fgets(line, 4, stdin)) return 1; copy = strdup(line);\n\
    if (strtol(copy, 0, 10) == 42) return 7; if (strcmp(copy, \"abc\") == 0) return 8; return 0; }\n";

#[test]
fn models_call_the_librarys_functions_and_not_the_programs() {
    let directory = tempfile::tempdir().unwrap();
    let source = write_source(directory.path(), "beside.c", OWN_BESIDE_MODELS);
    let program = directory.path().join("program");
    let built = output_of(cairn().args(["cc", "-w", "-fno-builtin"]).arg(&source).arg("-o").arg(&program));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let out = directory.path().join("out");
    let mut cairn = cairn();
    cairn.args(["run", "--oracle", "--sym-stdin", "3", "--time", "60s", "--out"]).arg(&out).arg(&program);
    let campaign = output_of(&mut cairn);
    assert_eq!(campaign.code, Some(0), "{campaign:?}");
    assert!(campaign.stdout.contains(", 0 differ"), "{campaign:?}");
    let tests = std::fs::read_dir(out.join("queue")).unwrap().map(|test| test.unwrap().path());
    let codes: BTreeSet<Option<i32>> = tests.map(|test| with_input(&program, &test).code).collect();
    assert!(codes.contains(&Some(7)) && codes.contains(&Some(8)), "{codes:?} {campaign:?}");
}

/// The functions of a library that the program is linked with are the program's as well.
#[test]
fn functions_of_the_programs_libraries_are_its_own() {
    let library = "int atoi(const char *text) { return text[0] == 'x' ? 5 : 6; } unsigned long strlen(const char *text) { __builtin_trap(); return 0; }\n";
    let caller = "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\nint main(void) { char line[3]; \
        if (!fgets(line, 3, stdin)) return 1; return strdup(line) ? atoi(line) : 1; }\n";
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let (library, caller) = (write_source(here, "own.c", library), write_source(here, "caller.c", caller));
    let clang = std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into());
    let built = output_of(
        Command::new(clang)
            .args(["-w", "-fno-builtin", "-fPIC", "-shared"])
            .arg(&library)
            .arg("-o")
            .arg(here.join("libown.so")),
    );
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let program = here.join("program");
    let mut cc = cairn();
    cc.args(["cc", "-fno-builtin", "-O2"]).arg(&caller).arg("-L").arg(here).args([
        "-lown",
        "-Wl,-rpath,$ORIGIN",
        "-o",
    ]);
    let built = output_of(cc.arg(&program));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    for (text, code) in [("x", 5), ("7", 6)] {
        let input = write_source(here, "input", text);
        let ran = with_input(&program, &input);
        assert_eq!(ran.code, Some(code), "{text}: {ran:?}");
    }
}

/// `/tests/regressions` has the program as it was reported.
#[test]
fn a_program_with_its_own_read_is_explored() {
    let directory = tempfile::tempdir().unwrap();
    let source = root().join("tests/regressions/own_read.c");
    let out = directory.path().join("out");
    let campaign = run(["run", "--time", "60s", "--out", out.to_str().unwrap(), source.to_str().unwrap()]);
    assert_eq!(campaign.code, Some(1), "{campaign:?}");
    assert!(
        campaign.stdout.contains("2 of 2 branches") && campaign.stdout.contains("1 crash"),
        "{campaign:?}"
    );
    build_plain(&source, &directory.path().join("plain"));
}
