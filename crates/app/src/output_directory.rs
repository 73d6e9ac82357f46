//! The output directory before a campaign starts: whether it may be used, its lock, and the program built in
//! it.

use crate::digest::fingerprint;
use crate::error::Error;
use crate::origin::ORIGIN;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// Subdirectory of programs that are compiled on the fly.
const BUILD: &str = "cairn-build";
/// Subdirectory in there for a rebuild, while the campaign has a program already.
const REBUILD: &str = "again";
/// Entries that a campaign directory may have.
const ENTRIES: [&str; 13] = [
    "queue",
    "crashes",
    "hangs",
    "fuzzer_stats",
    "plot_data",
    "journal",
    "snapshot.json",
    "checked_paths",
    // Of campaigns of earlier versions.
    "sanitized_tests",
    "report.html",
    ".synced",
    ORIGIN,
    BUILD,
];
/// Temporary files that a killed campaign may leave behind.
const LEFTOVERS: [&str; 6] = [
    PROBE,
    ".fuzzer_stats.new",
    ".snapshot.json.new",
    ".checked_paths.new",
    ".origin.json.new",
    ".report.html.new",
];
/// File that is written to find out whether the directory is writable.
const PROBE: &str = ".cairn-probe";
/// Entry that shows that the directory holds a campaign worth keeping.
const CAMPAIGN: &str = "queue";

/// Returns the path of the program that a campaign in this directory built from sources.
pub fn built(directory: &Path, first_source: &Path) -> PathBuf {
    directory.join(BUILD).join(first_source.file_stem().unwrap_or("program".as_ref()))
}

/// Returns the directory for builds of the program that a campaign in this directory makes.
pub fn builds_directory(directory: &Path) -> PathBuf {
    directory.join(BUILD)
}

/// Treatment of a campaign that is already in the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExistingCampaign {
    /// Refuse to start.
    Refuse,
    /// Replace it.
    Replace,
    /// Resume it.
    Resume,
}

/// A directory that is to become a campaign's. It is locked against other processes, and unless `keep` is
/// called, dropping it removes everything that was created.
pub struct OutputClaim {
    path: PathBuf,
    existing: ExistingCampaign,
    created: Vec<PathBuf>,
    /// The lock; the system releases it however this process ends.
    _lock: Option<File>,
}

impl OutputClaim {
    /// Creates the directory if need be, locks it, and makes sure that writing to it destroys nothing of
    /// value.
    pub fn acquire(path: &Path, existing: ExistingCampaign) -> Result<OutputClaim, Error> {
        let mut claim = OutputClaim { path: path.to_owned(), existing, created: Vec::new(), _lock: None };
        if !path.exists() && existing != ExistingCampaign::Resume {
            claim.make_directory(path)?;
        }
        claim._lock = Some(lock(path)?);
        let unreadable = |e| Error::cannot("write to", path, e);
        refuse_foreign(path, fs::read_dir(path).map_err(unreadable)?, existing)?;
        refuse_links(path)?;
        let probe = path.join(PROBE);
        let _ = fs::remove_file(&probe);
        let written = File::create_new(&probe).and_then(|_| fs::remove_file(&probe));
        written.map_err(|e| Error::cannot("write to", path, e))?;
        Ok(claim)
    }

    /// Returns where to build a program from these sources; for a resumed campaign, beside its existing
    /// program.
    pub fn program_path(&mut self, first_source: &Path) -> Result<PathBuf, Error> {
        let build = self.path.join(BUILD);
        if !build.is_dir() {
            self.make_directory(&build)?;
        }
        let name = first_source.file_stem().unwrap_or("program".as_ref());
        let program = match self.existing {
            ExistingCampaign::Resume => build.join(REBUILD).join(name),
            ExistingCampaign::Refuse | ExistingCampaign::Replace => build.join(name),
        };
        if self.existing == ExistingCampaign::Resume {
            self.make_directory(&build.join(REBUILD))?;
        }
        self.created.push(program.clone());
        Ok(program)
    }

    /// Moves a built program to its final path. A resumed campaign must have been run on the same build.
    pub fn adopt_build(&self, built: PathBuf) -> Result<PathBuf, Error> {
        let again = self.path.join(BUILD).join(REBUILD);
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

    /// Keeps what was created.
    pub fn keep(&mut self) {
        self.created.clear();
    }

    /// Creates a directory and its missing ancestors.
    fn make_directory(&mut self, path: &Path) -> Result<(), Error> {
        let is_missing = |p: &&Path| !p.as_os_str().is_empty() && !p.exists();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(directory)
                .map_err(|e| Error::new(format_args!("cannot make the directory {}: {e}", path.display())))?;
            self.created.push(directory.to_owned());
        }
        Ok(())
    }
}

impl Drop for OutputClaim {
    fn drop(&mut self) {
        // A directory that is not empty by now has others' files.
        for path in self.created.iter().rev() {
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
}

/// Locks the directory: two campaigns in it would overwrite each other's files.
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

/// Refuses a directory with a link in place of a file that the campaign writes: it may lead to any file of
/// the user's.
fn refuse_links(path: &Path) -> Result<(), Error> {
    let places = ENTRIES.iter().map(|name| path.join(name));
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

fn refuse_foreign(path: &Path, entries: fs::ReadDir, existing: ExistingCampaign) -> Result<(), Error> {
    let names: Vec<_> = entries.filter_map(|e| Some(e.ok()?.file_name())).collect();
    if let Some(foreign) = names.iter().find(|name| !ENTRIES.iter().chain(&LEFTOVERS).any(|own| *name == own))
    {
        return Err(Error::new(format_args!(
            "{} is not a campaign directory (it has {} in it): choose another with --out",
            path.display(),
            foreign.display()
        )));
    }
    match (names.iter().any(|name| name == CAMPAIGN), existing) {
        (true, ExistingCampaign::Refuse) => Err(Error::new(format_args!(
            "{} holds a campaign already: --resume continues it, --force replaces it, --out DIR writes elsewhere",
            path.display()
        ))),
        (false, ExistingCampaign::Resume) => {
            Err(Error::new(format_args!("there is no campaign in {} to resume", path.display())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_claim_removes_what_it_created() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("above/out");
        let mut claim = OutputClaim::acquire(&out, ExistingCampaign::Refuse).unwrap();
        fs::write(claim.program_path(Path::new("src/a.c")).unwrap(), "elf").unwrap();
        assert!(out.join("cairn-build/a").is_file());
        drop(claim);
        assert!(!dir.path().join("above").exists());
    }

    #[test]
    fn a_kept_directory_is_not_taken_twice() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        assert!(OutputClaim::acquire(&out, ExistingCampaign::Resume).is_err());
        OutputClaim::acquire(&out, ExistingCampaign::Refuse).unwrap().keep();
        assert!(OutputClaim::acquire(&out, ExistingCampaign::Resume).is_err());
        fs::create_dir(out.join("queue")).unwrap();
        assert!(OutputClaim::acquire(&out, ExistingCampaign::Refuse).is_err());
        let claim = OutputClaim::acquire(&out, ExistingCampaign::Replace).unwrap();
        assert!(OutputClaim::acquire(&out, ExistingCampaign::Replace).is_err(), "it is locked");
        drop(claim);
        assert!(OutputClaim::acquire(&out, ExistingCampaign::Resume).is_ok());
        assert!(out.join("queue").is_dir());
    }

    #[test]
    fn a_foreign_directory_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("thesis.tex"), "").unwrap();
        assert!(OutputClaim::acquire(dir.path(), ExistingCampaign::Replace).is_err());
    }
}
