//! Coverage of counted and uncounted branches.

use cairn_program::testing::Sketch;
use cairn_program::{BranchId, Program};
use cairn_tree::Coverage;

/// Six branches of user code, then two of a library model, then sixty-six of user code.
fn program() -> Program {
    let (mut user, mut model, mut more) = (Sketch::new(), Sketch::new(), Sketch::new());
    for _ in 0..3 {
        user.branch();
    }
    model.branch();
    model.uncounted();
    for _ in 0..33 {
        more.branch();
    }
    Program::from_units(vec![user.unit(), model.unit(), more.unit()]).unwrap()
}

fn bytes(covered: &[u32]) -> Vec<u8> {
    let mut bytes = vec![0; 74];
    covered.iter().for_each(|branch| bytes[*branch as usize] = 1 + (*branch % 2) as u8);
    bytes
}

#[test]
fn only_new_branches_of_user_code_are_returned() {
    let program = program();
    let mut coverage = Coverage::new(&program);
    assert_eq!(coverage.merge(&bytes(&[5, 6, 73])), [BranchId(5), BranchId(73)]);
    assert_eq!(coverage.merge(&bytes(&[0, 5, 7, 64])), [BranchId(0), BranchId(64)]);
    assert_eq!(coverage.merge(&bytes(&[0, 5, 6, 7, 64, 73])), []);
    assert_eq!(coverage.covered(), 4);
    assert_eq!([6, 7, 8].map(|b| coverage.is_covered(BranchId(b))), [true, true, false]);
}

#[test]
fn everything_covered_is_the_programs_total() {
    let program = program();
    let mut coverage = Coverage::new(&program);
    assert_eq!(coverage.merge(&[0xff; 74]).len(), 72);
    assert_eq!(coverage.covered() as u32, program.counted_branches());
}

#[test]
fn bytes_beyond_the_program_are_ignored() {
    let mut coverage = Coverage::new(&program());
    assert_eq!(coverage.merge(&[0xff; 4096]).len(), 72);
    assert!(!coverage.is_covered(BranchId(4095)));
    assert_eq!(Coverage::new(&Program::default()).merge(&[1]), []);
}
