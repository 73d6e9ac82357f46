//! Callbacks of the commands: warnings, progress, Ctrl-C, and recorded command lines.

use crate::args::{Cli, Command, values};
use crate::interrupt;
use crate::message;
use crate::step_progress::StepProgress;
use cairn_app::Frontend;
use cairn_app::subject::RunSettings;
use clap::Parser;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The user's terminal.
pub struct Console;

impl Frontend for Console {
    fn warn(&self, text: &str) {
        message::warn(text);
    }

    fn parse_run(&self, words: &[OsString]) -> Option<RunSettings> {
        match Cli::try_parse_from(values::join_file_names(words)).ok()?.command {
            Command::Run(run) => Some(run.settings()),
            _ => None,
        }
    }

    fn stop_flag(&self) -> io::Result<Arc<AtomicBool>> {
        interrupt::flag()
    }

    fn begin(&self, what: &'static str, total: usize) -> Box<dyn FnMut(usize)> {
        let mut progress = StepProgress::new(what, total);
        Box::new(move |done| progress.at(done))
    }
}
