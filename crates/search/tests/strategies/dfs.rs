//! Depth-first search compared with the paper's recursion.

use crate::simulate::{Decide, Input, Simulation, bits, path, random_program, straight_program, view};
use cairn_expr::{Dag, InputByte};
use cairn_program::testing::Sketch;
use cairn_program::{Program, SiteId};
use cairn_search::{Cost, Dfs, Next, Outcome, Rng, RunView, Strategy, create};
use cairn_tree::{Step, StepKind, Tree};
use std::collections::BTreeSet;

/// The paper's search, as a recursion over whole paths: collects the inputs in the order they are executed.
fn reference(decide: &Decide, input: Input, from: usize, mut depth: u32, runs: &mut Vec<Input>) {
    let taken = path(decide, &input);
    for at in from..taken.len() {
        if depth == 0 {
            return;
        }
        let (bit, side) = taken[at];
        if taken[..at].iter().any(|(earlier, _)| *earlier == bit) {
            continue; // It cannot be forced, and does not count.
        }
        let mut forced = input.clone();
        forced[bit] = !side;
        runs.push(forced.clone());
        depth -= 1;
        reference(decide, forced, at + 1, depth, runs);
    }
}

const BITS: usize = 7;

fn search(decide: Decide, strategy: &mut dyn Strategy) -> Simulation {
    let mut simulation = Simulation::new(decide, BITS);
    simulation.run(vec![false; BITS], None, strategy);
    let requests = simulation.drive(strategy, &mut Rng::new(0), 100_000);
    assert_eq!(requests.last(), Some(&Next::Done));
    simulation
}

#[test]
fn the_order_is_that_of_the_recursion_for_every_depth() {
    for seed in 0..40 {
        for depth in [1, 2, 3, 5, 8, u32::MAX] {
            let decide = || random_program(seed, BITS, 10);
            let mut expected = vec![vec![false; BITS]];
            reference(&decide(), vec![false; BITS], 0, depth, &mut expected);
            let simulation = search(decide(), &mut Dfs::new(Some(depth)));
            assert_eq!(simulation.inputs, expected, "program {seed}, depth {depth}");
        }
    }
}

#[test]
fn unbounded_it_runs_every_path_once_and_exhausts_the_tree() {
    for seed in 0..40 {
        let decide = random_program(seed, BITS, 12);
        let all: BTreeSet<_> = (0..1 << BITS)
            .map(|n| path(&decide, &(0..BITS).map(|bit| n >> bit & 1 == 1).collect()))
            .collect();
        let simulation =
            search(random_program(seed, BITS, 12), &mut *create("dfs", &Program::default()).unwrap());
        let seen: Vec<_> = simulation.inputs.iter().map(|input| path(&decide, input)).collect();
        assert_eq!(seen.len(), all.len(), "each once");
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all);
        assert!(simulation.tree.exhausted());
    }
}

#[test]
fn a_depth_bounds_the_paths() {
    for depth in 1..=BITS as u32 {
        let simulation = search(
            straight_program(BITS),
            &mut *create(&format!("dfs:{depth}"), &Program::default()).unwrap(),
        );
        assert_eq!(simulation.inputs.len(), 1 << depth);
    }
}

#[test]
fn a_second_given_input_is_searched_without_running_anything_again() {
    let mut dfs = Dfs::new(None);
    let mut simulation = Simulation::new(straight_program(4), 4);
    simulation.run(vec![false; 4], None, &mut dfs);
    simulation.run(vec![true; 4], None, &mut dfs);
    simulation.drive(&mut dfs, &mut Rng::new(0), 1000);
    assert_eq!(simulation.inputs.len(), 16);
    assert!(simulation.tree.exhausted());
}

#[test]
fn the_search_continues_after_divergences() {
    let mut dfs = Dfs::new(None);
    let mut simulation = Simulation::new(straight_program(3), 3);
    // The flip of the first path's second bit flips its last one instead.
    simulation.diverges = |flip| flip.node.index() == 1;
    simulation.run(vec![false; 3], None, &mut dfs);
    let requests = simulation.drive(&mut dfs, &mut Rng::new(0), 1000);
    assert_eq!(requests.last(), Some(&Next::Done));
    assert_eq!((simulation.tree.untried(), simulation.tree.exhausted()), (0, false));
    // All paths but the two that only the lost flip leads to.
    let distinct: BTreeSet<_> = simulation.inputs.iter().collect();
    assert_eq!(distinct.len(), 6);
}

