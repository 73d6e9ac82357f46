//! Snapshots of a campaign, now and then and at its end.

use super::{Campaign, CampaignError};
use crate::snapshot::{Budget, Facts, Snapshot};
use std::time::{Duration, Instant};

/// A snapshot takes time in proportion to the tree: this is how much longer the campaign goes on before the next.
const PAUSE: u32 = 100;

impl Campaign<'_> {
    /// Writes a snapshot if the last one was long enough ago.
    pub(super) fn survey_now_and_then(&mut self) -> Result<(), CampaignError> {
        if self.executions == 0 || self.next_survey > Instant::now() {
            return Ok(());
        }
        let start = Instant::now();
        self.survey(false)?;
        self.next_survey = Instant::now() + start.elapsed() * PAUSE;
        Ok(())
    }

    /// Writes a snapshot, the last one at the end.
    pub(super) fn survey(&mut self, ended: bool) -> Result<(), CampaignError> {
        if self.directory.is_none() {
            return Ok(());
        }
        let settings = self.settings;
        let facts = Facts {
            target: settings.target,
            ended,
            budget: Budget {
                executions: settings.execs,
                seconds: settings.time.as_ref().map(Duration::as_secs_f64),
                bytes: settings.memory,
            },
            strategy: self.strategies[0].describe(),
            summary: self.summary(),
            curve: &self.curve,
            unanswered: self.collector.all_unanswered(),
        };
        let is_covered = |branch| self.coverage.is_covered(cairn_program::BranchId(branch));
        let snapshot = Snapshot::take(facts, &self.tree, is_covered);
        if let Some(directory) = &self.directory {
            directory.keep_snapshot(&snapshot)?;
        }
        Ok(())
    }
}
