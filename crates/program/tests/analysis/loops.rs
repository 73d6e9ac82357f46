//! Loops, by example and compared with their definition.

use crate::naive::{blocks, blocks_reached, entry, random_program};
use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_program::{BlockId, BranchId, LoopSide, Loops, Program};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn loops_are_nested_and_have_sides() {
    // A while loop (header 1) around a do-while loop (header and latch 2) with a return from its middle.
    let program = build(&[function(
        "main",
        &[jump(1), decide(&[5, 2]), decide(&[3, 5]), decide(&[4, 2]), jump(1), end()],
    )]);
    let loops = Loops::new(&program);
    let depths: Vec<_> = blocks(&program).map(|block| loops.depth(block)).collect();
    assert_eq!(depths, [0, 1, 2, 2, 1, 0]);
    assert_eq!(loops.header(BlockId(3)), Some(BlockId(2)));
    assert_eq!(loops.header(BlockId(4)), Some(BlockId(1)));
    use LoopSide::{Leaves, Stays};
    let sides: Vec<_> = (0..6).map(|branch| loops.side(BranchId(branch))).collect();
    assert_eq!(sides, [Leaves, Stays, Stays, Leaves, Leaves, Stays].map(Some));
}

#[test]
fn a_cycle_with_two_entries_is_no_loop() {
    let program = build(&[function("main", &[decide(&[1, 2]), jump(2), jump(1)])]);
    let loops = Loops::new(&program);
    assert!(blocks(&program).all(|block| loops.depth(block) == 0 && loops.header(block).is_none()));
    assert_eq!(loops.side(BranchId(0)), None);
}

#[test]
fn loops_agree_with_their_definition() {
    let mut rng = Rng::with_seed(3);
    for _ in 0..300 {
        let program = random_program(&mut rng);
        let loops = Loops::new(&program);
        let bodies = bodies(&program);
        for block in blocks(&program) {
            let around: Vec<_> = bodies.iter().filter(|(_, body)| body.contains(&block)).collect();
            assert_eq!(loops.depth(block) as usize, around.len(), "{block:?} {program:?}");
            let innermost = around.iter().min_by_key(|(_, body)| body.len()).map(|(header, _)| **header);
            assert_eq!(loops.header(block), innermost, "{block:?} {program:?}");
        }
        for (_, site) in program.sites() {
            let body = loops.header(site.block).map(|header| &bodies[&header]);
            let stays = |successor| body.is_none_or(|body| body.contains(successor));
            let leaves = site.sides.iter().any(|side| !stays(&side.successor));
            for (branch, side) in site.branches().zip(&site.sides) {
                let meant = if stays(&side.successor) { LoopSide::Stays } else { LoopSide::Leaves };
                assert_eq!(loops.side(branch), leaves.then_some(meant), "{branch:?} {program:?}");
            }
        }
    }
}

/// Returns the blocks of each header's loop.
fn bodies(program: &Program) -> BTreeMap<BlockId, BTreeSet<BlockId>> {
    let mut bodies: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
    for (id, _) in program.functions() {
        let entry = [entry(program, id)];
        let alive = blocks_reached(program, &entry, None);
        for latch in &alive {
            for header in &program.block(*latch).successors {
                if header != latch && blocks_reached(program, &entry, Some(*header)).contains(latch) {
                    continue;
                }
                let inside = |block: &BlockId| {
                    block == header || blocks_reached(program, &[*block], Some(*header)).contains(latch)
                };
                bodies.entry(*header).or_default().extend(alive.iter().filter(|block| inside(block)));
            }
        }
    }
    bodies
}
