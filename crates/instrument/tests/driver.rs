//! The driver against the real clang: the same commands in two equal directories, with outputs compared.
//!
//! The pass is replaced by a stub that marks every module: some bytes in the coverage section, and a
//! reference to a function of the runtime, which is an archive with that function.

use cairn_instrument::driver::{self, Instrumenter, Language, Toolchain};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Environment variable set for the child process that acts as `cairn cc`.
const CHILD: &str = "CAIRN_TEST_DRIVER_ARGUMENTS";
const SEPARATOR: char = '\u{1f}';
/// Environment variable with the path of the module that the stub links to every other.
const MARK: &str = "CAIRN_TEST_MARK";
/// Bytes that each marked module adds to the coverage section.
const MARK_BYTES: u64 = 777;

fn llvm(tool: &str) -> PathBuf {
    let prefix = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-19".into());
    Path::new(&prefix).join("bin").join(tool)
}

// ---- the driver in a process of its own -------------------------------------------------------

struct Marker;

impl Instrumenter for Marker {
    fn instrument(&self, input: &Path, _: Option<&Path>, output: &Path) -> Result<(), String> {
        if std::env::var_os("CAIRN_TEST_REFUSE").is_some() {
            return Err("it is Sunday".into());
        }
        let marked = output.with_extension("marked.bc");
        let mark = PathBuf::from(std::env::var_os(MARK).unwrap());
        run_tool("llvm-link", &[input, &mark, Path::new("-o"), &marked]);
        // Like the real pass: functions without an external definition are inlined.
        run_tool("opt", &[Path::new("-passes=always-inline"), &marked, Path::new("-o"), output]);
        Ok(())
    }
}

fn run_tool(tool: &str, args: &[&Path]) {
    assert!(Command::new(llvm(tool)).args(args).status().unwrap().success(), "{tool}");
}

/// Entry point of the child process, not a test: the driver writes to the standard streams.
#[test]
#[ignore = "run by the other tests"]
fn driver_process() {
    let Ok(line) = std::env::var(CHILD) else { return };
    let args: Vec<_> = line.split(SEPARATOR).map(OsString::from).collect();
    let home = PathBuf::from(&args[0]);
    let language = if args[1] == "c++" { Language::Cxx } else { Language::C };
    let tools = Toolchain { clang: llvm("clang"), include_dir: home.join("include"), library_dir: home };
    std::process::exit(driver::run(&args[2..], language, &tools, &Marker));
}

// ---- a place to try commands -------------------------------------------------------------------

#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Returns a directory with a stub of the runtime, its header, and the marking module; created once.
fn home() -> &'static Path {
    static HOME: OnceLock<TempDir> = OnceLock::new();
    HOME.get_or_init(make_home).path()
}

fn make_home() -> TempDir {
    let home = TempDir::new().unwrap();
    let path = |name: &str| home.path().join(name);
    fs::create_dir(path("include")).unwrap();
    fs::write(path("include/cairn.h"), "#define FROM_CAIRN_H 41\n").unwrap();
    fs::write(path("include/cairn_libstdcxx.h"), "").unwrap();
    fs::write(path("runtime.c"), "void __cairn_hook(void) {}\nvoid __cairn_other(void) {}\n").unwrap();
    let mark = format!(
        ".pushsection cairn_cov,\\\"awR\\\",@progbits\\n.zero {MARK_BYTES}\\n.popsection\\n\
         .pushsection cairn_br,\\\"awR\\\",@progbits\\n.quad __cairn_hook\\n.popsection"
    );
    fs::write(path("mark.c"), format!("__asm__(\"{mark}\");\n")).unwrap();
    let output = Path::new("-o");
    run_tool("clang", &[Path::new("-fPIC"), Path::new("-c"), &path("runtime.c"), output, &path("runtime.o")]);
    // Like the real runtime, it calls the program's renamed `main`.
    let main = "int __cairn_user_main(void);\nint main(void) { return __cairn_user_main(); }\n";
    fs::write(path("main.c"), main).unwrap();
    run_tool("clang", &[Path::new("-fPIC"), Path::new("-c"), &path("main.c"), output, &path("main.o")]);
    let members = [&path("runtime.o"), &path("main.o")];
    run_tool("llvm-ar", &[Path::new("rc"), &path("libcairn_runtime.a"), members[0], members[1]]);
    let model = "int __cairn_w_twice(int n) { return 2 * n; }\n";
    fs::write(path("model.c"), model).unwrap();
    run_tool("clang", &[Path::new("-fPIC"), Path::new("-c"), &path("model.c"), output, &path("model.o")]);
    run_tool("llvm-ar", &[Path::new("rc"), &path("libcairn_models.a"), &path("model.o")]);
    let ir = [Path::new("-emit-llvm"), Path::new("-c"), &path("mark.c"), output, &path("mark.bc")];
    run_tool("clang", &ir);
    home
}

