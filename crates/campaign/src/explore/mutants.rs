//! The mutants of a batch, made one after the other.

use crate::replay::record::PieceLessons;
use cairn_exec::{Input, ProducedValue};
use cairn_mutate::pieces::{Attempt, Lesson, Pieces};
use cairn_mutate::{Havoc, Material};
use cairn_program::SiteId;
use cairn_search::Rng;
use std::collections::BTreeMap;

/// Material of the mutants of a batch.
pub(super) enum MutantSource {
    /// Random changes of an input.
    Havoc { base: Input, material: Material, rng: Rng },
    /// Inputs made of pieces, with the producer that tells these apart.
    Pieces { producer: SiteId, attempts: Vec<(Attempt, Input)> },
    /// Nothing.
    Nothing,
}

/// Calls `run` with each mutant, until there is none left or it returns false.
pub(super) fn each_mutant(source: &mut MutantSource, mut run: impl FnMut(&Input) -> bool) {
    match source {
        MutantSource::Havoc { base, material, rng } => {
            let Some(mut havoc) = Havoc::new(base, material) else { return };
            while run(havoc.next(rng)) {}
        }
        MutantSource::Pieces { attempts, .. } => {
            let _ = attempts.iter().all(|(_, input)| run(input));
        }
        MutantSource::Nothing => {}
    }
}

/// Applies what attempts have taught to the model, and returns it. An attempt counts as made even if its batch
/// ended before.
pub(super) fn learn(
    model: &mut Pieces,
    attempts: &[(Attempt, Input)],
    produced: &[Vec<ProducedValue>],
    producer: SiteId,
) -> PieceLessons {
    let mut lessons = Vec::new();
    for ((attempt, _), produced) in attempts.iter().zip(produced) {
        for lesson in model.lessons(attempt, produced) {
            model.learn(&lesson);
            lessons.push(lesson);
        }
    }
    lessons.extend(last_of_each(attempts.iter().filter_map(|(attempt, _)| attempt.done())));
    PieceLessons { producer: producer.0, lessons }
}

/// Keeps of counts that only rise the last one.
fn last_of_each(done: impl Iterator<Item = Lesson>) -> Vec<Lesson> {
    let mut counts = BTreeMap::new();
    let mut others = Vec::new();
    for lesson in done {
        match lesson {
            Lesson::Measured(_) => drop(counts.insert(None, lesson)),
            Lesson::Tried { state, .. } => drop(counts.insert(Some(state), lesson)),
            lesson => others.push(lesson),
        }
    }
    others.extend(counts.into_values());
    others
}
