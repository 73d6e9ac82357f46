//! The work of a choice, counted.

use super::{Cgs, LOOK_BACK, MAX_WORK, NODE_WORK};
use crate::rng::Rng;
use crate::traits::{Next, RunView, Strategy};
use cairn_expr::{Dag, InputByte};
use cairn_program::testing::plan::{build, decide, end, function};
use cairn_program::{Program, SiteId};
use cairn_tree::{FlipState, Step, StepKind, Tree};

/// Number of decisions of a run, all of one branch.
const DECISIONS: u32 = 64;

/// A loop with one branch in it.
fn program() -> Program {
    build(&[function("main", &[decide(&[0, 1]), end()])])
}

/// Adds runs that decide at random; returns the tree.
fn explore(strategy: &mut Cgs, program: &Program, runs: usize) -> Tree {
    let (mut tree, mut dag, mut rng) = (Tree::new(program), Dag::new(), Rng::new(1));
    let values: Vec<_> = (0..DECISIONS).map(|offset| dag.input(InputByte { object: 0, offset })).collect();
    for _ in 0..runs {
        let step = |value: &_| {
            let side = rng.below(2) as u32;
            Step { kind: StepKind::Branch, site: SiteId(0), side, value: *value, concrete: side.into() }
        };
        let steps: Vec<Step> = values.iter().map(step).collect();
        let added = tree.add_run(&steps);
        strategy.on_run(&RunView {
            tree: &tree,
            program,
            run: added.run,
            nodes: &added.nodes,
            sides: &added.sides,
            first_new: added.first_new,
            new_branches: &[],
            callees: &[],
            covered: &[],
            flip: None,
            predicted: false,
            cost: Default::default(),
            own: true,
        });
    }
    tree
}

/// Returns the most work that a choice took, and all of it.
fn work(runs: usize, choices: usize) -> (usize, usize) {
    let program = program();
    let mut strategy = Cgs::parse(None, &program).unwrap();
    let mut tree = explore(&mut strategy, &program, runs);
    let (mut rng, mut most, mut all) = (Rng::new(2), 0, 0);
    for _ in 0..choices {
        let Next::Flip { flip, .. } = strategy.next(&tree, &mut rng) else { panic!("flips are left") };
        assert_eq!(tree.state(flip), FlipState::Untried);
        tree.set_state(flip, FlipState::Unsat);
        (most, all) = (most.max(strategy.work), all + strategy.work);
    }
    (most, all)
}

#[test]
fn the_work_of_a_choice_does_not_grow_with_the_frontier() {
    let bound = MAX_WORK + NODE_WORK + LOOK_BACK + 1;
    let most = [100, 1_000, 10_000].map(|runs| work(runs, 500).0);
    assert!(most.iter().all(|most| *most <= bound), "{most:?}");
    assert!(most[2] > MAX_WORK, "{most:?}: two branches have few contexts, and half a million flips");
    let all = [1_000, 10_000].map(|runs| work(runs, 500).1);
    assert!(all[1] <= 500 * bound && all[0] <= 500 * bound, "{all:?}");
}
