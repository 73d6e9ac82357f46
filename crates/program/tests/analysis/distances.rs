//! Distances to uncovered branches, by example and against their definition.

use crate::naive::{Edges, Place, random_program, steps};
use cairn_program::testing::plan::{build, decide, end, function, jump, pointed_at};
use cairn_program::{BranchId, CallGraph, Distances, FunctionId, Program, Weight};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

fn distances(program: &Program, weight: Weight) -> Distances {
    Distances::new(program, &CallGraph::new(program), weight)
}

fn all(distances: &Distances, program: &Program) -> Vec<Option<u32>> {
    (0..program.branch_count()).map(|branch| distances.of(BranchId(branch))).collect()
}

fn cover(distances: &mut Distances, branches: &[u32]) {
    distances.cover(&branches.iter().copied().map(BranchId).collect::<Vec<_>>());
}

#[test]
fn the_nearest_uncovered_branch_is_counted_in_branches_or_in_instructions() {
    // main: if (0|1) { if (2|3) } else f(), which has a loop (4|5) of ten instructions.
    let program = build(&[
        function("main", &[decide(&[1, 2]), decide(&[3, 3]).instructions(5), jump(3).call("f"), end()]),
        function("f", &[decide(&[1, 2]).instructions(10), jump(0), end()]),
    ]);
    let mut branches = distances(&program, Weight::Branches);
    let mut instructions = distances(&program, Weight::Instructions);
    assert_eq!(all(&branches, &program), [Some(0); 6]);
    for distances in [&mut branches, &mut instructions] {
        cover(distances, &[0, 1, 2, 4]);
    }
    assert_eq!(all(&branches, &program), [Some(1), Some(1), None, Some(0), Some(1), Some(0)]);
    assert_eq!(all(&instructions, &program), [Some(5), Some(11), None, Some(0), Some(11), Some(0)]);
    cover(&mut branches, &[3, 3, 5]);
    assert_eq!(all(&branches, &program), [None; 6]);
}

#[test]
fn selects_lie_on_the_way() {
    let program = build(&[function("main", &[decide(&[1, 2]), decide(&[2, 2]).selects(2), end()])]);
    let mut distances = distances(&program, Weight::Branches);
    cover(&mut distances, &[0, 1, 2, 3, 4, 5, 6]);
    let expected = [Some(3), None, Some(2), Some(2), Some(1), Some(1), None, Some(0)];
    assert_eq!(all(&distances, &program), expected);
}

#[test]
fn code_that_is_not_the_users_is_passed_but_no_aim() {
    let mut function = function("main", &[decide(&[1, 1]), end()]);
    function.0.uncounted = true;
    assert_eq!(distances(&build(&[function]), Weight::Branches).of(BranchId(0)), None);
}

#[test]
fn the_next_branches_on_short_ways_are_told() {
    // A switch (0..3) whose sides lead to a branch (3|4), to an endless loop, and to f with a branch (5|6).
    let program = build(&[
        function("main", &[decide(&[1, 2, 3]), decide(&[0, 3]), jump(2), end().call("f")]),
        function("f", &[decide(&[1, 1]), end()]),
    ]);
    let mut distances = distances(&program, Weight::Branches);
    cover(&mut distances, &[0, 1, 2, 3, 4, 5]);
    let towards = |branch, within| {
        let found = distances.towards(BranchId(branch), within);
        found.into_iter().map(|(branch, distance)| (branch.0, distance)).collect::<Vec<_>>()
    };
    assert_eq!(distances.of(BranchId(0)), Some(2));
    assert_eq!(towards(0, 1), []);
    assert_eq!(towards(0, 2), [(4, 1)]);
    assert_eq!(towards(0, 3), [(3, 2), (4, 1)]);
    assert_eq!(towards(4, 9), [(6, 0)]);
    assert_eq!(towards(1, 9), []);
}

