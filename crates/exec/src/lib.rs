//! Executes a target: the driver's side of the fork server, the shared memory and the sandbox.
//!
//! [`Server::start`] starts the target's fork server once. [`Server::run`] then makes one run for each
//! [`Input`] and reports how it ended, and [`Server::decode`] turns the trace of the last run into
//! expressions. The program under test is broken by assumption: it may scribble over the shared memory, never
//! end, or take its fork server with it. None of that may harm the driver, so nothing read from the shared
//! memory is trusted before it was checked.

mod access;
mod branch_log;
mod build;
mod control;
mod decode;
mod environment;
mod exit_kind;
mod file_id;
mod input;
mod limit_monitor;
mod native;
mod pipe;
mod plain_server;
mod pod;
mod produced;
mod raw_trace;
mod run;
mod run_error;
mod sandbox;
mod scratch;
mod server;
mod shm;
mod snapshot;
mod spawn;
mod spec;
mod stack_padding;
mod supervisor;

pub use access::Access;
pub use branch_log::{BranchLog, LogPiece};
pub use cairn_wire::event::StepKind;
pub use cairn_wire::log::Callee;
pub use decode::{MAX_STOPPED_STEPS, Trace, TraceLoss, TracePiece, TraceStep};
pub use environment::is_file_name;
pub use exit_kind::{ExitKind, Severity, signal_name};
pub use input::{Input, Object};
pub use native::run_native;
pub use plain_server::PlainServer;
pub use run::{CoverageRun, Mode, ProducedValue, Run, RunBound, RunFlags, StoppedBy};
pub use run_error::RunError;
pub use sandbox::{Granted, Protection, drops_root};
pub use server::Server;
pub use spawn::StartError;
pub use spec::{Arg, Limits, Output, ScratchSpace, SymbolicFile, TargetSpec};
