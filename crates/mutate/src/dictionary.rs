//! The dictionary: byte strings that a program compares its input with.
//!
//! It grows by itself: runs add the strings that satisfied comparisons, with the places where they fitted; the
//! user and the program's constants add candidates. Strings of one origin are a class. A draw chooses the
//! class by what its strings have brought when they were used, and prefers strings that fitted at the place
//! at hand: so nothing has to be known in advance about which origin suits a program.

use cairn_search::Rng;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Longest string that is learnt, in bytes: libFuzzer ignores longer entries of a dictionary.
pub const MAX_LEARNT: usize = 64;
/// Maximum number of strings of one origin; a chosen bound, twice what AFL++ takes from a file by default
/// before it uses entries only with some probability.
const MAX_STRINGS: usize = 1024;
/// Maximum number of places remembered for a string; a chosen bound.
const MAX_PLACES: usize = 4;
/// Number of strings that a draw compares; a chosen number.
const CANDIDATES: usize = 4;

/// Source of a string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TokenOrigin {
    /// The user's file.
    Given,
    /// At least two bytes that satisfied comparisons.
    Satisfied,
    /// A byte that satisfied a comparison.
    Character,
    /// The constant of a comparison that no run has satisfied.
    Wanted,
    /// A constant of the program.
    Program,
}

impl TokenOrigin {
    /// Every origin, the most reliable first.
    pub const ALL: [TokenOrigin; 5] = [
        TokenOrigin::Given,
        TokenOrigin::Satisfied,
        TokenOrigin::Character,
        TokenOrigin::Wanted,
        TokenOrigin::Program,
    ];
}

/// A position in the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TokenPlace {
    /// Index of the input object.
    pub object: u32,
    /// Offset in the object.
    pub offset: u32,
}

/// Position of a string in its class. It may name another string after one was added.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TokenId {
    origin: TokenOrigin,
    index: usize,
}

/// A byte string and its history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// The string.
    pub bytes: Arc<[u8]>,
    /// Most recent places where it satisfied a comparison.
    places: [Option<TokenPlace>; MAX_PLACES],
    /// Number of times that it satisfied comparisons on a new path.
    pub fitted: u32,
    uses: Yield,
}

impl Token {
    /// Returns the most recent places where it satisfied a comparison.
    pub fn places(&self) -> impl Iterator<Item = TokenPlace> + '_ {
        self.places.iter().flatten().copied()
    }

    /// Notes that it has satisfied a comparison at a place.
    fn fit(&mut self, place: TokenPlace) {
        self.fitted = self.fitted.saturating_add(1);
        if !self.places.contains(&Some(place)) {
            self.places.rotate_right(1);
            self.places[0] = Some(place);
        }
    }

    /// Returns how well it suits a place: 2 if it fitted there, 1 if it fitted in that object.
    fn suits(&self, place: TokenPlace) -> u32 {
        let suits = |known: TokenPlace| match known {
            _ if known == place => 2,
            _ if known.object == place.object => 1,
            _ => 0,
        };
        self.places().map(suits).max().unwrap_or(0)
    }
}

/// Number of uses, and of those that brought something.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Yield {
    uses: u32,
    successes: u32,
}

impl Yield {
    fn count(&mut self, is_success: bool) {
        self.uses = self.uses.saturating_add(1);
        self.successes = self.successes.saturating_add(is_success.into());
    }

    /// Returns the share of successes, estimated by the rule of succession: unused strings get their turn.
    fn rate(self) -> f64 {
        (f64::from(self.successes) + 1.0) / (f64::from(self.uses) + 2.0)
    }
}

/// The strings of one origin.
#[derive(Clone, Debug, Default)]
struct TokenClass {
    tokens: Vec<Token>,
    uses: Yield,
}

/// Distinct byte strings by origin. A copy shares the strings.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    classes: [TokenClass; TokenOrigin::ALL.len()],
    ids: FxHashMap<Arc<[u8]>, TokenId>,
}

impl Dictionary {
    /// Adds a byte string of the user's if it is new and not empty.
    pub fn add(&mut self, token: &[u8]) {
        self.add_from(TokenOrigin::Given, token);
    }

    /// Adds a byte string if it is not empty, and new or known from a less reliable origin.
    pub fn add_from(&mut self, origin: TokenOrigin, token: &[u8]) {
        if !token.is_empty() {
            self.insert(origin, token);
        }
    }

    /// Adds a byte string that has satisfied comparisons at a place.
    pub fn learn(&mut self, token: &[u8], place: TokenPlace) {
        let origin = if token.len() == 1 { TokenOrigin::Character } else { TokenOrigin::Satisfied };
        if token.is_empty() || token.len() > MAX_LEARNT {
            return;
        }
        let id = self.insert(origin, token);
        self.classes[id.origin as usize].tokens[id.index].fit(place);
        self.drop_prefix(token);
    }

