//! Pruning of states, learnt and random.

use crate::simulate::{Decide, Simulation, random_program, straight_program};
use cairn_program::BranchId;
use cairn_search::{Next, Rng, create};

const NOISE: usize = 30;
const DEPTH: usize = 9;

#[test]
fn pruned_states_are_suspended_when_named_and_all_are_resumed() {
    for spec in ["homi", "randomprune"] {
        let bits = 12;
        let mut simulation = Simulation::new(straight_program(bits), bits);
        let spec = format!("{spec}[cycle=7,rounds=40/1,ratio=60/1,least=1]:random-state");
        let mut strategy = create(&spec, &simulation.program).unwrap();
        // All branches are covered from the start: no pruned state is run for its uncovered branch.
        simulation.run(vec![false; bits], None, &mut *strategy);
        simulation.run(vec![true; bits], None, &mut *strategy);
        let (mut rng, mut pruned, mut resumptions) = (Rng::new(4), 0, 0);
        while simulation.inputs.len() < 1_000 {
            let (states, suspended) = (simulation.tree.untried(), simulation.tree.suspended());
            match simulation.drive(&mut *strategy, &mut rng, 1).pop().unwrap() {
                Next::Suspend(flips) => {
                    assert_eq!(
                        (simulation.tree.untried(), simulation.tree.suspended()),
                        (states - 1, suspended + 1)
                    );
                    pruned += flips.len();
                }
                Next::Resume(flips) => {
                    assert_eq!((flips.len(), simulation.tree.suspended()), (suspended, 0));
                    resumptions += 1;
                }
                _ => {}
            }
        }
        // Of the states at the first of 24 prunings alone, more than half are pruned.
        assert!(pruned >= 1_000 && resumptions >= 20, "{pruned} pruned, {resumptions} resumptions");
    }
}

/// Bit 0 is a gate before very many paths.
fn gate() -> Decide {
    Box::new(|path| match path {
        [(_, true), rest @ ..] => (rest.len() <= DEPTH).then_some(4 + rest.len()),
        _ => (path.len() <= NOISE).then_some(path.len()),
    })
}

/// Every path behind the gate covers something new, though none of its decisions is at a new site.
fn behind_gate(path: &[(usize, bool)]) -> Vec<BranchId> {
    let [(_, true), rest @ ..] = path else { return Vec::new() };
    let place = rest.iter().fold(1, |place, (_, side)| place * 2 + usize::from(*side));
    vec![BranchId((2 * (NOISE + 1) + place) as u32)]
}

/// Returns the number of branches that some runs cover behind the gate. Only the gate and some of the noise
/// are core conditions.
fn covered_behind_gate(spec: &str, seed: u64) -> usize {
    let bits = NOISE + 1 + (1 << DEPTH);
    let mut simulation = Simulation::new(gate(), bits);
    simulation.concrete = behind_gate;
    simulation.without_cores(4..bits);
    let mut strategy = create(spec, &simulation.program).unwrap();
    for open in [false, true] {
        let mut input = vec![false; bits];
        input[0] = open;
        simulation.run(input, None, &mut *strategy);
    }
    let mut rng = Rng::new(seed);
    while simulation.inputs.len() < 1_000 {
        simulation.drive(&mut *strategy, &mut rng, 1);
    }
    simulation.covered().saturating_sub(2 * (NOISE + 1))
}

#[test]
fn states_with_the_condition_that_matters_are_kept() {
    let mean = |spec: &str| (0..10).map(|seed| covered_behind_gate(spec, seed)).sum::<usize>() as f64 / 10.0;
    let pruned = |name, learn| {
        mean(&format!("{name}[cycle=1,rounds=50/1,ratio=80/1,learn={learn},explore=3,least=20]:random-state"))
    };
    let (by_chance, unpruned) = (pruned("randomprune", "runs"), mean("random-state"));
    for learn in ["runs", "weights"] {
        let homi = pruned("homi", learn);
        assert!(homi > 2.0 * by_chance, "{homi} branches by {learn}, by chance {by_chance}");
        assert!(homi > 1.2 * unpruned, "{homi} branches by {learn}, without pruning {unpruned}");
    }
}

/// Returns how many of the first runs after the first pruning cover nothing new.
fn futile_runs(spec: &str) -> usize {
    let bits = 40;
    let mut simulation = Simulation::new(random_program(5, bits, 30), bits);
    let mut strategy = create(spec, &simulation.program).unwrap();
    simulation.run(vec![false; bits], None, &mut *strategy);
    let mut rng = Rng::new(1);
    let mut in_vain = 0;
    while simulation.inputs.len() < 40 {
        let (runs, covered) = (simulation.inputs.len(), simulation.covered());
        simulation.drive(&mut *strategy, &mut rng, 1);
        let is_in_vain = simulation.inputs.len() > runs && simulation.covered() == covered;
        in_vain += usize::from(runs >= 30 && is_in_vain);
    }
    in_vain
}

#[test]
fn pruned_states_with_uncovered_branches_are_tried_first() {
    let pruned = futile_runs("randomprune[cycle=90,rounds=30/1,ratio=90/1,least=1]:random-state");
    let plain = futile_runs("random-state");
    assert_eq!(pruned, 0);
    assert!(plain >= 3, "{plain} of 10 runs in vain without pruning");
}
