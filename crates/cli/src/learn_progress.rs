//! Progress of learning: a line that is redrawn on a terminal, or printed every few seconds.

use crate::live::Live;
use crate::message::log;
use crate::row::Row;
use crate::style::Style;
use crate::terminal;
use cairn_app::Error;
use cairn_app::learn::{LearnObserver, LearnProgress};
use std::io::stderr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Time between two lines where there is no terminal; a chosen bound.
const PERIOD: Duration = Duration::from_secs(10);

/// Shows the progress of learning, unless quiet.
pub struct LearnDisplay {
    quiet: bool,
    stop: Arc<AtomicBool>,
    progress: OnceLock<Arc<Mutex<LearnProgress>>>,
    /// The redrawn line, on a terminal.
    live: Mutex<Option<Live>>,
    /// Time of the last printed line.
    printed: Mutex<Instant>,
}

impl LearnDisplay {
    /// Shows nothing until learning starts.
    pub fn new(quiet: bool, stop: &Arc<AtomicBool>) -> LearnDisplay {
        LearnDisplay {
            quiet,
            stop: stop.clone(),
            progress: OnceLock::new(),
            live: Mutex::default(),
            printed: Mutex::new(Instant::now()),
        }
    }
}

impl LearnObserver for LearnDisplay {
    fn start(&self, end: Option<Instant>) -> Result<&Mutex<LearnProgress>, Error> {
        let progress = self.progress.get_or_init(|| Arc::new(Mutex::new(LearnProgress::start(end))));
        *self.printed.lock().expect("no holder panics") = Instant::now();
        if !self.quiet && terminal::can_draw() {
            let (shown, style) = (progress.clone(), Style::of(&stderr()));
            let live = Live::start(self.stop.clone(), move |size| {
                let line = shown.lock().expect("no holder panics").line();
                vec![Row::new(size.width, style).add(" ").add(&line).text()]
            })?;
            *self.live.lock().expect("no holder panics") = Some(live);
        }
        Ok(progress)
    }

    fn done(&self, progress: &LearnProgress) {
        let mut printed = self.printed.lock().expect("no holder panics");
        let is_live = self.live.lock().expect("no holder panics").is_some();
        if !self.quiet && !is_live && printed.elapsed() >= PERIOD {
            *printed = Instant::now();
            log(format_args!("{}\n", progress.line()));
        }
    }

    fn end(&self) {
        // Dropped outside the lock of the progress, which the drawing thread takes.
        let live = self.live.lock().expect("no holder panics").take();
        drop(live);
    }

    fn notify(&self, text: &str) {
        if !self.quiet {
            log(format_args!("cairn: {text}\n"));
        }
    }
}
