//! Minimises an input that shows a fault, in the manner of delta debugging.
//!
//! First bytes are removed, in chunks of decreasing size; then the remaining chunks are normalised to plain
//! bytes. What could only be changed together, such as a pair of brackets, is plain now and can be removed one
//! by one: bytes are removed once more. A step is kept only if the program still shows the fault: at most about
//! three runs per byte at the finest grain, and as many again for the coarser ones.

use cairn_exec::{Input, Object};

/// Replacement for a byte that does not matter in text: the one of afl-tmin.
const PLAIN_BYTE: u8 = b'0';

/// Predicate that is true if an input still shows the fault; None ends the search. Every candidate is a copy
/// of the whole input, so continuing without an answer would take long for a large one.
type ShowsFault<'a> = dyn FnMut(&Input) -> Option<bool> + 'a;

/// Minimises an input with respect to `shows`, until that returns None.
pub(crate) fn minimise(input: &Input, shows: &mut ShowsFault) -> Input {
    let mut smallest = input.clone();
    let _ended_early = make_smaller(&mut smallest, shows).is_none();
    smallest
}

fn make_smaller(smallest: &mut Input, shows: &mut ShowsFault) -> Option<()> {
    for at in 0..smallest.objects.len() {
        shorten(smallest, at, shows)?;
    }
    for at in 0..smallest.objects.len() {
        let before = smallest.objects[at].bytes.clone();
        normalise(smallest, at, shows)?;
        if smallest.objects[at].bytes != before {
            shorten(smallest, at, shows)?;
        }
    }
    Some(())
}

/// Returns the chunk sizes, from the whole length down to one.
fn chunk_sizes(len: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(len), |size| (*size > 1).then_some(size.div_ceil(2))).filter(|size| *size > 0)
}

/// Replaces the bytes of an object, and restores them if the input no longer shows the fault.
fn replace(input: &mut Input, at: usize, bytes: Vec<u8>, shows: &mut ShowsFault) -> Option<bool> {
    if input.objects[at].bytes == bytes {
        return Some(false);
    }
    let before = std::mem::replace(&mut input.objects[at].bytes, bytes);
    let stays = shows(input);
    if stays != Some(true) {
        input.objects[at].bytes = before;
    }
    stays
}

/// Returns the number of bytes that the program sees of an object.
fn used(object: &Object) -> usize {
    if object.kind.is_argument() { object.as_argument().len() } else { object.bytes.len() }
}

/// Returns an object's bytes without a range; an argument is padded to its size.
fn without(object: &Object, from: usize, to: usize) -> Vec<u8> {
    let mut bytes = object.bytes.clone();
    bytes.drain(from..to);
    if object.kind.is_argument() {
        bytes.resize(object.bytes.len(), 0);
    }
    bytes
}

fn shorten(input: &mut Input, at: usize, shows: &mut ShowsFault) -> Option<()> {
    let object = &input.objects[at];
    if object.kind.is_count() {
        return fewer_arguments(input, at, shows);
    }
    if !object.kind.is_argument() && !object.has_any_length() {
        return Some(());
    }
    for size in chunk_sizes(used(object)) {
        let mut from = 0;
        while from < used(&input.objects[at]) {
            let to = (from + size).min(used(&input.objects[at]));
            let shorter = without(&input.objects[at], from, to);
            if !replace(input, at, shorter, shows)? {
                from = to;
            }
        }
    }
    Some(())
}

fn fewer_arguments(input: &mut Input, at: usize, shows: &mut ShowsFault) -> Option<()> {
    let count = input.objects[at].bytes.first().copied().unwrap_or(0);
    for fewer in 0..count {
        if replace(input, at, vec![fewer], shows)? {
            break;
        }
    }
    Some(())
}

fn normalise(input: &mut Input, at: usize, shows: &mut ShowsFault) -> Option<()> {
    let kind = input.objects[at].kind;
    if kind.is_count() {
        return Some(());
    }
    let plain = if kind.is_text() { PLAIN_BYTE } else { 0 };
    let len = used(&input.objects[at]);
    for size in chunk_sizes(len) {
        for from in (0..len).step_by(size) {
            let mut bytes = input.objects[at].bytes.clone();
            bytes[from..(from + size).min(len)].fill(plain);
            replace(input, at, bytes, shows)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimised(object: Object, shows: impl Fn(&[u8]) -> bool) -> (Vec<u8>, usize) {
        let mut runs = 0;
        let input = Input { objects: vec![object] };
        let mut found = minimise(&input, &mut |input: &Input| {
            runs += 1;
            Some(shows(&input.objects[0].bytes))
        });
        (found.objects.remove(0).bytes, runs)
    }

    fn contains(bytes: &[u8], part: &[u8]) -> bool {
        bytes.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn irrelevant_bytes_are_removed() {
        let text = b"a long text with a bug! somewhere in the middle of it, and more behind".to_vec();
        let (bytes, runs) =
            minimised(Object::stdin(text.clone()).up_to(99), |bytes| contains(bytes, b"bug!"));
        assert_eq!(bytes, b"bug!");
        assert!(runs < 4 * text.len(), "{runs}");
        // Two relevant parts far from each other.
        let (bytes, _) =
            minimised(Object::stdin(text).up_to(99), |b| contains(b, b"bug") && contains(b, b"more"));
        assert_eq!(bytes, b"bugmore");
        assert_eq!(minimised(Object::stdin(*b"xyz").up_to(9), |_| true).0, b"");
    }

    #[test]
    fn brackets_that_only_go_together_are_removed() {
        let is_balanced = |bytes: &[u8]| {
            let depth = bytes.iter().map(|byte| i32::from(*byte == b'(') - i32::from(*byte == b')'));
            bytes.ends_with(b"!") && depth.sum::<i32>() == 2
        };
        assert_eq!(minimised(Object::stdin(*b"(()(!").up_to(9), is_balanced).0, b"((!");
    }

    #[test]
    fn irrelevant_bytes_of_fixed_length_objects_are_normalised() {
        assert_eq!(minimised(Object::stdin(*b"ab!cd"), |bytes| contains(bytes, b"!")).0, b"00!00");
        assert_eq!(minimised(Object::named("n", [9, 7, 5, 3]), |bytes| bytes[2] == 5).0, [0, 0, 5, 0]);
        // An argument becomes shorter and is padded.
        assert_eq!(
            minimised(Object::arg(1, *b"--x=1\0\0"), |bytes| contains(bytes, b"x")).0,
            b"x\0\0\0\0\0\0"
        );
    }

    #[test]
    fn an_input_that_cannot_shrink_stays_unchanged() {
        assert_eq!(minimised(Object::stdin(*b"abc").up_to(9), |_| false).0, b"abc");
    }

    #[test]
    fn the_search_ends_when_the_predicate_returns_none() {
        let input = Input { objects: vec![Object::stdin(vec![7; 1 << 20]).up_to(1 << 20)] };
        let mut runs = 0;
        let smallest = minimise(&input, &mut |_| {
            runs += 1;
            (runs < 3).then_some(false)
        });
        assert_eq!((runs, smallest), (3, input));
    }
}
