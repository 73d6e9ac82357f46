//! One campaign of a comparison.

use crate::args::CompareArgs;
use crate::failure::Failure;
use cairn_campaign::{Event, Observer, Progress, Settings, Stop, Summary};
use cairn_exec::{Input, Limits, Server, TargetSpec};
use cairn_program::{BranchId, Program};
use cairn_solver::WalkSettings;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What all campaigns have in common.
pub(super) struct Plan<'a> {
    pub(super) args: &'a CompareArgs,
    pub(super) program: &'a Program,
    pub(super) spec: TargetSpec,
    pub(super) inputs: Vec<Input>,
    pub(super) stop: Arc<AtomicBool>,
}

/// What came of one campaign.
pub(super) struct Trial {
    pub(super) strategy: String,
    /// Which of its strategy's, from 0 on.
    pub(super) number: u64,
    pub(super) summary: Summary,
    /// Branches of the user's that were covered, in the order of the executions that were first.
    pub(super) covered: Vec<(u64, BranchId)>,
}

impl Trial {
    /// Makes a campaign; nothing if the user ended it.
    pub(super) fn run(plan: &Plan, strategy: &str, number: u64) -> Result<Option<Trial>, Failure> {
        let mut settings = Settings::new(strategy, plan.inputs.clone());
        settings.seed = plan.args.seed.wrapping_add(number);
        settings.execs = Some(plan.args.execs);
        settings.time = plan.args.time.map(|budget| budget.0);
        settings.stop = plan.stop.clone();
        let walk = WalkSettings { seed: settings.seed, ..WalkSettings::default() };
        let mut solver = cairn_solver::with_walk(plan.args.limits.of_solver(), walk);
        let mut server = Server::start(plan.spec.clone(), Limits::default())?;
        let mut recorder = Recorder::default();
        let summary =
            cairn_campaign::run(&settings, plan.program, &mut server, &mut *solver, None, &mut recorder)?;
        let is_whole = summary.notes.stop != Stop::Interrupted;
        let trial = Trial { strategy: strategy.to_owned(), number, summary, covered: recorder.covered };
        Ok(is_whole.then_some(trial))
    }

    /// Executions until so many branches were covered.
    pub(super) fn executions_to(&self, branches: usize) -> Option<u64> {
        branches
            .checked_sub(1)
            .map_or(Some(0), |last| self.covered.get(last).map(|(execution, _)| *execution))
    }
}

/// Notes what is covered when.
#[derive(Default)]
struct Recorder {
    covered: Vec<(u64, BranchId)>,
}

impl Observer for Recorder {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        if let Event::Executed { new_branches, .. } = event {
            self.covered.extend(new_branches.iter().map(|branch| (progress.executions, *branch)));
        }
    }
}
