//! Random branch search: deterministic by seed, uniform, restarting.

use crate::simulate::{Simulation, chi_squared, straight_program};
use cairn_search::{Next, RandomBranch, Rng, Strategy};
use cairn_tree::Flip;

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
fn it_stays_on_the_path_it_moved_to() {
    const BITS: usize = 30;
    let mut simulation = Simulation::new(straight_program(BITS), BITS);
    let mut strategy = start(&mut simulation, BITS);
    let mut rng = Rng::new(1);
    for _ in 0..100 {
        let before = simulation.inputs.last().unwrap().clone();
        simulation.drive(&mut strategy, &mut rng, 1);
        let after = simulation.inputs.last().unwrap();
        let differing = before.iter().zip(after).filter(|(a, b)| a != b).count();
        assert_eq!(differing, 1, "all flips of this program can be forced");
    }
}

#[test]
fn after_ten_thousand_idle_runs_it_starts_again() {
    const BITS: usize = 40;
    // Drawing all 40 branches takes about 40 * ln 40 runs.
    let mut simulation = Simulation::new(straight_program(BITS), BITS);
    let mut strategy = start(&mut simulation, BITS);
    let asked = simulation.drive(&mut strategy, &mut Rng::new(5), 30_500);
    let restarts: Vec<_> = (0..asked.len()).filter(|at| asked[*at] == Next::Restart).collect();
    assert!(restarts.len() >= 2, "{restarts:?}");
    let between: Vec<_> = restarts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(between.iter().all(|runs| *runs == 10_001 || *runs == 10_000), "{between:?}");
    assert!(restarts[0] < 10_000 + 500, "branches are found in the first runs only: {restarts:?}");
}
