//! Creates or resumes a campaign on disk: its files together with its journal.

use super::cursor::Cursor;
use super::journal::{Journal, ResumedJournal};
use super::record::CampaignIdentity;
use crate::settings::Settings;
use crate::store::directory::{CampaignFiles, DirectoryError, unwritable, whole_files};
use crate::test_folder::TestFolder;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// A campaign directory, before its campaign begins or is resumed.
#[derive(Debug)]
pub struct CampaignDirectory {
    files: CampaignFiles,
    journal: OpenJournal,
}

#[derive(Debug)]
enum OpenJournal {
    New(Journal),
    Resumed(Box<ResumedJournal>),
}

impl CampaignDirectory {
    /// Creates the directory; `replace` removes the files of a campaign that is in it, and no others.
    pub fn create(path: &Path, replace: bool) -> Result<CampaignDirectory, DirectoryError> {
        let files = CampaignFiles::create(path, replace)?;
        Ok(CampaignDirectory { files, journal: OpenJournal::New(Journal::create(path)?) })
    }

    /// Opens the directory to resume its campaign. Incomplete files of a killed process are removed.
    pub fn resume(path: &Path) -> Result<CampaignDirectory, DirectoryError> {
        let mut inputs: [Vec<PathBuf>; 3] = Default::default();
        for folder in TestFolder::ALL {
            let directory = path.join(folder.directory());
            fs::create_dir_all(&directory).map_err(|source| unwritable(&directory, source))?;
            inputs[folder as usize] = whole_files(&directory)?;
        }
        whole_files(path)?;
        let journal = match ResumedJournal::open(path)? {
            Some(journal) => journal,
            // It had only just begun.
            None if inputs.iter().all(Vec::is_empty) => return CampaignDirectory::create(path, true),
            None => return Err(DirectoryError::NoJournal(path.to_owned())),
        };
        let started = UNIX_EPOCH + Duration::from_secs(journal.identity.started);
        let files = CampaignFiles::open(path, started, inputs, &journal.kept)?;
        Ok(CampaignDirectory { files, journal: OpenJournal::Resumed(Box::new(journal)) })
    }

    /// Returns the number of incomplete bytes that were cut off the end of the journal.
    pub fn cut(&self) -> u64 {
        if let OpenJournal::Resumed(journal) = &self.journal { journal.cut } else { 0 }
    }

    /// Returns the number of recorded runs.
    pub fn past_runs(&self) -> u64 {
        if let OpenJournal::Resumed(journal) = &self.journal { journal.runs } else { 0 }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        self.files.path()
    }

    /// Begins or resumes the campaign with these settings; returns its files and the cursor of its journal.
    pub(crate) fn begin(self, settings: &Settings) -> Result<(CampaignFiles, Cursor), DirectoryError> {
        let identity = CampaignIdentity::new(settings, self.files.started());
        let cursor = match self.journal {
            OpenJournal::New(mut journal) => {
                journal.begin(&identity)?;
                Cursor::live(Some(journal))
            }
            OpenJournal::Resumed(journal) => match journal.identity.difference(&identity) {
                Some(difference) => {
                    return Err(DirectoryError::Another { path: self.files.path().to_owned(), difference });
                }
                None => Cursor::replaying(*journal)?,
            },
        };
        Ok((self.files, cursor))
    }
}
