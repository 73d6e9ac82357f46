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

/// Runs inputs, one after the other.
pub trait Executor {
    /// Runs an input and decodes its path into `dag`; with `check`, every labelled value too.
    fn execute(&mut self, input: &Input, dag: &mut Dag, check: bool) -> Result<Execution, RunError>;

    /// Starts anew after an error.
    fn restart(&mut self) -> Result<(), StartError>;
}

impl Executor for Server {
    fn execute(&mut self, input: &Input, dag: &mut Dag, check: bool) -> Result<Execution, RunError> {
        let run = self.run(input, if check { Mode::CHECK } else { Mode::TRACE })?;
        let trace = self.decode(dag);
        Ok(Execution { run, trace })
    }

    fn restart(&mut self) -> Result<(), StartError> {
        Server::restart(self)
    }
}
