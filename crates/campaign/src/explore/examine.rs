//! Findings: the smallest input for each, a report, and what other builds of the program say.

use super::worker::Worker;
use super::{Campaign, CampaignError};
use crate::corpus::{Keep, TestFolder};
use crate::directory::DirectoryError;
use crate::executor::Execution;
use crate::finding::{Finding, Frame};
use crate::findings::{Entry, UNTRACED};
use crate::minimise::minimise;
use crate::observer::Event;
use crate::path::{Path as Steps, path};
use crate::testcase::read_test;
use crate::triage::Mark;
use crate::witness::About;
use cairn_deadline::Deadline;
use cairn_exec::{Input, Mode, Run};
use cairn_expr::Dag;
use cairn_expr::smtlib::{Conjunction, Status, full_script};
use cairn_tree::{Step, StepKind, concretization_condition, side_condition};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time to confirm a finding if there is none left.
const CONFIRMING: Duration = Duration::from_millis(500);
/// Runs that looking for a smaller input may take, and their time.
const SMALLER_RUNS: u32 = 1000;
const SMALLER_TIME: Duration = Duration::from_secs(2);

impl Worker<'_, '_> {
    /// Writes an input that is kept, and all there is to say of it.
    pub(super) fn write(
        &mut self,
        keep: &Keep,
        run: &Run,
        path: &Steps,
        was_kept: bool,
    ) -> Result<(), CampaignError> {
        let condition = keep.finding.as_ref().and_then(|_| self.campaign.condition_of(path, &run.input));
        let Some(directory) = &self.campaign.directory else {
            let headline = keep.finding.as_ref().map(|mark| self.campaign.finding(mark, run).headline());
            self.campaign.tell(&Event::Kept { place: keep.place, path: None, headline: headline.as_deref() });
            return Ok(());
        };
        let mut file = directory.keep(keep, &run.input, &self.campaign.settings.command, was_kept)?;
        let mut headline = None;
        if keep.place == TestFolder::Queue && !directory.was_sanitized(keep.id) {
            self.campaign.ask_witness(About::Test(keep.id), &run.input);
        }
        if let Some(mark) = &keep.finding {
            let number = self.examine(keep, mark, run, &file, condition)?;
            let entry = &self.campaign.findings.entries[number];
            headline = Some(entry.finding.headline());
            file = self.campaign.file_of(entry);
        }
        self.campaign.tell(&Event::Kept {
            place: keep.place,
            path: Some(&file),
            headline: headline.as_deref(),
        });
        Ok(())
    }

    /// Looks for a smaller input that shows a finding, explains it, and has others look at it; gives its number.
    fn examine(
        &mut self,
        keep: &Keep,
        mark: &Mark,
        run: &Run,
        file: &Path,
        condition: Option<String>,
    ) -> Result<usize, CampaignError> {
        let name = format!("id:{:06}", keep.id);
        let known =
            self.campaign.directory.as_ref().and_then(|directory| directory.explained((keep.place, &name)));
        let (finding, input) = match known {
            Some(finding) => (finding, None),
            None => {
                let least = self.smallest(mark, run)?;
                (self.explain(keep, mark, run, file, &least, condition)?, Some(least))
            }
        };
        let mut entry = Entry {
            place: keep.place,
            name,
            mark: mark.clone(),
            end: run.end,
            finding,
            input: run.input.clone(),
        };
        let read = || read_test(&self.campaign.file_of(&entry), &self.campaign.settings.inputs[0]).ok();
        entry.input = input.or_else(read).unwrap_or(entry.input);
        let input = entry.input.clone();
        let (number, superseded) = self.campaign.findings.add(entry);
        superseded.into_iter().try_for_each(|other| self.campaign.explain_again(other))?;
        self.campaign.ask_witness(About::Finding(number), &input);
        Ok(number)
    }

    /// Writes the report of a finding.
    fn explain(
        &mut self,
        keep: &Keep,
        mark: &Mark,
        run: &Run,
        file: &Path,
        least: &Input,
        condition: Option<String>,
    ) -> Result<Finding, CampaignError> {
        let mut finding = self.campaign.finding(mark, run);
        let untraced = self.is_seen_untraced(mark, run, least)?;
        finding.confirmed = untraced;
        finding.confirmed_by = untraced.then(|| UNTRACED.to_owned()).into_iter().collect();
        (finding.bytes, finding.found_bytes) = (least.len(), run.input.len());
        let Some(directory) = &self.campaign.directory else { return Ok(finding) };
        let name = format!("id:{:06}", keep.id);
        let smallest = match *least == run.input {
            true => file.to_owned(),
            false => directory.keep_smallest((keep.place, &name), least, &self.campaign.settings.command)?,
        };
        let write = |script: String| directory.keep_condition((keep.place, &name), &script);
        let condition: Option<PathBuf> = condition.map(write).transpose()?;
        finding.path_condition = condition.map(|path| directory.inside(&path));
        (finding.input, finding.smallest) = (directory.inside(file), directory.inside(&smallest));
        finding.reproduce = self.campaign.settings.replay.command(&smallest);
        directory.explain((keep.place, &name), &finding, least)?;
        Ok(finding)
    }

