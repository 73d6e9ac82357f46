//! Why branches are not covered.

use super::side_labels::{Labels, place};
use cairn_campaign::Fate;
use cairn_program::{BranchId, CallGraph, Dominators, FunctionId, Program, SiteId};
use cairn_report::{Why, WhyKind};
use cairn_tree::Coverage;
use std::collections::HashSet;

/// Knows what became of branches.
pub struct Reasons<'a> {
    program: &'a Program,
    labels: &'a Labels<'a>,
    coverage: &'a Coverage,
    /// What the campaign tells of every branch, if it does.
    fates: Option<&'a [Fate]>,
    dominators: Dominators,
    /// Uncovered sides of sites that runs came to: what is never reached is behind one of these.
    openings: Vec<BranchId>,
    /// Functions that runs came to.
    entered: HashSet<FunctionId>,
}

impl<'a> Reasons<'a> {
    /// For a program of which this is covered.
    pub fn new(
        program: &'a Program,
        labels: &'a Labels<'a>,
        coverage: &'a Coverage,
        fates: Option<&'a [Fate]>,
    ) -> Reasons<'a> {
        let dominators = Dominators::new(program, &CallGraph::new(program));
        let (mut openings, mut entered) = (Vec::new(), HashSet::new());
        for (_, site) in program.sites().filter(|(_, site)| site.counted) {
            let (taken, left): (Vec<_>, Vec<_>) = site.branches().partition(|b| coverage.is_covered(*b));
            if !taken.is_empty() {
                entered.insert(site.function);
                openings.extend(left);
            }
        }
        Reasons { program, labels, coverage, fates, dominators, openings, entered }
    }

    /// Why a branch is not covered.
    pub fn of(&self, id: SiteId, side: u32) -> Why {
        let branch = self.program.branch(id, side);
        let is_reached = self.program.site(id).branches().any(|branch| self.coverage.is_covered(branch));
        let fate = self.fates.and_then(|fates| fates.get(branch.0 as usize));
        let (kind, text) = match fate {
            _ if !is_reached => return self.never_reached(branch),
            // It was reached after the campaign last told where it stood.
            None | Some(Fate::Covered) => {
                (WhyKind::Unrecorded, "the campaign was cut short before it told what became of this side")
            }
            Some(Fate::Untried) => {
                (WhyKind::Pending, "on some path it was not tried yet: a longer campaign may take it")
            }
            Some(Fate::Suspended) => {
                (WhyKind::Pending, "the strategy has set it aside for later: a longer campaign may take it")
            }
            Some(Fate::Unknown) => {
                (WhyKind::Unknown, "the solver had no answer in time (see --solver-timeout)")
            }
            Some(Fate::Diverged) => {
                (WhyKind::Diverged, "a run that was made to take it went elsewhere than predicted")
            }
            Some(Fate::Refused) => (WhyKind::Refused, "only inputs that cairn_assume refuses take it"),
            Some(Fate::Unsat) => (
                WhyKind::Unsat,
                "no input takes it on any path that was run: the decisions before contradict it",
            ),
            Some(Fate::Unmet) => (
                WhyKind::Independent,
                "the condition is not computed from the input (decisions before may still lead there)",
            ),
        };
        Why { kind, text: text.to_owned(), behind: None }
    }

    /// What no run came to is behind an uncovered branch, or in a function that nobody calls.
    fn never_reached(&self, branch: BranchId) -> Why {
        let kind = WhyKind::NeverReached;
        let before = self.openings.iter().find(|opening| self.dominates(**opening, branch));
        let Some((site, side)) = before.and_then(|opening| self.program.site_of(*opening)) else {
            return Why { kind, text: self.not_entered(branch).to_owned(), behind: None };
        };
        let needs = self.labels.label(site, side);
        let place = place(self.program, site);
        let at = place.as_ref().map_or(String::new(), |place| format!(" at {}:{}", place.file, place.line));
        Why { kind, text: format!("no run came here: it needs the {needs} side{at}"), behind: place }
    }

    fn dominates(&self, opening: BranchId, branch: BranchId) -> bool {
        self.dominators.dominates(opening, branch)
    }

    fn not_entered(&self, branch: BranchId) -> &'static str {
        let function = self.program.site_of(branch).map(|(site, _)| self.program.site(site).function);
        match function.is_some_and(|function| self.entered.contains(&function)) {
            true => "no run came here: several branches lead to it, and none of them was taken",
            false => "no run came here: none called this function, as far as is known",
        }
    }
}
