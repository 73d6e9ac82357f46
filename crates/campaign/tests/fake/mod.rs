//! Targets that are Rust functions: no process, but real expressions, paths and coverage.
#![allow(dead_code, reason = "every test file uses its own part of this")]

use cairn_campaign::{CampaignDirectory, Execution, Executor, Settings, Summary, run};
use cairn_exec::{
    ExitKind, Input, Mode, Object, Run, RunError, RunFlags, StartError, StepKind, Trace, TraceStep,
};
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, InputByte};
use cairn_program::{Program, SiteId};
use cairn_wire::ObjectKind;
use std::collections::BTreeMap;
use std::path::Path;

/// A concrete value and its expression.
#[derive(Clone, Copy)]
pub struct Value {
    pub expr: ExprId,
    pub concrete: u64,
}

/// Environment of a fake program: every operation computes value and expression together.
pub struct Tracer<'a> {
    dag: &'a mut Dag,
    program: &'a Program,
    pub input: Input,
    named: usize,
    steps: Vec<TraceStep>,
    coverage: Vec<u8>,
    /// Code addresses of a crash.
    pub crash: Vec<u64>,
    /// Flags of its trace.
    pub flags: RunFlags,
    /// Mode of the run.
    pub mode: Mode,
    /// Number of runs before this one.
    pub runs_before: usize,
}

impl Tracer<'_> {
    /// Returns a byte of an object; a concrete 0 beyond its end.
    pub fn byte(&mut self, object: usize, offset: usize) -> Value {
        match self.input.objects[object].bytes.get(offset) {
            None => self.constant(8, 0),
            Some(&byte) => {
                let at = InputByte { object: object as u32, offset: offset as u32 };
                Value { expr: self.dag.input(at), concrete: byte.into() }
            }
        }
    }

    pub fn constant(&mut self, width: u8, value: u64) -> Value {
        Value { expr: self.dag.constant(width, value.into()), concrete: value }
    }

    /// Returns the index of the object that this call of `cairn_symbolic` gets.
    pub fn named(&mut self, name: &str, len: usize) -> usize {
        let is_named = |(_, object): &(usize, &Object)| object.kind == ObjectKind::Named;
        let given = self.input.objects.iter().enumerate().filter(is_named).nth(self.named);
        let index = given.map_or(self.input.objects.len(), |(index, _)| index);
        self.named += 1;
        if index == self.input.objects.len() {
            self.input.objects.push(Object::named(name, vec![0; len]));
        }
        index
    }

    pub fn compare(&mut self, op: CmpOp, value: Value, constant: u64) -> Value {
        let width = self.dag.width(value.expr);
        let other = self.constant(width, constant);
        let concrete = match op {
            CmpOp::Eq => value.concrete == constant,
            CmpOp::Ult => value.concrete < constant,
            _ => unimplemented!("{op:?}"),
        };
        Value { expr: self.dag.compare(op, value.expr, other.expr), concrete: concrete.into() }
    }

    pub fn masked(&mut self, value: Value, mask: u64) -> Value {
        let width = self.dag.width(value.expr);
        let other = self.constant(width, mask);
        let expr = self.dag.binary(BinOp::And, value.expr, other.expr);
        Value { expr, concrete: value.concrete & mask }
    }

    pub fn equals(&mut self, value: Value, constant: u64) -> Value {
        self.compare(CmpOp::Eq, value, constant)
    }

    pub fn less(&mut self, value: Value, constant: u64) -> Value {
        self.compare(CmpOp::Ult, value, constant)
    }

    /// Records a decision at a site; returns the side.
    pub fn decide(&mut self, site: SiteId, value: Value) -> u32 {
        self.step(StepKind::Branch, site, value);
        let side = self.program.site(site).side_of(value.concrete);
        self.coverage[self.program.branch(site, side).0 as usize] = 1;
        side
    }

    pub fn branch(&mut self, site: SiteId, condition: Value) -> bool {
        self.decide(site, condition) == 1
    }

    /// Records a concretization.
    pub fn concretize(&mut self, site: SiteId, value: Value) -> u64 {
        self.step(StepKind::Concretization, site, value);
        value.concrete
    }

    fn step(&mut self, kind: StepKind, site: SiteId, value: Value) {
        if self.dag.as_constant(value.expr).is_none() {
            self.steps.push(TraceStep { kind, site, value: value.expr, concrete: value.concrete });
        }
    }

    /// Records an inconsistent step.
    pub fn corrupt_trace(&mut self) {
        let value = self.constant(8, 0).expr;
        let input = self.dag.input(InputByte { object: 0, offset: 0 });
        let value = self.dag.binary(BinOp::Add, input, value);
        self.steps.push(TraceStep { kind: StepKind::Branch, site: SiteId(u32::MAX), value, concrete: 0 });
    }
}

