//! Reference builds of programs that `cairn cc` has built: whole projects, by the usual build systems.

use crate::common::{CommandOutput, cairn, output_of, write_source};
use std::fs;
use std::path::Path;
use std::process::Command;

const HEADER: &str = "#define ROOM 8\nint store(char *to, const char *from, int length);\n";
const STORE: &str = r#"#include "store.h"
int store(char *to, const char *from, int length) {
    for (int i = 0; i < length; i++) to[i] = from[i];
    return to[0];
}
"#;
/// Writes beyond its heap block if the text begins with `#!`. Nothing crashes by it.
const PARSE: &str = r#"#include "store.h"
#include <stdlib.h>
int parse(const char *text) {
    char *block = malloc(ROOM);
    int length = text[0] == '#' && text[1] == '!' ? ROOM + 4 : 4;
    int result = store(block, text, length);
    free(block);
    return result;
}
"#;
const MAIN: &str = r#"#include <stdio.h>
int parse(const char *text);
int main(void) {
    char text[17] = "";
    if (fread(text, 1, 16, stdin) < 4) return 1;
    return parse(text) == 'x';
}
"#;

/// A project of three files, in a directory that others than its owner can read.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        let files = [("store.h", HEADER), ("store.c", STORE), ("parse.c", PARSE), ("main.c", MAIN)];
        files.iter().for_each(|(name, text)| drop(write_source(project.path(), name, text)));
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs a shell command in which `$CC` is `cairn cc`.
    fn shell(&self, script: &str) -> CommandOutput {
        let cairn = cairn();
        let mut shell = Command::new("sh");
        shell.envs(cairn.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.env("CC", format!("{} cc", cairn.get_program().to_str().unwrap()));
        let result = output_of(shell.args(["-e", "-c", script]).current_dir(self.path()));
        assert_eq!(result.code, Some(0), "{script}: {result:?}");
        result
    }

    fn run(&self, options: &[&str]) -> CommandOutput {
        let always = ["run", "--quiet", "--sym-stdin", "16", "--execs", "300", "--force", "--out", "out"];
        output_of(cairn().current_dir(self.path()).args(always).args(options).arg("./prog"))
    }

    /// Runs a campaign, in which sanitizers find the overflow; returns the report of the finding.
    fn overflow(&self, options: &[&str]) -> String {
        let result = self.run(options);
        assert_eq!(result.code, Some(1), "{result:?}");
        assert!(result.stdout.contains("heap buffer overflow in store ("), "{result:?}");
        assert!(result.stdout.contains("store.c:3)"), "{result:?}");
        let reports = fs::read_dir(self.path().join("out/crashes/reports")).unwrap().flatten();
        let text = |path: std::path::PathBuf| fs::read_to_string(path).unwrap();
        let mut texts = reports.map(|entry| entry.path()).filter(|path| path.extension().unwrap() == "txt");
        let report = text(texts.next().expect("a report"));
        assert!(report.contains("Confirmed by a build with sanitizers."), "{report}");
        assert!(report.contains("ERROR: AddressSanitizer: heap-buffer-overflow"), "{report}");
        assert!(report.contains("is located 0 bytes after 8-byte region"), "{report}");
        report
    }
}

#[test]
fn a_project_with_an_archive_is_built_again() {
    let project = Project::new();
    let makefile = "CFLAGS = -O2 -g -Wall -Werror\nprog: main.o libparse.a\n\t$(CC) main.o -L. -lparse -o $@\n\
        libparse.a: parse.o store.o\n\tar rcs $@ $^\n";
    fs::write(project.path().join("Makefile"), makefile).unwrap();
    // `make` takes CC from the environment only with -e.
    project.shell("make -e prog");
    let report = project.overflow(&[]);
    assert!(report.contains("parse (parse.c:6)") && report.contains("main (main.c:6)"), "{report}");
}

