//! The cursor in the journal: the one place that decides if an action is live, recorded or diverged.
//!
//! A campaign asks the cursor before every action whose outcome it cannot compute. While records are left,
//! the next record must be that action: its outcome is taken from the journal, and nothing is written.
//! Otherwise the replay has diverged. Once all records are consumed, the campaign is live: actions are
//! carried out and appended to the journal.

use super::delta::Delta;
use super::journal::{Journal, RecordReader, ResumedJournal};
use super::record::{MutantsRecord, QueryRecord, Record, RunRecord, RunResult, WorkerId};
use crate::store::corpus::Origin;
use crate::store::directory::DirectoryError;
use cairn_exec::Input;
use cairn_tree::{Flip, RunId};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Status of an action that the campaign is about to take.
pub(crate) enum Action<T> {
    /// It is to be carried out.
    Live,
    /// It was carried out before, with this outcome.
    Recorded(T),
    /// Another action was taken at this point of the journal.
    Diverged,
}

/// The run that comes next, before the strategy chooses one.
pub(crate) enum NextRun {
    /// A recorded run of a given input, which no strategy requested.
    Recorded(Box<RecordedRun>),
    /// A recorded action that the strategy requested.
    OfStrategy,
    /// Nothing is recorded: inputs from outside may be imported.
    Live,
}

/// A run in the journal.
pub(crate) struct RecordedRun {
    pub input: Input,
    /// None if no fork server survived it.
    pub result: Option<RunResult>,
    /// The input after the run, with the objects that it requested.
    pub final_input: Input,
}

/// A part of a journal from which the replay has diverged.
pub(crate) enum Remaining {
    /// A run, with all records before it.
    Run(Box<RecordedRun>),
    /// The runs were forgotten.
    Forget,
}

/// Run that an input is derived from, and its input.
pub(crate) struct Base<'a> {
    pub run: Option<u32>,
    pub input: &'a Input,
}

/// Returns a fingerprint that distinguishes a query from others that could be made at the same point;
/// `left_out` is the kind of constraints that it leaves out.
pub(crate) fn fingerprint(flip: Flip, nodes: usize, left_out: u8) -> [u8; 2] {
    let parts = [flip.node.index() as u64, flip.side.into(), nodes as u64, left_out.into()];
    let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let hash = parts.into_iter().fold(0, mix);
    [(hash >> 32) as u8, (hash >> 48) as u8]
}

/// Position in the journal, the journal itself, and the campaign's clock.
pub(crate) struct Cursor {
    /// Records that are left; None once the campaign is live.
    recorded: Option<RecordedPart>,
    journal: Option<Journal>,
    /// Time taken by the recorded part.
    recorded_time: Duration,
    /// Moment at which the campaign became live.
    live_since: Instant,
    /// Time at the last run or batch of mutants.
    last_run: Duration,
    /// Final inputs of the recorded runs, as the journal has them.
    inputs: Vec<Input>,
    /// Final inputs in the journal of runs whose replay requested other objects.
    differing_inputs: HashMap<u32, Input>,
}

struct RecordedPart {
    path: PathBuf,
    records: RecordReader,
    next: Record,
    runs: u64,
}

impl Cursor {
    /// Creates the cursor of a new campaign; without a journal nothing is written.
    pub fn live(journal: Option<Journal>) -> Cursor {
        let (recorded_time, last_run, inputs, differing_inputs) = Default::default();
        let live_since = Instant::now();
        Cursor { recorded: None, journal, recorded_time, live_since, last_run, inputs, differing_inputs }
    }

    /// Creates the cursor of a resumed campaign.
    pub fn replaying(resumed: ResumedJournal) -> Result<Cursor, DirectoryError> {
        let runs = resumed.runs;
        let (path, mut records, journal) = resumed.into_parts();
        let next = records.next().map_err(|source| unreadable(&path, source))?;
        let mut cursor = Cursor::live(Some(journal));
        cursor.recorded = next.map(|next| RecordedPart { path, records, next, runs });
        Ok(cursor)
    }

    /// True once all records are consumed.
    pub fn is_live(&self) -> bool {
        self.recorded.is_none()
    }