    /// Removes the string without its last byte, if that was learnt on just one path: the one to this string,
    /// one solved flip earlier.
    fn drop_prefix(&mut self, token: &[u8]) {
        let Some(&id) = self.ids.get(&token[..token.len() - 1]) else { return };
        if id.origin == TokenOrigin::Satisfied && self.tokens(id.origin)[id.index].fitted == 1 {
            self.remove(id);
        }
    }

    /// Returns the string's id, after adding it if it is new.
    fn insert(&mut self, origin: TokenOrigin, token: &[u8]) -> TokenId {
        if let Some(&known) = self.ids.get(token) {
            if known.origin <= origin {
                return known;
            }
            self.remove(known);
        }
        let bytes: Arc<[u8]> = token.into();
        let new =
            Token { bytes: bytes.clone(), places: Default::default(), fitted: 0, uses: Yield::default() };
        let class = &mut self.classes[origin as usize];
        let index = match class.tokens.len() < MAX_STRINGS {
            true => {
                class.tokens.push(new);
                class.tokens.len() - 1
            }
            false => {
                let index = class.least_useful();
                let old = std::mem::replace(&mut class.tokens[index], new);
                self.ids.remove(&old.bytes);
                index
            }
        };
        let id = TokenId { origin, index };
        self.ids.insert(bytes, id);
        id
    }

    fn remove(&mut self, id: TokenId) {
        let class = &mut self.classes[id.origin as usize];
        let removed = class.tokens.swap_remove(id.index);
        self.ids.remove(&removed.bytes);
        if let Some(moved) = class.tokens.get(id.index) {
            self.ids.insert(moved.bytes.clone(), id);
        }
    }

    /// Returns the number of byte strings.
    pub fn len(&self) -> usize {
        self.classes.iter().map(|class| class.tokens.len()).sum()
    }

    /// True if it has no byte string.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the strings of one origin.
    pub fn tokens(&self, origin: TokenOrigin) -> &[Token] {
        &self.classes[origin as usize].tokens
    }

    /// Returns a string.
    pub fn token(&self, id: TokenId) -> Option<&Token> {
        self.tokens(id.origin).get(id.index)
    }

    /// Returns a random byte string, or None if there is none.
    pub fn draw(&self, rng: &mut Rng) -> Option<&[u8]> {
        let id = self.draw_id(None, rng)?;
        self.token(id).map(|token| &*token.bytes)
    }

    /// Returns a random byte string, preferably one that fitted at this place; None if there is none.
    pub fn draw_at(&self, place: TokenPlace, rng: &mut Rng) -> Option<TokenId> {
        self.draw_id(Some(place), rng)
    }

    fn draw_id(&self, place: Option<TokenPlace>, rng: &mut Rng) -> Option<TokenId> {
        let origin = self.draw_origin(rng)?;
        let tokens = self.tokens(origin);
        let value = |index: usize| {
            let token: &Token = &tokens[index];
            (place.map_or(0, |place| token.suits(place)), token.uses.rate())
        };
        let mut best = rng.below(tokens.len());
        for _ in 1..CANDIDATES {
            let other = rng.below(tokens.len());
            if value(other) > value(best) {
                best = other;
            }
        }
        Some(TokenId { origin, index: best })
    }

    /// Draws an origin that has strings, in proportion to the rate at which they brought something.
    fn draw_origin(&self, rng: &mut Rng) -> Option<TokenOrigin> {
        let weight = |origin: TokenOrigin| {
            let class = &self.classes[origin as usize];
            if class.tokens.is_empty() { 0.0 } else { class.uses.rate() }
        };
        let total: f64 = TokenOrigin::ALL.into_iter().map(weight).sum();
        let mut left = rng.unit() * total;
        let mut last = None;
        for origin in TokenOrigin::ALL.into_iter().filter(|origin| weight(*origin) > 0.0) {
            last = Some(origin);
            left -= weight(origin);
            if left < 0.0 {
                break;
            }
        }
        last
    }

    /// Notes that a string was used, and if that brought something.
    pub fn count_use(&mut self, id: TokenId, is_success: bool) {
        let class = &mut self.classes[id.origin as usize];
        if let Some(token) = class.tokens.get_mut(id.index) {
            token.uses.count(is_success);
            class.uses.count(is_success);
        }
    }
}

