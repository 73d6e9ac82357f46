//! The live screen in a real terminal (tmux), and the logs where there is none.

use crate::common::{cairn, run, write_source};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Has more paths than any test has time, and a crash that is soon found.
const PARENTHESES: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char text[32] = "";
    int level = 0, n = (int)fread(text, 1, sizeof text, stdin);
    for (int i = 0; i < n; i++) {
        if (text[i] == '(') level++;
        else if (text[i] == ')' && --level < 0) return 1;
        else if (text[i] == '7') level += 2;
    }
    if (level == 3) abort();
    return level;
}
"#;

/// Longest time that a terminal may take to show something.
const PATIENCE: Duration = Duration::from_secs(30);

/// A terminal with a shell in it.
struct Terminal {
    place: tempfile::TempDir,
}

impl Terminal {
    fn open(width: u32, height: u32) -> Terminal {
        let terminal = Terminal { place: tempfile::tempdir().unwrap() };
        write_source(terminal.place.path(), "parentheses.c", PARENTHESES);
        let size = [width, height].map(|n| n.to_string());
        let environment = cairn();
        let set = environment.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)));
        let set: Vec<String> = set.map(|(name, value)| format!("{name}={value}")).collect();
        let shell = format!(
            "cd {} && env -u NO_COLOR LC_ALL=C.UTF-8 PS1='ready>' {} bash --norc --noprofile",
            terminal.place.path().display(),
            set.join(" ")
        );
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", &size[0], "-y", &size[1], &shell]);
        terminal.wait_for("ready>");
        terminal
    }

    fn socket(&self) -> PathBuf {
        self.place.path().join("tmux")
    }

    fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").arg("-S").arg(self.socket()).args(args).output().unwrap();
        assert!(output.status.success(), "tmux {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the text of the screen and its history.
    fn text(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-100"])
    }

    fn has(&self, expected: &str) -> bool {
        self.text().contains(expected)
    }

    /// Waits until something holds.
    fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds() {
            assert!(Instant::now() < end, "{what}:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn wait_for(&self, text: &str) {
        self.wait_until(text, || self.has(text));
    }

    /// Waits for the summary, and the shell after it.
    fn wait_for_end(&self) {
        let is_over =
            || self.text().split("Results: cairn-out/").nth(1).is_some_and(|rest| rest.contains("ready>"));
        self.wait_until("the summary", is_over);
    }

    fn enter(&self, command: &str) {
        self.tmux(&["send-keys", "-l", command]);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Starts a campaign, whose process has its id in a file.
    fn explore(&self, options: &str) {
        let program = cairn().get_program().to_str().unwrap().to_owned();
        let command = format!("{program} run --sym-stdin 32 {options} parentheses.c");
        self.enter(&format!("clear; sh -c 'echo $$ > id; exec {command}'"));
    }

    /// The number behind a label, if that is on the screen.
    fn figure(&self, label: &str) -> Option<u64> {
        let text = self.text();
        let rest = text.lines().find_map(|line| line.trim_start().strip_prefix(label))?;
        rest.split_whitespace().next()?.replace(',', "").parse().ok()
    }

    /// Returns the shell's output of a command.
    fn answer(&self, command: &str) -> String {
        let file = self.place.path().join("answer");
        let _ = std::fs::remove_file(&file);
        self.enter(&format!("{command} > new; mv new answer"));
        self.wait_until(command, || file.exists());
        std::fs::read_to_string(file).unwrap()
    }

    /// The region as it stands on the screen, and that there is nothing else of it.
    fn check_picture(&self, width: usize) {
        let is_whole = || {
            let text = self.text();
            let count = |part: &str| text.lines().filter(|line| line.starts_with(part)).count();
            [" cairn on ", " time ", " runs ", " branches ", " tests ", " crashes ", " frontier ", " solver "]
                .iter()
                .all(|label| count(label) == 1)
                && text.lines().all(|line| line.chars().count() <= width)
        };
        self.wait_until("one whole picture", is_whole);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = Command::new("tmux").arg("-S").arg(self.socket()).arg("kill-server").output();
    }
}

#[test]
fn the_screen_follows_the_campaign_and_the_terminal_and_leaves_it_as_it_was() {
    let terminal = Terminal::open(80, 24);
    let before = terminal.answer("stty -g");
    terminal.explore("--time 5m");
    terminal.wait_for(" left");
    terminal.wait_for("SIGABRT");
    terminal.check_picture(80);
    let first = terminal.figure("runs").expect("a number of runs");
    terminal.wait_until("the figures change", || terminal.figure("runs").is_some_and(|now| now > first));

    for (width, height) in [(40, 24), (100, 30), (60, 20)] {
        terminal.tmux(&["resize-window", "-x", &width.to_string(), "-y", &height.to_string()]);
        std::thread::sleep(Duration::from_millis(300));
        terminal.check_picture(width);
    }

    terminal.tmux(&["send-keys", "C-c"]);
    terminal.wait_for(": interrupted");
    terminal.wait_for_end();
    assert!(!terminal.has("untried flips") && !terminal.has(" cairn on "), "{}", terminal.text());
    assert_eq!(terminal.tmux(&["display-message", "-p", "#{cursor_flag}"]), "1\n");
    assert_eq!(terminal.answer("stty -g"), before);
    assert_eq!(terminal.answer("echo still here"), "still here\n");
}

#[test]
fn a_suspended_campaign_frees_memory_and_continues() {
    let terminal = Terminal::open(80, 24);
    terminal.explore("--time 5m");
    terminal.wait_for("untried flips");
    terminal.tmux(&["send-keys", "C-z"]);
    terminal.wait_for("Stopped");
    assert!(!terminal.has("untried flips"), "{}", terminal.text());
    terminal.enter("fg");
    terminal.wait_for("untried flips");
    let id = std::fs::read_to_string(terminal.place.path().join("id")).unwrap();
    assert!(Command::new("kill").arg(id.trim()).status().unwrap().success());
    terminal.wait_for_end();
    assert!(!terminal.has("untried flips"), "{}", terminal.text());
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_gets_lines() {
    let terminal = Terminal::open(80, 24);
    terminal.enter("export TERM=dumb");
    terminal.explore("--execs 2000");
    terminal.wait_for_end();
    let text = terminal.tmux(&["capture-pane", "-p", "-e", "-S", "-100"]);
    assert!(text.contains("Z crash: abort in main ("), "{text}");
    assert!(!text.contains('\x1b') && !text.contains("untried flips"), "{text:?}");

    terminal.enter("export TERM=screen NO_COLOR=1");
    terminal.explore("--force --time 5m");
    terminal.wait_for("untried flips");
    let text = terminal.tmux(&["capture-pane", "-p", "-e"]);
    assert!(!text.contains('\x1b'), "{text:?}");
    terminal.tmux(&["send-keys", "C-c"]);
    terminal.wait_for(": interrupted");
}

/// A short campaign on the program, with these options.
fn explored(place: &Path, options: &[&str]) -> crate::common::CommandOutput {
    let source = write_source(place, "parentheses.c", PARENTHESES);
    let out = place.join("out");
    let given =
        ["run", "--sym-stdin", "32", "--force", "--out", out.to_str().unwrap(), source.to_str().unwrap()];
    run(given.iter().chain(options))
}

#[test]
fn elsewhere_there_are_lines_with_the_time_of_day() {
    let place = tempfile::tempdir().unwrap();
    let result = explored(place.path(), &["--time", "6s"]);
    assert_eq!(result.code, Some(1), "{result:?}");
    let stamp = |line: &str| line.len() > 20 && &line[10..11] == "T" && &line[19..21] == "Z ";
    let is_notice = |line: &str| line.starts_with("cairn: warning: you are root");
    assert!(result.stderr.lines().filter(|line| !is_notice(line)).all(stamp), "{result:?}");
    let has = |part: &str| result.stderr.lines().any(|line| line.contains(part));
    assert!(has(" crash: abort in main (") && has("  branches "), "{result:?}");
    assert!(!result.stderr.contains('\x1b') && result.stdout.contains("1 crash"), "{result:?}");

    let quiet = explored(place.path(), &["--execs", "500", "--quiet"]);
    assert_eq!(quiet.stderr, "");
    assert!(quiet.stdout.contains("branches covered"), "{quiet:?}");
}

#[test]
fn a_json_log_is_an_object_per_line_and_ends_with_the_summary() {
    let place = tempfile::tempdir().unwrap();
    let result = explored(place.path(), &["--log", "json", "--json", "--time", "3s"]);
    assert_eq!(result.code, Some(1), "{result:?}");
    let events: Vec<Value> =
        result.stderr.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    assert!(events.iter().all(|event| event["time"].as_str().is_some_and(|time| time.ends_with('Z'))));
    assert_eq!((&events[0]["event"], &events[0]["time_seconds"]), (&"start".into(), &3.0.into()));
    let summary: Value = serde_json::from_str(&result.stdout).unwrap();
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["stop"], &last["summary"]), (&"end".into(), &"time".into(), &summary));
    assert_eq!(of("test").len() as u64, summary["tests"].as_u64().unwrap());
    assert_eq!(of("crash").iter().filter(|crash| crash["is_new"] == true).count(), 1);
    assert!(of("crash")[0]["headline"].as_str().unwrap().starts_with("abort in main ("));
    let progress = of("progress");
    assert!(progress.len() >= 2, "{}", result.stderr);
    let runs = |event: &Value| event["executions"].as_u64().unwrap();
    assert!(progress.windows(2).all(|pair| runs(pair[0]) < runs(pair[1])));
    assert!(progress[0]["strategy"].as_str().unwrap().starts_with("auto, now "), "{}", progress[0]);
    assert!(progress[0]["solver"]["queries"].as_u64().unwrap() > 0);

    let refused = explored(place.path(), &["--log", "json", "--strategy", "fastest"]);
    let error: Value = serde_json::from_str(&refused.stderr).unwrap();
    assert_eq!((refused.code, &error["event"]), (Some(2), &"error".into()));
    // Usage that cannot be understood is told the same way.
    for options in [["--log", "json", "--quiet"].as_slice(), &["--log=json", "--execs", "many"]] {
        let refused = explored(place.path(), options);
        let error: Value = serde_json::from_str(&refused.stderr).expect("one JSON object");
        assert_eq!((refused.code, &error["event"]), (Some(2), &"error".into()), "{refused:?}");
    }
}
