//! What is known of the pieces of inputs, by producer: a program may have several functions that return constants
//! chosen by control flow, and its runs show which one tells most apart.

use super::state::Campaign;
use crate::execution::pieces::split;
use crate::replay::record::PieceLessons;
use cairn_exec::{Input, Trace};
use cairn_mutate::dictionary::TokenOrigin;
use cairn_mutate::pieces::{Attempt, Pieces};
use cairn_program::SiteId;
use cairn_search::Rng;
use std::collections::BTreeMap;

/// Origins of strings that may be pieces; single bytes are tried anyway.
const ORIGINS: [TokenOrigin; 3] = [TokenOrigin::Given, TokenOrigin::Satisfied, TokenOrigin::Program];

/// Models of pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct PieceModels(BTreeMap<u32, Pieces>);

impl PieceModels {
    /// Returns the producer with most values, if it has enough.
    fn chosen(&self) -> Option<u32> {
        let useful = self.0.iter().filter(|(_, model)| model.is_useful());
        // Of several with as many, the first.
        useful.rev().max_by_key(|(_, model)| model.sampled_values()).map(|(producer, _)| *producer)
    }

    /// Applies the lessons of a batch.
    pub fn learn(&mut self, lessons: &PieceLessons) {
        let model = self.0.entry(lessons.producer).or_default();
        lessons.lessons.iter().for_each(|lesson| model.learn(lesson));
    }

    /// Returns the model of a producer.
    pub fn model(&mut self, producer: SiteId) -> &mut Pieces {
        self.0.entry(producer.0).or_default()
    }
}

impl Campaign<'_> {
    /// Splits the input of a run that has covered something new.
    pub fn learn_pieces(&mut self, trace: &Trace, input: &Input) {
        for found in split(&trace.pieces, &trace.steps, &self.known.dag, input) {
            let model = self.known.pieces.0.entry(found.producer.0).or_default();
            model.add_sample(input, found.object, found.pieces);
        }
    }

    /// Returns up to `most` attempts, with their inputs and their producer.
    pub fn piece_attempts(&mut self, most: usize, rng: &mut Rng) -> Option<(SiteId, Vec<(Attempt, Input)>)> {
        let producer = self.known.pieces.chosen()?;
        let model = self.known.pieces.0.get_mut(&producer)?;
        let dictionary = &self.known.dictionary;
        let tokens = ORIGINS.iter().flat_map(|origin| dictionary.tokens(*origin)).map(|token| &*token.bytes);
        let attempts = model.attempts(most, tokens, rng);
        log::debug!(target: "search", "pieces: {}", model.describe());
        let with_input = attempts.into_iter().map(|attempt| {
            let input = model.input(&attempt);
            (attempt, input)
        });
        Some((SiteId(producer), with_input.collect()))
    }
}
