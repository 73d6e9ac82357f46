//! Dictionaries in the format of AFL++ and libFuzzer: read for a campaign, and written after one.

use crate::error::Error;
use cairn_campaign::Snapshot;
use cairn_mutate::dictionary_file;
use cairn_program::read_file;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Maximum size of a dictionary; a chosen bound.
const MAX_BYTES: u64 = 16 << 20;

/// Reads the byte strings of several dictionaries. As in AFL++, `FILE@N` names the entries of a file with
/// levels up to N, and a name without a level those of level 0.
pub fn read(files: &[PathBuf]) -> Result<Vec<Vec<u8>>, Error> {
    let mut strings = Vec::new();
    for file in files {
        let (path, highest) = path_and_level(file);
        let text = read_file(&path, MAX_BYTES)?;
        let damaged = |error| Error::new(format_args!("{}, {error}", path.display()));
        let entries = dictionary_file::parse(&text).map_err(damaged)?;
        strings.extend(entries.into_iter().filter(|entry| entry.level <= highest).map(|entry| entry.bytes));
    }
    Ok(strings)
}

/// Splits `FILE@N`. A file whose name ends like that is meant literally.
fn path_and_level(file: &Path) -> (PathBuf, u32) {
    let split = file.to_str().filter(|_| !file.exists()).and_then(|name| name.rsplit_once('@'));
    let level = split.and_then(|(path, level)| Some((path.into(), level.parse().ok()?)));
    level.unwrap_or((file.to_owned(), 0))
}

/// Writes the dictionary of a campaign to a new file; returns the number of its entries.
pub fn export(directory: &Path, out: &Path) -> Result<usize, Error> {
    let unreadable = |error| Error::new(format_args!("{}: {error}", directory.display()));
    let Some(snapshot) = Snapshot::read(directory).map_err(unreadable)? else {
        return Err(Error::new(format_args!(
            "{} has no dictionary: only a campaign directory of `cairn run` has one",
            directory.display()
        )));
    };
    let failed = |error| Error::cannot("write", out, error);
    let mut file = OpenOptions::new().write(true).create_new(true).open(out).map_err(failed)?;
    file.write_all(snapshot.dictionary.as_bytes()).map_err(failed)?;
    Ok(snapshot.dictionary.lines().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_choose_entries_and_mistakes_are_located() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("words@2");
        std::fs::write(&path, "\"if\"\nrare@2=\"else\"\n").unwrap();
        let with_level = |level: &str| PathBuf::from(format!("{}@{level}", path.display()));
        let words = |files: &[PathBuf]| read(files).unwrap().len();
        assert_eq!(words(std::slice::from_ref(&path)), 1);
        assert_eq!(words(&[with_level("1"), with_level("2")]), 3);
        std::fs::write(&path, "\"if\"\nelse\n").unwrap();
        let error = read(&[path]).unwrap_err().reason();
        assert!(error.ends_with("words@2, line 2: expected \"STRING\" or NAME=\"STRING\""), "{error}");
        let missing = read(&["/no/such@1".into()]).unwrap_err().reason();
        assert!(missing.starts_with("cannot read /no/such: "), "{missing}");
    }
}
