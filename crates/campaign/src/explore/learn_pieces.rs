//! Splits the inputs of runs into pieces, and makes attempts of them.

use super::state::Campaign;
use crate::execution::pieces::split;
use cairn_exec::{Input, Trace};
use cairn_mutate::dictionary::TokenOrigin;
use cairn_mutate::pieces::Attempt;
use cairn_program::SiteId;
use cairn_search::Rng;

/// Origins of strings that may be pieces; single bytes are tried anyway.
const ORIGINS: [TokenOrigin; 3] = [TokenOrigin::Given, TokenOrigin::Satisfied, TokenOrigin::Program];

impl Campaign<'_> {
    /// Splits the input of a run that has covered something new.
    pub fn learn_pieces(&mut self, trace: &Trace, input: &Input) {
        for found in split(&trace.pieces, &trace.steps, &self.known.dag, input) {
            self.known.pieces.model(found.producer).add_sample(input, found.object, found.pieces);
        }
    }

    /// Returns up to `most` attempts, with their inputs and their producer.
    pub fn piece_attempts(&mut self, most: usize, rng: &mut Rng) -> Option<(SiteId, Vec<(Attempt, Input)>)> {
        let producer = self.known.pieces.chosen()?;
        let model = self.known.pieces.model(producer);
        let dictionary = &self.known.dictionary;
        let tokens = ORIGINS.iter().flat_map(|origin| dictionary.tokens(*origin)).map(|token| &*token.bytes);
        let attempts = model.attempts(most, tokens, rng);
        log::debug!(target: "search", "pieces: {}", model.describe());
        let with_input = attempts.into_iter().map(|attempt| {
            let input = model.input(&attempt);
            (attempt, input)
        });
        Some((producer, with_input.collect()))
    }
}
