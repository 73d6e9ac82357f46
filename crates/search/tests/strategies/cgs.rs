//! Context-guided search on the examples of the paper's figures.

use crate::simulate::{Simulation, flips, input, straight_program};
use cairn_program::testing::plan::{build, decide, end, function};
use cairn_program::{BranchId, Program};
use cairn_search::{Next, Rng, create};
use cairn_tree::Flip;

/// Returns the flips of a search after these inputs, and the simulation.
fn search(spec: &str, mut simulation: Simulation, inputs: &[&str], seed: u64) -> (Vec<Flip>, Simulation) {
    let mut strategy = create(spec, &simulation.program).unwrap();
    for digits in inputs {
        simulation.run(input(digits), None, &mut *strategy);
    }
    let requests = simulation.drive(&mut *strategy, &mut Rng::new(seed), 1_000);
    assert_eq!(requests.last(), Some(&Next::Done));
    (flips(&requests).collect(), simulation)
}

fn site(simulation: &Simulation, flip: &Flip) -> u32 {
    simulation.tree.node(flip.node).site.0
}

#[test]
fn figure_1_a_branch_is_flipped_once_per_context() {
    // Three conditionals in a row. The last one's flip occurs on paths through b4 (side 0 of the second) and
    // b3.
    for seed in 0..20 {
        let simulation = Simulation::new(straight_program(3), 3);
        let (flips, simulation) = search("cgs:2,fixed", simulation, &["100", "000", "110"], seed);
        let last: Vec<_> = flips.iter().filter(|flip| site(&simulation, flip) == 2).collect();
        let before = |flip: &&Flip| simulation.tree.node(flip.node).parent.unwrap().1;
        let mut contexts: Vec<_> = last.iter().map(before).collect();
        contexts.sort_unstable();
        assert_eq!(contexts, [0, 1], "one of those that came by b4, and one by b3");
    }
}

/// Figure 5: a conditional, then five nested ones.
fn nested() -> Simulation {
    let main = [1, 2, 3, 4, 5].map(|next| decide(&[6, next]));
    let mut blocks = vec![decide(&[1, 1])];
    blocks.extend(main[1..].iter().cloned());
    blocks.extend([decide(&[6, 6]), end()]);
    let program: Program = build(&[function("main", &blocks)]);
    Simulation::of(
        program,
        Box::new(|path| match path {
            [_, rest @ ..] if rest.iter().any(|(bit, side)| (1..5).contains(bit) && !side) => None,
            path => (path.len() < 6).then_some(path.len()),
        }),
    )
}

#[test]
fn figure_5_dominators_are_left_out() {
    let innermost = |spec| {
        let (flips, simulation) = search(spec, nested(), &["111110", "011110"], 0);
        flips.iter().filter(|flip| site(&simulation, flip) == 5).count()
    };
    assert_eq!(innermost("cgs:2,fixed"), 2, "what came before the nest is the context");
    assert_eq!(innermost("cgs:2,nodom,fixed"), 1, "the nest itself is the context");
    assert_eq!(innermost("cgs:5,nodom,fixed"), 1);
    assert_eq!(innermost("cgs:6,nodom,fixed"), 2, "only then is the first conditional in it");
}

#[test]
fn concrete_branches_are_part_of_the_context() {
    // The first decision is remembered, and a concrete branch after the second depends on it.
    for seed in 0..20 {
        let mut simulation = Simulation::new(straight_program(3), 4);
        simulation.concrete = |path| match path {
            [(_, first), _] => vec![BranchId(6 + u32::from(*first))],
            _ => vec![],
        };
        let (flips, simulation) = search("cgs:2,fixed", simulation, &["1000", "0000", "1100"], seed);
        let last = flips.iter().filter(|flip| site(&simulation, flip) == 2);
        let first = |flip: &Flip| simulation.tree.prefix(flip.node)[0].1;
        let mut contexts: Vec<_> = last.map(first).collect();
        contexts.sort_unstable();
        assert_eq!(contexts, [0, 1], "what matters is the concrete branch, not the second decision");
    }
}

#[test]
fn k_grows_after_each_traversal_and_skipped_flips_are_considered_again() {
    let simulation = Simulation::new(straight_program(4), 4);
    let (flips, simulation) = search("cgs", simulation, &["0000"], 3);
    let depths: Vec<_> = flips.iter().map(|flip| site(&simulation, flip)).collect();
    // With k = 1 each branch once; with k = 2 once more after the other side of the branch before it; and so
    // on: at each depth there are 2^(depth) flips, of which k = 1 takes one and k = 2 one per context.
    assert_eq!(depths[..4], [0, 1, 2, 3]);
    assert_eq!(depths.iter().filter(|depth| **depth == 3).count(), 8, "in the end all");
    let traversals = depths.windows(2).filter(|pair| pair[1] < pair[0]).count() + 1;
    assert!((3..=5).contains(&traversals), "{depths:?}");
    assert!(simulation.tree.exhausted());
}

#[test]
fn a_maximum_k_leaves_flips_without_a_new_context() {
    let (flips, _) = search("cgs:1", Simulation::new(straight_program(4), 4), &["0000"], 0);
    assert_eq!(flips.len(), 4, "each branch once");
    let (flips, _) = search("cgs:2", Simulation::new(straight_program(4), 4), &["0000"], 0);
    assert!(flips.len() > 4 && flips.len() < 15, "{}", flips.len());
}

#[test]
fn a_fixed_k_continues_from_random_input_and_ends() {
    let mut simulation = Simulation::new(straight_program(4), 4);
    let mut cgs = create("cgs:1,fixed", &simulation.program).unwrap();
    simulation.run(vec![false; 4], None, &mut *cgs);
    let requests = simulation.drive(&mut *cgs, &mut Rng::new(0), 1000);
    assert_eq!(
        (flips(&requests).count(), requests.len()),
        (4, 4 + 100 + 1),
        "each branch once, then random input"
    );
    assert_eq!((&requests[4], &requests[104]), (&Next::Restart, &Next::Done));
}

#[test]
fn settings_are_checked() {
    let refusal = |spec| create(spec, &Program::default()).err().unwrap().to_string();
    for spec in ["cgs:0", "cgs:33", "cgs:", "cgs:five", "cgs,dom"] {
        assert!(refusal(spec).contains("no number from 1 to 32, nor `nodom`, nor `fixed`"), "{spec}");
    }
    for (spec, again) in [("cgs:3,4", "4"), ("cgs,nodom,nodom", "nodom"), ("cgs:fixed,2,fixed", "fixed")] {
        assert!(refusal(spec).ends_with(&format!("`{again}` sets what was set before it")), "{spec}");
    }
    let described = |spec| create(spec, &Program::default()).unwrap().describe();
    assert!(described("cgs,nodom").starts_with("cgs,nodom "));
    assert!(described("cgs:fixed").starts_with("cgs:5,fixed "));
}
