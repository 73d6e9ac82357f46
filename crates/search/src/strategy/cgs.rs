//! Context-guided search.
//!
//! H. Seo, S. Kim: How We Get There: A Context-Guided Search Strategy in Concolic Testing, FSE 2014. Go through the tree
//! depth by depth, in random order within a depth, and flip a branch only in a context that is new: the k-context of a
//! branch is the branch itself and the nearest k - 1 branches before it on its path, concrete ones included, that do not
//! dominate it. After the last depth k grows by one, and what was skipped is looked at again.
//!
//! Settings: a largest k (`cgs:5`), dominators counted like all others (`nodom`), and k as it is from the start instead of
//! growing (`fixed`; 5 unless told).
//!
//! What differs. A context begins with the side that would be taken: of a switch each other side is a branch of its own.
//! Only strict dominators are left out: an earlier occurrence of the branch itself says something. Contexts are looked for
//! among the last [`LOOK_BACK`] branches, and after k = [`LONGEST`] all that is left is flipped in order of depth, which
//! is what the paper says infinite contexts amount to. With a largest k, what has no new context then is left.
//!
//! Cost: each traversal looks at all flips that are left, at most [`LOOK_BACK`] branches back for each; eight bytes per
//! flip, and as many per context met.

use crate::branches::Branches;
use crate::levels::Levels;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, CallGraph, Dominators, Program};
use cairn_tree::{Flip, FlipState, NodeId, Tree};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// How many branches before a flip are looked at.
const LOOK_BACK: usize = 256;
/// The largest k.
const LONGEST: u32 = 32;
/// The fixed k of the paper's comparison.
const FIXED: u32 = 5;

/// What a user may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Settings {
    largest: Option<u32>,
    with_dominators: bool,
    fixed: bool,
}

impl Settings {
    fn parse(text: Option<&str>) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for word in text.into_iter().flat_map(|text| text.split(',')) {
            match (word, word.parse()) {
                ("nodom", _) => settings.with_dominators = true,
                ("fixed", _) => settings.fixed = true,
                (_, Ok(largest)) if (1..=LONGEST).contains(&largest) => settings.largest = Some(largest),
                _ => {
                    return Err(format!(
                        "`{word}` is no number from 1 to {LONGEST}, nor `nodom`, nor `fixed`"
                    ));
                }
            }
        }
        if settings.fixed {
            settings.largest.get_or_insert(FIXED);
        }
        Ok(settings)
    }
}

/// The search.
#[derive(Clone, Debug)]
pub struct Cgs {
    settings: Settings,
    branches: Branches,
    dominators: Dominators,
    levels: Levels,
    seen: FxHashSet<u64>,
    k: u32,
    /// What is left of the depth that is being searched.
    candidates: Vec<Flip>,
    depth: usize,
    /// The depth that comes after it.
    next_depth: usize,
}

impl Cgs {
    /// The search with the settings a user wrote.
    pub(crate) fn parse(settings: Option<&str>, program: &Program) -> Result<Cgs, String> {
        let settings = Settings::parse(settings)?;
        Ok(Cgs {
            branches: Branches::new(program),
            dominators: Dominators::new(program, &CallGraph::new(program)),
            levels: Levels::default(),
            seen: FxHashSet::default(),
            k: if settings.fixed { settings.largest.unwrap_or(FIXED) } else { 1 },
            candidates: Vec::new(),
            depth: 0,
            next_depth: 0,
            settings,
        })
    }

    /// The first candidate in a new context; the others wait for a larger k, if there is to be one.
    fn select(&mut self, tree: &Tree) -> Option<Flip> {
        while let Some(flip) = self.candidates.pop() {
            if tree.state(flip) != FlipState::Untried {
                continue;
            }
            if self.k > LONGEST || self.seen.insert(self.context(tree, flip)) {
                return Some(flip);
            }
            if self.settings.largest != Some(self.k) {
                self.levels.put_back(self.depth, flip);
            }
        }
        None
    }

    /// Goes on to the next depth, or to the first with a larger k. False if there is nothing left at all.
    fn advance(&mut self, rng: &mut Rng) -> bool {
        if self.levels.at(self.next_depth).is_none() {
            if self.levels.is_empty() {
                return false;
            }
            self.next_depth = 0;
            self.k += u32::from(self.k <= LONGEST && self.settings.largest != Some(self.k));
        }
        self.depth = self.next_depth;
        self.next_depth += 1;
        let level = self.levels.at(self.depth).map(std::mem::take).unwrap_or_default();
        self.candidates = level.into();
        rng.shuffle(&mut self.candidates);
        true
    }

    /// The context of a flip, as a hash.
    fn context(&self, tree: &Tree, flip: Flip) -> u64 {
        let mut hasher = FxHasher::default();
        self.branches.number(tree, flip).hash(&mut hasher);
        let taken = taken(tree, flip.node).and_then(|side| self.branches.of(tree, side));
        let is_relevant = |before: &BranchId| {
            let dominates = |taken| *before != taken && self.dominators.dominates(*before, taken);
            self.settings.with_dominators || !taken.is_some_and(dominates)
        };
        let before = self.before(tree, flip.node).take(LOOK_BACK);
        for branch in before.filter(is_relevant).take(self.k as usize - 1) {
            branch.0.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The branches before a node, nearest first.
    fn before<'a>(&'a self, tree: &'a Tree, node: NodeId) -> impl Iterator<Item = BranchId> + 'a {
        let above = |node: NodeId| tree.node(node).parent.map(|(node, side)| Flip { node, side });
        let sides = std::iter::successors(above(node), move |side| above(side.node));
        sides.filter_map(|side| self.branches.of(tree, side))
    }
}

/// The side of a node that the run which created it took.
fn taken(tree: &Tree, node: NodeId) -> Option<Flip> {
    tree.sides(node).find(|(_, state)| *state == FlipState::Sat).map(|(side, _)| side)
}

impl Strategy for Cgs {
    fn on_run(&mut self, run: &RunView) {
        self.levels.add(run);
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        loop {
            if let Some(flip) = self.select(tree) {
                return Next::flip(tree, flip);
            }
            if !self.advance(rng) {
                return Next::Done;
            }
        }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        let largest = self.settings.largest.map(|k| format!(":{k}")).unwrap_or_default();
        let nodom = if self.settings.with_dominators { ",nodom" } else { "" };
        let fixed = if self.settings.fixed { ",fixed" } else { "" };
        format!("cgs{largest}{nodom}{fixed} (branches in new contexts)")
    }
}