#[test]
fn a_pointer_leads_to_functions_of_its_type_and_to_those_seen() {
    let program = build(&[
        function("main", &[decide(&[1, 1]), end().call_pointer(7)]),
        pointed_at("f", 7, &[decide(&[1, 1]), end()]),
        pointed_at("g", 8, &[decide(&[1, 1]), end()]),
    ]);
    let (mut calls, f, g) = (CallGraph::new(&program), FunctionId(1), FunctionId(2));
    let call = program.calls().next().unwrap();
    assert_eq!(calls.targets(call), [f]);
    assert!(!calls.observe(7, f));
    assert!(calls.observe(7, g));
    assert!(!calls.observe(7, g));
    assert_eq!(calls.targets(call), [f, g]);
    let mut distances = Distances::new(&program, &calls, Weight::Branches);
    cover(&mut distances, &[0, 1, 2, 3]);
    assert_eq!(distances.of(BranchId(0)), Some(1));
}

#[test]
fn covering_step_by_step_agrees_with_the_definition() {
    let mut rng = Rng::with_seed(2);
    for round in 0..200 {
        let program = random_program(&mut rng);
        let weight = if round % 2 == 0 { Weight::Branches } else { Weight::Instructions };
        let calls = CallGraph::new(&program);
        let edges = steps(&program, &calls);
        let mut distances = Distances::new(&program, &calls, weight);
        let mut uncovered: Vec<_> = (0..program.branch_count()).map(BranchId).collect();
        rng.shuffle(&mut uncovered);
        loop {
            let expected = by_definition(&program, &edges, weight, &uncovered);
            for branch in (0..program.branch_count()).map(BranchId) {
                assert_eq!(distances.of(branch), expected.get(&Place::On(branch)).copied(), "{program:?}");
                check_towards(&distances, &edges, &expected, weight, branch);
            }
            if uncovered.is_empty() {
                break;
            }
            let some = uncovered.split_off(uncovered.len().saturating_sub(rng.usize(1..3)));
            distances.cover(&some);
        }
    }
}

fn weight_of(program: &Program, weight: Weight, place: Place) -> u32 {
    match (weight, place) {
        (Weight::Branches, Place::On(_)) => 1,
        (Weight::Instructions, Place::In(block, 0)) => program.block(block).instructions,
        _ => 0,
    }
}

/// Lowers distances until none can be lowered any more.
fn by_definition(
    program: &Program,
    edges: &Edges,
    weight: Weight,
    uncovered: &[BranchId],
) -> BTreeMap<Place, u32> {
    let mut known: BTreeMap<_, _> = uncovered.iter().map(|branch| (Place::On(*branch), 0)).collect();
    loop {
        let before = known.clone();
        for (from, to) in edges {
            let ways = to.iter().filter_map(|to| Some(known.get(to)? + weight_of(program, weight, *to)));
            if let Some(way) = ways.min() {
                known.entry(*from).and_modify(|d| *d = way.min(*d)).or_insert(way);
            }
        }
        if known == before {
            return known;
        }
    }
}

/// In branches a step always weighs one: the next branches are all those met first whose distance leaves room for it.
fn check_towards(
    distances: &Distances,
    edges: &Edges,
    expected: &BTreeMap<Place, u32>,
    weight: Weight,
    branch: BranchId,
) {
    if weight != Weight::Branches {
        return;
    }
    let mut met = BTreeSet::new();
    let mut open: Vec<_> = edges[&Place::On(branch)].iter().copied().collect();
    while let Some(place) = open.pop() {
        if met.insert(place) && matches!(place, Place::In(..)) {
            open.extend(&edges[&place]);
        }
    }
    for within in 0..5 {
        let first = met.iter().filter_map(|place| match place {
            Place::On(next) => Some((*next, *expected.get(place)?)),
            Place::In(..) => None,
        });
        let first: Vec<_> = first.filter(|(_, distance)| *distance < within).collect();
        assert_eq!(distances.towards(branch, within), first);
    }
}
