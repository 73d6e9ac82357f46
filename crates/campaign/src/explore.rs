//! The search loop: shared state, workers, executions, queries.
//!
//! A [`Worker`](worker::Worker) repeats: choose a flip (`worker`), solve it (`solve_flip`), execute the input
//! (`execute`), integrate the trace into the shared state (`integrate`). Or it executes a batch of mutants
//! (`mutation`). The [`Campaign`] is that state.

mod callees;
mod confirm_findings;
mod coordination;
mod deferred_flips;
mod effort_account;
mod execute;
mod fill_choice;
mod forget;
mod hang_exits;
mod hang_loop;
mod integrate;
mod learn_pieces;
mod learn_strings;
mod memory;
mod missing_events;
mod mutants;
mod mutation;
mod mutation_account;
mod optimistic_queries;
mod oracle;
mod piece_models;
mod prediction;
mod record_finding;
mod relaxed_queries;
mod run_limit;
mod shared_state;
mod solve_flip;
mod state;
mod status;
mod timed_strategy;
mod unconstrained_bytes;
mod worker;
pub(crate) mod workers;

use crate::execution::executor::Executor;
use crate::observe::observer::Observer;
use crate::observe::summary::Summary;
use crate::replay::campaign_directory::CampaignDirectory;
use crate::replay::record::WorkerId;
use crate::settings::Settings;
use crate::store::directory::DirectoryError;
use cairn_exec::{RunError, StartError};
use cairn_program::Program;
use cairn_search::UnknownStrategy;
use cairn_solver::Solver;
use shared_state::SharedState;
use state::Campaign;
use thiserror::Error;
use worker::Worker;

/// Error that ends a campaign.
#[derive(Debug, Error)]
pub enum CampaignError {
    /// There is no such strategy.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
    /// There is no initial input.
    #[error("a campaign needs an input to begin with")]
    NoInput,
    /// The target cannot be executed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The target cannot be restarted.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A resumed campaign was interrupted during its replay.
    #[error(
        "interrupted before the campaign was back where it had been: it can still be resumed, and nothing is lost"
    )]
    Interrupted,
    /// The replay of a resumed campaign needs more memory than the driver may use.
    #[error("the campaign takes more memory than this to go back to where it had been: see --driver-memory")]
    Memory,
    /// The campaign directory cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// Runs a campaign with one worker, on this thread.
pub fn run(
    settings: &Settings,
    program: &Program,
    executor: &mut dyn Executor,
    solver: &mut dyn Solver,
    directory: Option<CampaignDirectory>,
    observer: &mut dyn Observer,
) -> Result<Summary, CampaignError> {
    let shared = SharedState::new(Campaign::new(settings, program, 1, directory, observer)?);
    let ended = Worker::new(WorkerId::FIRST, &shared, executor, solver).run_and_explore();
    shared.into_inner().finish(ended)
}
