//! From a run's trace to a path of the tree.

use cairn_exec::{StepKind as TraceKind, Trace, TraceStep};
use cairn_expr::Dag;
use cairn_program::{Program, SiteKind};
use cairn_tree::{Step, StepKind};

/// A run's decisions, as the tree takes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    pub steps: Vec<Step>,
    /// The trace makes no sense from some point on; the steps are those before it.
    pub damaged: bool,
    /// There were more steps than are looked at.
    pub cut: bool,
}

/// Turns a trace into a path. A decision on a value that turned out constant is none.
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

/// The step, unless the target has written something there that cannot be.
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
    let known = (site.0 < program.site_count()).then(|| program.site(site))?;
    let fits = match known.kind {
        SiteKind::Branch | SiteKind::Select => dag.width(value) == 1,
        SiteKind::Switch => u32::from(dag.width(value)) == known.width,
        SiteKind::Concretization | SiteKind::UninstrumentedCall => false,
    };
    fits.then(|| Step { kind: StepKind::Branch, site, side: known.side_of(concrete), value, concrete })
}
