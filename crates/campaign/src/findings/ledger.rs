//! The ledger of findings: which are the same, and what is known of each.

use super::confirmation::{confirmed_by, explains};
use super::fault::{Fault, FaultKey, FaultLocation};
use super::reference_builds::BuildResults;
use super::report::{Finding, Frame};
use super::request_queue::CheckedPath;
use crate::test_folder::TestFolder;
use cairn_exec::{ExitKind, Input};
use std::collections::BTreeMap;

/// Prefix of the names of findings that only sanitizers see; the number of their test or run follows. They are
/// numbered separately, since the moment at which they are seen is not deterministic, and the names of all
/// other findings must be the same whenever a campaign is repeated.
pub(crate) const SANITIZED: &str = "san:";

/// A finding, with all that is needed to write its report again.
#[derive(Debug)]
pub(crate) struct LedgerEntry {
    pub folder: TestFolder,
    /// Common part of the names of its files.
    pub name: String,
    pub fault: Fault,
    /// Exit status of the program on its input.
    pub end: ExitKind,
    pub finding: Finding,
    /// The smallest input.
    pub input: Input,
}

/// The findings of a campaign, in the order they were found.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub entries: Vec<LedgerEntry>,
    by_key: BTreeMap<FaultKey, usize>,
}

impl Ledger {
    /// Adds an entry; returns its index, and that of an entry which it supersedes.
    pub fn add(&mut self, entry: LedgerEntry) -> (usize, Option<usize>) {
        let index = self.entries.len();
        let (key, is_duplicate) = (entry.fault.key(), entry.finding.same_as.is_some());
        self.entries.push(entry);
        let superseded =
            if is_duplicate { None } else { self.claim(index, key).err().and_then(Conflict::superseded) };
        (index, superseded)
    }

    /// Assigns a key to an entry, unless another one has it. Findings seen by sanitizers only give way.
    fn claim(&mut self, index: usize, key: FaultKey) -> Result<(), Conflict> {
        let other = *self.by_key.entry(key.clone()).or_insert(index);
        if other == index || self.entries[other].finding.same_as.is_some() {
            self.by_key.insert(key, index);
            return Ok(());
        }
        if self.entries[other].is_sanitizers_own() && !self.entries[index].is_sanitizers_own() {
            self.by_key.insert(key, index);
            self.entries[other].finding.same_as = Some(self.entries[index].name.clone());
            return Err(Conflict::Superseded(other));
        }
        Err(Conflict::Taken(other))
    }

    /// Returns the index of the entry with this key.
    pub fn find(&self, key: &FaultKey) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// Integrates the results of the reference builds for an entry; returns the indices of all entries that
    /// changed. If a sanitizer reports the cause at another line, and another finding has that key already,
    /// the two are merged.
    pub fn integrate(&mut self, index: usize, results: &BuildResults) -> Vec<usize> {
        let LedgerEntry { fault, end, .. } = &self.entries[index];
        let by = confirmed_by(fault, *end, results);
        let causes = results.errors.iter().filter(|(error, _)| explains(error, fault));
        let causes: Vec<FaultKey> = causes.map(|(error, _)| error.key()).collect();
        let mut changed = vec![index];
        for cause in causes {
            match self.claim(index, cause) {
                Ok(()) => {}
                Err(Conflict::Superseded(other)) => changed.push(other),
                Err(Conflict::Taken(other)) => {
                    self.entries[index].finding.same_as = Some(self.entries[other].name.clone());
                }
            }
        }
        let finding = &mut self.entries[index].finding;
        if results.plain.is_some() || results.sanitized.is_some() {
            finding.confirmed_by = by.into_iter().map(str::to_owned).collect();
            finding.confirmed = !finding.confirmed_by.is_empty();
        }
        if let Some((first, _)) = results.errors.first() {
            finding.sanitizer = Some(results.errors.iter().map(|(error, _)| error.text.as_str()).collect());
            if finding.frames.len() < first.frames.len() && is_at(first.location(), finding) {
                finding.frames = first.frames.iter().map(Frame::new).collect();
            }
        }
        changed
    }

    /// Returns the distinct findings: those that are not merged into another one.
    pub fn distinct(&self) -> impl Iterator<Item = &LedgerEntry> {
        self.entries.iter().filter(|entry| entry.finding.same_as.is_none())
    }

