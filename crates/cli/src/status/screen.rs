//! The live screen: draws a view in a given number of columns.

use super::view::View;
use super::warnings::warnings;
use crate::row::{Row, wrapped};
use crate::style::{Ink, Style};
use cairn_app::numbers::{clock, grouped, percent};
use cairn_exec::{ExitKind, Severity};
use cairn_solver::Tally;
use std::time::Duration;

/// Columns of labels.
const LABEL: usize = 9;
const LONGEST_BAR: usize = 20;
const SHORTEST_BAR: usize = 6;
/// Columns of a layer's figures: with the label, five fit into [`WIDEST`].
const LAYER: usize = 6;
/// Greatest width of lines. When a terminal becomes narrower than its lines it wraps them before they can be
/// redrawn, and lines that scroll out of sight cannot be erased.
const WIDEST: usize = 41;
/// Most lines of one text.
const LINES: usize = 2;
const MAX_WARNINGS: usize = 3;

/// Settings of drawing.
#[derive(Clone, Copy)]
pub struct Screen {
    pub width: usize,
    pub style: Style,
    pub unicode: bool,
}

impl Screen {
    /// Draws all lines.
    pub fn lines(&self, view: &View) -> Vec<String> {
        let mut lines = vec![self.title(view), self.time(view)];
        if view.progress.rebuilding.is_some() {
            return lines;
        }
        lines.extend([self.runs(view), self.branches(view), self.tests(view)]);
        lines.push(self.findings(view, "crashes", Severity::Crash, view.progress.crashes));
        lines.push(self.findings(view, "hangs", Severity::Hang, view.progress.hangs));
        lines.extend(self.newest(view));
        lines.push(self.frontier(view));
        lines.extend(self.text("strategy", Ink::Plain, &view.strategy));
        lines.extend(view.building.iter().flat_map(|what| self.text("making", Ink::Plain, what)));
        lines.extend(self.mutation(view));
        lines.extend(self.solver(view));
        lines.extend(self.warnings(view));
        lines
    }

    fn row(&self) -> Row {
        Row::new(self.width.min(WIDEST), self.style).add(" ")
    }

    fn label(&self, label: &str) -> Row {
        self.row().ink(Ink::Label, &format!("{label:<LABEL$}"))
    }

    /// Draws a text of up to two lines.
    fn text(&self, label: &str, ink: Ink, text: &str) -> Vec<String> {
        let labels = [label].into_iter().chain(std::iter::repeat(""));
        let lines = wrapped(text, self.label("").room(), LINES);
        labels.zip(lines).map(|(label, line)| self.label(label).ink(ink, &line).text()).collect()
    }

    fn title(&self, view: &View) -> String {
        self.row().ink(Ink::Good, "cairn").add(&format!(" on {}", view.title)).text()
    }

    fn time(&self, view: &View) -> String {
        if let Some(runs) = view.progress.rebuilding {
            let told = format!("run {} of {}", grouped(view.progress.executions), grouped(runs));
            return self.bar(self.label("replaying"), view.share(), &told).text();
        }
        let elapsed = view.elapsed();
        let row = self.label("time").add(&clock(elapsed.as_secs_f64()));
        self.bar(row, view.share(), &left(view, elapsed)).text()
    }

    /// Adds a bar and its text, as far as there is room for both.
    fn bar(&self, row: Row, share: Option<f64>, told: &str) -> Row {
        let room = row.room().saturating_sub(told.len() + 2).min(LONGEST_BAR);
        let Some(share) = share.filter(|_| room >= SHORTEST_BAR) else {
            return row.add("  ").add_whole(told);
        };
        row.add(" ").bar(share, room, self.unicode).add(" ").add(told)
    }

    fn runs(&self, view: &View) -> String {
        let p = &view.progress;
        let mean = p.executions_per_second() as u64;
        let row = self.label("runs").add(&grouped(p.executions)).add(&format!("  {}/s", grouped(mean)));
        row.add_whole(&format!(" (now {}/s)", grouped(view.rate() as u64))).text()
    }

