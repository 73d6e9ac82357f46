//! A campaign directory is data: nothing that it names is run, followed or believed without the user.

use crate::common::{CommandOutput, cairn, output_of, write_source};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The campaign that the tests tamper with.
const RUN: [&str; 9] =
    ["run", "--quiet", "--no-sandbox", "--no-sanitizers", "--sym-stdin", "1", "--execs", "9", "marker.c"];

/// A program that leaves a mark if nothing keeps it from that, and a directory with a campaign on it.
struct Bed {
    place: TempDir,
}

impl Bed {
    /// The campaign ran without a sandbox.
    fn new() -> Bed {
        let bed = Bed { place: TempDir::new().unwrap() };
        let mark = bed.at("mark");
        let text = format!(
            "#include <stdio.h>\nint main(void) {{ FILE *f = fopen(\"{}\", \"w\"); if (f) fclose(f); return getchar() == 'k'; }}\n",
            mark.display()
        );
        write_source(bed.place.path(), "marker.c", &text);
        let made = bed.cairn("own", &RUN);
        assert_eq!(made.code, Some(0), "{made:?}");
        assert!(mark.exists());
        fs::remove_file(&mark).unwrap();
        bed
    }

    fn at(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// `cairn` as a user with this state directory runs it.
    fn cairn(&self, user: &str, args: &[&str]) -> CommandOutput {
        output_of(cairn().current_dir(self.place.path()).env("XDG_STATE_HOME", self.at(user)).args(args))
    }

    fn was_marked(&self) -> bool {
        let mark = self.at("mark");
        let marked = mark.exists();
        let _ = fs::remove_file(mark);
        marked
    }
}

#[test]
fn a_strangers_directory_makes_nothing_run() {
    let bed = Bed::new();
    for command in
        [&["report", "cairn-out"][..], &["cmin", "cairn-out"], &["report", "cairn-out", "--no-sandbox"]]
    {
        let result = bed.cairn("stranger", command);
        assert_eq!((result.code, result.stderr.lines().count()), (Some(2), 1), "{command:?}: {result:?}");
        assert!(result.stderr.contains("cairn-out/cairn-build/marker"), "{command:?}: {result:?}");
        assert!(result.stderr.contains("say --program "), "{command:?}: {result:?}");
        assert!(!bed.was_marked(), "{command:?}");
    }
    // Named by the user it runs, in the sandbox.
    let program = "cairn-out/cairn-build/marker";
    for command in
        [&["report", "cairn-out", "--program", program][..], &["cmin", "cairn-out", "--program", program]]
    {
        let result = bed.cairn("stranger", command);
        assert_eq!(result.code, Some(0), "{command:?}: {result:?}");
        assert!(!bed.was_marked(), "{command:?}");
    }
    let free = bed.cairn("stranger", &["cmin", "cairn-out", "--program", program, "--no-sandbox"]);
    assert_eq!(free.code, Some(0), "{free:?}");
    assert!(bed.was_marked());
}

/// Looks at its input only if it cannot read the file that its argument names.
const READER: &str = r#"
#include <stdio.h>
int main(int argc, char **argv)
{
    if (argc > 1 && fopen(argv[1], "r"))
        return 3;
    if (getchar() == 'k')
        puts("k");
    return 0;
}
"#;

/// Arguments that the user wrote open files in the home; those that only a directory tells do not.
#[test]
fn arguments_from_a_strangers_directory_open_nothing_in_the_home() {
    let place = TempDir::new().unwrap();
    let at = |name: &str| place.path().join(name);
    for name in ["home", "work"] {
        fs::create_dir(at(name)).unwrap();
    }
    fs::write(at("home/secret"), "").unwrap();
    fs::set_permissions(at("home/secret"), Permissions::from_mode(0o644)).unwrap();
    write_source(&at("work"), "reader.c", READER);
    let run = |user: &str, words: &[&str]| {
        let mut cairn = cairn();
        cairn.current_dir(at("work")).env("HOME", at("home")).env("XDG_STATE_HOME", at(user)).args(words);
        let result = output_of(&mut cairn);
        assert_eq!(result.code, Some(0), "{words:?}: {result:?}");
        result
    };
    let secret = at("home/secret").to_string_lossy().into_owned();
    let options = ["--quiet", "--no-sanitizers", "--sym-stdin", "1", "--execs", "4", "reader.c", "--"];
    run("own", &[&["run"], &options[..], &[&secret]].concat());
    fs::write(at("work/cairn-out/queue/id:000009,k"), "k").unwrap();
    // Tests that make no difference are left out: all but one if the program can read the file.
    let kept = |user: &str, named: &[&str]| run(user, &[&["cmin", "cairn-out"], named].concat()).stdout;
    let own = kept("own", &[]);
    assert_eq!(own.lines().count(), 1, "{own}");
    let strange = kept("stranger", &["--program", "cairn-out/cairn-build/reader"]);
    assert_eq!(strange.lines().count(), 2, "{strange}");
}

#[test]
fn a_campaign_of_the_user_runs_in_the_sandbox_unless_this_command_line_says_otherwise() {
    let bed = Bed::new();
    let report = bed.cairn("own", &["report", "cairn-out", "--format", "csv"]);
    assert_eq!(report.code, Some(0), "{report:?}");
    assert!(report.stderr.contains("the campaign ran without the sandbox"), "{report:?}");
    assert!(!bed.was_marked());
    assert_eq!(bed.cairn("own", &["report", "cairn-out", "--format", "csv", "--no-sandbox"]).code, Some(0));
    assert!(bed.was_marked());
}

/// The record is the user's, so neither another program nor other settings come in by the directory.
#[test]
fn a_known_directory_cannot_bring_another_program_or_other_settings() {
    let bed = Bed::new();
    let stats = bed.at("cairn-out/fuzzer_stats");
    let text = fs::read_to_string(&stats).unwrap();
    let forged = text.replace("--sym-stdin 1", "--sym-stdin 1 --sym-arg 3");
    assert_ne!(text, forged);
    fs::write(&stats, forged).unwrap();
    let before = bed.cairn("own", &["report", "cairn-out", "--format", "json"]);
    assert_eq!(before.code, Some(0), "{before:?}");
    let source = fs::read_to_string(bed.at("marker.c")).unwrap();
    write_source(bed.place.path(), "other.c", &source.replace("'k'", "'x'"));
    assert_eq!(bed.cairn("own", &["cc", "other.c", "-o", "cairn-out/cairn-build/marker"]).code, Some(0));
    // The digest in the directory proves nothing.
    let result = bed.cairn("own", &["cmin", "cairn-out"]);
    assert_eq!(result.code, Some(2), "{result:?}");
    assert!(result.stderr.contains("has changed since the campaign"), "{result:?}");
}

#[test]
fn without_a_state_directory_the_program_must_be_named() {
    let bed = Bed::new();
    let homeless = |args: &[&str]| {
        let mut command = cairn();
        command.env_remove("XDG_STATE_HOME").env_remove("HOME");
        output_of(command.current_dir(bed.place.path()).args(args))
    };
    let made = homeless(&["run", "--quiet", "--sym-stdin", "1", "--execs", "9", "--out", "o", "marker.c"]);
    assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""), "{made:?}");
    assert_eq!(homeless(&["cmin", "o"]).code, Some(2));
    assert_eq!(homeless(&["cmin", "o", "--program", "o/cairn-build/marker"]).code, Some(0));
}

