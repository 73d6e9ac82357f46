//! What a run shows that is wrong and where, in terms of the source: what makes two findings the same, and what is told of one.

use crate::executor::Execution;
use crate::findings::Key;
use crate::kind::FaultKind;
use crate::path::Path as Steps;
use cairn_exec::{ExitKind, Run};
use cairn_program::{FunctionId, Program, SiteId, SourceFrame, Symbols};
use cairn_tree::{Step, StepKind};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::path::PathBuf;

/// Where a fault is, as exactly as it is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Spot {
    /// A line of the source: compilers copy code, and one fault must not count twice.
    Line(String, u32),
    /// An address of the program's code.
    Code(u64),
    /// Behind this side of the last symbolic decision.
    Behind(u32, u32),
}

/// A fault that a run shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub kind: FaultKind,
    pub spot: Option<Spot>,
    /// The function it is in, if no stack tells.
    pub function: Option<String>,
    /// Whether the program goes on after it.
    pub is_silent: bool,
}

impl Mark {
    /// What it has in common with all that are the same fault.
    pub fn key(&self) -> Key {
        (self.kind.class(), self.spot.clone())
    }

    /// The one frame that is known of a fault without a stack.
    pub fn frame(&self) -> Option<SourceFrame> {
        let function = self.function.clone()?;
        let line = match &self.spot {
            Some(Spot::Line(file, line)) => Some((file.clone(), *line)),
            _ => None,
        };
        Some(SourceFrame { function, line })
    }
}

/// Knows the program's line tables and its checks, once they are needed.
#[derive(Debug)]
pub(crate) struct Triage {
    path: Option<PathBuf>,
    symbols: OnceCell<Option<Symbols>>,
    checks: OnceCell<Vec<SiteId>>,
}

impl Triage {
    /// Of the program at this path.
    pub fn new(path: Option<PathBuf>) -> Triage {
        Triage { path, symbols: OnceCell::new(), checks: OnceCell::new() }
    }

    /// What a run ended with that is wrong.
    pub fn end(&self, program: &Program, run: &Run) -> Option<Mark> {
        let spot = self.spot(program, &run.crash);
        FaultKind::of_end(run).map(|kind| Mark { kind, spot, function: None, is_silent: false })
    }

    /// All that is wrong with a run, what it ended with first.
    pub fn marks(&self, program: &Program, execution: &Execution, path: &Steps) -> Vec<Mark> {
        let mut marks: Vec<Mark> = self.end(program, &execution.run).into_iter().collect();
        if let Some(mark) = marks.first_mut() {
            refine(mark, program, path.steps.last());
        }
        if execution.run.end == ExitKind::Rejected || path.damaged {
            return marks;
        }
        for mark in self.silent(program, execution, path) {
            match marks.iter_mut().find(|known| known.key() == mark.key()) {
                // What is written outside an object may fault, and is known better so.
                Some(known) if !known.is_silent => known.kind = mark.kind,
                Some(_) => {}
                None => marks.push(mark),
            }
        }
        marks
    }

    /// Where in the user's own code a crash with this stack happened: one fault in a caller of `memcpy` must not hide another.
    /// Without a frame of the user's, the first that is not Cairn's own. The stack is not part of it: it was searched for,
    /// not unwound, and what lies there by accident differs from run to run.
    pub fn spot(&self, program: &Program, stack: &[u64]) -> Option<Spot> {
        let address = stack[self.innermost(program, stack)?];
        let line = self.frames(address).into_iter().find_map(|frame| frame.line);
        Some(line.map_or(Spot::Code(address), |(file, line)| Spot::Line(file, line)))
    }

    /// Position of the innermost frame that a fault may be placed in.
    fn innermost(&self, program: &Program, stack: &[u64]) -> Option<usize> {
        let users = |from: usize| (from..stack.len()).filter(|at| is_users(program, stack[*at]));
        let Some(first) = users(0).next() else {
            return stack.iter().position(|address| !self.is_cairns(program, *address));
        };
        let mut frames = users(first).filter(|at| !self.is_stale(program, stack, *at));
        let live = frames.clone().find(|at| self.has_line(stack[*at])).or_else(|| frames.next());
        // A frame that a live one called is live: a model that it called has jumped on to another function.
        let leads_to_first = |at: usize| self.called(program, stack[at]) == program.function_at(stack[first]);
        Some(live.filter(|at| !leads_to_first(*at)).unwrap_or(first))
    }

    /// False for calls that the instrumentation put there, which no crash in a library function lies behind.
    fn has_line(&self, address: u64) -> bool {
        self.frames(address).iter().any(|frame| frame.line.is_some())
    }

    /// True for what an earlier call left on the stack: the function it called is not among the frames further in.
    fn is_stale(&self, program: &Program, stack: &[u64], at: usize) -> bool {
        let called = self.called(program, stack[at]);
        called.is_some() && !stack[..at].iter().any(|inner| program.function_at(*inner) == called)
    }

    /// The function that a direct call leads to, if it was compiled with `cairn cc`.
    fn called(&self, program: &Program, address: u64) -> Option<FunctionId> {
        program.function_at(self.symbols()?.called_by(address)?)
    }

