//! Havoc: several random mutators on one input.
//!
//! Mutators are stacked because single ones rarely leave the path of the input; most stacks are small, because
//! large ones rarely keep what made the input worth mutating. AFL++ stacks up to 16 or more, libFuzzer up to 5.

use crate::field::Field;
use crate::{arithmetic, boundary, deletion, insertion, overwriting, rearrangement, splicing, tokens};
use cairn_exec::{Input, Object};
use cairn_search::Rng;

/// Number of stack sizes: 1, 2, 4 and 8, each as likely.
const STACK_SIZES: usize = 4;

/// A mutator that needs nothing but the field.
type Mutator = fn(&mut Field, &mut Rng);
/// A mutator that puts bytes into the field: of another input, or a token.
type Combiner = fn(&mut Field, &[u8], &mut Rng);

const PLAIN: &[Mutator] = &[
    overwriting::flip_bit,
    overwriting::set_byte,
    overwriting::set_known_byte,
    overwriting::set_printable,
    overwriting::fill_block,
    arithmetic::add_to_integer,
    arithmetic::change_number,
    boundary::set_integer,
    boundary::set_number,
    insertion::insert_random,
    insertion::insert_run,
    insertion::repeat_block,
    insertion::insert_copy,
    deletion::delete_block,
    deletion::cut_end,
    rearrangement::copy_over,
    rearrangement::replace_block,
    rearrangement::exchange,
    rearrangement::shuffle,
];
const SPLICING: &[Combiner] = &[splicing::insert_block, splicing::replace_block, splicing::cross_over];
const TOKENS: &[Combiner] = &[tokens::insert_token, tokens::overwrite, tokens::replace_word];

/// Material of mutators besides the input itself.
#[derive(Clone, Debug, Default)]
pub struct Material {
    /// Other inputs, to splice with.
    pub inputs: Vec<Input>,
    /// Byte strings of the dictionary.
    pub tokens: Vec<Vec<u8>>,
}

/// Mutants of one input, made one after the other in the same memory.
#[derive(Debug)]
pub struct Havoc<'a> {
    base: &'a Input,
    material: &'a Material,
    mutant: Input,
    /// Objects that can be mutated.
    objects: Vec<usize>,
    /// Objects in which the mutant may differ from the base.
    changed: Vec<usize>,
}

impl<'a> Havoc<'a> {
    /// Returns a maker of mutants; None if the input has nothing to mutate.
    pub fn new(base: &'a Input, material: &'a Material) -> Option<Havoc<'a>> {
        let is_mutable = |object: &Object| object.has_any_length() || !object.bytes.is_empty();
        let objects: Vec<usize> =
            (0..base.objects.len()).filter(|at| is_mutable(&base.objects[*at])).collect();
        (!objects.is_empty()).then(|| Havoc {
            base,
            material,
            mutant: base.clone(),
            objects,
            changed: Vec::new(),
        })
    }

    /// Returns the next mutant.
    pub fn next(&mut self, rng: &mut Rng) -> &Input {
        for at in self.changed.drain(..) {
            self.mutant.objects[at].bytes.clone_from(&self.base.objects[at].bytes);
        }
        for _ in 0..1 << rng.below(STACK_SIZES) {
            let at = self.objects[rng.below(self.objects.len())];
            self.changed.push(at);
            let Havoc { mutant, material, .. } = self;
            mutate(&mut mutant.objects[at], at, material, rng);
        }
        &self.mutant
    }
}

