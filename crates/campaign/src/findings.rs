//! All findings of a campaign: which are the same, and what is known of each.

use crate::corpus::TestFolder;
use crate::finding::Finding;
use crate::kind::Class;
use crate::sanitizer::SanitizerError;
use crate::triage::{Mark, Spot};
use crate::witness::Answer;
use cairn_exec::{ExitKind, Input};
use std::collections::BTreeMap;

/// What makes two findings the same: roughly what they are, and where.
pub(crate) type Key = (Class, Option<Spot>);

/// Who confirms.
pub(crate) const UNTRACED: &str = "run without tracing";
const PLAIN: &str = "plain build";
const SANITIZERS: &str = "build with sanitizers";

/// A finding, and what is needed to write it again.
#[derive(Debug)]
pub(crate) struct Entry {
    pub place: TestFolder,
    /// What its files are called, but for their ends.
    pub name: String,
    pub mark: Mark,
    /// How the program ended on its input.
    pub end: ExitKind,
    pub finding: Finding,
    /// The smallest input.
    pub input: Input,
}

/// All of them, in order.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub entries: Vec<Entry>,
    known: BTreeMap<Key, usize>,
}

impl Findings {
    /// Adds one; gives its number, and that of a finding which is this one from now on.
    pub fn add(&mut self, entry: Entry) -> (usize, Option<usize>) {
        let number = self.entries.len();
        let (key, is_other) = (entry.mark.key(), entry.finding.same_as.is_some());
        self.entries.push(entry);
        let superseded = if is_other { None } else { self.claim(number, key).err().and_then(Claim::weaker) };
        (number, superseded)
    }

    /// Has a key stand for a finding, unless another one has it. What sanitizers alone have seen gives way.
    fn claim(&mut self, number: usize, key: Key) -> Result<(), Claim> {
        let other = *self.known.entry(key.clone()).or_insert(number);
        if other == number || self.entries[other].finding.same_as.is_some() {
            self.known.insert(key, number);
            return Ok(());
        }
        if self.entries[other].is_sanitizers_own() && !self.entries[number].is_sanitizers_own() {
            self.known.insert(key, number);
            self.entries[other].finding.same_as = Some(self.entries[number].name.clone());
            return Err(Claim::Weaker(other));
        }
        Err(Claim::Taken(other))
    }

    /// The one of this kind at this place.
    pub fn find(&self, key: &Key) -> Option<usize> {
        self.known.get(key).copied()
    }

    /// Takes in what other builds made of a finding; gives all findings that have changed by it. Where others see the cause elsewhere,
    /// and another finding is that already, the two are one.
    pub fn hear(&mut self, number: usize, answer: &Answer) -> Vec<usize> {
        let by = confirmed_by(&self.entries[number], answer);
        let mark = &self.entries[number].mark;
        let causes = answer.errors.iter().filter(|(error, _)| is_explained(mark, error));
        let causes: Vec<Key> = causes.map(|(error, _)| error.key()).collect();
        let mut changed = vec![number];
        for cause in causes {
            match self.claim(number, cause) {
                Ok(()) => {}
                Err(Claim::Weaker(other)) => changed.push(other),
                Err(Claim::Taken(other)) => {
                    self.entries[number].finding.same_as = Some(self.entries[other].name.clone());
                }
            }
        }
        let finding = &mut self.entries[number].finding;
        if answer.plain.is_some() || answer.sanitized.is_some() {
            finding.confirmed_by = by.into_iter().map(str::to_owned).collect();
            finding.confirmed = !finding.confirmed_by.is_empty();
        }
        if let Some((first, _)) = answer.errors.first() {
            finding.sanitizer = Some(answer.errors.iter().map(|(error, _)| error.text.as_str()).collect());
            if finding.frames.len() < first.frames.len() && is_about(first.spot(), finding) {
                finding.frames = first.frames.iter().map(crate::finding::Frame::new).collect();
            }
        }
        changed
    }

    /// Those that are no other one.
    pub fn different(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.finding.same_as.is_none())
    }

    /// How many that were counted in a place turned out to be others, and how many nobody has counted.
    pub fn correction(&self, place: TestFolder) -> (u64, u64) {
        let here = self.entries.iter().filter(|entry| entry.place == place);
        let same = here.clone().filter(|entry| entry.finding.same_as.is_some() && !entry.is_sanitizers_own());
        let own = here.filter(|entry| entry.finding.same_as.is_none() && entry.is_sanitizers_own());
        (same.count() as u64, own.count() as u64)
    }
}

/// Why a key stands for another finding.
enum Claim {
    /// It does no longer.
    Weaker(usize),
    /// It still does.
    Taken(usize),
}

impl Claim {
    fn weaker(self) -> Option<usize> {
        if let Claim::Weaker(other) = self { Some(other) } else { None }
    }
}

impl Entry {
    /// Whether only sanitizers have seen it.
    pub fn is_sanitizers_own(&self) -> bool {
        self.name.starts_with(SANITIZED)
    }
}

/// What the names of findings begin with that only sanitizers see; the number of their test follows. They have numbers of their
/// own, since nobody knows when they are seen, and the names of all others are to be the same in each campaign.
pub(crate) const SANITIZED: &str = "san:";

/// The name of the `nth` finding that sanitizers saw in a test.
pub(crate) fn sanitized_name(test: u32, nth: usize) -> String {
    let again = if nth == 0 { String::new() } else { format!(".{nth}") };
    format!("{SANITIZED}{test:06}{again}")
}

