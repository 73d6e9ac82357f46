//! The shell command with which the user replays a saved test.

use std::path::Path;

/// A command line with a gap for the test's path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replay {
    /// Words before the test.
    pub before: Vec<String>,
    /// Words after it.
    pub after: Vec<String>,
}

impl Replay {
    /// Returns the command for a test, quoted for a shell.
    pub fn command(&self, test: &Path) -> String {
        let test = [test.to_string_lossy().into_owned()];
        let words = self.before.iter().chain(&test).chain(&self.after);
        words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Quotes a word for a shell, if it needs to be.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        let words = ["a/b.c", "id:000000,sig:11", "two words", "it's", "", "$HOME"].map(quoted);
        assert_eq!(words, ["a/b.c", "id:000000,sig:11", "'two words'", "'it'\\''s'", "''", "'$HOME'"]);
    }
}