/// Applies a random mutator to an object with this number.
fn mutate(object: &mut Object, number: usize, material: &Material, rng: &mut Rng) {
    if object.kind.is_count() {
        object.bytes = vec![rng.below(object.limit + 1) as u8];
        return;
    }
    let Some(mut field) = Field::of(object) else { return };
    let splicing = if material.inputs.is_empty() { &[] } else { SPLICING };
    let tokens = if material.tokens.is_empty() { &[] } else { TOKENS };
    let choice = rng.below(PLAIN.len() + splicing.len() + tokens.len());
    if let Some(mutate) = PLAIN.get(choice) {
        mutate(&mut field, rng);
    } else if let Some(splice) = splicing.get(choice - PLAIN.len()) {
        let other = &material.inputs[rng.below(material.inputs.len())];
        let other = other.objects.get(number).map_or(&[][..], |object| &object.bytes);
        splice(&mut field, other, rng);
    } else {
        let token = &material.tokens[rng.below(material.tokens.len())];
        tokens[choice - PLAIN.len() - splicing.len()](&mut field, token, rng);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDS: usize = 300;

    fn objects() -> Vec<Object> {
        vec![
            Object::stdin("let a = 12;\nlet b = 7;\n").up_to(40),
            Object::stdin("fixed 1 length"),
            Object::arg(1, *b"-n 5\0\0\0\0"),
            Object::named("n", [0, 0, 0, 9]),
        ]
    }

    fn changes(object: &Object, mutate: impl Fn(&mut Field, &mut Rng)) -> usize {
        let mut rng = Rng::new(5);
        let changed = |_: &usize| {
            let mut mutant = object.clone();
            mutate(&mut Field::of(&mut mutant).unwrap(), &mut rng);
            check(object, &mutant);
            mutant != *object
        };
        (0..ROUNDS).filter(changed).count()
    }

    /// Checks that a mutant is an input that could have been given.
    fn check(before: &Object, after: &Object) {
        let expected = Object { bytes: after.bytes.clone(), ..before.clone() };
        assert_eq!(*after, expected, "a mutator changes bytes alone");
        match before.has_any_length() {
            true => assert!(after.bytes.len() <= before.limit.max(before.bytes.len())),
            false => assert_eq!(after.bytes.len(), before.bytes.len()),
        }
    }

    #[test]
    fn every_mutator_changes_inputs_and_keeps_limits() {
        let has_number = |object: &&Object| object.bytes.iter().any(u8::is_ascii_digit);
        for (number, mutate) in PLAIN.iter().enumerate() {
            for object in objects().iter().filter(has_number) {
                assert!(changes(object, mutate) > ROUNDS / 20, "mutator {number} on {object:?}");
            }
        }
        for (number, combine) in SPLICING.iter().chain(TOKENS).enumerate() {
            for object in &objects() {
                let changed = changes(object, |field, rng| combine(field, b"while 30\n", rng));
                assert!(changed > ROUNDS / 5, "combiner {number} on {object:?}");
            }
        }
    }

    #[test]
    fn every_mutator_takes_empty_and_full_fields() {
        let all = |field: &mut Field, rng: &mut Rng| {
            PLAIN.iter().for_each(|mutate| mutate(field, rng));
            for combine in SPLICING.iter().chain(TOKENS) {
                combine(field, b"", rng);
                combine(field, b"x", rng);
            }
        };
        for object in
            [Object::stdin("").up_to(3), Object::stdin("abc").up_to(3), Object::stdin("longer").up_to(3)]
        {
            changes(&object, all);
        }
        for mutate in PLAIN {
            changes(&Object::stdin("").up_to(3), mutate);
            changes(&Object::arg(1, *b"\0\0"), mutate);
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_mutants() {
        let base = Input { objects: objects() };
        let other = Input { objects: vec![Object::stdin("other 3 ways\n").up_to(40)] };
        let material = Material { inputs: vec![other], tokens: vec![b"while".to_vec()] };
        let mutants = |seed| -> Vec<Input> {
            let (mut rng, mut havoc) = (Rng::new(seed), Havoc::new(&base, &material).unwrap());
            (0..ROUNDS).map(|_| havoc.next(&mut rng).clone()).collect()
        };
        let made = mutants(1);
        assert_eq!(made, mutants(1));
        assert_ne!(made, mutants(2));
        for mutant in &made {
            base.objects.iter().zip(&mutant.objects).for_each(|(before, after)| check(before, after));
        }
        let contains = |text: &[u8]| {
            made.iter().any(|mutant| mutant.objects[0].bytes.windows(text.len()).any(|part| part == text))
        };
        assert!(contains(b"while") && contains(b"ways") && contains(b";\nlet a = 12;\n"));
    }

    #[test]
    fn one_mutant_does_not_depend_on_the_one_before() {
        let base = Input { objects: objects() };
        let material = Material::default();
        let mut havoc = Havoc::new(&base, &material).unwrap();
        let mut rng = Rng::new(3);
        (0..ROUNDS).for_each(|_| drop(havoc.next(&mut rng).clone()));
        let (mut again, mut fresh) = (Rng::new(9), Havoc::new(&base, &material).unwrap());
        let expected = fresh.next(&mut again.clone()).clone();
        assert_eq!(*havoc.next(&mut again), expected);
    }

    #[test]
    fn the_number_of_arguments_stays_within_its_limit() {
        let base = Input { objects: vec![Object::arg_count(1, 1, 3)] };
        let material = Material::default();
        let mut havoc = Havoc::new(&base, &material).unwrap();
        let mut rng = Rng::new(1);
        let mut seen = [0; 4];
        (0..ROUNDS).for_each(|_| seen[usize::from(havoc.next(&mut rng).objects[0].bytes[0])] += 1);
        assert!(seen.iter().all(|count| *count > ROUNDS / 10), "{seen:?}");
    }

    #[test]
    fn an_input_without_bytes_has_no_mutants() {
        let empty = Input { objects: vec![Object::named("n", ""), Object::stdin("")] };
        assert!(Havoc::new(&empty, &Material::default()).is_none());
        assert!(Havoc::new(&Input::default(), &Material::default()).is_none());
    }
}
