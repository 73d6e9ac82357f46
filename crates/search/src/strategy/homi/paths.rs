//! The core conditions of all paths, and the scores of paths.
//!
//! Of every run, only those nodes are kept that it created and that have a core condition new to the path:
//! eight bytes each, in the order of nodes. The conditions of a path are those of the runs it is composed of,
//! so that scoring a state takes time linear in its core conditions.

use crate::traits::RunView;
use cairn_tree::{CoreId, Flip, NodeId, RunId, Tree};
use std::mem::{replace, take};

/// A node with the core condition of the side that its run took.
#[derive(Clone, Copy, Debug)]
struct CoreNode {
    node: NodeId,
    core: CoreId,
}

/// The core conditions of all runs.
#[derive(Clone, Debug, Default)]
pub(super) struct PathCores {
    entries: Vec<CoreNode>,
    /// By run: start of its entries.
    starts: Vec<usize>,
    /// By core condition: the last run whose path has it.
    seen: Vec<u32>,
    /// By core condition: the number of runs whose path has it.
    counts: Vec<u32>,
}

impl PathCores {
    /// Adds the core conditions of a run.
    pub fn add(&mut self, run: &RunView) {
        let (mut seen, mut counts) = (take(&mut self.seen), take(&mut self.counts));
        let stamp = run.run.index() as u32 + 1;
        let mut is_new = |core: CoreId| {
            let length = seen.len().max(core.index() + 1);
            seen.resize(length, 0);
            counts.resize(length, 0);
            let is_new = replace(&mut seen[core.index()], stamp) != stamp;
            counts[core.index()] += u32::from(is_new);
            is_new
        };
        self.each_above(run.tree, run.tree.left_at(run.run), |core| {
            is_new(core);
        });
        self.starts.push(self.entries.len());
        for node in run.tree.run_nodes(run.run) {
            let core = run.tree.core(run.tree.first_side(node));
            self.entries.extend(core.filter(|core| is_new(*core)).map(|core| CoreNode { node, core }));
        }
        (self.seen, self.counts) = (seen, counts);
    }

    /// Returns the number of runs, and of those with a core condition on their paths.
    pub fn runs_with(&self, core: CoreId) -> (usize, u32) {
        (self.starts.len(), self.counts[core.index()])
    }

    /// Returns the core conditions of a run's whole path, each once.
    pub fn cores(&self, tree: &Tree, run: RunId) -> Vec<CoreId> {
        let mut cores: Vec<_> = self.of_run(run).iter().map(|met| met.core).collect();
        self.each_above(tree, tree.left_at(run), |core| cores.push(core));
        cores.sort_unstable();
        cores.dedup();
        cores
    }

    fn each_above(&self, tree: &Tree, mut left: Option<Flip>, mut each: impl FnMut(CoreId)) {
        while let Some(side) = left {
            let run = tree.creator(side.node);
            let (before, own) = self.up_to(tree, run, side);
            before.iter().for_each(|met| each(met.core));
            own.into_iter().for_each(&mut each);
            left = tree.left_at(run);
        }
    }

    fn of_run(&self, run: RunId) -> &[CoreNode] {
        let end = self.starts.get(run.index() + 1).copied().unwrap_or(self.entries.len());
        &self.entries[self.starts[run.index()]..end]
    }

    /// Returns the entries of a run up to a side of one of its nodes, and the side's own condition if the run
    /// took another.
    fn up_to(&self, tree: &Tree, run: RunId, side: Flip) -> (&[CoreNode], Option<CoreId>) {
        let entries = self.of_run(run);
        let was_taken = tree.first_side(side.node) == side;
        let before =
            entries.partition_point(|met| met.node < side.node || (was_taken && met.node == side.node));
        (&entries[..before], if was_taken { None } else { tree.core(side) })
    }

