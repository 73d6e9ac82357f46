//! Runs a target: a fork server at one end of two pipes, and the shared memory between.
//!
//! [`Server::start`] brings the program up once; [`Server::run`] then gives it one [`Input`] after the
//! other and tells how each run ended, and [`Server::decode`] turns what the last run recorded into
//! expressions. The program under test is broken by assumption: it may scribble over the shared
//! memory, never end, or take its fork server with it. None of that may hurt the driver, so nothing
//! read from the shared memory is believed before it was checked.

mod access;
mod build;
mod control;
mod decode;
mod environment;
mod exit_kind;
mod input;
mod log;
mod native;
mod pipe;
mod pod;
mod sandbox;
mod scratch;
mod server;
mod shm;
mod snapshot;
mod spawn;
mod spec;
mod supervisor;
mod watch;

pub use access::Access;
pub use cairn_wire::event::StepKind;
pub use cairn_wire::log::Callee;
pub use decode::{MAX_DECODED_STEPS, Trace, TraceLoss, TraceStep};
pub use environment::is_file_name;
pub use exit_kind::{ExitKind, Severity, signal_name};
pub use input::{Input, Object};
pub use log::{BranchLog, LogPiece};
pub use native::run_native;
pub use sandbox::{Granted, Protection, drops_root};
pub use server::{Mode, Run, RunError, RunFlags, Server};
pub use spawn::StartError;
pub use spec::{Arg, Limits, Output, ScratchSpace, SymbolicFile, TargetSpec};
