//! Context-guided search.
//!
//! H. Seo, S. Kim: How We Get There: A Context-Guided Search Strategy in Concolic Testing, FSE 2014. Go
//! through the tree depth by depth, in random order within a depth, and flip a branch only in a new context:
//! the k-context of a branch is the branch itself and the nearest k - 1 branches before it on its path,
//! concrete ones included, that do not dominate it. After the last depth k grows by one, and the skipped
//! flips are considered again.
//!
//! Settings: a maximum k (`cgs:5`), dominators counted like all others (`nodom`), and a constant k instead of a
//! growing one (`fixed`; 5 by default).
//!
//! Deviations. A context begins with the side that would be taken, so that each other side of a switch is a
//! branch of its own. Only strict dominators are left out, since an earlier occurrence of the branch itself
//! is informative. Contexts are limited to the last [`LOOK_BACK`] branches, of long concrete sequences the
//! first and the last 32. After k = [`MAX_K`] the remaining flips are taken in order of depth, which the
//! paper describes as the limit of infinite contexts. With a maximum k, flips without a new context are then
//! left. A fixed k has soon seen all contexts of its paths: it then tries random input, up to
//! [`MAX_RESTARTS`] times in a row without success.
//!
//! A choice settles for the flip at hand after [`MAX_WORK`] in vain: where hardly any context is new,
//! contexts say little, and a traversal of millions of flips for a few new ones costs more than it gains.
//!
//! Cost: a choice takes at most [`MAX_WORK`] and the work of one flip, beside dropping nodes that have no flips
//! left, each once. For each k every flip is considered once, since a flip without a new context will have none
//! later. Four bytes per node with untried flips, eight per context seen.

mod nodes_by_depth;
#[cfg(test)]
mod tests;

use crate::refined_analyses::Refined;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, Dominators, Program};
use cairn_tree::{Flip, FlipState, Tree};
use nodes_by_depth::NodesByDepth;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::mem::replace;

/// Number of branches before a flip that are examined; a chosen bound.
const LOOK_BACK: usize = 256;
/// Work of a choice, in branches examined, before it takes the flip at hand. Examining a branch takes some
/// five nanoseconds, so that a choice takes a twentieth of the shortest runs, which take 200 microseconds.
const MAX_WORK: usize = 2_000;
/// Work of considering a node: it is at a random place in memory, which takes as long as so many branches.
const NODE_WORK: usize = 20;
/// Maximum k; a chosen bound.
const MAX_K: u32 = 32;
/// Fixed k of the paper's comparison.
const DEFAULT_FIXED_K: u32 = 5;
/// Random inputs in a row without a new context after which a search with a fixed k ends; a chosen bound.
const MAX_RESTARTS: u32 = 100;

/// The settings a user can give.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct CgsSettings {
    max_k: Option<u32>,
    with_dominators: bool,
    fixed: bool,
}

impl CgsSettings {
    fn parse(text: Option<&str>) -> Result<CgsSettings, String> {
        let mut settings = CgsSettings::default();
        for word in text.into_iter().flat_map(|text| text.split(',')) {
            let was_set = match (word, word.parse()) {
                ("nodom", _) => replace(&mut settings.with_dominators, true),
                ("fixed", _) => replace(&mut settings.fixed, true),
                (_, Ok(k)) if (1..=MAX_K).contains(&k) => settings.max_k.replace(k).is_some(),
                _ => {
                    return Err(format!("`{word}` is no number from 1 to {MAX_K}, nor `nodom`, nor `fixed`"));
                }
            };
            if was_set {
                return Err(format!("`{word}` sets what was set before it"));
            }
        }
        if settings.fixed {
            settings.max_k.get_or_insert(DEFAULT_FIXED_K);
        }
        Ok(settings)
    }
}

/// Context-guided search.
#[derive(Clone, Debug)]
pub struct Cgs {
    settings: CgsSettings,
    dominators: Refined<Dominators>,
    seen: FxHashSet<u64>,
    k: u32,
    /// Depth that is being traversed.
    depth: u32,
    /// Nodes with flips to be considered with this k.
    waiting: NodesByDepth,
    /// Nodes with flips that were considered with this k.
    considered: NodesByDepth,
    /// Remaining flips of the node that was drawn last, in random order.
    candidates: Vec<Flip>,
    /// Work of the current choice.
    work: usize,
    /// True if a node may be listed twice, since a flip of it was resumed.
    has_resumed: bool,
    /// Number of flips requested in this traversal.
    selected: u64,
    /// Number of random inputs requested since the last flip.
    restarts: u32,
}

