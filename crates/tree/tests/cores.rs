//! Core conditions of decisions, and which of them are equal.

use cairn_expr::{CmpOp, Dag, ExprId, InputByte};
use cairn_program::testing::Sketch;
use cairn_program::{Program, SiteId};
use cairn_tree::{CoreId, Flip, Step, StepKind, Tree};

fn byte(dag: &mut Dag, offset: u32) -> ExprId {
    dag.input(InputByte { object: 0, offset })
}

fn equal(dag: &mut Dag, value: ExprId, constant: u128) -> ExprId {
    let constant = dag.constant(dag.width(value), constant);
    dag.compare(CmpOp::Eq, value, constant)
}

/// Returns a program with a branch, a switch and a concretization.
fn program() -> (Program, [SiteId; 3]) {
    let mut sketch = Sketch::new();
    let sites = [sketch.branch(), sketch.switch(32, &[&[7], &[1, 2], &[9]]), sketch.concretization()];
    (sketch.build(), sites)
}

/// Returns the core conditions of all sides of single decisions.
fn cores(dag: &Dag, program: &Program, steps: &[Step]) -> Vec<Vec<Option<CoreId>>> {
    let mut tree = Tree::new(program);
    let nodes: Vec<_> = steps.iter().map(|step| tree.add_run(&[*step]).nodes[0]).collect();
    tree.find_cores(dag, program);
    let of = |node| (0..tree.node(node).sides).map(move |side| Flip { node, side });
    nodes.into_iter().map(|node| of(node).map(|side| tree.core(side)).collect()).collect()
}

#[test]
fn equalities_with_constants_are_core_conditions_in_whatever_form() {
    let (program, [branch, switch, concretization]) = program();
    let mut dag = Dag::new();
    let (x, y) = (byte(&mut dag, 0), byte(&mut dag, 1));
    let wide = dag.zext(x, 32);
    let is_7 = equal(&mut dag, x, 7);
    let is_not_7 = dag.not(is_7);
    let at = |kind, site, value, concrete| Step { kind, site, side: 0, value, concrete };
    let less = {
        let limit = dag.constant(8, 7);
        dag.compare(CmpOp::Ult, x, limit)
    };
    let same = dag.compare(CmpOp::Eq, x, y);
    let found = cores(
        &dag,
        &program,
        &[
            at(StepKind::Branch, branch, is_7, 0),
            at(StepKind::Branch, branch, is_not_7, 0),
            at(StepKind::Branch, switch, wide, 7),
            at(StepKind::Concretization, concretization, wide, 7),
            at(StepKind::Constraint, concretization, is_7, 1),
            at(StepKind::Branch, branch, less, 0),
            at(StepKind::Branch, branch, same, 0),
        ],
    );
    let seven = found[0][1];
    assert!(seven.is_some());
    assert_eq!(found[0], [None, seven]);
    assert_eq!(found[1], [seven, None]);
    assert_eq!(found[2][0], seven);
    assert!(found[2][1].is_some() && found[2][2].is_some() && found[2][3].is_none());
    assert!(found[2][1] != found[2][2] && !found[2][1..].contains(&seven));
    assert_eq!(found[3], [seven, None]);
    assert_eq!(found[4], [seven]);
    assert_eq!(found[5..], [[None, None], [None, None]]);
}

#[test]
fn conjunctions_and_disjunctions_are_core_conditions_unless_they_are_mixed() {
    let (program, [branch, switch, _]) = program();
    let mut dag = Dag::new();
    let [x, y, z] = [0, 1, 2].map(|offset| byte(&mut dag, offset));
    let pair = dag.concat(x, y);
    let [a, b, c] = [(x, 1), (pair, 700), (z, 3)].map(|(value, n)| equal(&mut dag, value, n));
    let [not_a, not_b] = [a, b].map(|e| dag.not(e));
    let (both, either) = (dag.and(a, b), dag.or(a, b));
    let (neither, not_both) = (dag.and(not_a, not_b), dag.or(not_a, not_b));
    let swapped = dag.and(b, a);
    let mixed = dag.or(both, c);
    let one_or_two = {
        let two = equal(&mut dag, x, 2);
        dag.or(two, a)
    };
    let values = [both, either, neither, not_both, swapped, mixed, one_or_two];
    let step = |site, value| Step { kind: StepKind::Branch, site, side: 0, value, concrete: 0 };
    let wide = dag.zext(x, 32);
    let steps: Vec<_> = values.iter().map(|value| step(branch, *value)).chain([step(switch, wide)]).collect();
    let found = cores(&dag, &program, &steps);
    let (all, any) = (found[0][1], found[1][1]);
    assert!(all.is_some() && any.is_some() && all != any);
    assert_eq!(found[..2], [[None, all], [None, any]]);
    assert_eq!(found[2..5], [[any, None], [all, None], [None, all]]);
    assert_eq!(found[5], [None, None]);
    assert_eq!(found[6][1], found[7][1], "a case with two values is a disjunction");
    assert!(found[6][1].is_some());
}
