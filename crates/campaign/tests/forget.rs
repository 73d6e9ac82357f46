//! Long campaigns: what they forget to stay within their memory.

mod fake;

use cairn_campaign::{
    CampaignDirectory, Executor, Gap, Settings, StopReason, Summary, WorkerPool, run_workers,
};
use cairn_deadline::Deadline;
use cairn_exec::{ExitKind, StartError};
use cairn_program::testing::Sketch;
use cairn_solver::{Limits, Solver};
use fake::{Fake, kept, stdin};
use std::sync::Mutex;
use tempfile::TempDir;

/// Limit of the driver's memory; runs are forgotten when they take a quarter of it.
const LIMIT: u64 = 160 << 20;
/// Length of the input: each run takes at least that.
const LENGTH: usize = 4096;
const DECISIONS: usize = 60;

/// Held by each test: the limit is on the memory of the whole process.
static MEMORY: Mutex<()> = Mutex::new(());

/// A program with more paths than any campaign can try.
fn labyrinth() -> Fake {
    labyrinth_below(100)
}

/// The same, with another constant in its decisions.
fn labyrinth_below(limit: u64) -> Fake {
    let mut sketch = Sketch::new();
    let sites: Vec<_> = (0..DECISIONS).map(|_| sketch.branch()).collect();
    let mut fake = Fake::new(sketch.build(), move |t| {
        for (offset, site) in sites.iter().enumerate() {
            let byte = t.byte(0, offset);
            let is_small = t.less(byte, limit);
            t.branch(*site, is_small);
        }
        ExitKind::Exit(0)
    });
    fake.keeps_last_only = true;
    fake
}

fn settings(memory: Option<u64>, execs: u64) -> Settings {
    Settings { memory, execs: Some(execs), seed: 3, ..Settings::new("auto", vec![stdin(LENGTH)]) }
}

/// The arms of `auto` that trace all they execute: an execution is a run, and its number can be told.
const TRACING: &str = "auto:cfg:once,cgs,random-branch,weights";

fn figures(summary: &Summary) -> [u64; 6] {
    let Summary { executions, branches_covered, tests, untried, .. } = *summary;
    [
        executions,
        branches_covered,
        tests,
        untried,
        summary.notes.forgotten_runs,
        summary.notes.forgotten_flips,
    ]
}

/// Asserts that a campaign made all its executions within the limit, by forgetting runs.
fn assert_within_memory(summary: &Summary, executions: u64) {
    assert_eq!((summary.executions, summary.notes.stop), (executions, StopReason::Executions));
    assert_eq!(summary.branches_covered, 2 * DECISIONS as u64);
    let forgotten = summary.notes.forgotten_runs;
    assert!(forgotten > executions / 2, "{forgotten} runs forgotten: inputs alone take the limit");
    assert!(summary.driver_bytes < LIMIT, "{} MiB", summary.driver_bytes >> 20);
    assert!(summary.gaps[&Gap::Forgotten] >= forgotten && !summary.exhausted);
}

#[test]
fn a_long_campaign_stays_within_its_memory() {
    const EXECUTIONS: u64 = 40_000;
    let _guard = MEMORY.lock();
    let mut fake = labyrinth();
    let summary = fake.explore(&settings(Some(LIMIT), EXECUTIONS), None);
    assert_within_memory(&summary, EXECUTIONS);
    let again = labyrinth().explore(&settings(Some(LIMIT), EXECUTIONS), None);
    assert_eq!(figures(&again), figures(&summary), "the same seed forgets at the same execution");
}

