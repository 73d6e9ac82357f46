//! Concrete branches that a run took between the steps of its path, from its branch log.

use cairn_exec::{StepKind, Trace, TraceStep};
use cairn_expr::Dag;
use cairn_program::{BranchId, Program, SiteKind};
use cairn_tree::BranchTraces;

/// Steps searched for the other steps of the same segment; a chosen bound.
const MAX_SEGMENT_STEPS: usize = 64;

/// Returns the concrete branches before each of the first `steps` steps of a path; empty without a branch
/// log.
pub(crate) fn branch_trace(program: &Program, dag: &Dag, trace: &Trace, steps: usize) -> BranchTraces {
    let mut traces = BranchTraces::new();
    let Some(log) = &trace.log else { return traces };
    let mut pending: Vec<u32> = Vec::new();
    // Branch that the previous step itself took: it belongs neither to its branch trace nor to the next
    // one's.
    let mut taken = None;
    let mut left = steps;
    let is_symbolic = |step: &TraceStep| dag.as_constant(step.value).is_none();
    let mut rest = trace.steps.iter().zip(log.pieces());
    while let Some((step, piece)) = rest.next() {
        let own_first = taken.is_some() && piece.branches.first().copied() == taken.take();
        pending.extend(&piece.branches[usize::from(own_first)..]);
        // A decision on a value folded to a constant is a concrete branch.
        if !is_symbolic(step) {
            continue;
        }
        if left == 0 {
            break;
        }
        left -= 1;
        let mut later = Vec::new();
        match own_branch(program, step) {
            Some(OwnBranch::Follows(branch)) => taken = Some(branch),
            Some(OwnBranch::Precedes(branch)) => {
                if let Some(at) = pending.iter().rposition(|b| *b == branch) {
                    later = pending.split_off(at + 1);
                    pending.pop();
                }
            }
            None => {
                let next = rest.clone().take_while(|(_, piece)| piece.branches.is_empty());
                let next = next.map(|(step, _)| step).filter(|step| is_symbolic(step));
                let select = first_select(program, next.take(left.min(MAX_SEGMENT_STEPS)));
                if let Some(at) = select.and_then(|branch| pending.iter().rposition(|b| *b == branch)) {
                    later = pending.split_off(at);
                }
            }
        }
        let is_branch = |b: &u32| program.site_of(BranchId(*b)).is_some();
        pending.iter().filter(|b| is_branch(b)).for_each(|b| traces.branch(BranchId(*b)));
        traces.step();
        pending = later;
    }
    traces
}

/// Returns the branch of the first select among the steps that a segment records together with the step
/// before them: its coverage byte was written before all of them.
fn first_select<'a>(program: &Program, mut next: impl Iterator<Item = &'a TraceStep>) -> Option<u32> {
    next.find_map(|step| match own_branch(program, step)? {
        OwnBranch::Precedes(branch) => Some(branch),
        OwnBranch::Follows(_) => None,
    })
}

/// Position in the log of the branch that a step itself takes.
enum OwnBranch {
    /// A select is logged before its step, possibly with other selects of the same segment in between.
    Precedes(u32),
    /// Any other branch is logged after its step.
    Follows(u32),
}

fn own_branch(program: &Program, step: &TraceStep) -> Option<OwnBranch> {
    if step.kind != StepKind::Branch {
        return None;
    }
    let site = program.site(step.site);
    let branch = program.branch(step.site, site.side_of(step.concrete)).0;
    Some(if site.kind == SiteKind::Select { OwnBranch::Precedes(branch) } else { OwnBranch::Follows(branch) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::BranchLog;
    use cairn_expr::InputByte;
    use cairn_program::testing::Sketch;
    use cairn_program::{Program, SiteId};

    /// Five branches, of which the second and third are selects; branch `b` of site `s` has index `2 * s +
    /// b`.
    fn program() -> Program {
        let mut sketch = Sketch::new();
        for _ in 0..5 {
            sketch.branch();
        }
        let mut unit = sketch.unit();
        unit.sites[1].kind = SiteKind::Select;
        unit.sites[2].kind = SiteKind::Select;
        Program::from_units(vec![unit]).unwrap()
    }

    #[test]
    fn the_branch_a_step_itself_takes_is_in_no_branch_trace() {
        let (program, mut dag) = (program(), Dag::new());
        let byte = dag.input(InputByte { object: 0, offset: 0 });
        let (symbolic, constant) = (dag.extract(byte, 0, 1), dag.constant(1, 1));
        let step = |site, value| TraceStep { kind: StepKind::Branch, site: SiteId(site), value, concrete: 1 };
        let concretization = TraceStep { kind: StepKind::Concretization, ..step(0, symbolic) };
        let steps = vec![
            step(0, symbolic),
            step(1, symbolic),
            step(2, symbolic),
            step(3, constant),
            concretization,
            step(4, symbolic),
        ];
        let mut log = BranchLog::default();
        for piece in [&[8, 1][..], &[1, 3, 1, 3, 4, 5], &[], &[1], &[7, 6], &[6, 6], &[9, 0]] {
            log.add_piece(piece, 0);
        }
        let trace = Trace { steps, log: Some(log), ..Trace::default() };
        let traces = branch_trace(&program, &dag, &trace, 4);
        let before = |step| traces.before(step).iter().map(|b| b.0).collect::<Vec<_>>();
        assert_eq!(before(0), [8, 1]);
        assert_eq!(before(1), [3, 1], "a select, the last time it was taken");
        assert_eq!(before(2), [4], "the select after it, and a branch of another in between");
        assert_eq!(before(3), [1, 7, 6], "a decision on a constant is concrete");
        assert_eq!(before(4), [0; 0], "no more were asked for");
        assert_eq!(branch_trace(&program, &dag, &Trace { log: None, ..trace }, 4), BranchTraces::new());
    }

    #[test]
    fn a_concretization_excludes_selects_recorded_after_it() {
        let (program, mut dag) = (program(), Dag::new());
        let byte = dag.input(InputByte { object: 0, offset: 0 });
        let value = dag.extract(byte, 0, 1);
        let branch = |site| TraceStep { kind: StepKind::Branch, site: SiteId(site), value, concrete: 1 };
        let concretization = TraceStep { kind: StepKind::Concretization, ..branch(0) };
        // Both selects and the branches between them were logged before the segment recorded its steps.
        let mut log = BranchLog::default();
        for piece in [&[8, 3, 3, 0, 5][..], &[], &[], &[], &[9]] {
            log.add_piece(piece, 0);
        }
        let steps = vec![concretization, concretization, branch(1), branch(2)];
        let trace = Trace { steps, log: Some(log), ..Trace::default() };
        let traces = branch_trace(&program, &dag, &trace, 4);
        let before = |step| traces.before(step).iter().map(|b| b.0).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3].map(before), [vec![8, 3], vec![], vec![], vec![0]]);
    }
}
