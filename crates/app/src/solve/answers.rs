//! Answers to the queries of scripts, and their totals.

use crate::numbers::{counted, grouped};
use cairn_expr::smtlib::Status;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Answer to a query.
pub struct Solution {
    /// Sat, unsat or unknown.
    pub status: Status,
    /// Reason why it is unknown.
    pub reason: Option<&'static str>,
    /// Names, sorts and values of all symbols.
    pub model: Vec<(String, String, String)>,
    /// Terms that the script asks for, with their values.
    pub values: Vec<(String, String)>,
}

impl Solution {
    /// An answer without a model.
    pub fn without(status: Status) -> Solution {
        Solution { status, reason: None, model: Vec::new(), values: Vec::new() }
    }

    /// No answer, for this reason.
    pub fn unknown(reason: &'static str) -> Solution {
        Solution { reason: Some(reason), ..Solution::without(Status::Unknown) }
    }
}

/// A query with its answer and cost.
pub struct Outcome {
    /// The script.
    pub file: PathBuf,
    /// The answer.
    pub solution: Solution,
    /// The answer that the script's `:status` expects.
    pub expected: Option<Status>,
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time.
    pub cpu: Duration,
}

impl Outcome {
    /// Returns what is wrong with the answer: the reason why it is unknown, or a contradiction.
    pub fn complaints(&self) -> Vec<String> {
        let file = self.file.display();
        let seconds = self.wall.as_secs_f64();
        let unknown =
            self.solution.reason.map(|reason| format!("{file}: unknown after {seconds:.1} s: {reason}"));
        let contradicted = self.expected.filter(|_| self.contradicts()).map(|expected| {
            format!("{file}: its :status is {expected}, but the answer is {}", self.solution.status)
        });
        unknown.into_iter().chain(contradicted).collect()
    }

    fn contradicts(&self) -> bool {
        let is_decided = |status| status != Status::Unknown;
        let expected = self.expected.filter(|&status| is_decided(status));
        is_decided(self.solution.status) && expected.is_some_and(|status| status != self.solution.status)
    }

    /// Formats the answer in SMT-LIB.
    pub fn full(&self) -> String {
        let Solution { status, model, values, .. } = &self.solution;
        let mut text = format!("{status}\n");
        if *status == Status::Sat {
            text.push_str("(\n");
            for (name, sort, value) in model {
                writeln!(text, "  (define-fun {name} () {sort} {value})").expect("a string takes all");
            }
            text.push_str(")\n");
        }
        if !values.is_empty() {
            let pairs: Vec<String> = values.iter().map(|(term, value)| format!("({term} {value})")).collect();
            writeln!(text, "({})", pairs.join(" ")).expect("a string takes all");
        }
        text
    }

    /// Formats the answer on one line.
    pub fn line(&self) -> String {
        format!("{}: {} {:.3} ms\n", self.file.display(), self.solution.status, milliseconds(self.wall))
    }

    fn json(&self) -> Value {
        let mut object = json!({
            "file": self.file.display().to_string(),
            "answer": self.solution.status.to_string(),
            "seconds": self.wall.as_secs_f64(),
            "cpu_seconds": self.cpu.as_secs_f64(),
        });
        if let Some(expected) = self.expected {
            object["status"] = json!(expected.to_string());
        }
        if let Some(reason) = self.solution.reason {
            object["reason"] = json!(reason);
        }
        object
    }
}

/// Answers of all queries.
#[derive(Default)]
pub struct Answers {
    outcomes: Vec<Outcome>,
}

impl Answers {
    /// Adds an answer.
    pub fn add(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    /// True if no answer is unknown or unexpected.
    pub fn all_decided(&self) -> bool {
        self.outcomes.iter().all(|o| o.solution.status != Status::Unknown && !o.contradicts())
    }

    fn count(&self, status: Status) -> u64 {
        self.outcomes.iter().filter(|outcome| outcome.solution.status == status).count() as u64
    }

    fn contradictions(&self) -> u64 {
        self.outcomes.iter().filter(|outcome| outcome.contradicts()).count() as u64
    }

    /// Returns mean and median of a time over all queries, in milliseconds.
    fn times(&self, time: impl Fn(&Outcome) -> Duration) -> (f64, f64) {
        let mut times: Vec<f64> = self.outcomes.iter().map(|outcome| milliseconds(time(outcome))).collect();
        times.sort_unstable_by(f64::total_cmp);
        let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
        (mean, times.get(times.len() / 2).copied().unwrap_or_default())
    }

    fn cpu_seconds(&self) -> f64 {
        self.outcomes.iter().map(|outcome| outcome.cpu.as_secs_f64()).sum()
    }

    /// Formats the totals on one line.
    pub fn totals(&self) -> String {
        let [sat, unsat, unknown] =
            [Status::Sat, Status::Unsat, Status::Unknown].map(|status| grouped(self.count(status)));
        let (mean, median) = self.times(|outcome| outcome.wall);
        let queries = counted(self.outcomes.len() as u64, "query", "queries");
        let mut text = format!("{queries}: {sat} sat, {unsat} unsat, {unknown} unknown");
        if self.contradictions() > 0 {
            write!(text, ", {} not as expected", self.contradictions()).expect("a string takes all");
        }
        let cpu = self.cpu_seconds();
        write!(text, "; mean {mean:.3} ms, median {median:.3} ms, CPU {cpu:.3} s")
            .expect("a string takes all");
        text
    }

    /// Returns everything as JSON, with the tallies of layers.
    pub fn json(&self, layers: &Value) -> Value {
        let (mean, median) = self.times(|outcome| outcome.wall);
        let (cpu_mean, cpu_median) = self.times(|outcome| outcome.cpu);
        json!({
            "queries": self.outcomes.len(),
            "sat": self.count(Status::Sat),
            "unsat": self.count(Status::Unsat),
            "unknown": self.count(Status::Unknown),
            "contradictions": self.contradictions(),
            "mean_ms": mean,
            "median_ms": median,
            "cpu_mean_ms": cpu_mean,
            "cpu_median_ms": cpu_median,
            "cpu_seconds": self.cpu_seconds(),
            "layers": layers,
            "answers": self.outcomes.iter().map(Outcome::json).collect::<Vec<Value>>(),
        })
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
