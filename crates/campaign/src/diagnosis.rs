//! Why a campaign stalls: what became of symbolic data, by place in the program.
//!
//! [`Diagnosis`] looks at every run of a campaign that asks for it, and makes [`Reason`]s of what it has seen.

use crate::executor::Execution;
use crate::prediction::is_users;
use crate::summary::Notes;
use cairn_exec::{ExitKind, Object, RunFlags, StepKind, Trace, signal_name};
use cairn_expr::Dag;
use cairn_program::{Program, Site, SiteId};
use cairn_tree::Coverage;
use cairn_wire::{Loss, ObjectKind};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a reason is about, the most important first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// No part of the input is symbolic.
    NothingSymbolic,
    /// Every run was refused by an assumption.
    AllRefused,
    /// An input object that no decision depends on.
    UnusedInput,
    /// A function without instrumentation or model was given symbolic data.
    ForeignFunction,
    /// A symbolic value went into something that is not followed.
    Concretised,
    /// A symbolic address or size was used as one constant after the other.
    Pinned,
    /// Code without instrumentation wrote over symbolic data.
    Overwritten,
    /// A run recorded more than there is room for.
    Full,
    /// The solver had no answer.
    Unanswered,
    /// A run went elsewhere than predicted.
    Diverged,
    /// A run went elsewhere than another one after the same decisions.
    Nondeterministic,
    /// Several threads computed with the input, and runs went elsewhere than predicted.
    Threads,
    /// A run did not end in time.
    Hang,
    /// A run ends in time, but not while it is traced.
    Slow,
    /// A run was killed from outside.
    Killed,
    /// A run wrote over its recording.
    Damaged,
    /// A run took the fork server along.
    LostRun,
    /// A condition with a side that was never taken is not computed from the input.
    Independent,
}

/// One reason why exploration stalls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// What it is about.
    pub kind: ReasonKind,
    /// How often it was seen.
    pub count: u64,
    /// Source file and line, if it has a place.
    pub place: Option<String>,
    /// What exactly: an object, a function, an operation.
    pub about: Option<String>,
}

/// Takes in what every run shows.
#[derive(Debug, Default)]
pub struct Diagnosis {
    losses: BTreeMap<(SiteId, Loss), u64>,
    /// By site; for those outside the user's code also the last decision in it before.
    pins: BTreeMap<(SiteId, Option<SiteId>), u64>,
    unanswered: BTreeMap<SiteId, u64>,
    decided: BTreeSet<SiteId>,
    /// By number: what the object is, and whether a decision depends on it.
    objects: Vec<(String, bool)>,
    /// How many runs lacked room, for what.
    full: BTreeMap<&'static str, u64>,
    overwritten: u64,
    runs: u64,
    hangs: u64,
    kills: u64,
}

impl Diagnosis {
    /// Takes in a run.
    pub fn look(&mut self, program: &Program, dag: &Dag, execution: &Execution) {
        let Execution { run, trace } = execution;
        self.runs += 1;
        for object in run.input.objects.iter().skip(self.objects.len()) {
            self.objects.push((described(object), false));
        }
        self.look_at_path(program, dag, trace);
        self.look_at_flags(&run.flags);
        match run.end {
            ExitKind::Timeout => self.hangs += 1,
            ExitKind::Signal(signal) if signal_name(signal) == Some("SIGKILL") => self.kills += 1,
            ExitKind::OutOfMemory => self.kills += 1,
            ExitKind::Exit(_)
            | ExitKind::Signal(_)
            | ExitKind::TooManyProcesses
            | ExitKind::OutOfScratch
            | ExitKind::Rejected => {}
        }
    }

    fn look_at_path(&mut self, program: &Program, dag: &Dag, trace: &Trace) {
        let mut last_of_users = None;
        for loss in &trace.losses {
            *self.losses.entry((loss.site, loss.why)).or_default() += 1;
        }
        for step in trace.steps.iter().filter(|step| dag.as_constant(step.value).is_none()) {
            let is_users = is_users(program, step.site);
            let before = last_of_users.filter(|_| !is_users);
            if is_users {
                last_of_users = Some(step.site);
            }
            match step.kind {
                StepKind::Branch => drop(self.decided.insert(step.site)),
                StepKind::Concretization => *self.pins.entry((step.site, before)).or_default() += 1,
                StepKind::Constraint => continue,
            }
            for byte in dag.inputs(step.value) {
                if let Some(object) = self.objects.get_mut(byte.object as usize) {
                    object.1 = true;
                }
            }
        }
    }

