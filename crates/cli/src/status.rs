//! Progress of a running campaign: a screen, a log, or nothing.

mod log;
mod screen;
mod view;
mod warnings;

use crate::args::LogKind;
use crate::failure::Failure;
use crate::live::Live;
use crate::style::Style;
use crate::terminal;
use cairn_campaign::{Event, Observer, Progress, Settings, Summary, TestFolder};
use cairn_exec::ExitKind;
use log::{Form, Log};
use screen::Screen;
use std::io::stderr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};
use view::View;

/// Time between two views that the screen gets; a chosen bound.
const PERIOD: Duration = Duration::from_millis(100);

/// An input that crashes or hangs the program.
struct Finding {
    /// End of the run.
    end: ExitKind,
    /// Kind and location, if the finding is new.
    headline: Option<String>,
    /// Its file.
    path: PathBuf,
}

enum Show {
    Nothing,
    Log(Box<Log>),
    /// A screen, which gets a view now and then.
    Screen {
        views: Sender<View>,
        last: Instant,
        _live: Live,
    },
}

/// Observer that shows the campaign's progress.
pub struct Status {
    show: Show,
    view: View,
    /// Files kept from the current execution; its end is reported after them.
    kept: Vec<(PathBuf, Option<String>)>,
}

impl Status {
    /// Starts showing progress on standard error in the form of `log`, if any.
    pub fn start(log: Option<LogKind>, settings: &Settings, out: Option<&Path>) -> Result<Status, Failure> {
        let show = match log {
            None => Show::Nothing,
            Some(LogKind::Auto) if terminal::can_draw() => Show::screen(settings)?,
            Some(LogKind::Json) => Show::Log(Box::new(Log::new(Form::Json))),
            Some(LogKind::Auto | LogKind::Plain) => Show::Log(Box::new(Log::new(Form::Plain))),
        };
        if let Show::Log(log) = &show {
            log.start(settings, out);
        }
        let view = View::new(settings.command.join(" "), settings.execs, settings.time);
        Ok(Status { show, view, kept: Vec::new() })
    }

    /// Ends the display before the summary is printed.
    pub fn end(&mut self, summary: Option<&Summary>) -> Result<(), Failure> {
        if let (Show::Log(log), Some(summary)) = (&self.show, summary) {
            log.end(summary, &self.view.strategy)?;
        }
        self.show = Show::Nothing;
        Ok(())
    }

    /// Reports a finished run, with the files that were kept from it.
    fn executed(&mut self, end: ExitKind, progress: &Progress) {
        for (path, headline) in self.kept.drain(..) {
            if let Some(headline) = &headline {
                self.view.found(end, headline, progress.elapsed);
            }
            if let Some(log) = self.show.log(progress) {
                log.finding(&Finding { end, headline, path }, progress);
            }
        }
        if let Some(log) = self.show.log(progress) {
            log.warn(progress);
        }
    }

    fn update(&mut self, event: &Event, progress: &Progress) {
        match event {
            Event::Kept { place: TestFolder::Crashes | TestFolder::Hangs, path: Some(path), headline } => {
                self.kept.push((path.to_path_buf(), headline.map(str::to_owned)));
            }
            Event::Kept { place: TestFolder::Queue, path, .. } => {
                self.view.last_test = Some(progress.elapsed);
                if let Some(log) = self.show.log(progress) {
                    log.test(*path, progress);
                }
            }
            Event::Executed { end, new_branches } => {
                if !new_branches.is_empty() {
                    self.view.cover(progress);
                }
                self.executed(*end, progress);
            }
            Event::Building { build, done, total } => {
                self.view.building = (done < total).then(|| building(build, *done, *total));
            }
            Event::BuildFailed { build, reason } => {
                self.view.building = None;
                if let Some(log) = self.show.log(progress) {
                    log.missing_build(build, reason, progress);
                }
            }
            Event::Strategy { description } => self.view.strategy = description.to_string(),
            _ => {}
        }
    }
}

/// Describes a build in the making.
fn building(build: &str, done: usize, total: usize) -> String {
    format!("{build} build, {done} of {total} files")
}

impl Observer for Status {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        self.update(event, progress);
        match &mut self.show {
            Show::Nothing => {}
            Show::Log(log) => {
                self.view.progress = *progress;
                log.progress(&self.view);
            }
            Show::Screen { views, last, .. } => {
                if last.elapsed() >= PERIOD {
                    *last = Instant::now();
                    self.view.update(progress);
                    let _ = views.send(self.view.clone());
                }
            }
        }
    }
}

impl Show {
    /// Returns the log, unless the journal is being replayed.
    fn log(&mut self, progress: &Progress) -> Option<&mut Log> {
        match self {
            Show::Log(log) if progress.rebuilding.is_none() => Some(log),
            _ => None,
        }
    }

    fn screen(settings: &Settings) -> Result<Show, Failure> {
        let (views, received) = mpsc::channel::<View>();
        let (style, unicode) = (Style::of(&stderr()), terminal::has_unicode());
        let mut view = None;
        let live = Live::start(settings.stop.clone(), move |size| {
            view = received.try_iter().last().or(view.take());
            let screen = Screen { width: size.width, style, unicode };
            view.as_ref().map_or_else(Vec::new, |view| screen.lines(view))
        })?;
        Ok(Show::Screen { views, last: Instant::now(), _live: live })
    }
}
