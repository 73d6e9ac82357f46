//! Conversion of a trace into a path of the execution tree.

use cairn_exec::{StepKind as TraceKind, Trace, TraceStep};
use cairn_expr::Dag;
use cairn_program::{Program, SiteKind};
use cairn_tree::{Step, StepKind};

/// Steps of a run, in the form the tree takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    pub steps: Vec<Step>,
    /// True if the trace is inconsistent from some point on; the steps are those before it.
    pub damaged: bool,
    /// True if there were more steps than `max_steps`.
    pub cut: bool,
}

/// Converts a trace into a path. Decisions on values that were folded to constants are left out.
pub(crate) fn path(program: &Program, dag: &Dag, trace: &Trace, max_steps: usize) -> Path {
    let mut steps = Vec::with_capacity(trace.steps.len().min(max_steps));
    let mut damaged = trace.damaged;
    let mut cut = trace.cut;
    for step in trace.steps.iter().filter(|step| dag.as_constant(step.value).is_none()) {
        if steps.len() == max_steps {
            cut = true;
            break;
        }
        let Some(step) = convert(program, dag, step) else {
            damaged = true;
            break;
        };
        steps.push(step);
    }
    Path { steps, damaged, cut }
}

/// Converts one step; None if it is inconsistent with the program, so the target has overwritten it.
fn convert(program: &Program, dag: &Dag, step: &TraceStep) -> Option<Step> {
    let TraceStep { site, value, concrete, .. } = *step;
    let straight = |kind| Step { kind, site, side: 0, value, concrete };
    match step.kind {
        TraceKind::Branch => {}
        TraceKind::Concretization => return Some(straight(StepKind::Concretization)),
        TraceKind::Constraint => {
            return (dag.width(value) == 1 && concrete == 1).then(|| straight(StepKind::Constraint));
        }
    }
    let known = program.known_site(site)?;
    let fits = match known.kind {
        SiteKind::Branch | SiteKind::Select => dag.width(value) == 1,
        SiteKind::Switch => u32::from(dag.width(value)) == known.width,
        SiteKind::Concretization | SiteKind::UninstrumentedCall | SiteKind::Producer => false,
    };
    fits.then(|| Step { kind: StepKind::Branch, site, side: known.side_of(concrete), value, concrete })
}
