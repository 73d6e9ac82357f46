//! Hand-written paths, and random ones compared with a simple model.

use cairn_expr::{Dag, ExprId, InputByte};
use cairn_program::testing::Sketch;
use cairn_program::{Program, SiteId};
use cairn_tree::{Flip, FlipState, NodeId, Step, StepKind, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

const BRANCH: SiteId = SiteId(0);
const SWITCH: SiteId = SiteId(1);
const PIN: SiteId = SiteId(2);

fn program() -> Program {
    let mut sketch = Sketch::new();
    sketch.branch();
    sketch.switch(8, &[&[1], &[2]]);
    sketch.concretization();
    sketch.build()
}

/// Returns the n-th of many distinct values.
fn value(dag: &mut Dag, n: u32) -> ExprId {
    dag.input(InputByte { object: 0, offset: n })
}

struct Bench {
    dag: Dag,
    tree: Tree,
}

impl Bench {
    fn new() -> Bench {
        Bench { dag: Dag::new(), tree: Tree::new(&program()) }
    }

    fn branch(&mut self, n: u32, side: u32) -> Step {
        let value = value(&mut self.dag, n);
        Step { kind: StepKind::Branch, site: BRANCH, side, value, concrete: side.into() }
    }

    fn switch(&mut self, n: u32, side: u32) -> Step {
        Step { site: SWITCH, ..self.branch(n, side) }
    }

    fn concretization(&mut self, n: u32, concrete: u64) -> Step {
        Step { kind: StepKind::Concretization, site: PIN, side: 0, value: value(&mut self.dag, n), concrete }
    }

    fn branches(&mut self, sides: &[u32]) -> Vec<Step> {
        sides.iter().enumerate().map(|(n, side)| self.branch(n as u32, *side)).collect()
    }
}

fn flip(node: NodeId, side: u32) -> Flip {
    Flip { node, side }
}

#[test]
fn runs_share_the_nodes_of_equal_decisions() {
    let mut b = Bench::new();
    let (first, second) = (b.branches(&[0, 0, 1]), b.branches(&[0, 1, 0, 0]));
    let first = b.tree.add_run(&first);
    let second = b.tree.add_run(&second);
    assert_eq!((first.first_new, second.first_new), (0, 2));
    assert_eq!(first.nodes[..2], second.nodes[..2]);
    assert_eq!(b.tree.len(), 5);
    assert!(!first.mismatch && !second.mismatch);
    assert_eq!(b.tree.node(second.nodes[3]).depth, 3);
    assert_eq!(b.tree.node(second.nodes[2]).parent, Some((second.nodes[1], 1)));
    let prefix: Vec<_> = second.nodes[..3].iter().copied().zip([0, 1, 0]).collect();
    assert_eq!(b.tree.prefix(second.nodes[3]), prefix);
    assert_eq!(b.tree.prefix(first.nodes[0]), []);
    let creators: Vec<_> = second.nodes.iter().map(|node| b.tree.creator(*node)).collect();
    assert_eq!(creators, [first.run, first.run, second.run, second.run]);
}

#[test]
fn the_same_run_again_adds_nothing() {
    let mut b = Bench::new();
    let path = b.branches(&[1, 0]);
    let first = b.tree.add_run(&path);
    let again = b.tree.add_run(&path);
    let longer = b.branches(&[1, 0, 1]);
    let longer = b.tree.add_run(&longer);
    assert_eq!((again.first_new, again.nodes), (2, first.nodes.clone()));
    assert_eq!((longer.first_new, longer.mismatch), (2, false));
    assert_eq!(b.tree.creator(longer.nodes[2]), longer.run);
}

#[test]
fn a_side_is_untried_until_a_run_takes_it_or_its_state_is_set() {
    let mut b = Bench::new();
    let path = b.branches(&[0, 0, 0]);
    let run = b.tree.add_run(&path);
    let flips: Vec<_> = run.nodes.iter().map(|node| flip(*node, 1)).collect();
    assert_eq!(b.tree.frontier().collect::<Vec<_>>(), flips);
    assert_eq!(b.tree.state(flip(run.nodes[0], 0)), FlipState::Sat);

    b.tree.set_state(flips[0], FlipState::Unsat);
    b.tree.set_state(flips[1], FlipState::Unknown);
    assert_eq!((b.tree.untried(), b.tree.exhausted()), (1, false));
    b.tree.set_state(flips[2], FlipState::Diverged);
    assert_eq!((b.tree.untried(), b.tree.exhausted()), (0, false));
    assert_eq!(b.tree.pick_untried(|_| 0), None);
    b.tree.set_state(flips[2], FlipState::Unsat);
    assert!(!b.tree.exhausted(), "one is still unknown");

    let taking = b.branches(&[0, 1]);
    b.tree.add_run(&taking);
    assert_eq!(b.tree.state(flips[1]), FlipState::Sat);
    assert!(b.tree.exhausted());
    b.tree.set_state(flips[1], FlipState::Unsat);
    assert_eq!(b.tree.state(flips[1]), FlipState::Sat, "a run took it");
}

#[test]
fn a_switch_has_a_flip_for_every_other_side() {
    let mut b = Bench::new();
    let path = [b.switch(0, 1)];
    let run = b.tree.add_run(&path);
    let others = [flip(run.nodes[0], 0), flip(run.nodes[0], 2)];
    assert_eq!(b.tree.untried_of(run.nodes[0]).collect::<Vec<_>>(), others);
    let other = [b.switch(0, 2)];
    assert_eq!(b.tree.add_run(&other).first_new, 1);
    assert_eq!(b.tree.untried_of(run.nodes[0]).collect::<Vec<_>>(), [others[0]]);
}

#[test]
fn the_constants_of_a_concretization_form_a_chain() {
    let mut b = Bench::new();
    let paths =
        [5, 6, 5, 7].map(|constant| vec![b.branch(0, 1), b.concretization(1, constant), b.branch(2, 1)]);
    let runs = paths.map(|path| b.tree.add_run(&path));
    assert_eq!(runs.each_ref().map(|run| run.first_new), [0, 2, 3, 3]);
    assert!(runs.iter().all(|run| !run.mismatch));
    assert_eq!(runs[0].nodes, runs[2].nodes);
    assert_eq!(runs[3].sides, [1, 1, 1, 0, 1], "not 5, not 6, but 7");
    assert_eq!(runs[3].nodes[..2], runs[0].nodes[..2]);
    assert_eq!(runs[3].nodes[..3], runs[1].nodes[..3]);
    let concretization = b.tree.node(runs[1].nodes[2]);
    assert_eq!(
        (concretization.kind, concretization.concrete, concretization.depth, concretization.sides),
        (StepKind::Concretization, 6, 1, 2)
    );
    assert_eq!(concretization.parent, Some((runs[0].nodes[1], 1)));
    assert_eq!(b.tree.node(runs[1].nodes[3]).depth, 1, "a concretization is no branch");
    assert_eq!(b.tree.open_concretizations(), 1, "the last of the chain");
    assert_eq!(b.tree.untried_of(runs[3].nodes[3]).collect::<Vec<_>>(), [flip(runs[3].nodes[3], 1)]);
    b.tree.set_state(flip(runs[3].nodes[3], 1), FlipState::Unsat);
    assert_eq!(b.tree.open_concretizations(), 0, "there is no other value");
    let wide = [b.branch(0, 0), b.concretization(9, u64::MAX - 1)];
    let wide = b.tree.add_run(&wide);
    assert_eq!(b.tree.node(wide.nodes[1]).concrete, u64::MAX - 1);
}

#[test]
fn a_chain_ends_and_is_not_called_exhausted() {
    let mut b = Bench::new();
    let path = |b: &mut Bench, constant| vec![b.concretization(0, constant), b.branch(1, 0)];
    let lengths = (0..40).map(|constant| {
        let path = path(&mut b, constant);
        b.tree.add_run(&path).nodes.len()
    });
    let lengths: Vec<_> = lengths.collect();
    assert_eq!(lengths[..3], [2, 3, 4]);
    assert_eq!(lengths[16..], [18; 24], "beyond the end constants stand side by side");
    let again = path(&mut b, 30);
    let again = b.tree.add_run(&again);
    assert_eq!((again.first_new, again.mismatch), (18, false));
    let concretizations =
        b.tree.frontier().filter(|flip| b.tree.node(flip.node).kind == StepKind::Concretization);
    assert_eq!(concretizations.count(), 0, "no further value is solved for");
    let flips: Vec<_> = b.tree.frontier().collect();
    flips.into_iter().for_each(|flip| b.tree.set_state(flip, FlipState::Unsat));
    assert_eq!((b.tree.untried(), b.tree.exhausted()), (0, false));
    assert_eq!(b.tree.open_concretizations(), 24);
}

#[test]
fn a_constraint_is_never_flipped() {
    let mut b = Bench::new();
    let value = value(&mut b.dag, 0);
    let constraint = Step { kind: StepKind::Constraint, site: PIN, side: 0, value, concrete: 1 };
    let path = [constraint, b.branch(0, 1), b.branch(1, 0)];
    let run = b.tree.add_run(&path);
    let node = b.tree.node(run.nodes[0]);
    assert_eq!((node.kind, node.sides, node.forced), (StepKind::Constraint, 1, false));
    assert_eq!(b.tree.node(run.nodes[2]).depth, 1, "a constraint is no branch");
    assert!(b.tree.node(run.nodes[1]).forced, "it decides its value");
    assert_eq!(b.tree.frontier().collect::<Vec<_>>(), [flip(run.nodes[2], 1)]);
    assert_eq!(b.tree.open_concretizations(), 0);
}

#[test]
fn another_site_or_value_after_the_same_prefix_is_kept_and_reported() {
    let mut b = Bench::new();
    let paths = [
        vec![b.branch(0, 1), b.branch(1, 1), b.branch(2, 0)],
        vec![b.branch(0, 1), b.branch(7, 0), b.branch(2, 0)],
        vec![b.branch(0, 1), b.switch(1, 0)],
        vec![b.branch(0, 1), b.branch(7, 1)],
    ];
    let runs = paths.map(|path| b.tree.add_run(&path));
    assert_eq!([0, 1, 2, 3].map(|i| runs[i].mismatch), [false, true, true, false]);
    assert_eq!([0, 1, 2, 3].map(|i| runs[i].first_new), [0, 1, 1, 2]);
    assert_eq!(runs[1].nodes[1], runs[3].nodes[1], "an alternative is found again");
    assert_eq!(b.tree.prefix(runs[1].nodes[2]), [(runs[0].nodes[0], 1), (runs[1].nodes[1], 0)]);
}

#[test]
fn a_condition_that_repeats_has_no_other_side() {
    let mut b = Bench::new();
    let path = [b.branch(0, 1), b.branch(1, 0), b.branch(0, 1), b.switch(2, 0), b.switch(2, 0)];
    let run = b.tree.add_run(&path);
    let forced: Vec<_> = run.nodes.iter().map(|node| b.tree.node(*node).forced).collect();
    assert_eq!(forced, [false, false, true, false, true]);
    assert_eq!(b.tree.state(flip(run.nodes[2], 0)), FlipState::Unsat);
    assert_eq!(b.tree.untried(), 2 + 2);
    // On another path the same value may be open again.
    let other = [b.branch(1, 0), b.branch(0, 1)];
    let other = b.tree.add_run(&other);
    assert!(!b.tree.node(other.nodes[1]).forced);
}

#[test]
fn a_concretization_implies_concretizations_and_a_switch_only_itself() {
    let mut b = Bench::new();
    let path = [
        b.concretization(0, 1),
        b.concretization(0, 1),
        b.branch(0, 1),
        b.switch(0, 0),
        b.concretization(0, 1),
    ];
    let path = [&path[..], &[b.switch(1, 2), b.branch(1, 1), b.switch(1, 2)]].concat();
    let run = b.tree.add_run(&path);
    let forced: Vec<_> = run.nodes.iter().map(|node| b.tree.node(*node).forced).collect();
    assert_eq!(forced, [false, true, false, true, true, false, false, true]);
}

#[test]
#[should_panic(expected = "no side 3")]
fn a_missing_side_panics() {
    let mut b = Bench::new();
    let path = [b.switch(0, 3)];
    b.tree.add_run(&path);
}

/// A small random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

/// A path as the model sees it: kind of step, value, side; the last side is 0 for the node itself.
type Key = Vec<(u8, u32, u64)>;

#[test]
fn random_runs_agree_with_a_simple_model() {
    for seed in 0..30 {
        let mut random = Random(seed);
        let mut b = Bench::new();
        let mut nodes: BTreeMap<Key, NodeId> = BTreeMap::new();
        let mut taken: BTreeSet<Key> = BTreeSet::new();
        let mut constants: BTreeMap<Key, u32> = BTreeMap::new();
        for _ in 0..60 {
            let (mut path, mut key, mut keys) = (Vec::new(), Key::new(), Vec::new());
            for n in 0..random.below(9) as u32 {
                // Mostly deterministic by position, sometimes another kind of step.
                let kind = if random.below(10) == 0 { random.below(3) } else { n as usize % 3 } as u8;
                let choice = random.below([2, 3, 4][kind as usize]) as u32;
                path.push(match kind {
                    0 => b.branch(n, choice),
                    1 => b.switch(n, choice),
                    _ => b.concretization(n, choice.into()),
                });
                let mut visit = |key: &mut Key, side: u64| {
                    keys.push(key.clone());
                    key.last_mut().unwrap().2 = side;
                    taken.insert(key.clone());
                };
                key.push((kind, n, 0));
                if kind != 2 {
                    visit(&mut key, choice.into());
                    continue;
                }
                // In the model, the node of a concretization determines its constant.
                while *constants.entry(key.clone()).or_insert(choice) != choice {
                    visit(&mut key, 1);
                    key.push((kind, n, 0));
                }
                visit(&mut key, 0);
            }
            let known = keys.iter().take_while(|key| nodes.contains_key(*key)).count();
            let run = b.tree.add_run(&path);
            assert_eq!(run.first_new, known);
            assert_eq!(run.nodes.len(), keys.len());
            for (key, node) in keys.into_iter().zip(&run.nodes) {
                assert_eq!(nodes.entry(key).or_insert(*node), node);
            }
        }
        assert_eq!(b.tree.len(), nodes.len());
        let mut open = BTreeSet::new();
        for (key, node) in &nodes {
            let sides = [2, 3, 2][key.last().unwrap().0 as usize];
            for side in 0..sides {
                let mut side_key = key.clone();
                side_key.last_mut().unwrap().2 = side.into();
                if !taken.contains(&side_key) {
                    open.insert(flip(*node, side));
                }
            }
        }
        assert_eq!(b.tree.frontier().collect::<BTreeSet<_>>(), open);
        assert_eq!(b.tree.untried(), open.len());
        check_random_removal(&mut b.tree, &mut random, open);
    }
}

/// Removes random flips until none is left: every pick must be untried.
fn check_random_removal(tree: &mut Tree, random: &mut Random, mut open: BTreeSet<Flip>) {
    while let Some(picked) = tree.pick_untried(|n| random.below(n)) {
        assert!(open.remove(&picked));
        tree.set_state(picked, FlipState::Unsat);
        assert_eq!(tree.untried(), open.len());
    }
    assert!(open.is_empty() && tree.exhausted());
}

#[test]
fn long_paths_cost_linear_time() {
    let mut b = Bench::new();
    let length = 100_000;
    let mut path = b.branches(&vec![0; length]);
    let started = Instant::now();
    let run = b.tree.add_run(&path);
    path[length - 1].side = 1;
    for _ in 0..10 {
        b.tree.add_run(&path);
    }
    assert_eq!(b.tree.prefix(run.nodes[length - 1]).len(), length - 1);
    for node in &run.nodes[..length - 1] {
        b.tree.set_state(flip(*node, 1), FlipState::Unsat);
    }
    assert!(b.tree.exhausted());
    // Quadratic work would be 10^10 steps.
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}
