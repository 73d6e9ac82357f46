//! KLEE's random searches: each flip by its weight.

use crate::simulate::{Simulation, chi_squared, input, straight_program};
use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_search::{Next, Rng, Strategy, create};
use cairn_tree::Flip;
use std::collections::BTreeMap;

/// Asserts that the first flip a strategy draws, after some runs, follows these weights.
fn assert_drawn_by(
    spec: &str,
    make: impl Fn() -> Simulation,
    runs: impl Fn(&mut Simulation, &mut dyn Strategy),
    weight: impl Fn(&Simulation, Flip) -> f64,
) {
    const DRAWS: u64 = 3_000;
    let mut counts = BTreeMap::new();
    let mut simulation = make();
    for seed in 0..DRAWS {
        simulation = make();
        let mut strategy = create(spec, &simulation.program).unwrap();
        runs(&mut simulation, &mut *strategy);
        let Next::Flip { flip, .. } = strategy.next(&simulation.tree, &mut Rng::new(seed)) else { panic!() };
        *counts.entry(flip).or_insert(0u32) += 1;
    }
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

fn straight(bits: usize) -> impl Fn() -> Simulation {
    move || Simulation::new(straight_program(bits), bits)
}

fn given(inputs: &'static [&'static str]) -> impl Fn(&mut Simulation, &mut dyn Strategy) {
    move |simulation, strategy| {
        for digits in inputs {
            simulation.run(input(digits), None, strategy);
        }
    }
}

#[test]
fn random_state_draws_all_alike() {
    assert_drawn_by("random-state", straight(5), given(&["00000", "10000"]), |_, _| 1.0);
}

#[test]
fn random_path_halves_the_probability_at_each_fork() {
    let weight = |simulation: &Simulation, flip: Flip| match simulation.tree.depth(flip.node) {
        // Behind the last but one branch there is only one flip left to go to.
        4 => 0.5_f64.powi(4),
        depth => 0.5_f64.powi(depth as i32 + 1),
    };
    assert_drawn_by("random-path", straight(5), given(&["00000", "10000"]), weight);
}

#[test]
fn depth_draws_by_depth() {
    let weight = |simulation: &Simulation, flip: Flip| f64::from(simulation.tree.node(flip.node).depth + 1);
    assert_drawn_by("depth", straight(6), given(&["000000", "110000"]), weight);
}

#[test]
fn icnt_draws_by_how_often_the_side_was_taken() {
    // After these, side 1 was taken twice at bit 0, never at bit 1, three times at bit 2, once at bit 3; the
    // flips of the first run were found before that.
    let runs = given(&["0000", "1010", "1010", "0011"]);
    let taken =
        |bit: u32, side: u32| [[2.0, 2.0], [4.0, 1.0], [1.0, 3.0], [3.0, 1.0]][bit as usize][side as usize];
    let weight = move |simulation: &Simulation, flip: Flip| {
        let taken: f64 = taken(simulation.tree.node(flip.node).site.0, flip.side);
        1.0 / (taken * taken)
    };
    assert_drawn_by("icnt", straight(4), runs, weight);
}

#[test]
fn qc_draws_by_what_the_solver_spent_on_the_path() {
    // The run behind bit 2 cost four seconds, which count for everything after it on its path.
    let runs = |simulation: &mut Simulation, strategy: &mut dyn Strategy| {
        simulation.run(vec![false; 6], None, strategy);
        let flip = simulation.tree.frontier().nth(2).unwrap();
        simulation.run(vec![false, false, true, false, false, false], Some(flip), strategy);
    };
    let weight = |simulation: &Simulation, flip: Flip| match simulation.tree.creator(flip.node).index() {
        0 => 1.0,
        _ => 0.1 / 4.0,
    };
    let make = || {
        let mut simulation = straight(6)();
        simulation.solver_seconds = |_| 4;
        simulation
    };
    assert_drawn_by("qc", make, runs, weight);
}

