//! The fork servers and solvers of a campaign's workers.

use crate::error::Error;
use crate::query_dump::QueryDump;
use cairn_campaign::{Executor, WorkerPool};
use cairn_deadline::Deadline;
use cairn_exec::{Limits, Server, StartError, TargetSpec};
use cairn_solver::{Solver, WalkSettings};
use std::sync::{Mutex, PoisonError};

/// Divisor of the driver's memory that gives the solver processes' share: the rest is for the execution tree.
/// A chosen share.
const Z3_SHARE: u64 = 4;

/// Memory of the driver, and the number of workers that share it.
#[derive(Clone, Copy, Debug)]
pub struct SharedMemory {
    /// Bytes of the driver and its solver processes.
    pub bytes: u64,
    /// Number of workers.
    pub workers: u64,
}

/// Settings of the workers' solvers.
pub struct Solving<'a> {
    /// Limits of one query.
    pub limits: cairn_solver::Limits,
    /// Settings of local search.
    pub walk: WalkSettings,
    /// Directory that queries are written to, if any.
    pub queries: Option<&'a QueryDump>,
}

/// Fork servers and solvers of the workers.
pub struct TargetWorkers<'a> {
    spec: TargetSpec,
    limits: Limits,
    solving: Solving<'a>,
    /// The first worker's server: it is started before anything is written, so that a failure leaves nothing
    /// behind.
    first: Mutex<Option<Server>>,
}

impl<'a> TargetWorkers<'a> {
    /// Starts the first worker's fork server, and divides the driver's memory.
    pub fn start(
        spec: TargetSpec,
        limits: Limits,
        memory: SharedMemory,
        solving: Solving<'a>,
        deadline: Deadline,
    ) -> Result<TargetWorkers<'a>, Error> {
        let limits = limits.within(memory.bytes, memory.workers);
        cairn_solver::limit_memory(memory.bytes / Z3_SHARE / memory.workers);
        let first = Mutex::new(Some(Server::start_by(spec.clone(), limits, deadline)?));
        Ok(TargetWorkers { spec, limits, solving, first })
    }
}

impl WorkerPool for TargetWorkers<'_> {
    fn executor(&self, deadline: &Deadline) -> Result<Box<dyn Executor>, StartError> {
        let started = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        let server = match started {
            Some(server) => server,
            None => Server::start_by(self.spec.clone(), self.limits, deadline.clone())?,
        };
        Ok(Box::new(server))
    }

    fn solver(&self) -> Box<dyn Solver> {
        let Solving { limits, walk, queries } = &self.solving;
        match queries {
            Some(queries) => cairn_solver::dumping(*limits, *walk, queries.sink()),
            None => cairn_solver::with_walk(*limits, *walk),
        }
    }
}