    /// True for code of the models and of the runtime, which the user never wrote and cannot read.
    fn is_cairns(&self, program: &Program, address: u64) -> bool {
        match program.function_at(address).map(|function| program.function(function)) {
            Some(function) => !function.counted && !is_system_header(&function.file),
            None => self.frames(address).iter().any(|frame| frame.line.as_ref().is_some_and(is_runtimes)),
        }
    }

    /// The stack in terms of the source, from the first frame of the user's on to `main`, without Cairn's own frames. What
    /// has neither a line nor was compiled with `cairn cc` lies there by accident: it is the tracer's.
    pub fn stack(&self, program: &Program, stack: &[u64]) -> Vec<SourceFrame> {
        let first = self.innermost(program, stack).unwrap_or(stack.len());
        let of = |address: &u64| {
            let mut frames = self.frames(*address);
            let is_cairns = self.is_cairns(program, *address);
            let is_known = program.function_at(*address).is_some();
            frames.retain(|frame| !is_cairns && (frame.line.is_some() || is_known));
            frames
        };
        let mut frames: Vec<_> = self.callers(program, &stack[first..]).iter().flat_map(of).collect();
        if let Some(main) = frames.iter().position(|frame| frame.function == "main") {
            frames.truncate(main + 1);
        }
        frames
    }

    /// The addresses on a stack without those that lie there by accident: a direct call leads to the function that is next further
    /// in. Where none does, what is there is taken as it is: functions also end by jumping to others.
    fn callers(&self, program: &Program, mut stack: &[u64]) -> Vec<u64> {
        let called = |address: &u64| self.called(program, *address);
        let mut callers: Vec<u64> = Vec::new();
        while let Some(next) = stack.first() {
            let inner = callers.last().and_then(|inner| program.function_at(*inner));
            let is_doubtful = inner.is_some() && called(next).is_some_and(|called| Some(called) != inner);
            let leads_there = || stack.iter().position(|address| called(address) == inner);
            let at = is_doubtful.then(leads_there).flatten().unwrap_or(0);
            callers.push(stack[at]);
            stack = &stack[at + 1..];
        }
        callers
    }

    /// What is wrong with a run that it did not end by, in the user's code.
    fn silent(&self, program: &Program, execution: &Execution, path: &Steps) -> Vec<Mark> {
        let steps = path.steps.iter().filter(|step| step.kind == StepKind::Branch && step.side == 1);
        // Those whose operands do not depend on the input are no steps, but are marked as branches are.
        let marked = self.checks(program).iter().filter(|site| {
            let fault = program.branch(**site, 1).0 as usize;
            execution.run.coverage.get(fault).is_some_and(|taken| *taken != 0)
        });
        // A division that faults ends the program, unless a compiler took it out, which it may.
        let goes_on = FaultKind::of_end(&execution.run) != Some(FaultKind::DivisionByZero);
        let checks = steps.map(|step| step.site).chain(marked.copied()).filter_map(|site| {
            let check = program.site(site).contents.check().filter(|check| check.is_silent() || goes_on)?;
            Some((site, FaultKind::of_check(check)))
        });
        let outside = execution.trace.outside.iter().map(|(site, how)| (*site, FaultKind::of_outside(*how)));
        checks.chain(outside).filter_map(|(site, kind)| silent_mark(program, site, kind)).collect()
    }

    /// All decisions on whether there is a fault.
    fn checks(&self, program: &Program) -> &[SiteId] {
        let are_checks = || program.sites().filter(|(_, site)| site.contents.check().is_some());
        self.checks.get_or_init(|| are_checks().map(|(id, _)| id).collect())
    }

    fn frames(&self, address: u64) -> Vec<SourceFrame> {
        self.symbols().map(|symbols| symbols.frames(address)).unwrap_or_default()
    }

    fn symbols(&self) -> Option<&Symbols> {
        self.symbols.get_or_init(|| Symbols::read(self.path.as_ref()?)).as_ref()
    }
}

/// Says what only the last decision knows: whether it was the divisor, and where nothing else tells where.
fn refine(mark: &mut Mark, program: &Program, last: Option<&Step>) {
    let Some(last) = last else { return };
    if mark.spot.is_none() {
        mark.spot = Some(Spot::Behind(last.site.0, last.side));
    }
    let check = (last.kind == StepKind::Branch && last.side == 1)
        .then(|| program.site(last.site).contents.check())
        .flatten();
    if let (FaultKind::DivisionByZero, Some(check)) = (&mark.kind, check) {
        mark.kind = FaultKind::of_check(check);
    }
}

fn silent_mark(program: &Program, site: SiteId, kind: FaultKind) -> Option<Mark> {
    let site = (site.0 < program.site_count()).then(|| program.site(site))?;
    let function = program.function(site.function);
    if !function.counted || site.line == 0 {
        return None;
    }
    let spot = Some(Spot::Line(site.file.to_string(), site.line));
    Some(Mark { kind, spot, function: Some(function.name.to_string()), is_silent: true })
}

/// True for files that come with the compiler or the system, whose functions may show up in a stack.
fn is_system_header(file: &str) -> bool {
    file.starts_with("/usr/") || file.contains("/include/c++/")
}

/// True for a line of the runtime, or of Rust's core library within it.
fn is_runtimes((file, _): &(String, u32)) -> bool {
    file.contains("crates/runtime/src/") || file.contains("/library/core/src/")
}

fn is_users(program: &Program, address: u64) -> bool {
    program.function_at(address).is_some_and(|function| program.function(function).counted)
}
