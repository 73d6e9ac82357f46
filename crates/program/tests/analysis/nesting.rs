//! Nesting in conditionals, and next decisions, by example.

use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_program::{BlockId, BranchId, FunctionId, Nesting, Program, Steps};

fn nested(program: &Program) -> Vec<u32> {
    let nesting = Nesting::new(program);
    (0..program.block_count()).filter(|block| nesting.is_nested(BlockId(*block))).collect()
}

#[test]
fn bodies_of_conditionals_are_nested_and_what_follows_an_early_end_is_not() {
    // if (0) { if (1) 2; } 3
    let body = build(&[function("main", &[decide(&[3, 1]), decide(&[3, 2]), jump(3), end()])]);
    assert_eq!(nested(&body), [1, 2]);
    // if (0) return (1, 4); if (2) 3; 4
    let early = build(&[function("main", &[decide(&[2, 1]), jump(4), decide(&[4, 3]), jump(4), end()])]);
    assert_eq!(nested(&early), [1, 3]);
    // if (0) exit (1); if (2) 3; 4
    let exits = build(&[function("main", &[decide(&[2, 1]), end(), decide(&[4, 3]), jump(4), end()])]);
    assert_eq!(nested(&exits), [1, 3]);
}

#[test]
fn the_body_of_a_loop_is_nested_only_with_the_loop() {
    // while (0) { if (1) 2; } 3
    let plain = build(&[function("main", &[decide(&[3, 1]), decide(&[0, 2]), jump(0), end()])]);
    assert_eq!(nested(&plain), [2]);
    // if (0) { while (1) { while (2) if (3) 4; } } 5
    let inside = build(&[function(
        "main",
        &[decide(&[5, 1]), decide(&[5, 2]), decide(&[1, 3]), decide(&[2, 4]), jump(2), end()],
    )]);
    assert_eq!(nested(&inside), [1, 2, 3, 4]);
}

#[test]
fn a_step_leads_through_calls_to_the_next_decisions() {
    let program = build(&[
        function("main", &[decide(&[1, 2]), jump(3).call("plain"), end(), decide(&[2, 2])]),
        function("plain", &[jump(1).call("deep"), end()]),
        function("deep", &[decide(&[1, 1]), end()]),
    ]);
    let steps = Steps::new(&program);
    let next = |branch| {
        let mut next = steps.next(BranchId(branch)).to_vec();
        next.sort_unstable();
        next
    };
    assert_eq!(next(0), [2, 3, 4, 5].map(BranchId), "of main, and of what its callee calls first");
    assert_eq!(steps.calls(BranchId(0)), [FunctionId(1)], "what the function itself calls");
    assert_eq!((next(1), steps.calls(BranchId(1))), (vec![], &[][..]));
}
