//! Context-guided search.
//!
//! H. Seo, S. Kim: How We Get There: A Context-Guided Search Strategy in Concolic Testing, FSE 2014. Go
//! through the tree depth by depth, in random order within a depth, and flip a branch only in a new context:
//! the k-context of a branch is the branch itself and the nearest k - 1 branches before it on its path,
//! concrete ones included, that do not dominate it. After the last depth k grows by one, and the skipped
//! flips are considered again.
//!
//! CgsSettings: a maximum k (`cgs:5`), dominators counted like all others (`nodom`), and a constant k instead of
//! a growing one (`fixed`; 5 by default).
//!
//! Deviations. A context begins with the side that would be taken, so that each other side of a switch is a
//! branch of its own. Only strict dominators are left out, since an earlier occurrence of the branch itself
//! is informative. Contexts are limited to the last [`LOOK_BACK`] branches, of long concrete sequences the
//! first and the last 32. After k = [`MAX_K`] the remaining flips are taken in order of depth, which the
//! paper describes as the limit of infinite contexts. With a maximum k, flips without a new context are then
//! left. A fixed k has soon seen all contexts of its paths: it then tries random input, up to
//! [`MAX_RESTARTS`] times in a row without success.
//!
//! Cost: for each k every flip is considered once, at most [`LOOK_BACK`] branches back, since a flip without
//! a new context will have none later. Eight bytes per context seen.

use crate::refined_analyses::Refined;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, Dominators, Program};
use cairn_tree::{Flip, FlipState, Tree};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::mem::replace;

/// Number of branches before a flip that are examined; a chosen bound.
const LOOK_BACK: usize = 256;
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
    /// The depth to scan when there are no candidates left.
    depth: u32,
    /// Remaining flips of the depth before it, in random order.
    candidates: Vec<Flip>,
    /// Number of flips requested in this traversal.
    selected: u64,
    /// Number of random inputs requested since the last flip.
    restarts: u32,
    /// By depth: number of nodes when it was last scanned with this k.
    scanned: Vec<usize>,
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
            candidates: Vec::new(),
            selected: 0,
            restarts: 0,
            scanned: Vec::new(),
            settings,
        })
    }

    /// Returns the first candidate in a new context.
    fn select(&mut self, tree: &Tree) -> Option<Flip> {
        while let Some(flip) = self.candidates.pop() {
            let is_new = |cgs: &mut Cgs| cgs.k > MAX_K || cgs.seen.insert(cgs.context(tree, flip));
            if tree.state(flip) == FlipState::Untried && is_new(self) {
                self.selected += 1;
                self.restarts = 0;
                return Some(flip);
            }
        }
        None
    }

    /// Advances to the next depth, or to the first with a larger k; false if that leads nowhere.
    fn advance(&mut self, tree: &Tree, rng: &mut Rng) -> bool {
        if tree.untried() == 0 {
            return false;
        }
        if self.depth > tree.max_depth() {
            let is_last = self.settings.max_k == Some(self.k);
            let is_futile = is_last && self.selected == 0;
            (self.depth, self.selected) = (0, 0);
            if !is_last && self.k <= MAX_K {
                self.k += 1;
                self.scanned.clear();
            }
            if is_futile {
                return false;
            }
        }
        let unscanned = self.unscanned(tree);
        self.candidates.extend(unscanned);
        rng.shuffle(&mut self.candidates);
        self.depth += 1;
        true
    }

    /// Returns the flips of the depth that were not considered with this k.
    fn unscanned<'a>(&mut self, tree: &'a Tree) -> impl Iterator<Item = Flip> + use<'a> {
        let depth = self.depth as usize;
        self.scanned.resize(self.scanned.len().max(depth + 1), 0);
        let seen = std::mem::replace(&mut self.scanned[depth], tree.len());
        tree.untried_at_depth(self.depth).rev().take_while(move |flip| flip.node.index() >= seen)
    }

    /// Returns the hash of the context of a flip.
    fn context(&self, tree: &Tree, flip: Flip) -> u64 {
        let mut hasher = FxHasher::default();
        (tree.site(flip.node), flip.side).hash(&mut hasher);
        let taken = tree.branch(tree.first_side(flip.node));
        let is_relevant = |before: &BranchId| {
            let dominates = |taken| *before != taken && self.dominators.dominates(*before, taken);
            self.settings.with_dominators || !taken.is_some_and(dominates)
        };
        let before = tree.history(flip.node).take(LOOK_BACK);
        before.filter(is_relevant).take(self.k as usize - 1).for_each(|branch| branch.hash(&mut hasher));
        hasher.finish()
    }
}

impl Strategy for Cgs {
    fn on_run(&mut self, run: &RunView) {
        self.dominators.update(run);
        // With several strategies on one tree, contexts that others have flipped count as seen.
        if let Some(flip) = run.flip.filter(|_| !run.own && self.k <= MAX_K) {
            self.seen.insert(self.context(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        loop {
            if let Some(flip) = self.select(tree) {
                return Next::flip(tree, flip);
            }
            if self.advance(tree, rng) {
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

    fn on_resumed(&mut self, _: &Tree, _: &[Flip]) {
        self.scanned.clear();
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
