//! CarFast: the uncovered branch with the most dependent code.

use crate::simulate::{Simulation, flips, straight_program};
use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_search::{CarFast, Next, Rng};

#[test]
fn the_branch_with_most_dependent_code_comes_first() {
    // Side 1 of each decision leads through a block of its own.
    let program = build(&[function(
        "main",
        &[
            decide(&[2, 1]),
            jump(2).instructions(5),
            decide(&[4, 3]),
            jump(4).instructions(50),
            decide(&[6, 5]),
            jump(6).instructions(20),
            end(),
        ],
    )]);
    let mut simulation = Simulation::of(program, straight_program(3));
    let mut strategy = CarFast::new(&simulation.program);
    simulation.run(vec![false; 3], None, &mut strategy);
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 100);
    let sites: Vec<_> = flips(&requests).map(|flip| simulation.tree.node(flip.node).site.0).collect();
    assert_eq!(sites[..3], [1, 2, 0]);
    assert_eq!((sites.len(), requests.last()), (7, Some(&Next::Done)), "then whatever is left");
}
