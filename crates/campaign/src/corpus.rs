//! Which inputs are worth keeping, and under which name.
//!
//! A test is kept if it takes a branch that no kept run took before. A crash or hang is kept if it is
//! another one than those known: it ends in another way or at another place of the program (after
//! another last symbolic decision, if the place is not known). A known one is kept once more if it
//! takes a new branch, since no other input shows that branch then.

use crate::triage::Spot;
use cairn_exec::{End, Severity};
use cairn_program::SiteId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Where in the campaign directory an input goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Place {
    /// Tests.
    Queue,
    /// Inputs that break the program.
    Crashes,
    /// Inputs on which it does not end in time.
    Hangs,
}

impl Place {
    /// All places.
    pub const ALL: [Place; 3] = [Place::Queue, Place::Crashes, Place::Hangs];

    /// Its directory.
    pub const fn directory(self) -> &'static str {
        match self {
            Place::Queue => "queue",
            Place::Crashes => "crashes",
            Place::Hangs => "hangs",
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
    pub end: End,
    /// Where in the program's own code it crashed.
    pub spot: Option<Spot>,
    /// Place and side of the last symbolic decision.
    pub last: Option<(SiteId, u32)>,
    pub new_branches: usize,
    pub origin: Origin,
    /// The test that the input was made from.
    pub parent: Option<u32>,
    pub execution: u64,
}

/// An input to keep.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Keep {
    pub place: Place,
    /// Number in its place.
    pub id: u32,
    /// File name, without an extension.
    pub name: String,
    /// Whether it is a finding, and the first of its kind.
    pub is_new_finding: bool,
}

/// What makes two findings the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Finding {
    place: Place,
    end: String,
    spot: Option<Spot>,
    last: Option<(SiteId, u32)>,
}

impl Finding {
    fn new(place: Place, candidate: &Candidate) -> Finding {
        let (spot, last) = (candidate.spot.clone(), candidate.last);
        Finding { place, end: candidate.end.suffix(), last: last.filter(|_| spot.is_none()), spot }
    }
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
    findings: BTreeSet<Finding>,
}

impl Corpus {
    /// Numbers below these are taken, in each place.
    pub fn reserve(&mut self, numbers: [u32; 3]) {
        self.next = numbers;
    }

    /// Takes note of an input that was decided about before: this file was made of it, or none.
    pub fn recall(&mut self, candidate: &Candidate, keep: Option<&Keep>) {
        let place = place(candidate.end);
        if let Some(place) = place {
            self.is_new_finding(place, candidate);
        }
        if let Some(keep) = keep {
            self.files[keep.place as usize] += 1;
            // The file may be missing.
            self.next[keep.place as usize] = self.next[keep.place as usize].max(keep.id + 1);
            // The program does not repeat itself: what it did is not undone by that.
            let is_missing = keep.place != Place::Queue && place != Some(keep.place);
            self.kinds[keep.place as usize] += u32::from(is_missing);
        }
    }

    /// Decides about an input.
    pub fn judge(&mut self, candidate: &Candidate) -> Option<Keep> {
        let place = place(candidate.end)?;
        // The first test is kept even if the program has no branch at all.
        let is_first = place == Place::Queue && self.files[place as usize] == 0;
        let is_new_finding = self.is_new_finding(place, candidate);
        if !is_first && !is_new_finding && candidate.new_branches == 0 {
            return None;
        }
        let id = self.next[place as usize];
        self.next[place as usize] += 1;
        self.files[place as usize] += 1;
        Some(Keep { place, id, name: name(place, id, candidate), is_new_finding })
    }

    fn is_new_finding(&mut self, place: Place, candidate: &Candidate) -> bool {
        let is_new = place != Place::Queue && self.findings.insert(Finding::new(place, candidate));
        self.kinds[place as usize] += u32::from(is_new);
        is_new
    }

    /// Files kept in all places together.
    pub fn all_files(&self) -> u32 {
        self.files.iter().sum()
    }

    /// Tests kept.
    pub fn tests(&self) -> u64 {
        self.files[Place::Queue as usize].into()
    }

    /// Different crashes.
    pub fn crashes(&self) -> u64 {
        self.kinds[Place::Crashes as usize].into()
    }

    /// Different hangs.
    pub fn hangs(&self) -> u64 {
        self.kinds[Place::Hangs as usize].into()
    }
}

/// Where inputs go on which the program ends so.
fn place(end: End) -> Option<Place> {
    match end.severity() {
        Severity::Rejected => None,
        Severity::Ok => Some(Place::Queue),
        Severity::Crash => Some(Place::Crashes),
        Severity::Hang => Some(Place::Hangs),
    }
}

/// A name after AFL's habit. It holds no time, so that a campaign repeated has the same names.
fn name(place: Place, id: u32, candidate: &Candidate) -> String {
    let mut name = format!("id:{id:06}");
    if place == Place::Crashes {
        name += &format!(",{}", candidate.end.suffix());
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
