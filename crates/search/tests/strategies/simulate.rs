//! A simulated target: a decision program over a few input bits, without process or solver.

use cairn_expr::{CmpOp, Dag, ExprId, InputByte};
use cairn_program::testing::Sketch;
use cairn_program::{BranchId, FunctionId, Program, SiteId};
use cairn_search::{Cost, MutantBatch, Next, Outcome, Rng, RunView, Strategy};
use cairn_tree::{AddedRun, BranchTraces, Coverage, Flip, FlipState, NodeId, RunId, Step, StepKind, Tree};
use std::time::Duration;

/// The input: one bit per value.
pub type Input = Vec<bool>;

/// The program: the bit a run reads next, given its decisions so far; `None` ends it.
pub type Decide = Box<dyn Fn(&[(usize, bool)]) -> Option<usize>>;

/// Returns a run on a given input that covered nothing new, as a strategy sees it.
pub fn view<'a>(tree: &'a Tree, program: &'a Program, added: &'a AddedRun) -> RunView<'a> {
    RunView {
        tree,
        program,
        run: added.run,
        nodes: &added.nodes,
        sides: &added.sides,
        first_new: added.first_new,
        new_branches: &[],
        callees: &[],
        covered: &[],
        flip: None,
        predicted: false,
        cost: Cost::default(),
        own: true,
    }
}

/// The simulation: tree, program and the inputs of all runs.
pub struct Simulation {
    decide: Decide,
    pub program: Program,
    dag: Dag,
    values: Vec<ExprId>,
    pub tree: Tree,
    coverage: Coverage,
    pub inputs: Vec<Input>,
    /// Nodes, by run.
    paths: Vec<Vec<NodeId>>,
    /// Flips that diverge: the run keeps the old input but for the last bit.
    pub diverges: fn(Flip) -> bool,
    /// Seconds that solving for a flip takes.
    pub solver_seconds: fn(Flip) -> u64,
    /// Branches that no input takes.
    pub impossible: &'static [BranchId],
    /// Returns the concrete branches between the last of some decisions and the next.
    pub concrete: fn(&[(usize, bool)]) -> Vec<BranchId>,
    /// Callees of calls through pointers that the next run shows.
    pub callees: Vec<(u64, FunctionId)>,
}

/// Returns a run's decisions: bit and side.
pub fn path(decide: &Decide, input: &Input) -> Vec<(usize, bool)> {
    let mut path = Vec::new();
    while let Some(bit) = decide(&path) {
        path.push((bit, input[bit]));
    }
    path
}

