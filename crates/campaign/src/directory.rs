//! The campaign directory, laid out as AFL's tools expect it.
//!
//! Every file appears whole or not at all: it is written under a hidden name first and then renamed.

use crate::afl;
use crate::corpus::{Keep, Place};
use crate::observer::Progress;
use crate::settings::Settings;
use crate::testcase::encode_test;
use cairn_exec::Input;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use thiserror::Error;

const STATS: &str = "fuzzer_stats";
const PLOT: &str = "plot_data";

/// Why a campaign directory cannot be used.
#[derive(Debug, Error)]
pub enum DirectoryError {
    /// Something in it cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is one already.
    #[error("{} holds a campaign already: choose another directory, or replace it with --force", .0.display())]
    InUse(PathBuf),
}

/// A campaign directory that is being written.
#[derive(Debug)]
pub struct CampaignDirectory {
    path: PathBuf,
    plot: fs::File,
    started: SystemTime,
}

impl CampaignDirectory {
    /// Makes the directory; `replace` throws out the campaign that is in it, and nothing else.
    pub fn create(path: &Path, replace: bool) -> Result<CampaignDirectory, DirectoryError> {
        if path.join(STATS).exists() || Place::ALL.iter().any(|place| path.join(place.directory()).exists()) {
            if !replace {
                return Err(DirectoryError::InUse(path.to_owned()));
            }
            remove_campaign(path)?;
        }
        for place in Place::ALL {
            let directory = path.join(place.directory());
            fs::create_dir_all(&directory).map_err(|source| unwritable(&directory, source))?;
        }
        let plot_path = path.join(PLOT);
        let header = |mut file: fs::File| file.write_all(afl::PLOT_HEADER.as_bytes()).map(|()| file);
        let plot = fs::File::create(&plot_path).and_then(header);
        let plot = plot.map_err(|source| unwritable(&plot_path, source))?;
        Ok(CampaignDirectory { path: path.to_owned(), plot, started: SystemTime::now() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes an input; gives the path of its file.
    pub(crate) fn keep(
        &self,
        keep: &Keep,
        input: &Input,
        command: &[String],
    ) -> Result<PathBuf, DirectoryError> {
        let (content, extension) = encode_test(input, command);
        let directory = self.path.join(keep.place.directory());
        write_whole(&directory, &format!("{}{extension}", keep.name), &content)
    }

    /// Writes where the campaign stands.
    pub(crate) fn note(&mut self, progress: &Progress, settings: &Settings) -> Result<(), DirectoryError> {
        let stats = afl::stats(progress, self.started, settings);
        write_whole(&self.path, STATS, stats.as_bytes())?;
        let row = afl::plot_row(progress);
        self.plot.write_all(row.as_bytes()).map_err(|source| unwritable(&self.path.join(PLOT), source))
    }
}

fn remove_campaign(path: &Path) -> Result<(), DirectoryError> {
    let ignore_missing = |path: &Path, result: io::Result<()>| match result {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(unwritable(path, source)),
        _ => Ok(()),
    };
    for place in Place::ALL {
        let directory = path.join(place.directory());
        ignore_missing(&directory, fs::remove_dir_all(&directory))?;
    }
    for file in [STATS, PLOT].map(|name| path.join(name)) {
        ignore_missing(&file, fs::remove_file(&file))?;
    }
    Ok(())
}

fn write_whole(directory: &Path, name: &str, content: &[u8]) -> Result<PathBuf, DirectoryError> {
    let path = directory.join(name);
    let hidden = directory.join(format!(".{name}.new"));
    let written = fs::write(&hidden, content).and_then(|()| fs::rename(&hidden, &path));
    written.map_err(|source| unwritable(&path, source))?;
    Ok(path)
}

fn unwritable(path: &Path, source: io::Error) -> DirectoryError {
    DirectoryError::Unwritable { path: path.to_owned(), source }
}
