//! What a campaign depends on and cannot compute again, on disk.
//!
//! A campaign follows from its settings, from what the solver answered, from what runs showed, and from the clock. All but the
//! first is written to the journal as it happens, the inputs of runs as well. To go on with a campaign is to make it
//! again: strategy and tree are asked and told as they were, inputs are run again, questions that took long are answered
//! from the journal, and nothing is written. When the journal is at its end, everything is as it was, and the search goes on. If the
//! search goes astray on the way, because the program does not repeat itself, the inputs that are left in the journal are run as they are:
//! no test, branch or finding depends on what led to it.

mod delta;
mod file;
mod record;

pub(crate) use delta::Delta;
pub(crate) use file::{JOURNAL, Journal, OldJournal};
pub(crate) use record::{Asked, Charter, Seen, Timeout, Told, WorkerId};

use crate::corpus::Origin;
use crate::directory::DirectoryError;
use cairn_exec::Input;
use cairn_tree::{Flip, RunId};
use file::Records;
use record::{Ran, Record};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Something the campaign is about to do or ask.
pub(crate) enum Recalled<T> {
    /// It was not done before.
    Nothing,
    /// It was, and this came of it.
    Told(T),
    /// Something else was done at this point.
    ReplayDivergence,
}

/// A run of the past.
pub(crate) struct OldRun {
    pub input: Input,
    /// Nothing if no server survived it.
    pub seen: Option<Seen>,
    /// The input as the run saw it.
    pub seen_input: Input,
}

/// Tells a question from others that could be asked at the same point.
pub(crate) fn question(flip: Flip, nodes: usize, any_constants: bool) -> [u8; 2] {
    let parts = [flip.node.index() as u64, flip.side.into(), nodes as u64, any_constants.into()];
    let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let hash = parts.into_iter().fold(0, mix);
    [(hash >> 32) as u8, (hash >> 48) as u8]
}

/// The past of a campaign as long as there is some, its journal, and its clock.
pub(crate) struct Chronicle {
    past: Option<Past>,
    journal: Option<Journal>,
    /// What earlier processes took, and since when this one has gone on.
    before: Duration,
    since: Instant,
    /// Time at the last run.
    last: Duration,
    /// By run: inputs of the past, as the journal knows them.
    inputs: Vec<Input>,
    /// The same of runs that saw another one when they were made again.
    other_inputs: HashMap<u32, Input>,
}

struct Past {
    path: PathBuf,
    records: Records,
    next: Record,
    runs: u64,
}

impl Chronicle {
    /// A campaign that leaves no trace, or that begins.
    pub fn new(journal: Option<Journal>) -> Chronicle {
        let (before, last, inputs, other_inputs) = Default::default();
        Chronicle { past: None, journal, before, since: Instant::now(), last, inputs, other_inputs }
    }

    /// A campaign that goes on.
    pub fn resumed(old: OldJournal) -> Result<Chronicle, DirectoryError> {
        let runs = old.runs;
        let (path, mut records, journal) = old.into_parts();
        let next = records.next().map_err(|source| unreadable(&path, source))?;
        let mut chronicle = Chronicle::new(Some(journal));
        chronicle.past = next.map(|next| Past { path, records, next, runs });
        Ok(chronicle)
    }

    /// Runs that the past has, as long as it is not over.
    pub fn rebuilding(&self) -> Option<u64> {
        self.past.as_ref().map(|past| past.runs)
    }

    /// Time that the campaign has taken, without that of making it again.
    pub fn elapsed(&self) -> Duration {
        self.before + if self.past.is_some() { Duration::ZERO } else { self.since.elapsed() }
    }

    /// The answer to a question of a worker.
    pub fn asked(&mut self, worker: WorkerId, check: [u8; 2]) -> Result<Recalled<Asked>, DirectoryError> {
        let is_it = |record: &Record| matches!(record, Record::Asked(asked) if (asked.worker, asked.check) == (worker, check));
        Ok(match self.recall(is_it)? {
            Recalled::Told(Record::Asked(asked)) => Recalled::Told(asked),
            other => other.without(),
        })
    }