    fn branches(&self, view: &View) -> String {
        let (covered, all) = (view.progress.branches_covered, u64::from(view.progress.branches_total));
        let share = percent(covered as f64, all as f64);
        let row =
            self.label("branches").add(&format!("{} of {} ({share})  ", grouped(covered), grouped(all)));
        let room = row.room().min(LONGEST_BAR);
        if room < SHORTEST_BAR {
            return row.text();
        }
        row.ink(Ink::Figure, &sparkline(&view.curve(room), self.unicode)).text()
    }

    fn tests(&self, view: &View) -> String {
        let row = self.label("tests").add(&grouped(view.progress.tests));
        match view.last_test {
            Some(last) => row.add_whole(&format!("  the last {}", ago(view, last))).text(),
            None => row.text(),
        }
    }

    fn findings(&self, view: &View, label: &str, severity: Severity, count: u64) -> String {
        let ink = if count > 0 { Ink::Bad } else { Ink::Plain };
        let kinds = kinds(view.kinds.iter().filter(|(end, _)| end.severity() == severity));
        self.label(label).ink(ink, &grouped(count)).add(&kinds).text()
    }

    fn newest(&self, view: &View) -> Vec<String> {
        let Some((what, when)) = &view.newest else { return Vec::new() };
        self.text("newest", Ink::Plain, &format!("{}: {what}", ago(view, *when)))
    }

    fn frontier(&self, view: &View) -> String {
        self.label("frontier").add(&grouped(view.progress.untried)).add_whole(" untried flips").text()
    }

    /// Draws the number of mutants, a part of the runs, and of those that covered something new.
    fn mutation(&self, view: &View) -> Option<String> {
        let (runs, gains) = (view.progress.mutation_runs, view.progress.mutation_gains);
        let row = self.label("mutation").add(&grouped(runs)).add_whole(" mutants");
        (runs > 0).then(|| row.add_whole(&format!(", {} covered new", grouped(gains))).text())
    }

    /// Draws the number of queries, and for each layer the share it decides of those it gets and its share of
    /// the time.
    fn solver(&self, view: &View) -> Vec<String> {
        let seconds = view.progress.elapsed.as_secs_f64();
        let (total, layers) = (&view.progress.solver.total, &view.progress.solver.layers);
        let asked = self.label("solver").add(&grouped(total.asked)).add_whole(" queries");
        let asked = asked.add_whole(&format!(", {} of time", percent(total.seconds, seconds)));
        let columns = layers.groups();
        let answers = |tally: &Tally| match tally.asked {
            0 => "-".to_owned(),
            asked => percent(tally.decided() as f64, asked as f64),
        };
        let time = |tally: &Tally| percent(tally.seconds, seconds);
        let cell = |text: &str| format!("{text:>LAYER$}");
        let head =
            columns.iter().fold(self.label(""), |row, (group, _)| row.ink(Ink::Label, &cell(group.column)));
        let grid = |label, text: &dyn Fn(&Tally) -> String| {
            columns.iter().fold(self.label(label), |row, (_, tally)| row.add(&cell(&text(tally))))
        };
        vec![asked.text(), head.text(), grid(" decided", &answers).text(), grid(" time", &time).text()]
    }

    fn warnings(&self, view: &View) -> Vec<String> {
        let warnings = warnings(&view.progress);
        let shown = warnings.iter().take(MAX_WARNINGS);
        shown.flat_map(|warning| self.text("warning", Ink::Warning, &warning.message)).collect()
    }
}

/// Formats what is left of the budget that is used up first.
fn left(view: &View, elapsed: Duration) -> String {
    let runs = view.execs.map(|execs| execs.saturating_sub(view.progress.executions));
    let time = view.time.map(|time| time.saturating_sub(elapsed).as_secs_f64());
    let by_runs = runs.map(|runs| runs as f64 / view.rate().max(1e-3));
    match (time, runs, by_runs) {
        (None, None, _) => "no limit".to_owned(),
        (Some(time), _, by_runs) if by_runs.is_none_or(|seconds| time <= seconds) => {
            format!("{} left", clock(time))
        }
        (_, runs, _) => format!("{} runs left", grouped(runs.unwrap_or(0))),
    }
}

fn ago(view: &View, when: Duration) -> String {
    format!("{} ago", clock(view.elapsed().saturating_sub(when).as_secs_f64()))
}