/// Ends it if it takes suspiciously long.
fn in_time(command: &mut Command) -> Option<i32> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("{command:?} does not end");
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn pipes_in_a_campaign_directory_block_nothing() {
    let bed = Bed::new();
    let (out, program) = (bed.at("cairn-out"), bed.at("cairn-out/cairn-build/marker"));
    pipe(&out.join("queue/id:000099,pipe"));
    for file in ["plot_data", "snapshot.json"] {
        fs::remove_file(out.join(file)).unwrap();
        pipe(&out.join(file));
    }
    fs::create_dir_all(out.join("crashes/reports")).unwrap();
    pipe(&out.join("crashes/reports/id:000000.json"));
    let own = || {
        let mut command = cairn();
        command.current_dir(bed.place.path()).env("XDG_STATE_HOME", bed.at("own"));
        command
    };
    assert_eq!(in_time(own().args(["report", "cairn-out"])), Some(0));
    assert_eq!(in_time(own().args(["cmin", "cairn-out"])), Some(0));
    assert_eq!(in_time(own().args(["export", "cairn-out", "--format", "ktest", "--out", "k"])), Some(0));
    assert_eq!(in_time(own().arg("replay").arg(&program).arg("cairn-out")), Some(0));
    let run = ["run", "--sym-stdin", "1", "--execs", "9", "--out", "o2", "marker.c", "--seeds", "cairn-out"];
    assert_eq!(in_time(own().args(run)), Some(0));
    fs::remove_file(out.join("fuzzer_stats")).unwrap();
    pipe(&out.join("fuzzer_stats"));
    fs::remove_file(out.join("origin.json")).unwrap();
    pipe(&out.join("origin.json"));
    assert_eq!(in_time(own().args(["report", "cairn-out"])), Some(2));
}

