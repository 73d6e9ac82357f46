//! The bandit over strategies.

use crate::simulate::{Simulation, flips, straight_program, view};
use cairn_expr::{Dag, InputByte};
use cairn_program::{BranchId, Program, SiteId};
use cairn_search::{Auto, Cost, Next, Outcome, Rng, RunView, Strategy, Uncovered};
use cairn_tree::{Flip, Step, StepKind, Tree};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Requests random input a given number of times, and records its number.
struct Stub {
    number: usize,
    requests: usize,
    last: Arc<AtomicUsize>,
}

impl Strategy for Stub {
    fn on_run(&mut self, _: &RunView) {}

    fn next(&mut self, _: &Tree, _: &mut Rng) -> Next {
        if self.requests == 0 {
            return Next::Done;
        }
        self.requests -= 1;
        self.last.store(self.number, Relaxed);
        Next::Restart
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        self.number.to_string()
    }
}

/// Creates arms with so many requests.
fn stubs(requests: &[usize], last: &Arc<AtomicUsize>) -> Vec<(String, Box<dyn Strategy>)> {
    let stub = |(number, &requests): (usize, &usize)| {
        let stub: Box<dyn Strategy> = Box::new(Stub { number, requests, last: last.clone() });
        (number.to_string(), stub)
    };
    requests.iter().enumerate().map(stub).collect()
}

/// Plays arms with so many requests for so many runs; `brings` returns the number of new branches an arm's
/// run covers. Returns the arm that requested each run.
fn play(requests: &[usize], runs: usize, brings: impl Fn(usize, usize) -> usize) -> Vec<usize> {
    play_after((0, 0), requests, runs, brings)
}

/// Does the same after runs on given inputs that covered something. Some flips are suspended before each run.
fn play_after(
    (given, suspend): (usize, usize),
    requests: &[usize],
    runs: usize,
    brings: impl Fn(usize, usize) -> usize,
) -> Vec<usize> {
    let simulation = Simulation::new(straight_program(1), 1);
    let flip = any_flip();
    let last = Arc::new(AtomicUsize::new(0));
    let mut auto = Auto::new(stubs(requests, &last));
    let (mut rng, mut tree) = (Rng::new(1), simulation.tree.clone());
    let branches = [BranchId(0); 9];
    let run = |auto: &mut Auto, tree: &mut Tree, new: usize| {
        let added = tree.add_run(&[]);
        auto.on_run(&RunView { new_branches: &branches[..new], ..view(tree, &simulation.program, &added) });
    };
    (0..given).for_each(|_| run(&mut auto, &mut tree, branches.len()));
    let mut played = Vec::new();
    while played.len() < runs && auto.next(&tree, &mut rng) == Next::Restart {
        for _ in 0..suspend {
            auto.on_outcome(flip, Outcome::Suspend, Cost::default());
        }
        run(&mut auto, &mut tree, brings(last.load(Relaxed), played.len()));
        played.push(last.load(Relaxed));
    }
    played
}

fn any_flip() -> Flip {
    let mut simulation = Simulation::new(straight_program(1), 1);
    let mut strategy = Uncovered::new(&simulation.program);
    simulation.run(vec![false], None, &mut strategy);
    simulation.tree.frontier().next().unwrap()
}

fn share(played: &[usize], arm: usize) -> f64 {
    played.iter().filter(|one| **one == arm).count() as f64 / played.len() as f64
}

#[test]
fn the_best_arm_is_played_most_and_none_is_abandoned() {
    let played = play(&[usize::MAX; 4], 4000, |arm, _| usize::from(arm == 2));
    assert!(share(&played, 2) > 0.75, "{}", share(&played, 2));
    for arm in [0, 1, 3] {
        assert!(share(&played[2000..], arm) > 0.005, "{arm}: {}", share(&played[2000..], arm));
    }
    // Twice as much is more, even if both cover something.
    let played =
        play(&[usize::MAX; 2], 4000, |arm, run| if arm == 1 { run % 2 } else { usize::from(run % 4 == 0) });
    assert!(share(&played, 1) > 0.6, "{}", share(&played, 1));
}

#[test]
fn playing_first_is_no_advantage() {
    // Branches become rarer with time, whichever arm plays; the second arm covers twice as many as the first.
    let brings = |arm: usize, run: usize| usize::from(run.is_multiple_of((1 + run / 50) * (2 - arm)));
    let played = play(&[usize::MAX; 2], 4000, |arm, run| if run < 16 { 9 } else { brings(arm, run) });
    assert!(share(&played[1000..], 1) > 0.6, "{}", share(&played[1000..], 1));
}

#[test]
fn an_exhausted_arm_is_replaced_by_a_productive_one() {
    let played = play(&[usize::MAX; 3], 6000, |arm, run| usize::from(arm == if run < 3000 { 0 } else { 1 }));
    let shares = [share(&played[..3000], 0), share(&played[4000..], 1)];
    assert!(shares.iter().all(|share| *share > 0.7), "{shares:?}");
}

