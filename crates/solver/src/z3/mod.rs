//! The Z3 backend: one context per thread, one solver kept, every term translated once.
//!
//! The default solver used incrementally is faster and more robust on path constraints than the one
//! specialised for bit-vectors, and Z3 5.4 than older versions, some of which gave wrong models. [`scopes`]
//! decides which constraints stay asserted between queries. Random seeds are fixed: the same queries in the
//! same order give the same models.
//!
//! A check is limited first by Z3's resource counter (`rlimit`), which is the same on every machine, and then
//! by the clock, as Z3's timeout. Z3 checks neither while it simplifies and bit-blasts terms: to keep the
//! limit at all costs, this backend runs in a process that can be killed ([`crate::backend_process`]). Queries that Z3
//! could not even bit-blast in its time are refused ([`circuits`]).

mod circuits;
mod floats;
mod scopes;
mod tables;
mod term_table;
mod terms;

use crate::bytes::ByteCollector;
use crate::stats::Meter;
use crate::{
    Answer, Attempt, Engine, LayerGroup, LayerInfo, Limits, Query, QueryClass, Solver, Stats, Task, Unknown,
};
use ::z3::{Params, SatResult, StatisticsValue};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, ExprId, InputByte};
use scopes::Scopes;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use terms::Terms;

/// Terms kept before the backend starts over, to bound memory; a chosen bound.
const MAX_TERMS: usize = 500_000;
/// Memory in MiB that Z3 may use, in all contexts together, before it gives up on a query.
static MAX_MEGABYTES: AtomicU64 = AtomicU64::new(2048);
/// Z3's resource units per millisecond of the time limit. Z3 uses some 1,500 in a millisecond: only on a
/// machine a third as fast does the clock decide which queries have an answer.
const WORK_PER_MILLISECOND: u128 = 500;
/// Resource units of a nominal millisecond.
const UNITS_PER_MILLISECOND: u64 = 1_500;
/// Effort of a first attempt: less is hardly enough to bit-blast a query.
pub(crate) const FIRST_EFFORT: Duration = Duration::from_millis(30);

/// Names of the backend's tally, here and in a process of its own.
pub(crate) static INFO: LayerInfo = LayerInfo {
    key: "smt",
    name: "z3",
    about: "asks Z3",
    group: Some(LayerGroup { column: "Z3", name: "Z3" }),
};

/// The Z3 backend in this process.
pub struct Z3 {
    limits: Limits,
    /// Resource units of all checks of the present solver.
    resources: u64,
    /// Made with the first query: that takes 8 ms, and the campaigns of many parsers never get here.
    scopes: Option<Scopes>,
    terms: Terms,
    bytes: ByteCollector,
    meter: Meter,
    time_limits: u64,
}

/// Z3's result: if sat, a value for every byte of the query that Z3 gives one for.
pub(crate) enum Verdict {
    Sat(Vec<(InputByte, Option<u8>)>),
    Unsat,
    Unknown(Unknown),
}

/// Limits the memory of all Z3 contexts of this process that are made from now on; backend processes inherit it.
pub fn limit_memory(bytes: u64) {
    MAX_MEGABYTES.fetch_min(bytes >> 20, Relaxed);
}

/// Returns the limit set by [`limit_memory`], in bytes.
pub(crate) fn memory_limit() -> u64 {
    MAX_MEGABYTES.load(Relaxed) << 20
}

impl Z3 {
    /// Returns a backend on this thread's Z3 context.
    ///
    /// Panics if an old libz3 was loaded instead of the one Cairn was linked with: old versions gave wrong
    /// answers.
    pub fn new(limits: Limits) -> Z3 {
        let version = ::z3::full_version();
        assert!(is_new_enough(version), "Cairn needs Z3 5.4, but libz3 {version} was loaded");
        ::z3::set_global_param("memory_high_watermark_mb", &MAX_MEGABYTES.load(Relaxed).to_string());
        Z3 {
            limits,
            resources: 0,
            scopes: None,
            terms: Terms::default(),
            bytes: ByteCollector::default(),
            meter: Meter::default(),
            time_limits: 0,
        }
    }

    /// Sets the limits of the next queries.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Decides a query within its limit and until the deadline; returns the nominal time as well.
    pub(crate) fn decide(&mut self, dag: &Dag, query: &Query, deadline: &Deadline) -> (Verdict, Duration) {
        let verdict = self.decide_query(dag, query, deadline);
        let spent = match verdict {
            Verdict::Unknown(_) => self.limits.time,
            Verdict::Sat(_) | Verdict::Unsat => self.spent().min(self.limits.time),
        };
        (verdict, spent)
    }

    /// Returns the nominal time of the last check.
    fn spent(&mut self) -> Duration {
        let solver = self.scopes.as_ref().map(Scopes::solver);
        let count = match solver.and_then(|solver| solver.get_statistics().value("rlimit count")) {
            Some(StatisticsValue::UInt(count)) => u64::from(count),
            _ => 0,
        };
        let units = count.saturating_sub(std::mem::replace(&mut self.resources, count));
        Duration::from_micros(units * 1_000 / UNITS_PER_MILLISECOND)
    }

