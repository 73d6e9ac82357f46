//! Definition-use guidance: flips towards the stores that uncovered conditions depend on.
//!
//! Where a condition does not depend on the input on any path seen, there is no flip to its uncovered side. What
//! it reads was stored before: an option sets a flag, and much later the flag decides. Data-flow testing (S. Rapps,
//! E. J. Weyuker, TSE 1985) names the pair of a definition and a use; T. Su et al., Combining Symbolic Execution
//! and Model Checking for Data Flow Testing, ICSE 2015, direct symbolic execution to one pair after the other.
//!
//! A use is a site with an uncovered side that runs have reached. Its definitions are the stores to the variables
//! that its condition reads. The search takes a run that reaches the use, and flips the decision of its path that
//! is nearest to a definition: all the run did before is kept, and so are the bytes that no constraint reads, so
//! that the new run is likely to reach the use as well. If it does, and more decisions are to be taken before the
//! definition is executed, it continues from there. Uses that were tried least come first.
//!
//! Cost: time linear in the open uses per run, and in a path's length per choice; a list of some runs per use.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BlockId, BranchId, CallGraph, Definitions, Guards, Program};
use cairn_tree::{Flip, NodeId, RunId, Tree};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Runs that are kept for each use; a chosen bound.
const KEPT_RUNS: usize = 4;
/// Branches towards a definition that are looked for; a chosen bound.
const MAX_GUARDS: usize = 64;
/// Uses that are tried before the strategy gives up; a chosen bound.
const MAX_ATTEMPTS: usize = 16;
/// Attempts at a use; a chosen bound.
const MAX_TRIES: usize = 64;

/// Branches towards a definition, with the number of branches that must be taken after each.
type Approach = Arc<FxHashMap<BranchId, u32>>;

/// A site with an uncovered side that some run has reached.
#[derive(Clone, Debug)]
struct Use {
    branches: Range<u32>,
    /// Blocks that store to what its condition reads.
    definitions: Vec<BlockId>,
    /// Some of the runs that have reached it, and the number of all.
    runs: Vec<RunId>,
    reached: usize,
}

/// A definition that is being approached for a use, from run to run.
#[derive(Clone, Copy, Debug)]
struct Pursuit {
    target: usize,
    definition: BlockId,
    /// Number of branches to be taken after the last flip.
    left: u32,
    /// The run that has taken it, if it reached the use.
    run: Option<RunId>,
}

/// Definition-use guidance.
#[derive(Clone, Debug)]
pub struct DefUse {
    guards: Guards,
    definitions: Definitions,
    approaches: FxHashMap<BlockId, Approach>,
    covered: Vec<bool>,
    /// By site: true if it is among the uses, or cannot be one.
    is_known: Vec<bool>,
    uses: Vec<Use>,
    /// Uses that are open, by number of attempts.
    waiting: Vec<Vec<usize>>,
    pursuit: Option<Pursuit>,
    /// Random numbers for the choice of the runs that are kept.
    sampling: Rng,
}

impl DefUse {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> DefUse {
        DefUse {
            guards: Guards::new(program, &CallGraph::new(program)),
            definitions: Definitions::new(program),
            approaches: FxHashMap::default(),
            covered: vec![false; program.branch_count() as usize],
            is_known: vec![false; program.site_count() as usize],
            uses: Vec::new(),
            waiting: vec![Vec::new(); MAX_TRIES],
            pursuit: None,
            sampling: Rng::new(0),
        }
    }

    /// Adds the sites of newly covered branches that have uncovered sides.
    fn add_uses(&mut self, run: &RunView) {
        for branch in run.new_branches {
            self.covered[branch.0 as usize] = true;
        }
        for branch in run.new_branches {
            let Some((id, _)) = run.program.site_of(*branch) else { continue };
            if std::mem::replace(&mut self.is_known[id.0 as usize], true) {
                continue;
            }
            let site = run.program.site(id);
            let stores = site.reads.iter().flat_map(|variable| self.definitions.of(*variable));
            let mut definitions: Vec<BlockId> = stores.map(|(block, _)| *block).collect();
            definitions.sort_unstable();
            definitions.dedup();
            if !definitions.is_empty() {
                let first = site.first_branch.0;
                let branches = first..first + site.sides.len() as u32;
                self.waiting[0].push(self.uses.len());
                self.uses.push(Use { branches, definitions, runs: Vec::new(), reached: 0 });
            }
        }
    }