#[test]
fn links_in_a_campaign_directory_are_neither_read_nor_written_through() {
    let bed = Bed::new();
    let out = bed.at("cairn-out");
    fs::write(bed.at("secret"), "top secret text").unwrap();
    symlink(bed.at("secret"), out.join("queue/id:000099,link")).unwrap();
    symlink(bed.at("secret"), out.join("report.html")).unwrap();
    fs::create_dir_all(out.join("crashes/reports")).unwrap();
    symlink(bed.at("secret"), out.join("crashes/reports/id:000000.txt")).unwrap();
    let record = format!(
        r#"{{"kind":"abort","input":"crashes/x","smallest":"{}","reproduce":"rm -rf ~"}}"#,
        bed.at("secret").display()
    );
    fs::write(out.join("crashes/reports/id:000001.json"), record).unwrap();
    let report = bed.cairn("own", &["report", "cairn-out", "--format", "json"]);
    assert_eq!(report.code, Some(0), "{report:?}");
    let bytes = "116,111,112,32,115,101,99,114,101,116"; // "top secret" as numbers
    for leak in ["top secret", bytes, "id:000099", "rm -rf"] {
        assert!(!report.stdout.replace([' ', '\n'], "").contains(&leak.replace(' ', "")), "{leak}");
    }
    let page = bed.cairn("own", &["report", "cairn-out"]);
    assert_eq!(page.code, Some(0), "{page:?}");
    assert!(!out.join("report.html").is_symlink());
    // A campaign that would go on writes nothing through a link either.
    fs::remove_file(out.join("plot_data")).unwrap();
    symlink(bed.at("secret"), out.join("plot_data")).unwrap();
    for option in ["--resume", "--force"] {
        let result = bed.cairn("own", &RUN.iter().copied().chain([option]).collect::<Vec<_>>());
        assert_eq!(result.code, Some(2), "{result:?}");
        assert!(result.stderr.contains("plot_data is a link, which no campaign makes"), "{result:?}");
    }
    assert_eq!(fs::read_to_string(bed.at("secret")).unwrap(), "top secret text");
}

const ESCAPES: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
int main(void)
{
    int c = getchar();
    printf("\033]0;owned\007 out\n");
    fprintf(stderr, "\033[2J\x9b err\n");
    assert(c != 'k' || !"\033[31mred");
    return 0;
}
"#;

/// Returns a command's output on a terminal, as raw bytes.
fn on_a_terminal(place: &Path, words: &[&str]) -> String {
    let cairn = cairn();
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let line = format!("'{}' {}", cairn.get_program().to_str().unwrap(), quoted.join(" "));
    let mut script = Command::new("script");
    script.args(["-q", "-c", &line, "/dev/null"]).current_dir(place).stdin(Stdio::null());
    script.envs(cairn.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "dumb");
    output_of(&mut script).stdout
}

