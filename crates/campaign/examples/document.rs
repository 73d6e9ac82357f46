//! Measures solving: the cost of one query for the other side of every branch of one run.
//!
//! Usage: `document TARGET FILE`: the file on standard input. Each query is made once, of the standard solver,
//! and no input is executed afterwards. Prints one line: milliseconds of CPU for tracing with decoding and for
//! solving, and the numbers of answers.

use cairn_deadline::Deadline;
use cairn_exec::{Limits, Mode, Server, StepKind as TraceKind, TargetSpec, TraceStep};
use cairn_expr::{Dag, InputByte};
use cairn_program::Program;
use cairn_solver::{Answer, Query};
use cairn_tree::{Flip, Step, StepKind, Tree};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("usage: document TARGET FILE");
    let (target, file) = (next()?, std::fs::read(next()?)?);
    let program = Program::read(target.as_ref())?;
    let mut spec = TargetSpec::new(&target, program.branch_count() as usize);
    spec.stdin = Some(file.len());
    let mut input = spec.blank_input();
    input.objects[0].bytes.clone_from(&file);
    let mut server = Server::start(spec, Limits::default())?;
    // The first run includes the initialization.
    server.run(&input, Mode::TRACE)?;
    let before = own_cpu();
    let run = server.run(&input, Mode::TRACE)?;
    let (mut dag, mut tree) = (Dag::default(), Tree::new(&program));
    let trace = server.decode(&mut dag);
    let symbolic = trace.steps.iter().filter(|step| dag.as_constant(step.value).is_none());
    let path: Vec<Step> = symbolic.map(|step| step_of(&program, step)).collect();
    let traced = own_cpu() - before + run.cpu;
    tree.add_run(&path);
    let before = own_cpu();
    let mut solver = cairn_solver::standard(Default::default());
    let flips: Vec<Flip> = tree.frontier().collect();
    let (mut solved, mut impossible) = (0, 0);
    for &flip in &flips {
        let prefix = tree.path_condition(&mut dag, &program, flip.node);
        let target = tree.condition(&mut dag, &program, flip.node, flip.side);
        let seed = |byte: InputByte| file.get(byte.offset as usize).copied().unwrap_or(0);
        match solver.solve(&dag, &Query { prefix: &prefix, target }, &seed, &Deadline::never()) {
            Answer::Sat(_) => solved += 1,
            Answer::Unsat => impossible += 1,
            Answer::Unknown(_) => {}
        }
    }
    let solving = own_cpu() - before;
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{:.1} ms of CPU: {:.1} tracing, {:.1} solving; {} symbolic branches, {} questions, {solved} solved, {impossible} impossible, {} unknown",
        millis(traced + solving),
        millis(traced),
        millis(solving),
        path.len(),
        flips.len(),
        flips.len() - solved - impossible
    );
    Ok(())
}

fn step_of(program: &Program, step: &TraceStep) -> Step {
    let TraceStep { site, value, concrete, .. } = *step;
    let (kind, side) = match step.kind {
        TraceKind::Branch => (StepKind::Branch, program.site(site).side_of(concrete)),
        TraceKind::Concretization => (StepKind::Concretization, 0),
        TraceKind::Constraint => (StepKind::Constraint, 0),
    };
    Step { kind, site, side, value, concrete }
}

/// Returns the CPU time of this process so far.
fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