type Body = Box<dyn Fn(&mut Tracer) -> ExitKind>;

/// A fake program, its static model, and its failures.
pub struct Fake {
    pub program: Program,
    body: Body,
    pub runs: usize,
    pub restarts: usize,
    /// True if the fork server dies of a run with this number and input.
    pub dies: fn(usize, &Input) -> bool,
    /// Number added to the value of every recorded decision, as a broken tracer would.
    pub trace_error: u64,
    /// Executed inputs.
    pub executed: Vec<Input>,
    /// True if only the last of them is kept.
    pub keeps_last_only: bool,
    /// Mode of the last run.
    mode: Mode,
}

impl Fake {
    pub fn new(program: Program, body: impl Fn(&mut Tracer) -> ExitKind + 'static) -> Fake {
        let body = Box::new(body);
        let (executed, mode) = (Vec::new(), Mode::NATIVE);
        Fake {
            program,
            body,
            runs: 0,
            restarts: 0,
            dies: |_, _| false,
            trace_error: 0,
            executed,
            keeps_last_only: false,
            mode,
        }
    }

    /// Makes a run outside of any campaign.
    pub fn once(&mut self, input: &Input) -> Execution {
        let run = Executor::run(self, input, Mode::TRACE).unwrap();
        let trace = self.decode(&mut Dag::new());
        Execution { run, trace }
    }

    /// Runs a campaign with the standard solver.
    pub fn explore(&mut self, settings: &Settings, directory: Option<CampaignDirectory>) -> Summary {
        let program = self.program.clone();
        let mut solver = cairn_solver::standard(cairn_solver::Limits::default());
        run(settings, &program, self, &mut *solver, directory, &mut ()).unwrap()
    }
}

impl Fake {
    /// Executes the program on the last input.
    fn trace<'a>(&'a self, dag: &'a mut Dag) -> (ExitKind, Tracer<'a>) {
        let coverage = vec![0; self.program.branch_count() as usize];
        let (input, mode) = (self.executed.last().expect("something was run").clone(), self.mode);
        let (program, runs_before) = (&self.program, self.runs - 1);
        let (steps, crash) = (Vec::new(), Vec::new());
        let flags = RunFlags::default();
        let mut tracer =
            Tracer { dag, program, input, named: 0, steps, coverage, crash, flags, mode, runs_before };
        ((self.body)(&mut tracer), tracer)
    }
}

impl Executor for Fake {
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError> {
        self.runs += 1;
        if (self.dies)(self.runs, input) {
            return Err(RunError::ServerSilent);
        }
        if self.keeps_last_only {
            self.executed.clear();
        }
        self.executed.push(input.clone());
        self.mode = mode;
        let mut dag = Dag::new();
        let (end, Tracer { input, coverage, crash, flags, .. }) = self.trace(&mut dag);
        Ok(Run { end, coverage, crash, flags, ..Run::of_nothing(&input) })
    }

    fn decode(&mut self, dag: &mut Dag) -> Trace {
        let (_, Tracer { mut steps, .. }) = self.trace(dag);
        steps.iter_mut().for_each(|step| step.concrete += self.trace_error);
        Trace { steps, ..Trace::default() }
    }

    fn restart(&mut self) -> Result<(), StartError> {
        self.restarts += 1;
        Ok(())
    }
}

/// Returns a standard input of `len` zeros.
pub fn stdin(len: usize) -> Input {
    Input { objects: vec![Object::stdin(vec![0; len])] }
}

/// Returns all kept inputs by their path in the directory.
pub fn kept(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in ["queue", "crashes", "hangs"] {
        for entry in std::fs::read_dir(out.join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_dir() {
                continue;
            }
            let name = format!("{folder}/{}", entry.file_name().into_string().unwrap());
            files.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
    files
}