#[test]
fn the_sources_may_be_gone() {
    let project = Project::new();
    project.shell("mkdir tree && cd tree && for f in main parse store; do $CC -I. -c ../$f.c; done");
    project.shell("$CC tree/*.o -o prog && rm -r tree *.c *.h");
    project.overflow(&[]);
}

#[test]
fn a_changed_source_does_not_matter() {
    let project = Project::new();
    project
        .shell("$CC main.c parse.c store.c -o prog && sed -i s/ROOM+4/1/ parse.c && echo '#error' >store.h");
    project.overflow(&[]);
}

/// A header without room in its object must be as it was.
#[test]
fn a_changed_header_that_was_not_kept_is_named_once() {
    let project = Project::new();
    let mut seed = 1u64;
    let mut word = || {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        format!("/* {seed:016x} */\n")
    };
    let noise: String = (0..4000).map(|_| word()).collect();
    fs::write(project.path().join("store.h"), noise + HEADER).unwrap();
    project.shell("$CC main.c parse.c store.c -o prog");
    project.overflow(&[]);
    project.shell("echo 'int more;' >>store.h");
    let result = project.run(&[]);
    assert_eq!(result.code, Some(0), "{result:?}");
    let told = "there is no sanitized build: ";
    assert_eq!(result.stdout.matches(told).count(), 1, "{result:?}");
    assert!(result.stdout.contains("store.h has changed since"), "{result:?}");
}

/// The branches inside shared libraries are not explored: what is decided is decided in the program.
#[test]
fn shared_libraries_are_built_again() {
    let project = Project::new();
    let copy = "int store(char *, const char *, int);\n\
        int copy(char *to, const char *from, int length) { return store(to, from, length); }\n";
    write_source(project.path(), "copy.c", copy);
    project.shell("$CC -shared -fPIC store.c -o libstore.so -Wl,-soname,libstore.so.1");
    project.shell("ln -s libstore.so libstore.so.1");
    project.shell("$CC -shared -fPIC copy.c -o libcopy.so -L. -lstore -Wl,-rpath,$PWD");
    project.shell("$CC -Dstore=copy main.c parse.c -o prog -L. -lcopy -Wl,-rpath,$PWD");
    let report = project.overflow(&[]);
    assert!(report.contains("copy (copy.c:2)"), "{report}");
}

#[test]
fn partial_links_keep_their_records() {
    let project = Project::new();
    project.shell("$CC -ffunction-sections -c store.c parse.c && ld -r store.o parse.o -o both.o");
    for linker in ["lld", "bfd"] {
        project
            .shell(&format!("$CC -fuse-ld={linker} -Wl,--gc-sections main.c both.o -o prog && strip prog"));
        project.overflow(&[]);
    }
}

#[test]
fn other_compilers_objects_are_linked_as_they_are() {
    let project = Project::new();
    let assembly = ".globl offset\noffset: mov $0, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n";
    write_source(project.path(), "offset.s", assembly);
    write_source(project.path(), "scale.c", "int scale(int x) { return x; }\n");
    let main = MAIN.replace("int main", "int offset(void), scale(int);\nint main");
    write_source(project.path(), "main.c", &main.replace("parse(text)", "parse(text + scale(offset()))"));
    project.shell("clang-19 -c scale.c && $CC -c offset.s && ar rc libforeign.a scale.o");
    project.shell("$CC main.c parse.c store.c offset.o libforeign.a -o prog");
    project.overflow(&[]);
}

#[test]
fn a_cmake_project_is_built_again() {
    let project = Project::new();
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(prog C)\nadd_library(store OBJECT store.c)\n\
        add_library(parse STATIC parse.c $<TARGET_OBJECTS:store>)\nadd_executable(prog main.c)\n\
        target_link_libraries(prog parse)\n";
    fs::write(project.path().join("CMakeLists.txt"), lists).unwrap();
    project.shell("mkdir build && cd build && cmake .. >log && make >>log && cp prog ..");
    project.overflow(&[]);
}

