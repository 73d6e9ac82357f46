//! Random branch search: deterministic by seed, uniform, restarting.

mod simulate;

use cairn_search::{Next, RandomBranch, Rng, Strategy};
use cairn_tree::Flip;
use simulate::{Simulation, random_program, straight_program};

fn start(simulation: &mut Simulation, bits: usize) -> RandomBranch {
    let mut strategy = RandomBranch::new();
    simulation.run(vec![false; bits], None, &mut strategy);
    strategy
}

/// The first `steps` wishes on a random program.
fn wishes(program: u64, seed: u64, steps: usize) -> Vec<Next> {
    let mut simulation = Simulation::new(random_program(program, 8, 12), 8);
    let mut strategy = start(&mut simulation, 8);
    simulation.drive(&mut strategy, &mut Rng::new(seed), steps)
}

#[test]
fn a_seed_fixes_the_search() {
    for program in 0..10 {
        assert_eq!(wishes(program, 3, 200), wishes(program, 3, 200));
    }
    assert!((0..10).any(|program| wishes(program, 3, 20) != wishes(program, 4, 20)));
}

#[test]
fn in_the_end_the_tree_is_exhausted() {
    for seed in 0..20 {
        let mut simulation = Simulation::new(random_program(seed, 8, 12), 8);
        let mut strategy = start(&mut simulation, 8);
        let asked = simulation.drive(&mut strategy, &mut Rng::new(seed), 100_000);
        assert_eq!(asked.last(), Some(&Next::Done));
        assert!(simulation.tree.exhausted());
    }
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
    let chi_squared: f64 = counts.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
    assert!(chi_squared < 27.9, "{chi_squared} with 9 degrees of freedom: less than one in a thousand");
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

#[test]
fn nothing_is_asked_of_a_program_without_branches() {
    let mut simulation = Simulation::new(straight_program(0), 0);
    let mut strategy = start(&mut simulation, 0);
    assert_eq!(strategy.next(&simulation.tree, &mut Rng::new(0)), Next::Done);
}
