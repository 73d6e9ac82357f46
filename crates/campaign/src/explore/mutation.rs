//! Batches of mutants: many inputs executed for their coverage alone, and those that covered something new
//! executed again with tracing.
//!
//! A batch mutates the input of one run. Its runs record no path, so they prove nothing and hide nothing: the
//! tree does not know of them. What they find is executed again at once as an ordinary run, which enters the
//! tree, the corpus and the journal. The journal has of a batch what the search depends on, with the inputs that
//! are executed again; a replay executes only these.

use super::CampaignError;
use super::execute::{ESCALATION, is_about_input};
use super::mutants::{MutantSource, each_mutant, learn};
use super::mutation_account::{MutationAccount, UNIT};
use super::state::{Campaign, Cause};
use super::worker::Worker;
use crate::execution::executor::Executor;
use crate::observe::observer::Event;
use crate::replay::delta::Delta;
use crate::replay::record::{KeptMutant, MutantsRecord, PieceLessons, WorkerId};
use crate::store::directory::DirectoryError;
use cairn_deadline::Deadline;
use cairn_exec::{CoverageRun, ExitKind, Input, ProducedValue, RunError};
use cairn_mutate::Material;
use cairn_program::{BranchId, SiteId};
use cairn_search::{MutantBatch, Mutators, Rng};
use cairn_tree::{RunId, taken};
use std::time::Duration;

/// Tests that the mutants of a batch are spliced with, and byte strings of the dictionary that they have; chosen
/// bounds. Another batch draws others.
const MAX_INPUTS: usize = 8;
const MAX_TOKENS: usize = 32;

/// A batch before it is executed.
struct Batch {
    source: MutantSource,
    /// Executions, those with tracing included.
    most: u64,
    /// Time limit of a mutant.
    limit: Duration,
    /// 0xff for each branch that is uncovered.
    wanted: Vec<u8>,
    account: MutationAccount,
    deadline: Deadline,
}

/// Result of a batch.
#[derive(Default)]
struct BatchResult {
    executions: u64,
    stopped: u64,
    kept: Vec<Kept>,
    /// By mutant: values of the producer that tells pieces apart.
    produced: Vec<Vec<ProducedValue>>,
    /// Reason for which the fork server is to be started again.
    failure: Option<RunError>,
}

/// A mutant to execute again.
struct Kept {
    input: Input,
    new_branches: Vec<BranchId>,
    crash: Option<u64>,
}

impl Worker<'_, '_> {
    /// Executes a batch of mutants of a run's input, and then those again that are worth a trace.
    pub fn mutate(&mut self, base: RunId, mutators: Mutators) -> Result<(), CampaignError> {
        // Drawn in a replay as well, so that the generator is in the same state afterwards.
        let seed = self.rng.word();
        self.wait_for_turn()?;
        let action = self.campaign.cursor.mutants(self.id, base)?;
        let record = match self.resolve(action)? {
            Some(recorded) => {
                recorded.lessons.iter().for_each(|lessons| self.campaign.known.pieces.learn(lessons));
                recorded
            }
            None => self.execute_mutants(base, mutators, seed)?,
        };
        let campaign = &mut *self.campaign;
        campaign.counters.executions += record.executions;
        campaign.search.mutation.add(&record);
        let kept = record.kept.iter().filter(|mutant| mutant.is_find()).count();
        let executions = record.executions;
        let batch = MutantBatch { base, executions, cost: record.cost as f64 / UNIT as f64, kept };
        campaign.search.strategies[self.id.index()].on_mutants(&batch);
        let input = &campaign.known.past_runs[base.index()].input;
        let input = campaign.cursor.recorded_input(base, input).clone();
        self.campaign.coordination.pending_runs += record.kept.len() as u64;
        for mutant in record.kept {
            self.campaign.coordination.pending_runs -= 1;
            let mutated = mutant.input.apply(&input).ok_or(DirectoryError::Nonsense)?;
            if self.campaign.must_stop().is_none() {
                self.trace_mutant(&mutated, base, &mutant)?;
            }
        }
        self.campaign.write_status_if_due()
    }

    /// Executes a mutant again, as an ordinary run.
    ///
    /// The trace of a hang is long, and few are made: no strategy is charged with it.
    fn trace_mutant(&mut self, input: &Input, base: RunId, mutant: &KeptMutant) -> Result<(), CampaignError> {
        let known = &self.campaign.known;
        let before = (known.past_runs.len(), known.coverage.covered());
        self.execute(input, Cause { base: Some(base), is_requested: mutant.is_find(), ..Cause::MUTATION })?;
        let Campaign { known, search, .. } = &mut *self.campaign;
        if known.past_runs.len() > before.0 {
            search.mutation.gains += u64::from(known.coverage.covered() > before.1);
            let expected = mutant.new_branches.iter().map(|branch| BranchId(*branch));
            search.mutation.note_elusive(expected.filter(|branch| !known.coverage.is_covered(*branch)));
        }
        Ok(())
    }