    /// Returns the number of recorded runs while they are replayed.
    pub fn runs_to_replay(&self) -> Option<u64> {
        self.recorded.as_ref().map(|recorded| recorded.runs)
    }

    /// Returns a budget only if it applies: the recorded part of a campaign was within its own.
    pub fn when_live<T>(&self, budget: Option<T>) -> Option<T> {
        budget.filter(|_| self.is_live())
    }

    /// Returns the time that the campaign has taken, without that of its replay.
    pub fn elapsed(&self) -> Duration {
        self.recorded_time + if self.is_live() { self.live_since.elapsed() } else { Duration::ZERO }
    }

    /// True if the next record is this worker's, or the campaign is live.
    pub fn is_turn_of(&self, worker: WorkerId) -> bool {
        let next = self.recorded.as_ref().and_then(|recorded| recorded.next.worker());
        next.is_none_or(|next| next == worker)
    }

    /// Returns the status of a worker's query with this fingerprint.
    pub fn query(
        &mut self,
        worker: WorkerId,
        fingerprint: [u8; 2],
    ) -> Result<Action<QueryRecord>, DirectoryError> {
        let expected = (worker, fingerprint);
        let matches = |record: &Record| matches!(record, Record::Query(query) if (query.worker, query.fingerprint) == expected);
        Ok(match self.consume(matches)? {
            Action::Recorded(Record::Query(query)) => Action::Recorded(query),
            other => other.without_outcome(),
        })
    }

    /// Returns the status of beginning a round of queries; the outcome is their effort.
    pub fn raise_limit(&mut self) -> Result<Action<Duration>, DirectoryError> {
        Ok(match self.consume(|record| matches!(record, Record::RaiseLimit(_)))? {
            Action::Recorded(Record::RaiseLimit(micros)) => Action::Recorded(Duration::from_micros(micros)),
            other => other.without_outcome(),
        })
    }

    /// Returns the status of a worker's run of this origin, on an input derived from that of `base`.
    pub fn run(
        &mut self,
        worker: WorkerId,
        origin: Origin,
        base: Option<RunId>,
    ) -> Result<Action<RecordedRun>, DirectoryError> {
        let expected = (worker, origin, base.map(|run| run.index() as u32));
        let matches = |record: &Record| matches!(record, Record::Run(run) if (run.worker, run.origin, run.base) == expected);
        Ok(match self.consume(matches)? {
            Action::Recorded(Record::Run(run)) => Action::Recorded(self.decode_run(run)?),
            other => other.without_outcome(),
        })
    }

    /// Returns the status of a worker's batch of mutants of the input of `base`.
    pub fn mutants(
        &mut self,
        worker: WorkerId,
        base: RunId,
    ) -> Result<Action<MutantsRecord>, DirectoryError> {
        let expected = (worker, base.index() as u32);
        let matches = |record: &Record| matches!(record, Record::Mutants(mutants) if (mutants.worker, mutants.base) == expected);
        Ok(match self.consume(matches)? {
            Action::Recorded(Record::Mutants(mutants)) => {
                self.add_recorded_time(mutants.millis);
                Action::Recorded(mutants)
            }
            other => other.without_outcome(),
        })
    }

    /// Returns the final input of a run, as the journal has it; `input` is that of the run itself.
    pub fn recorded_input<'i>(&'i self, run: RunId, input: &'i Input) -> &'i Input {
        self.differing_inputs.get(&(run.index() as u32)).unwrap_or(input)
    }

    /// Returns the run that comes next for a worker, before its strategy chooses one.
    pub fn next_run(&mut self, worker: WorkerId) -> Result<NextRun, DirectoryError> {
        let Some(recorded) = &self.recorded else { return Ok(NextRun::Live) };
        let is_given =
            matches!(&recorded.next, Record::Run(run) if (run.worker, run.origin) == (worker, Origin::Given));
        let run = if is_given { self.remaining()? } else { None };
        Ok(match run {
            Some(Remaining::Run(run)) => NextRun::Recorded(run),
            Some(Remaining::Forget) | None => NextRun::OfStrategy,
        })
    }