impl Cgs {
    /// Creates the search with the settings a user wrote.
    pub(crate) fn parse(settings: Option<&str>, program: &Program) -> Result<Cgs, String> {
        let settings = CgsSettings::parse(settings)?;
        Ok(Cgs {
            dominators: Refined::new(program, Dominators::new),
            seen: FxHashSet::default(),
            k: settings.max_k.filter(|_| settings.fixed).unwrap_or(1),
            depth: 0,
            waiting: NodesByDepth::default(),
            considered: NodesByDepth::default(),
            candidates: Vec::new(),
            work: 0,
            has_resumed: false,
            selected: 0,
            restarts: 0,
            settings,
        })
    }

    /// Returns a flip of the current depth in a new context.
    fn select(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        loop {
            while let Some(flip) = self.candidates.pop() {
                if tree.state(flip) == FlipState::Untried && self.is_wanted(tree, flip) {
                    self.selected += 1;
                    self.restarts = 0;
                    return Some(flip);
                }
            }
            let node = self.waiting.draw(self.depth, rng)?;
            self.candidates.extend(tree.untried_of(node));
            if self.candidates.is_empty() {
                // Dropped for good: the run that added the node has paid for that.
                continue;
            }
            self.work += NODE_WORK;
            rng.shuffle(&mut self.candidates);
            if self.may_grow() {
                self.considered.add(self.depth, node);
            }
        }
    }

    /// True if the context of a flip is new, contexts do not matter any more, or too many were examined.
    fn is_wanted(&mut self, tree: &Tree, flip: Flip) -> bool {
        if self.k > MAX_K {
            return true;
        }
        let (context, length) = self.context(tree, flip);
        self.work += length;
        self.seen.insert(context) || self.work > MAX_WORK
    }

    /// True if k may still grow, so that flips are considered again.
    fn may_grow(&self) -> bool {
        self.k <= MAX_K && self.settings.max_k != Some(self.k)
    }

    /// Advances to the next depth, or to the first with a larger k; false if that leads nowhere.
    fn advance(&mut self, tree: &Tree) -> bool {
        if tree.untried() == 0 {
            return false;
        }
        if let Some(depth) = self.waiting.first_from(self.depth) {
            self.depth = depth;
            return true;
        }
        let was_futile = self.selected == 0;
        (self.depth, self.selected) = (0, 0);
        if !self.may_grow() {
            return !was_futile;
        }
        self.k += 1;
        self.waiting.append(&mut self.considered);
        if std::mem::take(&mut self.has_resumed) {
            self.waiting.remove_duplicates();
        }
        true
    }

    /// Returns the hash of the context of a flip, and the number of branches examined for it.
    fn context(&self, tree: &Tree, flip: Flip) -> (u64, usize) {
        let mut hasher = FxHasher::default();
        (tree.site(flip.node), flip.side).hash(&mut hasher);
        let taken = tree.branch(tree.first_side(flip.node));
        let is_relevant = |before: &BranchId| {
            let dominates = |taken| *before != taken && self.dominators.dominates(*before, taken);
            self.settings.with_dominators || !taken.is_some_and(dominates)
        };
        let mut examined = 1;
        let before = tree.history(flip.node).take(LOOK_BACK).inspect(|_| examined += 1);
        before.filter(is_relevant).take(self.k as usize - 1).for_each(|branch| branch.hash(&mut hasher));
        (hasher.finish(), examined)
    }
}

impl Strategy for Cgs {
    fn on_run(&mut self, run: &RunView) {
        self.dominators.update(run);
        for (depth, node) in run.tree.untried_nodes(run.run) {
            self.waiting.add(depth, node);
        }
        // With several strategies on one tree, contexts that others have flipped count as seen.
        if let Some(flip) = run.flip.filter(|_| !run.own && self.k <= MAX_K) {
            self.seen.insert(self.context(run.tree, flip).0);
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.work = 0;
        loop {
            if let Some(flip) = self.select(tree, rng) {
                return Next::flip(tree, flip);
            }
            if self.advance(tree) {
                continue;
            }
            if !self.settings.fixed || tree.untried() == 0 || self.restarts == MAX_RESTARTS {
                return Next::Done;
            }
            self.restarts += 1;
            return Next::Restart;
        }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.has_resumed = true;
        for nodes in flips.chunk_by(|a, b| a.node == b.node) {
            self.waiting.add(tree.depth(nodes[0].node), nodes[0].node);
        }
    }

    fn wants_branch_log(&self) -> bool {
        true
    }

    fn wants_callees(&self) -> bool {
        true
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        let max_k = self.settings.max_k.map(|k| format!(":{k}")).unwrap_or_default();
        let nodom = if self.settings.with_dominators { ",nodom" } else { "" };
        let fixed = if self.settings.fixed { ",fixed" } else { "" };
        format!("cgs{max_k}{nodom}{fixed} (branches in new contexts)")
    }
}