    /// Executes a batch and records it; with several workers, without the lock.
    fn execute_mutants(
        &mut self,
        base: RunId,
        mutators: Mutators,
        seed: u64,
    ) -> Result<MutantsRecord, CampaignError> {
        let mut batch = self.campaign.batch(base, mutators, seed);
        let reserved = batch.most;
        self.executor.end_by(batch.deadline.clone());
        let result = if self.campaign.is_single_worker() {
            batch.execute(&mut *self.executor)
        } else {
            self.campaign.coordination.pending_runs += reserved;
            let result = self.campaign.unlocked(|| batch.execute(&mut *self.executor));
            self.campaign.coordination.pending_runs -= reserved;
            result
        };
        if let Some(error) = &result.failure
            && self.restart()?
        {
            self.campaign.notify(&Event::Restarted { reason: &error.to_string() });
        }
        let lessons = self.campaign.learn_from(&batch.source, &result);
        let record = MutantsRecord { lessons, ..self.campaign.record_of(self.id, base, result) };
        self.campaign.cursor.log_mutants(record.clone())?;
        Ok(record)
    }
}

impl Campaign<'_> {
    /// Returns the havoc of a run's input.
    fn havoc(&self, base: RunId, mut rng: Rng) -> MutantSource {
        let known = &self.known;
        let draw_test = |rng: &mut Rng| known.tests.get(rng.below(known.tests.len().max(1)));
        let inputs =
            (0..MAX_INPUTS).filter_map(|_| draw_test(&mut rng).map(|(_, input)| input.clone())).collect();
        let draw_token = |_| known.dictionary.draw(&mut rng).map(<[u8]>::to_vec);
        let tokens = (0..MAX_TOKENS).filter_map(draw_token).collect();
        let base = known.past_runs[base.index()].input.clone();
        MutantSource::Havoc { base, material: Material { inputs, tokens }, rng }
    }

    /// Prepares a batch of mutants; `base` is the run whose input is mutated, or differences are to.
    fn batch(&mut self, base: RunId, mutators: Mutators, seed: u64) -> Batch {
        let spent = self.counters.executions + self.coordination.pending_runs;
        let left = self.execution_budget().map_or(u64::MAX, |budget| budget.saturating_sub(spent));
        let most = self.search.mutation.batch_size().min(left.max(1));
        let mut rng = Rng::new(seed);
        let source = match mutators {
            Mutators::Havoc => self.havoc(base, rng),
            Mutators::Pieces => {
                let attempts = self.piece_attempts(most as usize, &mut rng);
                attempts.map_or(MutantSource::Nothing, |(producer, attempts)| MutantSource::Pieces {
                    producer,
                    attempts,
                })
            }
        };
        let Campaign { known, search, program, .. } = &*self;
        let mut wanted = known.coverage.wanted(program.branch_count() as usize);
        search.mutation.elusive().for_each(|branch| wanted[branch.0 as usize] = 0);
        Batch {
            source,
            most,
            limit: search.run_limit.current().time,
            wanted,
            account: search.mutation.clone(),
            deadline: self.deadline(),
        }
    }

    /// Returns the record of a batch, without mutants whose branches other workers have covered meanwhile.
    fn record_of(&self, worker: WorkerId, base: RunId, result: BatchResult) -> MutantsRecord {
        let Campaign { known, search, settings, cursor, counters, .. } = self;
        let input = cursor.recorded_input(base, &known.past_runs[base.index()].input);
        let is_uncovered = |branch: &BranchId| !known.coverage.is_covered(*branch);
        let is_worth_it = |kept: &Kept| {
            kept.new_branches.is_empty() || kept.crash.is_some() || kept.new_branches.iter().any(is_uncovered)
        };
        let record = |kept: Kept| KeptMutant {
            input: Delta::new(input, &kept.input),
            new_branches: kept.new_branches.iter().map(|branch| branch.0).collect(),
            crash: kept.crash,
        };
        let runs = (counters.executions - search.mutation.executions).max(1);
        let mean_run = search.account.work().div_f64(runs as f64);
        let stopped = search.run_limit.current().time * result.stopped as u32;
        let cost = search.mutation.cost(settings, result.executions, stopped, mean_run);
        MutantsRecord {
            worker,
            base: base.index() as u32,
            millis: 0,
            executions: result.executions,
            // A batch without mutants must not be free.
            cost: if result.executions == 0 { UNIT } else { cost },
            stopped: result.stopped,
            kept: result.kept.into_iter().filter(is_worth_it).map(record).collect(),
            lessons: None,
        }
    }

    /// Learns from mutants that were made of pieces.
    fn learn_from(&mut self, source: &MutantSource, result: &BatchResult) -> Option<PieceLessons> {
        let MutantSource::Pieces { producer, attempts } = source else { return None };
        let model = self.known.pieces.model(*producer);
        Some(learn(model, attempts, &result.produced, *producer))
    }
}

