//! Fills the bytes that no constraint of a query reads.
//!
//! An input for a flip has the bytes of the run that it is based on wherever they do not matter, which are
//! often the zeros of the first input. After the flip the program reads on, and other bytes lead to more
//! paths: random ones if the strategy asks for them, or strings of the dictionary. These replace all
//! unconstrained bytes if the strategy asks for new ones, and those behind the last constrained byte
//! otherwise. A flip of a stream's length makes room for them.

use cairn_exec::Input;
use cairn_expr::{Dag, Evaluator, ExprId, InputByte};
use cairn_mutate::dictionary::{Dictionary, TokenId, TokenPlace};
use cairn_search::Rng;
use cairn_solver::{ByteCollector, Model};
use cairn_wire::label::LENGTH;
use std::sync::Arc;

/// Largest number of strings in one input, as a power of two; a chosen bound, that of havoc in AFL.
const MAX_STRINGS_SHIFT: usize = 5;

/// Way of filling unconstrained bytes.
#[derive(Clone, Default)]
pub(super) struct Fill {
    /// True to replace all of them, false to keep those of the base run as far as possible.
    pub renew: bool,
    /// Source of strings, if they are used.
    pub dictionary: Option<Arc<Dictionary>>,
    /// Seed of all random choices: the state of the worker's generator does not depend on how many there are.
    pub seed: u64,
}

/// Constraints of the last query, and how all other bytes are filled.
#[derive(Default)]
pub(super) struct UnconstrainedBytes {
    constraints: Vec<ExprId>,
    fill: Fill,
    collector: ByteCollector,
    evaluator: Evaluator,
    /// Strings in the last input.
    used: Vec<TokenId>,
}

impl UnconstrainedBytes {
    /// Sets the constraints of the current query.
    pub fn set_query(&mut self, prefix: &[ExprId], target: ExprId, fill: Fill) {
        self.constraints.clear();
        self.used.clear();
        if fill.renew || fill.dictionary.is_some() {
            self.constraints.extend_from_slice(prefix);
            self.constraints.push(target);
        }
        self.fill = fill;
    }

    /// Applies `model` to the input, and fills the bytes that no constraint reads.
    pub fn apply_model(&mut self, input: &mut Input, model: &Model, dag: &Dag) {
        input.assign(model.as_slice().iter().copied());
        let mut rng = Rng::new(self.fill.seed);
        let renew = self.fill.renew;
        match self.fill.dictionary.take() {
            Some(dictionary) => self.insert_strings(input, dag, &dictionary, &mut rng),
            None if renew => randomise(input, &self.constrained(dag), &mut rng),
            None => {}
        }
    }

    /// Returns the strings of the dictionary in the last input.
    pub fn take_used(&mut self) -> Vec<TokenId> {
        std::mem::take(&mut self.used)
    }

    /// Returns the bytes that constraints read, in order.
    fn constrained(&mut self, dag: &Dag) -> Vec<InputByte> {
        self.collector.collect(dag, self.constraints.iter().copied())
    }

    fn insert_strings(&mut self, input: &mut Input, dag: &Dag, dictionary: &Dictionary, rng: &mut Rng) {
        let constrained = self.constrained(dag);
        let flipped = self.flipped_length(dag);
        for number in 0..input.objects.len() as u32 {
            let own = of_object(&constrained, number);
            let is_flipped = flipped == Some(number);
            if input.objects[number as usize].kind.is_count() {
                continue;
            }
            if self.fill.renew {
                if is_flipped {
                    let length = input.objects[number as usize].bytes.len();
                    self.lengthen(input, number, length + random_growth(length, rng), dag);
                }
                let bytes = &mut input.objects[number as usize].bytes;
                let mut writer = StringWriter { bytes, number, constrained: own, at: 0 };
                while let Some(id) = writer.write(dictionary, rng) {
                    self.used.push(id);
                }
            } else if !own.is_empty() {
                self.append_strings(input, number, own, is_flipped, (dictionary, dag), rng);
            }
        }
    }

