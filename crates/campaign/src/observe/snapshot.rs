//! The campaign snapshot: the state that `cairn report` needs and that the tests do not show, in
//! `snapshot.json`.

use super::notes::Notes;
use super::summary::Summary;
use cairn_program::{FileError, read_file};
use cairn_tree::{BranchStatus, FlipState, StepKind, Tree};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// Name of the file.
pub(crate) const SNAPSHOT: &str = "snapshot.json";
/// Version of the format, raised when old files can no longer be read.
const VERSION: u32 = 2;
/// Maximum number of forks of the tree in the file; a chosen bound.
const MAX_FORKS: usize = 400;
/// Maximum size of the file; a chosen bound.
const MAX_BYTES: u64 = 1 << 30;

/// Error of reading a snapshot.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// It is not a snapshot.
    #[error("{SNAPSHOT} is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
    /// It was written by another version of Cairn.
    #[error("{SNAPSHOT} was written by another version of Cairn")]
    Another,
}

/// State of a campaign at one moment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    /// Checksum of the target.
    pub target: u64,
    /// True if the campaign had ended.
    pub ended: bool,
    /// Budgets of the campaign.
    pub budget: Budget,
    /// Description of the strategy.
    pub strategy: String,
    /// Figures of the campaign.
    pub summary: Summary,
    /// Observations beyond the figures.
    pub notes: Notes,
    /// Fate of every branch of the program, by its id.
    #[serde(with = "letters")]
    pub fates: Vec<Fate>,
    /// Growth of coverage.
    pub curve: Vec<Milestone>,
    /// Sites whose queries the solver gave up on, with counts.
    pub unanswered: Vec<(u32, u64)>,
    /// The dictionary, in the format of AFL++.
    #[serde(default)]
    pub dictionary: String,
    /// The top of the execution tree.
    pub tree: TreeTop,
}

/// Budgets of a campaign.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Budget {
    /// Maximum number of executions.
    pub executions: Option<u64>,
    /// Maximum time in seconds.
    pub seconds: Option<f64>,
    /// Maximum memory of the driver.
    pub bytes: Option<u64>,
}

/// A run that covered a new branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Milestone {
    /// Number of the execution, counted from 1.
    pub execution: u64,
    /// Time since the start of the campaign.
    pub millis: u64,
    /// Covered branches of the user's code after it.
    pub covered: u32,
}

/// Fate of a branch, over all paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Fate {
    /// A run took it.
    Covered,
    /// Untried at some node.
    Untried,
    /// Suspended at some node, and untried at none.
    #[serde(rename = "Aside")]
    Suspended,
    /// The solver gave up at some node, and it is untried at none.
    Unknown,
    /// A run for it diverged at some node.
    Diverged,
    /// Only inputs that `cairn_assume` rejects take it.
    Refused,
    /// Infeasible at every node that runs reached.
    Unsat,
    /// No run decided its site by the input.
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

    /// Returns the most promising state of a branch over all nodes.
    fn new(is_covered: bool, status: BranchStatus) -> Fate {
        let by_promise = [
            (FlipState::Untried, Fate::Untried),
            (FlipState::Suspended, Fate::Suspended),
            (FlipState::Unknown, Fate::Unknown),
            (FlipState::Diverged, Fate::Diverged),
            (FlipState::Sat, Fate::Refused),
            (FlipState::Unsat, Fate::Unsat),
        ];
        let best = by_promise.into_iter().find(|(state, _)| status.has(*state));
        match is_covered {
            true => Fate::Covered,
            false => best.map_or(Fate::Unmet, |(_, fate)| fate),
        }
    }
}

/// Serialization of fates as a string of one letter each, since there are thousands of them.
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
    /// Number of nodes of the tree.
    pub nodes: u64,
    /// Number of branches on the longest path.
    pub deepest: u32,
    /// Edges from the root.
    pub roots: Vec<SnapshotEdge>,
    /// Nodes at which paths fork, parents first.
    pub forks: Vec<SnapshotNode>,
}

/// A node at which paths fork.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SnapshotNode {
    /// Site of the node.
    pub site: u32,
    /// True if the node is a concretization.
    pub pin: bool,
    /// Number of symbolic branches before it.
    pub depth: u32,
    /// Number of nodes since the previous fork, at which all runs took the same side.
    pub passed: u32,
    /// Untried flips at those nodes.
    pub passed_untried: u64,
    /// Sides that runs took.
    pub ways: Vec<SnapshotEdge>,
    /// Number of sides that no run took, by their state.
    pub left: Vec<(Fate, u32)>,
}

/// A side that runs took, and the subtree after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SnapshotEdge {
    /// The side.
    pub side: u32,
    /// Number of runs that took it.
    pub runs: u64,
    /// Untried flips in the subtree.
    pub untried: u64,
    /// Index of the next fork in the file.
    pub next: Option<u32>,
    /// True if no fork follows.
    pub single: bool,
}

/// Parts of a snapshot that do not come from the tree.
pub(crate) struct SnapshotFacts<'a> {
    pub target: u64,
    pub ended: bool,
    pub budget: Budget,
    pub strategy: String,
    pub summary: Summary,
    pub curve: &'a [Milestone],
    pub unanswered: Vec<(u32, u64)>,
    pub dictionary: String,
}

impl Snapshot {
    /// Creates the snapshot of a campaign with this tree and coverage. Takes time in proportion to the tree.
    pub(crate) fn take(facts: SnapshotFacts, tree: &Tree, is_covered: impl Fn(u32) -> bool) -> Snapshot {
        let fate = |(branch, status)| Fate::new(is_covered(branch), status);
        let SnapshotFacts { target, ended, budget, strategy, summary, curve, unanswered, dictionary } = facts;
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
            dictionary,
            tree: TreeTop::new(tree),
        }
    }

    /// Reads the snapshot of a campaign directory; None if the campaign has not written one yet.
    pub fn read(directory: &Path) -> Result<Option<Snapshot>, SnapshotError> {
        let text = match read_file(&directory.join(SNAPSHOT), MAX_BYTES) {
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
        let overview = tree.overview(MAX_FORKS);
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
            roots: overview.roots.into_iter().map(SnapshotEdge::from).collect(),
            forks: overview.forks.into_iter().map(fork).collect(),
        }
    }
}

impl From<cairn_tree::OverviewEdge> for SnapshotEdge {
    fn from(edge: cairn_tree::OverviewEdge) -> SnapshotEdge {
        let cairn_tree::OverviewEdge { side, runs, untried, next, is_single } = edge;
        SnapshotEdge { side, runs, untried, next, single: is_single }
    }
}

/// Returns the fate of one side of one node.
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
    /// Creates a milestone.
    pub(crate) fn new(execution: u64, elapsed: Duration, covered: usize) -> Milestone {
        Milestone { execution, millis: elapsed.as_millis() as u64, covered: covered as u32 }
    }
}