struct Workspace {
    dir: TempDir,
    environment: Vec<(&'static str, &'static str)>,
}

impl Workspace {
    /// Creates a directory with these files.
    fn with(files: &[(&str, &str)]) -> Workspace {
        let workspace = Workspace { dir: TempDir::new().unwrap(), environment: Vec::new() };
        for (name, text) in files {
            fs::create_dir_all(workspace.path(name).parent().unwrap()).unwrap();
            fs::write(workspace.path(name), text).unwrap();
        }
        workspace
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn cc(&self, line: &str) -> Outcome {
        self.driver("c", line, None)
    }

    fn driver(&self, language: &str, line: &str, stdin: Option<&str>) -> Outcome {
        self.driver_at(home(), language, line, stdin)
    }

    /// Runs the driver with its archives in `libraries`.
    fn driver_at(&self, libraries: &Path, language: &str, line: &str, stdin: Option<&str>) -> Outcome {
        let mut args = vec![libraries.to_str().unwrap(), language];
        args.extend(line.split_whitespace());
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "driver_process", "--include-ignored", "--nocapture", "-q"]);
        command.env(MARK, home().join("mark.bc")).env(CHILD, args.join(&SEPARATOR.to_string()));
        let mut outcome = self.outcome(&mut command, stdin);
        // The test harness prints lines before the driver's own.
        outcome.stdout = outcome.stdout.trim_start_matches("\nrunning 1 test\n").to_owned();
        outcome
    }

    fn clang(&self, language: &str, line: &str, stdin: Option<&str>) -> Outcome {
        let mut command = Command::new(llvm("clang"));
        command.args((language == "c++").then_some("--driver-mode=g++"));
        self.outcome(command.args(line.split_whitespace()), stdin)
    }

    fn outcome(&self, command: &mut Command, stdin: Option<&str>) -> Outcome {
        let stdin = match stdin {
            Some(name) => Stdio::from(File::open(self.path(name)).unwrap()),
            None => Stdio::null(),
        };
        let command =
            command.current_dir(self.dir.path()).stdin(stdin).envs(self.environment.iter().copied());
        let output = command.output().unwrap();
        Outcome {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs a program that was built here.
    fn run(&self, program: &str) -> Outcome {
        self.outcome(&mut Command::new(self.path(program)), None)
    }

    /// Builds and expects no output.
    fn build(&self, line: &str) {
        let outcome = self.cc(line);
        assert_eq!(outcome, Outcome { code: 0, stdout: String::new(), stderr: String::new() }, "{line}");
    }

    /// Returns every file, with its text if that must not depend on the compiler.
    fn files(&self) -> BTreeMap<String, Option<String>> {
        let mut found = BTreeMap::new();
        collect(self.dir.path(), "", &mut found);
        found
    }

    fn archive(&self, name: &str, object: &str) {
        run_tool("llvm-ar", &[Path::new("rc"), &self.path(name), &self.path(object)]);
    }

    fn sections(&self, file: &str) -> Vec<Section> {
        let output = Command::new(llvm("llvm-readelf")).arg("-SW").arg(self.path(file)).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().filter_map(Section::parse).collect()
    }

    fn section(&self, file: &str, name: &str) -> Option<Section> {
        self.sections(file).into_iter().find(|section| section.name == name)
    }

    fn is_marked(&self, file: &str) -> bool {
        self.section(file, "cairn_br").is_some_and(|section| section.size > 0)
    }
}

fn collect(dir: &Path, prefix: &str, found: &mut BTreeMap<String, Option<String>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), found);
        } else {
            let is_text = matches!(path.extension().and_then(|e| e.to_str()), Some("d" | "i" | "s"));
            found.insert(name, is_text.then(|| fs::read_to_string(&path).unwrap()));
        }
    }
}