    /// What a question may take from now on.
    pub fn insisted(&mut self) -> Result<Recalled<Duration>, DirectoryError> {
        Ok(match self.recall(|record| matches!(record, Record::Insisted(_)))? {
            Recalled::Told(Record::Insisted(micros)) => Recalled::Told(Duration::from_micros(micros)),
            other => other.without(),
        })
    }

    /// Whether the solver forgot at this point; of that nothing else depends on.
    pub fn forgot(&mut self) -> Result<bool, DirectoryError> {
        self.was(&Record::Forgot)
    }

    /// Whether a worker waited for others at this point.
    pub fn slept(&mut self, worker: WorkerId) -> Result<bool, DirectoryError> {
        self.was(&Record::Slept(worker))
    }

    fn was(&mut self, record: &Record) -> Result<bool, DirectoryError> {
        let is_next = self.past.as_ref().is_some_and(|past| past.next == *record);
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    /// A run of a worker for this reason, on an input made from that of a run.
    pub fn ran(
        &mut self,
        worker: WorkerId,
        origin: Origin,
        base: Option<RunId>,
    ) -> Result<Recalled<OldRun>, DirectoryError> {
        let wanted = (worker, origin, base.map(|run| run.index() as u32));
        let is_it = |record: &Record| matches!(record, Record::Ran(ran) if (ran.worker, ran.origin, ran.base) == wanted);
        Ok(match self.recall(is_it)? {
            Recalled::Told(Record::Ran(ran)) => Recalled::Told(self.old_run(ran)?),
            other => other.without(),
        })
    }

    /// Whether what comes next in the past is this worker's, or there is no past.
    pub fn is_turn_of(&self, worker: WorkerId) -> bool {
        let next = self.past.as_ref().and_then(|past| past.next.worker());
        next.is_none_or(|next| next == worker)
    }

    /// A worker that had nothing to do looks what others have done.
    pub fn woke(&mut self, worker: WorkerId) -> Result<(), DirectoryError> {
        match self.recall(|record| *record == Record::Woke(worker))? {
            Recalled::Nothing => self.add(&Record::Woke(worker)),
            // If it did not, the search will notice by what it does next.
            Recalled::Told(_) | Recalled::ReplayDivergence => Ok(()),
        }
    }

    /// The next run of the past, if it is this worker's and nobody but the user has asked for it.
    pub fn given(&mut self, worker: WorkerId) -> Result<Option<OldRun>, DirectoryError> {
        match self.past.as_ref().map(|past| &past.next) {
            Some(Record::Ran(ran)) if (ran.worker, ran.origin) == (worker, Origin::Given) => self.any_run(),
            _ => Ok(None),
        }
    }

    /// The next run of the past, whatever was asked or done in between.
    pub fn any_run(&mut self) -> Result<Option<OldRun>, DirectoryError> {
        while self.past.is_some() {
            if let Record::Ran(ran) = self.advance()? {
                return self.old_run(ran).map(Some);
            }
        }
        Ok(None)
    }

    fn recall(&mut self, is_it: impl Fn(&Record) -> bool) -> Result<Recalled<Record>, DirectoryError> {
        match &self.past {
            None => Ok(Recalled::Nothing),
            Some(past) if is_it(&past.next) => self.advance().map(Recalled::Told),
            Some(_) => Ok(Recalled::ReplayDivergence),
        }
    }

    /// Goes on by one record, and gives it. Behind the last one the past is over.
    fn advance(&mut self) -> Result<Record, DirectoryError> {
        let past = self.past.as_mut().expect("there is a past");
        let next = past.records.next().map_err(|source| unreadable(&past.path, source))?;
        Ok(match next {
            Some(next) => std::mem::replace(&mut past.next, next),
            None => {
                self.since = Instant::now();
                self.past.take().expect("there is a past").next
            }
        })
    }

    fn old_run(&mut self, ran: Ran) -> Result<OldRun, DirectoryError> {
        self.before += Duration::from_millis(ran.millis.into());
        self.last = self.before;
        let nothing = Input::default();
        let base = self.inputs.get(ran.base.unwrap_or(0) as usize).unwrap_or(&nothing);
        let input = ran.input.apply(base);
        let change = ran.seen.as_ref().and_then(|seen| seen.input.as_ref());
        let seen_input =
            input.as_ref().and_then(|input| change.map_or(Some(input.clone()), |c| c.apply(input)));
        let (Some(input), Some(seen_input)) = (input, seen_input) else {
            return Err(DirectoryError::Nonsense);
        };
        if ran.seen.is_some() {
            self.inputs.push(seen_input.clone());
        }
        if self.past.is_none() {
            self.inputs = Vec::new();
        }
        Ok(OldRun { input, seen: ran.seen, seen_input })
    }

    /// Remembers what the journal takes for the input of a run that saw another one now.
    pub fn differs(&mut self, run: usize, input: Input) {
        self.other_inputs.insert(run as u32, input);
    }

    /// Writes down a question and its answer.
    pub fn note_asked(&mut self, asked: Asked) -> Result<(), DirectoryError> {
        self.add(&Record::Asked(asked))
    }

    /// Writes down what a question may take from now on.
    pub fn note_insisted(&mut self, time: Duration) -> Result<(), DirectoryError> {
        self.add(&Record::Insisted(time.as_micros() as u64))
    }

    /// Writes down that a worker waits for others.
    pub fn note_slept(&mut self, worker: WorkerId) -> Result<(), DirectoryError> {
        self.add(&Record::Slept(worker))
    }

    /// Writes down that the solver forgets.
    pub fn note_forgot(&mut self) -> Result<(), DirectoryError> {
        self.add(&Record::Forgot)
    }

    /// Writes down a run; `base` is the run its input was made from, or the first, and that one's input.
    pub fn note_run(
        &mut self,
        worker: WorkerId,
        origin: Origin,
        base: Base,
        input: &Input,
        seen: Option<Seen>,
    ) -> Result<(), DirectoryError> {
        if self.journal.is_none() {
            return Ok(());
        }
        let known = self.other_inputs.get(&base.run.unwrap_or(0)).unwrap_or(base.input);
        let input = Delta::new(known, input);
        let millis = (self.elapsed() - self.last).as_millis() as u32;
        self.last += Duration::from_millis(millis.into());
        let is_kept = seen.as_ref().is_some_and(|seen| !seen.kept.is_empty());
        self.add(&Record::Ran(Ran { worker, millis, origin, base: base.run, input, seen }))?;
        if is_kept { self.flush() } else { Ok(()) }
    }

    fn add(&mut self, record: &Record) -> Result<(), DirectoryError> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.add(record))
    }

    /// Hands everything to the system that was written down.
    pub fn flush(&mut self) -> Result<(), DirectoryError> {
        self.journal.as_mut().map_or(Ok(()), Journal::flush)
    }

    /// Has everything written to the disk.
    pub fn sync(&mut self) -> Result<(), DirectoryError> {
        self.journal.as_mut().map_or(Ok(()), Journal::sync)
    }
}

/// What the input of a run is told against.
pub(crate) struct Base<'a> {
    pub run: Option<u32>,
    pub input: &'a Input,
}

impl<T> Recalled<T> {
    /// The same about something else; what was told is no use then.
    fn without<U>(self) -> Recalled<U> {
        match self {
            Recalled::Nothing => Recalled::Nothing,
            Recalled::Told(_) | Recalled::ReplayDivergence => Recalled::ReplayDivergence,
        }
    }
}

fn unreadable(path: &Path, source: io::Error) -> DirectoryError {
    DirectoryError::Unreadable { path: path.to_owned(), source }
}
