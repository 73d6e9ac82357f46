//! Side conditions, compared with the side the program takes for each value.

use cairn_expr::{Assignment, Dag, Evaluator, ExprId, InputByte};
use cairn_program::testing::Sketch;
use cairn_program::{Program, SiteId};
use cairn_tree::{Step, StepKind, Tree, concretization_condition, side_condition};
use cairn_wire::meta::Side;

struct Bytes(Vec<u8>);

impl Assignment for Bytes {
    fn byte(&self, at: InputByte) -> u8 {
        self.0.get(at.offset as usize).copied().unwrap_or(0)
    }
}

fn byte(dag: &mut Dag, offset: u32) -> ExprId {
    dag.input(InputByte { object: 0, offset })
}

/// Checks, for all 256 bytes, that exactly the condition of the side taken holds.
fn check_switch(program: &Program) {
    let mut dag = Dag::new();
    let value = byte(&mut dag, 0);
    let site = program.site(SiteId(0));
    let sides = 0..site.sides.len() as u32;
    let conditions: Vec<_> =
        sides.map(|side| side_condition(&mut dag, program, SiteId(0), value, side)).collect();
    let mut evaluator = Evaluator::new();
    for byte in 0..=255 {
        let holds = |c: &ExprId| evaluator.eval(&dag, *c, &Bytes(vec![byte])) == 1;
        let holding: Vec<_> = conditions.iter().map(holds).collect();
        let expected: Vec<_> = (0..holding.len()).map(|i| i as u32 == site.side_of(byte.into())).collect();
        assert_eq!(holding, expected, "byte {byte}");
    }
}

fn switch(cases: &[&[u64]]) -> Sketch {
    let mut sketch = Sketch::new();
    sketch.switch(8, cases);
    sketch
}

#[test]
fn switch_conditions_match_the_switch() {
    check_switch(&switch(&[]).build());
    check_switch(&switch(&[&[0]]).build());
    check_switch(&switch(&[&[7, 3, 4, 5, 200], &[255], &[0, 1]]).build());
    let digits: Vec<u64> = (48..58).collect();
    let even: Vec<u64> = (0..256).filter(|value| value % 2 == 0 && !digits.contains(value)).collect();
    check_switch(&switch(&[&digits, &even]).build());
    check_switch(&switch(&[&(0..=255).collect::<Vec<_>>()]).build());
}

#[test]
fn a_default_may_list_values_itself() {
    let mut unit = switch(&[&[1]]).unit();
    unit.sites[0].sides[1] = Side { values: vec![9], ..unit.sites[0].sides[1].clone() };
    check_switch(&Program::from_units(vec![unit]).unwrap());
}

#[test]
fn a_path_condition_holds_exactly_for_inputs_of_the_path() {
    let mut sketch = Sketch::new();
    let (branch, switch, concretization) =
        (sketch.branch(), sketch.switch(8, &[&[3, 4]]), sketch.concretization());
    let program = sketch.build();
    let mut dag = Dag::new();
    let (x, y) = (byte(&mut dag, 0), byte(&mut dag, 1));
    let odd = dag.extract(x, 0, 1);
    let step = |kind, site, value, side, concrete| Step { kind, site, side, value, concrete };
    let path = [
        step(StepKind::Branch, branch, odd, 0, 0),
        step(StepKind::Branch, branch, odd, 0, 0),
        step(StepKind::Concretization, concretization, y, 0, 9),
        step(StepKind::Branch, switch, x, 0, 4),
        step(StepKind::Branch, branch, odd, 0, 0),
    ];
    let mut tree = Tree::new(&program);
    let run = tree.add_run(&path);
    let conditions = tree.path_condition(&mut dag, &program, run.nodes[4]);
    assert_eq!(conditions.len(), 3, "a condition that repeats is left out");
    let mut evaluator = Evaluator::new();
    for (x, y) in (0..=255).flat_map(|x| [8, 9].map(|y| (x, y))) {
        let holds = conditions.iter().all(|c| evaluator.eval(&dag, *c, &Bytes(vec![x, y])) == 1);
        assert_eq!(holds, x == 4 && y == 9, "x = {x}, y = {y}");
    }
    let taken = tree.condition(&mut dag, &program, run.nodes[0], 1);
    assert_eq!(taken, odd);
}

#[test]
fn the_path_to_a_constant_excludes_the_earlier_ones() {
    let mut sketch = Sketch::new();
    let concretization = sketch.concretization();
    let program = sketch.build();
    let mut dag = Dag::new();
    let value = byte(&mut dag, 0);
    let mut tree = Tree::new(&program);
    let runs = [3, 200].map(|concrete| {
        tree.add_run(&[Step {
            kind: StepKind::Concretization,
            site: concretization,
            side: 0,
            value,
            concrete,
        }])
    });
    let last = runs[1].nodes[1];
    let mut third = tree.path_condition(&mut dag, &program, last);
    third.push(tree.condition(&mut dag, &program, last, 1));
    let mut evaluator = Evaluator::new();
    for byte in 0..=255 {
        let holds = third.iter().all(|c| evaluator.eval(&dag, *c, &Bytes(vec![byte])) == 1);
        assert_eq!(holds, byte != 3 && byte != 200, "{byte}");
    }
}

#[test]
fn a_wide_concretization_fixes_the_recorded_bits() {
    let mut dag = Dag::new();
    let low = byte(&mut dag, 0);
    let wide = dag.zext(low, 128);
    let condition = concretization_condition(&mut dag, wide, 200);
    let mut evaluator = Evaluator::new();
    assert_eq!(evaluator.eval(&dag, condition, &Bytes(vec![200])), 1);
    assert_eq!(evaluator.eval(&dag, condition, &Bytes(vec![201])), 0);
}