    /// Whether the program breaks in the same way when nothing is recorded. What goes on afterwards does not show so.
    fn is_seen_untraced(&mut self, mark: &Mark, run: &Run, input: &Input) -> Result<bool, CampaignError> {
        if mark.is_silent {
            return Ok(false);
        }
        if run.end.is_excess() {
            // It was looked at without recording before it was called so.
            return Ok(true);
        }
        let deadline = self.campaign.deadline();
        self.executor.end_by(deadline.clone());
        let mut again = self.executor.run(input, Mode::NATIVE);
        if deadline.is_over() {
            // What was found last is to be confirmed as well, but does not hold up the end for long.
            self.executor.end_by(Deadline::after(CONFIRMING));
            again = self.executor.run(input, Mode::NATIVE);
        }
        match again {
            Ok(again) => Ok(again.end == run.end),
            Err(_) => self.restart().map(|_| false),
        }
    }

    /// The smallest input known that shows the same at the same place. What takes too long or too much is not tried again
    /// and again. Nothing of the runs is remembered: a campaign that goes on later does not make them again.
    fn smallest(&mut self, mark: &Mark, run: &Run) -> Result<Input, CampaignError> {
        if run.end.is_excess() {
            return Ok(run.input.clone());
        }
        let (until, mut runs, mut failed) = (Instant::now() + SMALLER_TIME, 0, Ok(true));
        let least = minimise(&run.input, &mut |input| {
            runs += 1;
            let is_over = runs > SMALLER_RUNS || !matches!(failed, Ok(true)) || Instant::now() > until;
            if is_over || self.campaign.must_stop().is_some() {
                return None;
            }
            Some(self.shows(mark, run, input).unwrap_or_else(|_| {
                failed = self.restart();
                false
            }))
        });
        failed?;
        Ok(least)
    }

    /// Whether an input shows a finding.
    fn shows(&mut self, mark: &Mark, run: &Run, input: &Input) -> Result<bool, cairn_exec::RunError> {
        let mut dag = Dag::new();
        let mode = if mark.is_silent { Mode::TRACE } else { Mode::NATIVE };
        let again = self.executor.run(input, mode)?;
        if mark.is_silent {
            let again = Execution { run: again, trace: self.executor.decode(&mut dag) };
            let path = path(self.campaign.program, &dag, &again.trace, self.campaign.settings.max_steps);
            let marks = self.campaign.triage.marks(self.campaign.program, &again, &path);
            return Ok(marks.iter().any(|shown| shown.key() == mark.key()));
        }
        let same_end = again.end == run.end;
        let spot = |run: &Run| self.campaign.triage.spot(self.campaign.program, &run.crash);
        Ok(same_end && spot(&again) == spot(run))
    }
}

impl Campaign<'_> {
    /// The file of the smallest input of a finding.
    pub(super) fn file_of(&self, entry: &Entry) -> PathBuf {
        let directory = self.directory.as_ref().map_or(Path::new(""), |directory| directory.path());
        directory.join(&entry.finding.smallest)
    }

    /// What is known of a finding from its run.
    fn finding(&self, mark: &Mark, run: &Run) -> Finding {
        let frames = match mark.frame() {
            Some(frame) => vec![frame],
            None => self.triage.stack(self.program, &run.crash),
        };
        let frames: Vec<Frame> = frames.iter().map(Frame::new).collect();
        let message = Some(run.message.clone()).filter(|message| !message.is_empty() && !mark.is_silent);
        let place = frames.first().cloned();
        Finding {
            kind: mark.kind.to_string(),
            end: run.end.to_string(),
            place,
            frames,
            message,
            ..Finding::default()
        }
    }

    /// The path condition of a run as a script, if that is wanted.
    fn condition_of(&mut self, path: &Steps, input: &Input) -> Option<String> {
        if !self.settings.path_conditions {
            return None;
        }
        let constraints: Vec<_> = path.steps.iter().map(|step| self.condition_of_step(step)).collect();
        let conjunction =
            Conjunction { constraints: &constraints, seed: Some(input), status: Some(Status::Sat) };
        Some(full_script(&self.dag, &conjunction))
    }

    fn condition_of_step(&mut self, step: &Step) -> cairn_expr::ExprId {
        match step.kind {
            StepKind::Branch => side_condition(&mut self.dag, self.program, step.site, step.value, step.side),
            StepKind::Concretization => concretization_condition(&mut self.dag, step.value, step.concrete),
            StepKind::Constraint => step.value,
        }
    }

    /// Writes a finding once more, with what is known by now.
    pub(super) fn explain_again(&mut self, number: usize) -> Result<(), DirectoryError> {
        let entry = &self.findings.entries[number];
        let Some(directory) = &self.directory else { return Ok(()) };
        directory.explain((entry.place, &entry.name), &entry.finding, &entry.input)
    }
}
