//! Alternating strategies.

use crate::simulate::{Simulation, flips, straight_program};
use cairn_search::{Cost, Interleave, Next, Outcome, Rng, RunView, Strategy, create};
use cairn_tree::{Flip, Tree};
use std::sync::{Arc, Mutex};

/// Makes scripted requests, and records the callbacks it gets.
struct Script {
    requests: Vec<Next>,
    name: &'static str,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Strategy for Script {
    fn on_run(&mut self, run: &RunView) {
        self.heard.lock().unwrap().push(format!("{} sees run {}", self.name, run.run.index()));
    }

    fn next(&mut self, _: &Tree, _: &mut Rng) -> Next {
        self.requests.pop().unwrap_or(Next::Done)
    }

    fn on_outcome(&mut self, _: Flip, outcome: Outcome, _: Cost) {
        self.heard.lock().unwrap().push(format!("{}: {outcome:?}", self.name));
    }

    fn describe(&self) -> String {
        self.name.to_owned()
    }
}

#[test]
fn turns_are_strict_and_all_see_every_run() {
    let mut simulation = Simulation::new(straight_program(2), 2);
    let heard = Arc::new(Mutex::new(Vec::new()));
    simulation.run(vec![false; 2], None, &mut *create("bfs", &simulation.program).unwrap());
    let [first, second] = *simulation.tree.frontier().collect::<Vec<_>>() else { panic!() };
    let request = |flip| Next::flip(&simulation.tree, flip);
    let a = Script { requests: vec![Next::Restart, request(second)], name: "a", heard: heard.clone() };
    let b = Script { requests: vec![request(first)], name: "b", heard: heard.clone() };
    let mut both = Interleave::new("both", vec![Box::new(a), Box::new(b)]);
    let requests = simulation.drive(&mut both, &mut Rng::new(0), 10);
    assert_eq!(flips(&requests).collect::<Vec<_>>(), [second, first]);
    assert_eq!(requests[2..], [Next::Restart, Next::Done]);
    let expected = [
        "a sees run 1",
        "b sees run 1",
        "a: Taken",
        "a sees run 2",
        "b sees run 2",
        "b: Taken",
        "a sees run 3",
        "b sees run 3",
    ];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[test]
fn it_continues_while_any_strategy_has_requests() {
    let mut simulation = Simulation::new(straight_program(5), 5);
    let mut strategy = create("interleave:dfs:1,bfs", &simulation.program).unwrap();
    simulation.run(vec![false; 5], None, &mut *strategy);
    assert_eq!(simulation.drive(&mut *strategy, &mut Rng::new(0), 100).last(), Some(&Next::Done));
    assert!(simulation.tree.exhausted(), "a bounded search gives up its turns");
}

#[test]
fn by_share_the_second_has_its_part_in_blocks() {
    let tree = Simulation::new(straight_program(2), 2).tree;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let script = |name, request: Next| Script { requests: vec![request; 4_000], name, heard: heard.clone() };
    let (a, b) = (script("a", Next::Restart), script("b", Next::Resume(Vec::new())));
    let mut both = Interleave::by_share("both", [Box::new(a), Box::new(b)], 0.25);
    let mut rng = Rng::new(7);
    let requests: Vec<bool> = (0..4_000).map(|_| both.next(&tree, &mut rng) != Next::Restart).collect();
    let second = requests.iter().filter(|second| **second).count();
    assert!((800..1_200).contains(&second), "{second} of 4,000");
    assert!(requests.chunks(8).all(|block| block.iter().all(|one| *one == block[0])));
    assert_eq!(both.describe(), "both: a, and for 25 % of the time b");
}

#[test]
fn by_share_one_that_is_done_leaves_all_to_the_other() {
    let tree = Simulation::new(straight_program(2), 2).tree;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let script = |name, requests| Script { requests, name, heard: heard.clone() };
    let (a, b) = (script("a", vec![Next::Restart; 3]), script("b", vec![]));
    let mut both = Interleave::by_share("both", [Box::new(a), Box::new(b)], 1.0);
    let requests: Vec<Next> = (0..4).map(|_| both.next(&tree, &mut Rng::new(0))).collect();
    assert_eq!(requests, [Next::Restart, Next::Restart, Next::Restart, Next::Done]);
}
