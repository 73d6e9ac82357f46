//! Records findings: minimises the input, confirms it without tracing, writes the report, asks the reference
//! builds.

use super::CampaignError;
use super::state::Campaign;
use super::worker::Worker;
use crate::execution::executor::Execution;
use crate::execution::path::{Path as Steps, path};
use crate::findings::confirmation::UNTRACED;
use crate::findings::fault::Fault;
use crate::findings::ledger::LedgerEntry;
use crate::findings::minimise::minimise;
use crate::findings::report::{Finding, Frame};
use crate::findings::request_queue::Request;
use crate::observe::observer::Event;
use crate::store::corpus::KeptInput;
use crate::store::directory::DirectoryError;
use crate::store::testcase::read_test;
use cairn_deadline::Deadline;
use cairn_exec::{Input, Mode, Run, RunError};
use cairn_expr::smtlib::{Conjunction, Status, full_script};
use cairn_expr::{Dag, ExprId};
use cairn_tree::{Step, StepKind, concretization_condition, side_condition};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time to confirm a finding after the deadline; a chosen bound.
const LATE_CONFIRMATION_TIME: Duration = Duration::from_millis(500);
/// Maximum number of runs to minimise an input; a chosen bound.
const MAX_MINIMISING_RUNS: u32 = 1000;
/// Maximum time to minimise an input; a chosen bound.
const MAX_MINIMISING_TIME: Duration = Duration::from_secs(2);

impl Worker<'_, '_> {
    /// Writes an input that is kept, and records its finding if it is one.
    pub fn write_input(
        &mut self,
        keep: &KeptInput,
        run: &Run,
        path: &Steps,
        was_kept: bool,
    ) -> Result<(), CampaignError> {
        let condition =
            keep.fault.as_ref().and_then(|_| self.campaign.path_constraint_script(path, &run.input));
        let Some(directory) = &self.campaign.store.directory else {
            let headline = keep.fault.as_ref().map(|fault| self.campaign.finding(fault, run).headline());
            let place = keep.folder;
            self.campaign.notify(&Event::Kept { place, path: None, headline: headline.as_deref() });
            return Ok(());
        };
        let mut file = directory.write_input(keep, &run.input, &self.campaign.settings.command, was_kept)?;
        let mut headline = None;
        if let Some(fault) = &keep.fault {
            let index = self.record_finding(keep, fault, run, &file, condition)?;
            let entry = &self.campaign.store.ledger.entries[index];
            headline = Some(entry.finding.headline());
            file = self.campaign.file_of(entry);
        }
        let headline = headline.as_deref();
        self.campaign.notify(&Event::Kept { place: keep.folder, path: Some(&file), headline });
        Ok(())
    }

    /// Adds a finding to the ledger, with a minimised input and a report unless these were written before,
    /// and requests its confirmation; returns its index.
    fn record_finding(
        &mut self,
        keep: &KeptInput,
        fault: &Fault,
        run: &Run,
        file: &Path,
        condition: Option<String>,
    ) -> Result<usize, CampaignError> {
        let name = format!("id:{:06}", keep.id);
        let directory = self.campaign.store.directory.as_ref();
        let (finding, input) = match directory.and_then(|files| files.read_report((keep.folder, &name))) {
            Some(finding) => (finding, None),
            None => {
                let smallest = self.smallest(fault, run)?;
                (self.write_report(keep, fault, run, file, &smallest, condition)?, Some(smallest))
            }
        };
        let mut entry = LedgerEntry {
            folder: keep.folder,
            name,
            fault: fault.clone(),
            end: run.end,
            finding,
            input: run.input.clone(),
        };
        let read = || read_test(&self.campaign.file_of(&entry), &self.campaign.settings.inputs[0]).ok();
        entry.input = input.or_else(read).unwrap_or(entry.input);
        let input = entry.input.clone();
        let (index, superseded) = self.campaign.store.ledger.add(entry);
        superseded.into_iter().try_for_each(|other| self.campaign.rewrite_report(other))?;
        self.campaign.request_reference_builds(Request::Finding(index), &input);
        Ok(index)
    }

    /// Writes the report of a finding.
    fn write_report(
        &mut self,
        keep: &KeptInput,
        fault: &Fault,
        run: &Run,
        file: &Path,
        smallest: &Input,
        condition: Option<String>,
    ) -> Result<Finding, CampaignError> {
        let mut finding = self.campaign.finding(fault, run);
        let untraced = self.shows_untraced(fault, run, smallest)?;
        finding.confirmed = untraced;
        finding.confirmed_by = untraced.then(|| UNTRACED.to_owned()).into_iter().collect();
        (finding.bytes, finding.found_bytes) = (smallest.len(), run.input.len());
        let Some(directory) = &self.campaign.store.directory else { return Ok(finding) };
        let name = format!("id:{:06}", keep.id);
        let report = (keep.folder, name.as_str());
        let smallest_file = match *smallest == run.input {
            true => file.to_owned(),
            false => directory.write_smallest(report, smallest, &self.campaign.settings.command)?,
        };
        let write = |script: String| directory.write_path_constraint(report, &script);
        let condition: Option<PathBuf> = condition.map(write).transpose()?;
        finding.path_condition = condition.map(|path| directory.relative(&path));
        (finding.input, finding.smallest) = (directory.relative(file), directory.relative(&smallest_file));
        finding.reproduce = self.campaign.settings.replay.command(&smallest_file);
        directory.write_report(report, &finding, smallest)?;
        Ok(finding)
    }

