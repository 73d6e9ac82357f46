//! Random branch search: deterministic by seed, uniform, restarting.

use crate::simulate::{Simulation, chi_squared, straight_program};
use cairn_search::{Cost, Next, Outcome, RandomBranch, Rng, RunView, Strategy};
use cairn_tree::{Flip, Tree};
use std::collections::BTreeSet;

fn start(simulation: &mut Simulation, bits: usize) -> RandomBranch {
    let mut strategy = RandomBranch::new();
    simulation.run(vec![false; bits], None, &mut strategy);
    strategy
}

#[test]
fn every_branch_of_the_path_is_as_likely_as_any_other() {
    const BRANCHES: usize = 10;
    const DRAWS: u64 = 2_000;
    let mut simulation = Simulation::new(straight_program(BRANCHES), BRANCHES);
    let strategy = start(&mut simulation, BRANCHES);
    let mut counts = [0; BRANCHES];
    for seed in 0..DRAWS {
        match strategy.clone().next(&simulation.tree, &mut Rng::new(seed)) {
            Next::Flip { flip: Flip { node, side: 1 }, .. } => counts[node.index()] += 1,
            other => panic!("{other:?}"),
        }
    }
    let expected = DRAWS as f64 / BRANCHES as f64;
    let statistic = chi_squared(counts.iter().map(|count| (f64::from(*count), expected)));
    assert!(statistic < 27.9, "{statistic} with 9 degrees of freedom: less than one in a thousand");
}

#[test]
fn it_walks_along_known_paths_without_runs() {
    const BITS: usize = 30;
    let mut simulation = Simulation::new(straight_program(BITS), BITS);
    let mut strategy = start(&mut simulation, BITS);
    simulation.drive(&mut strategy, &mut Rng::new(1), 400);
    let inputs: BTreeSet<_> = simulation.inputs.iter().collect();
    assert_eq!(inputs.len(), 401, "nothing is run twice");
    let differing = |pair: &[Vec<bool>]| pair[0].iter().zip(&pair[1]).filter(|(a, b)| a != b).count();
    let steps: Vec<usize> = simulation.inputs.windows(2).map(differing).collect();
    assert!(steps.iter().all(|bits| *bits > 0));
    let stays = steps.iter().filter(|bits| **bits == 1).count();
    assert!(stays > 200, "most flips of a path are untried, so that it stays there: {stays}");
}

/// Passes runs on as if other strategies had requested them.
struct Others<'a>(&'a mut RandomBranch);

impl Strategy for Others<'_> {
    fn on_run(&mut self, run: &RunView) {
        self.0.on_run(&RunView { own: false, ..*run });
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.0.next(tree, rng)
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        String::new()
    }
}

#[test]
fn flips_taken_by_others_are_forced_again_unless_the_last_path_was_known() {
    const BITS: usize = 4;
    let mut simulation = Simulation::new(straight_program(BITS), BITS);
    let mut strategy = start(&mut simulation, BITS);
    let root = simulation.tree.frontier().next().unwrap().node;
    let first = Flip { node: root, side: 1 };
    simulation.run(vec![true; BITS], Some(first), &mut Others(&mut strategy));
    let forces_it = |strategy: &RandomBranch, simulation: &Simulation| {
        let next = |seed| strategy.clone().next(&simulation.tree, &mut Rng::new(seed));
        (0..100).filter(|seed| matches!(next(*seed), Next::Flip { flip, .. } if flip == first)).count()
    };
    let times = forces_it(&strategy, &simulation);
    assert!((10..45).contains(&times), "one of four flips: {times}");
    simulation.run(vec![false; BITS], None, &mut strategy);
    assert_eq!(forces_it(&strategy, &simulation), 0);
}

#[test]
fn after_ten_thousand_idle_runs_it_restarts() {
    const BITS: usize = 40;
    // Drawing all 40 branches takes about 40 * ln 40 runs.
    let mut simulation = Simulation::new(straight_program(BITS), BITS);
    let mut strategy = start(&mut simulation, BITS);
    let requests = simulation.drive(&mut strategy, &mut Rng::new(5), 30_500);
    let restarts: Vec<_> = (0..requests.len()).filter(|at| requests[*at] == Next::Restart).collect();
    assert!(restarts.len() >= 2, "{restarts:?}");
    let between: Vec<_> = restarts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(between.iter().all(|runs| *runs == 10_001 || *runs == 10_000), "{between:?}");
    assert!(restarts[0] < 10_000 + 500, "branches are found in the first runs only: {restarts:?}");
}
