//! Where a campaign stands, for whoever reports on it later: a file in its directory that tells what the tests do not.

use crate::summary::{Notes, Summary};
use cairn_program::{FileError, read_file};
use cairn_tree::{BranchStatus, FlipState, StepKind, Tree};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// Name of the file.
pub(crate) const SNAPSHOT: &str = "snapshot.json";
/// Changes whenever an old file cannot be read any more.
const VERSION: u32 = 2;
/// Most forks of the tree that are told.
const MOST_FORKS: usize = 400;
/// Most bytes of the file.
const MOST_BYTES: u64 = 1 << 30;

/// Why there is nothing to learn from a snapshot.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// It is no snapshot.
    #[error("{SNAPSHOT} is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
    /// It was written by another version of Cairn.
    #[error("{SNAPSHOT} was written by another version of Cairn")]
    Another,
}

/// Where a campaign stood.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    /// Tells the target from others.
    pub target: u64,
    /// Whether it was the campaign's end.
    pub ended: bool,
    /// What it may take.
    pub budget: Budget,
    /// The strategy in its own words.
    pub strategy: String,
    /// The figures.
    pub summary: Summary,
    /// What there is to know besides.
    pub notes: Notes,
    /// What became of every branch of the program, by its id.
    #[serde(with = "letters")]
    pub fates: Vec<Fate>,
    /// When coverage grew.
    pub curve: Vec<Milestone>,
    /// Sites that the solver had no answer about, and how often.
    pub unanswered: Vec<(u32, u64)>,
    /// The top of the execution tree.
    pub tree: TreeTop,
}

/// What a campaign may take.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Budget {
    /// Runs.
    pub executions: Option<u64>,
    /// Time.
    pub seconds: Option<f64>,
    /// Memory of the driver.
    pub bytes: Option<u64>,
}

/// A run that was first to take a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Milestone {
    /// Which execution, counted from 1.
    pub execution: u64,
    /// When.
    pub millis: u64,
    /// Branches of the user's covered from then on.
    pub covered: u32,
}

/// What became of a branch, over all paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Fate {
    /// A run took it.
    Covered,
    /// Somewhere it was not tried yet.
    Untried,
    /// Somewhere it was set aside, and not tried yet.
    #[serde(rename = "Aside")]
    Suspended,
    /// Somewhere the solver gave up, and nowhere is it left to try.
    Unknown,
    /// Somewhere a run was made for it and went elsewhere.
    Diverged,
    /// Only inputs that `cairn_assume` refuses take it.
    Refused,
    /// Wherever runs came to it, no input takes it.
    Unsat,
    /// The input never decided there.
    Unmet,
}

impl Fate {
    const LETTERS: [(Fate, char); 8] = [
        (Fate::Covered, 'c'),
        (Fate::Untried, 'u'),
        (Fate::Suspended, 'a'),
        (Fate::Unknown, 'k'),
        (Fate::Diverged, 'd'),
        (Fate::Refused, 'r'),
        (Fate::Unsat, 'x'),
        (Fate::Unmet, '-'),
    ];

    /// What gives most hope counts.
    fn new(is_covered: bool, outlook: BranchStatus) -> Fate {
        let by_hope = [
            (FlipState::Untried, Fate::Untried),
            (FlipState::Suspended, Fate::Suspended),
            (FlipState::Unknown, Fate::Unknown),
            (FlipState::Diverged, Fate::Diverged),
            (FlipState::Sat, Fate::Refused),
            (FlipState::Unsat, Fate::Unsat),
        ];
        let best = by_hope.into_iter().find(|(state, _)| outlook.has(*state));
        match is_covered {
            true => Fate::Covered,
            false => best.map_or(Fate::Unmet, |(_, fate)| fate),
        }
    }
}

/// A letter each: there are thousands of them.
mod letters {
    use super::Fate;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(fates: &[Fate], serializer: S) -> Result<S::Ok, S::Error> {
        let letter = |fate: &Fate| Fate::LETTERS.iter().find(|(known, _)| known == fate).map(|(_, c)| *c);
        serializer.serialize_str(&fates.iter().filter_map(letter).collect::<String>())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Fate>, D::Error> {
        let fate = |c| {
            let known = Fate::LETTERS.iter().find(|(_, letter)| *letter == c);
            known.map(|(fate, _)| *fate).ok_or_else(|| D::Error::custom("an unknown fate"))
        };
        String::deserialize(deserializer)?.chars().map(fate).collect()
    }
}

/// The top of the execution tree, as [`cairn_tree::Overview`] has it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TreeTop {
    /// All nodes of the tree.
    pub nodes: u64,
    /// Branches on the longest path.
    pub deepest: u32,
    /// From the root.
    pub roots: Vec<SnapshotEdge>,
    /// Nodes at which runs part, parents first.
    pub forks: Vec<SnapshotNode>,
}

