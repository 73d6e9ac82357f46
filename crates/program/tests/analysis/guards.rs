//! Branches towards a block: by example, and compared with control dependence on random programs.

use crate::naive::{blocks, random_program};
use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_program::{BlockId, BranchId, CallGraph, Guards, PostDominators, Program, SiteKind};
use fastrand::Rng;
use std::collections::BTreeSet;

fn towards(program: &Program, block: u32) -> Vec<(u32, u32)> {
    let guards = Guards::new(program, &CallGraph::new(program));
    let branches = guards.towards(BlockId(block), usize::MAX);
    branches.into_iter().map(|(branch, left)| (branch.0, left)).collect()
}

#[test]
fn branches_are_listed_from_the_nearest() {
    // if (0|1) { if (2|3) target }
    let program = build(&[function("main", &[decide(&[3, 1]), decide(&[3, 2]), jump(3), end()])]);
    assert_eq!(towards(&program, 2), [(3, 0), (1, 1)]);
    assert_eq!(towards(&program, 1), [(1, 0)]);
    assert_eq!(towards(&program, 3), [], "it is always executed");
    let guards = Guards::new(&program, &CallGraph::new(&program));
    assert_eq!(guards.towards(BlockId(2), 1), [(BranchId(3), 0)]);
}

#[test]
fn the_callers_of_a_function_lead_to_what_it_always_executes() {
    let program = build(&[
        function("main", &[decide(&[2, 1]), jump(2).call("f"), end()]),
        function("f", &[decide(&[1, 1]).call("g"), end()]),
        function("g", &[decide(&[2, 1]), jump(2), end()]),
    ]);
    assert_eq!(towards(&program, 4), [(1, 0)], "the end of f");
    assert_eq!(towards(&program, 6), [(5, 0), (1, 1)], "in g");
}

#[test]
fn the_nearest_branches_make_a_block_certain() {
    for seed in 0..200 {
        let program = random_program(&mut Rng::with_seed(seed));
        let after = PostDominators::new(&program);
        let guards = Guards::new(&program, &CallGraph::new(&program));
        for block in blocks(&program) {
            let mut expected = BTreeSet::new();
            for (_, site) in program.sites().filter(|(_, site)| site.kind != SiteKind::Select) {
                for (branch, side) in site.branches().zip(&site.sides) {
                    let is_certain = after.post_dominates(block, side.successor);
                    let is_decided = block == site.block || !after.post_dominates(block, site.block);
                    if is_certain && is_decided {
                        expected.insert(branch);
                    }
                }
            }
            let nearest = guards.towards(block, usize::MAX).into_iter().filter(|(_, left)| *left == 0);
            let nearest: BTreeSet<BranchId> = nearest.map(|(branch, _)| branch).collect();
            // What every execution of its function executes has branches before the calls as well.
            let entry = program.function(program.block(block).function).blocks.start;
            let is_conditional = !after.post_dominates(block, BlockId(entry));
            assert!(nearest.is_superset(&expected), "block {block:?} of program {seed}");
            assert!(!is_conditional || nearest == expected, "block {block:?} of program {seed}");
        }
    }
}
