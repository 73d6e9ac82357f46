//! What other builds of the program make of tests and findings.

use super::{Campaign, CampaignError};
use crate::corpus::TestFolder;
use crate::finding::{Finding, Frame};
use crate::findings::{Entry, by_sanitizers, sanitized_name};
use crate::kind::FaultKind;
use crate::observer::Event;
use crate::sanitizer::SanitizerError;
use crate::summary::StopReason;
use crate::testcase::read_test;
use crate::triage::{Mark, Spot};
use crate::witness::{About, Answer, Witness};
use cairn_exec::{ExitKind, Input};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two looks at the clock while answers are waited for.
const LOOK: Duration = Duration::from_millis(50);
/// How long answers are waited for when the campaign's time is up, or the user's patience.
const LAST_WORDS: Duration = Duration::from_millis(800);

impl Campaign<'_> {
    /// Has other builds made, if there are to be any.
    pub(super) fn call_witness(&mut self) {
        let known = self.findings.entries.iter().map(|entry| entry.mark.key()).collect();
        let builds = self.settings.builds.clone().filter(|_| self.directory.is_some());
        self.witness = builds.map(|builds| Witness::new(builds, known));
    }

    /// Has other builds run an input, if there are any.
    pub(super) fn ask_witness(&mut self, about: About, input: &Input) {
        if let Some(witness) = &mut self.witness {
            witness.ask(about, input.clone());
        }
    }

    /// Takes in what other builds have said by now.
    pub(super) fn hear_witness(&mut self) -> Result<(), CampaignError> {
        while let Some(answer) = self.witness.as_mut().and_then(|witness| witness.answer(Duration::ZERO)) {
            self.take_answer(answer)?;
        }
        Ok(())
    }

    /// Waits until all is said; when the time is up, not for long.
    pub(super) fn wait_for_witness(&mut self, stop: StopReason) -> Result<(), CampaignError> {
        let is_late = matches!(stop, StopReason::Time | StopReason::Interrupted);
        let mut end = is_late.then(|| Instant::now() + LAST_WORDS);
        while self.witness.as_ref().is_some_and(|witness| witness.waiting() > 0) {
            if self.settings.stop.load(Ordering::Relaxed) || self.is_time_up() {
                end = end.or(Some(Instant::now() + LAST_WORDS));
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            if let Some(answer) = self.witness.as_mut().and_then(|witness| witness.answer(LOOK)) {
                self.take_answer(answer)?;
            }
            let left = self.witness.as_ref().map_or(0, |witness| witness.waiting());
            self.tell(&Event::Confirming { left });
        }
        self.notes.unanswered = self.witness.take().map_or(0, |witness| witness.waiting());
        Ok(())
    }

    fn take_answer(&mut self, answer: Answer) -> Result<(), CampaignError> {
        match answer.about {
            About::Finding(number) => {
                let changed = self.findings.hear(number, &answer);
                self.note_sanitized_build(number, &answer);
                changed.into_iter().try_for_each(|number| self.explain_again(number))?;
            }
            About::Test(test) => {
                let end = answer.sanitized.unwrap_or(ExitKind::Exit(0));
                for (nth, (error, input)) in answer.errors.into_iter().enumerate() {
                    self.take_error(&sanitized_name(test, nth), &error, input, end)?;
                }
                if let Some(directory) = self.directory.as_mut().filter(|_| answer.sanitized.is_some()) {
                    directory.note_sanitized(test)?;
                }
            }
        }
        Ok(())
    }

    fn note_sanitized_build(&mut self, number: usize, answer: &Answer) {
        let smallest = self.file_of(&self.findings.entries[number]);
        let command = self.settings.replay_sanitized.as_ref().map(|replay| replay.command(&smallest));
        let has_said = !answer.errors.is_empty();
        self.findings.entries[number].finding.reproduce_sanitized = command.filter(|_| has_said);
    }

    /// Keeps what only sanitizers have seen, unless it is known.
    fn take_error(
        &mut self,
        name: &str,
        error: &SanitizerError,
        input: Input,
        end: ExitKind,
    ) -> Result<(), CampaignError> {
        let function = error.frames.first().map(|frame| frame.function.clone());
        let mark = Mark { kind: error.kind.clone(), spot: error.spot(), function, is_silent: true };
        let is_known = self.findings.find(&mark.key()).is_some() || self.corpus.knows(&mark);
        let Some(directory) = &self.directory else { return Ok(()) };
        if is_known {
            return Ok(());
        }
        let file = directory.keep_sanitized(name, &input, &self.settings.command)?;
        let frames: Vec<Frame> = error.frames.iter().map(Frame::new).collect();
        let path = directory.inside(&file);
        let finding = Finding {
            kind: mark.kind.to_string(),
            end: end.to_string(),
            place: frames.first().cloned(),
            frames,
            input: path.clone(),
            smallest: path,
            bytes: input.len(),
            found_bytes: input.len(),
            confirmed: true,
            confirmed_by: by_sanitizers(),
            sanitizer: Some(error.text.clone()),
            // Without sanitizers it shows nothing.
            reproduce: self
                .settings
                .replay_sanitized
                .as_ref()
                .unwrap_or(&self.settings.replay)
                .command(&file),
            ..Finding::default()
        };
        directory.explain((TestFolder::Crashes, name), &finding, &input)?;
        let headline = finding.headline();
        self.findings.add(Entry {
            place: TestFolder::Crashes,
            name: name.to_owned(),
            mark,
            end,
            finding,
            input,
        });
        self.tell(&Event::Found { path: &file, headline: &headline });
        Ok(())
    }

    /// What sanitizers had seen before, of a campaign that goes on.
    pub(super) fn recall_sanitized(&mut self) {
        let Some(directory) = &self.directory else { return };
        for name in directory.sanitized() {
            let Some(finding) = directory.explained((TestFolder::Crashes, &name)) else { continue };
            let Some(place) = finding.place.clone() else { continue };
            let spot = place.file.zip(place.line).map(|(file, line)| Spot::Line(file, line));
            let (kind, function) = (FaultKind::named(&finding.kind), Some(place.function));
            let mark = Mark { kind, spot, function, is_silent: true };
            let file = directory.path().join(&finding.smallest);
            let input = read_test(&file, &self.settings.inputs[0]).unwrap_or_default();
            self.findings.add(Entry {
                place: TestFolder::Crashes,
                name,
                mark,
                end: ExitKind::Exit(0),
                finding,
                input,
            });
        }
    }
}