#[test]
fn terminal_escapes_of_a_program_are_shown_not_passed_on() {
    let place = TempDir::new().unwrap();
    let source = write_source(place.path(), "escapes.c", ESCAPES);
    let program = place.path().join("escapes");
    crate::common::build_instrumented(&source, &program);
    let run = |args: &[&str]| output_of(cairn().current_dir(place.path()).args(args));
    let found = run(&["run", "--log", "plain", "--sym-stdin", "1", "--execs", "300", "escapes.c"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(!(found.stdout.clone() + &found.stderr).contains('\x1b'), "{found:?}");
    for file in place.path().join("cairn-out/crashes/reports").read_dir().unwrap().flatten() {
        if file.path().extension().is_some_and(|extension| extension == "txt" || extension == "json") {
            let text = fs::read(file.path()).unwrap();
            assert!(!text.contains(&0x1b), "{}", file.path().display());
        }
    }
    fs::write(place.path().join("input\x1b[2J"), "a").unwrap();
    let shown = on_a_terminal(place.path(), &["replay", "./escapes", "input\x1b[2J"]);
    assert!(shown.contains("\\u001b]0;owned\\u0007 out"), "{shown:?}");
    assert!(shown.contains("\\u001b[2J"), "{shown:?}");
    assert!(!shown.contains('\x1b'), "{shown:?}");
    // A file gets what the program wrote.
    let raw = run(&["replay", "./escapes", "input\x1b[2J"]);
    assert!(raw.stdout.contains("\x1b]0;owned\x07 out"), "{raw:?}");
    // Names of files, in results and in complaints.
    fs::create_dir(place.path().join("many")).unwrap();
    fs::write(place.path().join("many/\x1b[2J"), "a").unwrap();
    let many = run(&["replay", "./escapes", "many"]);
    assert_eq!((many.code, many.stdout.as_str()), (Some(0), "many/\\u001b[2J: exit code 0\n"));
    for args in [
        &["run", "--out", "o", "no\x1b[2J.c"][..],
        &["run", "--strategy", "\x1b[2J", "escapes.c"],
        &["explain", "\x1b[2J"],
    ] {
        let result = run(args);
        assert_eq!(result.code, Some(2), "{result:?}");
        assert!(!result.stderr.contains('\x1b') && result.stderr.contains("\\u001b"), "{result:?}");
    }
}

#[test]
fn a_killed_compiler_leaves_nothing_that_the_next_does_not_remove() {
    let place = TempDir::new().unwrap();
    let source = write_source(place.path(), "a.c", "#include \"pipe.h\"\nint main(void) { return 0; }\n");
    // Clang waits for the other end, and so does `cairn cc`.
    pipe(&place.path().join("pipe.h"));
    let temporary = place.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let compile = |source: &Path| {
        let mut command = cairn();
        command.current_dir(place.path()).env("TMPDIR", &temporary).args(["cc", "-c"]).arg(source);
        command
    };
    let mut child = compile(&source).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while files_below(&temporary).is_empty() {
        assert!(Instant::now() < until, "no temporary directory");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!files_below(&temporary).is_empty(), "it was killed too late to show anything");
    // Lets a compiler that is left go on. If there is none any more, opening the pipe for writing alone would wait forever.
    drop(File::options().read(true).write(true).open(place.path().join("pipe.h")).unwrap());
    let next = write_source(place.path(), "b.c", "int x;\n");
    assert_eq!(output_of(&mut compile(&next)).code, Some(0));
    assert_eq!(files_below(&temporary), [""; 0]);
}

/// Everything in the directories of builds.
fn files_below(temporary: &Path) -> Vec<String> {
    let entries =
        |path: &Path| path.read_dir().unwrap().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    let of_users = entries(temporary);
    of_users.iter().flat_map(|user| entries(user)).map(|path| path.display().to_string()).collect()
}