    /// Returns the next recorded run, skipping what led to it, or that the runs were forgotten: for a replay
    /// that has diverged.
    pub fn remaining(&mut self) -> Result<Option<Remaining>, DirectoryError> {
        while self.recorded.is_some() {
            match self.advance()? {
                Record::Run(run) => {
                    return self.decode_run(run).map(|run| Some(Remaining::Run(Box::new(run))));
                }
                Record::Forget => {
                    self.forget_inputs();
                    return Ok(Some(Remaining::Forget));
                }
                Record::Mutants(mutants) => self.add_recorded_time(mutants.millis),
                _ => {}
            }
        }
        Ok(None)
    }

    /// True if the runs were forgotten at this point of the journal.
    pub fn forgets(&mut self) -> Result<bool, DirectoryError> {
        let forgets = self.consume_equal(&Record::Forget)?;
        if forgets {
            self.forget_inputs();
        }
        Ok(forgets)
    }

    /// Forgets the inputs of all runs: the next is run 0.
    fn forget_inputs(&mut self) {
        self.inputs.clear();
        self.differing_inputs.clear();
    }

    /// True if solver caches were dropped at this point of the journal. No other record depends on it.
    pub fn drops_caches(&mut self) -> Result<bool, DirectoryError> {
        self.consume_equal(&Record::DropCaches)
    }

    /// True if a worker waited for others at this point of the journal.
    pub fn waits(&mut self, worker: WorkerId) -> Result<bool, DirectoryError> {
        self.consume_equal(&Record::Wait(worker))
    }

    /// True if a worker queried a deferred flip again at this point of the journal.
    pub fn retries(&mut self, worker: WorkerId) -> Result<bool, DirectoryError> {
        self.consume_equal(&Record::Retry(worker))
    }

    /// Replays or records that a worker continues after waiting for others.
    pub fn wake(&mut self, worker: WorkerId) -> Result<(), DirectoryError> {
        match self.consume(|record| *record == Record::Wake(worker))? {
            Action::Live => self.append(&Record::Wake(worker)),
            // A divergence is noticed at the worker's next action.
            Action::Recorded(_) | Action::Diverged => Ok(()),
        }
    }

