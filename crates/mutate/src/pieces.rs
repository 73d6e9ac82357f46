//! Pieces: the parts of inputs that made a producer return its values, and what may follow what.
//!
//! A lexer decides over bytes and returns a constant; the parser decides over the constant. No expression leads
//! from the parser's branches to the bytes, so inputs are made of **pieces** here: a piece is a value of the
//! producer with bytes that made it return the value. Tests are split into pieces by their traces, and a
//! [`Vocabulary`] grows of values with their texts.
//!
//! What a parser does with a value depends on its state, which the **context** of a place between two pieces stands
//! for: the values before it, and the program's reaction (the branches that it took until it asks for the next
//! value). An [`Attempt`] is an input made of pieces. Each known value is tried once in each context, the
//! least specific contexts first: this is learning the parser's automaton. Where that is done, sequences are varied
//! at random. Attempts are executed without tracing; what they teach comes back as [`Lesson`]s, which are all that
//! the model changes by, so a journal that has the lessons need not execute the attempts.

mod attempt;
mod context;
mod lesson;
mod sequence;
mod variation;
mod vocabulary;

pub use attempt::Attempt;
pub use lesson::Lesson;
pub use sequence::{Piece, join};
pub use vocabulary::Vocabulary;

use cairn_exec::Input;
use cairn_search::Rng;
use context::{Contexts, LEVELS};
use rustc_hash::FxHashSet;

/// States that are kept, a chosen bound on memory: a program whose reactions never repeat would have one per attempt.
const MAX_STATES: usize = 1 << 14;
/// Samples that are kept, a chosen bound on memory.
const MAX_SAMPLES: usize = 1 << 12;
/// Values that a function must have returned before its pieces are worth combining: as for the pass, more than the
/// results of a comparison.
const MIN_VALUES: usize = 4;

/// A test as a sequence of pieces.
#[derive(Clone, Debug)]
struct Sample {
    input: usize,
    object: usize,
    pieces: Vec<Piece>,
}

/// A place between pieces in a context that no earlier one had: a sequence that leads there.
#[derive(Clone, Debug)]
struct State {
    sample: Sample,
    /// Values of the vocabulary that were tried next.
    tried: usize,
}

/// Pieces of one producer.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// Inputs whose other objects are those of the samples.
    inputs: Vec<Input>,
    samples: Vec<Sample>,
    known_samples: FxHashSet<Vec<Piece>>,
    vocabulary: Vocabulary,
    /// Values of samples.
    sampled: FxHashSet<u64>,
    contexts: Contexts,
    states: Vec<State>,
    /// By level of context: states with values that were not tried.
    open: [Vec<u32>; LEVELS],
    /// Parts of texts that may have the same value.
    shortened: Vec<Vec<u8>>,
    /// Texts that were tried to find out their value.
    probed: FxHashSet<Vec<u8>>,
    /// Samples whose contexts are known.
    measured: usize,
}

impl Pieces {
    /// Returns the number of values in tests, by which the producer is compared with others.
    pub fn sampled_values(&self) -> usize {
        self.sampled.len()
    }

    /// True if there is something to combine.
    pub fn is_useful(&self) -> bool {
        self.sampled.len() >= MIN_VALUES
    }

    /// Describes the model, for a log.
    pub fn describe(&self) -> String {
        let states = self.open.each_ref().map(Vec::len);
        let (samples, values) = (self.samples.len(), self.vocabulary.len());
        format!("{samples} samples, {values} values, {states:?} states")
    }

    /// Adds a test, whose object consists of these pieces.
    pub fn add_sample(&mut self, input: &Input, object: usize, pieces: Vec<Piece>) {
        for piece in &pieces {
            self.add_text(piece.value, piece.word());
            self.sampled.insert(piece.value);
        }
        if self.samples.len() < MAX_SAMPLES && self.known_samples.insert(pieces.clone()) {
            let same = |known: &Input| same_but_for(known, input, object);
            let known = self.inputs.iter().position(same).unwrap_or_else(|| {
                self.inputs.push(input.clone());
                self.inputs.len() - 1
            });
            self.samples.push(Sample { input: known, object, pieces });
        }
    }

    /// Adds a text of a value. If it is the shortest one so far, still shorter ones are tried: it may have a byte
    /// at its end that the producer has only looked at, or others before it that it has skipped.
    fn add_text(&mut self, value: u64, text: &[u8]) {
        let is_shortest = self.vocabulary.add(value, text);
        if is_shortest && text.len() > 1 {
            self.shortened.extend([text[1..].to_vec(), text[..text.len() - 1].to_vec()]);
        }
    }

