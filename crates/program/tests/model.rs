//! Units joined to a program: ids, names, sides.

use cairn_program::testing::Sketch;
use cairn_program::{BlockId, BranchId, Call, FunctionId, PlacedUnit, Program, SiteId};
use cairn_wire::meta::{self, Block, Function, Unit};

fn calling(name: &str, internal: bool, callees: &[&str]) -> Function {
    let calls = callees.iter().map(|callee| meta::Call::Direct(callee.to_string())).collect();
    let blocks = vec![Block { calls, ..Block::default() }];
    Function { name: name.into(), internal, blocks, ..Function::default() }
}

fn unit(functions: Vec<Function>) -> Unit {
    Unit { source: "a.c".into(), files: vec!["a.c".into()], functions, ..Unit::default() }
}

#[test]
fn ids_are_dense_over_units() {
    let (mut first, mut second) = (Sketch::new(), Sketch::new());
    first.branch();
    first.switch(8, &[&[1, 2], &[3]]);
    second.concretization();
    second.branch();
    let program = Program::from_units(vec![first.unit(), second.unit()]).unwrap();

    assert_eq!(program.site_count(), 4);
    assert_eq!(program.branch_count(), 7);
    assert_eq!(program.counted_branches(), 7);
    assert_eq!(program.branch(SiteId(1), 2), BranchId(4));
    assert_eq!(program.site_of(BranchId(4)), Some((SiteId(1), 2)));
    assert_eq!(program.site_of(BranchId(6)), Some((SiteId(3), 1)));
    assert_eq!(program.site_of(BranchId(7)), None);
    assert_eq!(program.site(SiteId(3)).function, FunctionId(1));
    assert_eq!(program.site(SiteId(3)).block, BlockId(4), "three blocks of the first unit, one before it");
    assert_eq!(program.block(BlockId(4)).successors, [BlockId(5); 2]);
    assert_eq!(program.block(BlockId(4)).site, Some(SiteId(3)));
    for (id, site) in program.sites() {
        for (side, branch) in site.branches().enumerate() {
            assert_eq!(program.site_of(branch), Some((id, side as u32)));
        }
    }
}

#[test]
fn an_uninstrumented_call_has_its_callee() {
    let mut sketch = Sketch::new();
    let (branch, strtod, crypt) = (sketch.branch(), sketch.foreign("strtod"), sketch.foreign("crypt"));
    let program = sketch.build();
    let callee = |site| program.site(site).callee.as_deref();
    assert_eq!([branch, strtod, crypt].map(callee), [None, Some("strtod"), Some("crypt")]);
    assert_eq!(program.counted_branches(), 2, "a call has no sides");

    let mut damaged = sketch.unit();
    damaged.foreign.pop();
    assert!(Program::from_units(vec![damaged]).is_err());
}

#[test]
fn names_are_looked_up_in_their_own_unit_first() {
    let units = vec![
        unit(vec![calling("main", false, &["help", "shared", "puts", "shared"]), calling("help", true, &[])]),
        unit(vec![calling("shared", false, &["help"]), calling("help", true, &["main"])]),
    ];
    let program = Program::from_units(units).unwrap();
    let [main, first_help, shared, second_help] = [0, 1, 2, 3].map(FunctionId);
    assert_eq!(program.callees(main), [first_help, shared]);
    assert_eq!(program.callees(shared), [second_help]);
    assert_eq!(program.callees(second_help), [main]);
    assert_eq!(program.block(BlockId(0)).calls[2], Call::External("puts".into()));
}

#[test]
fn an_internal_name_is_unknown_to_other_units() {
    let units = vec![unit(vec![calling("main", false, &["help"])]), unit(vec![calling("help", true, &[])])];
    let program = Program::from_units(units).unwrap();
    assert_eq!(program.callees(FunctionId(0)), []);
}

#[test]
fn an_address_may_be_used_in_another_unit() {
    let mut user = unit(vec![calling("main", false, &[]), calling("twin", true, &[])]);
    user.pointed_at = ["twin", "far", "hidden", "qsort"].map(String::from).to_vec();
    let owner = ["twin", "far", "near", "hidden"].map(|name| calling(name, name == "hidden", &[]));
    let program = Program::from_units(vec![user, unit(owner.to_vec())]).unwrap();
    let taken: Vec<_> = program.functions().filter(|(_, f)| f.address_taken).map(|(id, _)| id.0).collect();
    assert_eq!(taken, [1, 3], "its own twin, and what it can see of the other unit");
}

#[test]
fn a_value_takes_the_side_that_lists_it() {
    let mut sketch = Sketch::new();
    let branch = sketch.branch();
    let switch = sketch.switch(8, &[&[7, 0xff], &[3]]);
    let concretization = sketch.concretization();
    let program = sketch.build();
    let side = |site, value| program.site(site).side_of(value);
    assert_eq!([side(branch, 0), side(branch, 1), side(branch, 2)], [0, 1, 0]);
    assert_eq!([side(switch, 7), side(switch, 0xff), side(switch, 3), side(switch, 4)], [0, 0, 1, 2]);
    assert_eq!(side(switch, u64::MAX), 0, "only the operand's bits count");
    assert_eq!(side(concretization, 12), 0);
}

#[test]
fn branches_of_models_are_outside_user_code() {
    let (mut user, mut model) = (Sketch::new(), Sketch::new());
    user.branch();
    model.branch();
    model.uncounted();
    let program = Program::from_units(vec![user.unit(), model.unit()]).unwrap();
    assert_eq!((program.branch_count(), program.counted_branches()), (4, 2));
    assert_eq!([0, 1, 2, 3, 4].map(|b| program.is_counted(BranchId(b))), [true, true, false, false, false]);
}

#[test]
fn bytes_between_units_belong_to_no_site() {
    let mut sketch = Sketch::new();
    sketch.branch();
    let place =
        |unit, first_site, first_branch| PlacedUnit { unit, first_site, first_branch, program_branches: 18 };
    let units = vec![place(sketch.unit(), 1, 16), place(sketch.unit(), 0, 0)];
    let program = Program::from_placed_units(units).unwrap();
    assert_eq!(program.counted_branches(), 4);
    assert_eq!(program.site_of(BranchId(2)), None);
    assert_eq!(program.site_of(BranchId(17)), Some((SiteId(1), 1)));
}

/// Damages a sound unit and expects an error that names the unit.
fn check_error(damage: impl FnOnce(&mut Unit)) {
    let mut sketch = Sketch::new();
    sketch.branch();
    sketch.switch(8, &[&[1]]);
    let mut unit = sketch.unit();
    damage(&mut unit);
    let message = Program::from_units(vec![unit]).unwrap_err().to_string();
    assert!(message.starts_with("unit sketch.c: "), "{message}");
}

#[test]
fn invalid_indices_are_errors() {
    check_error(|unit| unit.sites[0].function = 9);
    check_error(|unit| unit.sites[0].block = 9);
    check_error(|unit| unit.sites[0].file = 9);
    check_error(|unit| unit.sites[0].sides[1].successor = 9);
    check_error(|unit| unit.functions[0].file = 9);
    check_error(|unit| unit.functions[0].blocks[0].successors[0] = 9);
    check_error(|unit| unit.functions[0].blocks[0].site = Some(9));
}

#[test]
fn impossible_sides_are_errors() {
    check_error(|unit| unit.sites[1].first_side = 1);
    check_error(|unit| unit.sites[1].first_side = 4);
    check_error(|unit| unit.sites[1].first_side = u32::MAX);
    check_error(|unit| drop(unit.sites[0].sides.pop()));
    check_error(|unit| unit.sites[1].sides.clear());
}