#[derive(Debug)]
struct Section {
    name: String,
    address: u64,
    size: u64,
}

impl Section {
    /// Parses a line such as `[26] cairn_cov PROGBITS 0000000000007000 004000 003000 00 WAR 0 0 4096`.
    fn parse(line: &str) -> Option<Section> {
        let (_, rest) = line.split_once(']')?;
        let words: Vec<_> = rest.split_whitespace().collect();
        let hex = |word: &str| u64::from_str_radix(word, 16).ok();
        Some(Section {
            name: words.first()?.to_string(),
            address: hex(words.get(2)?)?,
            size: hex(words.get(4)?)?,
        })
    }
}

const MAIN: &str =
    "#include <stdio.h>\nint other(void);\nint main(void) { printf(\"%d\\n\", other()); return 3; }\n";
const OTHER: &str = "int other(void) { return 42; }\n";
const ALONE: &str = "#include \"a.h\"\nint main(void) { return A - 1; }\n";
const WARNS: &str = "int f(void) { int unused; return 1 == 1; }\n";
const FAILS: &str = "int f(void) { return missing; }\n";

fn common_files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("a.c", ALONE),
        ("a.h", "#define A 1\n"),
        ("main.c", MAIN),
        ("other.c", OTHER),
        ("sub/third.c", "#include \"../a.h\"\nint third(void) { return A; }\n"),
        ("sub/dir.x/keep", ""),
        ("warns.c", WARNS),
        ("fails.c", FAILS),
        (
            "asm.S",
            "#define NAME in_assembly\n.globl NAME\nNAME: ret\n.section .note.GNU-stack,\"\",@progbits\n",
        ),
        ("pre.i", "# 1 \"pre.c\"\nint pre(void) { return 1; }\n"),
        ("cxx.cpp", "#include <string>\nint main() { std::string s(\"ab\"); return s.size() - 2; }\n"),
        ("args.rsp", "-DNAME=\"two words\" -c\n'a.c' -o from\\ file.o"),
        ("linkline.rsp", "main.c other.c\n-o linked"),
    ]
}

/// Runs the command with clang and with the driver and expects the same messages, exit code and files.
fn check_like_clang(language: &str, line: &str, stdin: Option<&str>) -> Workspace {
    let (theirs, ours) = (Workspace::with(&common_files()), Workspace::with(&common_files()));
    let expected = theirs.clang(language, line, stdin);
    let actual = ours.driver(language, line, stdin);
    assert_eq!(actual, expected, "{line}");
    assert_eq!(ours.files(), theirs.files(), "{line}");
    ours
}

fn check(line: &str) -> Workspace {
    check_like_clang("c", line, None)
}

fn check_marked(line: &str, object: &str) {
    assert!(check(line).is_marked(object), "{line}: {object} was not instrumented");
}

// ---- compiling -----------------------------------------------------------------------------------

#[test]
fn objects_are_where_clang_puts_them_and_instrumented() {
    check_marked("-c a.c", "a.o");
    check_marked("-c a.c -o x.o", "x.o");
    check_marked("-c -osub/x.o a.c", "sub/x.o");
    check_marked("-c sub/third.c other.c", "third.o");
    check_marked("-c sub/third.c other.c", "other.o");
    check_marked("--compile a.c --output=x.o", "x.o");
    check_marked("-c pre.i", "pre.o");
    check_marked("-c -x c -DX sub/third.c -xnone other.c", "third.o");
    check_marked("-c -- other.c", "other.o");
    check_marked("@args.rsp", "from file.o");
    check_marked(
        "-g -O2 -std=c99 -fPIC -ffunction-sections -march=x86-64 -Wall -pthread -c other.c",
        "other.o",
    );
    check_marked("-c -O3 -flto -fno-fat-lto-objects other.c", "other.o");
    check_marked("-c -gsplit-dwarf=single -fstack-protector-strong -Wa,--noexecstack other.c", "other.o");
}

