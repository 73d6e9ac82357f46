//! Byte strings that a program has been seen to compare its input with.

use cairn_search::Rng;

/// A list of distinct byte strings, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    tokens: Vec<Vec<u8>>,
}

impl Dictionary {
    /// Adds a byte string if it is new and not empty.
    pub fn add(&mut self, token: &[u8]) {
        if !token.is_empty() && !self.tokens.iter().any(|known| known == token) {
            self.tokens.push(token.to_vec());
        }
    }

    /// Returns the number of byte strings.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// True if it has no byte string.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns a random byte string, or None if there is none.
    pub fn draw(&self, rng: &mut Rng) -> Option<&[u8]> {
        (!self.is_empty()).then(|| &*self.tokens[rng.below(self.tokens.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
