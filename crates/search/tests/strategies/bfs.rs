//! Breadth-first search: the order of flips.

use crate::simulate::{Simulation, flips, straight_program};
use cairn_search::{Bfs, Rng};

#[test]
fn flips_come_in_order_of_depth_and_discovery() {
    let mut simulation = Simulation::new(straight_program(4), 4);
    let mut bfs = Bfs::new();
    simulation.run(vec![false; 4], None, &mut bfs);
    let requests = simulation.drive(&mut bfs, &mut Rng::new(0), 1000);
    let depths: Vec<_> = flips(&requests).map(|flip| simulation.tree.node(flip.node).depth).collect();
    let expected: Vec<_> = (0..4).flat_map(|depth| vec![depth; 1 << depth]).collect();
    assert_eq!(depths, expected);
    for pair in flips(&requests).collect::<Vec<_>>().windows(2) {
        let depth = |at: usize| simulation.tree.node(pair[at].node).depth;
        assert!(depth(0) < depth(1) || pair[0].node < pair[1].node, "first come, first served");
    }
}

#[test]
fn a_shallow_flip_that_comes_late_comes_next() {
    let mut simulation = Simulation::new(Box::new(|path| [0, 1, 2].get(path.len()).copied()), 3);
    let mut bfs = Bfs::new();
    simulation.run(vec![false; 3], None, &mut bfs);
    // The other half of the tree, which was not requested, appears while the middle of the first half is
    // searched.
    simulation.drive(&mut bfs, &mut Rng::new(0), 2);
    simulation.run(vec![true, true, true], None, &mut bfs);
    let requests = simulation.drive(&mut bfs, &mut Rng::new(0), 100);
    let depths: Vec<_> = flips(&requests).map(|flip| simulation.tree.node(flip.node).depth).collect();
    assert_eq!(depths, [2, 2, 2, 2]);
    assert!(simulation.tree.exhausted());
}