impl Batch {
    /// Executes the mutants. A batch ends early at a mutant that is stopped at a limit, since many more may
    /// follow, or that takes the fork server with it.
    fn execute(&mut self, executor: &mut dyn Executor) -> BatchResult {
        let Batch { source, most, limit, wanted, account, deadline } = self;
        let producer = match source {
            MutantSource::Pieces { producer, .. } => Some(*producer),
            _ => None,
        };
        let mut runner = BatchRunner {
            executor,
            limit: *limit,
            producer,
            wanted,
            account,
            deadline,
            coverage: Vec::new(),
            result: BatchResult::default(),
        };
        each_mutant(source, |mutant| {
            let executed = runner.result.executions + runner.result.kept.len() as u64;
            executed < *most && !runner.deadline.is_over() && runner.run(mutant)
        });
        runner.result
    }
}

/// Executes the mutants of a batch.
struct BatchRunner<'a> {
    executor: &'a mut dyn Executor,
    limit: Duration,
    /// Producer whose values are recorded.
    producer: Option<SiteId>,
    wanted: &'a mut [u8],
    account: &'a MutationAccount,
    deadline: &'a Deadline,
    /// Coverage of the last mutant.
    coverage: Vec<u8>,
    result: BatchResult,
}

impl BatchRunner<'_> {
    /// Executes a mutant; false if it ends the batch.
    fn run(&mut self, mutant: &Input) -> bool {
        self.result.executions += 1;
        let run = match self.run_for_coverage(mutant) {
            Ok(run) => run,
            Err(error) if is_about_input(&error) => {
                self.result.produced.push(Vec::new());
                return true;
            }
            Err(error) => {
                // Executed again, it is counted and recorded if it does so again.
                self.keep(mutant, Vec::new(), None);
                self.result.failure = Some(error);
                return false;
            }
        };
        let is_stopped = run.end.is_excess();
        if is_stopped && self.deadline.is_over() {
            return false;
        }
        let new_branches = match run.end {
            ExitKind::Rejected => Vec::new(),
            _ => take_wanted(self.wanted, &self.coverage),
        };
        let is_known = |crash: &u64| self.result.kept.iter().any(|kept| kept.crash == Some(*crash));
        let crash = self.account.new_crash(&run).filter(|crash| !is_known(crash));
        if !new_branches.is_empty() || crash.is_some() || is_stopped && self.account.traces_stopped() {
            self.keep(mutant, new_branches, crash);
        }
        self.result.produced.push(run.produced);
        self.result.stopped += u64::from(is_stopped);
        !is_stopped
    }

    fn keep(&mut self, mutant: &Input, new_branches: Vec<BranchId>, crash: Option<u64>) {
        self.result.kept.push(Kept { input: mutant.clone(), new_branches, crash });
    }

    /// Runs a mutant, with higher limits while one stops it only because the machine is busy: batches would not
    /// repeat.
    fn run_for_coverage(&mut self, mutant: &Input) -> Result<CoverageRun, RunError> {
        let mut limit = self.limit;
        loop {
            let run = self.executor.run_for_coverage(mutant, limit, self.producer, &mut self.coverage)?;
            if !run.is_starved {
                return Ok(run);
            }
            limit = limit.saturating_mul(ESCALATION);
        }
    }
}

/// Returns the wanted branches that are covered, which are not wanted any more.
fn take_wanted(wanted: &mut [u8], coverage: &[u8]) -> Vec<BranchId> {
    let (words, rest) = coverage.as_chunks::<8>();
    let (wanted_words, wanted_rest) = wanted.as_chunks::<8>();
    let is_hit = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_ne_bytes(*a) & u64::from_ne_bytes(*b) != 0;
    let has_any =
        words.iter().zip(wanted_words).any(is_hit) || rest.iter().zip(wanted_rest).any(|(a, b)| a & b != 0);
    if !has_any {
        return Vec::new();
    }
    let covered = taken(coverage).filter(|index| wanted.get(*index) == Some(&0xff));
    let new: Vec<usize> = covered.collect();
    new.iter().for_each(|index| wanted[*index] = 0);
    new.into_iter().map(|index| BranchId(index as u32)).collect()
}
