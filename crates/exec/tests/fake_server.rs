//! The driver against a fork server that misbehaves in every way a program can.

use cairn_exec::{
    Arg, ExitKind, Input, Limits, Mode, Object, Output, RunError, Server, StartError, StepKind, SymbolicFile,
    TargetSpec,
};
use cairn_expr::{Dag, Evaluator};
use cairn_wire::SiteId;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SIDES: usize = 10;

/// The fake server, compiled once per test process.
fn fake() -> PathBuf {
    static BUILT: OnceLock<TempDir> = OnceLock::new();
    let dir = BUILT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake_server.c");
        let compiler = std::env::var("CAIRN_CLANG").unwrap_or_else(|_| "clang-19".to_owned());
        let status =
            Command::new(compiler).arg("-O1").arg(source).arg("-o").arg(dir.path().join("fake")).status();
        assert!(status.expect("clang-19 is installed").success());
        dir
    });
    dir.path().join("fake")
}

fn spec(start: &str) -> TargetSpec {
    let mut spec = TargetSpec::new(fake(), SIDES);
    spec.args.push(Arg::Literal(start.into()));
    spec.timeout = Duration::from_secs(10);
    spec
}

fn server() -> Server {
    Server::start(spec("ok"), Limits::default()).unwrap()
}

fn stdin(text: &str) -> Input {
    Input { objects: vec![Object::stdin(text)] }
}

fn start_error(start: &str) -> StartError {
    let limits = Limits { startup: Duration::from_millis(500), ..Limits::default() };
    Server::start(spec(start), limits).err().expect("must not start")
}

#[test]
fn runs_have_the_exit_kind_of_their_end() {
    let mut server = server();
    let mut end_of = |text| server.run(&stdin(text), Mode::TRACE).unwrap().end;
    assert_eq!(end_of("x"), ExitKind::Exit(0));
    assert_eq!(end_of("3"), ExitKind::Exit(3));
    assert_eq!(end_of("c"), ExitKind::Signal(libc::SIGSEGV));
    assert_eq!(end_of("r"), ExitKind::Rejected);
    assert_eq!(end_of("x"), ExitKind::Exit(0));
}

#[test]
fn a_run_reports_coverage_path_and_usage() {
    let mut server = server();
    for (text, taken, value) in [("x", 9, 1), ("y", 8, 0)] {
        let run = server.run(&stdin(text), Mode::TRACE).unwrap();
        let covered: Vec<usize> = (0..SIDES).filter(|&i| run.coverage[i] != 0).collect();
        assert_eq!(covered, [taken], "and nothing of the run before");
        assert_eq!((run.max_rss_kib, run.cpu), (1234, Duration::from_micros(5678)));
        assert!(!run.flags.damaged);
        let mut dag = Dag::new();
        let trace = server.decode(&mut dag);
        assert_eq!((trace.steps.len(), trace.label_count, trace.damaged), (1, 2, false));
        let step = trace.steps[0];
        assert_eq!((step.kind, step.site, step.concrete), (StepKind::Branch, SiteId(4), value));
        assert_eq!(Evaluator::new().eval(&dag, step.value, &run.input), value.into());
    }
}

#[test]
fn a_crash_reports_its_stack() {
    let mut server = server();
    assert_eq!(server.run(&stdin("c"), Mode::TRACE).unwrap().crash, [0x1234, 0x5678]);
    assert!(server.run(&stdin("x"), Mode::TRACE).unwrap().crash.is_empty());
}

#[test]
fn without_tracing_there_is_no_path() {
    let mut server = server();
    let run = server.run(&stdin("x"), Mode::NATIVE).unwrap();
    assert_eq!(run.end, ExitKind::Exit(0));
    assert!(server.decode(&mut Dag::new()).steps.is_empty());
}

#[test]
fn a_hanging_run_is_killed_with_its_children() {
    let mut spec = spec("ok");
    spec.timeout = Duration::from_millis(100);
    let mut server = Server::start(spec, Limits::default()).unwrap();
    for text in ["h", "t"] {
        let began = Instant::now();
        assert_eq!(server.run(&stdin(text), Mode::TRACE).unwrap().end, ExitKind::Timeout);
        assert!(began.elapsed() < Duration::from_secs(5));
    }
    assert_eq!(server.run(&stdin("3"), Mode::TRACE).unwrap().end, ExitKind::Exit(3), "the server lives on");
}

#[test]
fn overwritten_shared_memory_is_survived_and_repaired() {
    let mut server = server();
    let run = server.run(&stdin("s"), Mode::TRACE).unwrap();
    assert_eq!(run.end, ExitKind::Exit(0));
    assert!(run.flags.damaged);
    assert!(server.decode(&mut Dag::new()).damaged);
    let run = server.run(&stdin("x"), Mode::TRACE).unwrap();
    let trace = server.decode(&mut Dag::new());
    assert_eq!((run.flags.damaged, trace.damaged, trace.steps.len()), (false, false, 1));
}

#[test]
fn a_left_over_process_that_keeps_scribbling_is_killed() {
    let mut server = server();
    for _ in 0..5 {
        server.run(&stdin("l"), Mode::TRACE).unwrap();
        server.decode(&mut Dag::new());
    }
    std::thread::sleep(Duration::from_millis(50));
    server.run(&stdin("x"), Mode::TRACE).unwrap();
    let trace = server.decode(&mut Dag::new());
    assert_eq!((trace.damaged, trace.steps.len()), (false, 1));
}