/// Returns a straight program of four branches, with ten instructions before each.
fn ten_apart() -> Simulation {
    let step = |next| decide(&[next, next]).instructions(10);
    let program = build(&[function("main", &[step(1), step(2), step(3), step(4), end()])]);
    Simulation::of(program, straight_program(4))
}

/// Returns the distance after taking a side at each bit when only side 1 of the last one is uncovered.
fn distance(simulation: &Simulation, flip: Flip) -> f64 {
    match (simulation.tree.node(flip.node).site.0, flip.side) {
        (3, 1) => 1.0,
        (3, 0) => 10_000.0,
        (bit, _) => f64::from(3 - bit) * 10.0,
    }
}

#[test]
fn md2u_draws_by_distance_to_uncovered_branches() {
    let weight = |simulation: &Simulation, flip: Flip| distance(simulation, flip).powi(-2);
    assert_drawn_by("md2u", ten_apart, given(&["1110", "0000"]), weight);
}

#[test]
fn covnew_also_draws_flips_with_recent_coverage() {
    // Each decision stands for 20 instructions, and up to 1,000 of them count in full.
    const BITS: usize = 60;
    let weight = |simulation: &Simulation, flip: Flip| {
        let node = simulation.tree.node(flip.node);
        // Blocks of a sketch are empty: everything that leads to something uncovered is as near as can be.
        let near = if node.site.0 as usize == BITS - 1 { 1e-8 } else { 1.0 };
        // The first run covered something at every node. The last covered only its first branch, and goes on.
        let since = if simulation.tree.creator(flip.node).index() == 0 { 1 } else { node.depth };
        let instructions = (since * 20).saturating_sub(1_000).max(1);
        near + f64::from(instructions).powi(-2)
    };
    let runs = |simulation: &mut Simulation, strategy: &mut dyn Strategy| {
        for one in [None, Some(BITS - 1), Some(0)] {
            simulation.run((0..BITS).map(|bit| Some(bit) == one).collect(), None, strategy);
        }
    };
    assert_drawn_by("covnew", straight(BITS), runs, weight);
}

#[test]
fn cpicnt_distinguishes_calls_of_a_function_by_caller() {
    let main = [decide(&[1, 2]), jump(3).call("a"), jump(3).call("b"), decide(&[4, 4]), end()];
    let caller = [decide(&[1, 1]).call("helper"), end()];
    let helper = [decide(&[1, 1]), decide(&[2, 2]), end()];
    let functions = [("main", &main[..]), ("a", &caller), ("b", &caller), ("helper", &helper)];
    let program = build(&functions.map(|(name, blocks)| function(name, blocks)));
    // Bits 0 and 1 belong to `main`; 4 and 5 to `helper`, called by `a` and by `b`.
    let decide = |path: &[(usize, bool)]| {
        let order = if path.first().is_some_and(|(_, side)| *side) { [0, 3, 5, 1] } else { [0, 2, 4, 1] };
        order.get(path.len()).copied()
    };
    let make = || Simulation::of(program.clone(), Box::new(decide));
    let weight = |simulation: &Simulation, flip: Flip| match simulation.tree.site(flip.node).0 {
        2 | 4 => 1.0,
        3 | 5 => 1.0 / 3.0,
        _ => 1.0 / 8.0,
    };
    assert_drawn_by("cpicnt", make, given(&["000000", "100000", "100000", "100000"]), weight);
}

#[test]
fn cpicnt_draws_by_how_much_the_function_decided() {
    let main = function("main", &[decide(&[1, 1]).call("callee"), decide(&[2, 2]), end()]);
    let callee = function("callee", &[decide(&[1, 1]), end()]);
    let program = build(&[main, callee]);
    let make = || Simulation::of(program.clone(), straight_program(3));
    // Both runs decided twice in `main`, and once in the callee.
    let weight = |simulation: &Simulation, flip: Flip| match simulation.tree.site(flip.node).0 {
        2 => 1.0 / 2.0,
        _ => 1.0 / 4.0,
    };
    assert_drawn_by("cpicnt", make, given(&["000", "100"]), weight);
}
