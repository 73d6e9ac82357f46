//! A model learns the automaton of a made-up parser.

use super::*;
use cairn_exec::{Object, ProducedValue};

const ROUNDS: usize = 200;
const BATCH: usize = 16;
/// Kinds of tokens; any other byte is a token of its own.
const END: u64 = 0;
const NAME: u64 = 1;
const ARROW: u64 = 2;

/// Splits bytes into tokens.
fn tokens(bytes: &[u8]) -> Vec<(u64, &[u8])> {
    let mut tokens = Vec::new();
    let mut rest = bytes.trim_ascii_start();
    while let Some(first) = rest.first() {
        let letters = rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let (kind, length) = match first {
            _ if letters > 0 => (NAME, letters),
            b'-' if rest.starts_with(b"->") => (ARROW, 2),
            byte => (u64::from(*byte), 1),
        };
        tokens.push((kind, &rest[..length]));
        rest = rest[length..].trim_ascii_start();
    }
    tokens
}

/// Runs a parser that accepts `a -> ( 1 ] ;` alone, and ends at the first token that does not fit; returns what its
/// lexer has produced, and if it has accepted.
fn parse(bytes: &[u8]) -> (Vec<ProducedValue>, bool) {
    const ACCEPTED: [u64; 6] = [NAME, ARROW, b'(' as u64, b'1' as u64, b']' as u64, b';' as u64];
    let kinds = tokens(bytes).into_iter().map(|(kind, _)| kind).chain([END]);
    let mut produced = Vec::new();
    for (kind, expected) in kinds.zip(ACCEPTED) {
        let fits = kind == expected;
        // Whatever the token, the parser takes the same branches: it looks it up in a table.
        produced.push(ProducedValue { value: kind, reaction: fits.then(|| vec![7, 8]) });
        if !fits {
            return (produced, false);
        }
    }
    let accepts = produced.len() == ACCEPTED.len();
    (produced, accepts)
}

fn sample(text: &str) -> (Input, Vec<Piece>) {
    let piece = |(value, text): (u64, &[u8])| Piece { value, text: text.to_vec() };
    let input = Input { objects: vec![Object::stdin(text).up_to(40)] };
    (input, tokens(text.as_bytes()).into_iter().map(piece).collect())
}

fn model() -> Pieces {
    let mut model = Pieces::default();
    for text in ["- x )", "; -> 1"] {
        let (input, pieces) = sample(text);
        model.add_sample(&input, 0, pieces);
    }
    model
}

#[test]
fn a_sequence_that_coverage_does_not_lead_to_is_found() {
    let (mut model, mut rng) = (model(), Rng::new(1));
    assert!(model.is_useful());
    for _ in 0..ROUNDS {
        for attempt in model.attempts(BATCH, [&b"->"[..]].into_iter(), &mut rng) {
            let (produced, accepts) = parse(&model.input(&attempt).objects[0].bytes);
            if accepts {
                return;
            }
            for lesson in model.lessons(&attempt, &produced) {
                model.learn(&lesson);
            }
        }
    }
    panic!("{}", model.describe());
}

#[test]
fn lessons_are_all_that_a_model_changes_by() {
    let (mut model, mut replica, mut rng) = (model(), model(), Rng::new(1));
    for _ in 0..ROUNDS / 4 {
        let attempts = model.attempts(BATCH, [&b"->"[..]].into_iter(), &mut rng);
        let done: Vec<Lesson> = attempts.iter().filter_map(Attempt::done).collect();
        done.iter().for_each(|lesson| replica.learn(lesson));
        for attempt in &attempts {
            let (produced, _) = parse(&model.input(attempt).objects[0].bytes);
            for lesson in model.lessons(attempt, &produced) {
                model.learn(&lesson);
                replica.learn(&lesson);
            }
        }
        let next = |model: &Pieces| model.clone().attempts(BATCH, std::iter::empty(), &mut Rng::new(3));
        assert_eq!(next(&model), next(&replica));
    }
}

#[test]
fn texts_are_shortened_to_what_their_value_needs() {
    let (mut model, mut rng) = (Pieces::default(), Rng::new(1));
    let (input, _) = sample("%-> ;");
    let piece = |value: u64, text: &[u8]| Piece { value, text: text.to_vec() };
    model.add_sample(&input, 0, vec![piece(NAME, b"abc)"), piece(ARROW, b"->"), piece(b'('.into(), b"(")]);
    for _ in 0..ROUNDS {
        for attempt in model.attempts(BATCH, std::iter::empty(), &mut rng) {
            let (produced, _) = parse(&model.input(&attempt).objects[0].bytes);
            model.lessons(&attempt, &produced).iter().for_each(|lesson| model.learn(lesson));
        }
    }
    assert_eq!(model.vocabulary.texts_of(NAME)[0].len(), 1);
    assert_eq!(model.vocabulary.texts_of(ARROW)[0], b"->");
}

#[test]
fn words_are_kept_apart_and_signs_are_not() {
    let piece = |text: &[u8]| Piece { value: 0, text: text.to_vec() };
    assert_eq!(join(&[piece(b"if"), piece(b"x1"), piece(b"("), piece(b"2"), piece(b" 3")]), b"if x1(2 3");
}
