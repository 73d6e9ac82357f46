//! KLEE's random searches: each flip by its weight.

use crate::simulate::{Input, Simulation, chi_squared, straight_program};
use cairn_search::{Next, Rng, Strategy, create};
use cairn_tree::Flip;
use std::collections::BTreeMap;

/// A simulation after some runs, and what a strategy that saw them draws first, again and again.
fn draws(
    spec: &str,
    bits: usize,
    seconds: fn(Flip) -> u64,
    runs: impl Fn(&mut Simulation, &mut dyn Strategy),
    weight: impl Fn(&Simulation, Flip) -> f64,
) {
    const DRAWS: u64 = 3_000;
    let mut counts = BTreeMap::new();
    let mut last = None;
    for seed in 0..DRAWS {
        let mut simulation = Simulation::new(straight_program(bits), bits);
        simulation.solver_seconds = seconds;
        let mut strategy = create(spec, &simulation.program).unwrap();
        runs(&mut simulation, &mut *strategy);
        let Next::Flip { flip, .. } = strategy.next(&simulation.tree, &mut Rng::new(seed)) else { panic!() };
        *counts.entry(flip).or_insert(0u32) += 1;
        last = Some(simulation);
    }
    let simulation = last.unwrap();
    let frontier: Vec<_> = simulation.tree.frontier().collect();
    let total: f64 = frontier.iter().map(|flip| weight(&simulation, *flip)).sum();
    let pairs = frontier.iter().map(|flip| {
        let count = counts.get(flip).copied().unwrap_or_default();
        (f64::from(count), DRAWS as f64 * weight(&simulation, *flip) / total)
    });
    let statistic = chi_squared(pairs);
    // The mean is the degrees of freedom, the standard deviation the root of twice as many.
    let freedom = frontier.len() as f64 - 1.0;
    let bound = freedom + 4.0 * (2.0 * freedom).sqrt();
    assert!(statistic < bound, "{spec}: {statistic} with {freedom} degrees of freedom: {counts:?}");
}

fn given(inputs: &'static [&'static str]) -> impl Fn(&mut Simulation, &mut dyn Strategy) {
    move |simulation, strategy| {
        for input in inputs {
            let input: Input = input.chars().map(|bit| bit == '1').collect();
            simulation.run(input, None, strategy);
        }
    }
}

#[test]
fn random_state_draws_all_alike() {
    draws("random-state", 5, |_| 0, given(&["00000", "10000"]), |_, _| 1.0);
}

#[test]
fn depth_draws_by_depth() {
    let weight = |simulation: &Simulation, flip: Flip| f64::from(simulation.tree.node(flip.node).depth + 1);
    draws("depth", 6, |_| 0, given(&["000000", "110000"]), weight);
}

#[test]
fn icnt_draws_by_how_often_the_side_was_taken() {
    // After these, side 1 was taken twice at bit 0, never at bit 1, three times at bit 2, once at bit 3; the flips of the
    // first run were found before that.
    let runs = given(&["0000", "1010", "1010", "0011"]);
    let taken =
        |bit: u32, side: u32| [[2.0, 2.0], [4.0, 1.0], [1.0, 3.0], [3.0, 1.0]][bit as usize][side as usize];
    let weight = move |simulation: &Simulation, flip: Flip| {
        let taken: f64 = taken(simulation.tree.node(flip.node).site.0, flip.side);
        1.0 / (taken * taken)
    };
    draws("icnt", 4, |_| 0, runs, weight);
}

#[test]
fn qc_draws_by_what_the_solver_spent_on_the_path() {
    // The run behind bit 2 cost four seconds; what follows it on its path has that to bear.
    let runs = |simulation: &mut Simulation, strategy: &mut dyn Strategy| {
        simulation.run(vec![false; 6], None, strategy);
        let flip = simulation.tree.frontier().nth(2).unwrap();
        simulation.run(vec![false, false, true, false, false, false], Some(flip), strategy);
    };
    let weight = |simulation: &Simulation, flip: Flip| match simulation.tree.creator(flip.node).index() {
        0 => 1.0,
        _ => 0.1 / 4.0,
    };
    draws("qc", 6, |_| 4, runs, weight);
}
