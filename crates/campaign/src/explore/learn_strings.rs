//! Adds to the dictionary what runs and models show of the strings that the program looks for.

use super::state::Campaign;
use crate::execution::matched_bytes::Matcher;
use crate::execution::path::Path;
use cairn_exec::Input;
use cairn_mutate::dictionary::{Dictionary, MAX_LEARNT, TokenOrigin, TokenPlace};
use cairn_solver::Model;
use cairn_tree::AddedRun;
use cairn_wire::label::LENGTH;
use std::sync::Arc;

impl Campaign<'_> {
    /// Adds the strings that satisfied comparisons in the new part of a run's path.
    pub fn learn_strings(&mut self, path: &Path, added: &AddedRun, input: &Input) {
        let known = &mut self.known;
        let Some(first) = first_new_step(path, added) else { return };
        // The last step before the new ones is mostly the flip that the run was made for.
        let first = first.saturating_sub(1);
        let dictionary = &mut known.dictionary;
        let mut wanted = Vec::new();
        let matcher = Matcher { program: self.program, dag: &known.dag, input };
        let matched = |bytes: &[u8], place| Arc::make_mut(dictionary).learn(bytes, place);
        matcher.inspect(&path.steps, first, matched, |bytes| wanted.push(bytes.to_vec()));
        for bytes in wanted {
            Arc::make_mut(&mut known.dictionary).add_from(TokenOrigin::Wanted, &bytes);
        }
    }

    /// Adds the adjacent bytes that one model has fixed together.
    pub fn learn_model(&mut self, model: &Model) {
        let content: Vec<_> = model.iter().filter(|(at, _)| at.offset < LENGTH).collect();
        for run in content.chunk_by(|(a, _), (b, _)| (a.object, a.offset + 1) == (b.object, b.offset)) {
            let bytes: Vec<u8> = run.iter().map(|(_, value)| *value).collect();
            if (2..=MAX_LEARNT).contains(&bytes.len()) {
                let place = TokenPlace { object: run[0].0.object, offset: run[0].0.offset };
                Dictionary::learn(Arc::make_mut(&mut self.known.dictionary), &bytes, place);
            }
        }
    }
}

/// Returns the index of the first step that is new; None if all are known. A concretization may have passed
/// several nodes, so the index may be of an earlier step.
fn first_new_step(path: &Path, added: &AddedRun) -> Option<usize> {
    let surplus = added.nodes.len() - path.steps.len();
    (added.first_new < added.nodes.len()).then(|| added.first_new.saturating_sub(surplus))
}
