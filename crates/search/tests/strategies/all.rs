//! Properties of every registered strategy.

use crate::registry::example;
use crate::simulate::{Simulation, path, random_program};
use cairn_search::{Next, Rng, create, list};
use std::collections::BTreeSet;

const BITS: usize = 8;

/// Returns the requests of a strategy on a random program, and the simulation. The simulation checks that
/// flips are untried and that base runs pass through their nodes.
fn search(spec: &str, program: u64, seed: u64, steps: usize) -> (Vec<Next>, Simulation) {
    let mut simulation = Simulation::new(random_program(program, BITS, 12), BITS);
    if program.is_multiple_of(3) {
        simulation.diverges = |flip| flip.node.index() % 7 == 3;
    }
    let mut strategy = create(spec, &simulation.program).unwrap();
    simulation.run(vec![false; BITS], None, &mut *strategy);
    let requests = simulation.drive(&mut *strategy, &mut Rng::new(seed), steps);
    (requests, simulation)
}

/// Returns every strategy, and some more with settings.
fn specs() -> impl Iterator<Item = String> {
    let more =
        ["interleave:dfs,random-branch,cgs:3,nodom,uniform-random,generational,cfg", "cgs,nodom", "cfg:once"];
    let bases = ["covnew", "qc", "dfs", "bfs", "generational", "carfast", "cgs", "parametric", "auto"];
    let wrapped = bases.map(pruned);
    list().iter().map(|info| example(info.name)).chain(more.map(str::to_owned)).chain(wrapped)
}

/// Returns a strategy whose states are pruned very often.
fn pruned(base: &str) -> String {
    format!("homi[cycle=3,rounds=9/3,least=1,explore=1]:{base}")
}

#[test]
fn the_same_seed_gives_the_same_search() {
    for spec in specs() {
        for program in 0..6 {
            let (first, second) = (search(&spec, program, 3, 150).0, search(&spec, program, 3, 150).0);
            assert_eq!(first, second, "{spec}");
        }
    }
}

#[test]
fn every_flip_of_an_exhaustible_program_is_tried_in_the_end() {
    for spec in specs().filter(|spec| !["random-input", "mutation", "pieces"].contains(&spec.as_str())) {
        for program in 0..20 {
            let (requests, simulation) = search(&spec, program, program, 20_000);
            assert_eq!(requests.last(), Some(&Next::Done), "{spec} on {program}");
            assert_eq!(simulation.tree.untried(), 0, "{spec} on {program}");
            let restarts = requests.iter().filter(|next| **next == Next::Restart).count();
            let names = ["auto", "cfg", "cfg:once", "parametric", "weights", "chameleon"];
            let may_restart = names.iter().any(|name| spec.ends_with(name));
            assert!(restarts == 0 || may_restart, "{spec} has no reason to run random input");
            if !program.is_multiple_of(3) {
                let decide = random_program(program, BITS, 12);
                let all: BTreeSet<_> = (0..1 << BITS)
                    .map(|n| path(&decide, &(0..BITS).map(|bit| n >> bit & 1 == 1).collect()))
                    .collect();
                let once = all.len() + restarts;
                // Some may force a taken flip again, every second time.
                let forces_again = ["auto", "interleave", "parametric", "weights", "chameleon"];
                let may_repeat = forces_again.iter().any(|name| spec.contains(name));
                let most = match &*spec {
                    // Thirty runs from one path, with drives of ten, before it tries something new.
                    "cfg" => 330 * once,
                    _ if may_repeat => 2 * once,
                    _ => once,
                };
                assert!((once..=most).contains(&simulation.inputs.len()), "{spec} runs every path once");
            }
        }
    }
}

#[test]
fn a_program_without_branches_is_done_at_once() {
    for spec in specs() {
        let mut simulation = Simulation::new(Box::new(|_| None), 0);
        let mut strategy = create(&spec, &simulation.program).unwrap();
        assert_eq!(strategy.next(&simulation.tree, &mut Rng::new(0)), Next::Done, "{spec} before any run");
        simulation.run(vec![], None, &mut *strategy);
        assert_eq!(strategy.next(&simulation.tree, &mut Rng::new(0)), Next::Done, "{spec}");
    }
}
