//! How a campaign is doing, while it does it.

use crate::message::tell;
use crate::style::{Style, clock, grouped, percent};
use cairn_campaign::{Event, Observer, Progress};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

const LIVE_PERIOD: Duration = Duration::from_millis(200);
const PLAIN_PERIOD: Duration = Duration::from_secs(5);
/// How long a campaign that goes on may be made again without a word.
const PATIENCE: Duration = Duration::from_secs(2);
const USUAL_WIDTH: usize = 80;

enum Show {
    /// Nothing.
    Nothing,
    /// A line every few seconds.
    Lines,
    /// One line, rewritten.
    Live,
}

/// Shows where the campaign stands.
pub struct Status {
    show: Show,
    style: Style,
    last: Option<Duration>,
    started: Instant,
}

impl Status {
    /// For the user's standard error, unless quiet is wanted.
    pub fn new(quiet: bool) -> Status {
        let show = match (quiet, stderr().is_terminal()) {
            (true, _) => Show::Nothing,
            (false, false) => Show::Lines,
            (false, true) => Show::Live,
        };
        Status { show, style: Style::of(&stderr()), last: None, started: Instant::now() }
    }

    /// Makes room for other text.
    pub fn clear(&self) {
        if matches!(self.show, Show::Live) && self.last.is_some() {
            tell("\r\x1b[K");
        }
    }

    fn is_due(&self, elapsed: Duration) -> bool {
        let period = match self.show {
            Show::Nothing => return false,
            Show::Lines => PLAIN_PERIOD,
            Show::Live => LIVE_PERIOD,
        };
        elapsed >= self.last.map_or(Duration::ZERO, |last| last + period)
    }

    fn print(&mut self, progress: &Progress) {
        match self.show {
            Show::Nothing => {}
            Show::Lines => tell(format_args!("{}\n", line(progress, self.style, usize::MAX))),
            Show::Live => {
                tell(format_args!("\r\x1b[K{}", line(progress, self.style, terminal_width())));
            }
        }
    }
}

impl Observer for Status {
    fn on_event(&mut self, _: &Event, progress: &Progress) {
        // The campaign's own clock stands still as long as it is made again.
        let elapsed = match progress.rebuilding {
            Some(_) if self.started.elapsed() < PATIENCE => return,
            Some(_) => self.started.elapsed(),
            None => progress.elapsed,
        };
        self.last = self.last.map(|last| last.min(elapsed));
        if self.is_due(elapsed) {
            // The first line comes after the first period: short campaigns need none.
            if self.last.is_some() || progress.rebuilding.is_some() {
                self.print(progress);
            }
            self.last = Some(elapsed);
        }
    }
}

/// One line of at most `width` characters; the least interesting part goes first when it is too long.
fn line(progress: &Progress, style: Style, width: usize) -> String {
    if let Some(runs) = progress.rebuilding {
        return format!(
            "going back to where it was: run {} of {}",
            grouped(progress.executions),
            grouped(runs)
        );
    }
    let seconds = progress.elapsed.as_secs_f64();
    let mut parts = vec![
        clock(seconds),
        format!("{} runs", grouped(progress.executions)),
        format!("{}/s", grouped(progress.executions_per_second() as u64)),
        format!("branches {}/{}", progress.branches_covered, progress.branches_total),
        format!("tests {}", grouped(progress.tests)),
        format!("crashes {}", grouped(progress.crashes)),
        format!("open {}", grouped(progress.untried)),
        format!("solver {}", percent(progress.solver.total.seconds, seconds)),
    ];
    if progress.hangs > 0 {
        parts.insert(6, format!("hangs {}", grouped(progress.hangs)));
    }
    let length = |parts: &[String]| parts.iter().map(|p| p.chars().count() + 2).sum::<usize>();
    while parts.len() > 1 && length(&parts) > width {
        parts.pop();
    }
    if let Some(crashes) = parts.get_mut(5).filter(|_| progress.crashes > 0) {
        *crashes = style.bad(crashes);
    }
    parts.join("  ")
}

fn terminal_width() -> usize {
    let size = rustix::termios::tcgetwinsize(stderr());
    size.ok().map(|s| usize::from(s.ws_col)).filter(|columns| *columns > 0).unwrap_or(USUAL_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress() -> Progress {
        Progress {
            executions: 12_345,
            elapsed: Duration::from_secs(10),
            branches_total: 50,
            branches_covered: 25,
            tests: 7,
            crashes: 2,
            untried: 99,
            ..Progress::default()
        }
    }

    #[test]
    fn a_line_tells_all_there_is() {
        let line = line(&progress(), Style::of(&std::fs::File::open("/dev/null").unwrap()), usize::MAX);
        let expected = "10 s  12,345 runs  1,234/s  branches 25/50  tests 7  crashes 2  open 99  solver 0 %";
        assert_eq!(line, expected);
    }

    #[test]
    fn a_line_fits_a_narrow_terminal() {
        let style = Style::of(&std::fs::File::open("/dev/null").unwrap());
        for width in [10, 40, 60, 80] {
            assert!(line(&progress(), style, width).chars().count() <= width, "{width}");
        }
    }
}