#[test]
fn a_resumed_campaign_forgets_what_the_journal_says() {
    const EXECUTIONS: u64 = 12_000;
    let _guard = MEMORY.lock();
    let scratch = TempDir::new().unwrap();
    let (whole, parts) = (scratch.path().join("whole"), scratch.path().join("parts"));
    let explore = |directory, memory, execs| {
        let mut fake = labyrinth();
        let settings = Settings { strategy: TRACING.into(), ..settings(memory, execs) };
        let summary = fake.explore(&settings, Some(directory));
        assert_eq!(summary.notes.astray, None);
        (summary, fake.executed)
    };
    let limit = Some(LIMIT);
    let (expected, last) = explore(CampaignDirectory::create(&whole, false).unwrap(), limit, EXECUTIONS);
    let at = expected.notes.forgotten_runs;
    assert!((EXECUTIONS / 2..EXECUTIONS - 200).contains(&at), "{at}: once");
    // Interrupted before, while the tests are executed again, and after.
    explore(CampaignDirectory::create(&parts, false).unwrap(), limit, at - 5);
    for execs in [at + 3, at + 100] {
        explore(CampaignDirectory::resume(&parts).unwrap(), limit, execs);
    }
    let (resumed, resumed_last) = explore(CampaignDirectory::resume(&parts).unwrap(), None, EXECUTIONS);
    assert_eq!((figures(&resumed), resumed_last), (figures(&expected), last));
    assert_eq!(kept(&parts), kept(&whole));
}

/// Pool of labyrinths.
struct Labyrinths;

impl WorkerPool for Labyrinths {
    fn executor(&self, _: &Deadline) -> Result<Box<dyn Executor>, StartError> {
        Ok(Box::new(labyrinth()))
    }

    fn solver(&self) -> Box<dyn Solver> {
        cairn_solver::standard(Limits::default())
    }
}

/// Runs a campaign of two workers.
fn explore_together(memory: Option<u64>, execs: u64, directory: Option<CampaignDirectory>) -> Summary {
    let settings = Settings { workers: 2, ..settings(memory, execs) };
    let summary = run_workers(&settings, &labyrinth().program, &Labyrinths, directory, &mut ()).unwrap();
    assert_eq!(summary.notes.astray, None);
    summary
}

#[test]
fn several_workers_forget_together() {
    const EXECUTIONS: u64 = 40_000;
    let _guard = MEMORY.lock();
    let summary = explore_together(Some(LIMIT), EXECUTIONS, None);
    assert_within_memory(&summary, EXECUTIONS);
}

#[test]
fn resumed_workers_forget_what_the_journal_says() {
    const EXECUTIONS: u64 = 22_000;
    let _guard = MEMORY.lock();
    let scratch = TempDir::new().unwrap();
    let out = scratch.path().join("out");
    let first =
        explore_together(Some(LIMIT), EXECUTIONS, Some(CampaignDirectory::create(&out, false).unwrap()));
    assert!(first.notes.forgotten_runs > 0);
    let before = kept(&out);
    // Nothing is left to execute: all of this is the replay, with no limit of its own.
    let resumed = explore_together(None, EXECUTIONS, Some(CampaignDirectory::resume(&out).unwrap()));
    assert_eq!(figures(&resumed), figures(&first));
    assert_eq!(kept(&out), before);
    let later = explore_together(Some(LIMIT), 2 * EXECUTIONS, Some(CampaignDirectory::resume(&out).unwrap()));
    assert_eq!(later.executions, 2 * EXECUTIONS);
    assert!(later.notes.forgotten_runs > first.notes.forgotten_runs);
}

#[test]
fn a_replay_that_diverges_follows_what_is_forgotten() {
    const EXECUTIONS: u64 = 12_000;
    let _guard = MEMORY.lock();
    let scratch = TempDir::new().unwrap();
    let out = scratch.path().join("out");
    let limited = settings(Some(LIMIT), EXECUTIONS);
    let before = labyrinth().explore(&limited, Some(CampaignDirectory::create(&out, false).unwrap()));
    assert!(before.notes.forgotten_runs > 0);
    // Paths are others now: the search asks for flips that the journal does not have.
    let longer = settings(None, EXECUTIONS + 500);
    let after = labyrinth_below(7).explore(&longer, Some(CampaignDirectory::resume(&out).unwrap()));
    assert!(after.notes.astray.is_some(), "the replay did not diverge");
    assert_eq!(after.notes.forgotten_runs, before.notes.forgotten_runs);
    assert_eq!(after.executions, EXECUTIONS + 500);
}
