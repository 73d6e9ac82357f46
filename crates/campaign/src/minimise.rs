//! A smaller input that still shows the same.
//!
//! First bytes are taken out, large pieces before small ones; then what is left becomes plain, piece by piece. Every step is
//! kept only if the program still ends as before: at most about two runs for each byte at the finest grain, and as
//! many again for the coarser ones.

use cairn_exec::{Input, Object};
use cairn_wire::ObjectKind;

/// What stands for a byte that does not matter: afl-tmin's choice where bytes are text.
const PLAIN: u8 = b'0';

/// Answers if an input still shows what it should; none ends the search. Pieces of an input are copies of all of it, so
/// that going on without an answer would take long for a large one.
type Shows<'a> = dyn FnMut(&Input) -> Option<bool> + 'a;

/// Makes an input smaller as long as `shows` says that it still shows what it should, or until that gives no answer.
pub(crate) fn minimise(input: &Input, shows: &mut Shows) -> Input {
    let mut least = input.clone();
    let _ended_early = make_smaller(&mut least, shows).is_none();
    least
}

fn make_smaller(least: &mut Input, shows: &mut Shows) -> Option<()> {
    for at in 0..least.objects.len() {
        shorten(least, at, shows)?;
    }
    for at in 0..least.objects.len() {
        flatten(least, at, shows)?;
    }
    Some(())
}

/// Sizes of pieces, from all to one.
fn pieces(len: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(len), |size| (*size > 1).then_some(size.div_ceil(2))).filter(|size| *size > 0)
}

/// Puts other bytes into an object, and takes them back if they do not show it.
fn replace(input: &mut Input, at: usize, bytes: Vec<u8>, shows: &mut Shows) -> Option<bool> {
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

/// How many bytes an object's reader sees.
fn used(object: &Object) -> usize {
    match object.kind {
        ObjectKind::Arg => object.as_argument().len(),
        _ => object.bytes.len(),
    }
}

/// An object's bytes without some of them; an argument keeps its room.
fn without(object: &Object, from: usize, to: usize) -> Vec<u8> {
    let mut bytes = object.bytes.clone();
    bytes.drain(from..to);
    if object.kind == ObjectKind::Arg {
        bytes.resize(object.bytes.len(), 0);
    }
    bytes
}

fn shorten(input: &mut Input, at: usize, shows: &mut Shows) -> Option<()> {
    let object = &input.objects[at];
    match object.kind {
        ObjectKind::Stdin | ObjectKind::File if !object.has_any_length() => return Some(()),
        ObjectKind::Stdin | ObjectKind::File | ObjectKind::Arg => {}
        ObjectKind::ArgCount => return fewer_arguments(input, at, shows),
        // The program says how long it is.
        _ => return Some(()),
    }
    for size in pieces(used(object)) {
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

fn fewer_arguments(input: &mut Input, at: usize, shows: &mut Shows) -> Option<()> {
    let count = input.objects[at].bytes.first().copied().unwrap_or(0);
    for fewer in 0..count {
        if replace(input, at, vec![fewer], shows)? {
            break;
        }
    }
    Some(())
}

fn flatten(input: &mut Input, at: usize, shows: &mut Shows) -> Option<()> {
    let plain = match input.objects[at].kind {
        ObjectKind::Stdin | ObjectKind::File | ObjectKind::Arg => PLAIN,
        ObjectKind::ArgCount => return Some(()),
        _ => 0,
    };
    let len = used(&input.objects[at]);
    for size in pieces(len) {
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

    fn least(object: Object, shows: impl Fn(&[u8]) -> bool) -> (Vec<u8>, usize) {
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
    fn only_what_matters_stays() {
        let text = b"a long text with a bug! somewhere in the middle of it, and more behind".to_vec();
        let (bytes, runs) = least(Object::stdin(text.clone()).up_to(99), |bytes| contains(bytes, b"bug!"));
        assert_eq!(bytes, b"bug!");
        assert!(runs < 4 * text.len(), "{runs}");
        // Two things that are far from each other.
        let (bytes, _) =
            least(Object::stdin(text).up_to(99), |b| contains(b, b"bug") && contains(b, b"more"));
        assert_eq!(bytes, b"bugmore");
        assert_eq!(least(Object::stdin(*b"xyz").up_to(9), |_| true).0, b"");
    }

    #[test]
    fn where_the_length_is_fixed_the_rest_becomes_plain() {
        assert_eq!(least(Object::stdin(*b"ab!cd"), |bytes| contains(bytes, b"!")).0, b"00!00");
        assert_eq!(least(Object::named("n", [9, 7, 5, 3]), |bytes| bytes[2] == 5).0, [0, 0, 5, 0]);
        // An argument becomes shorter in its room.
        assert_eq!(least(Object::arg(1, *b"--x=1\0\0"), |bytes| contains(bytes, b"x")).0, b"x\0\0\0\0\0\0");
    }

    #[test]
    fn what_shows_nothing_any_more_is_left_as_it_was() {
        assert_eq!(least(Object::stdin(*b"abc").up_to(9), |_| false).0, b"abc");
    }

    #[test]
    fn the_search_ends_with_the_first_question_that_has_no_answer() {
        let input = Input { objects: vec![Object::stdin(vec![7; 1 << 20]).up_to(1 << 20)] };
        let mut runs = 0;
        let least = minimise(&input, &mut |_| {
            runs += 1;
            (runs < 3).then_some(false)
        });
        assert_eq!((runs, least), (3, input));
    }
}
