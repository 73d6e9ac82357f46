//! Triage: the faults that a run shows, located in the source.

use super::fault::{Fault, FaultLocation};
use super::fault_kind::FaultKind;
use crate::execution::executor::Execution;
use crate::execution::path::Path as Steps;
use cairn_exec::{ExitKind, Run};
use cairn_program::{FunctionId, Program, SiteId, SourceFrame, Symbols};
use cairn_tree::{Step, StepKind};
use std::cell::OnceCell;
use std::path::PathBuf;

/// Locates faults with the program's line tables and checks, both read when they are first needed.
#[derive(Debug)]
pub(crate) struct Triage {
    path: Option<PathBuf>,
    symbols: OnceCell<Option<Symbols>>,
    checks: OnceCell<Vec<SiteId>>,
}

impl Triage {
    /// Creates the triage of the program at this path.
    pub fn new(path: Option<PathBuf>) -> Triage {
        Triage { path, symbols: OnceCell::new(), checks: OnceCell::new() }
    }

    /// Returns the fault that ended a run.
    fn final_fault(&self, program: &Program, run: &Run) -> Option<Fault> {
        let location = self.location(program, &run.crash);
        FaultKind::of_end(run).map(|kind| Fault { kind, location, function: None, is_silent: false })
    }

    /// Returns all faults of a run; the one that ended it comes first.
    pub fn faults(&self, program: &Program, execution: &Execution, path: &Steps) -> Vec<Fault> {
        let mut faults: Vec<Fault> = self.final_fault(program, &execution.run).into_iter().collect();
        if let Some(fault) = faults.first_mut() {
            refine(fault, program, path.steps.last());
        }
        if execution.run.end == ExitKind::Rejected || path.damaged {
            return faults;
        }
        for fault in self.silent(program, execution, path) {
            match faults.iter_mut().find(|known| known.key() == fault.key()) {
                // An access outside an object may also raise a signal; the check describes it more precisely.
                Some(known) if !known.is_silent => known.kind = fault.kind,
                Some(_) => {}
                None => faults.push(fault),
            }
        }
        faults
    }

    /// Locates a crash in the user's code, so that one fault in a caller of `memcpy` does not hide another;
    /// without a frame of the user's, in the first frame that is not Cairn's own. The rest of the stack is
    /// not part of the location: it was scanned for return addresses, not unwound, and stale ones among them
    /// differ from run to run.
    pub fn location(&self, program: &Program, stack: &[u64]) -> Option<FaultLocation> {
        let address = stack[self.innermost(program, stack)?];
        let line = self.frames(address).into_iter().find_map(|frame| frame.line);
        Some(line.map_or(FaultLocation::Code(address), |(file, line)| FaultLocation::Line(file, line)))
    }

    /// Returns the index of the innermost frame that a fault may be attributed to.
    fn innermost(&self, program: &Program, stack: &[u64]) -> Option<usize> {
        let users = |from: usize| (from..stack.len()).filter(|at| is_users(program, stack[*at]));
        let Some(first) = users(0).next() else {
            return stack.iter().position(|address| !self.is_cairns(program, *address));
        };
        let mut frames = users(first).filter(|at| !self.is_stale(program, stack, *at));
        let live = frames.clone().find(|at| self.has_line(stack[*at])).or_else(|| frames.next());
        // A frame that a live one called is live: a library model that it called may have tail-called another
        // function.
        let leads_to_first = |at: usize| self.called(program, stack[at]) == program.function_at(stack[first]);
        Some(live.filter(|at| !leads_to_first(*at)).unwrap_or(first))
    }

    /// True if an address has a source line. Calls inserted by the instrumentation have none, and no crash in
    /// a library function happens below them.
    fn has_line(&self, address: u64) -> bool {
        self.frames(address).iter().any(|frame| frame.line.is_some())
    }

    /// True for a stale return address, left by an earlier call: the function it called is not among the
    /// inner frames.
    fn is_stale(&self, program: &Program, stack: &[u64], at: usize) -> bool {
        let called = self.called(program, stack[at]);
        called.is_some() && !stack[..at].iter().any(|inner| program.function_at(*inner) == called)
    }

    /// Returns the function that a direct call leads to, if it was compiled with `cairn cc`.
    fn called(&self, program: &Program, address: u64) -> Option<FunctionId> {
        program.function_at(self.symbols()?.called_by(address)?)
    }

    /// True for code of the library models and of the runtime, which the user did not write.
    fn is_cairns(&self, program: &Program, address: u64) -> bool {
        match program.function_at(address).map(|function| program.function(function)) {
            Some(function) => !function.counted && !is_system_header(&function.file),
            None => self.frames(address).iter().any(|frame| frame.line.as_ref().is_some_and(is_runtimes)),
        }
    }

    /// Symbolizes a stack from the first frame of the user's to `main`, without Cairn's own frames. An
    /// address that has no line and was not compiled with `cairn cc` is a stale one of the runtime.
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

    /// Returns the addresses on a stack without stale ones: a direct call leads to the function of the next
    /// inner frame. If no call does, the next address is taken as it is, since functions may end in tail
    /// calls.
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

    /// Returns the faults in the user's code that did not end the run.
    fn silent(&self, program: &Program, execution: &Execution, path: &Steps) -> Vec<Fault> {
        let steps = path.steps.iter().filter(|step| step.kind == StepKind::Branch && step.side == 1);
        // Checks of concrete operands are no steps, but write coverage bytes as branches do.
        let covered = self.checks(program).iter().filter(|site| {
            let fault = program.branch(**site, 1).0 as usize;
            execution.run.coverage.get(fault).is_some_and(|taken| *taken != 0)
        });
        // A division by zero ends the program, unless the compiler has removed the division.
        let continues = FaultKind::of_end(&execution.run) != Some(FaultKind::DivisionByZero);
        let checks = steps.map(|step| step.site).chain(covered.copied()).filter_map(|site| {
            let check = program.site(site).contents.check().filter(|check| check.is_silent() || continues)?;
            Some((site, FaultKind::of_check(check)))
        });
        let outside = execution.trace.outside.iter();
        let outside = outside.map(|(site, access)| (*site, FaultKind::of_out_of_bounds(*access)));
        checks.chain(outside).filter_map(|(site, kind)| silent_fault(program, site, kind)).collect()
    }

    /// Returns the sites of all fault checks.
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

/// Refines the fault that ended a run by its last decision: the kind of a division fault, and the location if
/// there is no other.
fn refine(fault: &mut Fault, program: &Program, last: Option<&Step>) {
    let Some(last) = last else { return };
    if fault.location.is_none() {
        fault.location = Some(FaultLocation::After(last.site.0, last.side));
    }
    let check = (last.kind == StepKind::Branch && last.side == 1)
        .then(|| program.site(last.site).contents.check())
        .flatten();
    if let (FaultKind::DivisionByZero, Some(check)) = (&fault.kind, check) {
        fault.kind = FaultKind::of_check(check);
    }
}

fn silent_fault(program: &Program, site: SiteId, kind: FaultKind) -> Option<Fault> {
    let site = program.known_site(site)?;
    let function = program.function(site.function);
    if !function.counted || site.line == 0 {
        return None;
    }
    let location = Some(FaultLocation::Line(site.file.to_string(), site.line));
    Some(Fault { kind, location, function: Some(function.name.to_string()), is_silent: true })
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