#[test]
fn standard_input_is_compiled() {
    let workspace = check_like_clang("c", "-x c - -c -o x.o", Some("other.c"));
    assert!(workspace.is_marked("x.o"));
    check_like_clang("c", "-xc - -c", Some("other.c"));
    check_like_clang("c", "-c -", Some("other.c"));
}

#[test]
fn messages_are_clangs_and_appear_once() {
    check("-Wall -c warns.c");
    check("-Wall -Werror -c warns.c");
    check("-c fails.c");
    check("-c fails.c other.c");
    check("fails.c warns.c -Wall -o prog");
    check("-c missing.c");
    check("main.c missing.c");
    check("-c a.c other.c -o x.o");
    check("-c other.c -lm -L. -Wl,-O1 -shared");
    check("-c other.c sub/third.c -lm");
    check("-fnonsense -c a.c");
    check("-fno-strict-overflow -fstrict-aliasing -ftrapv -c other.c");
    check("-fcolor-diagnostics -Wall -c warns.c");
    check("");
    check("-c");
    check("a.c -o");
}

#[test]
fn a_failed_build_leaves_no_stale_object() {
    let workspace = Workspace::with(&common_files());
    fs::write(workspace.path("x.o"), "stale").unwrap();
    assert_eq!(workspace.cc("-c fails.c -o x.o").code, 1);
    assert!(!workspace.path("x.o").exists());
}

#[test]
fn bad_inline_assembly_fails() {
    let workspace = Workspace::with(&[("a.c", "void f(void) { __asm__(\"nonsense %eax\"); }\n")]);
    let outcome = workspace.cc("-c a.c");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("nonsense"), "{}", outcome.stderr);
    assert!(!workspace.path("a.o").exists());
}

#[test]
fn dependency_files_are_clangs() {
    check("-MD -c a.c");
    check("-MMD -c a.c -o sub/x.o");
    check("-MD -c a.c -o sub/dir.x/x");
    check("-MD -MF deps.d -c a.c");
    check("-MD -MFdeps.d -MT one -MT two -c a.c");
    check("-MMD -MP -MQ $x -c a.c");
    check("-Wp,-MD,kernel.d -c a.c");
    check("-MD a.c -o prog");
    check("-MD main.c other.c");
    check("-MD -c sub/third.c a.c");
    check("-MD -MF - -c a.c");
    check("-MT x -c a.c");
}

#[test]
fn macros_are_those_of_the_users_build() {
    let names = [
        "__OPTIMIZE__",
        "__OPTIMIZE_SIZE__",
        "__NO_INLINE__",
        "__FAST_MATH__",
        "__PIC__",
        "NDEBUG",
        "__LTO__",
    ];
    let lines = names.map(|name| format!("#ifdef {name}\nputs(\"{name}\");\n#endif\n"));
    let source = format!("#include <stdio.h>\nint main(void) {{\n{}return 0; }}\n", lines.concat());
    for flags in
        ["", "-O0", "-O1", "-O3", "-Os", "-Oz", "-Og", "-O", "-O2 -O0", "-Ofast", "-DNDEBUG -fno-inline -O2"]
    {
        let workspace = Workspace::with(&[("a.c", &source)]);
        workspace.clang("c", &format!("{flags} -w a.c -o theirs"), None);
        workspace.build(&format!("{flags} -w a.c -o ours"));
        assert_eq!(workspace.run("ours"), workspace.run("theirs"), "{flags}");
    }
}

