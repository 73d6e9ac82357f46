//! Figures of a campaign: from its snapshot, or from AFL's files if it was killed early.

use crate::gaps::reasons;
use crate::numbers::{clock, grouped};
use crate::remarks::Remarks;
use crate::subject::RunSettings;
use crate::target;
use cairn_campaign::{Snapshot, Summary};
use cairn_program::{read_file, read_text};
use cairn_report::{Campaign, Layer, Point};
use std::path::Path;

/// Most bytes of `plot_data` and of `fuzzer_stats`; chosen bounds.
const MAX_PLOT: u64 = 256 << 20;
const MAX_STATS: u64 = 1 << 20;

/// Describes the campaign.
pub fn campaign(directory: &Path, snapshot: Option<&Snapshot>, made_by: Option<&RunSettings>) -> Campaign {
    let stats = Stats::read(directory);
    // AFL's banner has no letter that a shell would mind.
    let name = made_by.map(|run| target::name(&run.subject.target));
    let mut campaign = Campaign {
        program: name.or_else(|| stats.field("afl_banner")).unwrap_or_default(),
        command: stats.field("command_line").unwrap_or_default(),
        directory: directory.display().to_string(),
        started: stats.number("start_time"),
        executions: stats.number("execs_done").unwrap_or(0),
        seconds: stats.number("run_time").unwrap_or(0) as f64,
        ended: "killed before it wrote its first snapshot".to_owned(),
        strategy: made_by.map(|run| run.strategy.clone()).unwrap_or_default(),
        seed: made_by.map_or(0, |run| run.seed),
        ..Campaign::default()
    };
    if let Some(snapshot) = snapshot {
        describe(&mut campaign, snapshot, made_by);
    }
    campaign
}

fn describe(campaign: &mut Campaign, snapshot: &Snapshot, made_by: Option<&RunSettings>) {
    let summary = &snapshot.summary;
    let symbolic_input = made_by.is_some_and(|run| run.subject.input.is_any());
    let remarks = Remarks { summary, symbolic_input };
    campaign.ended = match snapshot.ended {
        true => remarks.ending(),
        false => format!(
            "still running, or killed: this is its state after {} executions",
            grouped(summary.executions)
        ),
    };
    campaign.notes = remarks.all();
    campaign.executions = summary.executions.max(campaign.executions * u64::from(!snapshot.ended));
    campaign.seconds = summary.elapsed_seconds.max(campaign.seconds * f64::from(u8::from(!snapshot.ended)));
    campaign.budget_executions = snapshot.budget.executions;
    campaign.budget_seconds = snapshot.budget.seconds;
    campaign.strategy.clone_from(&summary.strategy);
    campaign.strategy_says.clone_from(&snapshot.strategy);
    campaign.seed = summary.seed;
}

/// Returns coverage over executions and time: every new branch if there is a snapshot, else the samples of
/// `plot_data`.
pub fn curve(directory: &Path, snapshot: Option<&Snapshot>) -> Vec<Point> {
    let Some(snapshot) = snapshot else { return plot_data(directory) };
    let mut curve: Vec<Point> = snapshot
        .curve
        .iter()
        .map(|milestone| Point {
            executions: milestone.execution,
            seconds: milestone.millis as f64 / 1000.0,
            covered: milestone.covered.into(),
        })
        .collect();
    let Summary { executions, elapsed_seconds: seconds, branches_covered: covered, .. } = snapshot.summary;
    curve.push(Point { executions, seconds, covered });
    curve
}

fn plot_data(directory: &Path) -> Vec<Point> {
    let text = read_text(&directory.join("plot_data"), MAX_PLOT).unwrap_or_default();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(", ").collect();
        Some(Point {
            seconds: fields.first()?.parse().ok()?,
            executions: fields.get(11)?.parse().ok()?,
            covered: fields.get(12)?.parse().ok()?,
        })
    };
    text.lines().filter_map(row).collect()
}

/// Returns the tallies of each solver layer, from the top.
pub fn layers(summary: &Summary) -> Vec<Layer> {
    let layer = |(info, tally): (&'static cairn_solver::LayerInfo, cairn_solver::Tally)| Layer {
        name: info.name,
        about: info.about,
        asked: tally.asked,
        sat: tally.sat,
        unsat: tally.unsat,
        unknown: tally.unknown,
        seconds: tally.seconds,
    };
    summary.solver.layers.iter().map(layer).collect()
}

/// Returns further figures, by name.
pub fn figures(snapshot: &Snapshot) -> Vec<(String, String)> {
    let Summary { solver, .. } = snapshot.summary;
    let summary = &snapshot.summary;
    let rows = [
        ("solver queries", grouped(solver.queries)),
        ("satisfiable", grouped(solver.sat)),
        ("unsatisfiable", grouped(solver.unsat)),
        ("unknown", grouped(solver.unknown)),
        ("time in the solver", clock(solver.seconds)),
        ("time in the strategy", clock(summary.choosing_seconds)),
        ("memory of the driver", format!("{} MiB", grouped(summary.driver_bytes >> 20))),
        (
            "executions per second",
            grouped((summary.executions as f64 / summary.elapsed_seconds.max(1e-3)) as u64),
        ),
        ("nodes of the execution tree", grouped(snapshot.tree.nodes)),
        ("depth of the execution tree", grouped(snapshot.tree.deepest.into())),
        ("memory of the execution tree", format!("{} KiB", grouped(summary.tree_bytes >> 10))),
        ("path divergences", grouped(summary.divergences)),
        (
            "evaluations by local search",
            grouped(solver.evaluations.interpreted + solver.evaluations.compiled),
        ),
        (
            "exhausted",
            if summary.exhausted { "yes".to_owned() } else { format!("no: {}", reasons(&summary.gaps)) },
        ),
    ];
    rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The fields of `fuzzer_stats`.
struct Stats(String);

impl Stats {
    fn read(directory: &Path) -> Stats {
        let bytes = read_file(&directory.join("fuzzer_stats"), MAX_STATS).unwrap_or_default();
        Stats(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn field(&self, name: &str) -> Option<String> {
        let fields = self.0.lines().filter_map(|line| line.split_once(": "));
        fields.filter(|(found, _)| found.trim_end() == name).map(|(_, value)| value.to_owned()).next()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.field(name)?.parse().ok()
    }
}
