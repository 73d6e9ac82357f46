//! Causes of divergences: where runs left the predicted path, and which value was lost before.
//!
//! A lost value (one given to an uninstrumented function or converted to `long double`) comes back as a
//! constant. A run diverges when that constant differs, so the last loss before the divergence is its most
//! likely cause.

use super::losses::name_of_loss;
use cairn_exec::Trace;
use cairn_expr::Dag;
use cairn_program::Program;
use serde::{Deserialize, Serialize};

/// Maximum number of causes listed in a summary; a chosen bound.
const MAX_LISTED: usize = 10;
/// Maximum number of distinct causes; a chosen bound.
const MAX_CAUSES: usize = 1_000;

/// Divergences with the same cause.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DivergenceCause {
    /// Last loss before the divergence: a function's name, or what else is not followed. None if nothing was
    /// lost.
    pub after: Option<String>,
    /// Source position of the decision that differed from the prediction.
    pub place: String,
    /// Number of such runs.
    pub runs: u64,
}

/// Causes of a campaign's divergences, in the order they were first seen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DivergenceCauses(Vec<DivergenceCause>);

impl DivergenceCauses {
    /// Counts a divergence.
    pub(crate) fn count(&mut self, after: Option<String>, place: &str) {
        let known = self.0.iter().position(|cause| cause.after == after && cause.place == place);
        match known {
            Some(index) => self.0[index].runs += 1,
            None if self.0.len() < MAX_CAUSES => {
                self.0.push(DivergenceCause { after, place: place.to_owned(), runs: 1 });
            }
            None => {}
        }
    }

    /// Returns the most frequent causes.
    pub(crate) fn most_frequent(&self) -> Vec<DivergenceCause> {
        let mut causes = self.0.clone();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.runs));
        causes.truncate(MAX_LISTED);
        causes
    }

    /// Returns the names of losses before divergences with counts, the most frequent first.
    pub fn losses(&self) -> Vec<(&str, u64)> {
        let mut losses: Vec<(&str, u64)> = Vec::new();
        for (name, runs) in self.0.iter().filter_map(|cause| Some((cause.after.as_deref()?, cause.runs))) {
            match losses.iter_mut().find(|(known, _)| *known == name) {
                Some(loss) => loss.1 += runs,
                None => losses.push((name, runs)),
            }
        }
        losses.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
        losses
    }
}

/// Returns the name of the last loss before step `at` of a run's path.
pub(crate) fn last_loss(program: &Program, dag: &Dag, trace: &Trace, at: usize) -> Option<String> {
    // The path leaves out decisions on values that were folded to constants.
    let is_on_path = |index: &usize| dag.as_constant(trace.steps[*index].value).is_none();
    let limit = (0..trace.steps.len()).filter(is_on_path).nth(at).unwrap_or(usize::MAX);
    let loss = trace.losses.iter().rev().find(|loss| loss.before <= limit)?;
    Some(name_of_loss(program, loss.site, loss.why))
}
