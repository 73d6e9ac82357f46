//! The parameters of a campaign.

use crate::findings::reference_builds::Builds;
use crate::findings::replay_command::Replay;
use crate::store::sync::SyncSettings;
use cairn_deadline::Deadline;
use cairn_exec::Input;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Maximum number of steps of a run that was stopped at a limit that become nodes of the tree; a chosen bound.
/// A program that loops forever on its input makes millions until its time limit, and the later ones are not
/// worth their memory. Runs that end by themselves are taken whole, as far as their trace was decoded.
const MAX_STEPS: usize = 200_000;

/// Share of the time that checking paths with sanitizers takes by default; a chosen share.
pub const CHECK_SHARE: f64 = 1.0 / 3.0;

// Steps beyond this number are not decoded; with a larger maximum the tree would miss them without counting a
// cut run.
const _: () = assert!(MAX_STEPS <= cairn_exec::MAX_STOPPED_STEPS);

/// Parameters and budgets of a campaign.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name of the strategy in the registry.
    pub strategy: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of workers.
    pub workers: usize,
    /// Maximum number of executions.
    pub execs: Option<u64>,
    /// Maximum time.
    pub time: Option<Duration>,
    /// Part of that time spent before the campaign begins, on starting the program.
    pub time_gone: Duration,
    /// Maximum effort of a query, until nothing else is left to try.
    pub solver_limit: Duration,
    /// Maximum memory of the driver, in bytes.
    pub memory: Option<u64>,
    /// Initial inputs, at least one.
    pub inputs: Vec<Input>,
    /// Byte strings that the program may look for.
    pub dictionary: Vec<Vec<u8>>,
    /// True if a random input follows these: only then does a deterministic strategy depend on the seed.
    pub random_start: bool,
    /// True to compare every labelled value of every run with the value of its expression.
    pub oracle: bool,
    /// True to diagnose why exploration stalls.
    pub diagnose: bool,
    /// Maximum number of steps of a run that was stopped at a limit.
    pub max_steps: usize,
    /// Checksum of the target, by which a resumed campaign recognizes it.
    pub target: u64,
    /// Directory in which inputs are exchanged with other fuzzers.
    pub sync: Option<SyncSettings>,
    /// The program and its arguments, for test formats that hold them.
    pub command: Vec<String>,
    /// The program's file, for the names of its functions and lines.
    pub program: Option<PathBuf>,
    /// Command that replays a test.
    pub replay: Replay,
    /// Command that replays a test on the build with sanitizers, if there is one.
    pub replay_sanitized: Option<Replay>,
    /// Reference builds of the program, to confirm findings.
    pub builds: Option<Arc<dyn Builds>>,
    /// Share of the time that checking paths with sanitizers takes, while the search goes on.
    pub check_share: f64,
    /// True to write the path constraints of findings.
    pub path_conditions: bool,
    /// Command line of the campaign, for AFL's status file.
    pub invocation: String,
    /// Flag that ends the campaign when it is set.
    pub stop: Arc<AtomicBool>,
}

impl Settings {
    /// Creates settings without budgets, with these initial inputs.
    pub fn new(strategy: impl Into<String>, inputs: Vec<Input>) -> Settings {
        Settings {
            strategy: strategy.into(),
            seed: 0,
            workers: 1,
            execs: None,
            time: None,
            time_gone: Duration::ZERO,
            solver_limit: cairn_solver::Limits::default().time,
            memory: None,
            inputs,
            dictionary: Vec::new(),
            random_start: false,
            oracle: false,
            diagnose: false,
            max_steps: MAX_STEPS,
            target: 0,
            sync: None,
            command: Vec::new(),
            program: None,
            replay: Replay::default(),
            replay_sanitized: None,
            builds: None,
            check_share: CHECK_SHARE,
            path_conditions: false,
            invocation: String::new(),
            stop: Arc::default(),
        }
    }

    /// Returns the deadline of a campaign that begins now.
    pub fn deadline(&self) -> Deadline {
        let interrupt = Deadline::interrupted_by(self.stop.clone());
        self.time.map_or(interrupt.clone(), |time| interrupt.within(time))
    }
}
