//! The trait through which a campaign executes the target.

use cairn_deadline::Deadline;
use cairn_exec::{CoverageRun, Input, Mode, Run, RunBound, RunError, Server, StartError, StoppedBy, Trace};
use cairn_expr::Dag;
use cairn_program::SiteId;
use std::time::Duration;

/// A run and its trace.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The run.
    pub run: Run,
    /// Its trace.
    pub trace: Trace,
}

impl Execution {
    /// Returns an execution with an empty trace, for a recorded run that cannot be repeated.
    pub(crate) fn of_nothing(input: &Input) -> Execution {
        Execution { run: Run::of_nothing(input), trace: Trace::default() }
    }
}

/// Runs inputs, one after the other.
pub trait Executor {
    /// Runs an input.
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError>;

    /// Runs an input within a bound; returns the part of it that has stopped the run, too.
    fn run_within(
        &mut self,
        input: &Input,
        mode: Mode,
        _bound: RunBound,
    ) -> Result<(Run, Option<StoppedBy>), RunError> {
        self.run(input, mode).map(|run| (run, None))
    }

    /// Returns the time after which a run is a hang.
    fn timeout(&self) -> Duration {
        Duration::MAX
    }

    /// Runs an input without tracing, for at most `limit`, and replaces `coverage` by its coverage bytes. If
    /// `producer` is the site of one, the values that it returns are recorded.
    fn run_for_coverage(
        &mut self,
        input: &Input,
        limit: Duration,
        _producer: Option<SiteId>,
        coverage: &mut Vec<u8>,
    ) -> Result<CoverageRun, RunError> {
        let bound = RunBound { time: limit, ..RunBound::NONE };
        let (run, stopped_by) = self.run_within(input, Mode::NATIVE, bound)?;
        *coverage = run.coverage;
        let is_starved = stopped_by.is_some() && run.cpu < limit;
        Ok(CoverageRun { end: run.end, crash: run.crash, is_starved, produced: Vec::new() })
    }

    /// Decodes the trace of the last run into `dag`.
    fn decode(&mut self, dag: &mut Dag) -> Trace;

    /// Starts the target again after an error.
    fn restart(&mut self) -> Result<(), StartError>;

    /// Sets the deadline at which runs and decoding end, regardless of their own limits.
    fn end_by(&mut self, _deadline: Deadline) {}
}

impl Executor for Server {
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError> {
        Server::run(self, input, mode)
    }

    fn run_within(
        &mut self,
        input: &Input,
        mode: Mode,
        bound: RunBound,
    ) -> Result<(Run, Option<StoppedBy>), RunError> {
        Server::run_within(self, input, mode, bound)
    }

    fn timeout(&self) -> Duration {
        Server::timeout(self)
    }

    fn run_for_coverage(
        &mut self,
        input: &Input,
        limit: Duration,
        producer: Option<SiteId>,
        coverage: &mut Vec<u8>,
    ) -> Result<CoverageRun, RunError> {
        Server::run_for_coverage(self, input, limit, producer, coverage)
    }

    fn decode(&mut self, dag: &mut Dag) -> Trace {
        Server::decode(self, dag)
    }

    fn restart(&mut self) -> Result<(), StartError> {
        Server::restart(self)
    }

    fn end_by(&mut self, deadline: Deadline) {
        Server::end_by(self, deadline);
    }
}
