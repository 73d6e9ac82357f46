//! Diagnosis of a campaign that stalls: what became of symbolic data, by site.
//!
//! [`Diagnosis`] inspects every run of a campaign that asks for it, and derives [`Reason`]s.

use super::divergence::is_in_user_code;
use super::losses;
use super::notes::Notes;
use super::reason::{Reason, ReasonKind};
use crate::execution::executor::Execution;
use cairn_exec::{ExitKind, RunFlags, StepKind, Trace, signal_name};
use cairn_expr::Dag;
use cairn_program::{Program, SiteId};
use cairn_tree::Coverage;
use cairn_wire::Loss;
use std::collections::{BTreeMap, BTreeSet};

/// Collects observations of runs.
#[derive(Debug, Default)]
pub struct Diagnosis {
    losses: BTreeMap<(SiteId, Loss), u64>,
    /// Concretizations by site; for those outside the user's code also by the last decision in it before.
    concretizations: BTreeMap<(SiteId, Option<SiteId>), u64>,
    unanswered: BTreeMap<SiteId, u64>,
    decided: BTreeSet<SiteId>,
    /// Description of each input object, and true if a decision depends on it.
    objects: Vec<(String, bool)>,
    /// Number of runs whose trace was truncated, by what there was no room for.
    full: BTreeMap<&'static str, u64>,
    overwritten: u64,
    runs: u64,
    hangs: u64,
    kills: u64,
}

impl Diagnosis {
    /// Inspects a run.
    pub fn inspect(&mut self, program: &Program, dag: &Dag, execution: &Execution) {
        let Execution { run, trace } = execution;
        self.runs += 1;
        for object in run.input.objects.iter().skip(self.objects.len()) {
            self.objects.push((object.description(), false));
        }
        self.inspect_path(program, dag, trace);
        self.inspect_flags(&run.flags);
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

    fn inspect_path(&mut self, program: &Program, dag: &Dag, trace: &Trace) {
        let mut last_of_users = None;
        for loss in &trace.losses {
            *self.losses.entry((loss.site, loss.why)).or_default() += 1;
        }
        for step in trace.steps.iter().filter(|step| dag.as_constant(step.value).is_none()) {
            let is_users = is_in_user_code(program, step.site);
            let before = last_of_users.filter(|_| !is_users);
            if is_users {
                last_of_users = Some(step.site);
            }
            match step.kind {
                StepKind::Branch => drop(self.decided.insert(step.site)),
                StepKind::Concretization => {
                    *self.concretizations.entry((step.site, before)).or_default() += 1
                }
                StepKind::Constraint => continue,
            }
            for byte in dag.inputs(step.value) {
                if let Some(object) = self.objects.get_mut(byte.object as usize) {
                    object.1 = true;
                }
            }
        }
    }

    fn inspect_flags(&mut self, flags: &RunFlags) {
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

    /// Counts a query about this site that the solver gave up on.
    pub fn unanswered(&mut self, site: SiteId) {
        *self.unanswered.entry(site).or_default() += 1;
    }

    /// Returns the sites whose queries the solver gave up on, with counts.
    pub(crate) fn all_unanswered(&self) -> Vec<(u32, u64)> {
        self.unanswered.iter().map(|(site, count)| (site.0, *count)).collect()
    }

    /// Restores what a campaign snapshot holds: the sites that the input decided, and the counts of
    /// unanswered queries.
    pub fn recall(&mut self, decided: impl IntoIterator<Item = SiteId>, unanswered: &[(u32, u64)]) {
        self.decided.extend(decided);
        self.unanswered.extend(unanswered.iter().map(|(site, count)| (SiteId(*site), *count)));
    }

    /// Returns all reasons, the most important first.
    pub fn reasons(
        self,
        program: &Program,
        coverage: &Coverage,
        notes: &Notes,
        divergences: u64,
    ) -> Vec<Reason> {
        let mut list = ReasonList { program, reasons: BTreeMap::new() };
        if self.objects.is_empty() {
            list.add(ReasonKind::NothingSymbolic, 1, None);
        }
        if notes.rejected_runs == self.runs {
            list.add(ReasonKind::AllRejected, self.runs, None);
        }
        for (name, _) in self.objects.iter().filter(|(_, used)| !used) {
            list.add(ReasonKind::UnusedInput, 1, Some(name.clone()));
        }
        for ((site, why), count) in &self.losses {
            list.add_loss(*site, *why, *count);
        }
        for ((site, before), count) in &self.concretizations {
            list.add_concretization(*site, *before, *count);
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

/// Counts of reasons by kind, location and subject.
struct ReasonList<'a> {
    program: &'a Program,
    reasons: BTreeMap<(ReasonKind, Option<String>, Option<String>), u64>,
}

impl ReasonList<'_> {
    /// Adds a reason without a location, if it was seen at all.
    fn add(&mut self, kind: ReasonKind, count: u64, about: Option<String>) {
        if count > 0 {
            *self.reasons.entry((kind, None, about)).or_default() += count;
        }
    }

    fn add_place(&mut self, kind: ReasonKind, count: u64, site: SiteId, about: Option<String>) {
        *self.reasons.entry((kind, self.place(site), about)).or_default() += count;
    }

    fn add_concretization(&mut self, site: SiteId, before: Option<SiteId>, count: u64) {
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
                (ReasonKind::Concretised, Some(format!("{} ({name})", losses::describe(why))))
            }
            (Loss::Instruction, Some(name)) => {
                (ReasonKind::Concretised, Some(format!("the instruction {name}")))
            }
            (why, _) => (ReasonKind::Concretised, Some(losses::describe(why).to_owned())),
        };
        self.add_place(kind, count, site, about);
    }

    /// Adds the user's conditions that were reached, have an uncovered side, and were never decided by the
    /// input.
    fn add_independent(&mut self, decided: &BTreeSet<SiteId>, coverage: &Coverage) {
        for (id, site) in self.program.sites().filter(|(id, site)| site.counted && !decided.contains(id)) {
            let (taken, left): (Vec<_>, Vec<_>) = site.branches().partition(|b| coverage.is_covered(*b));
            if !taken.is_empty() && !left.is_empty() {
                self.add_place(ReasonKind::Independent, left.len() as u64, id, None);
            }
        }
    }

    /// Returns the reasons by importance, and within a kind by frequency.
    fn sorted(self) -> Vec<Reason> {
        let reason = |((kind, place, about), count)| Reason { kind, count, place, about };
        let mut reasons: Vec<Reason> = self.reasons.into_iter().map(reason).collect();
        reasons.sort_by_key(|reason| (reason.kind, std::cmp::Reverse(reason.count)));
        reasons
    }

    /// Returns file and line of a site in the user's code; other lines mean nothing to the user.
    fn place(&self, site: SiteId) -> Option<String> {
        match is_in_user_code(self.program, site) {
            true => self.program.known_site(site).map(|site| format!("{}:{}", site.file, site.line)),
            false => Some("in a library function".to_owned()),
        }
    }

    fn callee(&self, site: SiteId) -> Option<String> {
        self.program.known_site(site)?.callee.as_deref().map(str::to_owned)
    }
}
