//! Warnings on gaps, while a campaign runs.

use cairn_app::numbers::counted;
use cairn_campaign::{Gap, Progress};

/// A warning of one kind.
pub struct Warning {
    /// Its name in JSON.
    pub kind: &'static str,
    pub message: String,
}

/// Lists the warnings of a campaign, the worst first.
pub fn warnings(progress: &Progress) -> Vec<Warning> {
    let restarts = (progress.restarts > 0).then(|| Warning {
        kind: "restart",
        message: format!("the fork server died {}", counted(progress.restarts, "time", "times")),
    });
    restarts.into_iter().chain(progress.gaps.seen().filter_map(|(gap, count)| warning(gap, count))).collect()
}

/// Describes a gap. Gaps that every campaign has until it is done, or that are known at its end only, get none.
fn warning(gap: Gap, count: u64) -> Option<Warning> {
    let (kind, one, many, what) = match gap {
        Gap::Limit => ("limit", "run", "runs", "stopped at a limit of time, memory or processes"),
        Gap::Slow => ("slow", "run", "runs", "exceeded a limit, but only while traced"),
        Gap::Killed => ("killed", "run", "runs", "killed from outside (SIGKILL)"),
        Gap::LostRun => ("lost-run", "run", "runs", "killed the fork server"),
        Gap::Cut => ("cut", "trace", "traces", "truncated for lack of room"),
        Gap::Damaged => ("damage", "run", "runs", "overwrote trace memory"),
        Gap::LostValue => ("lost", "symbolic value", "symbolic values", "lost in uninstrumented code"),
        Gap::Overwritten => {
            ("overwritten", "symbolic value", "symbolic values", "overwritten by uninstrumented code")
        }
        Gap::ChildProcess => ("child-process", "run", "runs", "started processes that are not traced"),
        Gap::Threads => ("threads", "run", "runs", "computed with the input in several threads"),
        Gap::Nondeterministic => ("nondeterministic", "run", "runs", "nondeterministic"),
        Gap::Diverged => ("divergence", "path", "paths", "diverged from the prediction"),
        Gap::Mismatch => ("mismatch", "value", "values", "differ from their expressions"),
        Gap::Unanswered => ("unknown", "flip", "flips", "not answered in time"),
        Gap::Concretized => ("pin", "location", "locations", "concretized a symbolic value"),
        Gap::Forgotten => ("forgotten", "flip", "flips", "forgotten to save memory (see --driver-memory)"),
        Gap::NoRun | Gap::AllRejected | Gap::UnusedInput | Gap::Suspended | Gap::Untried => return None,
        Gap::Unchecked => return None,
    };
    Some(Warning { kind, message: format!("{} {what}", counted(count, one, many)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_campaign::GapCounts;

    #[test]
    fn gaps_of_runs_are_warned_of_once() {
        let gaps = GapCounts::from_iter([(Gap::Threads, 2), (Gap::ChildProcess, 1), (Gap::Untried, 9)]);
        let progress = Progress { gaps, restarts: 1, ..Progress::default() };
        let told: Vec<(&str, String)> =
            warnings(&progress).into_iter().map(|w| (w.kind, w.message)).collect();
        let expected = [
            ("restart", "the fork server died 1 time".to_owned()),
            ("child-process", "1 run started processes that are not traced".to_owned()),
            ("threads", "2 runs computed with the input in several threads".to_owned()),
        ];
        assert_eq!(told, expected);
    }
}
