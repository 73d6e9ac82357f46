//! Sanity checks on runs that may have overwritten the shared memory they record into.

use cairn_program::{BranchId, Program};
use cairn_tree::{Step, StepKind, taken};

/// True if coverage bytes are as the target writes them: 0 or 1, and 0 where no branch is.
pub(crate) fn is_sane(program: &Program, coverage: &[u8]) -> bool {
    let is_branch = |index: usize| program.site_of(BranchId(index as u32)).is_some();
    taken(coverage).all(|index| coverage[index] == 1 && is_branch(index))
}

/// Returns the coverage implied by the steps of a path.
pub(crate) fn coverage_of(program: &Program, steps: &[Step]) -> Vec<u8> {
    let mut coverage = vec![0; program.branch_count() as usize];
    for step in steps.iter().filter(|step| step.kind == StepKind::Branch) {
        coverage[program.branch(step.site, step.side).0 as usize] = 1;
    }
    coverage
}
