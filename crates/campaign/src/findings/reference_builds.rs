//! Runs inputs on reference builds of the program, on a thread of its own.
//!
//! The thread confirms findings first, and checks paths in the order in which they were run: which errors are
//! new then does not depend on the clock. The campaign polls for the results between two steps of its search,
//! so it never waits for them before its end.

use super::fault::FaultKey;
use super::minimise::minimise;
use super::request_queue::{Request, RequestQueue};
use super::sanitizer::{SanitizerError, errors};
use cairn_exec::{ExitKind, Input, Run};
use cairn_program::Symbols;
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maximum number of runs to minimise an input that sanitizers reported; a chosen bound.
const MAX_MINIMISING_RUNS: u32 = 400;
/// Maximum time for the same; a chosen bound.
const MAX_MINIMISING_TIME: Duration = Duration::from_secs(3);

/// Reference builds of the program, made when they are first needed.
pub trait Builds: Send + Sync + fmt::Debug {
    /// Runs the plain build, without any of Cairn's instrumentation; None if there is none.
    fn plain(&self, input: &Input) -> Option<Run>;

    /// Runs the build with sanitizers, whose reports are in the run's standard error; None if there is none.
    fn sanitized(&self, input: &Input) -> Option<Run>;

    /// Returns the file of the build with sanitizers.
    fn sanitized_program(&self) -> PathBuf;

    /// Returns what has happened to the builds since the last call.
    fn news(&self) -> Vec<BuildNews>;

    /// Cancels running and future requests.
    fn stop(&self);
}

/// An event in the making of a build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildNews {
    /// So many of its files are compiled.
    Compiling {
        /// Name of the build.
        build: &'static str,
        /// Files done.
        done: usize,
        /// All files.
        total: usize,
    },
    /// It cannot be made.
    Failed {
        /// Name of the build.
        build: &'static str,
        /// The reason, in one sentence.
        reason: String,
    },
}

/// Results of a request.
#[derive(Debug)]
pub(crate) struct BuildResults {
    pub request: Request,
    /// Exit status of the plain build.
    pub plain: Option<ExitKind>,
    /// Exit status of the build with sanitizers.
    pub sanitized: Option<ExitKind>,
    /// Errors that sanitizers reported, with their inputs. For a path only errors that are new, with
    /// minimised inputs.
    pub errors: Vec<(SanitizerError, Input)>,
}

/// Handle of the thread.
pub(crate) struct ReferenceBuilds {
    builds: Arc<dyn Builds>,
    queue: Arc<RequestQueue>,
    results: Receiver<BuildResults>,
    thread: Option<JoinHandle<()>>,
    pending: u64,
}

impl ReferenceBuilds {
    /// Starts the thread, which spends `share` of the time on paths. Errors with a key in `known` are not
    /// reported for paths.
    pub fn new(builds: Arc<dyn Builds>, known: BTreeSet<FaultKey>, share: f64) -> ReferenceBuilds {
        let (outgoing, results) = channel();
        let queue = Arc::new(RequestQueue::new(share));
        let (thread_builds, incoming) = (builds.clone(), queue.clone());
        let thread = std::thread::spawn(move || {
            let mut runner = Runner { builds: &*thread_builds, symbols: None, known, queue: &incoming };
            while let Some((request, input)) = incoming.next() {
                let start = Instant::now();
                let results = runner.serve(request, &input);
                if matches!(request, Request::Path(_)) {
                    incoming.rest_after(start.elapsed());
                }
                if outgoing.send(results).is_err() {
                    break;
                }
            }
        });
        ReferenceBuilds { builds, queue, results, thread: Some(thread), pending: 0 }
    }

    /// Requests an input to be run.
    pub fn request(&mut self, request: Request, input: Input) {
        self.queue.add(request, input);
        self.pending += 1;
    }

    /// Lets the thread take all the time there is.
    pub fn hurry(&self) {
        self.queue.hurry();
    }

    /// Returns what has happened to the builds since the last call.
    pub fn news(&self) -> Vec<BuildNews> {
        self.builds.news()
    }

    /// Returns the number of requests without results.
    pub fn pending(&self) -> u64 {
        self.pending
    }

    /// Returns the next results, if they arrive within `timeout`.
    pub fn poll(&mut self, timeout: Duration) -> Option<BuildResults> {
        if self.pending == 0 {
            return None;
        }
        match self.results.recv_timeout(timeout) {
            Ok(results) => {
                self.pending -= 1;
                Some(results)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.pending = 0;
                None
            }
        }
    }
}

impl Drop for ReferenceBuilds {
    /// Stops the thread; the current run ends by its own limits.
    fn drop(&mut self) {
        self.queue.stop();
        self.builds.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// State of the thread.
struct Runner<'a> {
    builds: &'a dyn Builds,
    symbols: Option<Symbols>,
    /// Keys of errors that were reported before.
    known: BTreeSet<FaultKey>,
    queue: &'a RequestQueue,
}

impl Runner<'_> {
    fn serve(&mut self, request: Request, input: &Input) -> BuildResults {
        let run = self.builds.sanitized(input);
        let reported = run.as_ref().map(|run| self.errors(run)).unwrap_or_default();
        let (plain, errors) = match request {
            Request::Finding(_) => {
                let plain = self.builds.plain(input).map(|run| run.end);
                (plain, reported.into_iter().map(|error| (error, input.clone())).collect())
            }
            Request::Path(_) => {
                let new: Vec<_> = reported.into_iter().filter(|error| self.is_new(error)).collect();
                let with_smallest = |error| {
                    let smallest = self.smallest(&error, input);
                    (error, smallest)
                };
                (None, new.into_iter().map(with_smallest).collect())
            }
        };
        BuildResults { request, plain, sanitized: run.map(|run| run.end), errors }
    }

    fn errors(&mut self, run: &Run) -> Vec<SanitizerError> {
        if self.symbols.is_none() && !run.stderr.is_empty() {
            self.symbols = Symbols::read(&self.builds.sanitized_program());
        }
        errors(&String::from_utf8_lossy(&run.stderr), self.symbols.as_ref())
    }

    fn is_new(&mut self, error: &SanitizerError) -> bool {
        self.known.insert(error.key())
    }

    /// Minimises an input that shows an error.
    fn smallest(&mut self, error: &SanitizerError, input: &Input) -> Input {
        let (wanted, until, mut runs) = (error.key(), Instant::now() + MAX_MINIMISING_TIME, 0);
        minimise(input, &mut |input| {
            runs += 1;
            if runs > MAX_MINIMISING_RUNS || Instant::now() > until || self.queue.is_stopped() {
                return None;
            }
            let run = self.builds.sanitized(input);
            Some(run.is_some_and(|run| self.errors(&run).iter().any(|error| error.key() == wanted)))
        })
    }
}
