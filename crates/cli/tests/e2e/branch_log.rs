//! The log of all branches is what the program did.

use crate::common::{build_instrumented, cairn, output_of, root};
use cairn_exec::{Arg, Input, Limits, Mode, Object, Run, Server, StepKind, TargetSpec, Trace};
use cairn_expr::Dag;
use cairn_program::{BranchId, Program, SiteKind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Checks a branch log against the rest of its run's trace, for any program.
pub fn check_log(program: &Program, run: &Run, trace: &Trace) -> Result<(), String> {
    let Some(log) = &trace.log else { return Ok(()) };
    let pieces: Vec<_> = log.pieces().collect();
    if let Some(branch) = pieces.iter().flat_map(|p| p.branches).find(|b| run.coverage[**b as usize] == 0) {
        return Err(format!("branch {branch} was logged but not covered"));
    }
    if !run.flags.log_full && pieces.len() != trace.steps.len() + 1 {
        return Err(format!("{} pieces around {} steps", pieces.len(), trace.steps.len()));
    }
    for (index, step) in trace.steps.iter().enumerate().take(pieces.len() - 1) {
        if step.kind != StepKind::Branch {
            continue;
        }
        let site = program.site(step.site);
        let own = program.branch(step.site, site.side_of(step.concrete)).0;
        let found = match site.kind {
            // A stretch of code tells its steps at its end.
            SiteKind::Select => pieces[..=index].iter().any(|piece| piece.branches.contains(&own)),
            _ => pieces[index + 1].branches.first() == Some(&own),
        };
        if !found {
            return Err(format!("branch {own} of line {} is not where its step {index} is", site.line));
        }
    }
    Ok(())
}

fn source() -> PathBuf {
    root().join("crates/cli/tests/e2e/branch_log.c")
}

/// The program, compiled once per test process.
fn target() -> PathBuf {
    static BUILT: OnceLock<TempDir> = OnceLock::new();
    let directory = BUILT.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        build_instrumented(&source(), &directory.path().join("target"));
        directory
    });
    directory.path().join("target")
}

/// A run of one of the program's parts.
struct Logged {
    program: Program,
    run: Run,
    trace: Trace,
}

impl Logged {
    fn new(part: &str, text: &[u8; 4], mode: Mode, limits: Limits) -> Logged {
        Logged::of(&target(), part, (text, mode, limits))
    }

    fn of(target: &Path, part: &str, (text, mode, limits): (&[u8; 4], Mode, Limits)) -> Logged {
        let program = Program::read(target).unwrap();
        let mut spec = TargetSpec::new(target, program.branch_count() as usize);
        spec.args = vec![Arg::Literal(part.into())];
        let mut server = Server::start(spec, limits).unwrap();
        let input = Input { objects: vec![Object::named("text", *text)] };
        let run = server.run(&input, mode).unwrap();
        let trace = server.decode(&mut Dag::new());
        assert!(!run.flags.damaged && !trace.damaged);
        assert_eq!(check_log(&program, &run, &trace), Ok(()));
        Logged { program, run, trace }
    }

    /// The user's branches, as lines and sides, with how many are missing; a piece each.
    fn pieces(&self) -> Vec<(String, u32)> {
        let named = |branch: &u32| {
            let (site, side) = self.program.site_of(BranchId(*branch)).unwrap();
            let site = self.program.site(site);
            let mark = if site.kind == SiteKind::Select { '?' } else { '.' };
            site.counted.then(|| format!("{}{mark}{side}", site.line))
        };
        let told = |branches: &[u32]| branches.iter().filter_map(named).collect::<Vec<_>>().join(" ");
        self.trace.log.as_ref().unwrap().pieces().map(|p| (told(p.branches), p.omitted)).collect()
    }

    fn expect(&self, expected: &[(&str, u32)]) {
        let expected: Vec<_> =
            expected.iter().map(|(text, omitted)| ((*text).to_owned(), *omitted)).collect();
        assert_eq!(self.pieces(), expected);
    }
}

const TEXT: &[u8; 4] = b"zoo!";

