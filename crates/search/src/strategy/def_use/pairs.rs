//! Uses with uncovered sides, the definitions of what they read, and runs that have executed either.

use crate::rng::Rng;
use crate::traits::RunView;
use cairn_program::{BlockId, BranchId, CallGraph, Definitions, Guards, Program, Site};
use cairn_tree::RunId;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Runs that are kept for each use and each definition; a chosen bound.
const KEPT_RUNS: usize = 4;
/// Branches towards a block that are looked for; a chosen bound.
const MAX_GUARDS: usize = 64;
/// Runs through a use and a definition that may fail to cover the use, before the pair is left alone: a constant
/// decides it as soon as it is stored in time, other values may have to be right. Chosen bounds.
const CONSTANT_CHANCES: u8 = 2;
const VALUE_CHANCES: u8 = 4;

/// Branches towards a block, with the number of branches that must be taken after each.
pub(super) type Approach = FxHashMap<BranchId, u32>;

/// Some of the runs that have done something, each as likely.
#[derive(Clone, Debug, Default)]
struct RunSample {
    runs: Vec<RunId>,
    seen: usize,
}

impl RunSample {
    fn add(&mut self, run: RunId, rng: &mut Rng) {
        self.seen += 1;
        if self.runs.len() < KEPT_RUNS {
            self.runs.push(run);
        } else if rng.below(self.seen) < KEPT_RUNS {
            self.runs[rng.below(KEPT_RUNS)] = run;
        }
    }

    fn draw(&self, rng: &mut Rng) -> Option<RunId> {
        (!self.runs.is_empty()).then(|| self.runs[rng.below(self.runs.len())])
    }
}

/// A block that stores to a variable.
#[derive(Clone, Debug)]
struct Definition {
    approach: Approach,
    /// Branches after which it is certain to be executed.
    last: Vec<BranchId>,
    runs: RunSample,
    /// True if the last run executed it.
    is_executed: bool,
}

/// A site that some run has reached.
#[derive(Clone, Debug)]
struct Use {
    branches: Range<u32>,
    approach: Approach,
    /// Definitions of what its condition reads, with the number of runs that may still fail to cover it.
    definitions: Vec<(usize, u8)>,
    runs: RunSample,
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

/// A definition of a variable and a condition that reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub of: usize,
    pub definition: usize,
}

/// All pairs of definitions and uses that no run may have executed together.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    guards: Guards,
    stores: Definitions,
    definitions: Vec<Definition>,
    by_block: FxHashMap<BlockId, usize>,
    uses: Vec<Use>,
    covered: Vec<bool>,
    /// By site: true if runs have reached it.
    is_known: Vec<bool>,
    /// Random numbers for the choice of the runs that are kept.
    rng: Rng,
}

impl Pairs {
    /// Returns the pairs of a program that has not run: none.
    pub fn new(program: &Program) -> Pairs {
        Pairs {
            guards: Guards::new(program, &CallGraph::new(program)),
            stores: Definitions::new(program),
            definitions: Vec::new(),
            by_block: FxHashMap::default(),
            uses: Vec::new(),
            covered: vec![false; program.branch_count() as usize],
            is_known: vec![false; program.site_count() as usize],
            rng: Rng::new(0),
        }
    }

    /// Updates the pairs after a run; returns the uses that it was the first to reach.
    pub fn add_run(&mut self, run: &RunView) -> Range<usize> {
        let first = self.uses.len();
        for branch in run.new_branches {
            self.covered[branch.0 as usize] = true;
        }
        for branch in run.new_branches {
            let Some((site, _)) = run.program.site_of(*branch) else { continue };
            if !std::mem::replace(&mut self.is_known[site.0 as usize], true) {
                self.add_use(run.program.site(site));
            }
        }
        self.sample(run);
        first..self.uses.len()
    }

    /// True if a use has an uncovered side.
    pub fn is_open(&self, of: usize) -> bool {
        self.uses[of].is_open(&self.covered)
    }