    /// True if the program ends in the same way without tracing. A silent fault does not show without it.
    fn shows_untraced(&mut self, fault: &Fault, run: &Run, input: &Input) -> Result<bool, CampaignError> {
        if fault.is_silent {
            return Ok(false);
        }
        if run.end.is_excess() {
            // It was run without tracing before it was classified so.
            return Ok(true);
        }
        let deadline = self.campaign.deadline();
        self.executor.end_by(deadline.clone());
        let mut untraced = self.executor.run(input, Mode::NATIVE);
        if deadline.is_over() {
            // The last finding is to be confirmed too, without delaying the end for long.
            self.executor.end_by(Deadline::after(LATE_CONFIRMATION_TIME));
            untraced = self.executor.run(input, Mode::NATIVE);
        }
        match untraced {
            Ok(untraced) => Ok(untraced.end == run.end),
            Err(_) => self.restart().map(|_| false),
        }
    }

    /// Minimises an input that shows a fault. Inputs that exceed a limit are left as they are, since each of
    /// their runs takes long. The runs are not recorded: a resumed campaign reads the minimised input
    /// instead.
    fn smallest(&mut self, fault: &Fault, run: &Run) -> Result<Input, CampaignError> {
        if run.end.is_excess() {
            return Ok(run.input.clone());
        }
        let (until, mut runs, mut failed) = (Instant::now() + MAX_MINIMISING_TIME, 0, Ok(true));
        let smallest = minimise(&run.input, &mut |input| {
            runs += 1;
            let is_over = runs > MAX_MINIMISING_RUNS || !matches!(failed, Ok(true)) || Instant::now() > until;
            if is_over || self.campaign.must_stop().is_some() {
                return None;
            }
            Some(self.shows(fault, run, input).unwrap_or_else(|_| {
                failed = self.restart();
                false
            }))
        });
        failed?;
        Ok(smallest)
    }

    /// True if an input shows a fault, as `run` does.
    fn shows(&mut self, fault: &Fault, run: &Run, input: &Input) -> Result<bool, RunError> {
        let mut dag = Dag::new();
        let mode = if fault.is_silent { Mode::TRACE } else { Mode::NATIVE };
        let other = self.executor.run(input, mode)?;
        let Campaign { program, store, .. } = &*self.campaign;
        if fault.is_silent {
            let other = Execution { run: other, trace: self.executor.decode(&mut dag) };
            let path = path(program, &dag, &other.trace, usize::MAX);
            let faults = store.triage.faults(program, &other, &path);
            return Ok(faults.iter().any(|shown| shown.key() == fault.key()));
        }
        let location = |run: &Run| store.triage.location(program, &run.crash);
        Ok(other.end == run.end && location(&other) == location(run))
    }
}

impl Campaign<'_> {
    /// Returns the file of the smallest input of a finding.
    pub fn file_of(&self, entry: &LedgerEntry) -> PathBuf {
        let directory = self.store.directory.as_ref().map_or(Path::new(""), |directory| directory.path());
        directory.join(&entry.finding.smallest)
    }

    /// Returns the finding as far as it follows from its run.
    fn finding(&self, fault: &Fault, run: &Run) -> Finding {
        let frames = match fault.frame() {
            Some(frame) => vec![frame],
            None => self.store.triage.stack(self.program, &run.crash),
        };
        let frames: Vec<Frame> = frames.iter().map(Frame::new).collect();
        let message = Some(run.message.clone()).filter(|message| !message.is_empty() && !fault.is_silent);
        Finding {
            kind: fault.kind.to_string(),
            end: run.end.to_string(),
            place: frames.first().cloned(),
            frames,
            message,
            ..Finding::default()
        }
    }

    /// Returns the path constraint of a run as an SMT-LIB script, if the settings ask for it.
    fn path_constraint_script(&mut self, path: &Steps, input: &Input) -> Option<String> {
        if !self.settings.path_conditions {
            return None;
        }
        let constraints: Vec<_> = path.steps.iter().map(|step| self.condition_of_step(step)).collect();
        let conjunction =
            Conjunction { constraints: &constraints, seed: Some(input), status: Some(Status::Sat) };
        Some(full_script(&self.known.dag, &conjunction))
    }

    fn condition_of_step(&mut self, step: &Step) -> ExprId {
        let dag = &mut self.known.dag;
        match step.kind {
            StepKind::Branch => side_condition(dag, self.program, step.site, step.value, step.side),
            StepKind::Concretization => concretization_condition(dag, step.value, step.concrete),
            StepKind::Constraint => step.value,
        }
    }

    /// Writes the report of a ledger entry again after it has changed.
    pub fn rewrite_report(&mut self, index: usize) -> Result<(), DirectoryError> {
        let entry = &self.store.ledger.entries[index];
        let Some(directory) = &self.store.directory else { return Ok(()) };
        directory.write_report((entry.folder, &entry.name), &entry.finding, &entry.input)
    }
}
