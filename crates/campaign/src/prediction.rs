//! Whether a run went where its input was meant to take it.
//!
//! After a solved flip the run must come to the flip's node along the same path and take the other
//! side. If it does not, the target's expressions do not tell all it depends on: worth counting, and
//! worth saying where it shows first.

use cairn_program::{Program, SiteId, SiteKind};
use cairn_tree::{AddedRun, Flip, Node, NodeId, StepKind, Tree};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A run that did not go where it was meant to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Divergence {
    /// Which execution it was, counted from 1.
    pub execution: u64,
    /// Index of the first decision that was another one.
    pub at: usize,
    /// How many decisions were predicted.
    pub predicted: usize,
    /// What differs there, with its place in the source.
    pub explanation: String,
    /// Source position of the decision that was expected there.
    #[serde(default)]
    pub place: String,
}

/// The first index where a run leaves the path to a flip, if it does.
pub(crate) fn first_difference(tree: &Tree, flip: Flip, run: &AddedRun) -> Option<usize> {
    // There is only one way to a node.
    let at = run.nodes.iter().position(|node| *node == flip.node);
    if at.is_some_and(|at| run.sides.get(at) == Some(&flip.side)) {
        return None;
    }
    let mut expected = tree.prefix(flip.node);
    expected.push((flip.node, flip.side));
    (0..expected.len()).find(|&index| taken(run, index) != Some(expected[index]))
}

/// Where a run was after so many nodes, and where it went.
fn taken(run: &AddedRun, index: usize) -> Option<(NodeId, u32)> {
    run.nodes.get(index).copied().zip(run.sides.get(index).copied())
}

impl Divergence {
    pub(crate) fn explain(
        (tree, program): (&Tree, &Program),
        execution: u64,
        flip: Flip,
        at: usize,
        run: &AddedRun,
    ) -> Divergence {
        let mut expected = tree.prefix(flip.node);
        expected.push((flip.node, flip.side));
        let users =
            |(node, _): &(NodeId, u32)| Some(tree.node(*node).site).filter(|site| is_users(program, *site));
        let before = expected[..at].iter().rev().find_map(users);
        let difference = Difference { tree, program, before, expected: expected[at], found: taken(run, at) };
        let place = difference.place(tree.node(expected[at].0).site);
        Divergence { execution, at, predicted: expected.len(), explanation: difference.tell(), place }
    }
}

/// True for a site in the user's code: others are in models of library functions, or in the runtime.
pub(crate) fn is_users(program: &Program, site: SiteId) -> bool {
    site.0 < program.site_count() && program.function(program.site(site).function).counted
}

/// What was expected, and what was found.
struct Difference<'a> {
    tree: &'a Tree,
    program: &'a Program,
    /// The last decision in the user's code before.
    before: Option<SiteId>,
    expected: (NodeId, u32),
    found: Option<(NodeId, u32)>,
}

impl Difference<'_> {
    fn tell(&self) -> String {
        let (expected, side) = (self.tree.node(self.expected.0), self.expected.1);
        let mut text = format!("expected {}", self.decision(&expected, side));
        let Some((found, found_side)) = self.found.map(|(node, side)| (self.tree.node(node), side)) else {
            text.push_str(", but the run ended before it");
            return text;
        };
        let same_place = (found.kind, found.site) == (expected.kind, expected.site);
        let same_decision = same_place && found_side == side;
        let _ = match same_decision && found.value != expected.value {
            true => write!(text, ", but it was on another value"),
            false => write!(text, ", found {}", self.decision(&found, found_side)),
        };
        text
    }

    /// A decision with its place, such as `a.c:3:7 true`.
    fn decision(&self, node: &Node, side: u32) -> String {
        let Node { site, concrete, .. } = *node;
        let place = self.place(site);
        match node.kind {
            StepKind::Branch => {}
            StepKind::Concretization if side == 0 => {
                return format!("{place} used as the constant {concrete}");
            }
            StepKind::Concretization => return format!("{place} used as another constant than {concrete}"),
            StepKind::Constraint => return format!("{place} within bounds"),
        }
        let sides = self.program.site(site).sides.len() as u32;
        match self.program.site(site).kind {
            SiteKind::Switch if side + 1 == sides => format!("{place} default"),
            SiteKind::Switch => format!("{place} case {}", self.first_case(site, side)),
            _ if side == 0 => format!("{place} false"),
            _ => format!("{place} true"),
        }
    }

    fn first_case(&self, site: SiteId, side: u32) -> u64 {
        let values = &self.program.site(site).sides[side as usize].values;
        values.first().copied().unwrap_or_default()
    }

    fn place(&self, site: SiteId) -> String {
        if is_users(self.program, site) {
            return self.line(site);
        }
        let what = if site.0 < self.program.site_count() { "a decision" } else { "a value" };
        match self.before {
            Some(before) => format!("{what} in a library function after {}", self.line(before)),
            None => format!("{what} in a library function"),
        }
    }

    fn line(&self, site: SiteId) -> String {
        let site = self.program.site(site);
        format!("{}:{}:{}", site.file, site.line, site.column)
    }
}