#[test]
fn a_server_that_dies_can_be_restarted() {
    let mut server = server();
    match server.run(&stdin("k"), Mode::TRACE) {
        Err(RunError::ServerDied(ExitKind::Signal(libc::SIGKILL))) => {}
        other => panic!("{other:?}"),
    }
    assert!(server.run(&stdin("x"), Mode::TRACE).is_err(), "it stays dead");
    server.restart().unwrap();
    assert_eq!(server.run(&stdin("3"), Mode::TRACE).unwrap().end, ExitKind::Exit(3));
}

#[test]
fn named_objects_are_reported() {
    let mut server = server();
    let first = server.run(&stdin("n"), Mode::TRACE).unwrap().input;
    let zeros = [Object::stdin("n"), Object::named("one", [0, 0]), Object::named("two", [0; 4])];
    assert_eq!(first.objects, zeros);
    let mut again = first.clone();
    again.objects[1].bytes = vec![7, 8];
    assert_eq!(server.run(&again, Mode::TRACE).unwrap().input, again);
}

#[test]
fn inputs_reach_the_program_and_output_the_driver() {
    let mut spec = spec("ok");
    spec.output = Output::Capture;
    spec.files = vec![SymbolicFile { name: "data".to_owned(), len: 5 }];
    spec.args.extend([Arg::Symbolic(4), Arg::File("@@".to_owned(), 0)]);
    assert_eq!(spec.blank_input().objects, [Object::file("data", [0; 5]).up_to(5), Object::arg(2, [0; 4])]);
    let mut server = Server::start(spec, Limits::default()).unwrap();
    for content in ["first", "second one"] {
        let objects = vec![Object::stdin("p"), Object::file("data", content), Object::arg(2, *b"word")];
        let run = server.run(&Input { objects }, Mode::CHECK).unwrap();
        let stdout = String::from_utf8(run.stdout).unwrap();
        let lines: Vec<&str> = stdout.lines().collect();
        assert_eq!(lines[0], format!("file:{content}"));
        assert!(lines[2].starts_with("object:/") && lines[2].ends_with("/data"), "{stdout}");
        assert_eq!((lines[3], lines.len()), ("argv[2]=word", 4));
        assert_eq!(run.stderr, b"mode 35", "traced, checked, and the process may be reused");
    }
}

#[test]
fn an_argument_that_is_not_there_is_refused() {
    let input = Input { objects: vec![Object::arg(2, *b"x")] };
    match server().run(&input, Mode::TRACE) {
        Err(RunError::NoSuchArgument { index: 2, count: 1 }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_that_dies_at_start_is_quoted() {
    let path = fake().display().to_string();
    let told = start_error("exit").to_string();
    assert_eq!(told, format!("{path} died at start: exit code 3"));
    let told = start_error("crash").to_string();
    assert_eq!(told, format!("{path} died at start: killed by SIGSEGV: no memory for the frobnicator"));
}

#[test]
fn another_version_is_refused() {
    let told = start_error("other-abi").to_string();
    assert!(
        told.ends_with("was built by another version of Cairn: rebuild it with this `cairn cc`"),
        "{told}"
    );
}

#[test]
fn a_program_that_never_gets_ready_is_given_up() {
    let told = start_error("sleep").to_string();
    assert!(told.contains("was not ready to run after"), "{told}");
}

#[test]
fn a_program_with_other_branches_than_were_read_is_refused() {
    let mut spec = spec("ok");
    spec.coverage = 5000;
    let told = Server::start(spec, Limits::default()).err().expect("must not start").to_string();
    assert!(told.contains("runs with 10 branches where its file has 5000"), "{told}");
}

#[test]
fn a_file_that_is_no_target_is_not_started() {
    let error =
        |path: &str| Server::start(TargetSpec::new(path, 1), Limits::default()).err().unwrap().to_string();
    assert_eq!(error("/bin/true"), "/bin/true was not built with `cairn cc`");
    assert_eq!(error("/no/such/file"), "cannot run /no/such/file: No such file or directory (os error 2)");
    assert!(error("/").starts_with("cannot run /: "));
}

#[test]
fn an_instrumented_file_that_cannot_be_executed_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("target");
    std::fs::copy(fake(), &path).unwrap();
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o600);
    std::fs::set_permissions(&path, permissions).unwrap();
    match Server::start(TargetSpec::new(path, SIDES), Limits::default()).err() {
        Some(StartError::CannotExecute { source, .. }) => {
            assert_eq!(source.kind(), std::io::ErrorKind::PermissionDenied);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_plain_program_runs_natively() {
    let mut spec = TargetSpec::new("/bin/sh", 0);
    spec.args = ["-c", "cat; echo \"$0\" >&2; exit 4"].map(|a| Arg::Literal(a.into())).to_vec();
    spec.args.push(Arg::Symbolic(8));
    spec.output = Output::Capture;
    let input = Input { objects: vec![Object::stdin("hello"), Object::arg(3, *b"zero\0zero")] };
    let run = cairn_exec::run_native(&spec, &Limits::default(), &input, &cairn_deadline::Deadline::never())
        .unwrap();
    assert_eq!((run.end, run.stdout, run.stderr), (ExitKind::Exit(4), b"hello".to_vec(), b"zero\n".to_vec()));
}
