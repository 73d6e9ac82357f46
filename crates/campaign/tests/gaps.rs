//! Reasons that keep a campaign from claiming exhaustion.

mod fake;

use cairn_campaign::{CampaignDirectory, Gap, Settings, Summary};
use cairn_exec::{ExitKind, Object};
use cairn_program::testing::Sketch;
use fake::{Fake, Tracer, stdin};

/// A program with two paths, the second of which ends as `end` says.
fn two_paths(end: impl Fn(&mut Tracer) -> ExitKind + 'static) -> Fake {
    let mut sketch = Sketch::new();
    let site = sketch.branch();
    Fake::new(sketch.build(), move |t| {
        let byte = t.byte(0, 0);
        let condition = t.equals(byte, 7);
        if t.branch(site, condition) { end(t) } else { ExitKind::Exit(0) }
    })
}

fn explored(mut fake: Fake) -> Summary {
    fake.explore(&Settings::new("dfs", vec![stdin(1)]), None)
}

type Ending = fn(&mut Tracer) -> ExitKind;

/// Gaps of runs, each with a way for a run to show it.
const RUN_GAPS: [(Gap, Ending); 13] = [
    (Gap::Limit, |_| ExitKind::Timeout),
    (Gap::Limit, |_| ExitKind::OutOfMemory),
    (Gap::Limit, |_| ExitKind::TooManyProcesses),
    (Gap::Killed, |_| ExitKind::Signal(9)),
    (Gap::Cut, |t| flagged(|| t.flags.labels_full = true)),
    (Gap::Cut, |t| flagged(|| t.flags.events_full = true)),
    (Gap::Cut, |t| flagged(|| t.flags.objects_full = true)),
    (Gap::Damaged, |t| flagged(|| t.flags.damaged = true)),
    (Gap::LostValue, |t| flagged(|| t.flags.lost = 1)),
    (Gap::Overwritten, |t| flagged(|| t.flags.stale = 1)),
    (Gap::ChildProcess, |t| flagged(|| t.flags.forked = true)),
    (Gap::Threads, |t| flagged(|| t.flags.threads = true)),
    (Gap::AllRejected, |_| ExitKind::Rejected),
];

fn flagged(set: impl FnOnce()) -> ExitKind {
    set();
    ExitKind::Exit(0)
}

#[test]
fn a_campaign_without_gaps_is_exhausted() {
    let summary = explored(two_paths(|_| ExitKind::Signal(11)));
    assert!(summary.exhausted && summary.gaps.is_empty(), "{:?}", summary.gaps);
}

#[test]
fn a_campaign_with_an_incomplete_run_is_not_exhausted() {
    for (gap, ending) in RUN_GAPS {
        let fake = match gap {
            Gap::AllRejected => Fake::new(Sketch::new().build(), ending),
            _ => two_paths(ending),
        };
        let summary = explored(fake);
        assert!(!summary.exhausted, "{gap:?}");
        assert!(summary.gaps.contains_key(&gap), "{gap:?}: {:?}", summary.gaps);
    }
}

#[test]
fn a_resumed_campaign_keeps_its_gaps() {
    for (gap, ending) in RUN_GAPS.into_iter().filter(|(gap, _)| *gap != Gap::AllRejected) {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out");
        let settings = Settings::new("dfs", vec![stdin(1)]);
        let first = CampaignDirectory::create(&out, false).unwrap();
        assert!(!two_paths(ending).explore(&settings, Some(first)).exhausted, "{gap:?}");
        // In the replay no run shows a gap.
        let again = CampaignDirectory::resume(&out).unwrap();
        let resumed = two_paths(|_| ExitKind::Exit(0)).explore(&settings, Some(again));
        assert_eq!((resumed.executions, resumed.exhausted), (2, false), "{gap:?}");
        assert!(resumed.gaps.contains_key(&gap), "{gap:?}: {:?}", resumed.gaps);
    }
}

#[test]
fn an_unused_input_object_is_a_gap() {
    let mut input = stdin(1);
    input.objects.push(Object::file("config", vec![0; 4]));
    let summary = two_paths(|_| ExitKind::Exit(0)).explore(&Settings::new("dfs", vec![input]), None);
    assert_eq!((summary.exhausted, summary.gaps.get(&Gap::UnusedInput)), (false, Some(&1)));
}

#[test]
fn a_budget_that_ends_first_leaves_flips_untried() {
    let settings = Settings { execs: Some(1), ..Settings::new("dfs", vec![stdin(1)]) };
    let summary = two_paths(|_| ExitKind::Exit(0)).explore(&settings, None);
    assert_eq!((summary.exhausted, summary.gaps.get(&Gap::Untried)), (false, Some(&1)));
}
