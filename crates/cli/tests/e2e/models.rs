//! The models of library functions.

use crate::common::{cairn, output_of, root, run, write_source};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiled plainly, with a stand-in for the runtime: millions of comparisons take a second.
#[test]
fn models_answer_as_the_library_does() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("differential");
    let mut sources = c_files(&root().join("libc"));
    sources.extend(c_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/differential")));
    let mut clang = Command::new(std::env::var_os("CAIRN_CLANG").unwrap_or("clang-19".into()));
    let built = output_of(
        clang
            .args(["-O1", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-Wno-format", "-o"])
            .arg(&program)
            .args(sources)
            .arg("-lm"),
    );
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let result = output_of(&mut Command::new(program));
    assert_eq!(result.code, Some(0), "{}", result.stdout);
}

fn c_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|e| e == "c")).collect()
}

const CALLER: &str = "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\nint main(void) { char text[] = \"a-b\"; printf(\"%s %d\\n\", strtok(text, \"-\"), atoi(\"12\")); fgets(text, 3, stdin); puts(text); return (int)strlen(text); }\n";
const OWN: &str = "#include <stdio.h>\n#include <stddef.h>\nchar *strtok(char *text, const char *set) { (void)text; (void)set; return \"mine\"; }\nint atoi(const char *text) { (void)text; return 7; }\nchar *fgets(char *to, int size, FILE *from) { (void)size; (void)from; to[0] = 'Z'; to[1] = 0; return to; }\n";

/// Whichever unit defines it, and whether it has a model or a wrapper.
#[test]
fn functions_that_a_program_defines_itself_are_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let (caller, own) =
        (write_source(directory.path(), "caller.c", CALLER), write_source(directory.path(), "own.c", OWN));
    let program = directory.path().join("program");
    for flags in [&["-O0"][..], &["-O2"], &["-fuse-ld=bfd"], &["-static"], &["-fuse-ld=bfd", "-static"]] {
        let built = output_of(cairn().arg("cc").args(flags).arg(&caller).arg(&own).arg("-o").arg(&program));
        assert_eq!(built.code, Some(0), "{flags:?}: {}", built.stderr);
        let ran = output_of(&mut Command::new(&program));
        assert_eq!((ran.stdout.as_str(), ran.code), ("mine 7\nZ\n", Some(1)), "{flags:?}");
    }
}

/// A program of C++ calls the same functions.
#[test]
fn cplusplus_has_the_models() {
    let directory = tempfile::tempdir().unwrap();
    let source = "#include <cctype>\n#include <cstdio>\n#include <cstring>\nint main() { char line[8]; if (!fgets(line, sizeof line, stdin)) return 0; if (std::strcmp(line, \"pear\") == 0) puts(\"pear\"); if (std::isdigit(line[0])) puts(\"digit\"); return 0; }\n";
    let source = write_source(directory.path(), "a.cpp", source);
    let program = directory.path().join("program");
    let built = output_of(cairn().arg("c++").arg(source).arg("-o").arg(&program));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let out = directory.path().join("out");
    let result =
        run(["run", "--json", "--sym-stdin", "4", "--out", out.to_str().unwrap(), program.to_str().unwrap()]);
    assert_eq!(result.code, Some(0), "{result:?}");
    let kept = std::fs::read_dir(out.join("queue")).unwrap();
    assert!(
        kept.map(|test| std::fs::read(test.unwrap().path()).unwrap()).any(|test| test == b"pear"),
        "{result:?}"
    );
}
