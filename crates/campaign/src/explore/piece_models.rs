//! What is known of the pieces of inputs, by producer: a program may have several functions that return constants
//! chosen by control flow, and its runs show which one tells most apart.

use crate::replay::record::PieceLessons;
use cairn_mutate::pieces::Pieces;
use cairn_program::SiteId;
use std::collections::BTreeMap;

/// Models of pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct PieceModels(BTreeMap<u32, Pieces>);

impl PieceModels {
    /// Returns the producer with most values, if it has enough.
    pub fn chosen(&self) -> Option<SiteId> {
        let useful = self.0.iter().filter(|(_, model)| model.is_useful());
        // Of several with as many, the first.
        useful.rev().max_by_key(|(_, model)| model.sampled_values()).map(|(producer, _)| SiteId(*producer))
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
