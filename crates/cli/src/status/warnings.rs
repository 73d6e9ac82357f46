//! What makes a search miss something, in words.

use cairn_app::numbers::counted;
use cairn_campaign::{Gap, Progress};

/// One kind of warning.
pub struct Warning {
    /// A word for programs.
    pub kind: &'static str,
    pub message: String,
}

/// Lists the warnings there are reasons for, the worst first.
pub fn warnings(progress: &Progress) -> Vec<Warning> {
    let restarts = (progress.restarts > 0).then(|| Warning {
        kind: "restart",
        message: format!(
            "the program's fork server was lost {}",
            counted(progress.restarts, "time", "times")
        ),
    });
    restarts.into_iter().chain(progress.gaps.seen().filter_map(|(gap, count)| warning(gap, count))).collect()
}

/// Describes a gap. None of those that every campaign has until it is done, or that are known at its end only.
fn warning(gap: Gap, count: u64) -> Option<Warning> {
    let (kind, one, many, what) = match gap {
        Gap::Limit => ("limit", "run", "runs", "stopped at a limit of time, memory or processes"),
        Gap::Slow => ("slow", "run", "runs", "took too long or too much, but only while traced"),
        Gap::Killed => ("killed", "run", "runs", "ended by SIGKILL from elsewhere"),
        Gap::LostRun => ("lost-run", "run", "runs", "ended the fork server each time"),
        Gap::Cut => ("cut", "run", "runs", "recorded more than there is room for"),
        Gap::Damaged => ("damage", "run", "runs", "wrote over the memory Cairn records in"),
        Gap::LostValue => ("lost", "symbolic value", "symbolic values", "went where Cairn does not follow"),
        Gap::Overwritten => {
            ("overwritten", "symbolic value", "symbolic values", "overwritten by uninstrumented code")
        }
        Gap::ChildProcess => ("child-process", "run", "runs", "started processes that are not traced"),
        Gap::Threads => ("threads", "run", "runs", "computed with the input in several threads"),
        Gap::Nondeterministic => {
            ("nondeterministic", "run", "runs", "did not repeat what an earlier one did")
        }
        Gap::Diverged => ("divergence", "run", "runs", "did not go where predicted"),
        Gap::Mismatch => ("mismatch", "value", "values", "unlike what the expression gives"),
        Gap::Unanswered => ("unknown", "flip", "flips", "had no answer in time"),
        Gap::Concretized => ("pin", "place", "places", "used a symbolic value as a constant"),
        Gap::NoRun | Gap::AllRefused | Gap::UnusedInput | Gap::Suspended | Gap::Untried => return None,
    };
    Some(Warning { kind, message: format!("{} {what}", counted(count, one, many)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_campaign::GapCounts;

    #[test]
    fn every_kind_of_gap_that_runs_leave_is_warned_of_once() {
        let gaps = GapCounts::from_iter([(Gap::Threads, 2), (Gap::ChildProcess, 1), (Gap::Untried, 9)]);
        let progress = Progress { gaps, restarts: 1, ..Progress::default() };
        let told: Vec<(&str, String)> =
            warnings(&progress).into_iter().map(|w| (w.kind, w.message)).collect();
        let expected = [
            ("restart", "the program's fork server was lost 1 time".to_owned()),
            ("child-process", "1 run started processes that are not traced".to_owned()),
            ("threads", "2 runs computed with the input in several threads".to_owned()),
        ];
        assert_eq!(told, expected);
    }
}
