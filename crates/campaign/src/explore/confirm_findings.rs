//! Requests runs on the reference builds, and integrates their results into the findings.

use super::CampaignError;
use super::state::Campaign;
use crate::findings::confirmation::SANITIZERS;
use crate::findings::fault::{Fault, FaultLocation};
use crate::findings::fault_kind::FaultKind;
use crate::findings::ledger::{LedgerEntry, sanitized_name};
use crate::findings::reference_builds::{BuildNews, BuildResults, ReferenceBuilds};
use crate::findings::report::{Finding, Frame};
use crate::findings::request_queue::{CheckedPath, Request};
use crate::findings::sanitizer::SanitizerError;
use crate::observe::notes::StopReason;
use crate::observe::observer::Event;
use crate::store::checked_paths::input_key;
use crate::store::testcase::read_test;
use crate::test_folder::TestFolder;
use cairn_exec::{ExitKind, Input};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Interval of polling for results at the end of a campaign; a chosen interval.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Time to wait for results after the campaign's time is up or the user has interrupted it; a chosen bound.
const LATE_RESULTS_TIME: Duration = Duration::from_millis(800);

impl Campaign<'_> {
    /// Starts the thread of the reference builds, if there are to be any.
    pub fn start_reference_builds(&mut self) {
        let known = self.store.ledger.entries.iter().map(|entry| entry.fault.key()).collect();
        let builds = self.settings.builds.clone().filter(|_| self.store.directory.is_some());
        let share = self.settings.check_share;
        self.store.reference_builds = builds.map(|builds| ReferenceBuilds::new(builds, known, share));
    }

    /// Requests an input to be run on the reference builds, if there are any.
    pub fn request_reference_builds(&mut self, request: Request, input: &Input) {
        if let Some(builds) = &mut self.store.reference_builds {
            builds.request(request, input.clone());
        }
    }

    /// Requests a path to be checked with sanitizers, unless an earlier part of the campaign did so.
    pub fn request_check(&mut self, input: &Input, test: Option<u32>) {
        let key = input_key(input);
        let was_checked = self.store.directory.as_ref().is_some_and(|files| files.was_checked(key));
        if self.store.reference_builds.is_none() {
            return;
        }
        self.counters.notes.paths += 1;
        if was_checked {
            self.counters.notes.checked_paths += 1;
        } else {
            let path = CheckedPath { key, execution: self.counters.executions, test };
            self.request_reference_builds(Request::Path(path), input);
        }
    }

    fn next_results(&mut self, timeout: Duration) -> Option<BuildResults> {
        self.store.reference_builds.as_mut().and_then(|builds| builds.poll(timeout))
    }

    fn pending_results(&self) -> u64 {
        self.store.reference_builds.as_ref().map_or(0, ReferenceBuilds::pending)
    }

    /// Notifies the observer of what has happened to the builds.
    fn notify_build_news(&mut self) {
        let news = self.store.reference_builds.as_ref().map(ReferenceBuilds::news).unwrap_or_default();
        for news in news {
            match news {
                BuildNews::Compiling { build, done, total } => {
                    self.notify(&Event::Building { build, done, total });
                }
                BuildNews::Failed { build, reason } => {
                    self.counters.notes.missing_builds.push(format!("{build} build: {reason}"));
                    self.notify(&Event::BuildFailed { build, reason: &reason });
                }
            }
        }
    }

    /// Integrates the results that have arrived.
    pub fn poll_reference_builds(&mut self) -> Result<(), CampaignError> {
        self.notify_build_news();
        while let Some(results) = self.next_results(Duration::ZERO) {
            self.integrate_results(results)?;
        }
        Ok(())
    }

    /// Waits for all results at the end of the campaign; not for long if its time is up or it was
    /// interrupted.
    pub fn wait_for_reference_builds(&mut self, stop: StopReason) -> Result<(), CampaignError> {
        let is_late = matches!(stop, StopReason::Time | StopReason::Interrupted);
        let mut end = is_late.then(|| Instant::now() + LATE_RESULTS_TIME);
        self.store.reference_builds.iter().for_each(ReferenceBuilds::hurry);
        while self.pending_results() > 0 {
            if self.settings.stop.load(Ordering::Relaxed) || self.is_time_up() {
                end = end.or(Some(Instant::now() + LATE_RESULTS_TIME));
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            if let Some(results) = self.next_results(POLL_INTERVAL) {
                self.integrate_results(results)?;
            }
            self.notify_build_news();
            let left = self.pending_results();
            self.notify(&Event::Confirming { left });
        }
        self.counters.notes.unanswered = self.pending_results();
        self.store.reference_builds = None;
        Ok(())
    }

    fn integrate_results(&mut self, results: BuildResults) -> Result<(), CampaignError> {
        match results.request {
            Request::Finding(index) => {
                let changed = self.store.ledger.integrate(index, &results);
                self.set_sanitized_command(index, &results);
                changed.into_iter().try_for_each(|index| self.rewrite_report(index))?;
            }
            Request::Path(path) => {
                let end = results.sanitized.unwrap_or(ExitKind::Exit(0));
                for (nth, (error, input)) in results.errors.into_iter().enumerate() {
                    self.add_sanitizer_error(&sanitized_name(&path, nth), &error, input, end)?;
                }
                let directory = self.store.directory.as_mut();
                if let Some(directory) = directory.filter(|_| results.sanitized.is_some()) {
                    directory.set_checked(path.key)?;
                    self.counters.notes.checked_paths += 1;
                }
            }
        }
        Ok(())
    }

    fn set_sanitized_command(&mut self, index: usize, results: &BuildResults) {
        let smallest = self.file_of(&self.store.ledger.entries[index]);
        let command = self.settings.replay_sanitized.as_ref().map(|replay| replay.command(&smallest));
        let has_errors = !results.errors.is_empty();
        self.store.ledger.entries[index].finding.reproduce_sanitized = command.filter(|_| has_errors);
    }

    /// Adds a finding that only sanitizers have seen, unless its fault is known.
    fn add_sanitizer_error(
        &mut self,
        name: &str,
        error: &SanitizerError,
        input: Input,
        end: ExitKind,
    ) -> Result<(), CampaignError> {
        let function = error.frames.first().map(|frame| frame.function.clone());
        let fault = Fault { kind: error.kind.clone(), location: error.location(), function, is_silent: true };
        let is_known = self.store.ledger.find(&fault.key()).is_some() || self.store.corpus.has_fault(&fault);
        let Some(directory) = &self.store.directory else { return Ok(()) };
        if is_known {
            return Ok(());
        }
        let file = directory.write_sanitized(name, &input, &self.settings.command)?;
        let frames: Vec<Frame> = error.frames.iter().map(Frame::new).collect();
        let path = directory.relative(&file);
        // Without sanitizers it shows nothing.
        let replay = self.settings.replay_sanitized.as_ref().unwrap_or(&self.settings.replay);
        let finding = Finding {
            kind: fault.kind.to_string(),
            end: end.to_string(),
            place: frames.first().cloned(),
            frames,
            input: path.clone(),
            smallest: path,
            bytes: input.len(),
            found_bytes: input.len(),
            confirmed: true,
            confirmed_by: vec![SANITIZERS.to_owned()],
            sanitizer: Some(error.text.clone()),
            reproduce: replay.command(&file),
            ..Finding::default()
        };
        let (folder, name) = (TestFolder::Crashes, name.to_owned());
        directory.write_report((folder, &name), &finding, &input)?;
        let headline = finding.headline();
        self.store.ledger.add(LedgerEntry { folder, name, fault, end, finding, input });
        self.notify(&Event::Found { path: &file, headline: &headline });
        Ok(())
    }

    /// Restores the findings that only sanitizers have seen, of a resumed campaign.
    pub fn restore_sanitized_findings(&mut self) {
        let Some(directory) = &self.store.directory else { return };
        for name in directory.sanitized_findings() {
            let Some(finding) = directory.read_report((TestFolder::Crashes, &name)) else { continue };
            let Some(place) = finding.place.clone() else { continue };
            let location = place.file.zip(place.line).map(|(file, line)| FaultLocation::Line(file, line));
            let (kind, function) = (FaultKind::named(&finding.kind), Some(place.function));
            let fault = Fault { kind, location, function, is_silent: true };
            let file = directory.path().join(&finding.smallest);
            let input = read_test(&file, &self.settings.inputs[0]).unwrap_or_default();
            let (folder, end) = (TestFolder::Crashes, ExitKind::Exit(0));
            self.store.ledger.add(LedgerEntry { folder, name, fault, end, finding, input });
        }
    }
}