    /// True if a run reached the use.
    pub fn is_reached(&self, of: usize, run: &RunView) -> bool {
        self.uses[of].is_reached(run.covered)
    }

    /// Draws one of the pairs of a use.
    pub fn draw(&self, of: usize, rng: &mut Rng) -> Option<Pair> {
        let definitions = &self.uses[of].definitions;
        (!definitions.is_empty())
            .then(|| Pair { of, definition: definitions[rng.below(definitions.len())].0 })
    }

    /// Draws a run that has reached the use.
    pub fn draw_user(&self, of: usize, rng: &mut Rng) -> Option<RunId> {
        self.uses[of].runs.draw(rng)
    }

    /// Returns the branches of a use.
    pub fn branches(&self, of: usize) -> Range<u32> {
        self.uses[of].branches.clone()
    }

    /// Draws a run that has executed the definition.
    pub fn draw_definer(&self, pair: Pair, rng: &mut Rng) -> Option<RunId> {
        self.definitions[pair.definition].runs.draw(rng)
    }

    /// Returns the branches towards the use.
    pub fn to_use(&self, pair: Pair) -> &Approach {
        &self.uses[pair.of].approach
    }

    /// Returns the branches towards the definition.
    pub fn to_definition(&self, pair: Pair) -> &Approach {
        &self.definitions[pair.definition].approach
    }

    fn add_use(&mut self, site: &Site) {
        let mut definitions: Vec<(usize, u8)> = Vec::new();
        for variable in &site.reads {
            for (block, constant) in self.stores.of(*variable).to_vec() {
                let chances = if constant.is_some() { CONSTANT_CHANCES } else { VALUE_CHANCES };
                definitions.extend(self.definition(block).map(|definition| (definition, chances)));
            }
        }
        definitions.sort_unstable();
        // Of several stores in one block, that with most chances counts.
        definitions.reverse();
        definitions.dedup_by_key(|definition| definition.0);
        let first = site.first_branch.0;
        let branches = first..first + site.sides.len() as u32;
        let approach = self.guards.towards(site.block, MAX_GUARDS).into_iter().collect();
        self.uses.push(Use { branches, approach, definitions, runs: RunSample::default() });
    }

    /// Returns the number of a block's definition; `None` if every run executes it.
    fn definition(&mut self, block: BlockId) -> Option<usize> {
        if let Some(known) = self.by_block.get(&block) {
            return Some(*known);
        }
        let approach = self.guards.towards(block, MAX_GUARDS);
        let nearest = approach.iter().take_while(|(_, left)| *left == 0);
        let last: Vec<BranchId> = nearest.map(|(branch, _)| *branch).collect();
        if last.is_empty() {
            return None;
        }
        let approach = approach.into_iter().collect();
        let runs = RunSample::default();
        self.by_block.insert(block, self.definitions.len());
        self.definitions.push(Definition { approach, last, runs, is_executed: false });
        Some(self.definitions.len() - 1)
    }

    /// Keeps the run for definitions it has executed and uses that it has reached.
    fn sample(&mut self, run: &RunView) {
        let Pairs { uses, covered, definitions, rng, .. } = self;
        let is_taken = |branch: &BranchId| run.covered.get(branch.0 as usize).is_some_and(|byte| *byte != 0);
        for definition in definitions.iter_mut() {
            definition.is_executed = definition.last.iter().any(is_taken);
            if definition.is_executed {
                definition.runs.add(run.run, rng);
            }
        }
        for target in uses.iter_mut().filter(|target| target.is_open(covered)) {
            if target.is_reached(run.covered) {
                target.runs.add(run.run, rng);
                for (definition, chances) in &mut target.definitions {
                    *chances -= u8::from(definitions[*definition].is_executed);
                }
                target.definitions.retain(|(_, chances)| *chances > 0);
            }
        }
    }
}
