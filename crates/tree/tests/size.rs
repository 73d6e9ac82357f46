//! Memory per node and running time of large trees.

use cairn_expr::{Dag, ExprId, InputByte};
use cairn_program::testing::Sketch;
use cairn_program::{BranchId, Program, SiteId};
use cairn_tree::{BranchTraces, FlipState, Step, StepKind, Tree};
use std::hint::black_box;
use std::time::Instant;

/// Number of sites of the simulated program.
const SITES: u32 = 500;
/// Number of distinct values a run may decide on at one position of its path.
const VARIANTS: usize = 4;

/// Two-sided branches, some switches, and one concretization.
fn program() -> Program {
    let mut sketch = Sketch::new();
    for site in 0..SITES {
        if site % 20 == 7 {
            sketch.switch(8, &[&[1], &[2], &[3]]);
        } else {
            sketch.branch();
        }
    }
    sketch.concretization();
    sketch.build()
}

/// Runs that leave the path of the previous one at a uniformly random position and decide at random from
/// there on.
struct Runs {
    values: Vec<ExprId>,
    random: fastrand::Rng,
    path: Vec<Step>,
}

impl Runs {
    fn new(length: usize) -> Runs {
        let mut dag = Dag::new();
        let offsets = 0..(length * VARIANTS) as u32;
        let values = offsets.map(|offset| dag.input(InputByte { object: 0, offset })).collect();
        let mut runs = Runs { values, random: fastrand::Rng::with_seed(7), path: Vec::new() };
        runs.path = (0..length).map(|at| runs.step(at)).collect();
        runs
    }

    fn step(&mut self, at: usize) -> Step {
        let value = self.values[at * VARIANTS + at % 7 % VARIANTS];
        let site = SiteId(at as u32 % SITES);
        let sides = if site.0 % 20 == 7 { 4 } else { 2 };
        let side = self.random.u32(..sides);
        if at % 50 == 3 {
            let concrete = self.random.u64(..3);
            return Step { kind: StepKind::Concretization, site: SiteId(SITES), side: 0, value, concrete };
        }
        Step { kind: StepKind::Branch, site, side, value, concrete: side.into() }
    }

    fn next(&mut self) -> &[Step] {
        for at in self.random.usize(..self.path.len())..self.path.len() {
            self.path[at] = self.step(at);
        }
        &self.path
    }

    /// Returns a few concrete branches before each step.
    fn concrete_branches(&mut self) -> BranchTraces {
        let mut traces = BranchTraces::new();
        for at in 0..self.path.len() {
            let piece = (at % 100) as u32 * 3 + self.random.u32(..3);
            (0..piece % 11).for_each(|n| traces.branch(BranchId(piece + n)));
            traces.step();
        }
        traces
    }
}

#[test]
fn a_node_takes_less_than_five_bytes() {
    let (mut tree, mut runs) = (Tree::new(&program()), Runs::new(1_000));
    for _ in 0..20_000 {
        tree.add_run(runs.next());
    }
    assert!(tree.len() > 8_000_000, "{}", tree.len());
    let per_node = tree.bytes() as f64 / tree.len() as f64;
    assert!(per_node < 5.0, "{per_node} bytes per node");
}

#[test]
fn concrete_branches_cost_no_more_than_their_distinct_sequences() {
    let (mut tree, mut runs) = (Tree::new(&program()), Runs::new(1_000));
    for _ in 0..2_000 {
        runs.next();
        let traces = runs.concrete_branches();
        tree.add_run_with_branches(&runs.path, &traces);
    }
    let per_node = tree.bytes() as f64 / tree.len() as f64;
    assert!(per_node < 6.5, "{per_node} bytes per node");
}

/// Returns the median time of short calls that differ, in nanoseconds: other processes may use the machine as
/// well.
fn time<T, R>(cases: impl IntoIterator<Item = T>, mut call: impl FnMut(T) -> R) -> f64 {
    let measure = |case| {
        let start = Instant::now();
        black_box(call(case));
        start.elapsed().as_nanos() as f64
    };
    median(cases.into_iter().map(measure).collect())
}

/// Returns the processor time of long, identical calls, in nanoseconds.
fn work<R>(calls: usize, mut call: impl FnMut() -> R) -> f64 {
    let start = processor_time();
    (0..calls).for_each(|_| drop(black_box(call())));
    (processor_time() - start) / calls as f64
}

fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|first| first.parse().ok()).expect("a number")
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |n| n.parse().expect("a number"))
}

/// Prints the figures of `bench/tree.sh`.
#[test]
#[ignore = "a measurement"]
fn figures() {
    let (length, count) = (number("LENGTH", 10_000), number("RUNS", 100_000));
    let (mut tree, mut runs) = (Tree::new(&program()), Runs::new(length));
    let adding = (0..count).map(|_| {
        let path = runs.next();
        let start = Instant::now();
        let added = tree.add_run(path);
        start.elapsed().as_nanos() as f64 / added.nodes.len() as f64
    });
    let adding = median(adding.collect());
    let (nodes, bytes) = (tree.len() as f64, tree.bytes() as f64);
    println!("| what | figure |\n|---|---|");
    println!("| runs of {length} steps | {count} |");
    println!("| nodes, untried flips | {nodes:.3e}, {:.3e} |", tree.untried() as f64);
    println!("| memory | {:.2} GiB, {:.2} bytes per node |", bytes / f64::from(1 << 30), bytes / nodes);
    println!("| adding a run, per step (found or new) | {adding:.1} ns |");
    print_times(&mut tree);
}

fn print_times(tree: &mut Tree) {
    let mut random = fastrand::Rng::with_seed(1);
    let picking = time(0..10_000, |_| tree.pick_untried(|n| random.usize(..n)));
    println!("| uniformly random untried flip | {picking:.0} ns |");
    let walking = time(0..10_000, |_| tree.random_path(|n| random.usize(..n)));
    println!("| random path from the root | {walking:.0} ns |");
    let flips: Vec<_> = (0..10_000).filter_map(|_| tree.pick_untried(|n| random.usize(..n))).collect();
    let lengths = median(flips.iter().map(|flip| tree.ancestors(flip.node).count() as f64).collect());
    let prefix = time(&flips, |flip| tree.prefix(flip.node)) / lengths;
    println!("| prefix of a random flip, per node | {prefix:.1} ns |");
    let describing = time(&flips, |flip| tree.node(flip.node));
    println!("| what is known of a random node | {describing:.0} ns |");
    let run = tree.creator(flips[0].node);
    let depths = || tree.run_nodes(run).map(|node| tree.node(node).depth).max();
    let describing = work(200, depths) / tree.run_nodes(run).len() as f64;
    println!("| what is known of the nodes of a run, each | {describing:.1} ns |");
    let depth = tree.max_depth() / 2;
    let found = tree.untried_at_depth(depth).count();
    let searching = work(20, || tree.untried_at_depth(depth).count()) / 1e6;
    println!("| the {found} untried flips at depth {depth} | {searching:.2} ms |");
    let scanning = work(10, || tree.frontier().take(1_000_000).count()) / 1e6;
    println!("| the first 1,000,000 untried flips | {scanning:.1} ms |");
    let setting = time(&flips, |flip| tree.set_state(*flip, FlipState::Unsat));
    println!("| noting the state of a random flip | {setting:.0} ns |");
}
