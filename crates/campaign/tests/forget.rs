//! Long campaigns: what they forget to stay within their memory.

mod fake;

use cairn_campaign::{CampaignDirectory, Gap, Settings, StopReason, Summary};
use cairn_exec::ExitKind;
use cairn_program::testing::Sketch;
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
    let mut sketch = Sketch::new();
    let sites: Vec<_> = (0..DECISIONS).map(|_| sketch.branch()).collect();
    let mut fake = Fake::new(sketch.build(), move |t| {
        for (offset, site) in sites.iter().enumerate() {
            let byte = t.byte(0, offset);
            let is_small = t.less(byte, 100);
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

#[test]
fn a_long_campaign_stays_within_its_memory() {
    const EXECUTIONS: u64 = 40_000;
    let _guard = MEMORY.lock();
    let mut fake = labyrinth();
    let summary = fake.explore(&settings(Some(LIMIT), EXECUTIONS), None);
    assert_eq!((summary.executions, summary.notes.stop), (EXECUTIONS, StopReason::Executions));
    assert_eq!(summary.branches_covered, 2 * DECISIONS as u64);
    let forgotten = summary.notes.forgotten_runs;
    assert!(forgotten > EXECUTIONS / 2, "{forgotten} runs forgotten: inputs alone take the limit");
    assert!(summary.driver_bytes < LIMIT, "{} MiB", summary.driver_bytes >> 20);
    assert!(summary.gaps[&Gap::Forgotten] >= forgotten && !summary.exhausted);
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
        let summary = fake.explore(&settings(memory, execs), Some(directory));
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
