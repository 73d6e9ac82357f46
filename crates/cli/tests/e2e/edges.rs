//! Unusual files, compilers and moments: each is handled or reported, never ignored.

use crate::common::{CommandOutput, build_instrumented, build_plain, cairn, output_of, write_source};
use cairn_exec::Protection;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Reads four bytes and aborts if the first is an `x`.
const READER: &str = r#"
    #include <stdlib.h>
    #include <unistd.h>
    int main(void) {
        unsigned char b[4];
        if (read(0, b, 4) < 1) return 0;
        if (b[0] == 'x') abort();
        return 0;
    }
"#;

/// A directory with an instrumented program.
struct BuiltProgram {
    directory: tempfile::TempDir,
    program: PathBuf,
}

impl BuiltProgram {
    fn new(source: &str) -> BuiltProgram {
        let directory = tempfile::tempdir().unwrap();
        let source = write_source(directory.path(), "program.c", source);
        let program = directory.path().join("program");
        build_instrumented(&source, &program);
        BuiltProgram { directory, program }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn make_directory(&self, name: &str) -> PathBuf {
        fs::create_dir_all(self.path(name)).unwrap();
        self.path(name)
    }

    fn replay(&self, tests: &Path) -> CommandOutput {
        output_of(cairn().arg("replay").arg(&self.program).arg(tests))
    }

    fn run(&self, options: &[&str]) -> CommandOutput {
        let mut command = cairn();
        command.args(["run", "--force", "--sym-stdin", "4", "--execs", "20", "--out"]);
        output_of(command.arg(self.path("out")).args(options).arg(&self.program))
    }
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A directory with an input, a link to it, and what is none.
fn mixed_directory(built: &BuiltProgram) -> PathBuf {
    let directory = built.make_directory("mixed");
    fs::write(directory.join("a"), "abcd").unwrap();
    symlink("a", directory.join("link")).unwrap();
    symlink("nothing", directory.join("broken")).unwrap();
    fs::create_dir(directory.join("sub")).unwrap();
    fs::write(directory.join("sub/hidden"), "xxxx").unwrap();
    make_pipe(&directory.join("pipe"));
    directory
}

#[test]
fn replay_names_the_entries_of_a_directory_that_it_leaves_out() {
    let built = BuiltProgram::new(READER);
    let result = built.replay(&mixed_directory(&built));
    assert_eq!(result.code, Some(0), "{result:?}");
    assert_eq!(result.stdout.lines().count(), 2, "{result:?}");
    for entry in ["broken (a broken link)", "pipe (a pipe)", "sub (a directory)"] {
        assert!(result.stderr.contains(entry), "{entry}: {result:?}");
    }
    assert!(result.stderr.contains("2 tests, 0 crashes"), "{result:?}");
}

#[test]
fn seeds_name_the_entries_of_a_directory_that_they_leave_out() {
    let built = BuiltProgram::new(READER);
    let mixed = mixed_directory(&built);
    let result = built.run(&["--seeds", mixed.to_str().unwrap()]);
    for entry in ["broken (a broken link)", "pipe (a pipe)", "sub (a directory)"] {
        assert!(result.stderr.contains(entry), "{entry}: {result:?}");
    }
    assert!(built.path("out/queue").is_dir());
}

#[test]
fn links_out_of_a_campaign_are_named_and_not_read() {
    let built = BuiltProgram::new(READER);
    let queue = built.make_directory("campaign/queue");
    fs::write(queue.join("id:000000"), "abcd").unwrap();
    symlink("/etc/passwd", queue.join("id:000001")).unwrap();
    let result = built.replay(&built.path("campaign"));
    assert_eq!((result.code, result.stdout.lines().count()), (Some(0), 1), "{result:?}");
    assert!(result.stderr.contains("id:000001 (a link out of the campaign)"), "{result:?}");
}

#[test]
fn an_empty_part_of_a_campaign_is_no_error() {
    let built = BuiltProgram::new(READER);
    for part in ["queue", "crashes", "hangs"] {
        built.make_directory(&format!("campaign/{part}"));
    }
    for tests in ["campaign", "campaign/queue", "campaign/crashes", "campaign/hangs"] {
        let result = built.replay(&built.path(tests));
        assert_eq!(result.code, Some(0), "{tests}: {result:?}");
        assert!(result.stderr.contains("0 tests"), "{tests}: {result:?}");
    }
    let campaign = built.path("campaign");
    let result = built.run(&["--seeds", campaign.to_str().unwrap()]);
    assert!(result.stderr.contains("there are 0 inputs in the seeds' campaigns"), "{result:?}");
    assert_eq!(result.code, Some(1), "the crash is found all the same: {result:?}");
}

#[test]
fn a_directory_without_inputs_is_refused_in_one_sentence() {
    let built = BuiltProgram::new(READER);
    let (empty, nested) = (built.make_directory("empty"), built.make_directory("nested"));
    built.make_directory("nested/sub");
    let seeded = |path: &Path| built.run(&["--seeds", path.to_str().unwrap()]);
    for result in [built.replay(&empty), seeded(&empty)] {
        assert_eq!(result.code, Some(2), "{result:?}");
        assert!(result.stderr.contains("there is no input in "), "{result:?}");
    }
    for result in [built.replay(&nested), seeded(&nested)] {
        assert_eq!(result.code, Some(2), "{result:?}");
        assert!(result.stderr.contains("these are not files: "), "{result:?}");
        assert!(result.stderr.contains("sub (a directory)"), "{result:?}");
    }
}

#[test]
fn a_source_that_is_no_file_is_named_as_what_it_is() {
    let directory = tempfile::tempdir().unwrap();
    make_pipe(&directory.path().join("pipe.c"));
    fs::create_dir(directory.path().join("directory.c")).unwrap();
    symlink("/dev/zero", directory.path().join("device.c")).unwrap();
    for (name, what) in [("pipe", "a pipe"), ("directory", "a directory"), ("device", "a device")] {
        let mut command = Command::new("timeout");
        command.arg("20").arg(cairn().get_program()).args(["run", &format!("{name}.c")]);
        let result = output_of(command.current_dir(&directory));
        assert_eq!(result.code, Some(2), "{result:?}");
        let expected = format!("cairn: cannot read {name}.c: it is {what}, not a file\n");
        assert_eq!(result.stderr, expected);
    }
}

#[test]
fn options_for_extra_output_files_are_ignored_with_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    write_source(directory.path(), "program.c", READER);
    let mut command = cairn();
    let result =
        output_of(command.args(["cc", "-save-temps", "program.c", "-o", "program"]).current_dir(&directory));
    assert_eq!(result.code, Some(0), "{result:?}");
    assert!(result.stderr.contains("ignoring -save-temps"), "{result:?}");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
}

/// Waits a second whenever a process is prepared to become a target, before it knows its driver's end from its life.
const SLOW_CHILD: &str = r#"
    #include <sys/syscall.h>
    #include <unistd.h>
    int personality(unsigned long persona) {
        usleep(1000000);
        return (int)syscall(SYS_personality, persona);
    }
"#;

const SLEEPING_CONSTRUCTOR: &str = r#"
    #include <unistd.h>
    __attribute__((constructor)) static void wait_long(void) { sleep(60); }
    int main(void) { char c; return read(0, &c, 1) == 1 && c == 'x'; }
"#;

/// Processes whose command line has this text.
fn processes_with(text: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let command = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).ok();
    let commands = entries.filter_map(command).map(|words| String::from_utf8_lossy(&words).into_owned());
    commands.filter(|words| words.contains(text)).collect()
}