/// What `configure` does: it compiles small programs, some of which must fail, and generates a header.
#[test]
fn a_configured_project_is_built_again() {
    let project = Project::new();
    let configure = r#"try() { echo "$1" >conftest.c; $CC conftest.c -o conftest 2>/dev/null && ./conftest; r=$?; rm -f conftest*; return $r; }
mkdir -p include
try 'int main(void) { return 0; }' && echo '#define WORKS 1' >include/config.h
try '#include <no/such.h>
int main(void) { return 0; }' || echo '#define ROOM 8' >>include/config.h
try 'int no_such_function(void); int main(void) { return no_such_function(); }' && exit 1
cat >Makefile <<EOF
CC = $CC
CPPFLAGS = -Iinclude -DHAVE_CONFIG_H -D'NAME="a \"b\""'
prog: main.o parse.o store.o
	\$(CC) -o \$@ main.o parse.o store.o -lm
EOF
"#;
    fs::write(project.path().join("configure"), configure).unwrap();
    let header =
        "#include \"config.h\"\n#ifndef WORKS\n#error\n#endif\nint store(char *, const char *, int);\n";
    write_source(project.path(), "store.h", header);
    project.shell("sh ./configure && make && make -n prog");
    project.overflow(&[]);
}

#[test]
fn a_users_own_builds_are_used() {
    let project = Project::new();
    project.shell("CAIRN_CC_RECORD=0 $CC main.c parse.c store.c -o prog");
    let without = project.run(&[]);
    assert_eq!(without.code, Some(0), "{without:?}");
    assert!(without.stdout.contains("does not say how it was built"), "{without:?}");
    project.shell("clang-19 -g -fsanitize=address,undefined main.c parse.c store.c -o sanitized");
    project.shell("clang-19 -g main.c parse.c store.c -o plain");
    let report = project.overflow(&["--sanitized", "sanitized", "--plain", "plain"]);
    assert!(report.contains("cairn replay sanitized "), "{report}");
    assert!(!project.path().join("out/cairn-build/prog.sanitized").exists());
    let missing = project.run(&["--plain", "nothing"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
}

/// The records are the program's, and may be forged: the compiler is sandboxed as the program is.
#[test]
fn a_build_writes_nothing_elsewhere() {
    let project = Project::new();
    let place = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = place.path().join("written");
    let options = format!("-Xclang -dependency-file -Xclang {} -Xclang -MT -Xclang x", file.display());
    project.shell(&format!("$CC {options} main.c parse.c store.c -o prog"));
    fs::remove_file(&file).unwrap();
    let result = project.run(&[]);
    assert!(result.stdout.contains("there is no sanitized build: "), "{result:?}");
    assert!(!file.exists());
}

#[test]
fn coverage_is_replayed_on_a_whole_project() {
    let project = Project::new();
    project.shell("$CC -O2 main.c parse.c store.c -o prog");
    project.run(&["--no-sanitizers"]);
    let report = output_of(cairn().current_dir(project.path()).args([
        "report",
        "out",
        "./prog",
        "--sym-stdin",
        "16",
        "--replay-coverage",
        "--format",
        "json",
    ]));
    assert_eq!(report.code, Some(0), "{report:?}");
    let report: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), 3);
    for file in files {
        assert!(file["plain"]["branches"].as_u64().unwrap() > 0, "{file}");
    }
}

/// A resumed campaign uses the builds of its first part, and only these.
#[test]
fn builds_are_made_once() {
    let project = Project::new();
    project.shell("$CC main.c parse.c store.c -o prog");
    let resume = |execs: &str| {
        fs::remove_file(project.path().join("out/checked_paths")).unwrap();
        let args = ["run", "--quiet", "--sym-stdin", "16", "--out", "out", "--resume", "--execs", execs];
        output_of(cairn().current_dir(project.path()).args(args).arg("./prog"))
    };
    let made =
        || fs::metadata(project.path().join("out/cairn-build/prog.sanitized")).unwrap().modified().unwrap();
    project.overflow(&[]);
    let first = made();
    assert_eq!(resume("310").code, Some(1));
    assert_eq!(made(), first);
    fs::write(project.path().join("out/cairn-build/prog.sanitized.digest"), "0").unwrap();
    assert_eq!(resume("320").code, Some(1));
    assert!(made() > first);
}

