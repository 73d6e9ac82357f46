//! Post-dominance and control dependence, by example and compared with their definitions.

use crate::naive::{blocks, blocks_reached, random_program};
use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_program::{
    BlockId, BranchId, CallGraph, Callees, ControlDependence, FunctionId, PostDominators, Program, SiteKind,
};
use fastrand::Rng;
use std::collections::BTreeSet;

fn statements(program: &Program) -> Vec<u64> {
    let dependence = ControlDependence::new(program, &CallGraph::new(program));
    (0..program.branch_count()).map(|branch| dependence.statements(BranchId(branch))).collect()
}

#[test]
fn unconditional_code_does_not_depend() {
    // if (0|1) { ten; if (2|3) hundred } thousand
    let program = build(&[function(
        "main",
        &[
            decide(&[3, 1]),
            decide(&[3, 2]).instructions(10),
            jump(3).instructions(100),
            end().instructions(1000),
        ],
    )]);
    assert_eq!(statements(&program), [0, 110, 0, 100]);
}

#[test]
fn callees_are_counted_once_and_whole() {
    let program = build(&[
        function("main", &[decide(&[1, 2]), jump(2).call("f").call("f").call("g"), end()]),
        function("f", &[decide(&[1, 2]).instructions(10), end().call("g"), end().call("f")]),
        function("g", &[end().instructions(100)]),
    ]);
    assert_eq!(statements(&program)[..2], [1 + 12 + 100, 0]);
    assert_eq!(statements(&program)[2..], [101, 112], "the second side calls all of f once more");
    let callees = Callees::new(&program, &CallGraph::new(&program));
    let may_call = |caller| [0, 1, 2].map(|callee| callees.may_call(FunctionId(caller), FunctionId(callee)));
    let expected = [[true, true, true], [false, true, true], [false, false, true]];
    assert_eq!([0, 1, 2].map(may_call), expected);
}

#[test]
fn a_loop_depends_on_the_side_that_stays() {
    let while_loop = build(&[function("main", &[decide(&[2, 1]).instructions(10), jump(0), end()])]);
    assert_eq!(statements(&while_loop), [0, 11]);
    let endless = build(&[function("main", &[decide(&[1, 3]), jump(2), jump(1), end().instructions(5)])]);
    assert_eq!(statements(&endless), [2, 5], "both blocks of the loop without an exit");
}

#[test]
fn dependence_agrees_with_its_definition() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..300 {
        let program = random_program(&mut rng);
        let calls = CallGraph::new(&program);
        let (after, dependence) = (PostDominators::new(&program), ControlDependence::new(&program, &calls));
        let later = |a, b| post_dominates(&program, a, b);
        for a in blocks(&program) {
            for b in blocks(&program) {
                assert_eq!(after.post_dominates(a, b), later(a, b), "{a:?} {b:?} {program:?}");
            }
        }
        for (_, site) in program.sites() {
            for (branch, side) in site.branches().zip(&site.sides) {
                let own = site.kind != SiteKind::Select;
                let first = if own { dependents(&program, site.block, side.successor) } else { vec![] };
                let all = closure(&program, &calls, first);
                let sum: u64 = all.iter().map(|block| u64::from(program.block(*block).instructions)).sum();
                assert_eq!(dependence.statements(branch), sum, "{branch:?} {program:?}");
            }
        }
    }
}

/// True if a function may end after a block: nothing follows it, or it is the last of an endless loop.
fn is_end(program: &Program, block: BlockId) -> bool {
    let follow = blocks_reached(program, &[block], None);
    follow.iter().all(|next| *next <= block && blocks_reached(program, &[*next], None).contains(&block))
}

fn post_dominates(program: &Program, a: BlockId, b: BlockId) -> bool {
    !blocks_reached(program, &[b], Some(a)).iter().any(|block| is_end(program, *block))
}

fn dependents(program: &Program, from: BlockId, to: BlockId) -> Vec<BlockId> {
    let anyway = |block| block != from && post_dominates(program, block, from);
    blocks(program).filter(|block| post_dominates(program, *block, to) && !anyway(*block)).collect()
}

fn closure(program: &Program, calls: &CallGraph, first: Vec<BlockId>) -> BTreeSet<BlockId> {
    let mut met = BTreeSet::new();
    let mut open = first;
    while let Some(id) = open.pop() {
        if met.insert(id) {
            let block = program.block(id);
            open.extend(block.successors.iter().flat_map(|to| dependents(program, id, *to)));
            let callees = block.calls.iter().flat_map(|call| calls.targets(call));
            open.extend(callees.flat_map(|callee| all_of(program, *callee)));
        }
    }
    met
}

fn all_of(program: &Program, function: FunctionId) -> impl Iterator<Item = BlockId> + use<> {
    program.function(function).blocks.clone().map(BlockId)
}