#[test]
fn without_rewards_all_arms_are_played_alike() {
    let played = play(&[usize::MAX; 4], 4000, |_, _| 0);
    for arm in 0..4 {
        assert!((share(&played, arm) - 0.25).abs() < 0.1, "{arm}: {}", share(&played, arm));
    }
}

#[test]
fn an_arm_without_requests_is_skipped() {
    let played = play(&[5, 100, 0], 1000, |_, _| 0);
    assert_eq!(played.len(), 105);
    assert_eq!(played.iter().filter(|arm| **arm == 0).count(), 5);
}

#[test]
fn given_inputs_are_credited_to_no_arm() {
    let played = play_after((50, 0), &[usize::MAX; 4], 400, |_, run| usize::from(run % 10 == 0));
    assert_eq!(played, play(&[usize::MAX; 4], 400, |_, run| usize::from(run % 10 == 0)));
}

/// Adds a run through the first decisions, the last of them with this side; it covers the requested flip, if
/// any.
fn through(
    (decisions, last): (u32, u32),
    flip: Option<Flip>,
    program: &Program,
    tree: &mut Tree,
    auto: &mut Auto,
) {
    let mut dag = Dag::new();
    let step = |at| {
        let (site, side) = (SiteId(at), if at + 1 == decisions { last } else { 0 });
        let value = dag.input(InputByte { object: 0, offset: at });
        Step { kind: StepKind::Branch, site, side, value, concrete: side.into() }
    };
    let added = tree.add_run(&(0..decisions).map(step).collect::<Vec<_>>());
    let covered: Vec<BranchId> = flip.iter().filter_map(|flip| tree.branch(*flip)).collect();
    auto.on_run(&RunView { new_branches: &covered, flip, ..view(tree, program, &added) });
}

#[test]
fn an_arm_that_reaches_uncovered_branches_is_played_most() {
    const RUNS: usize = 1000;
    let simulation = Simulation::new(straight_program(RUNS), RUNS);
    let (program, mut tree, mut rng) = (&simulation.program, simulation.tree.clone(), Rng::new(1));
    let last = Arc::new(AtomicUsize::new(0));
    let mut auto = Auto::for_program(stubs(&[usize::MAX; 3], &last), program);
    let (mut played, mut opened, mut gleaned) = (Vec::new(), 0, 0);
    while played.len() < RUNS {
        match auto.next(&tree, &mut rng) {
            // The second arm reaches one more decision each time; none covers anything.
            Next::Restart => {
                opened += u32::from(last.load(Relaxed) == 1);
                through((opened, 0), None, program, &mut tree, &mut auto);
                played.push(last.load(Relaxed));
            }
            Next::Flip { flip, .. } => {
                let decisions = tree.depth(flip.node) + 1;
                through((decisions, 1), Some(flip), program, &mut tree, &mut auto);
                gleaned += 1;
            }
            next => panic!("{next:?}"),
        }
    }
    assert!(share(&played, 1) > 0.7, "{} ({gleaned} of {opened})", share(&played, 1));
}

#[test]
fn uncovered_branches_are_tried_alternately_up_to_a_limit() {
    const BITS: usize = 12;
    // No input takes the last decision's other side.
    const NEVER: BranchId = BranchId(2 * BITS as u32 - 1);
    let mut simulation = Simulation::new(straight_program(BITS), BITS);
    simulation.impossible = &[NEVER];
    let mut strategy = Uncovered::new(&simulation.program);
    simulation.run(vec![false; BITS], None, &mut strategy);
    let requests = simulation.drive(&mut strategy, &mut Rng::new(1), 100);
    let targets: Vec<BranchId> = flips(&requests).filter_map(|flip| simulation.tree.branch(flip)).collect();
    assert_eq!(requests.last(), Some(&Next::Done));
    let first: BTreeSet<&BranchId> = targets[..BITS].iter().collect();
    assert_eq!(first.len(), BITS, "each once before any twice: {targets:?}");
    assert_eq!(targets[BITS..], [NEVER; 7], "what is covered is done with, and the eighth try was the last");
    assert_eq!(simulation.covered(), 2 * BITS - 1);
}

#[test]
fn suspending_flips_is_no_work() {
    let brings = |_, run: usize| usize::from(run.is_multiple_of(10));
    assert_eq!(play_after((0, 20), &[usize::MAX; 4], 400, brings), play(&[usize::MAX; 4], 400, brings));
}

#[test]
fn suspended_flips_are_not_tried() {
    let mut simulation = Simulation::new(straight_program(1), 1);
    simulation.impossible = &[BranchId(1)];
    let mut strategy = Uncovered::new(&simulation.program);
    simulation.run(vec![false; 1], None, &mut strategy);
    let mut rng = Rng::new(1);
    for _ in 0..20 {
        let Next::Flip { flip, .. } = strategy.next(&simulation.tree, &mut rng) else { panic!("given up") };
        strategy.on_outcome(flip, Outcome::Suspend, Cost::default());
        simulation.tree.suspend(flip);
        assert_eq!(strategy.next(&simulation.tree, &mut rng), Next::Done);
        strategy.on_resumed(&simulation.tree, &[flip]);
        simulation.tree.resume(flip);
    }
}