#[test]
fn fortified_functions_are_not_used() {
    let source = "#include <string.h>\nchar b[8];\nvoid f(const char *s) { strcpy(b, s); }\n";
    for flags in
        ["-D_FORTIFY_SOURCE=2", "-Wp,-D_FORTIFY_SOURCE=3", "-Wp,-DX,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=2"]
    {
        let workspace = Workspace::with(&[("a.c", source)]);
        workspace.build(&format!("-O2 {flags} -c a.c"));
        let names = Command::new(llvm("llvm-nm")).arg(workspace.path("a.o")).output().unwrap();
        let names = String::from_utf8_lossy(&names.stdout).into_owned();
        assert!(names.contains("U strcpy\n"), "{flags}: {names}");
    }
}

#[test]
fn source_lines_survive() {
    let workspace = Workspace::with(&common_files());
    workspace.build("-c sub/third.c -o third.o");
    let lines = Command::new(llvm("llvm-dwarfdump"))
        .arg("--debug-line")
        .arg(workspace.path("third.o"))
        .output()
        .unwrap();
    let lines = String::from_utf8_lossy(&lines.stdout).into_owned();
    assert!(lines.contains("name: \"sub/third.c\"") || lines.contains("name: \"third.c\""), "{lines}");
}

#[test]
fn bitcode_is_instrumented_too() {
    let workspace = Workspace::with(&common_files());
    workspace.build("-emit-llvm -c other.c -o other.bc");
    workspace.build("-emit-llvm -S other.c -o text.ll");
    workspace.build("-c other.bc");
    workspace.build("-c text.ll");
    assert!(workspace.is_marked("other.o") && workspace.is_marked("text.o"));
    workspace.build("-emit-llvm -c a.c");
    workspace.build("a.bc -o prog");
    assert_eq!(workspace.run("prog").code, 0);
}

#[test]
fn precompiled_headers_fit_the_sources() {
    let workspace = Workspace::with(&common_files());
    workspace.build("-O2 a.h -o a.h.pch");
    workspace.build("-O2 -include-pch a.h.pch -c a.c");
    assert!(workspace.is_marked("a.o"));
    workspace.build("-x c-header a.h");
    workspace.build("-include a.h -c a.c -o b.o");
}

#[test]
fn cplusplus_is_compiled_and_linked() {
    let workspace = check_like_clang("c++", "cxx.cpp -o prog", None);
    assert_eq!(workspace.run("prog").code, 0);
    check_like_clang("c++", "-c other.c", None);
    check_like_clang("c++", "-c cxx.cpp -std=c++20", None);
}

#[test]
fn cairn_headers_are_found_last() {
    let source = "#include <cairn.h>\nint main(void) { return FROM_CAIRN_H; }\n";
    let workspace = Workspace::with(&[("a.c", source)]);
    workspace.build("a.c -o prog");
    assert_eq!(workspace.run("prog").code, 41);
    assert_eq!(workspace.cc("-E a.c").code, 0);
    fs::write(workspace.path("cairn.h"), "#define FROM_CAIRN_H 7\n").unwrap();
    workspace.build("-I. a.c -o prog");
    assert_eq!(workspace.run("prog").code, 7);
}

// ---- what is left to clang -------------------------------------------------------------------------

#[test]
fn what_cannot_be_instrumented_is_clangs() {
    for line in ["--version", "-v", "--help", "-dumpmachine", "-print-search-dirs", "-print-file-name=crt1.o"]
    {
        check(line);
    }
    for line in ["-M a.c", "-MM a.c", "-S other.c", "-fsyntax-only fails.c", "-E -dM -x c /dev/null"] {
        check(line);
    }
    for line in [
        "-c asm.S",
        "-nostdlib -c other.c",
        "-ffreestanding -c other.c",
        "-nostdlib -static other.c -Wl,-e,other",
    ] {
        assert!(check(line).files().keys().all(|name| !name.contains("cairn")), "{line}");
    }
    check("-E other.c -o other.i");
}

#[test]
fn assembly_beside_c_is_assembled() {
    check("-c asm.S other.c");
    check("-MD -c asm.S other.c");
    let workspace = Workspace::with(&common_files());
    workspace.build("a.c asm.S -o prog");
    assert_eq!(workspace.run("prog").code, 0);
}