    fn look_at_flags(&mut self, flags: &RunFlags) {
        let lacks = [
            (flags.labels_full, "symbolic values"),
            (flags.events_full, "decisions"),
            (flags.objects_full, "input objects"),
        ];
        for (_, what) in lacks.into_iter().filter(|(lacking, _)| *lacking) {
            *self.full.entry(what).or_default() += 1;
        }
        self.overwritten += flags.stale;
    }

    /// The solver had no answer to a question about this place.
    pub fn unanswered(&mut self, site: SiteId) {
        *self.unanswered.entry(site).or_default() += 1;
    }

    /// Sites that the solver had no answer about, and how often.
    pub(crate) fn all_unanswered(&self) -> Vec<(u32, u64)> {
        self.unanswered.iter().map(|(site, count)| (site.0, *count)).collect()
    }

    /// Takes in what a campaign knows of its sites: which the input decided, and how often the solver had no answer.
    pub fn recall(&mut self, decided: impl IntoIterator<Item = SiteId>, unanswered: &[(u32, u64)]) {
        self.decided.extend(decided);
        self.unanswered.extend(unanswered.iter().map(|(site, count)| (SiteId(*site), *count)));
    }

    /// All that was found, the most important first.
    pub fn reasons(
        self,
        program: &Program,
        coverage: &Coverage,
        notes: &Notes,
        divergences: u64,
    ) -> Vec<Reason> {
        let mut list = List { program, reasons: BTreeMap::new() };
        if self.objects.is_empty() {
            list.add(ReasonKind::NothingSymbolic, 1, None);
        }
        if notes.rejected_runs == self.runs {
            list.add(ReasonKind::AllRefused, self.runs, None);
        }
        for (name, _) in self.objects.iter().filter(|(_, used)| !used) {
            list.add(ReasonKind::UnusedInput, 1, Some(name.clone()));
        }
        for ((site, why), count) in &self.losses {
            list.add_loss(*site, *why, *count);
        }
        for ((site, before), count) in &self.pins {
            list.add_pin(*site, *before, *count);
        }
        list.add(ReasonKind::Overwritten, self.overwritten, None);
        for (what, count) in &self.full {
            list.add(ReasonKind::Full, *count, Some((*what).to_owned()));
        }
        list.add_places(ReasonKind::Unanswered, &self.unanswered);
        let first = notes.divergences.first().map(|divergence| divergence.explanation.clone());
        list.add(ReasonKind::Diverged, divergences, first);
        if divergences > 0 {
            list.add(ReasonKind::Threads, notes.threaded_runs, None);
        }
        list.add(ReasonKind::Hang, self.hangs, None);
        list.add(ReasonKind::Slow, notes.slow_runs, None);
        list.add(ReasonKind::Killed, self.kills, None);
        list.add(ReasonKind::Nondeterministic, notes.nondeterministic_runs, None);
        list.add(ReasonKind::Damaged, notes.damaged_runs, None);
        list.add(ReasonKind::LostRun, notes.lost_runs, None);
        list.add_independent(&self.decided, coverage);
        list.sorted()
    }
}

/// Reasons in the making: how often each was seen, by kind, place, and what exactly.
struct List<'a> {
    program: &'a Program,
    reasons: BTreeMap<(ReasonKind, Option<String>, Option<String>), u64>,
}