    /// Returns corrections to the corpus' count of findings in a folder: how many of those it counted were
    /// merged into others, and how many sanitizers found that it did not count.
    pub fn correction(&self, folder: TestFolder) -> (u64, u64) {
        let here = self.entries.iter().filter(|entry| entry.folder == folder);
        let same = here.clone().filter(|entry| entry.finding.same_as.is_some() && !entry.is_sanitizers_own());
        let own = here.filter(|entry| entry.finding.same_as.is_none() && entry.is_sanitizers_own());
        (same.count() as u64, own.count() as u64)
    }
}

/// Reason why a key could not just be assigned.
enum Conflict {
    /// The entry that had the key was superseded.
    Superseded(usize),
    /// The entry that has the key keeps it.
    Taken(usize),
}

impl Conflict {
    fn superseded(self) -> Option<usize> {
        if let Conflict::Superseded(other) = self { Some(other) } else { None }
    }
}

impl LedgerEntry {
    /// True if only sanitizers have seen it.
    pub fn is_sanitizers_own(&self) -> bool {
        self.name.starts_with(SANITIZED)
    }
}

/// Returns the name of the `nth` finding that sanitizers saw on a path.
pub(crate) fn sanitized_name(path: &CheckedPath, nth: usize) -> String {
    let suffix = if nth == 0 { String::new() } else { format!(".{nth}") };
    match path.test {
        Some(test) => format!("{SANITIZED}{test:06}{suffix}"),
        None => format!("{SANITIZED}run{:06}{suffix}", path.execution),
    }
}

fn is_at(location: Option<FaultLocation>, finding: &Finding) -> bool {
    let place = finding.place.as_ref();
    let place = place.and_then(|place| Some(FaultLocation::Line(place.file.clone()?, place.line?)));
    location.is_some() && location == place
}

#[cfg(test)]
mod tests {
    use super::super::fault_kind::FaultKind;
    use super::super::request_queue::Request;
    use super::super::sanitizer::SanitizerError;
    use super::*;
    use cairn_program::SourceFrame;

    fn entry(name: &str, kind: FaultKind, at: u32, signal: Option<i32>) -> LedgerEntry {
        let location = Some(FaultLocation::Line("a.c".to_owned(), at));
        let fault = Fault { kind, location, function: None, is_silent: signal.is_none() };
        let end = signal.map_or(ExitKind::Exit(0), ExitKind::Signal);
        let (finding, input) = Default::default();
        LedgerEntry { folder: TestFolder::Crashes, name: name.to_owned(), fault, end, finding, input }
    }

    fn results(plain: Option<ExitKind>, kind: FaultKind, at: u32) -> BuildResults {
        let frames = vec![SourceFrame { function: "f".to_owned(), line: Some(("a.c".to_owned(), at)) }];
        let error = SanitizerError { kind, frames, text: String::new(), is_fatal: true };
        let (sanitized, errors) = (Some(ExitKind::Exit(1)), vec![(error, Input::default())]);
        BuildResults { request: Request::Finding(0), plain, sanitized, errors }
    }

    #[test]
    fn crashes_with_one_cause_are_one() {
        let mut ledger = Ledger::default();
        let heap = || FaultKind::Memory("heap buffer overflow".to_owned());
        ledger.add(entry("san:000001", heap(), 3, None));
        let (first, _) = ledger.add(entry("id:000000", FaultKind::HeapCorruption, 9, Some(6)));
        let (second, _) = ledger.add(entry("id:000001", FaultKind::InvalidRead, 12, Some(11)));
        // The finding of the sanitizers is merged into the crash.
        let changed = ledger.integrate(first, &results(Some(ExitKind::Signal(6)), heap(), 3));
        assert_eq!(changed, [first, 0]);
        ledger.integrate(second, &results(Some(ExitKind::Signal(11)), heap(), 3));
        let names: Vec<&str> = ledger.distinct().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["id:000000"]);
        assert_eq!(ledger.entries[second].finding.same_as.as_deref(), Some("id:000000"));
        assert_eq!(ledger.correction(TestFolder::Crashes), (1, 0));
    }
}