#[test]
fn the_environment_can_switch_instrumentation_off() {
    let mut workspace = Workspace::with(&common_files());
    workspace.environment.push((driver::ENV_PLAIN, "1"));
    workspace.build("-c other.c");
    assert!(!workspace.is_marked("other.o"));
}

#[test]
fn sanitizers_and_other_targets_are_refused_in_one_line() {
    for (line, flag) in [
        ("-fsanitize=undefined -c other.c", "-fsanitize=undefined"),
        ("-m32 -c other.c", "-m32"),
        ("--target=aarch64-linux-gnu -c other.c", "--target=aarch64-linux-gnu"),
    ] {
        let workspace = Workspace::with(&common_files());
        let expected = format!(
            "cairn cc: warning: {flag} cannot be combined with Cairn's tracing; compiling without instrumentation\n"
        );
        assert_eq!(workspace.cc(line), Outcome { code: 0, stdout: String::new(), stderr: expected });
        assert!(workspace.path("other.o").exists() && !workspace.is_marked("other.o"));
    }
}

#[test]
fn a_module_that_the_pass_refuses_is_compiled_plainly() {
    let mut workspace = Workspace::with(&common_files());
    workspace.environment.push(("CAIRN_TEST_REFUSE", "1"));
    let outcome = workspace.cc("main.c other.c -o prog");
    assert_eq!(outcome.code, 0);
    let expected = "cairn cc: warning: main.c: compiled without instrumentation: it is Sunday\n";
    assert!(outcome.stderr.starts_with(expected), "{}", outcome.stderr);
    assert_eq!(workspace.run("prog").stdout, "42\n");
}

#[test]
fn a_clang_that_is_missing_is_named() {
    let tools =
        Toolchain { clang: "/nonexistent/clang".into(), library_dir: "/".into(), include_dir: "/".into() };
    assert_eq!(driver::run(&["--version".into()], Language::C, &tools, &Marker), 2);
}

// ---- linking ---------------------------------------------------------------------------------------

#[test]
fn programs_are_built_in_one_go_or_in_steps() {
    let workspace = check("main.c other.c -o prog");
    assert_eq!(workspace.run("prog"), Outcome { code: 3, stdout: "42\n".into(), stderr: String::new() });
    assert_eq!(check("a.c").run("a.out").code, 0);
    assert_eq!(check("@linkline.rsp").run("linked").stdout, "42\n");
    check("-save-temps=cwd --version");
    let workspace = Workspace::with(&common_files());
    workspace.build("-c main.c other.c");
    workspace.build("main.o other.o -o prog -lm -Wl,-O1 -rdynamic");
    assert_eq!(workspace.run("prog").stdout, "42\n");
    let outcome = workspace.cc("-save-temps -g main.c other.o -o again");
    assert!(outcome.code == 0 && outcome.stderr.contains("ignoring -save-temps"), "{}", outcome.stderr);
    assert_eq!(workspace.run("again").stdout, "42\n");
    assert!(!workspace.files().keys().any(|name| name.ends_with(".bc") || name == "main.i"));
}

#[test]
fn link_errors_are_clangs() {
    let workspace = Workspace::with(&common_files());
    let outcome = workspace.cc("main.c -o prog");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("undefined symbol: other"), "{}", outcome.stderr);
    assert!(!workspace.path("prog").exists());
}

#[test]
fn the_linker_can_be_asked() {
    let outcome = Workspace::with(&[]).cc("-Wl,--version");
    assert_eq!(outcome.code, 0);
    assert!(outcome.stdout.contains("LLD"), "{}", outcome.stdout);
}

#[test]
fn coverage_has_its_pages_to_itself() {
    let workspace = Workspace::with(&common_files());
    workspace.build("-c main.c other.c");
    for linker in ["lld", "bfd"] {
        for shape in ["", "-no-pie", "-static", "-static-pie", "-Wl,--gc-sections", "-Wl,-z,now -s"] {
            check_pages(&workspace, &format!("-fuse-ld={linker} {shape} main.o other.o"), 2);
        }
        check_pages(
            &workspace,
            &format!("-fuse-ld={linker} -no-pie -fno-pie a.c -Dmain=f main.o other.o"),
            3,
        );
    }
}

