//! What makes runs.

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
    /// Runs an input and decodes what it recorded into `dag`.
    fn execute(&mut self, input: &Input, dag: &mut Dag, mode: Mode) -> Result<Execution, RunError>;

    /// Starts anew after an error.
    fn restart(&mut self) -> Result<(), StartError>;
}

impl Executor for Server {
    fn execute(&mut self, input: &Input, dag: &mut Dag, mode: Mode) -> Result<Execution, RunError> {
        let run = self.run(input, mode)?;
        let trace = self.decode(dag);
        Ok(Execution { run, trace })
    }

    fn restart(&mut self) -> Result<(), StartError> {
        Server::restart(self)
    }
}
