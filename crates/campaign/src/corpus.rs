//! Which inputs are worth keeping, and under which name.
//!
//! A test is kept if it takes a branch that no kept run took before. A crash or hang is kept if it is
//! another one than those known: another kind of fault, or at another place of the program (after
//! another last symbolic decision, if the place is not known). A known one is kept once more if it
//! takes a new branch, since no other input shows that branch then. Whatever else is wrong with a run is kept as
//! crashes are, each fault as a file of its own.

use crate::findings::Key;
use crate::triage::Mark;
use cairn_exec::{ExitKind, Severity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Where in the campaign directory an input goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TestFolder {
    /// Tests.
    Queue,
    /// Inputs that break the program.
    Crashes,
    /// Inputs on which it does not end in time.
    Hangs,
}

impl TestFolder {
    /// All places.
    pub const ALL: [TestFolder; 3] = [TestFolder::Queue, TestFolder::Crashes, TestFolder::Hangs];

    /// Its directory.
    pub const fn directory(self) -> &'static str {
        match self {
            TestFolder::Queue => "queue",
            TestFolder::Crashes => "crashes",
            TestFolder::Hangs => "hangs",
        }
    }
}

/// How an input came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Origin {
    /// Given from outside.
    Given,
    /// Random bytes.
    Random,
    /// Solved for a flip.
    Flip,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Origin::Given => "seed",
            Origin::Random => "random",
            Origin::Flip => "flip",
        }
    }
}

/// What decides about keeping a run's input.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub end: ExitKind,
    /// What is wrong with it, what it ended with first.
    pub marks: Vec<Mark>,
    pub new_branches: usize,
    pub origin: Origin,
    /// The test that the input was made from.
    pub parent: Option<u32>,
    pub execution: u64,
}

/// An input to keep.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Keep {
    pub place: TestFolder,
    /// Number in its place.
    pub id: u32,
    /// File name, without an extension.
    pub name: String,
    /// What finding it is, if it is the first of its kind.
    pub finding: Option<Mark>,
}

/// What was kept so far.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    /// Files per place.
    files: [u32; 3],
    /// The next file's number per place.
    next: [u32; 3],
    /// Different findings per place.
    kinds: [u32; 3],
    findings: BTreeSet<Key>,
}

impl Corpus {
    /// Numbers below these are taken, in each place.
    pub fn reserve(&mut self, numbers: [u32; 3]) {
        self.next = numbers;
    }

    /// Takes note of a run that was decided about before: these files were made of it.
    pub fn recall(&mut self, kept: &[Keep]) {
        for keep in kept {
            self.files[keep.place as usize] += 1;
            // The file may be missing.
            self.next[keep.place as usize] = self.next[keep.place as usize].max(keep.id + 1);
            if let Some(mark) = &keep.finding {
                self.is_new_finding(keep.place, mark);
            }
        }
    }

    /// Decides about an input.
    pub fn judge(&mut self, candidate: &Candidate) -> Vec<Keep> {
        let Some(place) = place(candidate.end) else { return Vec::new() };
        let (ended, silent): (Vec<&Mark>, Vec<&Mark>) =
            candidate.marks.iter().partition(|mark| !mark.is_silent);
        let finding = ended.into_iter().next().filter(|mark| self.is_new_finding(place, mark));
        // The first test is kept even if the program has no branch at all.
        let is_first = place == TestFolder::Queue && self.files[place as usize] == 0;
        let mut kept = Vec::new();
        if is_first || finding.is_some() || candidate.new_branches > 0 {
            let suffix = (place == TestFolder::Crashes).then(|| candidate.end.suffix());
            kept.push(self.keep(place, candidate, suffix, finding.cloned()));
        }
        for mark in silent {
            if self.is_new_finding(TestFolder::Crashes, mark) {
                let suffix = Some(mark.kind.suffix().to_owned());
                kept.push(self.keep(TestFolder::Crashes, candidate, suffix, Some(mark.clone())));
            }
        }
        kept
    }

    fn keep(
        &mut self,
        place: TestFolder,
        candidate: &Candidate,
        suffix: Option<String>,
        finding: Option<Mark>,
    ) -> Keep {
        let id = self.next[place as usize];
        self.next[place as usize] += 1;
        self.files[place as usize] += 1;
        Keep { place, id, name: name(id, candidate, suffix), finding }
    }

    fn is_new_finding(&mut self, place: TestFolder, mark: &Mark) -> bool {
        let is_new = self.findings.insert(mark.key());
        self.kinds[place as usize] += u32::from(is_new);
        is_new
    }

    /// Whether there is a file that shows this fault.
    pub fn knows(&self, mark: &Mark) -> bool {
        self.findings.contains(&mark.key())
    }

    /// Files kept in all places together.
    pub fn all_files(&self) -> u32 {
        self.files.iter().sum()
    }

    /// Tests kept.
    pub fn tests(&self) -> u64 {
        self.files(TestFolder::Queue)
    }

    /// Files kept in a place.
    pub fn files(&self, place: TestFolder) -> u64 {
        self.files[place as usize].into()
    }

    /// Different crashes.
    pub fn crashes(&self) -> u64 {
        self.kinds[TestFolder::Crashes as usize].into()
    }

    /// Different hangs.
    pub fn hangs(&self) -> u64 {
        self.kinds[TestFolder::Hangs as usize].into()
    }
}

/// Where inputs go on which the program ends so.
fn place(end: ExitKind) -> Option<TestFolder> {
    match end.severity() {
        Severity::Rejected => None,
        Severity::Ok => Some(TestFolder::Queue),
        Severity::Crash => Some(TestFolder::Crashes),
        Severity::Hang => Some(TestFolder::Hangs),
    }
}

/// A name after AFL's habit. It holds no time, so that a campaign repeated has the same names.
fn name(id: u32, candidate: &Candidate, suffix: Option<String>) -> String {
    let mut name = format!("id:{id:06}");
    if let Some(suffix) = suffix {
        name += &format!(",{suffix}");
    }
    if let Some(parent) = candidate.parent {
        name += &format!(",src:{parent:06}");
    }
    name += &format!(",execs:{},op:{}", candidate.execution, candidate.origin.name());
    if candidate.new_branches > 0 {
        name += ",+cov";
    }
    name
}
