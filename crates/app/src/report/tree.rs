//! The top of the execution tree, in terms of the source.

use super::side_labels::{Labels, place};
use cairn_campaign::{Fate, SnapshotEdge, SnapshotNode, TreeTop};
use cairn_program::{Program, Site, SiteId, SiteKind};
use cairn_report::{Tree, TreeEdge, TreeNode};

/// Prefixes of library models and wrappers: their functions stand for those of the library.
const MODEL_PREFIXES: [&str; 2] = ["__cairn_m_", "__cairn_w_"];

/// Name shown for a function that is not recorded.
const UNKNOWN_FUNCTION: &str = "a call";

/// Converts the snapshot's part of the execution tree.
pub fn tree(program: &Program, labels: &Labels, told: &TreeTop) -> Tree {
    Tree {
        nodes: told.nodes,
        deepest: told.deepest,
        roots: told.roots.iter().map(|told| way(told, "start".to_owned())).collect(),
        forks: told.forks.iter().map(|told| fork(program, labels, told)).collect(),
    }
}

fn fork(program: &Program, labels: &Labels, told: &SnapshotNode) -> TreeNode {
    let id = SiteId(told.site);
    let site = program.known_site(id);
    let function = site.map(|site| program.function(site.function));
    let side_label = |side| side_label(labels, (id, site), told.pin, side);
    TreeNode {
        // Locations inside library functions mean nothing to the user.
        place: function.filter(|function| function.counted).and_then(|_| place(program, id)),
        function: function.map_or(UNKNOWN_FUNCTION, |function| library_name(&function.name)).to_owned(),
        kind: site.map_or("value", |site| kind(site, told.pin)),
        depth: told.depth,
        passed: told.passed,
        passed_untried: told.passed_untried,
        ways: told.ways.iter().map(|told_way| way(told_way, side_label(told_way.side))).collect(),
        left: told.left.iter().map(|(fate, sides)| (fate_name(*fate), *sides)).collect(),
    }
}

fn library_name(name: &str) -> &str {
    MODEL_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

fn kind(site: &Site, is_concretization: bool) -> &'static str {
    match site.kind {
        _ if is_concretization => "value",
        SiteKind::Switch => "switch",
        SiteKind::Select => "select",
        SiteKind::Branch | SiteKind::Concretization | SiteKind::UninstrumentedCall | SiteKind::Producer => {
            "branch"
        }
    }
}

fn side_label(
    labels: &Labels,
    (id, site): (SiteId, Option<&Site>),
    is_concretization: bool,
    side: u32,
) -> String {
    match (is_concretization, side) {
        (true, 0) => "this value".to_owned(),
        (true, _) => "another value".to_owned(),
        (false, side) if site.is_some_and(|site| (side as usize) < site.sides.len()) => {
            labels.label(id, side)
        }
        (false, side) => format!("side {side}"),
    }
}

fn way(told: &SnapshotEdge, label: String) -> TreeEdge {
    TreeEdge { label, runs: told.runs, untried: told.untried, next: told.next, parts: !told.single }
}

fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Covered => "taken",
        Fate::Untried => "untried",
        Fate::Suspended => "suspended",
        Fate::Unknown => "unknown",
        Fate::Diverged => "diverged",
        Fate::Refused => "refused",
        Fate::Unsat => "unsat",
        Fate::Unmet => "unmet",
    }
}

#[cfg(test)]
mod tests {
    use super::super::source_texts::SourceTexts;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_concretization_without_a_site_is_shown() {
        let way = |side: u32| json!({ "side": side, "runs": 2, "untried": 1, "next": null, "single": true });
        let fork = json!({ "site": u32::MAX >> 4, "pin": true, "depth": 0, "passed": 0, "passed_untried": 0,
                           "ways": [way(0), way(1)], "left": [] });
        let told = json!({ "nodes": 3, "deepest": 1, "roots": [way(0)], "forks": [fork] });
        let program = Program::default();
        let labels = Labels::new(&program, &SourceTexts::read(&program, None));
        let tree = tree(&program, &labels, &serde_json::from_value(told).unwrap());
        assert_eq!((tree.nodes, tree.roots.len()), (3, 1));
        assert_eq!(
            ["__cairn_w_memchr", "__cairn_m_atoi", "parse"].map(library_name),
            ["memchr", "atoi", "parse"]
        );
        let fork = &tree.forks[0];
        assert_eq!((fork.kind, fork.function.as_str(), &fork.place), ("value", UNKNOWN_FUNCTION, &None));
        assert_eq!([&fork.ways[0].label, &fork.ways[1].label], ["this value", "another value"]);
    }
}
