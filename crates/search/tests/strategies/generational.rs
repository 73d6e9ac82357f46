//! Generational search: scores, bounds and the order of flips.

use crate::simulate::{Input, Simulation, bits, flips, straight_program};
use cairn_search::{Generational, Rng};

fn inputs(simulation: &Simulation) -> Vec<String> {
    simulation.inputs.iter().map(bits).collect()
}

fn start(bits: usize, seed: Input) -> (Simulation, Generational) {
    let mut simulation = Simulation::new(straight_program(bits), bits);
    let mut strategy = Generational::new();
    simulation.run(seed, None, &mut strategy);
    (simulation, strategy)
}

#[test]
fn a_run_is_expanded_as_a_whole_from_its_bound_on() {
    let (mut simulation, mut strategy) = start(3, vec![false; 3]);
    simulation.drive(&mut strategy, &mut Rng::new(0), 100);
    // The first generation covers a branch each, so its latest child is the best; it has nothing after its
    // bound. The others follow, and their children cover nothing: latest first.
    let expected = ["000", "100", "010", "001", "011", "110", "101", "111"];
    assert_eq!(inputs(&simulation), expected);
}

#[test]
fn the_run_that_covered_most_comes_first() {
    // The third bit opens three more.
    let decide = |path: &[(usize, bool)]| match path {
        [.., (2, false)] => None,
        path => (path.len() < 6).then_some(path.len()),
    };
    let mut simulation = Simulation::new(Box::new(decide), 6);
    let mut strategy = Generational::new();
    simulation.run(vec![false; 6], None, &mut strategy);
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 6);
    let sites: Vec<_> = flips(&requests).map(|flip| simulation.tree.node(flip.node).site.0).collect();
    assert_eq!(sites, [0, 1, 2, 3, 4, 5], "001 covered four branches, and is expanded next");
}

#[test]
fn a_given_input_is_expanded_where_it_left_the_known_tree() {
    let (mut simulation, mut strategy) = start(3, vec![false; 3]);
    simulation.run(vec![false, true, true], None, &mut strategy);
    // It covered two more branches, but the first run covered three: only what is after the second bit is the
    // second's.
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 3);
    let nodes: Vec<_> = flips(&requests).map(|flip| flip.node.index()).collect();
    assert_eq!(nodes, [0, 2, 3]);
}
