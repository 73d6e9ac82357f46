//! The campaign directory before it is one: whether we may have it, and the program built in it.

use crate::failure::Failure;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where programs go that are compiled on the fly.
const BUILD: &str = "cairn-build";
/// What a campaign directory may contain.
const OURS: [&str; 6] = ["queue", "crashes", "hangs", "fuzzer_stats", "plot_data", BUILD];
/// What makes it one that is worth something.
const CAMPAIGN: &str = "queue";

/// A directory that is to become a campaign's. Until it is kept, giving up leaves no trace.
pub struct Claim {
    path: PathBuf,
    made: Vec<PathBuf>,
}

impl Claim {
    /// Makes sure that the directory is there and that writing to it destroys nothing of value.
    pub fn stake(path: &Path, replace: bool) -> Result<Claim, Failure> {
        let mut claim = Claim { path: path.to_owned(), made: Vec::new() };
        match fs::read_dir(path) {
            Ok(entries) => refuse_foreign(path, entries, replace)?,
            Err(e) if e.kind() == ErrorKind::NotFound => claim.make_directory(path)?,
            Err(e) => return Err(Failure::new(format_args!("cannot write to {}: {e}", path.display()))),
        }
        let probe = path.join(".cairn-probe");
        let written = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe));
        written.map_err(|e| Failure::new(format_args!("cannot write to {}: {e}", path.display())))?;
        Ok(claim)
    }

    /// Where to build a program of these sources.
    pub fn program_path(&mut self, first_source: &Path) -> Result<PathBuf, Failure> {
        let build = self.path.join(BUILD);
        if !build.is_dir() {
            self.make_directory(&build)?;
        }
        let program = build.join(first_source.file_stem().unwrap_or("program".as_ref()));
        self.made.push(program.clone());
        Ok(program)
    }

    /// The directory stays.
    pub fn keep(mut self) {
        self.made.clear();
    }

    /// Makes a directory and those above it that are missing.
    fn make_directory(&mut self, path: &Path) -> Result<(), Failure> {
        let is_missing = |p: &&Path| !p.as_os_str().is_empty() && !p.exists();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(directory).map_err(|e| {
                Failure::new(format_args!("cannot make the directory {}: {e}", path.display()))
            })?;
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

fn refuse_foreign(path: &Path, entries: fs::ReadDir, replace: bool) -> Result<(), Failure> {
    let names: Vec<_> = entries.filter_map(|e| Some(e.ok()?.file_name())).collect();
    if let Some(foreign) = names.iter().find(|name| !OURS.iter().any(|own| *name == own)) {
        return Err(Failure::new(format_args!(
            "{} is not a campaign directory (it has {} in it): choose another with --out",
            path.display(),
            foreign.display()
        )));
    }
    if names.iter().any(|name| name == CAMPAIGN) && !replace {
        return Err(Failure::new(format_args!(
            "{} holds a campaign already: choose another directory with --out, or replace it with --force",
            path.display()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn giving_up_leaves_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("above/out");
        let mut claim = Claim::stake(&out, false).unwrap();
        fs::write(claim.program_path(Path::new("src/a.c")).unwrap(), "elf").unwrap();
        assert!(out.join("cairn-build/a").is_file());
        drop(claim);
        assert!(!dir.path().join("above").exists());
    }

    #[test]
    fn a_kept_directory_is_not_taken_twice() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        Claim::stake(&out, false).unwrap().keep();
        fs::create_dir(out.join("queue")).unwrap();
        assert!(Claim::stake(&out, false).is_err());
        assert!(Claim::stake(&out, true).is_ok());
        assert!(out.join("queue").is_dir());
    }

    #[test]
    fn somebody_elses_directory_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("thesis.tex"), "").unwrap();
        assert!(Claim::stake(dir.path(), true).is_err());
    }
}
