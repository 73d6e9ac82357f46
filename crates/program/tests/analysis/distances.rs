//! Distances to uncovered branches, by example and compared with their definition.

use crate::naive::{Edges, Position, random_program, returns, steps, steps_within};
use cairn_program::testing::plan::{build, decide, end, function, jump};
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
fn selects_are_on_the_path() {
    let program = build(&[function("main", &[decide(&[1, 2]), decide(&[2, 2]).selects(2), end()])]);
    let mut distances = distances(&program, Weight::Branches);
    cover(&mut distances, &[0, 1, 2, 3, 4, 5, 6]);
    let expected = [Some(3), None, Some(2), Some(2), Some(1), Some(1), None, Some(0)];
    assert_eq!(all(&distances, &program), expected);
}

#[test]
fn code_outside_user_code_is_traversed_but_no_target() {
    let program = build(&[function("main", &[decide(&[1, 1]), end()]).uncounted()]);
    assert_eq!(distances(&program, Weight::Branches).of(BranchId(0)), None);
}

#[test]
fn the_next_branches_on_short_paths_are_returned() {
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
        function("f", &[decide(&[1, 1]), end()]).pointed_at(7),
        function("g", &[decide(&[1, 1]), end()]).pointed_at(8),
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
fn paths_return_to_callers_only_on_request_and_never_through_a_call() {
    // f (0|1) is called by g, which then branches (2|3), and by h, which does not, but calls k (4|5) before.
    let program = build(&[
        function("f", &[decide(&[1, 1]), end()]),
        function("g", &[jump(1).call("f"), decide(&[2, 2]), end()]),
        function("h", &[jump(1).call("k"), end().call("f")]),
        function("k", &[decide(&[1, 1]), end()]),
    ]);
    let calls = CallGraph::new(&program);
    let mut distances = Distances::with_returns(&program, &calls, Weight::Branches);
    cover(&mut distances, &[0, 1, 4, 5]);
    assert_eq!(distances.of(BranchId(0)), Some(1), "back in g");
    assert_eq!(distances.of(BranchId(4)), None, "k returns to h, whose call of f does not return to g");
    assert_eq!(distances.towards(BranchId(0), 1), [(BranchId(2), 0), (BranchId(3), 0)]);
    cover(&mut distances, &[2, 3]);
    assert_eq!(all(&distances, &program), [None; 6]);
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
        let mut returning = Distances::with_returns(&program, &calls, weight);
        let (within, returns) = (steps_within(&program), returns(&program, &calls));
        let mut uncovered: Vec<_> = (0..program.branch_count()).map(BranchId).collect();
        rng.shuffle(&mut uncovered);
        loop {
            let known = uncovered.iter().map(|branch| (Position::On(*branch), 0)).collect();
            let expected = lowered(&program, &[&edges], weight, known);
            let after_returns = lowered(&program, &[&within, &returns], weight, expected.clone());
            for branch in (0..program.branch_count()).map(BranchId) {
                assert_eq!(distances.of(branch), expected.get(&Position::On(branch)).copied(), "{program:?}");
                assert_eq!(
                    returning.of(branch),
                    after_returns.get(&Position::On(branch)).copied(),
                    "{program:?}"
                );
                check_towards(&distances, &edges, &expected, weight, branch);
            }
            if uncovered.is_empty() {
                break;
            }
            let some = uncovered.split_off(uncovered.len().saturating_sub(rng.usize(1..3)));
            distances.cover(&some);
            returning.cover(&some);
        }
    }
}

fn weight_of(program: &Program, weight: Weight, position: Position) -> u32 {
    match (weight, position) {
        (Weight::Branches, Position::On(_)) => 1,
        (Weight::Instructions, Position::In(block, 0)) => program.block(block).instructions,
        _ => 0,
    }
}

/// Lowers distances until none can be lowered any more.
fn lowered(
    program: &Program,
    graphs: &[&Edges],
    weight: Weight,
    mut known: BTreeMap<Position, u32>,
) -> BTreeMap<Position, u32> {
    loop {
        let before = known.clone();
        for (from, to) in graphs.iter().copied().flatten() {
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

/// In branches a step always costs one: the next branches are all those reached first whose distance is small
/// enough.
fn check_towards(
    distances: &Distances,
    edges: &Edges,
    expected: &BTreeMap<Position, u32>,
    weight: Weight,
    branch: BranchId,
) {
    if weight != Weight::Branches {
        return;
    }
    let mut met = BTreeSet::new();
    let mut open: Vec<_> = edges[&Position::On(branch)].iter().copied().collect();
    while let Some(place) = open.pop() {
        if met.insert(place) && matches!(place, Position::In(..)) {
            open.extend(&edges[&place]);
        }
    }
    for within in 0..5 {
        let first = met.iter().filter_map(|place| match place {
            Position::On(next) => Some((*next, *expected.get(place)?)),
            Position::In(..) => None,
        });
        let first: Vec<_> = first.filter(|(_, distance)| *distance < within).collect();
        assert_eq!(distances.towards(branch, within), first);
    }
}