fn check_pages(workspace: &Workspace, line: &str, units: u64) {
    workspace.build(&format!("{line} -o prog"));
    assert_eq!(workspace.run("prog").stdout, "42\n", "{line}");
    let coverage = workspace.section("prog", "cairn_cov").unwrap();
    assert_eq!((coverage.address % 4096, coverage.size % 4096), (0, 0), "{line}: {coverage:x?}");
    assert_eq!(coverage.size, (units * MARK_BYTES).next_multiple_of(4096) + 4096, "{line}");
}

#[test]
fn sections_exist_in_programs_without_instrumented_code() {
    for linker in ["lld", "bfd"] {
        let workspace = Workspace::with(&[(
            "a.c",
            "extern char __start_cairn_br[], __stop_cairn_br[], __start_cairn_meta[], __start_cairn_cov[];\nint main(void) { return __stop_cairn_br - __start_cairn_br + !__start_cairn_meta + !__start_cairn_cov; }\n",
        )]);
        workspace.clang("c", "-c a.c", None);
        workspace.build(&format!("-fuse-ld={linker} a.o -o prog"));
        assert_eq!(workspace.run("prog").code, 0);
        assert_eq!(workspace.section("prog", "cairn_cov").unwrap().size, 4096);
    }
}

#[test]
fn archives_come_between_the_ends() {
    for linker in ["lld", "bfd"] {
        let workspace = Workspace::with(&common_files());
        workspace.build("-c main.c other.c a.c");
        workspace.archive("libo.a", "other.o");
        workspace.build(&format!("-fuse-ld={linker} -u other -L. main.o -lo -o prog"));
        let coverage = workspace.section("prog", "cairn_cov").unwrap();
        assert_eq!((coverage.address % 4096, coverage.size), (0, 8192), "{linker}");
    }
}

#[test]
fn main_may_lie_in_an_archive() {
    for linker in ["lld", "bfd"] {
        let workspace =
            Workspace::with(&[("m.c", "int __cairn_user_main(void) { return 5; }\n"), ("other.c", OTHER)]);
        workspace.build("-c m.c other.c");
        workspace.archive("libm.a", "m.o");
        workspace.build(&format!("-fuse-ld={linker} other.o -L. -l:libm.a -o prog"));
        assert_eq!(workspace.run("prog").code, 5, "{linker}");
    }
}

#[test]
fn libraries_find_the_runtime_in_the_program() {
    for demand in ["", "-Wl,-z,defs", "-Wl,--no-undefined", "-Xlinker -z -Xlinker defs", "-nostdlib"] {
        let workspace = Workspace::with(&common_files());
        workspace.build("-fPIC -c other.c");
        workspace.build(&format!("-shared {demand} -Wl,-soname,libother.so other.o -o libother.so"));
        let program = workspace.section("libother.so", "cairn_cov").unwrap();
        assert_eq!(program.size, MARK_BYTES, "{demand}");
        workspace.build("main.c -L. -lother -Wl,-rpath,$ORIGIN -o prog");
        assert_eq!(workspace.run("prog").stdout, "42\n", "{demand}");
    }
}

#[test]
fn a_library_loaded_later_finds_the_runtime() {
    let main = "#include <dlfcn.h>\nint main(void) { void *l = dlopen(\"./libother.so\", RTLD_NOW); if (!l) return 1; return ((int (*)(void))dlsym(l, \"other\"))(); }\n";
    for linker in ["lld", "bfd"] {
        let workspace = Workspace::with(&[("main.c", main), ("other.c", OTHER)]);
        workspace.build("-shared -fPIC other.c -o libother.so");
        workspace.build(&format!("-fuse-ld={linker} main.c -o prog"));
        assert_eq!(workspace.run("prog").code, 42, "{linker}");
    }
}

/// A library function as declared by a unit whose declaration was redirected to the model.
const CALLS_MODEL: &str = "int __cairn_w_twice(int);\nint main(void) { return __cairn_w_twice(20); }\n";
const OWN_TWICE: &str = "int twice(int n) { return 2 * n + 1; }\n";

