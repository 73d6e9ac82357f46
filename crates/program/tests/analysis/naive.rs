//! Naive versions of the analyses, computed from their definitions on a separate graph: slow, and simple
//! enough to be evidently right.

use cairn_program::testing::plan::{Plan, build, decide, end, function, jump};
use cairn_program::{BlockId, BranchId, CallGraph, FunctionId, Program, Site, SiteKind};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// A position of a run: in a block after some of its selects, or on a side of a site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Position {
    In(BlockId, usize),
    On(BranchId),
}

pub type Edges = BTreeMap<Position, BTreeSet<Position>>;

/// Returns all steps a run can make, into callees but not back.
pub fn steps(program: &Program, calls: &CallGraph) -> Edges {
    let mut edges = steps_within(program);
    for (id, block) in blocks(program).zip(program.blocks()) {
        let callees = block.calls.iter().flat_map(|call| calls.targets(call));
        let entries = callees.map(|callee| Position::In(entry(program, *callee), 0));
        edges.get_mut(&end_of(program, id)).unwrap().extend(entries);
    }
    edges
}

/// Returns the steps from the ends of functions to after their calls.
pub fn returns(program: &Program, calls: &CallGraph) -> Edges {
    let mut edges = Edges::new();
    for (id, block) in blocks(program).zip(program.blocks()) {
        for callee in block.calls.iter().flat_map(|call| calls.targets(call)) {
            let of_callee = program.function(*callee).blocks.clone().map(BlockId);
            for last in of_callee.filter(|block| program.block(*block).successors.is_empty()) {
                edges.entry(end_of(program, last)).or_default().insert(end_of(program, id));
            }
        }
    }
    edges
}

fn selects(program: &Program, block: BlockId) -> Vec<&Site> {
    let all = program.sites().map(|(_, site)| site);
    all.filter(|site| site.kind == SiteKind::Select && site.block == block).collect()
}

fn end_of(program: &Program, block: BlockId) -> Position {
    Position::In(block, selects(program, block).len())
}

/// Returns the steps within functions.
pub fn steps_within(program: &Program) -> Edges {
    let mut edges = Edges::new();
    for id in blocks(program) {
        let block = program.block(id);
        let selects = selects(program, id);
        for (at, select) in selects.iter().enumerate() {
            for side in select.branches() {
                edges.entry(Position::In(id, at)).or_default().insert(Position::On(side));
                edges.entry(Position::On(side)).or_default().insert(Position::In(id, at + 1));
            }
        }
        let end = edges.entry(Position::In(id, selects.len())).or_default();
        match block.site {
            None => end.extend(block.successors.iter().map(|to| Position::In(*to, 0))),
            Some(site) => {
                let site = program.site(site);
                end.extend(site.branches().map(Position::On));
                for (branch, side) in site.branches().zip(&site.sides) {
                    edges.entry(Position::On(branch)).or_default().insert(Position::In(side.successor, 0));
                }
            }
        }
    }
    edges
}

pub fn entry(program: &Program, function: FunctionId) -> BlockId {
    BlockId(program.function(function).blocks.start)
}

/// Returns all positions that can be reached without visiting one.
pub fn reached(edges: &Edges, from: &[Position], avoid: Option<Position>) -> BTreeSet<Position> {
    let mut met = BTreeSet::new();
    let mut open = from.to_vec();
    while let Some(place) = open.pop() {
        if Some(place) != avoid && met.insert(place) {
            open.extend(&edges[&place]);
        }
    }
    met
}

/// Returns the blocks that can be reached from these by following successors, without visiting one.
pub fn blocks_reached(program: &Program, from: &[BlockId], avoid: Option<BlockId>) -> BTreeSet<BlockId> {
    let mut met = BTreeSet::new();
    let mut open = from.to_vec();
    while let Some(block) = open.pop() {
        if Some(block) != avoid && met.insert(block) {
            open.extend(&program.block(block).successors);
        }
    }
    met
}

/// Returns all blocks.
pub fn blocks(program: &Program) -> impl Iterator<Item = BlockId> + Clone + use<> {
    (0..program.block_count()).map(BlockId)
}

/// Generates a program of a few functions whose blocks are joined at random: with dead code, endless loops,
/// recursion, switches with several sides to one block, selects and pointers.
pub fn random_program(rng: &mut Rng) -> Program {
    let names = ["main", "f", "g", "h"];
    let functions: Vec<_> = names[..rng.usize(1..=names.len())]
        .iter()
        .map(|name| {
            let count = rng.u32(1..=7);
            let blocks: Vec<_> = (0..count).map(|_| random_block(rng, count, &names)).collect();
            match rng.u8(..4) {
                0 => function(name, &blocks).pointed_at(rng.u64(..2)),
                _ => function(name, &blocks),
            }
        })
        .collect();
    build(&functions)
}

fn random_block(rng: &mut Rng, count: u32, names: &[&str]) -> Plan {
    let mut plan = match rng.u8(..8) {
        0 => end(),
        1..=3 => jump(rng.u32(..count)),
        4..=6 => decide(&[rng.u32(..count), rng.u32(..count)]),
        _ => decide(&(0..rng.u32(1..4)).map(|_| rng.u32(..count)).collect::<Vec<_>>()),
    };
    if rng.u8(..5) == 0 {
        plan = plan.call(names[rng.usize(..names.len())]);
    }
    if rng.u8(..8) == 0 {
        plan = plan.call_pointer(rng.u64(..3));
    }
    plan.selects(u32::from(rng.u8(..6) == 0) * rng.u32(1..3)).instructions(rng.u32(..4))
}
