//! Static analyses on a real program's own description.

use crate::common::{build_instrumented, cairn, output_of, run, write_source};
use cairn_program::{
    BranchId, Call, CallGraph, Distances, Dominators, FunctionId, LoopSide, Loops, Program, Weight,
};

const MAIN: &str = "
int by_pointer(int x);
int by_name(int x);
int (*volatile pointer)(int) = by_pointer;
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) return pointer(argc);
    return by_name(argc);
}
";

const OTHERS: &str = "
int by_pointer(int x) { if (x == 7) return 1; return 2; }
int by_name(int x) { int n = 0; while (x < 9) x += ++n; return n; }
";

fn build() -> (tempfile::TempDir, Program) {
    let scratch = tempfile::tempdir().unwrap();
    let sources = [("main.c", MAIN), ("others.c", OTHERS)];
    let sources = sources.map(|(name, text)| write_source(scratch.path(), name, text));
    let target = scratch.path().join("target");
    let built = output_of(cairn().arg("cc").args(sources).arg("-o").arg(&target));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let program = Program::read(&target).unwrap();
    (scratch, program)
}

#[test]
fn calls_between_files_are_followed_by_name_and_by_address() {
    let (_scratch, program) = build();
    let find = |name| program.functions().find(|(_, function)| &*function.name == name).unwrap().0;
    let [main, by_pointer, by_name] = ["main", "by_pointer", "by_name"].map(find);
    let calls = CallGraph::new(&program);
    let of_main = program.blocks_of(main).iter().flat_map(|block| &block.calls);
    let targets = |is: fn(&Call) -> bool| -> Vec<FunctionId> {
        of_main.clone().filter(|call| is(call)).flat_map(|call| calls.targets(call)).copied().collect()
    };
    assert_eq!(targets(|call| matches!(call, Call::Indirect(_))), [by_pointer]);
    assert_eq!(targets(|call| matches!(call, Call::Internal(_))), [by_name]);
    assert!(!program.function(by_name).address_taken);

    let branches = |function| -> Vec<BranchId> {
        program
            .sites()
            .filter(|(_, site)| site.function == function)
            .flat_map(|(_, site)| site.branches())
            .collect()
    };
    let (decision, far, near) = (branches(main), branches(by_pointer), branches(by_name));
    let dominators = Dominators::new(&program, &calls);
    assert!(dominators.dominates(decision[0], near[1]), "by_name is called where argc is 1");
    assert!(!dominators.dominates(decision[1], far[0]), "a pointer may be followed from anywhere");
    let loops = Loops::new(&program);
    let mut sides: Vec<_> = near.iter().map(|branch| loops.side(*branch)).collect();
    sides.sort_by_key(|side| *side == Some(LoopSide::Leaves));
    assert_eq!(sides, [Some(LoopSide::Stays), Some(LoopSide::Leaves)]);
    let mut distances = Distances::new(&program, &calls, Weight::Branches);
    distances.cover(&[&decision[..], &near].concat());
    let seen = [decision[0], decision[1], far[0]].map(|branch| distances.of(branch));
    assert_eq!(seen, [None, Some(1), Some(0)]);
}

/// A call that by its type cannot lead to `handler`. Whether the level is 7 there depends on one of the first three bytes,
/// of which any run takes both sides; of the bytes after the call nothing depends.
const CAST: &str = r#"
#include "cairn.h"
static unsigned char text[203];
static const unsigned char wanted[4] = { 0, 'b', 'b', 'b' };
static const int levels[3] = { 0, 7, 0 };
static int level;
volatile int there;
static long handler(long x) { if (level == 7) there = 1; return x; }
static void (*volatile pointer)(void) = (void (*)(void))handler;
int main(void) {
    cairn_symbolic(text, sizeof text, "text");
    for (int i = 0; i < 3; i++)
        if (text[i] == wanted[i]) level = levels[i];
    pointer();
    for (int i = 0; i < 200; i++)
        if (text[3 + i] == wanted[i % 4]) there = 2;
    return 0;
}
"#;

#[test]
fn what_a_cast_pointer_leads_to_is_learnt_from_runs() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("target");
    build_instrumented(&write_source(scratch.path(), "cast.c", CAST), &target);
    let program = Program::read(&target).unwrap();
    let find = |name| program.functions().find(|(_, function)| &*function.name == name).unwrap().0;
    let calls = CallGraph::new(&program);
    let mut of_main = program.blocks_of(find("main")).iter().flat_map(|block| &block.calls);
    let through_pointer = of_main.find(|call| matches!(call, Call::Indirect(_))).unwrap();
    assert!(!calls.targets(through_pointer).contains(&find("handler")));
    for seed in ["1", "2", "3"] {
        let out = scratch.path().join(seed);
        let options = ["run", "-q", "--json", "--strategy", "cfg", "--execs", "20", "--seed", seed, "--out"];
        let result =
            run(options.iter().map(|word| word.as_ref()).chain([out.as_os_str(), target.as_os_str()]));
        let summary: serde_json::Value = serde_json::from_str(&result.stdout).unwrap();
        assert_eq!(summary["branches_covered"], summary["branches_total"], "{summary}");
    }
}