impl List<'_> {
    /// Adds what was seen at least once.
    fn add(&mut self, kind: ReasonKind, count: u64, about: Option<String>) {
        if count > 0 {
            *self.reasons.entry((kind, None, about)).or_default() += count;
        }
    }

    fn add_place(&mut self, kind: ReasonKind, count: u64, site: SiteId, about: Option<String>) {
        *self.reasons.entry((kind, self.place(site), about)).or_default() += count;
    }

    fn add_pin(&mut self, site: SiteId, before: Option<SiteId>, count: u64) {
        let line = before.and_then(|before| self.place(before));
        let about = line.map(|line| format!("after the decision at {line}"));
        self.add_place(ReasonKind::Pinned, count, site, about);
    }

    fn add_places(&mut self, kind: ReasonKind, places: &BTreeMap<SiteId, u64>) {
        for (site, count) in places {
            self.add_place(kind, *count, *site, None);
        }
    }

    fn add_loss(&mut self, site: SiteId, why: Loss, count: u64) {
        let (kind, about) = match (why, self.callee(site)) {
            (Loss::Foreign, name) => (ReasonKind::ForeignFunction, name),
            (Loss::Output, Some(name)) => {
                (ReasonKind::Concretised, Some(format!("{} ({name})", what_of(why))))
            }
            (Loss::Instruction, Some(name)) => {
                (ReasonKind::Concretised, Some(format!("the instruction {name}")))
            }
            (why, _) => (ReasonKind::Concretised, Some(what_of(why).to_owned())),
        };
        self.add_place(kind, count, site, about);
    }

    /// Conditions of the user's that were met, have a side left, and were never decided by the input.
    fn add_independent(&mut self, decided: &BTreeSet<SiteId>, coverage: &Coverage) {
        for (id, site) in self.program.sites().filter(|(id, site)| site.counted && !decided.contains(id)) {
            let (taken, left): (Vec<_>, Vec<_>) = site.branches().partition(|b| coverage.is_covered(*b));
            if !taken.is_empty() && !left.is_empty() {
                self.add_place(ReasonKind::Independent, left.len() as u64, id, None);
            }
        }
    }

    /// The most important first, and of one kind the most frequent.
    fn sorted(self) -> Vec<Reason> {
        let reason = |((kind, place, about), count)| Reason { kind, count, place, about };
        let mut reasons: Vec<Reason> = self.reasons.into_iter().map(reason).collect();
        reasons.sort_by_key(|reason| (reason.kind, std::cmp::Reverse(reason.count)));
        reasons
    }

    fn known(&self, site: SiteId) -> Option<&Site> {
        (site.0 < self.program.site_count()).then(|| self.program.site(site))
    }

    /// File and line of a site in the user's code; others have no line that means anything to the user.
    fn place(&self, site: SiteId) -> Option<String> {
        match is_users(self.program, site) {
            true => self.known(site).map(|site| format!("{}:{}", site.file, site.line)),
            false => Some("in a library function".to_owned()),
        }
    }

    fn callee(&self, site: SiteId) -> Option<String> {
        self.known(site)?.callee.as_deref().map(str::to_owned)
    }
}

/// An object as the user knows it.
fn described(object: &Object) -> String {
    match object.kind {
        ObjectKind::Stdin => "standard input".to_owned(),
        ObjectKind::File => format!("the file {}", object.name),
        ObjectKind::Arg => format!("argument {}", object.index),
        ObjectKind::ArgCount => "the number of arguments".to_owned(),
        ObjectKind::Named => format!("the object {}", object.name),
    }
}

/// A loss in words: the function that was called, the instruction, or what else is not followed.
pub(crate) fn name_of_loss(program: &Program, site: SiteId, why: Loss) -> String {
    let known = (site.0 < program.site_count()).then(|| program.site(site));
    match (why, known.and_then(|site| site.callee.as_deref())) {
        (Loss::Foreign, Some(name)) => name.to_owned(),
        (Loss::Instruction, Some(name)) => format!("the instruction {name}"),
        (why, _) => what_of(why).to_owned(),
    }
}

fn what_of(why: Loss) -> &'static str {
    match why {
        Loss::LongDouble => "long double",
        Loss::Assembly => "inline assembly",
        Loss::Foreign => "a function that is not followed",
        Loss::Vector => "a vector",
        Loss::Atomic => "an atomic operation",
        Loss::Wide => "more than 128 bits",
        Loss::SharedObject => "a decision in a shared library",
        Loss::Instruction => "an instruction that is not followed",
        Loss::Memory => "large or changing memory at a symbolic address",
        Loss::Mismatch => "a call of a function by another type than it has",
        Loss::Arguments => "a call with more arguments than are followed",
        Loss::Size => "the size of a large object",
        Loss::Output => "output that the program may get back",
    }
}