/// A node at which runs part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SnapshotNode {
    /// Where it stands in the program.
    pub site: u32,
    /// Whether a value is used as a constant there.
    pub pin: bool,
    /// Symbolic branches before it.
    pub depth: u32,
    /// Nodes before it at which all runs went the same way.
    pub passed: u32,
    /// Untried flips of these.
    pub passed_untried: u64,
    /// Sides that runs took.
    pub ways: Vec<SnapshotEdge>,
    /// How many of its sides no run took, by what became of them here.
    pub left: Vec<(Fate, u32)>,
}

/// A side that runs took, and what lies behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SnapshotEdge {
    /// The side.
    pub side: u32,
    /// Runs that went there.
    pub runs: u64,
    /// Untried flips behind it.
    pub untried: u64,
    /// The next fork that is told.
    pub next: Option<u32>,
    /// Whether no fork lies behind.
    pub single: bool,
}

/// What a snapshot is made from, beside the tree.
pub(crate) struct Facts<'a> {
    pub target: u64,
    pub ended: bool,
    pub budget: Budget,
    pub strategy: String,
    pub summary: Summary,
    pub curve: &'a [Milestone],
    pub unanswered: Vec<(u32, u64)>,
}

impl Snapshot {
    /// Of a campaign with this tree that has covered these branches. Takes time in proportion to the tree.
    pub(crate) fn take(facts: Facts, tree: &Tree, is_covered: impl Fn(u32) -> bool) -> Snapshot {
        let fate = |(branch, outlook)| Fate::new(is_covered(branch), outlook);
        let Facts { target, ended, budget, strategy, summary, curve, unanswered } = facts;
        Snapshot {
            version: VERSION,
            target,
            ended,
            budget,
            strategy,
            notes: summary.notes.clone(),
            summary,
            fates: (0..).zip(tree.branch_statuses()).map(fate).collect(),
            curve: curve.to_vec(),
            unanswered,
            tree: TreeTop::new(tree),
        }
    }

    /// The one in a campaign directory; nothing if the campaign had not written one yet.
    pub fn read(directory: &Path) -> Result<Option<Snapshot>, SnapshotError> {
        let text = match read_file(&directory.join(SNAPSHOT), MOST_BYTES) {
            Err(error) if error.is_missing() => return Ok(None),
            read => read?,
        };
        let version = serde_json::from_slice::<serde_json::Value>(&text)?["version"].as_u64();
        if version != Some(VERSION.into()) {
            return Err(SnapshotError::Another);
        }
        let mut snapshot: Snapshot = serde_json::from_slice(&text)?;
        snapshot.summary.notes = snapshot.notes.clone();
        Ok(Some(snapshot))
    }
}

impl TreeTop {
    fn new(tree: &Tree) -> TreeTop {
        let picture = tree.picture(MOST_FORKS);
        let fork = |fork: cairn_tree::OverviewNode| {
            let node = tree.node(fork.node);
            SnapshotNode {
                site: node.site.0,
                pin: node.kind == StepKind::Concretization,
                depth: node.depth,
                passed: fork.passed.0,
                passed_untried: fork.passed.1,
                ways: fork.ways.into_iter().map(SnapshotEdge::from).collect(),
                left: fork.left.into_iter().map(|(state, sides)| (fate_of(state), sides)).collect(),
            }
        };
        TreeTop {
            nodes: tree.len() as u64,
            deepest: tree.max_depth(),
            roots: picture.roots.into_iter().map(SnapshotEdge::from).collect(),
            forks: picture.forks.into_iter().map(fork).collect(),
        }
    }
}

impl From<cairn_tree::OverviewEdge> for SnapshotEdge {
    fn from(way: cairn_tree::OverviewEdge) -> SnapshotEdge {
        let cairn_tree::OverviewEdge { side, runs, untried, next, is_single } = way;
        SnapshotEdge { side, runs, untried, next, single: is_single }
    }
}

/// What became of one side of one node.
fn fate_of(state: FlipState) -> Fate {
    match state {
        FlipState::Untried => Fate::Untried,
        FlipState::Sat => Fate::Covered,
        FlipState::Unsat => Fate::Unsat,
        FlipState::Unknown => Fate::Unknown,
        FlipState::Diverged => Fate::Diverged,
        FlipState::Suspended => Fate::Suspended,
    }
}

impl Milestone {
    pub(crate) fn new(execution: u64, elapsed: Duration, covered: usize) -> Milestone {
        Milestone { execution, millis: elapsed.as_millis() as u64, covered: covered as u32 }
    }
}
