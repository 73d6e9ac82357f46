//! Values on the command line that have a form of their own.

use cairn_exec::is_file_name;
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

/// Least memory a campaign can do anything with.
const MIN_SIZE: u64 = 64 << 20;

/// An amount of memory such as `512M` or `4G`, in bytes.
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

/// Longest input of one kind; a path over more bytes could not be solved anyway.
const MAX_LENGTH: usize = 1 << 20;

/// A number of bytes.
pub fn length(text: &str) -> Result<usize, String> {
    let len = text.parse().ok().filter(|len| (1..=MAX_LENGTH).contains(len));
    len.ok_or_else(|| format!("a length is a number from 1 to {MAX_LENGTH}"))
}

/// `--sym-file NAME LEN` as one word, `NAME=LEN`: to the parser an option has as many values each time.
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

/// A symbolic file: `LEN`, or `NAME=LEN`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileArg {
    /// How the program calls it, if not by `@@`.
    pub name: Option<String>,
    /// Its length.
    pub len: usize,
}

impl FromStr for FileArg {
    type Err = String;

    fn from_str(text: &str) -> Result<FileArg, String> {
        let (name, len) = match text.rsplit_once('=') {
            Some((name, len)) => (Some(name), len),
            None => (None, text),
        };
        if !len.bytes().all(|b| b.is_ascii_digit()) {
            return Err("a symbolic file is LEN or NAME LEN, as in 20 or data.bin 20".to_owned());
        }
        let len = length(len)?;
        match name {
            Some(name) if !is_file_name(name) => {
                Err(format!("`{name}` is not the name of a file below the program's working directory"))
            }
            name => Ok(FileArg { name: name.map(str::to_owned), len }),
        }
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
    fn files_may_have_names() {
        let parse = |text: &str| text.parse::<FileArg>().ok().map(|f| (f.name, f.len));
        assert_eq!(parse("20"), Some((None, 20)));
        assert_eq!(parse("a=b.txt=20"), Some((Some("a=b.txt".to_owned()), 20)));
        assert_eq!(parse("a/b=4"), Some((Some("a/b".to_owned()), 4)));
        for text in ["x", "=4", "/b=4", "a//b=4", "a/=4", "a/../b=4", "a=", "..=4", "a=0", "0"] {
            assert_eq!(parse(text), None, "{text}");
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
