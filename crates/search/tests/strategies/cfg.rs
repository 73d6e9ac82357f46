//! Control-flow directed search: the nearest first, and the drive.

use crate::simulate::{Input, Simulation, flips, input, straight_program};
use cairn_program::BranchId;
use cairn_search::{Cfg, Next, Rng};
use cairn_tree::FlipState;

/// Returns a straight program that has covered everything but side 1 of the last branch; the path of zeros is
/// current.
fn all_but_last(bits: usize, impossible: &'static [BranchId], settings: Option<&str>) -> (Simulation, Cfg) {
    let mut simulation = Simulation::new(straight_program(bits), bits);
    simulation.impossible = impossible;
    let mut strategy = Cfg::parse(settings, &simulation.program).unwrap();
    let ones: Input = (0..bits).map(|bit| bit + 1 < bits).collect();
    simulation.run(ones, None, &mut strategy);
    simulation.run(vec![false; bits], None, &mut strategy);
    (simulation, strategy)
}

#[test]
fn an_uncovered_branch_of_the_path_comes_first() {
    let (mut simulation, mut strategy) = all_but_last(4, &[], None);
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 1);
    assert_eq!(simulation.inputs.last(), Some(&input("0001")), "{requests:?}");
}

#[test]
fn the_nearest_comes_first_and_is_driven_along_all_static_paths() {
    static LAST: [BranchId; 1] = [BranchId(7)];
    let (mut simulation, mut strategy) = all_but_last(4, &LAST, Some("once"));
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 8);
    let sites: Vec<_> = flips(&requests).map(|flip| simulation.tree.node(flip.node).site.0).collect();
    // On the path of zeros, bit 3 is at distance 0. Bit 2 is at 1: when its run has taken side 1, it is
    // driven to bit 3. Bit 1 is at 2; its run is driven over both sides of bit 2 to bit 3. Then nothing is
    // left on the path.
    assert_eq!(sites, [3, 2, 3, 1, 2, 3, 3]);
    assert_eq!(requests[7], Next::Restart);
}

#[test]
fn a_drive_passes_concrete_branches_but_cannot_force_them() {
    // Bit 2 is not read: its branch is concrete, and takes the side of the first bit.
    static LAST: [BranchId; 1] = [BranchId(7)];
    let decide = |path: &[(usize, bool)]| [0, 1, 3].get(path.len()).copied();
    let mut simulation = Simulation::new(Box::new(decide), 4);
    simulation.impossible = &LAST;
    simulation.concrete = |path| match path {
        [(_, first), _] => vec![BranchId(4 + u32::from(*first))],
        _ => vec![],
    };
    let mut strategy = Cfg::parse(Some("once"), &simulation.program).unwrap();
    for digits in ["1100", "0000"] {
        simulation.run(input(digits), None, &mut strategy);
    }
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 4);
    let sites: Vec<_> = flips(&requests).map(|flip| simulation.tree.node(flip.node).site.0).collect();
    assert_eq!(sites, [3, 1, 3], "from behind bit 1 past the concrete branch to bit 3");
    assert_eq!(requests[3], Next::Restart);
}

#[test]
fn only_flips_of_the_current_path_are_chosen() {
    static LAST: [BranchId; 1] = [BranchId(5)];
    let decide = |path: &[(usize, bool)]| [0, 1, 2].get(path.len()).copied();
    let mut simulation = Simulation::new(Box::new(decide), 3);
    simulation.impossible = &LAST;
    let mut strategy = Cfg::parse(Some("once"), &simulation.program).unwrap();
    for digits in ["010", "110", "100", "000"] {
        simulation.run(input(digits), None, &mut strategy);
    }
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 2);
    let sites: Vec<_> = flips(&requests).map(|flip| simulation.tree.node(flip.node).site.0).collect();
    assert_eq!(sites, [2], "the same branch can be flipped after 01, 10 and 11 as well");
    assert_eq!(requests[1], Next::Restart);
}

#[test]
fn a_flip_that_another_path_has_taken_is_forced_again() {
    static LAST: [BranchId; 1] = [BranchId(5)];
    let decide = |path: &[(usize, bool)]| [0, 1, 2].get(path.len()).copied();
    let mut simulation = Simulation::new(Box::new(decide), 3);
    simulation.impossible = &LAST;
    let mut strategy = Cfg::new(&simulation.program);
    for digits in ["010", "110", "100", "000"] {
        simulation.run(input(digits), None, &mut strategy);
    }
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 2);
    let Next::Flip { flip, base } = requests[1] else { panic!("{requests:?}") };
    // The path 01 is known; behind it is the bit with the uncovered side.
    assert_eq!((simulation.tree.node(flip.node).site.0, base.index()), (1, 3));
    assert_eq!(simulation.tree.state(flip), FlipState::Sat);
}

#[test]
fn after_thirty_runs_without_success_it_restarts() {
    const BITS: usize = 80;
    static LAST: [BranchId; 1] = [BranchId(159)];
    let (mut simulation, mut strategy) = all_but_last(BITS, &LAST, None);
    let requests = simulation.drive(&mut strategy, &mut Rng::new(0), 1_000);
    let before = requests.iter().take_while(|next| **next != Next::Restart);
    // The path of zeros is that of run 1: nodes that it created and flips that were runs.
    let of_path = before.clone().filter(|next| match next {
        Next::Flip { flip, base } => {
            base.index() == 1 && simulation.tree.node(flip.node).site.0 + 1 < BITS as u32
        }
        _ => false,
    });
    assert_eq!(of_path.count(), 30);
    assert!(before.count() <= 1 + 30 * 21, "drives are short");
}
