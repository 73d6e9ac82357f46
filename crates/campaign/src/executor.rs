//! What makes runs.

use cairn_deadline::Deadline;
use cairn_exec::{Input, Mode, Run, RunError, Server, StartError, Trace};
use cairn_expr::Dag;

/// A run and what it recorded.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The run.
    pub run: Run,
    /// Its path.
    pub trace: Trace,
}

impl Execution {
    /// A run that nothing is known of.
    pub(crate) fn of_nothing(input: &Input) -> Execution {
        Execution { run: Run::of_nothing(input), trace: Trace::default() }
    }
}

/// Runs inputs, one after the other.
pub trait Executor {
    /// Runs an input.
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError>;

    /// Decodes into `dag` what the last run recorded.
    fn decode(&mut self, dag: &mut Dag) -> Trace;

    /// Starts anew after an error.
    fn restart(&mut self) -> Result<(), StartError>;

    /// Sets when runs and decoding are to end, whatever their own limits are.
    fn end_by(&mut self, _deadline: Deadline) {}
}

impl Executor for Server {
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, RunError> {
        Server::run(self, input, mode)
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
