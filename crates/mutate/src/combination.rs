//! Combination of two inputs: what each of them has the program do, in one run.
//!
//! One object of the base gets a part of the donor's, at a place where it does not overwrite what matters. An
//! argument is a unit, and means the same in another position as a rule: so one may replace another as a whole.

use crate::block;
use crate::field::Field;
use crate::splicing;
use cairn_exec::{Input, Object};
use cairn_expr::InputByte;
use cairn_search::Rng;

/// Returns the base with a part of the donor, which has the same objects: around one of the bytes in `take`, or
/// any part if there are none. Bytes in `keep` stay, as a rule.
pub fn combine(base: &Input, keep: &[InputByte], donor: &Input, take: &[InputByte], rng: &mut Rng) -> Input {
    let mut combined = base.clone();
    let Some(from) = source(donor, take, rng) else { return combined };
    let is_argument = |at: usize| base.objects.get(at).is_some_and(|object| object.kind.is_argument());
    let mut to = from;
    if is_argument(from) {
        keep_argument_count(&mut combined, donor);
        let arguments = (0..base.objects.len()).filter(|at| is_argument(*at));
        let is_kept = |at: &usize| keep.iter().any(|byte| byte.object as usize == *at);
        let (kept, free): (Vec<usize>, Vec<usize>) = arguments.partition(is_kept);
        let places = if free.is_empty() { kept } else { free };
        to = places[rng.below(places.len())];
    }
    let text = text(&donor.objects[from]);
    let Some(mut field) = combined.objects.get_mut(to).and_then(Field::of) else { return combined };
    let is_whole = is_argument(to) && rng.below(4) > 0;
    match rng.below(4) {
        _ if is_whole => field.replace(0..field.len(), text),
        0 => splicing::replace_block(&mut field, text, rng),
        1 => splicing::cross_over(&mut field, text, rng),
        _ => {
            let part = part_around(text, from, take, rng);
            let at = place_beside(&field, to, keep, rng);
            field.insert(at, part.iter().copied());
        }
    }
    drop(field);
    combined
}

/// Returns the number of the object that the part is from.
fn source(donor: &Input, take: &[InputByte], rng: &mut Rng) -> Option<usize> {
    let has_text = |at: &usize| {
        let object = donor.objects.get(*at);
        object.is_some_and(|object| !object.kind.is_count() && !text(object).is_empty())
    };
    let taken: Vec<usize> = take.iter().map(|byte| byte.object as usize).filter(has_text).collect();
    let sources = if taken.is_empty() { (0..donor.objects.len()).filter(has_text).collect() } else { taken };
    (!sources.is_empty()).then(|| sources[rng.below(sources.len())])
}

/// Returns what the program sees of an object.
fn text(object: &Object) -> &[u8] {
    if object.kind.is_argument() { object.as_argument() } else { &object.bytes }
}

/// Returns a part of a text around one of these bytes of it: words, a line, all up to there, or all from there.
fn part_around<'a>(text: &'a [u8], object: usize, bytes: &[InputByte], rng: &mut Rng) -> &'a [u8] {
    let offsets = bytes.iter().filter(|byte| byte.object as usize == object).map(|byte| byte.offset as usize);
    let offsets: Vec<usize> = offsets.filter(|offset| *offset < text.len()).collect();
    if offsets.is_empty() {
        return &text[block::block(text, rng)];
    }
    let at = offsets[rng.below(offsets.len())];
    match rng.below(4) {
        0 => &text[block::word(text, at)],
        1 => &text[block::line(text, at)],
        2 => &text[..at + 1],
        _ => &text[at..],
    }
}

/// Returns a place in a field: before or behind the bytes to be kept, if there are any.
fn place_beside(field: &Field, object: usize, keep: &[InputByte], rng: &mut Rng) -> usize {
    let kept = keep.iter().filter(|byte| byte.object as usize == object).map(|byte| byte.offset as usize);
    let last = kept.filter(|offset| *offset < field.len()).max();
    match (last, rng.below(3)) {
        (Some(last), 0) => last + 1,
        (_, 1) => field.len(),
        _ => block::place(field.bytes(), rng),
    }
}

/// Gives the program at least as many arguments as the donor has.
fn keep_argument_count(combined: &mut Input, donor: &Input) {
    for (object, other) in combined.objects.iter_mut().zip(&donor.objects) {
        if object.kind.is_count() && object.bytes < other.bytes {
            object.bytes.clone_from(&other.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn results(
        base: &Input,
        keep: &[InputByte],
        donor: &Input,
        take: &[InputByte],
    ) -> BTreeSet<Vec<Vec<u8>>> {
        let mut rng = Rng::new(1);
        let mut result = || {
            let combined = combine(base, keep, donor, take, &mut rng);
            combined.objects.into_iter().map(|object| object.bytes).collect()
        };
        (0..500).map(|_| result()).collect()
    }

    fn arguments(texts: [&[u8; 4]; 3]) -> Input {
        let count = [Object::arg_count(1, texts.iter().filter(|text| text[0] != 0).count() as u8, 3)];
        let objects = texts.iter().zip(1..).map(|(text, index)| Object::arg(index, **text));
        Input { objects: objects.chain(count).collect() }
    }

    const fn byte(object: u32, offset: u32) -> InputByte {
        InputByte { object, offset }
    }

    #[test]
    fn an_argument_is_taken_into_a_position_that_does_not_matter() {
        let base = arguments([b"-J\0\0", b"\0\0\0\0", b"\0\0\0\0"]);
        let donor = arguments([b"-x\0\0", b"-s\0\0", b"-y\0\0"]);
        let all = results(&base, &[byte(0, 1)], &donor, &[byte(1, 1)]);
        assert!(all.iter().all(|objects| objects[0] == b"-J\0\0" && objects[3] == [3]));
        assert!(all.iter().any(|objects| objects[1] == b"-s\0\0"));
        assert!(all.iter().any(|objects| objects[2] == b"-s\0\0"));
        assert!(!all.iter().flatten().any(|bytes| bytes == b"-x\0\0" || bytes == b"-y\0\0"));
    }

    #[test]
    fn a_line_of_one_stream_is_inserted_into_another() {
        let stream = |text: &[u8]| Input { objects: vec![Object::stdin(text).up_to(32)] };
        let (base, donor) = (stream(b"level=60\n"), stream(b"a=1\nport=42\nb=2\n"));
        let all = results(&base, &[byte(0, 0)], &donor, &[byte(0, 5)]);
        assert!(all.contains(&vec![b"level=60\nport=42\n".to_vec()]));
        assert!(all.contains(&vec![b"port=42\nlevel=60\n".to_vec()]));
        assert!(all.iter().all(|objects| objects[0].len() <= 32));
    }

    #[test]
    fn nothing_is_taken_from_an_empty_donor() {
        let base = arguments([b"-J\0\0", b"\0\0\0\0", b"\0\0\0\0"]);
        let donor = arguments([b"\0\0\0\0", b"\0\0\0\0", b"\0\0\0\0"]);
        let same = base.objects.iter().map(|object| object.bytes.clone()).collect();
        assert_eq!(results(&base, &[], &donor, &[byte(2, 0)]), BTreeSet::from([same]));
        assert_eq!(
            combine(&Input::default(), &[], &Input::default(), &[], &mut Rng::new(1)),
            Input::default()
        );
    }
}
