//! Explains divergences: runs on solved inputs that left the predicted path.

use cairn_program::{Program, SiteId, SiteKind};
use cairn_tree::{AddedRun, Flip, Node, NodeId, StepKind, Tree};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A run that left the predicted path before its flip.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Divergence {
    /// Number of the execution, counted from 1.
    pub execution: u64,
    /// Index of the first decision that differs.
    pub at: usize,
    /// Number of predicted decisions.
    pub predicted: usize,
    /// Expected and actual decision, with source positions.
    pub explanation: String,
    /// Source position of the decision that was expected there.
    #[serde(default)]
    pub place: String,
}

/// Returns the node and side of a run at an index of its path.
fn taken(run: &AddedRun, index: usize) -> Option<(NodeId, u32)> {
    run.nodes.get(index).copied().zip(run.sides.get(index).copied())
}

impl Divergence {
    /// Explains the divergence of a run at index `at` of the path to `flip`.
    pub(crate) fn explain(
        (tree, program): (&Tree, &Program),
        execution: u64,
        flip: Flip,
        at: usize,
        run: &AddedRun,
    ) -> Divergence {
        let mut expected = tree.prefix(flip.node);
        expected.push((flip.node, flip.side));
        let users = |(node, _): &(NodeId, u32)| {
            Some(tree.node(*node).site).filter(|site| is_in_user_code(program, *site))
        };
        let before = expected[..at].iter().rev().find_map(users);
        let difference = Difference { tree, program, before, expected: expected[at], found: taken(run, at) };
        let place = difference.place(tree.node(expected[at].0).site);
        Divergence { execution, at, predicted: expected.len(), explanation: difference.explain(), place }
    }
}

/// True for a site in the user's code: others are in library models, or in the runtime.
pub(super) fn is_in_user_code(program: &Program, site: SiteId) -> bool {
    program.known_site(site).is_some_and(|site| program.function(site.function).counted)
}

/// Expected and actual decision at the divergence.
struct Difference<'a> {
    tree: &'a Tree,
    program: &'a Program,
    /// Last decision in the user's code before it.
    before: Option<SiteId>,
    expected: (NodeId, u32),
    found: Option<(NodeId, u32)>,
}

impl Difference<'_> {
    fn explain(&self) -> String {
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

    /// Describes a decision with its source position, such as `a.c:3:7 true`.
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
        if is_in_user_code(self.program, site) {
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
