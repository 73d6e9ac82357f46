//! The status files of AFL: `fuzzer_stats` and `plot_data`.

use crate::observe::observer::Progress;
use crate::test_folder::TestFolder;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// First line of `plot_data`.
pub(crate) const PLOT_HEADER: &str = "# relative_time, cycles_done, cur_item, corpus_count, pending_total, \
     pending_favs, map_size, saved_crashes, saved_hangs, max_depth, execs_per_sec, total_execs, edges_found\n";

/// Returns a line of `plot_data`.
pub(crate) fn plot_row(progress: &Progress) -> String {
    let Progress { executions, branches_covered, tests, crashes, hangs, untried, .. } = progress;
    let seconds = progress.elapsed.as_secs();
    let (share, speed) = (covered_percent(progress), progress.executions_per_second());
    format!(
        "{seconds}, 0, 0, {tests}, {untried}, 0, {share:.2}%, {crashes}, {hangs}, 0, {speed:.2}, {executions}, {branches_covered}\n"
    )
}

/// Returns the content of `fuzzer_stats`: those of AFL's fields that apply. `afl-whatsup` divides by the
/// numbers of tests and executions, so these are at least 1.
pub(crate) fn stats(
    progress: &Progress,
    started: SystemTime,
    (invocation, target): (&str, &[String]),
    directory: &Path,
) -> String {
    let rows: [(&str, String); 23] = [
        ("start_time", unix_seconds(started).to_string()),
        ("last_update", unix_seconds(SystemTime::now()).to_string()),
        ("run_time", progress.elapsed.as_secs().to_string()),
        ("fuzzer_pid", std::process::id().to_string()),
        ("cycles_done", "0".to_owned()),
        ("cycles_wo_finds", "0".to_owned()),
        ("execs_done", progress.executions.max(1).to_string()),
        ("execs_per_sec", format!("{:.2}", progress.executions_per_second())),
        ("corpus_count", progress.tests.max(1).to_string()),
        ("cur_item", "0".to_owned()),
        ("pending_favs", "0".to_owned()),
        ("pending_total", progress.untried.to_string()),
        ("bitmap_cvg", format!("{:.2}%", covered_percent(progress))),
        ("saved_crashes", progress.crashes.to_string()),
        ("saved_hangs", progress.hangs.to_string()),
        ("confirmed_findings", progress.confirmed.to_string()),
        ("last_find", last_change(directory, TestFolder::Queue, progress.tests)),
        ("last_crash", last_change(directory, TestFolder::Crashes, progress.crashes)),
        ("last_hang", last_change(directory, TestFolder::Hangs, progress.hangs)),
        ("edges_found", progress.branches_covered.to_string()),
        ("total_edges", progress.branches_total.to_string()),
        ("afl_banner", shell_safe(target.first().map_or("", String::as_str))),
        ("command_line", invocation.replace('\n', " ")),
    ];
    rows.iter().map(|(name, value)| format!("{name:<18}: {value}\n")).collect()
}

/// Returns the time of the last change of a folder; 0 if it has no files.
fn last_change(directory: &Path, folder: TestFolder, files: u64) -> String {
    let changed = || directory.join(folder.directory()).metadata().ok()?.modified().ok();
    let time = if files > 0 { changed().map_or(0, unix_seconds) } else { 0 };
    time.to_string()
}

/// Replaces characters that a shell interprets: `afl-whatsup` has a shell read the file.
fn shell_safe(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c) { c } else { '_' })
        .collect()
}

fn covered_percent(progress: &Progress) -> f64 {
    100.0 * progress.branches_covered as f64 / f64::from(progress.branches_total.max(1))
}

/// Returns the seconds since 1970.
pub(super) fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
