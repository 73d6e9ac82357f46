//! Calls through pointers that runs show change the analyses of strategies.

use crate::simulate::{Simulation, flips, input};
use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_program::{FunctionId, Program};
use cairn_search::{Next, Rng, create};
use cairn_tree::Flip;

const TYPE: u64 = 7;
const FAR: FunctionId = FunctionId(1);

/// Returns a program of two decisions. Side 1 of the second leads to a call through a pointer; the function
/// `far` has another type than that.
fn program() -> Program {
    let main =
        [decide(&[2, 1]), jump(2).instructions(10), decide(&[4, 3]), jump(4).call_pointer(TYPE), end()];
    let far = [decide(&[1, 1]).instructions(100), end()];
    build(&[function("main", &main), function("far", &far)])
}

/// Returns the first request of a strategy after these runs, the last of which has made the call or not.
fn first_request(strategy: &str, runs: &[&str], seed: u64, is_called: bool) -> (Simulation, Option<Flip>) {
    let mut simulation = Simulation::of(program(), Box::new(|path| (path.len() < 2).then_some(path.len())));
    let mut strategy = create(strategy, &simulation.program).unwrap();
    assert!(strategy.wants_callees());
    for (digits, left) in runs.iter().zip((0..runs.len()).rev()) {
        simulation.callees = if left == 0 && is_called { vec![(TYPE, FAR)] } else { vec![] };
        simulation.run(input(digits), None, &mut *strategy);
    }
    let next = strategy.next(&simulation.tree, &mut Rng::new(seed));
    assert!(matches!(next, Next::Flip { .. } | Next::Restart));
    let flip = flips(&[next]).next();
    (simulation, flip)
}

#[test]
fn cfg_sees_a_path_through_an_observed_call() {
    for (is_called, expected) in [(false, None), (true, Some((1, 1)))] {
        let (simulation, flip) = first_request("cfg", &["110", "000"], 0, is_called);
        assert_eq!(flip.map(|flip| (simulation.tree.site(flip.node).0, flip.side)), expected);
    }
}

#[test]
fn flips_whose_weight_rises_are_drawn_more() {
    for (is_called, expected) in [(false, 1..=19), (true, 20..=20)] {
        let request = |seed| first_request("md2u", &["110", "000", "000"], seed, is_called).1.unwrap().side;
        let near = (0..20).filter(|seed| request(*seed) == 1).count();
        assert!(expected.contains(&near), "{is_called} {near}");
    }
}

#[test]
fn carfast_counts_the_code_behind_an_observed_call() {
    for (is_called, expected) in [(false, 0), (true, 1)] {
        let (simulation, flip) = first_request("carfast", &["000", "000"], 0, is_called);
        assert_eq!(simulation.tree.site(flip.unwrap().node).0, expected);
    }
}