/// Formats how often the program ended in which way.
fn kinds<'a>(ends: impl Iterator<Item = &'a (ExitKind, u64)>) -> String {
    let name = |end: &ExitKind| end.to_string().trim_start_matches("killed by ").to_owned();
    let ends: Vec<_> = ends.collect();
    let each: Vec<String> = ends.iter().map(|(end, count)| format!("{} {count}", name(end))).collect();
    match ends[..] {
        [] => String::new(),
        [(only, _)] => format!(" ({})", name(only)),
        _ => format!(" ({})", each.join(", ")),
    }
}

/// Draws numbers as a curve of one line's height, from least to most; in the middle if they are all equal.
fn sparkline(values: &[u64], unicode: bool) -> String {
    let steps = if unicode { "▁▂▃▄▅▆▇█" } else { "_.-=+*%#" };
    let steps: Vec<char> = steps.chars().collect();
    let (least, most) = (values.iter().min().unwrap_or(&0), values.iter().max().unwrap_or(&0));
    if least == most {
        return values.iter().map(|_| steps[steps.len() / 2 - 1]).collect();
    }
    let range = most - least;
    values.iter().map(|value| steps[((value - least) * (steps.len() as u64 - 1) / range) as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_campaign::{Gap, GapCounts, Progress};
    use unicode_width::UnicodeWidthStr;

    fn view() -> View {
        let mut view = View::new("prog -- @@".to_owned(), Some(100_000), Some(Duration::from_secs(300)));
        let gaps = GapCounts::from_iter([(Gap::Cut, 1), (Gap::LostValue, 3), (Gap::Concretized, 12)]);
        let mut progress = Progress {
            executions: 12_345,
            elapsed: Duration::from_secs(90),
            branches_total: 250,
            tests: 47,
            crashes: 2,
            hangs: 1,
            untried: 1234,
            divergences: 1,
            gaps,
            ..Progress::default()
        };
        for (second, covered) in [(1, 20), (30, 80), (60, 110)] {
            progress.elapsed = Duration::from_secs(second);
            progress.branches_covered = covered;
            view.cover(&progress);
        }
        progress.elapsed = Duration::from_secs(90);
        view.update(&progress);
        view.strategy =
            "auto, now cgs (whichever of cfg, cgs, random-branch, parametric brings most)".to_owned();
        view.last_test = Some(Duration::from_secs(86));
        view.found(ExitKind::Signal(6), "killed by SIGABRT in main (login.c:8)", Duration::from_secs(60));
        view.found(ExitKind::Signal(11), "killed by SIGSEGV in main (login.c:8)", Duration::from_secs(61));
        view.found(ExitKind::Timeout, "time limit reached in parse (parse.c:81)", Duration::from_secs(66));
        view
    }

    fn lines(width: usize, unicode: bool) -> Vec<String> {
        Screen { width, style: Style::plain(), unicode }.lines(&view())
    }

    #[test]
    fn a_screen_has_all_figures() {
        let text = lines(80, true).join("\n");
        for told in [
            " cairn on prog -- @@",
            "1m30s ",
            "3m29s left",
            "12,345  137/s",
            "110 of 250 (44 %)  ▁",
            "▅▅",
            "47  the last 4.0 s ago",
            "crashes  2 (SIGABRT 1, SIGSEGV 1)",
            "hangs    1 (time limit reached)",
            "newest   24 s ago: time limit reached\n          in parse (parse.c:81)",
            "1,234 untried flips",
            "auto, now cgs (whichever",
            " cache  enum  walk   SAT    Z3",
            "warning  1 trace truncated for lack of\n          room",
        ] {
            assert!(text.contains(told), "{told}:\n{text}");
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for (width, unicode) in (1..200).flat_map(|width| [(width, true), (width, false)]) {
            for line in lines(width, unicode) {
                assert!(line.width() < width.max(2), "{width}: {line:?}");
            }
        }
        assert!(lines(40, false).iter().all(|line| line.is_ascii()));
    }

    #[test]
    fn a_curve_goes_from_its_least_to_its_most() {
        assert_eq!(sparkline(&[5, 5, 6, 12], true), "▁▁▂█");
        assert_eq!(sparkline(&[7, 7], true), "▄▄");
        assert_eq!(view().curve(3), [80, 110, 110]);
    }
}
