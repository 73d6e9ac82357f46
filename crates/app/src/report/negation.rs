//! Recognises conditions that the source writes with a `!` in front, which the compiler tests without it.

/// True if the condition that starts at the front of `source` is, as a whole, the negation of what the compiler tests:
/// behind its parentheses and `!`s, of which there is an odd number, nothing but the operand follows.
pub fn is_negated(source: &str) -> bool {
    Scanner { rest: source }.condition()
}

struct Scanner<'a> {
    rest: &'a str,
}

impl Scanner<'_> {
    /// Reads a condition up to its end; true if it is a negation.
    fn condition(&mut self) -> bool {
        let negated = self.operand();
        self.skip_space();
        negated && self.is_at_end()
    }

    /// Reads an operand with the `!`s and parentheses around it; true if the former are odd.
    fn operand(&mut self) -> bool {
        self.skip_space();
        if self.rest.starts_with('!') && !self.rest.starts_with("!=") {
            self.advance(1);
            return !self.operand();
        }
        if !self.rest.starts_with('(') {
            self.skip_primary();
            return false;
        }
        let before = self.rest;
        self.advance(1);
        let negated = self.condition();
        self.rest = before;
        self.skip_group();
        let group = self.rest;
        self.skip_primary();
        // With something behind it, the group was a cast or a function.
        negated && self.rest == group
    }

    /// Reads names, literals, calls, subscripts and members, and the unary operators before them.
    fn skip_primary(&mut self) {
        let is_operator = |c: char| "*&-+~".contains(c);
        if self.may_begin() {
            while self.rest.starts_with(is_operator) {
                self.advance(1);
                self.skip_space();
            }
        }
        loop {
            self.skip_space();
            match self.rest.as_bytes() {
                [b'(' | b'[', ..] => self.skip_group(),
                [b'"' | b'\'', ..] => self.skip_literal(),
                [b'-', b'>', ..] | [b'+', b'+', ..] | [b'-', b'-', ..] | [b':', b':', ..] => self.advance(2),
                [c, ..] if c.is_ascii_alphanumeric() || b"_.$".contains(c) || *c >= 0x80 => self.skip_char(),
                _ => return,
            }
        }
    }

    /// True if what follows may begin an operand: no binary operator of two characters.
    fn may_begin(&self) -> bool {
        !["&&", "-=", "+=", "*=", "&="].iter().any(|operator| self.rest.starts_with(operator))
    }

    fn is_at_end(&self) -> bool {
        self.rest.is_empty()
            || self.rest.starts_with([')', ']', '}', '{', ';', ',', '?', ':'])
            || self.rest.starts_with("&&")
            || self.rest.starts_with("||")
    }

    fn skip_group(&mut self) {
        let mut depth = 0;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                '"' | '\'' => {
                    self.skip_literal();
                    continue;
                }
                _ => {}
            }
            self.skip_char();
            if depth == 0 {
                return;
            }
        }
    }

    fn skip_literal(&mut self) {
        let quote = self.rest.chars().next();
        self.skip_char();
        while let Some(c) = self.rest.chars().next() {
            self.skip_char();
            if c == '\\' {
                self.skip_char();
            } else if Some(c) == quote {
                return;
            }
        }
    }

    fn skip_space(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let comment =
                [("/*", "*/"), ("//", "\n")].into_iter().find(|(open, _)| self.rest.starts_with(open));
            let Some((_, close)) = comment else { return };
            self.rest = self.rest.split_once(close).map_or("", |(_, rest)| rest);
        }
    }

    fn skip_char(&mut self) {
        self.advance(self.rest.chars().next().map_or(0, char::len_utf8));
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }
}

#[cfg(test)]
mod tests {
    use super::is_negated;

    #[test]
    fn a_negation_of_the_whole_is_recognised() {
        for source in [
            "!a)",
            "!a && b)",
            "!(a > 5))",
            "! /* why */\n  (a)) {",
            "(!a))",
            "!(int)a)",
            "!f(x, \")\") || c",
            "!*p->q[3]++ ? 1 : 2",
            "!!!a;",
            "!(!(!a)))",
            "!a::b(c))",
            "!",
        ] {
            assert!(is_negated(source), "{source}");
        }
    }

    #[test]
    fn what_is_no_negation_of_the_whole_is_not() {
        for source in [
            "a)",
            "",
            "!!a)",
            "!a == b)",
            "(!a) == b)",
            "(!a == b))",
            "!(!a))",
            "f(!a))",
            "(int)!a)",
            "a != b)",
            "!a & b)",
            "!a - b)",
            "(!a, b) + 1)",
            "'!')",
            "!a > 'x')",
        ] {
            assert!(!is_negated(source), "{source}");
        }
    }
}
