//! The corpus: decides which inputs are kept, and names them.
//!
//! A test is kept if it covers a branch that no kept run covered before. A crash or hang is kept if it is a
//! new fault: of another kind, or at another location (after another last symbolic decision, if the location
//! is not known). A known one is kept again if it covers a new branch, since no other input shows that
//! branch. Each silent fault of a run is kept as a crash, in a file of its own.

use crate::findings::fault::{Fault, FaultKey};
use crate::test_folder::TestFolder;
use cairn_exec::{ExitKind, Severity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Origin of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Origin {
    /// Given by the user, by another fuzzer, or found in the directory.
    Given,
    /// Random bytes.
    Random,
    /// Solved for a flip.
    Flip,
    /// A mutant of the input of another run.
    Mutation,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Origin::Given => "seed",
            Origin::Random => "random",
            Origin::Flip => "flip",
            Origin::Mutation => "mutation",
        }
    }
}

/// Facts that decide if a run's input is kept.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub end: ExitKind,
    /// Faults of the run; the one that ended it comes first.
    pub faults: Vec<Fault>,
    pub new_branches: usize,
    pub origin: Origin,
    /// Test that the input was derived from.
    pub parent: Option<u32>,
    pub execution: u64,
}

/// An input to write to the campaign directory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct KeptInput {
    pub folder: TestFolder,
    /// Number within the folder.
    pub id: u32,
    /// File name, without extension.
    pub name: String,
    /// Fault that this input is the first to show.
    pub fault: Option<Fault>,
}

/// Counts of kept inputs, and the faults they show.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    /// Number of files per folder.
    files: [u32; 3],
    /// Next file number per folder.
    next: [u32; 3],
    /// Number of distinct faults per folder.
    faults: [u32; 3],
    known: BTreeSet<FaultKey>,
}

impl Corpus {
    /// Reserves the file numbers below `numbers`, per folder.
    pub fn reserve(&mut self, numbers: [u32; 3]) {
        self.next = numbers;
    }

    /// Integrates the recorded decision about a replayed run: these files were written for it.
    pub fn replay(&mut self, kept: &[KeptInput]) {
        for keep in kept {
            self.files[keep.folder as usize] += 1;
            // The file may be missing.
            self.next[keep.folder as usize] = self.next[keep.folder as usize].max(keep.id + 1);
            if let Some(fault) = &keep.fault {
                self.is_new_fault(keep.folder, fault);
            }
        }
    }

    /// Decides which files are written for an input.
    pub fn decide(&mut self, candidate: &Candidate) -> Vec<KeptInput> {
        let Some(folder) = folder(candidate.end) else { return Vec::new() };
        let (ending, silent): (Vec<&Fault>, Vec<&Fault>) =
            candidate.faults.iter().partition(|fault| !fault.is_silent);
        let fault = ending.into_iter().next().filter(|fault| self.is_new_fault(folder, fault));
        // The first test is kept even if the program has no branch at all.
        let is_first = folder == TestFolder::Queue && self.files[folder as usize] == 0;
        let mut kept = Vec::new();
        if is_first || fault.is_some() || candidate.new_branches > 0 {
            let suffix = (folder == TestFolder::Crashes).then(|| candidate.end.suffix());
            kept.push(self.keep(folder, candidate, suffix, fault.cloned()));
        }
        for fault in silent {
            if self.is_new_fault(TestFolder::Crashes, fault) {
                let suffix = Some(fault.kind.suffix().to_owned());
                kept.push(self.keep(TestFolder::Crashes, candidate, suffix, Some(fault.clone())));
            }
        }
        kept
    }

    fn keep(
        &mut self,
        folder: TestFolder,
        candidate: &Candidate,
        suffix: Option<String>,
        fault: Option<Fault>,
    ) -> KeptInput {
        let id = self.next[folder as usize];
        self.next[folder as usize] += 1;
        self.files[folder as usize] += 1;
        KeptInput { folder, id, name: name(id, candidate, suffix), fault }
    }

    fn is_new_fault(&mut self, folder: TestFolder, fault: &Fault) -> bool {
        let is_new = self.known.insert(fault.key());
        self.faults[folder as usize] += u32::from(is_new);
        is_new
    }

    /// True if a kept input shows this fault.
    pub fn has_fault(&self, fault: &Fault) -> bool {
        self.known.contains(&fault.key())
    }

    /// Returns the number of files in all folders.
    pub fn all_files(&self) -> u32 {
        self.files.iter().sum()
    }

    /// Returns the number of tests.
    pub fn tests(&self) -> u64 {
        self.files(TestFolder::Queue)
    }

    /// Returns the number of files in a folder.
    pub fn files(&self, folder: TestFolder) -> u64 {
        self.files[folder as usize].into()
    }

    /// Returns the number of distinct faults in a folder.
    pub fn faults(&self, folder: TestFolder) -> u64 {
        self.faults[folder as usize].into()
    }
}

/// Returns the folder for inputs on which the program ends like this; None if they are rejected.
fn folder(end: ExitKind) -> Option<TestFolder> {
    match end.severity() {
        Severity::Rejected => None,
        Severity::Ok => Some(TestFolder::Queue),
        Severity::Crash => Some(TestFolder::Crashes),
        Severity::Hang => Some(TestFolder::Hangs),
    }
}

/// Returns a name in the style of AFL. It holds no time, so that a repeated campaign has the same names.
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