    /// Writes a few strings behind the last constrained byte of an object.
    fn append_strings(
        &mut self,
        input: &mut Input,
        number: u32,
        constrained: &[InputByte],
        is_flipped: bool,
        (dictionary, dag): (&Dictionary, &Dag),
        rng: &mut Rng,
    ) {
        let content = constrained.iter().rev().find(|byte| byte.offset < LENGTH);
        let from = content.map_or(0, |last| last.offset as usize + 1);
        let object = &input.objects[number as usize];
        let most = if is_flipped { object.limit.max(object.bytes.len()) } else { object.bytes.len() };
        let Some(room) = most.checked_sub(from) else { return };
        let mut text = vec![0; room];
        let mut writer = StringWriter { bytes: &mut text, number, constrained: &[], at: 0 };
        for _ in 0..1 << rng.below(MAX_STRINGS_SHIFT) {
            let Some(id) = writer.write(dictionary, rng) else { break };
            self.used.push(id);
        }
        let written = writer.at;
        self.lengthen(input, number, from + written, dag);
        let bytes = input.objects[number as usize].bytes.get_mut(from..).unwrap_or_default();
        let written = written.min(bytes.len());
        bytes[..written].copy_from_slice(&text[..written]);
    }

    /// Returns the object whose length the target reads.
    fn flipped_length(&self, dag: &Dag) -> Option<u32> {
        let bytes = dag.inputs(*self.constraints.last()?);
        bytes.iter().find(|byte| byte.offset >= LENGTH).map(|byte| byte.object)
    }

    /// Makes an object longer than the model does, if all constraints still hold.
    fn lengthen(&mut self, input: &mut Input, number: u32, wanted: usize, dag: &Dag) {
        let object = &mut input.objects[number as usize];
        let (length, wanted) = (object.bytes.len(), wanted.min(object.limit));
        if !object.has_any_length() || wanted <= length {
            return;
        }
        object.bytes.resize(wanted, 0);
        self.evaluator.begin();
        let holds = self.constraints.iter().all(|e| self.evaluator.value(dag, *e, &*input) == 1);
        if !holds {
            input.objects[number as usize].bytes.truncate(length);
        }
    }
}

/// Returns a number of bytes up to about the present length.
fn random_growth(length: usize, rng: &mut Rng) -> usize {
    1 << rng.below(1 + (length + 1).ilog2() as usize)
}

/// Writes strings one after the other over the unconstrained bytes of an object.
struct StringWriter<'a> {
    bytes: &'a mut [u8],
    /// Number of the object.
    number: u32,
    /// Bytes of the object that keep their values, sorted.
    constrained: &'a [InputByte],
    at: usize,
}

impl StringWriter<'_> {
    /// Writes a string over the next unconstrained bytes, up to the next constrained one; None if there is no
    /// more room.
    fn write(&mut self, dictionary: &Dictionary, rng: &mut Rng) -> Option<TokenId> {
        while self.at < self.bytes.len() && self.is_constrained(self.at) {
            self.at += 1;
        }
        if self.at >= self.bytes.len() {
            return None;
        }
        let place = TokenPlace { object: self.number, offset: self.at as u32 };
        let id = dictionary.draw_at(place, rng)?;
        for &byte in &*dictionary.token(id)?.bytes {
            if self.at >= self.bytes.len() || self.is_constrained(self.at) {
                break;
            }
            self.bytes[self.at] = byte;
            self.at += 1;
        }
        Some(id)
    }

    fn is_constrained(&self, offset: usize) -> bool {
        self.constrained.binary_search(&InputByte { object: self.number, offset: offset as u32 }).is_ok()
    }
}

/// Returns the bytes of one object among sorted ones.
fn of_object(bytes: &[InputByte], object: u32) -> &[InputByte] {
    let start = bytes.partition_point(|byte| byte.object < object);
    let end = bytes.partition_point(|byte| byte.object <= object);
    &bytes[start..end]
}

