//! Programs that ask for many inputs by markers.

use crate::common::{build_plain, cairn, output_of, run, write_source};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Asks for so many integers, and looks at the last and at one in the middle.
fn many(count: usize) -> String {
    format!(
        "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {{ int i, x = 0, middle = 0;\n\
         for (i = 0; i < {count}; i++) {{ x = __VERIFIER_nondet_int(); if (i == {}) middle = x; }}\n\
         if (x == 12345 && middle == 54321) abort();\nreturn 0; }}\n",
        count / 2
    )
}

/// The crash of [`many`], as found by a campaign in this directory, and how long that took.
fn campaign(directory: &Path, count: usize) -> (std::path::PathBuf, Duration) {
    let source = write_source(directory, "many.c", &many(count));
    let out = directory.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let begun = Instant::now();
    let result = run([
        "run",
        "--time",
        "200s",
        "--timeout",
        "20000",
        "--out",
        out.to_str().unwrap(),
        source.to_str().unwrap(),
    ]);
    let took = begun.elapsed();
    assert_eq!(result.code, Some(1), "{count}: {result:?}");
    assert!(result.stdout.contains("branches covered (100 %)"), "{count}: {result:?}");
    assert!(result.stdout.contains("every feasible path was executed"), "{count}: {result:?}");
    let crashes = std::fs::read_dir(out.join("crashes")).unwrap().map(|entry| entry.unwrap().path());
    let mut crashes: Vec<_> = crashes.filter(|path| path.extension().is_some_and(|e| e == "ktest")).collect();
    assert_eq!(crashes.len(), 1, "{count}: {result:?}");
    (crashes.remove(0), took)
}

#[test]
fn all_of_many_markers_are_symbolic_and_in_the_tests() {
    let directory = tempfile::tempdir().unwrap();
    for count in [600, 5_000] {
        let (crash, _) = campaign(directory.path(), count);
        let bytes = std::fs::read(&crash).unwrap();
        let name = b"__VERIFIER_nondet_int";
        assert_eq!(bytes.windows(name.len()).filter(|window| window == name).count(), count);
        let plain = directory.path().join("plain");
        build_plain(&directory.path().join("many.c"), &plain);
        let replayed = output_of(Command::new(&plain).env("CAIRN_TEST", &crash));
        assert_eq!(replayed.code, None, "{count}: {replayed:?}");
        let replayed = run([
            "replay",
            directory.path().join("out/cairn-build/many").to_str().unwrap(),
            crash.to_str().unwrap(),
        ]);
        assert!(replayed.stdout.contains("SIGABRT") || replayed.code == Some(1), "{count}: {replayed:?}");
        let exported = directory.path().join("suite");
        let _ = std::fs::remove_dir_all(&exported);
        let mut export = cairn();
        export
            .args(["export", "--format", "testcomp"])
            .arg(directory.path().join("out"))
            .arg("--out")
            .arg(&exported);
        let result = output_of(&mut export);
        assert_eq!(result.code, Some(0), "{result:?}");
        let most = std::fs::read_dir(&exported).unwrap().map(|file| {
            std::fs::read_to_string(file.unwrap().path()).unwrap_or_default().matches("<input").count()
        });
        assert_eq!(most.max(), Some(count));
    }
}

#[test]
fn the_cost_of_markers_is_linear() {
    let directory = tempfile::tempdir().unwrap();
    let (_, few) = campaign(directory.path(), 10_000);
    let (_, many) = campaign(directory.path(), 80_000);
    // Sixty-four times as long would be quadratic; the machine may be busy.
    assert!(many < 25 * few.max(Duration::from_millis(500)), "{few:?} and {many:?}");
}

#[test]
fn more_markers_than_there_is_room_for_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let text = "extern _Bool __VERIFIER_nondet_bool(void);\nint main(void) { int i, x = 0;\n\
        for (i = 0; i < (1 << 20) + 5; i++) x = __VERIFIER_nondet_bool();\nif (x) return 1;\nreturn 0; }\n";
    let source = write_source(directory.path(), "over.c", text);
    let out = directory.path().join("out");
    let result = run([
        "run",
        "--time",
        "60s",
        "--timeout",
        "30000",
        "--execs",
        "2",
        "--out",
        out.to_str().unwrap(),
        source.to_str().unwrap(),
    ]);
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(result.stdout.contains("truncated: what"), "{result:?}");
    assert!(!result.stdout.contains("every feasible path was executed"), "{result:?}");
}