/// Branches that a run of that part takes.
const ALL_KINDS: &[(&str, u32)] = &[
    ("87.1 87.0 35.1 35.1 35.1 35.0 37.1 20?1 13.0 13.0 13.1 13.1 13.1", 0),
    ("44.0 46.0 48?0 48?1", 0),
    ("", 0),
    ("49.0", 0),
];

#[test]
fn it_has_branches_of_every_kind_in_order() {
    let logged = Logged::new("k", TEXT, Mode::LOG, Limits::default());
    logged.expect(ALL_KINDS);
    let callees = &logged.trace.callees;
    let [callee] = callees.as_slice() else { panic!("{callees:?}") };
    let program = &logged.program;
    let function = program.function(program.function_at(callee.offset).unwrap());
    assert_eq!((&*function.name, function.type_hash), ("odd", callee.type_hash));
    let log = logged.trace.log.as_ref().unwrap();
    let logged_branches: Vec<u32> = log.pieces().flat_map(|piece| piece.branches).copied().collect();
    let covered = (0..logged.run.coverage.len() as u32).filter(|b| logged.run.coverage[*b as usize] != 0);
    assert!(
        covered.into_iter().all(|branch| logged_branches.contains(&branch)),
        "all that is covered is logged"
    );
}

#[test]
fn linkers_that_drop_unused_code_leave_it_whole() {
    let directory = tempfile::tempdir().unwrap();
    for linker in ["-fuse-ld=bfd", "-fuse-ld=lld"] {
        let target = directory.path().join(linker);
        let options = ["cc", "-ffunction-sections", "-Wl,--gc-sections", linker, "-o"];
        let built = output_of(cairn().args(options).arg(&target).arg(source()));
        assert_eq!(built.code, Some(0), "{}", built.stderr);
        Logged::of(&target, "k", (TEXT, Mode::LOG, Limits::default())).expect(ALL_KINDS);
    }
}

#[test]
fn of_a_long_piece_both_ends_are_kept() {
    let logged = Logged::new("l", TEXT, Mode::LOG, Limits::default());
    let pieces = logged.pieces();
    let repeated = |text: &str, times: usize| vec![text; times].join(" ");
    assert_eq!(pieces[0], ("87.1 87.1".to_owned(), 0));
    let middle = format!(
        "57.0 {} {} 59.0",
        repeated("59.1 60.1", 15) + " 59.1",
        "59.1 ".to_owned() + &repeated("60.0 59.1", 14) + " 60.0"
    );
    assert_eq!(pieces[1], (middle, 2002 - 63));
    // The last piece was never closed: where its ring begins an entry is missing.
    assert_eq!(pieces[2], (format!("62.0 {} {} 64.0", repeated("64.1", 31), repeated("64.1", 30)), 102 - 63));
}

#[test]
fn a_full_log_says_what_it_lost() {
    let limits = Limits { log_words: 30, ..Limits::default() };
    let logged = Logged::new("l", TEXT, Mode::LOG, limits);
    assert!(logged.run.flags.log_full);
    assert_eq!(logged.trace.steps.len(), 2, "the path is complete");
    let log = logged.trace.log.as_ref().unwrap();
    assert_eq!((log.pieces().count(), log.lost), (1, 2002));
}

#[test]
fn other_threads_and_processes_are_not_in_it() {
    let logged = Logged::new("c", TEXT, Mode::LOG, Limits::default());
    assert!(!logged.run.flags.threads);
    logged.expect(&[("87.1 87.2 73.0", 0), ("78.0", 0)]);
}

#[test]
fn models_of_library_functions_are_in_it() {
    let logged = Logged::new("m", b"abzz", Mode::LOG, Limits::default());
    let model = logged.program.functions().find(|(_, f)| f.name.contains("memcmp")).unwrap().0;
    let log = logged.trace.log.as_ref().unwrap();
    let sites =
        log.pieces().flat_map(|p| p.branches).map(|b| logged.program.site_of(BranchId(*b)).unwrap().0);
    assert!(sites.filter(|site| logged.program.site(*site).function == model).count() >= 3);
}

#[test]
fn without_being_asked_for_it_is_not_there() {
    let logged = Logged::new("k", TEXT, Mode::TRACE, Limits::default());
    assert_eq!((logged.trace.log, logged.run.flags.no_log), (None, false));
    assert_eq!(logged.trace.callees, []);
}
