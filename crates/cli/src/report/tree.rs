//! The top of the execution tree, in terms of the source.

use super::places::{Labels, place};
use cairn_campaign::{Fate, Fork as ToldFork, TreeTop, Way as ToldWay};
use cairn_program::{Program, Site, SiteId, SiteKind};
use cairn_report::{Fork, Tree, Way};

/// How the names of library functions begin that stand for others.
const MODEL: &str = "__cairn_m_";

/// What a campaign tells of its tree; of forks that the program does not have, nothing.
pub fn tree(program: &Program, labels: &Labels, told: &TreeTop) -> Tree {
    let is_known = |fork: &ToldFork| fork.site < program.site_count();
    if !told.forks.iter().all(is_known) {
        return Tree::default();
    }
    Tree {
        nodes: told.nodes,
        deepest: told.deepest,
        roots: told.roots.iter().map(|told| way(told, "start".to_owned())).collect(),
        forks: told.forks.iter().map(|told| fork(program, labels, told)).collect(),
    }
}

fn fork(program: &Program, labels: &Labels, told: &ToldFork) -> Fork {
    let id = SiteId(told.site);
    let site = program.site(id);
    let function = program.function(site.function);
    let side_label = |side| side_label(labels, (id, site), told.pin, side);
    Fork {
        // Where a library function decides is nobody's business.
        place: place(program, id).filter(|_| function.counted),
        function: function.name.trim_start_matches(MODEL).to_owned(),
        kind: kind(site, told.pin),
        depth: told.depth,
        passed: told.passed,
        passed_untried: told.passed_untried,
        ways: told.ways.iter().map(|told_way| way(told_way, side_label(told_way.side))).collect(),
        left: told.left.iter().map(|(fate, sides)| (fate_name(*fate), *sides)).collect(),
    }
}

fn kind(site: &Site, is_pin: bool) -> &'static str {
    match site.kind {
        _ if is_pin => "value",
        SiteKind::Switch => "switch",
        SiteKind::Select => "select",
        SiteKind::Branch | SiteKind::Pin | SiteKind::Foreign => "branch",
    }
}

fn side_label(labels: &Labels, (id, site): (SiteId, &Site), is_pin: bool, side: u32) -> String {
    match (is_pin, side) {
        (true, 0) => "this value".to_owned(),
        (true, _) => "another value".to_owned(),
        (false, side) if (side as usize) < site.sides.len() => labels.label(id, side),
        (false, side) => format!("side {side}"),
    }
}

fn way(told: &ToldWay, label: String) -> Way {
    Way { label, runs: told.runs, untried: told.untried, next: told.next, parts: !told.single }
}

fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Covered => "taken",
        Fate::Untried => "untried",
        Fate::Aside => "set aside",
        Fate::Unknown => "unknown",
        Fate::Diverged => "diverged",
        Fate::Refused => "refused",
        Fate::Unsat => "unsat",
        Fate::Unmet => "unmet",
    }
}
