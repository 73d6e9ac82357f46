//! Mutants of tests.

use crate::simulate::{Simulation, straight_program, view};
use cairn_expr::{Dag, InputByte};
use cairn_program::BranchId;
use cairn_program::SiteId;
use cairn_search::{Auto, MutantBatch, Mutation, Mutators, Next, Rng, RunView, Strategy};
use cairn_tree::{RunId, Step, StepKind, Tree};

/// Returns a tree with one decision, whose other side is untried.
fn tree(simulation: &Simulation) -> Tree {
    let mut tree = simulation.tree.clone();
    let value = Dag::new().input(InputByte { object: 0, offset: 0 });
    tree.add_run(&[Step { kind: StepKind::Branch, site: SiteId(0), side: 0, value, concrete: 0 }]);
    tree
}

/// Adds a run that was the first to cover so many branches.
fn run(strategy: &mut dyn Strategy, simulation: &Simulation, tree: &mut Tree, new: usize) -> RunId {
    let branches = [BranchId(0); 9];
    let added = tree.add_run(&[]);
    strategy.on_run(&RunView { new_branches: &branches[..new], ..view(tree, &simulation.program, &added) });
    added.run
}

#[test]
fn a_test_whose_mutants_cover_more_is_mutated_more() {
    const BATCHES: usize = 600;
    let simulation = Simulation::new(straight_program(1), 1);
    let (mut tree, mut rng, mut strategy) = (tree(&simulation), Rng::new(1), Mutation::default());
    let tests: Vec<RunId> = (0..10).map(|_| run(&mut strategy, &simulation, &mut tree, 1)).collect();
    let mut shares = [0; 10];
    for number in 0..BATCHES {
        let Next::Mutate { base, .. } = strategy.next(&tree, &mut rng) else { panic!("a flip is untried") };
        let at = tests.iter().position(|test| *test == base);
        at.into_iter().for_each(|at| shares[at] += 1);
        let brings = at == Some(3) && number % 4 == 0;
        strategy.on_mutants(&MutantBatch { base, executions: 16, cost: 16.0, kept: brings.into() });
        if brings {
            run(&mut strategy, &simulation, &mut tree, 2);
        }
    }
    assert!(shares[3] > BATCHES / 4, "{shares:?}");
    assert!(shares.iter().all(|share| *share > 5), "all have their turn: {shares:?}");
}

#[test]
fn runs_that_cover_nothing_new_are_not_mutated() {
    let simulation = Simulation::new(straight_program(1), 1);
    let (mut tree, mut rng, mut strategy) = (tree(&simulation), Rng::new(1), Mutation::default());
    let first = run(&mut strategy, &simulation, &mut tree, 0);
    for _ in 0..9 {
        run(&mut strategy, &simulation, &mut tree, 0);
    }
    for _ in 0..50 {
        assert_eq!(
            strategy.next(&tree, &mut rng),
            Next::Mutate { base: first, mutators: Mutators::Havoc },
            "it is all there is"
        );
    }
}

#[test]
fn without_untried_flips_it_is_done() {
    let simulation = Simulation::new(straight_program(1), 1);
    let (mut tree, mut strategy) = (simulation.tree.clone(), Mutation::default());
    run(&mut strategy, &simulation, &mut tree, 1);
    assert_eq!(strategy.next(&tree, &mut Rng::new(1)), Next::Done);
}

#[test]
fn auto_plays_mutation_by_what_it_brings_for_its_cost() {
    let plays = |cost: f64| {
        let simulation = Simulation::new(straight_program(1), 1);
        let (mut tree, mut rng) = (tree(&simulation), Rng::new(1));
        let arm = |name: &str| (name.to_owned(), cairn_search::create(name, &simulation.program).unwrap());
        let mut auto = Auto::new(vec![arm("mutation"), arm("random-input")]);
        run(&mut auto, &simulation, &mut tree, 1);
        let mut batches = 0;
        for number in 0..2_000 {
            match auto.next(&tree, &mut rng) {
                Next::Mutate { base, .. } => {
                    batches += 1;
                    let kept = usize::from(number % 2 == 0);
                    auto.on_mutants(&MutantBatch { base, executions: 16, cost, kept });
                    for _ in 0..kept {
                        run(&mut auto, &simulation, &mut tree, 1);
                    }
                }
                Next::Restart => {
                    run(&mut auto, &simulation, &mut tree, usize::from(number % 8 == 0));
                }
                next => panic!("{next:?}"),
            }
        }
        batches
    };
    let [cheap, dear] = [plays(1.0), plays(15.0)];
    assert!(cheap > 4 * dear && dear > 1, "{cheap} {dear}");
    assert_eq!(plays(16.0), 1, "a mutant that costs a run waits until nothing else is left");
}