/// Randomises all bytes but the `constrained` ones, which are sorted. The number of arguments stays as it is.
fn randomise(input: &mut Input, constrained: &[InputByte], rng: &mut Rng) {
    for (object, number) in input.objects.iter_mut().zip(0u32..) {
        if object.kind.is_count() {
            continue;
        }
        let mut fresh = vec![0; object.bytes.len()];
        rng.fill(&mut fresh);
        for ((byte, fresh), offset) in object.bytes.iter_mut().zip(fresh).zip(0u32..) {
            if constrained.binary_search(&InputByte { object: number, offset }).is_err() {
                *byte = fresh;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::Object;
    use cairn_expr::{BinOp, CmpOp};

    #[test]
    fn only_unconstrained_bytes_change() {
        let mut input = Input { objects: vec![Object::stdin([0; 64]), Object::stdin([7; 64])] };
        let second: Vec<InputByte> = (0..64).map(|offset| InputByte { object: 1, offset }).collect();
        let constrained = [&[InputByte { object: 0, offset: 5 }], &second[..60]].concat();
        randomise(&mut input, &constrained, &mut Rng::new(3));
        let [first, second] = &input.objects[..] else { panic!() };
        assert_eq!((first.bytes[5], &second.bytes[..60]), (0, &[7; 60][..]));
        assert!(first.bytes.iter().filter(|byte| **byte != 0).count() > 50);
        assert_ne!(second.bytes[60..], [7; 4]);
    }

    /// Fills the input for a model that sets byte 2 to 9, under a constraint on it and `other`.
    fn filled(object: Object, other: impl Fn(&mut Dag) -> ExprId, renew: bool) -> Vec<Vec<u8>> {
        let mut dag = Dag::new();
        let at = InputByte { object: 0, offset: 2 };
        let (byte, nine) = (dag.input(at), dag.constant(8, 9));
        let prefix = [dag.compare(CmpOp::Eq, byte, nine)];
        let target = other(&mut dag);
        let mut dictionary = Dictionary::default();
        dictionary.add(b"word");
        let dictionary = Arc::new(dictionary);
        let fill = |seed| {
            let mut unconstrained = UnconstrainedBytes::default();
            let dictionary = Some(dictionary.clone());
            unconstrained.set_query(&prefix, target, Fill { renew, dictionary, seed });
            let mut input = Input { objects: vec![object.clone()] };
            let length = InputByte { object: 0, offset: LENGTH };
            let model = [(at, 9), (length, object.bytes.len() as u8)].into_iter().collect();
            unconstrained.apply_model(&mut input, &model, &dag);
            assert!(!unconstrained.take_used().is_empty());
            input.objects.remove(0).bytes
        };
        (0..40).map(fill).collect()
    }

    fn length_is_above(dag: &mut Dag, bound: u128) -> ExprId {
        let bytes = [0, 1].map(|index| dag.input(InputByte { object: 0, offset: LENGTH + index }));
        let length = dag.concat(bytes[1], bytes[0]);
        let bound = dag.constant(16, bound);
        dag.compare(CmpOp::Ult, bound, length)
    }

    #[test]
    fn strings_follow_the_last_constrained_byte() {
        let results = filled(Object::stdin(*b"abcdefghij"), |dag| dag.constant(1, 1), false);
        assert!(results.contains(&b"ab\x09wordhij".to_vec()));
        assert!(results.contains(&b"ab\x09wordwor".to_vec()));
        assert!(results.iter().all(|bytes| bytes.starts_with(b"ab\x09word") && bytes.len() == 10));
    }

    #[test]
    fn strings_replace_all_unconstrained_bytes_if_new_ones_are_wanted() {
        let results = filled(Object::stdin(*b"abcdefghij"), |dag| dag.constant(1, 1), true);
        assert!(results.iter().all(|bytes| bytes == b"wo\x09wordwor"));
    }

    #[test]
    fn a_flip_of_the_length_makes_room_for_strings() {
        let object = Object::stdin(*b"abcd").up_to(20);
        let results = filled(object.clone(), |dag| length_is_above(dag, 3), false);
        assert!(results.contains(&b"ab\x09word".to_vec()));
        assert!(results.contains(&b"ab\x09wordword".to_vec()));
        assert!(results.iter().all(|bytes| bytes.len() <= 20));
        let is_even = |dag: &mut Dag| {
            let low = dag.input(InputByte { object: 0, offset: LENGTH });
            let (one, zero) = (dag.constant(8, 1), dag.constant(8, 0));
            let bit = dag.binary(BinOp::And, low, one);
            dag.compare(CmpOp::Eq, bit, zero)
        };
        let results = filled(object, is_even, false);
        assert!(results.iter().all(|bytes| bytes.len() % 2 == 0), "all constraints hold");
    }
}