    fn decide_query(&mut self, dag: &Dag, query: &Query, deadline: &Deadline) -> Verdict {
        if self.terms.len() > MAX_TERMS {
            self.start_over();
        }
        let constraints: Vec<ExprId> = query.constraints().collect();
        // Compared with the limit of a query, not with the time left: the deadline cuts that anyway, and a
        // refusal is cached.
        if circuits::time(dag, &constraints) > self.limits.time {
            return Verdict::Unknown(Unknown::TimeLimit);
        }
        let deadline = deadline.within(self.limits.time);
        match self.check(dag, query, &deadline) {
            SatResult::Unsat => Verdict::Unsat,
            SatResult::Sat => self.model(dag, query),
            SatResult::Unknown => {
                let reason = self.why_unknown(&deadline);
                // A solver that gave up may have lost its scopes, and may have no memory left for the next
                // query.
                self.start_over();
                Verdict::Unknown(reason)
            }
        }
    }

    /// Runs Z3. It works on constraints already while they are asserted, without checking its clock.
    fn check(&mut self, dag: &Dag, query: &Query, deadline: &Deadline) -> SatResult {
        let scopes = self.scopes.get_or_insert_with(Scopes::new);
        let hurry = deadline.within(deadline.left() / 4);
        if !scopes.enter(&mut self.terms, dag, query, &hurry, deadline) {
            return SatResult::Unknown;
        }
        let solver = scopes.solver();
        solver.set_params(&parameters(self.limits.time, deadline.left()));
        solver.check()
    }

    /// Returns a value for every byte of the query, as far as Z3 has one.
    fn model(&mut self, dag: &Dag, query: &Query) -> Verdict {
        let Some(found) = self.scopes.as_ref().and_then(|scopes| scopes.solver().get_model()) else {
            return Verdict::Unknown(Unknown::Unsupported);
        };
        let value = |byte| found.get_const_interp(self.terms.variable(byte)?)?.as_u64();
        let bytes = self.bytes.collect(dag, query.constraints());
        Verdict::Sat(bytes.into_iter().map(|byte| (byte, value(byte).map(|value| value as u8))).collect())
    }

    fn start_over(&mut self) {
        self.scopes = None;
        self.terms = Terms::default();
        self.resources = 0;
    }

    fn why_unknown(&self, deadline: &Deadline) -> Unknown {
        let reason = self.scopes.as_ref().and_then(|scopes| scopes.solver().get_reason_unknown());
        let reason = reason.unwrap_or_default();
        let is_time = ["timeout", "cancel", "interrupt", "resource"].iter().any(|word| reason.contains(word));
        if is_time || deadline.is_over() { Unknown::TimeLimit } else { Unknown::Unsupported }
    }
}

impl Verdict {
    /// Turns the verdict into an answer; bytes without a value keep the seed's.
    pub(crate) fn answer(self, seed: &dyn Assignment) -> Answer {
        match self {
            Verdict::Sat(bytes) => {
                let value =
                    |(byte, value): (InputByte, Option<u8>)| (byte, value.unwrap_or_else(|| seed.byte(byte)));
                Answer::Sat(bytes.into_iter().map(value).collect())
            }
            Verdict::Unsat => Answer::Unsat,
            Verdict::Unknown(why) => Answer::Unknown(why),
        }
    }
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(5), Some(4))
}

fn parameters(limit: Duration, left: Duration) -> Params {
    let mut params = Params::new();
    params.set_u32("random_seed", 0);
    // Z3 would handle SIGINT during a query, and the user could not stop the campaign.
    params.set_bool("ctrl_c", false);
    params.set_u32("rlimit", at_most_32_bits(limit.as_millis().max(1).saturating_mul(WORK_PER_MILLISECOND)));
    params.set_u32("timeout", at_most_32_bits(left.as_millis() + 1));
    params
}

/// Clamps a limit to 32 bits, below the largest number, which means no limit.
fn at_most_32_bits(limit: u128) -> u32 {
    limit.min(u128::from(u32::MAX) - 1) as u32
}

impl Solver for Z3 {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let start = self.meter.begin();
        let answer = self.decide(dag, query, deadline).0.answer(seed);
        self.time_limits += u64::from(answer == Answer::Unknown(Unknown::TimeLimit));
        self.meter.answer(start, answer)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.set_limits(limits);
    }

    fn forget(&mut self) {
        self.start_over();
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { time_limits: self.time_limits, ..Stats::default() };
        stats.layers.add(&INFO, self.meter.tally());
        stats
    }
}

impl Engine for Z3 {
    fn info(&self) -> &'static LayerInfo {
        &INFO
    }

    fn first_effort(&self, _: QueryClass) -> Option<Duration> {
        Some(FIRST_EFFORT)
    }

    fn needs_validation(&self) -> bool {
        true
    }

    fn attempt(&mut self, task: &Task, _: u32, effort: Duration) -> Attempt {
        self.set_limits(Limits { time: effort });
        let (verdict, spent) = self.decide(task.dag, task.query, task.deadline);
        Attempt { answer: verdict.answer(task.seed), spent }
    }

    fn forget(&mut self) {
        self.start_over();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_refused() {
        assert!(["5.4.0.0", "5.10.1", "6.0"].into_iter().all(is_new_enough));
        assert!(!["4.8.12.0", "5.3.9", "4.15", "", "nightly"].into_iter().any(is_new_enough));
    }

    #[test]
    fn a_limit_without_end_is_a_limit() {
        let mut dag = Dag::new();
        let target = crate::testing::about(&mut dag, 0, 0);
        let mut z3 = Z3::new(Limits { time: Duration::MAX });
        let answer =
            z3.solve(&dag, &Query { prefix: &[], target }, &crate::testing::zeros, &Deadline::never());
        assert!(matches!(answer, Answer::Sat(_)));
    }
}