/// Kills a driver at the moment that its child has not asked for the signal of its parent's end.
#[test]
fn nothing_outlives_a_driver_that_is_killed_while_it_starts_its_target() {
    let built = BuiltProgram::new(SLEEPING_CONSTRUCTOR);
    let (source, library) =
        (write_source(built.directory.path(), "slow.c", SLOW_CHILD), built.path("slow.so"));
    let mut clang = Command::new("clang-19");
    assert!(clang.args(["-shared", "-fPIC"]).arg(source).arg("-o").arg(&library).status().unwrap().success());
    let here = built.directory.path().to_str().unwrap().to_owned();
    for option in ["--quiet", "--no-sandbox"] {
        let mut command = cairn();
        command.args(["run", "--force", option, "--sym-stdin", "4", "--out"]).arg(built.path("out"));
        command.arg(&built.program).env("LD_PRELOAD", &library).stdout(Stdio::null()).stderr(Stdio::null());
        let mut driver = command.spawn().unwrap();
        // The child of the driver has its command line.
        let start = Instant::now();
        while processes_with(&here).len() < 2 {
            assert!(start.elapsed() < Duration::from_secs(30), "the driver forks nothing");
            std::thread::sleep(Duration::from_millis(5));
        }
        driver.kill().unwrap();
        driver.wait().unwrap();
        let start = Instant::now();
        while !processes_with(&here).is_empty() {
            assert!(start.elapsed() < Duration::from_secs(10), "{option}: {:?}", processes_with(&here));
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Uses temporary files as C programs do; what is in `/tmp` before that a run before has left there.
const TEMPORARY: &str = r#"
    #include <dirent.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    int main(int argc, char **argv) {
        if (argc > 1) return fopen(argv[1], "r") ? 6 : 7;
        DIR *directory = opendir("/tmp");
        int entries = 0;
        for (struct dirent *entry; directory && (entry = readdir(directory));) entries += entry->d_name[0] != '.';
        char name[] = "/tmp/cairn-edges-XXXXXX", text[4] = "";
        FILE *file = tmpfile();
        if (!file || fputs("abc", file) < 0) return 4;
        rewind(file);
        if (!fgets(text, sizeof text, file) || strcmp(text, "abc") != 0) return 5;
        return mkstemp(name) < 0 ? 4 : entries > 0 ? 8 : 3;
    }
"#;

#[test]
fn temporary_files_can_be_made_where_mount_namespaces_are_granted() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let here = directory.path().canonicalize().unwrap();
    if !Protection::here().namespaces.mounts || here.starts_with("/tmp") {
        return;
    }
    // Runs of root are another user.
    fs::set_permissions(&here, fs::Permissions::from_mode(0o755)).unwrap();
    let source = write_source(&here, "program.c", TEMPORARY);
    build_instrumented(&source, &here.join("program"));
    build_plain(&source, &here.join("plain"));
    fs::write(here.join("test"), "").unwrap();
    let replay = |program: &str, options: &[&str], arguments: &[&Path]| {
        let mut command = cairn();
        command.arg("replay").args(options).arg(here.join(program)).arg(here.join("test"));
        output_of(command.arg("--").args(arguments).current_dir(&here))
    };
    for program in ["program", "plain"] {
        for options in [&[][..], &["--scratch"]] {
            let result = replay(program, options, &[]);
            assert!(result.stderr.contains("exit code 3"), "{program} {options:?}: {result:?}");
        }
    }
    let is_ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("cairn-edges-");
    assert!(!fs::read_dir("/tmp").unwrap().flatten().any(|entry| is_ours(&entry)), "files got out");

    // What the command line names in /tmp stays visible.
    let named =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o644)).tempfile_in("/tmp").unwrap();
    let result = replay("program", &[], &[named.path()]);
    assert!(result.stderr.contains("exit code 6"), "{result:?}");
}

