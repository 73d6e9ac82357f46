//! What a campaign is told.

use crate::replay::Replay;
use crate::sync::SyncSettings;
use crate::witness::Builds;
use cairn_deadline::Deadline;
use cairn_exec::Input;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Most decisions of one run that become nodes of the tree. A program that loops for ever on its
/// input makes millions until its time is up, and none of the later ones is worth its memory.
const MAX_STEPS: usize = 200_000;

// More steps than these are never decoded, so the tree would miss some without a notice.
const _: () = assert!(MAX_STEPS <= cairn_exec::MAX_DECODED_STEPS);

/// What a campaign is to do, and when it is to end.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Strategy, as the registry knows it.
    pub strategy: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// Workers that explore at the same time.
    pub workers: usize,
    /// Runs to make at most.
    pub execs: Option<u64>,
    /// Time to take at most.
    pub time: Option<Duration>,
    /// Part of that time which has gone before the campaign begins, for starting the program.
    pub time_gone: Duration,
    /// Memory to take at most, in bytes.
    pub memory: Option<u64>,
    /// Inputs to begin with, at least one.
    pub inputs: Vec<Input>,
    /// Whether a random input follows these: a strategy that leaves nothing to chance searches otherwise with another seed
    /// only then.
    pub random_start: bool,
    /// Whether to compare every labelled value of every run with what its expression gives.
    pub oracle: bool,
    /// Whether to find out why exploration stalls.
    pub diagnose: bool,
    /// Decisions of one run that are looked at.
    pub max_steps: usize,
    /// Tells the target from others, for whoever goes on with the campaign later.
    pub target: u64,
    /// Where other fuzzers are to exchange inputs with.
    pub sync: Option<SyncSettings>,
    /// The program and its arguments, for the tests that mention them.
    pub command: Vec<String>,
    /// The program's file, for the names of its functions and lines.
    pub program: Option<PathBuf>,
    /// How a test is run again.
    pub replay: Replay,
    /// The same on a build with sanitizers, if there is one.
    pub replay_sanitized: Option<Replay>,
    /// Other builds of the program, to confirm findings.
    pub builds: Option<Arc<dyn Builds>>,
    /// Whether to write the path conditions of findings.
    pub path_conditions: bool,
    /// The command that repeats the campaign, for its statistics.
    pub invocation: String,
    /// Raised from outside to end the campaign.
    pub stop: Arc<AtomicBool>,
}

impl Settings {
    /// A campaign without an end of its own, from these inputs.
    pub fn new(strategy: impl Into<String>, inputs: Vec<Input>) -> Settings {
        Settings {
            strategy: strategy.into(),
            seed: 0,
            workers: 1,
            execs: None,
            time: None,
            time_gone: Duration::ZERO,
            memory: None,
            inputs,
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
            path_conditions: false,
            invocation: String::new(),
            stop: Arc::default(),
        }
    }

    /// The deadline of a campaign that begins now.
    pub fn deadline(&self) -> Deadline {
        let interrupt = Deadline::interrupted_by(self.stop.clone());
        self.time.map_or(interrupt.clone(), |time| interrupt.within(time))
    }
}
