//! Findings: the smallest input for each, and a report.

use super::CampaignError;
use super::worker::Worker;
use crate::corpus::Keep;
use crate::finding::{Report, headline};
use crate::minimise::minimise;
use crate::observer::Event;
use cairn_exec::{Input, Mode, Run};
use cairn_program::SourceFrame;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Runs that looking for a smaller input may take, and their time.
const SMALLER_RUNS: u32 = 1000;
const SMALLER_TIME: Duration = Duration::from_secs(2);

impl Worker<'_, '_> {
    /// Writes an input that is kept, and all there is to say of it.
    pub(super) fn write(&mut self, keep: &Keep, run: &Run, was_kept: bool) -> Result<(), CampaignError> {
        let stack = self.campaign.triage.stack(self.campaign.program, &run.crash);
        let file = match &self.campaign.directory {
            Some(directory) => {
                let file = directory.keep(keep, &run.input, &self.campaign.settings.command, was_kept)?;
                Some(if keep.is_new_finding { self.examine(keep, run, &stack, file)? } else { file })
            }
            None => None,
        };
        let headline = keep.is_new_finding.then(|| headline(run.end, &stack));
        self.campaign.tell(&Event::Kept {
            place: keep.place,
            path: file.as_deref(),
            headline: headline.as_deref(),
        });
        Ok(())
    }

    /// Looks for a smaller input that shows a finding, and explains it; gives the file of the smallest.
    fn examine(
        &mut self,
        keep: &Keep,
        run: &Run,
        stack: &[SourceFrame],
        file: PathBuf,
    ) -> Result<PathBuf, CampaignError> {
        if let Some(explained) =
            self.campaign.directory.as_ref().and_then(|directory| directory.explained(keep))
        {
            return Ok(explained.unwrap_or(file));
        }
        let least = self.smallest(run)?;
        let Some(directory) = &self.campaign.directory else { return Ok(file) };
        let smaller = least != run.input;
        let file = match smaller {
            true => directory.keep_smallest(keep, &least, &self.campaign.settings.command)?,
            false => file,
        };
        let again = self.campaign.settings.replay.command(&file);
        let found_with = smaller.then_some(&run.input);
        let report = Report { end: run.end, stack, input: &least, found_with, again: &again };
        directory.explain(keep, &report.text())?;
        Ok(file)
    }

    /// The smallest input known that ends the program in the same way at the same place. What takes too long or too much is not
    /// tried again and again.
    fn smallest(&mut self, run: &Run) -> Result<Input, CampaignError> {
        if run.end.is_excess() {
            return Ok(run.input.clone());
        }
        let (until, mut runs, mut failed) = (Instant::now() + SMALLER_TIME, 0, Ok(()));
        let spot = self.campaign.triage.spot(self.campaign.program, &run.crash);
        let least = minimise(&run.input, &mut |input| {
            runs += 1;
            if runs > SMALLER_RUNS
                || failed.is_err()
                || Instant::now() > until
                || self.campaign.must_stop().is_some()
            {
                return false;
            }
            match self.executor.run(input, Mode::NATIVE) {
                Ok(again) => {
                    again.end == run.end
                        && self.campaign.triage.spot(self.campaign.program, &again.crash) == spot
                }
                Err(_) => {
                    failed = self.executor.restart();
                    self.campaign.notes.restarts += 1;
                    false
                }
            }
        });
        failed?;
        Ok(least)
    }
}
