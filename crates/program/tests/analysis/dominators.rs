//! Dominance between branches, by example and compared with its definition.

use crate::naive::{Position, entry, random_program, reached, steps};
use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_program::{BranchId, CallGraph, Dominators, Program};
use fastrand::Rng;

fn dominating(program: &Program, branch: u32) -> Vec<u32> {
    let dominators = Dominators::new(program, &CallGraph::new(program));
    (0..program.branch_count()).filter(|&a| dominators.dominates(BranchId(a), BranchId(branch))).collect()
}

#[test]
fn a_callee_is_dominated_by_what_all_its_callers_have_taken() {
    let twice = decide(&[1, 2]);
    let once = build(&[
        function("main", &[decide(&[1, 2]), end().call("f"), end()]),
        function("f", &[decide(&[1, 1]), end()]),
    ]);
    assert_eq!(dominating(&once, 2), [0, 2], "only side 0 of main's branch leads to the call");
    let both = build(&[
        function("main", &[twice, end().call("f"), end().call("f")]),
        function("f", &[decide(&[1, 1]), end()]),
    ]);
    assert_eq!(dominating(&both, 2), [2]);
    let by_pointer = build(&[
        function("main", &[decide(&[1, 2]), end().call_pointer(7), end()]),
        function("f", &[decide(&[1, 1]), end()]).pointed_at(7),
    ]);
    assert_eq!(dominating(&by_pointer, 2), [2], "who has its address may call it at any time");
}

#[test]
fn sides_that_meet_again_dominate_nothing() {
    let program = build(&[function("main", &[jump(1).selects(1), decide(&[2, 2]), decide(&[3, 3]), end()])]);
    for branch in 0..6 {
        assert_eq!(dominating(&program, branch), [branch]);
    }
}

#[test]
fn a_loop_condition_dominates_the_next_one_and_dead_code_nothing() {
    let program = build(&[
        function("main", &[decide(&[2, 1]), decide(&[0, 0]), decide(&[3, 3]), end()]),
        function("dead", &[end(), decide(&[2, 2]), end()]),
    ]);
    assert_eq!(dominating(&program, 2), [1, 2], "the body is behind the staying side");
    assert_eq!(dominating(&program, 4), [0, 4], "the code after the loop is behind the leaving side");
    assert_eq!(dominating(&program, 6), [6]);
}

#[test]
fn dominance_is_being_on_every_path() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..300 {
        let program = random_program(&mut rng);
        let calls = CallGraph::new(&program);
        let dominators = Dominators::new(&program, &calls);
        let (edges, begins) = (steps(&program, &calls), entries(&program));
        let anyhow = reached(&edges, &begins, None);
        for a in (0..program.branch_count()).map(BranchId) {
            let without = reached(&edges, &begins, Some(Position::On(a)));
            for b in (0..program.branch_count()).map(BranchId) {
                let on_every_path = anyhow.contains(&Position::On(b)) && !without.contains(&Position::On(b));
                assert_eq!(dominators.dominates(a, b), on_every_path || a == b, "{a:?} {b:?} {program:?}");
            }
        }
    }
}

fn entries(program: &Program) -> Vec<Position> {
    let called =
        |id| program.functions().any(|(caller, _)| caller != id && program.callees(caller).contains(&id));
    let begins = program.functions().filter(|(id, f)| f.address_taken || &*f.name == "main" || !called(*id));
    begins.map(|(id, _)| Position::In(entry(program, id), 0)).collect()
}