/// Many runs of one server: each finds `/tmp` empty.
#[test]
fn temporary_files_do_not_outlive_their_run() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let here = directory.path().canonicalize().unwrap();
    if !Protection::here().namespaces.mounts || here.starts_with("/tmp") {
        return;
    }
    fs::set_permissions(&here, fs::Permissions::from_mode(0o755)).unwrap();
    let text = TEMPORARY.replace(
        "int entries = 0;",
        "int entries = 0; char c; if (read(0, &c, 1) == 1 && c == 'x') entries--;",
    );
    // Crashes if a temporary file cannot be made, and if there was one before.
    let text = text
        .replace("return 4", "abort()")
        .replace("< 0 ? 4 : entries > 0 ? 8", "< 0 || entries > 0 ? (abort(), 8)");
    let source = write_source(&here, "program.c", &text);
    let mut command = cairn();
    command.args(["run", "--force", "--sym-stdin", "1", "--execs", "9", "--out"]).arg(here.join("out"));
    let result = output_of(command.arg(&source).current_dir(&here));
    assert_eq!(result.code, Some(0), "{result:?}");
}

/// Cairn builds such programs itself, and `/tmp` is not the place for it.
#[test]
fn programs_that_a_report_builds_make_temporary_files_as_in_the_campaign() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let here = directory.path().canonicalize().unwrap();
    if !Protection::here().namespaces.mounts || here.starts_with("/tmp") {
        return;
    }
    fs::set_permissions(&here, fs::Permissions::from_mode(0o755)).unwrap();
    write_source(&here, "program.c", TEMPORARY);
    let run = |arguments: &[&str]| output_of(cairn().args(arguments).current_dir(&here).env_remove("TMPDIR"));
    let made = run(&["run", "--force", "--execs", "3", "--sym-stdin", "1", "--out", "out", "program.c"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let report = run(&["report", "out", "--format", "lcov", "--out", "report.info"]);
    assert_eq!(report.code, Some(0), "{report:?}");
    let report = fs::read_to_string(here.join("report.info")).unwrap();
    let line = 1 + TEMPORARY.lines().position(|line| line.contains("mkstemp(name)")).unwrap();
    assert!(report.contains(&format!("DA:{line},1")), "{report}");
}

/// Has a temporary file grow, which no directory shows.
const GREEDY: &str = r#"
    #include <stdio.h>
    #include <string.h>
    int main(void) {
        static char block[1 << 20];
        FILE *file = tmpfile();
        if (!file) return 4;
        memset(block, 1, sizeof block);
        for (int i = 0; i < 600; i++) if (fwrite(block, sizeof block, 1, file) != 1) return 5;
        return 3;
    }
"#;

#[test]
fn temporary_files_without_a_name_count_as_scratch_space() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let here = directory.path().canonicalize().unwrap();
    if !Protection::here().namespaces.mounts || here.starts_with("/tmp") {
        return;
    }
    fs::set_permissions(&here, fs::Permissions::from_mode(0o755)).unwrap();
    let source = write_source(&here, "program.c", GREEDY);
    build_instrumented(&source, &here.join("program"));
    build_plain(&source, &here.join("plain"));
    fs::write(here.join("test"), "").unwrap();
    for program in ["program", "plain"] {
        let mut command = cairn();
        command.args(["replay", "--scratch-size", "64", "--timeout", "60000", program, "test"]);
        let result = output_of(command.current_dir(&here));
        assert!(result.stderr.contains("limit of the scratch directory reached"), "{program}: {result:?}");
    }
}