/// Returns a program whose every decision depends on a seed and on all decisions before it.
pub fn random_program(seed: u64, bits: usize, longest: usize) -> Decide {
    Box::new(move |path| {
        let mut hash = seed.wrapping_add(77);
        for (bit, side) in path {
            hash = (hash ^ (*bit as u64 * 2 + u64::from(*side))).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        let ends = path.len() >= longest || (path.len() > 1 && hash >> 32 & 7 == 0);
        (!ends).then_some((hash >> 40) as usize % bits)
    })
}

/// Returns a program that reads all its bits in order.
pub fn straight_program(bits: usize) -> Decide {
    Box::new(move |path| (path.len() < bits).then_some(path.len()))
}

/// Parses an input of digits.
pub fn input(digits: &str) -> Input {
    digits.chars().map(|bit| bit == '1').collect()
}

/// Returns the flips among the requests of a strategy.
pub fn flips(requests: &[Next]) -> impl Iterator<Item = Flip> {
    requests.iter().filter_map(|next| match next {
        Next::Flip { flip, .. } => Some(*flip),
        _ => None,
    })
}

/// Formats an input as digits.
pub fn bits(input: &Input) -> String {
    input.iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}

/// Returns the chi-squared statistic of counts and expected values.
pub fn chi_squared(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    pairs.map(|(count, expected)| (count - expected).powi(2) / expected).sum()
}

impl Simulation {
    pub fn new(decide: Decide, bits: usize) -> Simulation {
        let mut sketch = Sketch::new();
        for _ in 0..bits {
            sketch.branch();
        }
        Simulation::of(sketch.build(), decide)
    }

    /// Creates a simulation of this program, whose sites are the bits.
    pub fn of(program: Program, decide: Decide) -> Simulation {
        let (bits, mut dag) = (program.site_count(), Dag::new());
        let one = dag.constant(8, 1);
        let mut value = |offset| {
            let byte = dag.input(InputByte { object: 0, offset });
            dag.compare(CmpOp::Eq, byte, one)
        };
        let values = (0..bits).map(&mut value).collect();
        let (tree, coverage) = (Tree::new(&program), Coverage::new(&program));
        Simulation {
            decide,
            dag,
            values,
            tree,
            coverage,
            program,
            inputs: vec![],
            paths: vec![],
            diverges: |_| false,
            solver_seconds: |_| 0,
            impossible: &[],
            concrete: |_| vec![],
            callees: vec![],
        }
    }

    /// Makes these bits decide by conditions that are no core conditions.
    pub fn without_cores(&mut self, bits: impl Iterator<Item = usize>) {
        for bit in bits {
            let byte = self.dag.input(InputByte { object: 0, offset: bit as u32 });
            self.values[bit] = self.dag.extract(byte, 0, 1);
        }
    }

    /// Executes an input and notifies the strategy; true if the flip was taken.
    pub fn run(&mut self, input: Input, flip: Option<Flip>, strategy: &mut dyn Strategy) -> bool {
        let decisions = path(&self.decide, &input);
        let step = |&(bit, side): &(usize, bool)| Step {
            kind: StepKind::Branch,
            site: SiteId(bit as u32),
            side: side.into(),
            value: self.values[bit],
            concrete: side.into(),
        };
        let steps: Vec<_> = decisions.iter().map(step).collect();
        let mut trails = BranchTraces::new();
        for at in 0..decisions.len() {
            (self.concrete)(&decisions[..at]).into_iter().for_each(|branch| trails.branch(branch));
            trails.step();
        }
        let added = self.tree.add_run_with_branches(&steps, &trails);
        if strategy.wants_cores() {
            self.tree.find_cores(&self.dag, &self.program);
        }
        let taken = |flip: Flip| {
            let at = added.nodes.iter().position(|node| *node == flip.node);
            at.is_some_and(|at| steps[at].side == flip.side)
        };
        let predicted = flip.is_some_and(taken);
        let covered = self.covered_by(&decisions);
        let new_branches = self.coverage.merge(&covered);
        strategy.on_run(&RunView {
            tree: &self.tree,
            program: &self.program,
            run: added.run,
            nodes: &added.nodes,
            sides: &added.sides,
            first_new: added.first_new,
            new_branches: &new_branches,
            callees: &std::mem::take(&mut self.callees),
            covered: &covered,
            flip,
            predicted,
            cost: flip.map(|flip| self.cost(flip)).unwrap_or_default(),
            own: true,
        });
        self.inputs.push(input);
        self.paths.push(added.nodes);
        predicted
    }

    fn covered_by(&self, decisions: &[(usize, bool)]) -> Vec<u8> {
        let mut bytes = vec![0; self.program.branch_count() as usize];
        for (bit, side) in decisions {
            bytes[bit * 2 + usize::from(*side)] = 1;
        }
        for branch in (0..decisions.len()).flat_map(|at| (self.concrete)(&decisions[..at])) {
            bytes[branch.0 as usize] = 1;
        }
        bytes
    }

    /// Returns the number of covered branches.
    pub fn covered(&self) -> usize {
        self.coverage.covered()
    }

    /// Returns the bits that lead to a flip, on those of the base run; `None` if they contradict the path.
    fn solve(&self, flip: Flip, base: RunId) -> Option<Input> {
        let node = self.tree.node(flip.node);
        let bit = node.site.0 as usize;
        let repeats = |at: &(_, u32)| self.tree.node(at.0).site.0 as usize == bit;
        let target = self.program.branch(node.site, flip.side);
        if self.tree.prefix(flip.node).iter().any(repeats) || self.impossible.contains(&target) {
            return None;
        }
        let mut input = self.inputs[base.index()].clone();
        input[bit] = flip.side == 1;
        Some(input)
    }

    /// Serves `steps` requests of the strategy, or all until it is done, and returns them.
    pub fn drive(&mut self, strategy: &mut dyn Strategy, rng: &mut Rng, steps: usize) -> Vec<Next> {
        let mut requests = Vec::new();
        while requests.len() < steps && requests.last() != Some(&Next::Done) {
            let next = strategy.next(&self.tree, rng);
            requests.push(next.clone());
            match next {
                Next::Done => {}
                Next::Restart => {
                    let input = vec![false; self.values.len()];
                    self.run(input, None, strategy);
                }
                Next::Flip { flip, base } => self.force(flip, base, strategy),
                Next::Mutate { base, .. } => self.mutate(base, strategy),
                Next::Combine { base, donor, .. } => self.combine(base, donor, strategy),
                Next::Suspend(flips) => flips.into_iter().for_each(|flip| self.tree.suspend(flip)),
                Next::Resume(flips) => {
                    strategy.on_resumed(&self.tree, &flips);
                    flips.into_iter().for_each(|flip| self.tree.resume(flip));
                }
            }
        }
        requests
    }

    /// Runs an input with the second half of another one.
    fn combine(&mut self, base: RunId, donor: RunId, strategy: &mut dyn Strategy) {
        let half = self.values.len() / 2;
        let input = [&self.inputs[base.index()][..half], &self.inputs[donor.index()][half..]].concat();
        self.run(input, None, strategy);
    }

    /// Flips each bit of an input without a trace, and runs the mutants that cover a branch first.
    fn mutate(&mut self, base: RunId, strategy: &mut dyn Strategy) {
        let (mut kept, mut coverage) = (Vec::new(), self.coverage.clone());
        let bits = self.inputs[base.index()].len();
        for bit in 0..bits {
            let mut mutant = self.inputs[base.index()].clone();
            mutant[bit] = !mutant[bit];
            if !coverage.merge(&self.covered_by(&path(&self.decide, &mutant))).is_empty() {
                kept.push(mutant);
            }
        }
        let (executions, cost) = (bits as u64, bits as f64);
        strategy.on_mutants(&MutantBatch { base, executions, cost, kept: kept.len() });
        for mutant in kept {
            self.run(mutant, None, strategy);
        }
    }

    fn force(&mut self, flip: Flip, base: RunId, strategy: &mut dyn Strategy) {
        assert!(matches!(self.tree.state(flip), FlipState::Untried | FlipState::Sat));
        assert!(
            self.paths[base.index()].contains(&flip.node),
            "the base run must pass through the flip's node"
        );
        let outcome = match self.solve(flip, base) {
            None => Outcome::Unsat,
            Some(mut input) => {
                if (self.diverges)(flip) {
                    input = self.inputs[base.index()].clone();
                    *input.last_mut().unwrap() ^= true;
                }
                if self.run(input, Some(flip), strategy) { Outcome::Taken } else { Outcome::Diverged }
            }
        };
        match outcome {
            Outcome::Unsat => self.tree.set_state(flip, FlipState::Unsat),
            Outcome::Diverged => self.tree.set_state(flip, FlipState::Diverged),
            Outcome::Taken | Outcome::Unknown | Outcome::Suspend => {}
        }
        strategy.on_outcome(flip, outcome, self.cost(flip));
    }

    fn cost(&self, flip: Flip) -> Cost {
        Cost { solver: Duration::from_secs((self.solver_seconds)(flip)), run: Duration::ZERO }
    }
}