    /// Returns the sum of the weights, by core condition, of all conditions up to and including a side of a
    /// node.
    pub fn score(&self, tree: &Tree, side: Flip, weights: &[f32]) -> f32 {
        let mut sum = 0.0;
        self.each_above(tree, Some(side), |core| sum += weights.get(core.index()).copied().unwrap_or(0.0));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::PathCores;
    use crate::rng::Rng;
    use crate::traits::{Cost, RunView};
    use cairn_expr::{CmpOp, Dag, ExprId, InputByte};
    use cairn_program::testing::Sketch;
    use cairn_program::{Program, SiteId};
    use cairn_tree::{CoreId, Flip, NodeId, Step, StepKind, Tree};
    use std::collections::BTreeSet;

    const SITES: usize = 12;

    fn step(values: &[ExprId], at: usize, side: usize) -> Step {
        let (site, side) = (SiteId(at as u32 % 3), side as u32);
        Step { kind: StepKind::Branch, site, side, value: values[at], concrete: side.into() }
    }

    /// Returns the deciding values: many are equivalent but differ in form.
    fn values(dag: &mut Dag) -> Vec<ExprId> {
        let mut value = |at: usize| {
            let byte = dag.input(InputByte { object: 0, offset: at as u32 % 5 });
            let one = dag.constant(8, 1);
            let equal = dag.compare(CmpOp::Eq, byte, one);
            if at.is_multiple_of(2) { equal } else { dag.not(equal) }
        };
        (0..SITES).map(&mut value).collect()
    }

    fn plain_cores(tree: &Tree, node: NodeId) -> BTreeSet<CoreId> {
        tree.prefix(node).into_iter().filter_map(|(node, side)| tree.core(Flip { node, side })).collect()
    }

    fn add(tree: &mut Tree, paths: &mut PathCores, (dag, program): (&Dag, &Program), steps: &[Step]) {
        let added = tree.add_run(steps);
        tree.find_cores(dag, program);
        paths.add(&RunView {
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
            own: false,
            predicted: false,
            cost: Cost::default(),
        });
        let mut cores = added.nodes.last().map_or_else(BTreeSet::new, |last| plain_cores(tree, *last));
        let last = added.nodes.last().zip(added.sides.last());
        cores.extend(last.and_then(|(node, side)| tree.core(Flip { node: *node, side: *side })));
        assert_eq!(paths.cores(tree, added.run), cores.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_score_sums_the_weight_of_each_condition_on_the_path_once() {
        let mut sketch = Sketch::new();
        let _sites = [0, 1, 2].map(|_| sketch.branch());
        let (program, mut dag) = (sketch.build(), Dag::new());
        let values = values(&mut dag);
        let (mut tree, mut paths, mut rng) = (Tree::new(&program), PathCores::default(), Rng::new(8));
        for round in 0..60 {
            let length = rng.below(SITES + 1);
            // The same byte has the same value throughout a path.
            let input: Vec<usize> = (0..5).map(|_| rng.below(2)).collect();
            let side = |at: usize| if at.is_multiple_of(2) { input[at % 5] } else { 1 - input[at % 5] };
            let steps: Vec<Step> = (0..length).map(|at| step(&values, at, side(at))).collect();
            add(&mut tree, &mut paths, (&dag, &program), &steps);
            let weight = |core: CoreId| (core.index() * 7 % 5 + round) as f32;
            let cores: BTreeSet<CoreId> =
                tree.frontier().flat_map(|flip| plain_cores(&tree, flip.node)).collect();
            let last = cores.last().map_or(0, |core| core.index() + 1);
            let mut weights = vec![0.0; last];
            cores.iter().for_each(|core| weights[core.index()] = weight(*core));
            for flip in tree.frontier() {
                let mut expected = plain_cores(&tree, flip.node);
                expected.extend(tree.core(flip).filter(|core| cores.contains(core)));
                let expected: f32 = expected.into_iter().map(weight).sum();
                assert_eq!(paths.score(&tree, flip, &weights), expected);
            }
        }
        assert!(tree.untried() > 20);
    }
}