/// Many paths, one of which reads freed memory; its only branches are covered early.
const PATHS: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char *block = calloc(8, 1);
    int ups = 0, result;
    for (int i = 0; i < 5; i++)
        if (getchar() == 'u') ups++;
    if (ups == 4) free(block);
    result = ups == 4 ? block[1] : 0;
    return result;
}
"#;

fn check_paths(place: &Path, options: &[&str]) -> (serde_json::Value, Vec<u8>, Vec<String>) {
    let always =
        ["run", "--quiet", "--json", "--sym-stdin", "5", "--execs", "200", "--force", "--out", "out"];
    let mut command = cairn();
    let result = output_of(command.current_dir(place).args(always).args(options).arg("paths.c"));
    let summary = serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{result:?}"));
    let entries = fs::read_dir(place.join("out/crashes/reports")).into_iter().flatten().flatten();
    let mut reports: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    reports.sort();
    (summary, fs::read(place.join("out/checked_paths")).unwrap_or_default(), reports)
}

#[test]
fn which_paths_are_checked_depends_on_no_clock() {
    let place = tempfile::tempdir().unwrap();
    write_source(place.path(), "paths.c", PATHS);
    let (summary, checked, reports) = check_paths(place.path(), &["--check-share", "1"]);
    assert!(summary["paths"].as_u64().unwrap() > 20, "{summary}");
    assert_eq!(summary["paths_checked"], summary["paths"]);
    assert_eq!(summary["findings"]["kinds"]["heap use after free"], 1, "{summary}");
    for share in ["0.001", "0.5"] {
        let (again, checked_again, reports_again) = check_paths(place.path(), &["--check-share", share]);
        assert_eq!((&again["paths"], &again["paths_checked"]), (&summary["paths"], &summary["paths"]));
        assert_eq!((&checked_again, &reports_again), (&checked, &reports));
    }
    let (without, ..) = check_paths(place.path(), &["--no-sanitizers"]);
    assert_eq!((&without["paths"], &without["crashes"]), (&0.into(), &0.into()));
    let refused = output_of(cairn().current_dir(place.path()).args(["run", "--check-share", "2", "paths.c"]));
    assert_eq!(refused.code, Some(2));
}

/// What a run does to its server costs no more than this run.
#[test]
fn a_run_may_end_its_server() {
    let place = tempfile::tempdir().unwrap();
    let text = PATHS.replace("int main", "#include <signal.h>\n#include <unistd.h>\nint main").replace(
        "if (ups == 4) free",
        "#if __has_feature(address_sanitizer)\n\
         if (ups == 1) kill(getppid(), SIGKILL);\n\
         if (ups == 2) for (;;) pause();\n\
         if (ups == 3 && fork() == 0) for (;;) pause();\n\
         #endif\n    if (ups == 4) free",
    );
    write_source(place.path(), "paths.c", &text);
    let (summary, ..) = check_paths(place.path(), &["--timeout", "100"]);
    assert_eq!(summary["paths_checked"], summary["paths"], "{summary}");
    assert_eq!(summary["findings"]["kinds"]["heap use after free"], 1, "{summary}");
    let programs = fs::read_dir("/proc").unwrap().flatten();
    let programs = programs.filter_map(|entry| fs::read_link(entry.path().join("exe")).ok());
    let left: Vec<_> = programs.filter(|program| program.starts_with(place.path())).collect();
    assert!(left.is_empty(), "{left:?}");
}
