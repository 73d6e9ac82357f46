//! Measures the cost of the analyses: `cargo run --release -p cairn-program --example analyses [TARGET]`;
//! without a target on a generated program of the size of an editor.

use cairn_program::testing::plan::{Plan, build, decide, end, function, jump};
use cairn_program::{
    BranchId, CallGraph, ControlDependence, Distances, Dominators, Loops, PostDominators, Program, Weight,
};
use fastrand::Rng;
use std::path::Path;
use std::time::Instant;

fn main() {
    let program = match std::env::args().nth(1) {
        Some(target) => Program::read(Path::new(&target)).expect("a target"),
        None => made_up(&mut Rng::with_seed(1)),
    };
    let (blocks, functions) = (program.block_count(), program.functions().count());
    println!("{} branches, {blocks} blocks, {functions} functions", program.branch_count());
    let calls = timed("call graph", || CallGraph::new(&program));
    timed("dominators", || Dominators::new(&program, &calls));
    timed("post-dominators", || PostDominators::new(&program));
    timed("control dependence", || ControlDependence::new(&program, &calls));
    timed("loops", || Loops::new(&program));
    for weight in [Weight::Branches, Weight::Instructions] {
        let distances =
            timed(&format!("distances in {weight:?}"), || Distances::new(&program, &calls, weight));
        cover_all(&program, distances);
    }
}

fn timed<T>(what: &str, make: impl Fn() -> T) -> T {
    let times = (0..5).map(|_| {
        let start = Instant::now();
        make();
        start.elapsed()
    });
    println!("{what}: {:.1} ms", times.min().unwrap().as_secs_f64() * 1e3);
    make()
}

/// Covers all branches one by one, in random order.
fn cover_all(program: &Program, mut distances: Distances) {
    let mut order: Vec<_> = (0..program.branch_count()).map(BranchId).collect();
    Rng::with_seed(1).shuffle(&mut order);
    let start = Instant::now();
    let mut worst = 0.0f64;
    for branch in &order {
        let one = Instant::now();
        distances.cover(&[*branch]);
        worst = worst.max(one.elapsed().as_secs_f64());
    }
    let mean = start.elapsed().as_secs_f64() / order.len() as f64;
    println!("  covering one branch: {:.1} µs on average, {:.1} ms at worst", mean * 1e6, worst * 1e3);
}

/// Generates functions of 5 to 26 blocks with loops, early returns, calls by name and through pointers.
fn made_up(rng: &mut Rng) -> Program {
    let functions = 3000;
    let names: Vec<_> = (0..functions).map(|i| format!("f{i}")).collect();
    let plans = names.iter().map(|name| {
        let count = rng.u32(5..27);
        let blocks: Vec<_> = (0..count).map(|at| made_up_block(rng, at, count, &names)).collect();
        match rng.u8(..5) {
            0 => function(name, &blocks).pointed_at(rng.u64(..50)),
            _ => function(name, &blocks),
        }
    });
    build(&plans.collect::<Vec<_>>())
}

fn made_up_block(rng: &mut Rng, at: u32, count: u32, names: &[String]) -> Plan {
    let last = count - 1;
    let near = |rng: &mut Rng| (at + rng.u32(1..6)).min(last);
    let plan = match rng.u8(..20) {
        _ if at == last => end(),
        0 => decide(&[at.saturating_sub(rng.u32(..12)), at + 1]),
        1 => decide(&[last, at + 1]),
        2 => decide(&[near(rng), near(rng), near(rng), near(rng)]),
        3..=6 => decide(&[at + 1, near(rng)]),
        _ => jump(near(rng)),
    };
    match rng.u8(..12) {
        0..=3 => plan.call(&names[rng.usize(..names.len())]),
        4 => plan.call_pointer(rng.u64(..50)),
        _ => plan,
    }
    .instructions(rng.u32(1..12))
}
