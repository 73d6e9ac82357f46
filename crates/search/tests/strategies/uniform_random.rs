//! Uniform random search: every path by its probability.

use crate::simulate::{Simulation, bits, chi_squared, path};
use cairn_search::{Next, Rng, Strategy, UniformRandom};
use std::collections::BTreeMap;

/// Bit 2 is only read where bit 0 is set, and bit 1 is read twice: the second time it has one side only.
fn decide(path: &[(usize, bool)]) -> Option<usize> {
    match path {
        [] => Some(0),
        [_] => Some(1),
        [_, _] => Some(1),
        [(0, true), _, _] => Some(2),
        [(0, true), _, _, _] => Some(3),
        _ => None,
    }
}

/// Returns the path of the first walk of a search.
fn first_walk(seed: u64) -> String {
    let mut simulation = Simulation::new(Box::new(decide), 4);
    let (mut strategy, mut rng) = (UniformRandom::new(), Rng::new(seed));
    simulation.run(vec![false; 4], None, &mut strategy);
    let mut walked = simulation.inputs[0].clone();
    loop {
        let mut ahead = (strategy.clone(), rng.clone());
        let next = ahead.0.next(&simulation.tree, &mut ahead.1);
        // The first end is that of the empty path before the first run.
        if ahead.0.walked() > 1 || next == Next::Done {
            return bits(&walked);
        }
        simulation.drive(&mut strategy, &mut rng, 1);
        walked = simulation.inputs.last().unwrap().clone();
    }
}

#[test]
fn a_path_of_k_branches_is_walked_with_probability_two_to_the_minus_k() {
    const WALKS: u32 = 4_000;
    let mut counts = BTreeMap::new();
    for seed in 0..WALKS {
        *counts.entry(first_walk(seed.into())).or_insert(0) += 1;
    }
    let expected = |input: &str| {
        let input = input.chars().map(|bit| bit == '1').collect();
        let taken = path(&(Box::new(decide) as _), &input);
        // The second read of bit 1 decides nothing.
        f64::from(WALKS) * 0.5_f64.powi(taken.len() as i32 - 1)
    };
    assert_eq!(counts.len(), 10);
    let pairs = counts.iter().map(|(input, count)| (f64::from(*count), expected(input)));
    let statistic = chi_squared(pairs);
    assert!(
        statistic < 27.9,
        "{statistic} with 9 degrees of freedom: less than one in a thousand; {counts:?}"
    );
}

#[test]
fn known_paths_are_walked_without_running_them_again() {
    let mut simulation = Simulation::new(Box::new(decide), 4);
    let mut strategy = UniformRandom::new();
    simulation.run(vec![false; 4], None, &mut strategy);
    simulation.drive(&mut strategy, &mut Rng::new(1), 1000);
    assert_eq!(simulation.inputs.len(), 10);
    assert!(strategy.walked() > 1);
}
