//! The two text files by which AFL's tools follow a campaign.

use crate::directory::unix;
use crate::observer::Progress;
use crate::settings::Settings;
use std::time::SystemTime;

/// First line of `plot_data`.
pub(crate) const PLOT_HEADER: &str = "# relative_time, cycles_done, cur_item, corpus_count, pending_total, \
     pending_favs, map_size, saved_crashes, saved_hangs, max_depth, execs_per_sec, total_execs, edges_found\n";

/// A line of `plot_data`.
pub(crate) fn plot_row(progress: &Progress) -> String {
    let Progress { executions, branches_covered, tests, crashes, hangs, untried, .. } = progress;
    let seconds = progress.elapsed.as_secs();
    let (share, speed) = (covered_percent(progress), progress.executions_per_second());
    format!(
        "{seconds}, 0, 0, {tests}, {untried}, 0, {share:.2}%, {crashes}, {hangs}, 0, {speed:.2}, {executions}, {branches_covered}\n"
    )
}

/// The content of `fuzzer_stats`: as many of AFL's fields as have a meaning here.
pub(crate) fn stats(progress: &Progress, started: SystemTime, settings: &Settings) -> String {
    let rows: [(&str, String); 18] = [
        ("start_time", unix(started).to_string()),
        ("last_update", unix(SystemTime::now()).to_string()),
        ("run_time", progress.elapsed.as_secs().to_string()),
        ("fuzzer_pid", std::process::id().to_string()),
        ("cycles_done", "0".to_owned()),
        ("execs_done", progress.executions.to_string()),
        ("execs_per_sec", format!("{:.2}", progress.executions_per_second())),
        ("corpus_count", progress.tests.to_string()),
        ("cur_item", "0".to_owned()),
        ("pending_favs", "0".to_owned()),
        ("pending_total", progress.untried.to_string()),
        ("bitmap_cvg", format!("{:.2}%", covered_percent(progress))),
        ("saved_crashes", progress.crashes.to_string()),
        ("saved_hangs", progress.hangs.to_string()),
        ("edges_found", progress.branches_covered.to_string()),
        ("total_edges", progress.branches_total.to_string()),
        ("afl_banner", settings.command.first().cloned().unwrap_or_default()),
        ("command_line", settings.invocation.clone()),
    ];
    rows.iter().map(|(name, value)| format!("{name:<18}: {value}\n")).collect()
}

fn covered_percent(progress: &Progress) -> f64 {
    100.0 * progress.branches_covered as f64 / f64::from(progress.branches_total.max(1))
}