    /// Keeps the run for some of the uses that it has reached.
    fn sample_runs(&mut self, run: &RunView) {
        let DefUse { uses, covered, sampling, .. } = self;
        for target in uses.iter_mut().filter(|target| target.is_open(covered)) {
            if !target.is_reached(run.covered) {
                continue;
            }
            target.reached += 1;
            if target.runs.len() < KEPT_RUNS {
                target.runs.push(run.run);
            } else if sampling.below(target.reached) < KEPT_RUNS {
                target.runs[sampling.below(KEPT_RUNS)] = run.run;
            }
        }
    }

    /// Returns the flip on a run's path that is nearest to a definition, if fewer than `below` branches are left
    /// after it.
    fn nearest(&mut self, tree: &Tree, run: RunId, definition: BlockId, below: u32, rng: &mut Rng) -> Option<(u32, Flip)> {
        let guards = &self.guards;
        let approach = self.approaches.entry(definition).or_insert_with(|| {
            Arc::new(guards.towards(definition, MAX_GUARDS).into_iter().collect())
        });
        let mut best: Option<(u32, Vec<Flip>)> = None;
        for node in path(tree, run) {
            for flip in tree.untried_of(node) {
                let left = tree.branch(flip).and_then(|branch| approach.get(&branch));
                let Some(left) = left.copied().filter(|left| *left < below) else { continue };
                match &mut best {
                    Some((least, _)) if *least < left => {}
                    Some((least, flips)) if *least == left => flips.push(flip),
                    _ => best = Some((left, vec![flip])),
                }
            }
        }
        let (left, flips) = best?;
        // A later flip keeps more of the run.
        let mut at = flips.len() - 1;
        while at > 0 && rng.below(2) == 0 {
            at -= 1;
        }
        Some((left, flips[at]))
    }

    /// Continues the last pursuit, if its run has reached the use.
    fn pursue(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        let Pursuit { target, definition, left, run } = self.pursuit.take()?;
        let run = run.filter(|_| self.uses[target].is_open(&self.covered))?;
        let (left, flip) = self.nearest(tree, run, definition, left, rng)?;
        self.pursuit = Some(Pursuit { target, definition, left, run: None });
        Some(Next::Flip { flip, base: run })
    }

    /// Begins to approach a definition for one of the uses that were tried least.
    fn begin(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        for _ in 0..MAX_ATTEMPTS {
            let tries = self.waiting.iter().position(|list| !list.is_empty())?;
            let at = rng.below(self.waiting[tries].len());
            let target = self.waiting[tries].swap_remove(at);
            if !self.uses[target].is_open(&self.covered) {
                continue;
            }
            if let Some(list) = self.waiting.get_mut(tries + 1) {
                list.push(target);
            }
            let Use { definitions, runs, .. } = &self.uses[target];
            if runs.is_empty() {
                continue;
            }
            let (definition, run) = (definitions[rng.below(definitions.len())], runs[rng.below(runs.len())]);
            if let Some((left, flip)) = self.nearest(tree, run, definition, u32::MAX, rng) {
                self.pursuit = Some(Pursuit { target, definition, left, run: None });
                return Some(Next::Flip { flip, base: run });
            }
        }
        None
    }
}

impl Use {
    fn is_open(&self, covered: &[bool]) -> bool {
        self.branches.clone().any(|branch| !covered[branch as usize])
    }

    fn is_reached(&self, covered: &[u8]) -> bool {
        let sides = covered.get(self.branches.start as usize..self.branches.end as usize);
        sides.is_some_and(|sides| sides.iter().any(|side| *side != 0))
    }
}

/// Returns the nodes of a run's path, from the last to the first of those it created, then those before.
fn path(tree: &Tree, run: RunId) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = tree.run_nodes(run).collect();
    let before = tree.left_at(run);
    let mut above: Vec<NodeId> =
        before.into_iter().flat_map(|flip| tree.ancestors(flip.node).map(|(node, _)| node).chain([])).collect();
    above.reverse();
    above.extend(before.map(|flip| flip.node));
    above.append(&mut nodes);
    above
}

impl Strategy for DefUse {
    fn on_run(&mut self, run: &RunView) {
        self.add_uses(run);
        self.sample_runs(run);
        if let Some(pursuit) = self.pursuit.as_mut().filter(|_| run.own) {
            let reaches = run.predicted && self.uses[pursuit.target].is_reached(run.covered);
            pursuit.run = reaches.then_some(run.run);
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let next = self.pursue(tree, rng).or_else(|| self.begin(tree, rng));
        let any = || tree.pick_untried(|n| rng.below(n)).map(|flip| Next::flip(tree, flip));
        next.or_else(any).unwrap_or(Next::Done)
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        "def-use (towards stores to what uncovered branches read)".to_owned()
    }
}