    /// Returns up to `most` attempts; `tokens` are byte strings that may have a value. They count as made: each is
    /// returned once.
    pub fn attempts<'t>(
        &mut self,
        most: usize,
        tokens: impl Iterator<Item = &'t [u8]>,
        rng: &mut Rng,
    ) -> Vec<Attempt> {
        let mut attempts = Vec::with_capacity(most);
        self.measure(most, &mut attempts);
        self.probe(most, tokens, &mut attempts);
        // At least half for what is tried systematically, all of it only if it is less.
        let systematic = attempts.len() + (most - attempts.len()).div_ceil(2);
        self.try_values(systematic, &mut attempts);
        while attempts.len() < most {
            let Some(attempt) = self.vary(rng) else { break };
            attempts.push(attempt);
        }
        attempts
    }

    /// Adds samples whose contexts are not known.
    fn measure(&mut self, most: usize, attempts: &mut Vec<Attempt>) {
        while self.measured < self.samples.len() && attempts.len() < most {
            attempts.push(Attempt::sample(&self.samples[self.measured], self.measured));
            self.measured += 1;
        }
    }

    /// Adds probes, at the beginning of an input.
    fn probe<'t>(
        &mut self,
        most: usize,
        tokens: impl Iterator<Item = &'t [u8]>,
        attempts: &mut Vec<Attempt>,
    ) {
        let Some(first) = self.samples.first() else { return };
        let root = Sample { pieces: Vec::new(), ..first.clone() };
        let bytes = (b'\t'..=b'~').map(|byte| vec![byte]);
        let bytes = self.shortened.drain(..).chain(bytes).filter(|text| self.probed.insert(text.clone()));
        attempts.extend(bytes.take(most - attempts.len()).map(|text| Attempt::probe(root.clone(), text)));
        // There may be many tokens, most of them no pieces.
        let left = (most - attempts.len()).div_ceil(4);
        let tokens = tokens.map(<[u8]>::to_vec).filter(|text| self.probed.insert(text.clone()));
        attempts.extend(tokens.take(left).map(|text| Attempt::probe(root.clone(), text)));
    }

    /// Adds values in contexts that they were not tried in: of the least specific contexts first, and in the order
    /// in which the states were found.
    fn try_values(&mut self, most: usize, attempts: &mut Vec<Attempt>) {
        for level in 0..LEVELS {
            for at in 0..self.open[level].len() {
                let index = self.open[level][at];
                let state = &mut self.states[index as usize];
                while state.tried < self.vocabulary.len() {
                    if attempts.len() >= most {
                        return;
                    }
                    let next = self.vocabulary.shortest(state.tried);
                    attempts.push(Attempt::transition(&state.sample, next, index, state.tried));
                    state.tried += 1;
                }
            }
        }
    }

    /// Changes a lesson's part of the model.
    pub fn learn(&mut self, lesson: &Lesson) {
        match lesson {
            Lesson::Measured(count) => self.measured = self.measured.max(*count as usize),
            Lesson::Probed(text) => drop(self.probed.insert(text.clone())),
            Lesson::Tried { state, count } => {
                if let Some(state) = self.states.get_mut(*state as usize) {
                    state.tried = state.tried.max(*count as usize);
                }
            }
            Lesson::Text { value, text } => self.add_text(*value, text),
            Lesson::State { input, object, pieces, level, contexts } => {
                if self.states.len() >= MAX_STATES {
                    return;
                }
                if self.contexts.add(contexts) {
                    let (input, object) = (*input as usize, *object as usize);
                    let level = usize::from(*level).min(LEVELS - 1);
                    self.open[level].push(self.states.len() as u32);
                    let sample = Sample { input, object, pieces: pieces.clone() };
                    self.states.push(State { sample, tried: 0 });
                }
            }
        }
    }
}

/// True if two inputs differ in one object's bytes at most.
fn same_but_for(one: &Input, other: &Input, object: usize) -> bool {
    let pairs = one.objects.iter().zip(&other.objects).enumerate();
    one.objects.len() == other.objects.len()
        && pairs.into_iter().all(|(number, (a, b))| number == object && a.limit == b.limit || a == b)
}

#[cfg(test)]
mod tests;
