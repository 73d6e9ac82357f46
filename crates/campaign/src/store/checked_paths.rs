//! The paths that were checked with sanitizers, by the keys of their inputs: a resumed campaign does not repeat
//! them.

use cairn_exec::Input;
use cairn_program::read_text;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// File of the keys, one per line.
pub(super) const CHECKED_PATHS: &str = "checked_paths";
/// Most bytes that are read of it; a chosen bound.
const MAX_BYTES: u64 = 256 << 20;
/// Parameters of the 64-bit FNV-1a hash, which is the same on every machine.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Returns the key of an input.
pub(crate) fn input_key(input: &Input) -> u64 {
    let parts = input.objects.iter().flat_map(|object| {
        let length = (object.bytes.len() as u64).to_le_bytes();
        length.into_iter().chain(object.bytes.iter().copied())
    });
    parts.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// The keys in a campaign directory.
#[derive(Debug, Default)]
pub(super) struct CheckedPaths {
    path: PathBuf,
    keys: HashSet<u64>,
}

impl CheckedPaths {
    /// Returns the empty set of a new campaign.
    pub fn of_new(campaign: &Path) -> CheckedPaths {
        CheckedPaths { path: campaign.join(CHECKED_PATHS), keys: HashSet::new() }
    }

    /// Reads the keys of a resumed campaign. An incomplete last line may be the prefix of another key, and is
    /// removed: the next key would be appended to it.
    pub fn read(campaign: &Path) -> CheckedPaths {
        let checked = CheckedPaths::of_new(campaign);
        let text = read_text(&checked.path, MAX_BYTES).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let shorten = || fs::OpenOptions::new().write(true).open(&checked.path)?.set_len(whole.len() as u64);
        if whole.len() < text.len() && shorten().is_err() {
            return checked;
        }
        let keys = whole.lines().filter_map(|line| u64::from_str_radix(line, 16).ok()).collect();
        CheckedPaths { keys, ..checked }
    }

    /// True if a path was checked.
    pub fn contains(&self, key: u64) -> bool {
        self.keys.contains(&key)
    }

    /// Adds a path that was checked, after all its findings were written.
    pub fn add(&mut self, key: u64) -> io::Result<()> {
        if !self.keys.insert(key) {
            return Ok(());
        }
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.path)?;
        file.write_all(format!("{key:016x}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_line_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let mut checked = CheckedPaths::of_new(directory.path());
        checked.add(7).unwrap();
        checked.add(u64::MAX).unwrap();
        let file = directory.path().join(CHECKED_PATHS);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, &text[..text.len() - 3]).unwrap();
        let mut again = CheckedPaths::read(directory.path());
        assert!(again.contains(7) && !again.contains(u64::MAX));
        again.add(8).unwrap();
        assert!(CheckedPaths::read(directory.path()).contains(8));
    }
}