/// A finding that sanitizers saw is known by them.
pub(crate) fn by_sanitizers() -> Vec<String> {
    vec![SANITIZERS.to_owned()]
}

/// Which of the other builds see a finding as well. What ends the program has to end the plain build in the same way.
fn confirmed_by(entry: &Entry, answer: &Answer) -> Vec<&'static str> {
    let ends = |end: Option<ExitKind>| !entry.mark.is_silent && end == Some(entry.end);
    let explained = answer.errors.iter().any(|(error, _)| is_explained(&entry.mark, error));
    let by = [(ends(answer.plain), PLAIN), (ends(answer.sanitized) || explained, SANITIZERS)];
    by.into_iter().filter(|(is, _)| *is).map(|(_, by)| by).collect()
}

/// Whether a sanitizer's error is a fault, or the cause of one. A bad access may come to light late, and elsewhere; a full stack anywhere.
fn is_explained(mark: &Mark, error: &SanitizerError) -> bool {
    let (class, other) = (mark.kind.class(), error.kind.class());
    let may_be_late = !mark.is_silent && matches!(class, Class::Memory | Class::NullPointer);
    let is_late = may_be_late && error.is_fatal && matches!(other, Class::Memory | Class::NullPointer);
    let is_full = class == Class::Stack && other == Class::Stack;
    error.key() == mark.key() || is_late || is_full
}

fn is_about(spot: Option<Spot>, finding: &Finding) -> bool {
    let place = finding.place.as_ref().and_then(|place| Some(Spot::Line(place.file.clone()?, place.line?)));
    spot.is_some() && spot == place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::FaultKind;
    use crate::witness::About;
    use cairn_program::SourceFrame;

    fn line(line: u32) -> Option<Spot> {
        Some(Spot::Line("a.c".to_owned(), line))
    }

    fn entry(name: &str, kind: FaultKind, at: u32, signal: Option<i32>) -> Entry {
        let mark = Mark { kind, spot: line(at), function: None, is_silent: signal.is_none() };
        let end = signal.map_or(ExitKind::Exit(0), ExitKind::Signal);
        let (finding, input) = Default::default();
        Entry { place: TestFolder::Crashes, name: name.to_owned(), mark, end, finding, input }
    }

    fn error(kind: FaultKind, at: u32, is_fatal: bool) -> (SanitizerError, Input) {
        let frames = vec![SourceFrame { function: "f".to_owned(), line: Some(("a.c".to_owned(), at)) }];
        (SanitizerError { kind, frames, text: String::new(), is_fatal }, Input::default())
    }

    fn answer(plain: Option<ExitKind>, errors: Vec<(SanitizerError, Input)>) -> Answer {
        Answer { about: About::Finding(0), plain, sanitized: Some(ExitKind::Exit(1)), errors }
    }

    #[test]
    fn what_others_see_elsewhere_confirms_nothing() {
        let overflow = entry("id:0", FaultKind::SignedOverflow, 7, None);
        let nobody: [&str; 0] = [];
        let heap = || FaultKind::Memory("heap buffer overflow".to_owned());
        assert_eq!(
            confirmed_by(
                &overflow,
                &answer(Some(ExitKind::Exit(0)), vec![error(FaultKind::SignedOverflow, 8, false)])
            ),
            nobody
        );
        assert_eq!(
            confirmed_by(&overflow, &answer(Some(ExitKind::Exit(0)), vec![error(heap(), 7, true)])),
            nobody
        );
        assert_eq!(
            confirmed_by(&overflow, &answer(None, vec![error(FaultKind::SignedOverflow, 7, false)])),
            [SANITIZERS]
        );
        let failed = entry("id:1", FaultKind::FailedAssertion, 7, Some(6));
        assert_eq!(
            confirmed_by(&failed, &answer(Some(ExitKind::Exit(0)), vec![error(heap(), 3, true)])),
            nobody
        );
        assert_eq!(
            confirmed_by(&failed, &answer(Some(ExitKind::Signal(6)), vec![error(heap(), 3, true)])),
            [PLAIN]
        );
        let crash = entry("id:2", FaultKind::HeapCorruption, 9, Some(6));
        assert_eq!(
            confirmed_by(&crash, &answer(Some(ExitKind::Exit(0)), vec![error(heap(), 3, true)])),
            [SANITIZERS]
        );
        assert_eq!(
            confirmed_by(&crash, &answer(None, vec![error(FaultKind::SignedOverflow, 3, false)])),
            nobody
        );
    }

    #[test]
    fn crashes_with_one_cause_are_one() {
        let mut findings = Findings::default();
        let cause = || vec![error(FaultKind::Memory("heap buffer overflow".to_owned()), 3, true)];
        findings.add(entry("san:000001", FaultKind::Memory("heap buffer overflow".to_owned()), 3, None));
        let (first, _) = findings.add(entry("id:000000", FaultKind::HeapCorruption, 9, Some(6)));
        let (second, _) = findings.add(entry("id:000001", FaultKind::InvalidRead, 12, Some(11)));
        // What only sanitizers saw is the crash that is known by now.
        assert_eq!(findings.hear(first, &answer(Some(ExitKind::Signal(6)), cause())), [first, 0]);
        findings.hear(second, &answer(Some(ExitKind::Signal(11)), cause()));
        let names: Vec<&str> = findings.different().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["id:000000"]);
        assert_eq!(findings.entries[second].finding.same_as.as_deref(), Some("id:000000"));
        assert_eq!(findings.correction(TestFolder::Crashes), (1, 0));
    }
}
