//! Response files: `@file` on a command line stands for the arguments written in `file`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Error for a response file that includes itself, directly or through others.
#[derive(Debug, thiserror::Error)]
#[error("recursive expansion of response file '{}'", .0.display())]
pub struct Recursion(pub PathBuf);

/// Replaces every `@file` by the arguments in it; like clang, keeps one that cannot be read.
pub fn expand(args: &[OsString]) -> Result<Vec<OsString>, Recursion> {
    let mut expanded = Vec::with_capacity(args.len());
    expand_into(args, &mut Vec::new(), &mut expanded)?;
    Ok(expanded)
}

fn expand_into(args: &[OsString], open: &mut Vec<PathBuf>, out: &mut Vec<OsString>) -> Result<(), Recursion> {
    for arg in args {
        let Some((path, text)) = response_file(arg) else {
            out.push(arg.clone());
            continue;
        };
        if open.contains(&path) {
            return Err(Recursion(path));
        }
        open.push(path);
        expand_into(&tokenize(&text), open, out)?;
        open.pop();
    }
    Ok(())
}

fn response_file(arg: &OsStr) -> Option<(PathBuf, Vec<u8>)> {
    let name = arg.as_bytes().strip_prefix(b"@")?;
    let path = PathBuf::from(OsStr::from_bytes(name));
    let text = fs::read(&path).ok()?;
    Some((path, text))
}

/// Splits text as clang does: blanks separate, quotes of both kinds group, a backslash escapes the next
/// character everywhere.
fn tokenize(text: &[u8]) -> Vec<OsString> {
    let mut tokens = Vec::new();
    let mut token = Vec::new();
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => token.extend(bytes.next()),
            (b'"' | b'\'', None) => quote = Some(byte),
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => finish(&mut token, &mut tokens),
            _ => token.push(byte),
        }
    }
    finish(&mut token, &mut tokens);
    tokens
}

fn finish(token: &mut Vec<u8>, tokens: &mut Vec<OsString>) {
    if !token.is_empty() {
        tokens.push(OsString::from_vec(std::mem::take(token)));
    }
}

/// Writes `args` so that [`expand`] and clang read them back.
pub fn write(path: &Path, args: &[OsString]) -> io::Result<()> {
    let mut text = Vec::new();
    for arg in args {
        for &byte in arg.as_bytes() {
            if byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'"' | b'\'') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.push(b'\n');
    }
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn quoting_follows_clang() {
        let text = br#"-DA="x y" '-DB=a"b' -DC=\"q\"   'it\'s' "" end\"#;
        assert_eq!(tokenize(text), strings(&["-DA=x y", "-DB=a\"b", "-DC=\"q\"", "it's", "end"]));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("args");
        let args = strings(&["plain", "two words", "a\\b", "\"'\n\t", "-DX='y'"]);
        write(&path, &args).unwrap();
        let mut at = OsString::from("@");
        at.push(&path);
        assert_eq!(expand(&[at]).unwrap(), args);
    }

    #[test]
    fn a_file_within_a_file_is_expanded_and_a_circle_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (outer, inner) = (dir.path().join("outer"), dir.path().join("inner"));
        fs::write(&outer, format!("-a @{} -c", inner.display())).unwrap();
        fs::write(&inner, "-b @/nonexistent/file").unwrap();
        let at = [OsString::from(format!("@{}", outer.display()))];
        assert_eq!(expand(&at).unwrap(), strings(&["-a", "-b", "@/nonexistent/file", "-c"]));
        fs::write(&inner, format!("@{}", outer.display())).unwrap();
        assert!(expand(&at).is_err());
    }
}
