//! Adds to the dictionary what runs show of the strings that the program looks for.

use super::state::Campaign;
use crate::execution::matched_bytes::Matcher;
use crate::execution::path::Path;
use cairn_exec::Input;
use cairn_mutate::dictionary::TokenOrigin;
use cairn_tree::AddedRun;
use std::sync::Arc;

impl Campaign<'_> {
    /// Adds the strings that satisfied comparisons in the new part of a run's path.
    pub fn learn_strings(&mut self, path: &Path, added: &AddedRun, input: &Input) {
        let known = &mut self.known;
        let first = first_new_step(path, added);
        let dictionary = &mut known.dictionary;
        let mut wanted = Vec::new();
        let mut matcher = Matcher::new(self.program, &known.dag, input, &mut known.counted_comparisons);
        let matched = |bytes: &[u8], place| Arc::make_mut(dictionary).learn(bytes, place);
        matcher.inspect(&path.steps, first, matched, |bytes| wanted.push(bytes.to_vec()));
        for bytes in wanted {
            Arc::make_mut(&mut known.dictionary).add_from(TokenOrigin::Wanted, &bytes);
        }
    }
}

/// Returns the index of the first step that is not known to have gone this way: the one before the first new
/// node, which mostly is the flip that the run was made for. A concretization may have passed several nodes, so
/// the index may be of an earlier step.
fn first_new_step(path: &Path, added: &AddedRun) -> usize {
    let surplus = added.nodes.len() - path.steps.len();
    added.first_new.saturating_sub(surplus + 1)
}
