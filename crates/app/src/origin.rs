//! Origin of a campaign: the program its tests are for, and proof that this user ran it.
//!
//! A campaign directory is data: it may be a stranger's, and everything in it may be forged, a program and
//! its digest included. So `cairn run` writes the same record twice: into the directory, and into the user's
//! own state directory under a random name that only the directory contains. If the second exists, the user
//! ran the campaign, and the program with the digest in *that* record is the one that was run, wherever the
//! directory has been moved to since.

use crate::error::Error;
use cairn_campaign::write_whole;
use cairn_program::{read_file, read_text};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// File of the record in a campaign directory.
pub const ORIGIN: &str = "origin.json";
/// Directory of records below the user's state directory.
const CAMPAIGNS: &str = "cairn/campaigns";
/// Most records that are kept; the oldest are deleted first. A chosen bound.
const MAX_RECORDS: usize = 1000;
/// Most bytes of a record that are read; a chosen bound against hostile directories.
const MAX_BYTES: u64 = 1 << 20;
/// Most bytes of a program that are read; a chosen bound.
const MAX_PROGRAM: u64 = 8 << 30;
/// Random bytes of an id: 128 bits cannot be guessed.
const ID_BYTES: usize = 16;

/// A path, absolute and relative to the campaign directory: after a move one of them still holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MovablePath {
    absolute: PathBuf,
    relative: PathBuf,
}

/// Record of the program and settings a campaign was run with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    id: String,
    /// The instrumented program.
    pub program: MovablePath,
    /// The SHA-256 of the program.
    sha256: String,
    /// The working directory, which relative names of sources and arguments begin at.
    pub directory: MovablePath,
    /// The words of the command.
    pub command: Vec<String>,
}

/// An origin as read from a campaign directory.
#[derive(Debug)]
pub struct ReadOrigin {
    /// The origin.
    pub origin: Origin,
    /// True if it is the user's own record; false if it is only what the directory says.
    pub is_trusted: bool,
}

impl MovablePath {
    fn new(path: &Path, campaign: &Path) -> io::Result<MovablePath> {
        let (absolute, campaign) = (path.canonicalize()?, campaign.canonicalize()?);
        let relative = relative(&absolute, &campaign);
        Ok(MovablePath { absolute, relative })
    }

    /// Returns the paths to look at, given where the campaign directory is now.
    pub fn candidates(&self, campaign: &Path) -> [PathBuf; 2] {
        // Without links and `..`, so that what is shown to the user is short.
        let near = campaign.join(&self.relative);
        [self.absolute.clone(), near.canonicalize().unwrap_or(near)]
    }

    /// The absolute path at the time of the record.
    pub fn recorded(&self) -> &Path {
        &self.absolute
    }
}

impl Origin {
    /// Describes a campaign of this process on a program.
    pub fn new(campaign: &Path, program: &Path, command: Vec<String>) -> Result<Origin, Error> {
        Ok(Origin {
            id: random_id()?,
            program: MovablePath::new(program, campaign)?,
            sha256: digest(program)?,
            directory: MovablePath::new(Path::new("."), campaign)?,
            command,
        })
    }

    /// Writes the record to the campaign directory and, if there is one, to the user's state directory.
    pub fn keep(&self, campaign: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self)?;
        write_whole(campaign, ORIGIN, text.as_bytes(), false)?;
        // Without it reports need `--program`, and say so.
        if let Some(records) = records() {
            let _ = remember(&records, &self.id, &text);
        }
        Ok(())
    }

    /// Returns the program, if it still exists with the recorded digest.
    pub fn find_program(&self, campaign: &Path) -> Option<PathBuf> {
        let is_it = |path: &PathBuf| digest(path).is_ok_and(|digest| digest == self.sha256);
        self.program.candidates(campaign).into_iter().find(is_it)
    }

    /// Returns the directory that the campaign was run in, if it exists.
    pub fn find_directory(&self, campaign: &Path) -> Option<PathBuf> {
        self.directory.candidates(campaign).into_iter().find(|path| path.is_dir())
    }
}

/// Reads the origin of a campaign: the user's own record if there is one, otherwise the directory's.
pub fn of(campaign: &Path) -> Option<ReadOrigin> {
    let claimed = parse(&campaign.join(ORIGIN))?;
    let own =
        records().filter(|_| is_id(&claimed.id)).and_then(|records| parse(&record(&records, &claimed.id)));
    Some(match own {
        Some(origin) => ReadOrigin { origin, is_trusted: true },
        None => ReadOrigin { origin: claimed, is_trusted: false },
    })
}

fn parse(path: &Path) -> Option<Origin> {
    serde_json::from_str(&read_text(path, MAX_BYTES).ok()?).ok()
}

/// Returns the directory of the user's records, if the environment names a home.
fn records() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join(CAMPAIGNS))
}

fn record(records: &Path, id: &str) -> PathBuf {
    records.join(format!("{id}.json"))
}

fn remember(records: &Path, id: &str, text: &str) -> Result<(), Error> {
    DirBuilder::new().recursive(true).mode(0o700).create(records)?;
    forget_oldest(records)?;
    write_whole(records, &format!("{id}.json"), text.as_bytes(), false)?;
    Ok(())
}

/// Deletes the oldest records until there is room for one more.
fn forget_oldest(records: &Path) -> io::Result<()> {
    let age = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let mut all: Vec<(SystemTime, PathBuf)> = fs::read_dir(records)?.flatten().filter_map(age).collect();
    all.sort();
    let excess = (all.len() + 1).saturating_sub(MAX_RECORDS);
    all.iter().take(excess).try_for_each(|(_, path)| fs::remove_file(path))
}

fn is_id(text: &str) -> bool {
    text.len() == 2 * ID_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn random_id() -> Result<String, Error> {
    let mut bytes = [0; ID_BYTES];
    File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes))?;
    Ok(hexadecimal(&bytes))
}

fn digest(path: &Path) -> Result<String, Error> {
    Ok(hexadecimal(&Sha256::digest(read_file(path, MAX_PROGRAM)?)))
}

/// Formats bytes in hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns `path` relative to `from`; both are absolute and free of links.
fn relative(path: &Path, from: &Path) -> PathBuf {
    let common = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let found: PathBuf = up.chain(path.components().skip(common)).collect();
    if found.as_os_str().is_empty() { PathBuf::from(".") } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_a_directory() {
        let check = |path: &str, from: &str, expected: &str| {
            assert_eq!(relative(Path::new(path), Path::new(from)), Path::new(expected));
        };
        check("/a/b/prog", "/a/b/out", "../prog");
        check("/a/b/out/cairn-build/prog", "/a/b/out", "cairn-build/prog");
        check("/x", "/a/b", "../../x");
        check("/a/b", "/a/b", ".");
    }

    #[test]
    fn ids_of_records_are_no_paths() {
        assert!(is_id("0123456789abcdef0123456789abcdef"));
        assert!(!is_id("../../../../../../etc/passwd-0000") && !is_id(""));
    }
}