    fn consume_equal(&mut self, record: &Record) -> Result<bool, DirectoryError> {
        let is_next = self.recorded.as_ref().is_some_and(|recorded| recorded.next == *record);
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    /// Consumes the next record if it matches.
    fn consume(&mut self, matches: impl Fn(&Record) -> bool) -> Result<Action<Record>, DirectoryError> {
        match &self.recorded {
            None => Ok(Action::Live),
            Some(recorded) if matches(&recorded.next) => self.advance().map(Action::Recorded),
            Some(_) => Ok(Action::Diverged),
        }
    }

    /// Consumes and returns the next record. After the last one the campaign is live.
    fn advance(&mut self) -> Result<Record, DirectoryError> {
        let recorded = self.recorded.as_mut().expect("a record is left");
        let next = recorded.records.next().map_err(|source| unreadable(&recorded.path, source))?;
        Ok(match next {
            Some(next) => std::mem::replace(&mut recorded.next, next),
            None => {
                self.live_since = Instant::now();
                self.recorded.take().expect("a record is left").next
            }
        })
    }

    fn add_recorded_time(&mut self, millis: u32) {
        self.recorded_time += Duration::from_millis(millis.into());
        self.last_run = self.recorded_time;
    }

    /// Returns the time since the last run or batch of mutants, in milliseconds.
    fn millis_since_last_run(&mut self) -> u32 {
        let millis = (self.elapsed() - self.last_run).as_millis() as u32;
        self.last_run += Duration::from_millis(millis.into());
        millis
    }

    fn decode_run(&mut self, run: RunRecord) -> Result<RecordedRun, DirectoryError> {
        self.add_recorded_time(run.millis);
        let empty = Input::default();
        let base = self.inputs.get(run.base.unwrap_or(0) as usize).unwrap_or(&empty);
        let input = run.input.apply(base);
        let change = run.result.as_ref().and_then(|result| result.input.as_ref());
        let final_input =
            input.as_ref().and_then(|input| change.map_or(Some(input.clone()), |c| c.apply(input)));
        let (Some(input), Some(final_input)) = (input, final_input) else {
            return Err(DirectoryError::Nonsense);
        };
        if run.result.is_some() {
            self.inputs.push(final_input.clone());
        }
        if self.is_live() {
            self.inputs = Vec::new();
        }
        Ok(RecordedRun { input, result: run.result, final_input })
    }

    /// Remembers the final input that the journal has for a run whose replay ended with another one.
    pub fn set_differing_input(&mut self, run: usize, input: Input) {
        self.differing_inputs.insert(run as u32, input);
    }

    /// Records that the runs are forgotten.
    pub fn log_forget(&mut self) -> Result<(), DirectoryError> {
        self.forget_inputs();
        self.append(&Record::Forget)
    }

    /// Records a query and its answer.
    pub fn log_query(&mut self, query: QueryRecord) -> Result<(), DirectoryError> {
        self.append(&Record::Query(query))
    }

    /// Records that a round of queries with this effort begins.
    pub fn log_raise_limit(&mut self, time: Duration) -> Result<(), DirectoryError> {
        self.append(&Record::RaiseLimit(time.as_micros() as u64))
    }

    /// Records that a worker waits for others.
    pub fn log_wait(&mut self, worker: WorkerId) -> Result<(), DirectoryError> {
        self.append(&Record::Wait(worker))
    }

    /// Records that a worker queries a deferred flip again.
    pub fn log_retry(&mut self, worker: WorkerId) -> Result<(), DirectoryError> {
        self.append(&Record::Retry(worker))
    }

    /// Records that solver caches are dropped.
    pub fn log_drop_caches(&mut self) -> Result<(), DirectoryError> {
        self.append(&Record::DropCaches)
    }

    /// Records a batch of mutants; if some are kept, at once: they are not found again.
    pub fn log_mutants(&mut self, mutants: MutantsRecord) -> Result<(), DirectoryError> {
        let (has_kept, millis) = (!mutants.kept.is_empty(), self.millis_since_last_run());
        self.append(&Record::Mutants(MutantsRecord { millis, ..mutants }))?;
        if has_kept { self.flush() } else { Ok(()) }
    }

    /// Records a run; `base` is the run that its input is derived from, or the first one.
    pub fn log_run(
        &mut self,
        worker: WorkerId,
        origin: Origin,
        base: Base,
        input: &Input,
        result: Option<RunResult>,
    ) -> Result<(), DirectoryError> {
        if self.journal.is_none() {
            return Ok(());
        }
        let base_input = self.differing_inputs.get(&base.run.unwrap_or(0)).unwrap_or(base.input);
        let input = Delta::new(base_input, input);
        let millis = self.millis_since_last_run();
        let is_kept = result.as_ref().is_some_and(|result| !result.kept.is_empty());
        self.append(&Record::Run(RunRecord { worker, millis, origin, base: base.run, input, result }))?;
        if is_kept { self.flush() } else { Ok(()) }
    }

    /// Appends a record, if the campaign is live.
    fn append(&mut self, record: &Record) -> Result<(), DirectoryError> {
        match &mut self.journal {
            Some(journal) if self.recorded.is_none() => journal.append(record),
            _ => Ok(()),
        }
    }

    /// Writes all records to the file.
    fn flush(&mut self) -> Result<(), DirectoryError> {
        self.journal.as_mut().map_or(Ok(()), Journal::flush)
    }

    /// Makes all records durable.
    pub fn sync(&mut self) -> Result<(), DirectoryError> {
        self.journal.as_mut().map_or(Ok(()), Journal::sync)
    }
}

impl<T> Action<T> {
    /// Changes the type of an action without a usable outcome.
    fn without_outcome<U>(self) -> Action<U> {
        match self {
            Action::Live => Action::Live,
            Action::Recorded(_) | Action::Diverged => Action::Diverged,
        }
    }
}

fn unreadable(path: &Path, source: io::Error) -> DirectoryError {
    DirectoryError::Unreadable { path: path.to_owned(), source }
}
