//! UncoveredReasons why branches are not covered.

use super::side_labels::{Labels, place};
use cairn_campaign::Fate;
use cairn_program::{BranchId, CallGraph, Dominators, FunctionId, Program, SiteId};
use cairn_report::{Why, WhyKind};
use cairn_tree::Coverage;
use std::collections::HashSet;

/// Finds the reasons of a program's uncovered branches.
pub struct UncoveredReasons<'a> {
    program: &'a Program,
    labels: &'a Labels<'a>,
    coverage: &'a Coverage,
    /// State of every branch in the campaign, if it has a snapshot.
    fates: Option<&'a [Fate]>,
    dominators: Dominators,
    /// Uncovered sides of reached sites: code that is never reached is behind one of these.
    openings: Vec<BranchId>,
    /// Functions that runs entered.
    entered: HashSet<FunctionId>,
}

impl<'a> UncoveredReasons<'a> {
    /// Prepares the reasons for a program with this coverage.
    pub fn new(
        program: &'a Program,
        labels: &'a Labels<'a>,
        coverage: &'a Coverage,
        fates: Option<&'a [Fate]>,
    ) -> UncoveredReasons<'a> {
        let dominators = Dominators::new(program, &CallGraph::new(program));
        let (mut openings, mut entered) = (Vec::new(), HashSet::new());
        for (_, site) in program.sites().filter(|(_, site)| site.counted) {
            let (taken, left): (Vec<_>, Vec<_>) = site.branches().partition(|b| coverage.is_covered(*b));
            if !taken.is_empty() {
                entered.insert(site.function);
                openings.extend(left);
            }
        }
        UncoveredReasons { program, labels, coverage, fates, dominators, openings, entered }
    }

    /// Returns the reason why a branch is not covered.
    pub fn of(&self, id: SiteId, side: u32) -> Why {
        let branch = self.program.branch(id, side);
        let is_reached = self.program.site(id).branches().any(|branch| self.coverage.is_covered(branch));
        let fate = self.fates.and_then(|fates| fates.get(branch.0 as usize));
        let (kind, text) = match fate {
            _ if !is_reached => return self.never_reached(branch),
            // It was reached after the campaign's last snapshot.
            None | Some(Fate::Covered) => {
                (WhyKind::Unrecorded, "the campaign was interrupted before it recorded this side")
            }
            Some(Fate::Untried) => {
                (WhyKind::Pending, "some flip to it is untried: a longer campaign may cover it")
            }
            Some(Fate::Suspended) => {
                (WhyKind::Pending, "the strategy suspended its flips: a longer campaign may cover it")
            }
            Some(Fate::Unknown) => {
                (WhyKind::Unknown, "the solver did not answer in time (see --solver-timeout)")
            }
            Some(Fate::Diverged) => {
                (WhyKind::Diverged, "runs on inputs solved for it diverged from the predicted path")
            }
            Some(Fate::Refused) => (WhyKind::Refused, "only inputs that cairn_assume rejects take it"),
            Some(Fate::Unsat) => (
                WhyKind::Unsat,
                "infeasible on every executed path: its condition contradicts the path constraint",
            ),
            Some(Fate::Unmet) => (
                WhyKind::Independent,
                "the condition does not depend on the input (earlier decisions may still lead there)",
            ),
        };
        Why { kind, text: text.to_owned(), behind: None }
    }

    /// Explains an unreached branch: it is behind an uncovered branch, or in a function that no run called.
    fn never_reached(&self, branch: BranchId) -> Why {
        let kind = WhyKind::NeverReached;
        let before = self.openings.iter().find(|opening| self.dominates(**opening, branch));
        let Some((site, side)) = before.and_then(|opening| self.program.site_of(*opening)) else {
            return Why { kind, text: self.not_entered(branch).to_owned(), behind: None };
        };
        let needs = self.labels.label(site, side);
        let place = place(self.program, site);
        let at = place.as_ref().map_or(String::new(), |place| format!(" at {}:{}", place.file, place.line));
        Why { kind, text: format!("not reached: it needs the {needs} side{at}"), behind: place }
    }

    fn dominates(&self, opening: BranchId, branch: BranchId) -> bool {
        self.dominators.dominates(opening, branch)
    }

    fn not_entered(&self, branch: BranchId) -> &'static str {
        let function = self.program.site_of(branch).map(|(site, _)| self.program.site(site).function);
        match function.is_some_and(|function| self.entered.contains(&function)) {
            true => "not reached: several branches lead to it, and none of them was taken",
            false => "not reached: no run called this function, as far as is known",
        }
    }
}
