//! Parsers of command-line values.

use std::ffi::OsString;
use std::str::FromStr;
use std::time::Duration;

/// A time such as `30s`, `5m` or `1h`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget(pub Duration);

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Budget, String> {
        const FORM: &str = "a time is a number and s, m or h, as in 30s, 5m or 1h";
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let number: u64 = digits.parse().map_err(|_| FORM)?;
        let unit = match &text[digits.len()..] {
            "" | "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => return Err(FORM.to_owned()),
        };
        match number.checked_mul(unit) {
            Some(0) => Err("a time of zero leaves nothing to do".to_owned()),
            Some(seconds) if seconds <= u64::from(u32::MAX) => Ok(Budget(Duration::from_secs(seconds))),
            _ => Err("that is more than a lifetime".to_owned()),
        }
    }
}

/// Least memory of a campaign; with less, tree and solver cannot do anything. A chosen bound.
const MIN_SIZE: u64 = 64 << 20;

/// Parses an amount of memory such as `512M` or `4G`; returns bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match &text[digits.len()..] {
        "M" => 20,
        "G" => 30,
        _ => 64,
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1u64.checked_shl(shift)?));
    let bytes = bytes.filter(|bytes| *bytes >= MIN_SIZE);
    bytes.ok_or_else(|| "a size is a number and M or G, as in 512M or 4G, and at least 64M".to_owned())
}

/// Joins `--sym-file NAME LEN` to `--sym-file NAME=LEN`: to clap an option has the same number of values each time.
pub fn join_file_names(words: &[OsString]) -> Vec<OsString> {
    let is_number = |word: &OsString| word.to_str().is_some_and(|w| w.parse::<usize>().is_ok());
    let mut joined: Vec<OsString> = Vec::with_capacity(words.len());
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let is_name = joined.last().is_some_and(|last| last == "--sym-file") && !is_number(word);
        let mut word = word.clone();
        if let Some(len) = rest.next_if(|next| is_name && is_number(next)) {
            word.push("=");
            word.push(len);
        }
        let ends = word == "--";
        joined.push(word);
        if ends {
            joined.extend(rest.by_ref().cloned());
        }
    }
    joined
}

/// Parses a time limit in seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.001..=1e6).contains(seconds));
    seconds.ok_or_else(|| "it must be a number of seconds, from 0.001 on".to_owned())
}

/// Returns a parser of numbers from `least` on.
pub fn at_least(least: u32) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(least)..=100_000)
}

/// Parses the name of a fuzzer instance, with the letters that AFL++ allows.
pub fn instance_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (1..=32).contains(&text.len()) && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("a name has up to 32 letters, digits, - and _".to_owned()),
    }
}

/// Parses a number that is not 0.
pub fn positive(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("it must be a whole number".to_owned()),
    }
}

/// Parses a share of a whole.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("it must be a number above 0 and up to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<u64> {
        text.parse::<Budget>().ok().map(|b| b.0.as_secs())
    }

    #[test]
    fn times_have_units() {
        let times = ["30s", "5m", "1h", "7"].map(seconds);
        assert_eq!(times, [Some(30), Some(300), Some(3600), Some(7)]);
    }

    #[test]
    fn odd_times_are_refused() {
        for text in ["", "s", "0s", "-5s", "1.5h", "5d", "5 m", "99999999999999999999h", "2000000h", "5mm"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_and_a_length_are_one_value() {
        let cases = [
            ("run --sym-file a 4 --sym-file b=5 p", "run --sym-file a=4 --sym-file b=5 p"),
            ("run --sym-file 4 5 p", "run --sym-file 4 5 p"),
            ("run --sym-file a p", "run --sym-file a p"),
            ("run p -- --sym-file a 4", "run p -- --sym-file a 4"),
        ];
        for (text, expected) in cases {
            let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            let joined: Vec<String> =
                join_file_names(&words).into_iter().map(|w| w.into_string().unwrap()).collect();
            assert_eq!(joined.join(" "), expected);
        }
    }
}