#[test]
fn models_are_linked() {
    for linker in ["lld", "bfd"] {
        let workspace = Workspace::with(&[("main.c", CALLS_MODEL)]);
        workspace.build(&format!("-fuse-ld={linker} main.c -o prog"));
        assert_eq!(workspace.run("prog").code, 40, "{linker}");
    }
}

#[test]
fn a_function_of_the_program_goes_before_the_model() {
    for linker in ["lld", "bfd"] {
        let workspace = Workspace::with(&[("main.c", CALLS_MODEL), ("own.c", OWN_TWICE)]);
        workspace.build(&format!("-fuse-ld={linker} main.c own.c -o prog"));
        assert_eq!(workspace.run("prog").code, 41, "{linker}");
        workspace.build("-c main.c own.c");
        workspace.archive("libown.a", "own.o");
        for line in
            ["main.o own.o", "own.o main.o", "main.o libown.a", "-L. main.o -lown", "main.o -L . -l own"]
        {
            workspace.build(&format!("-fuse-ld={linker} {line} -o prog"));
            assert_eq!(workspace.run("prog").code, 41, "{linker}: {line}");
        }
    }
}

#[test]
fn a_library_brings_the_models_it_calls() {
    let caller = "int __cairn_w_twice(int);\nint other(void) { return __cairn_w_twice(21); }\n";
    let workspace = Workspace::with(&[("main.c", MAIN), ("other.c", caller)]);
    workspace.build("-shared -fPIC other.c -o libother.so");
    workspace.build("main.c -L. -lother -Wl,-rpath,$ORIGIN -o prog");
    assert_eq!(workspace.run("prog").stdout, "42\n");
}

#[test]
fn models_that_are_missing_are_named() {
    let workspace = Workspace::with(&common_files());
    let empty = TempDir::new().unwrap();
    let outcome = workspace.driver_at(empty.path(), "c", "main.c other.c -o prog", None);
    assert_eq!(outcome.code, 1);
    let expected = "cairn cc: error: libcairn_models.a was not found beside libcairn_runtime.a in";
    assert!(outcome.stderr.starts_with(expected), "{}", outcome.stderr);
}

#[test]
fn objects_are_joined() {
    let workspace = Workspace::with(&common_files());
    workspace.build("-r main.c other.c -o both.o");
    assert_eq!(workspace.section("both.o", "cairn_cov").unwrap().size, 2 * MARK_BYTES);
    workspace.build("both.o -o prog");
    assert_eq!(workspace.run("prog").stdout, "42\n");
}

#[test]
fn the_runtime_named_twice_is_linked_once() {
    let workspace = Workspace::with(&common_files());
    let runtime = home().join("libcairn_runtime.a");
    workspace.build(&format!(
        "-shared -fPIC other.c -Wl,--whole-archive {} -Wl,--no-whole-archive -o lib.so",
        runtime.display()
    ));
    let names = Command::new(llvm("llvm-nm")).arg(workspace.path("lib.so")).output().unwrap();
    assert!(String::from_utf8_lossy(&names.stdout).contains("U __cairn_hook"));
    workspace.build("-Wl,--whole-archive main.c other.c -Wl,--no-whole-archive -o prog");
}

#[test]
fn long_command_lines_arrive() {
    let workspace = Workspace::with(&common_files());
    workspace.build("-c main.c other.c");
    let long: String = (0..20_000).map(|i| format!("-L/nowhere/{i:06} ")).collect();
    fs::write(workspace.path("long.rsp"), long + "main.o other.o").unwrap();
    workspace.build("@long.rsp -o prog");
    assert_eq!(workspace.run("prog").stdout, "42\n");
}

#[test]
fn verbose_shows_the_commands() {
    let outcome = Workspace::with(&common_files()).cc("-v a.c -o prog");
    assert_eq!(outcome.code, 0);
    assert!(outcome.stderr.contains("-disable-llvm-passes") && outcome.stderr.contains("ld.lld"));
}
