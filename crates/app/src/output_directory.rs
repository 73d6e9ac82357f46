//! The campaign directory before it is one: whether we may have it, and the program built in it.

use crate::digest::fingerprint;
use crate::error::Error;
use crate::origin::ORIGIN;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// Where programs go that are compiled on the fly.
const BUILD: &str = "cairn-build";
/// Where in there, if the campaign has one already.
const AGAIN: &str = "again";
/// What a campaign directory may contain.
const OURS: [&str; 12] = [
    "queue",
    "crashes",
    "hangs",
    "fuzzer_stats",
    "plot_data",
    "journal",
    "snapshot.json",
    "sanitized_tests",
    "report.html",
    ".synced",
    ORIGIN,
    BUILD,
];
/// What a campaign that was killed may leave besides.
const LEFTOVERS: [&str; 6] = [
    PROBE,
    ".fuzzer_stats.new",
    ".snapshot.json.new",
    ".sanitized_tests.new",
    ".origin.json.new",
    ".report.html.new",
];
/// A file that is written to see whether it can be.
const PROBE: &str = ".cairn-probe";
/// What makes it one that is worth something.
const CAMPAIGN: &str = "queue";

/// Where the program is that a campaign in this directory has built of sources, if it has.
pub fn built(directory: &Path, first_source: &Path) -> PathBuf {
    directory.join(BUILD).join(first_source.file_stem().unwrap_or("program".as_ref()))
}

/// What to do with a campaign that is in the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Present {
    /// Leave it alone.
    Refuse,
    /// Put another in its place.
    Replace,
    /// Go on with it.
    Resume,
}

/// A directory that is to become a campaign's. Until it is kept, giving up leaves no trace. As long as it lives, no other
/// process has one on the same directory.
pub struct Claim {
    path: PathBuf,
    present: Present,
    made: Vec<PathBuf>,
    /// Locked; the system lets go of it however this process ends.
    _lock: Option<File>,
}

impl Claim {
    /// Makes sure that the directory is there and that writing to it destroys nothing of value.
    pub fn stake(path: &Path, present: Present) -> Result<Claim, Error> {
        let mut claim = Claim { path: path.to_owned(), present, made: Vec::new(), _lock: None };
        if !path.exists() && present != Present::Resume {
            claim.make_directory(path)?;
        }
        claim._lock = Some(lock(path)?);
        let unreadable = |e| Error::cannot("write to", path, e);
        refuse_foreign(path, fs::read_dir(path).map_err(unreadable)?, present)?;
        refuse_links(path)?;
        let probe = path.join(PROBE);
        let _ = fs::remove_file(&probe);
        let written = File::create_new(&probe).and_then(|_| fs::remove_file(&probe));
        written.map_err(|e| Error::cannot("write to", path, e))?;
        Ok(claim)
    }

    /// Where to build a program of these sources: beside the one that a campaign which goes on has.
    pub fn program_path(&mut self, first_source: &Path) -> Result<PathBuf, Error> {
        let build = self.path.join(BUILD);
        if !build.is_dir() {
            self.make_directory(&build)?;
        }
        let name = first_source.file_stem().unwrap_or("program".as_ref());
        let program = match self.present {
            Present::Resume => build.join(AGAIN).join(name),
            Present::Refuse | Present::Replace => build.join(name),
        };
        if self.present == Present::Resume {
            self.make_directory(&build.join(AGAIN))?;
        }
        self.made.push(program.clone());
        Ok(program)
    }

    /// Where the program is that was built there. A campaign goes on with the one it has, if that is the same.
    pub fn settle(&self, built: PathBuf) -> Result<PathBuf, Error> {
        let again = self.path.join(BUILD).join(AGAIN);
        let Ok(name) = built.strip_prefix(&again) else { return Ok(built) };
        let program = self.path.join(BUILD).join(name);
        if program.exists() && fingerprint(&program)? != fingerprint(&built)? {
            return Err(Error::new(format_args!(
                "the campaign in {} explores another build of this program: has its source changed?",
                self.path.display()
            )));
        }
        fs::rename(&built, &program).map_err(|e| Error::cannot("write", &program, e))?;
        let _ = fs::remove_dir(&again);
        Ok(program)
    }