#[test]
fn a_diverged_run_takes_no_depth() {
    let mut dfs = Dfs::new(Some(1));
    let mut simulation = Simulation::new(straight_program(3), 3);
    simulation.diverges = |flip| flip.node.index() == 0;
    simulation.run(vec![false; 3], None, &mut dfs);
    simulation.drive(&mut dfs, &mut Rng::new(0), 1000);
    let order: Vec<_> = simulation.inputs.iter().map(bits).collect();
    assert_eq!(order, ["000", "001", "010"]);
}

#[test]
fn the_depth_of_a_diverged_run_counts_from_the_start() {
    let mut dfs = Dfs::new(Some(2));
    // The flip of bit 0 flips bit 5 instead, which is decided next: so bits 5 and 1 are the first with two
    // sides.
    let decide: Decide = Box::new(|path| [0, 5, 1, 2, 3, 4].get(path.len()).copied());
    let mut simulation = Simulation::new(decide, 6);
    simulation.diverges = |flip| flip.node.index() == 0;
    simulation.run(vec![false; 6], None, &mut dfs);
    simulation.drive(&mut dfs, &mut Rng::new(0), 1000);
    let order: Vec<_> = simulation.inputs.iter().map(bits).collect();
    assert_eq!(order, ["000000", "000001", "010000", "010001"]);
}

fn step(site: SiteId, side: u32, dag: &mut Dag, offset: u32) -> Step {
    let value = dag.input(InputByte { object: 0, offset });
    Step { kind: StepKind::Branch, site, side, value, concrete: side.into() }
}

/// Adds a run to the tree and notifies the strategy.
fn add_and_notify(dfs: &mut Dfs, tree: &mut Tree, program: &Program, request: Next, steps: &[Step]) {
    let added = tree.add_run(steps);
    let flip = match request {
        Next::Flip { flip, .. } => Some(flip),
        _ => None,
    };
    dfs.on_run(&RunView { flip, predicted: flip.is_some(), ..view(tree, program, &added) });
    if let Some(flip) = flip {
        dfs.on_outcome(flip, Outcome::Taken, Cost::default());
    }
}

#[test]
fn a_switch_counts_once_for_all_its_sides() {
    let (mut sketch, mut dag) = (Sketch::new(), Dag::new());
    let (switch, branch) = (sketch.switch(8, &[&[0], &[1], &[2]]), sketch.branch());
    let program = sketch.build();
    let (mut tree, mut dfs, mut rng) = (Tree::new(&program), Dfs::new(Some(2)), Rng::new(0));
    let mut request = Next::Restart;
    let mut sides = vec![0];
    let mut order = vec![];
    // Side by side of the switch, and both of the branch behind it: the branch's own flip comes right after
    // the side of the switch that leads to it.
    loop {
        let steps =
            [step(switch, sides[0], &mut dag, 0), step(branch, *sides.get(1).unwrap_or(&0), &mut dag, 1)];
        order.push((steps[0].side, steps[1].side));
        add_and_notify(&mut dfs, &mut tree, &program, request, &steps);
        request = dfs.next(&tree, &mut rng);
        let Next::Flip { flip, .. } = request else { break };
        let mut prefix: Vec<_> = tree.prefix(flip.node).iter().map(|(_, side)| *side).collect();
        prefix.push(flip.side);
        sides = prefix;
    }
    assert_eq!(order, [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (0, 1)]);
    assert!(tree.exhausted());
}

#[test]
fn paths_of_a_hundred_thousand_branches_are_searched() {
    const LONG: usize = 100_000;
    let mut dfs = Dfs::new(None);
    let mut simulation = Simulation::new(straight_program(LONG), LONG);
    simulation.run(vec![false; LONG], None, &mut dfs);
    let started = std::time::Instant::now();
    simulation.drive(&mut dfs, &mut Rng::new(0), 5);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    assert_eq!(simulation.inputs.len(), 6);
}
