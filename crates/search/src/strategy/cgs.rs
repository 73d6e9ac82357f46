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
//! Only strict dominators are left out: an earlier occurrence of the branch itself says something. Contexts are looked
//! for among the last [`LOOK_BACK`] branches, of long stretches of concrete ones the first and the last 32, and after k
//! = [`LONGEST`] all that is left is flipped in order of depth, which is what the paper says infinite contexts amount
//! to. With a largest k, what has no new context then is left. A fixed k has soon seen all contexts of the paths it
//! has: it then tries random input, up to [`MAX_RESTARTS`] times in vain.
//!
//! Cost: for each k every flip is looked at once, at most [`LOOK_BACK`] branches back: what had no new context will have
//! none. Eight bytes per context met.

use crate::refined_analyses::Refined;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, Dominators, Program};
use cairn_tree::{Flip, FlipState, Tree};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::mem::replace;

/// How many branches before a flip are looked at.
const LOOK_BACK: usize = 256;
/// The largest k.
const LONGEST: u32 = 32;
/// The fixed k of the paper's comparison.
const FIXED: u32 = 5;
/// Random inputs in a row that may bring no new context before a search with a fixed k ends.
const MAX_RESTARTS: u32 = 100;

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
            let was_set = match (word, word.parse()) {
                ("nodom", _) => replace(&mut settings.with_dominators, true),
                ("fixed", _) => replace(&mut settings.fixed, true),
                (_, Ok(k)) if (1..=LONGEST).contains(&k) => settings.largest.replace(k).is_some(),
                _ => {
                    return Err(format!(
                        "`{word}` is no number from 1 to {LONGEST}, nor `nodom`, nor `fixed`"
                    ));
                }
            };
            if was_set {
                return Err(format!("`{word}` sets what was set before it"));
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
    dominators: Refined<Dominators>,
    seen: FxHashSet<u64>,
    k: u32,
    /// The depth to look at when there are no candidates left.
    depth: u32,
    /// What is left of the depth before it, in random order.
    candidates: Vec<Flip>,
    /// Flips named in this traversal.
    selected: u64,
    /// Random inputs asked for since the last flip.
    restarts: u32,
    /// By depth: the nodes that were there when it was last looked at with this k.
    looked_at: Vec<usize>,
}

impl Cgs {
    /// The search with the settings a user wrote.
    pub(crate) fn parse(settings: Option<&str>, program: &Program) -> Result<Cgs, String> {
        let settings = Settings::parse(settings)?;
        Ok(Cgs {
            dominators: Refined::new(program, Dominators::new),
            seen: FxHashSet::default(),
            k: settings.largest.filter(|_| settings.fixed).unwrap_or(1),
            depth: 0,
            candidates: Vec::new(),
            selected: 0,
            restarts: 0,
            looked_at: Vec::new(),
            settings,
        })
    }

    /// The first candidate in a new context.
    fn select(&mut self, tree: &Tree) -> Option<Flip> {
        while let Some(flip) = self.candidates.pop() {
            let is_new = |cgs: &mut Cgs| cgs.k > LONGEST || cgs.seen.insert(cgs.context(tree, flip));
            if tree.state(flip) == FlipState::Untried && is_new(self) {
                self.selected += 1;
                self.restarts = 0;
                return Some(flip);
            }
        }
        None
    }

    /// Goes on to the next depth, or to the first with a larger k. False if that leads nowhere.
    fn advance(&mut self, tree: &Tree, rng: &mut Rng) -> bool {
        if tree.untried() == 0 {
            return false;
        }
        if self.depth > tree.max_depth() {
            let is_last = self.settings.largest == Some(self.k);
            let in_vain = is_last && self.selected == 0;
            (self.depth, self.selected) = (0, 0);
            if !is_last && self.k <= LONGEST {
                self.k += 1;
                self.looked_at.clear();
            }
            if in_vain {
                return false;
            }
        }
        let unseen = self.unseen(tree);
        self.candidates.extend(unseen);
        rng.shuffle(&mut self.candidates);
        self.depth += 1;
        true
    }

    /// The flips of the depth that were not looked at with this k.
    fn unseen<'a>(&mut self, tree: &'a Tree) -> impl Iterator<Item = Flip> + use<'a> {
        let depth = self.depth as usize;
        self.looked_at.resize(self.looked_at.len().max(depth + 1), 0);
        let seen = std::mem::replace(&mut self.looked_at[depth], tree.len());
        tree.untried_at_depth(self.depth).rev().take_while(move |flip| flip.node.index() >= seen)
    }

    /// The context of a flip, as a hash.
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
        self.dominators.see(run);
        // Among several strategies: what others have flipped is flipped.
        if let Some(flip) = run.flip.filter(|_| !run.own && self.k <= LONGEST) {
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
        self.looked_at.clear();
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
        let largest = self.settings.largest.map(|k| format!(":{k}")).unwrap_or_default();
        let nodom = if self.settings.with_dominators { ",nodom" } else { "" };
        let fixed = if self.settings.fixed { ",fixed" } else { "" };
        format!("cgs{largest}{nodom}{fixed} (branches in new contexts)")
    }
}