    /// The directory stays.
    pub fn keep(&mut self) {
        self.made.clear();
    }

    /// Makes a directory and those above it that are missing.
    fn make_directory(&mut self, path: &Path) -> Result<(), Error> {
        let is_missing = |p: &&Path| !p.as_os_str().is_empty() && !p.exists();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(directory)
                .map_err(|e| Error::new(format_args!("cannot make the directory {}: {e}", path.display())))?;
            self.made.push(directory.to_owned());
        }
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // What is not empty by now is not ours to remove.
        for path in self.made.iter().rev() {
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
}

/// Two campaigns in one directory would overwrite each other's files.
fn lock(path: &Path) -> Result<File, Error> {
    let directory = File::open(path).map_err(|e| Error::cannot("write to", path, e))?;
    match crate::lock::lock(&directory) {
        Ok(()) => Ok(directory),
        Err(TryLockError::WouldBlock) => Err(Error::new(format_args!(
            "another campaign is running in {}: wait for its end, or choose another directory with --out",
            path.display()
        ))),
        Err(TryLockError::Error(e)) => Err(Error::cannot("lock", path, e)),
    }
}

/// Refuses a directory in which a link stands where the campaign writes: it may lead to any file of the user's.
fn refuse_links(path: &Path) -> Result<(), Error> {
    let places = OURS.iter().map(|name| path.join(name));
    let reports = ["crashes", "hangs"].iter().map(|place| path.join(place).join("reports"));
    let is_link = |path: &PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    match places.chain(reports).find(is_link) {
        Some(link) => Err(Error::new(format_args!(
            "{} is a link, which no campaign makes: remove it, or choose another directory with --out",
            link.display()
        ))),
        None => Ok(()),
    }
}

fn refuse_foreign(path: &Path, entries: fs::ReadDir, present: Present) -> Result<(), Error> {
    let names: Vec<_> = entries.filter_map(|e| Some(e.ok()?.file_name())).collect();
    if let Some(foreign) = names.iter().find(|name| !OURS.iter().chain(&LEFTOVERS).any(|own| *name == own)) {
        return Err(Error::new(format_args!(
            "{} is not a campaign directory (it has {} in it): choose another with --out",
            path.display(),
            foreign.display()
        )));
    }
    match (names.iter().any(|name| name == CAMPAIGN), present) {
        (true, Present::Refuse) => Err(Error::new(format_args!(
            "{} holds a campaign already: --resume goes on with it, --force replaces it, --out DIR writes elsewhere",
            path.display()
        ))),
        (false, Present::Resume) => {
            Err(Error::new(format_args!("there is no campaign in {} to go on with", path.display())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn giving_up_leaves_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("above/out");
        let mut claim = Claim::stake(&out, Present::Refuse).unwrap();
        fs::write(claim.program_path(Path::new("src/a.c")).unwrap(), "elf").unwrap();
        assert!(out.join("cairn-build/a").is_file());
        drop(claim);
        assert!(!dir.path().join("above").exists());
    }

    #[test]
    fn a_kept_directory_is_not_taken_twice() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        assert!(Claim::stake(&out, Present::Resume).is_err());
        Claim::stake(&out, Present::Refuse).unwrap().keep();
        assert!(Claim::stake(&out, Present::Resume).is_err());
        fs::create_dir(out.join("queue")).unwrap();
        assert!(Claim::stake(&out, Present::Refuse).is_err());
        let claim = Claim::stake(&out, Present::Replace).unwrap();
        assert!(Claim::stake(&out, Present::Replace).is_err(), "it is locked");
        drop(claim);
        assert!(Claim::stake(&out, Present::Resume).is_ok());
        assert!(out.join("queue").is_dir());
    }

    #[test]
    fn somebody_elses_directory_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("thesis.tex"), "").unwrap();
        assert!(Claim::stake(dir.path(), Present::Replace).is_err());
    }
}