impl TokenClass {
    /// Returns the index of the string to replace: the oldest of those that brought and fitted least.
    fn least_useful(&self) -> usize {
        let value = |index: &usize| (self.tokens[*index].uses.successes, self.tokens[*index].fitted);
        (0..self.tokens.len()).min_by_key(value).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(object: u32, offset: u32) -> TokenPlace {
        TokenPlace { object, offset }
    }

    #[test]
    fn every_string_is_kept_once_and_drawn() {
        let mut dictionary = Dictionary::default();
        let mut rng = Rng::new(1);
        assert_eq!(dictionary.draw(&mut rng), None);
        for token in ["if", "else", "", "if"] {
            dictionary.add(token.as_bytes());
        }
        assert_eq!(dictionary.len(), 2);
        let drawn: Vec<&[u8]> = (0..50).filter_map(|_| dictionary.draw(&mut rng)).collect();
        assert!(drawn.contains(&&b"if"[..]) && drawn.contains(&&b"else"[..]));
    }

    #[test]
    fn a_string_moves_to_its_most_reliable_origin() {
        let mut dictionary = Dictionary::default();
        for origin in [TokenOrigin::Program, TokenOrigin::Wanted] {
            dictionary.add_from(origin, b"while");
        }
        dictionary.add_from(TokenOrigin::Program, b"for");
        dictionary.learn(b"while", place(0, 3));
        dictionary.add_from(TokenOrigin::Program, b"while");
        let [token] = dictionary.tokens(TokenOrigin::Satisfied) else { panic!("{dictionary:?}") };
        assert_eq!((&*token.bytes, token.fitted), (&b"while"[..], 1));
        assert_eq!(token.places().collect::<Vec<_>>(), [place(0, 3)]);
        assert_eq!(dictionary.len(), 2);
        assert!(dictionary.tokens(TokenOrigin::Wanted).is_empty());
    }

    #[test]
    fn the_steps_to_a_word_do_not_stay_behind() {
        let mut dictionary = Dictionary::default();
        dictionary.learn(b"else", place(0, 0));
        for end in 1..=5 {
            dictionary.learn(&b"while"[..end], place(0, 0));
        }
        // A word by itself: it fitted elsewhere before it was a prefix.
        for offset in [2, 7] {
            dictionary.learn(b"do", place(0, offset));
        }
        dictionary.learn(b"dot", place(0, 2));
        let words: Vec<&[u8]> =
            dictionary.tokens(TokenOrigin::Satisfied).iter().map(|token| &*token.bytes).collect();
        assert_eq!(words, [&b"else"[..], b"while", b"do", b"dot"]);
        for (index, word) in words.iter().enumerate() {
            assert_eq!(dictionary.ids[*word], TokenId { origin: TokenOrigin::Satisfied, index });
        }
    }

    #[test]
    fn strings_that_fitted_at_the_place_are_preferred() {
        let mut dictionary = Dictionary::default();
        for object in 0..4 {
            dictionary.learn(format!("word{object}").as_bytes(), place(object, 8));
        }
        let mut rng = Rng::new(5);
        let mut hits = 0;
        for _ in 0..1000 {
            let id = dictionary.draw_at(place(2, 5), &mut rng).expect("a string");
            hits += u32::from(&*dictionary.token(id).expect("a string").bytes == b"word2");
        }
        // Of four draws with four strings at least one is it in 1 - (3/4)^4 of the cases.
        assert!((620..750).contains(&hits), "{hits}");
    }

    #[test]
    fn an_origin_that_brings_something_is_drawn_more_often() {
        let mut dictionary = Dictionary::default();
        dictionary.add(b"good");
        dictionary.add_from(TokenOrigin::Program, b"useless");
        let mut rng = Rng::new(2);
        for _ in 0..100 {
            let id = dictionary.draw_at(place(0, 0), &mut rng).expect("a string");
            dictionary.count_use(id, id.origin == TokenOrigin::Given);
        }
        let mut draws = (0..100).filter_map(|_| dictionary.draw(&mut rng));
        assert!(draws.by_ref().filter(|drawn| *drawn == b"good").count() > 80);
    }

    #[test]
    fn the_least_useful_strings_make_room() {
        let mut dictionary = Dictionary::default();
        for round in 0..2 {
            for number in 0..10 {
                dictionary.learn(format!("often{number}").as_bytes(), place(0, round));
            }
        }
        for number in 0..3000 {
            dictionary.learn(format!("once{number:04}").as_bytes(), place(0, 0));
        }
        assert_eq!(dictionary.len(), MAX_STRINGS);
        for number in 0..10 {
            assert!(dictionary.ids.contains_key(format!("often{number}").as_bytes()));
        }
        dictionary.learn(&[b'x'; MAX_LEARNT + 1], place(0, 0));
        assert_eq!(dictionary.len(), MAX_STRINGS);
        assert_eq!(dictionary.ids.len(), MAX_STRINGS);
    }
}
