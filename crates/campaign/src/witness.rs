//! A second look at inputs, on other builds of the program, beside the campaign.
//!
//! A thread of its own runs what it is asked to, in order. The campaign hears of the answers when it has the time.

use crate::findings::Key;
use crate::minimise::minimise;
use crate::sanitizer::{SanitizerError, errors};
use cairn_exec::{ExitKind, Input, Run};
use cairn_program::Symbols;
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Runs that looking for a smaller input may take, and their time.
const SMALLER_RUNS: u32 = 400;
const SMALLER_TIME: Duration = Duration::from_secs(3);

/// Other builds of the program, made when they are needed.
pub trait Builds: Send + Sync + fmt::Debug {
    /// Runs a build without anything of ours; nothing if there is none.
    fn plain(&self, input: &Input) -> Option<Run>;

    /// Runs a build with sanitizers, whose words are in the run's standard error; nothing if there is none.
    fn sanitized(&self, input: &Input) -> Option<Run>;

    /// The file of the build with sanitizers.
    fn sanitized_program(&self) -> PathBuf;

    /// No answer is wanted any more.
    fn stop(&self);
}

/// What an input is to be run for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum About {
    /// A finding: do others see it, too?
    Finding(usize),
    /// A test: do sanitizers see something?
    Test(u32),
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub about: About,
    /// How the plain build ended.
    pub plain: Option<ExitKind>,
    /// How the one with sanitizers did.
    pub sanitized: Option<ExitKind>,
    /// What sanitizers said; of a test only what they had not said before, with the smallest input for it.
    pub errors: Vec<(SanitizerError, Input)>,
}

/// The thread, as the campaign sees it.
pub(crate) struct Witness {
    builds: Arc<dyn Builds>,
    questions: Option<Sender<(About, Input)>>,
    answers: Receiver<Answer>,
    thread: Option<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    waiting: u64,
}

impl Witness {
    /// A thread that asks these builds. Of tests it tells what is not known.
    pub fn new(builds: Arc<dyn Builds>, known: BTreeSet<Key>) -> Witness {
        let (questions, theirs) = channel();
        let (told, answers) = channel();
        let (stop, asked) = (Arc::new(AtomicBool::new(false)), builds.clone());
        let flag = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut asker = Asker { builds: &*asked, symbols: None, known, stop: &flag };
            for (about, input) in theirs {
                if flag.load(Ordering::Relaxed) || told.send(asker.answer(about, &input)).is_err() {
                    break;
                }
            }
        });
        Witness { builds, questions: Some(questions), answers, thread: Some(thread), stop, waiting: 0 }
    }

    /// Asks for an input to be run.
    pub fn ask(&mut self, about: About, input: Input) {
        let sent = self.questions.as_ref().is_some_and(|questions| questions.send((about, input)).is_ok());
        self.waiting += u64::from(sent);
    }

    /// Questions without an answer.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// The next answer, if it comes within this time.
    pub fn answer(&mut self, patience: Duration) -> Option<Answer> {
        if self.waiting == 0 {
            return None;
        }
        match self.answers.recv_timeout(patience) {
            Ok(answer) => {
                self.waiting -= 1;
                Some(answer)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.waiting = 0;
                None
            }
        }
    }
}

impl Drop for Witness {
    /// The run that is being made ends by its own limits; nothing of it is left behind.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.builds.stop();
        self.questions = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread's side.
struct Asker<'a> {
    builds: &'a dyn Builds,
    symbols: Option<Symbols>,
    /// What was said of tests.
    known: BTreeSet<Key>,
    stop: &'a AtomicBool,
}

impl Asker<'_> {
    fn answer(&mut self, about: About, input: &Input) -> Answer {
        let run = self.builds.sanitized(input);
        let said = run.as_ref().map(|run| self.errors(run)).unwrap_or_default();
        let (plain, errors) = match about {
            About::Finding(_) => {
                let plain = self.builds.plain(input).map(|run| run.end);
                (plain, said.into_iter().map(|error| (error, input.clone())).collect())
            }
            About::Test(_) => {
                let news: Vec<_> = said.into_iter().filter(|error| self.is_news(error)).collect();
                let with_smallest = |error| {
                    let least = self.smallest(&error, input);
                    (error, least)
                };
                (None, news.into_iter().map(with_smallest).collect())
            }
        };
        Answer { about, plain, sanitized: run.map(|run| run.end), errors }
    }

    fn errors(&mut self, run: &Run) -> Vec<SanitizerError> {
        if self.symbols.is_none() && !run.stderr.is_empty() {
            self.symbols = Symbols::read(&self.builds.sanitized_program());
        }
        errors(&String::from_utf8_lossy(&run.stderr), self.symbols.as_ref())
    }

    fn is_news(&mut self, error: &SanitizerError) -> bool {
        self.known.insert(error.key())
    }

    /// The smallest input known that shows an error.
    fn smallest(&mut self, error: &SanitizerError, input: &Input) -> Input {
        let (wanted, until, mut runs) = (error.key(), Instant::now() + SMALLER_TIME, 0);
        minimise(input, &mut |input| {
            runs += 1;
            if runs > SMALLER_RUNS || Instant::now() > until || self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let run = self.builds.sanitized(input);
            Some(run.is_some_and(|run| self.errors(&run).iter().any(|error| error.key() == wanted)))
        })
    }
}
