//! The vocabulary: values of a producer, and texts that make it return them.

use rustc_hash::FxHashMap;

/// Values and texts that are kept, chosen bounds: a function with more values returns bytes, not kinds of pieces.
const MAX_VALUES: usize = 512;
const MAX_TEXTS: usize = 8;

/// A value and its texts, the shortest first.
#[derive(Clone, Debug)]
struct Word {
    value: u64,
    texts: Vec<Vec<u8>>,
}

/// The values of a producer in the order in which they were found, with their texts.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    words: Vec<Word>,
    by_value: FxHashMap<u64, usize>,
}

impl Vocabulary {
    /// Adds a text of a value, if there is room; true if it is the shortest one of this value.
    pub(super) fn add(&mut self, value: u64, text: &[u8]) -> bool {
        if text.is_empty() {
            return false;
        }
        let next = self.words.len();
        let index = *self.by_value.entry(value).or_insert(next);
        if index == next {
            if next >= MAX_VALUES {
                self.by_value.remove(&value);
                return false;
            }
            self.words.push(Word { value, texts: Vec::new() });
        }
        let texts = &mut self.words[index].texts;
        if texts.iter().any(|known| known == text) {
            return false;
        }
        let at = texts.partition_point(|known| known.len() <= text.len());
        texts.insert(at, text.to_vec());
        texts.truncate(MAX_TEXTS);
        at == 0
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// True without values.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// True if a text is shorter than those of a value.
    pub(super) fn is_shorter(&self, value: u64, text: &[u8]) -> bool {
        self.texts_of(value).first().is_none_or(|shortest| text.len() < shortest.len())
    }

    /// True if a value has a text.
    pub(super) fn contains(&self, value: u64) -> bool {
        self.by_value.contains_key(&value)
    }

    /// Returns the value with this index, and its shortest text.
    pub(super) fn shortest(&self, index: usize) -> (u64, &[u8]) {
        let word = &self.words[index];
        (word.value, &word.texts[0])
    }

    /// Returns the texts of the value with this index.
    pub(super) fn texts(&self, index: usize) -> (u64, &[Vec<u8>]) {
        let word = &self.words[index];
        (word.value, &word.texts)
    }

    /// Returns the texts of a value.
    pub(super) fn texts_of(&self, value: u64) -> &[Vec<u8>] {
        self.by_value.get(&value).map_or(&[], |index| &self.words[*index].texts)
    }
}
