//! The Z3 backend: one context per thread, one solver kept, every term translated once.
//!
//! The default solver used incrementally is faster and more robust on path conditions than the one
//! specialised for bit-vectors, and Z3 5.4 than older ones, some of which gave wrong models. Which
//! constraints stay asserted between queries is told in [`scopes`]. Random seeds are fixed: the same queries
//! in the same order give the same models.
//!
//! A check may use so many of Z3's own units of work, which is the same on every machine; the clock comes after that:
//! Z3's timeout, since it leaves the context clean, and a watchdog that interrupts a check that looks at neither. What
//! Z3 could not even begin to search in its time it is not asked ([`circuits`]).

mod circuits;
mod floats;
mod scopes;
mod tables;
mod terms;
mod watchdog;

use crate::bytes::ByteCollector;
use crate::stats::Meter;
use crate::{Answer, Layers, Limits, Query, Solver, Stats, Unknown};
use ::z3::{Params, SatResult};
use cairn_expr::{Assignment, Dag, ExprId};
use scopes::Scopes;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use terms::Terms;
use watchdog::Watchdog;

/// Terms kept before the backend starts over, to bound memory.
const MAX_TERMS: usize = 500_000;
/// Memory that Z3 may use, in all contexts together, before it gives up on a query.
static MAX_MEGABYTES: AtomicU64 = AtomicU64::new(2048);
/// Units of work per millisecond of the time limit. Z3 does some 1,500 in a millisecond: only on a machine that is three
/// times as slow does the clock decide what has an answer.
const WORK_PER_MILLISECOND: u128 = 500;

/// How much longer than it may a check takes at most if all must have an end.
const MOST_PATIENCE: Duration = Duration::from_millis(500);

/// Asks Z3.
pub struct Z3 {
    limits: Limits,
    /// When there is no more time at all.
    end: Option<Instant>,
    /// Made when something is asked first.
    engine: Option<Engine>,
    terms: Terms,
    bytes: ByteCollector,
    meter: Meter,
    time_limits: u64,
}

/// What belongs to a context of Z3. Making that takes 8 ms, and the campaigns of many parsers never ask.
struct Engine {
    scopes: Scopes,
    watchdog: Watchdog,
}

impl Engine {
    fn start() -> Engine {
        Engine { scopes: Scopes::new(), watchdog: Watchdog::start() }
    }
}

/// Keeps Z3 to this much memory, in all contexts that are made from now on.
pub fn limit_memory(bytes: u64) {
    MAX_MEGABYTES.fetch_min(bytes >> 20, Relaxed);
}

impl Z3 {
    /// A backend on this thread's Z3 context.
    ///
    /// Panics if an old libz3 was loaded instead of the one Cairn was linked with: old ones gave wrong answers.
    pub fn new(limits: Limits) -> Z3 {
        let version = ::z3::full_version();
        assert!(is_new_enough(version), "Cairn needs Z3 5.4, but libz3 {version} was loaded");
        ::z3::set_global_param("memory_high_watermark_mb", &MAX_MEGABYTES.load(Relaxed).to_string());
        Z3 {
            limits: limits.within_reach(),
            end: None,
            engine: None,
            terms: Terms::default(),
            bytes: ByteCollector::default(),
            meter: Meter::default(),
            time_limits: 0,
        }
    }

    fn ask(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let start = Instant::now();
        let left = self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(start));
        let time = self.limits.time.min(left);
        let constraints: Vec<ExprId> = query.constraints().collect();
        if circuits::time(dag, &constraints) > time {
            return Answer::Unknown(Unknown::TimeLimit);
        }
        match self.check(dag, query, start, time) {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Sat => self.model(dag, query, seed),
            SatResult::Unknown => {
                let reason = self.why_unknown(start + time);
                // A solver that gave up is not to be trusted with its scopes, and may have no memory left for the next.
                self.start_over();
                Answer::Unknown(reason)
            }
        }
    }

    /// Lets Z3 decide, until the time is up or, should it not look at its clock, a little longer. It works on constraints
    /// already when it is told of them, and does not look at its clock then.
    fn check(&mut self, dag: &Dag, query: &Query, start: Instant, time: Duration) -> SatResult {
        let patience = if self.end.is_some() { (time / 4).min(MOST_PATIENCE) } else { time / 4 };
        let Engine { scopes, watchdog } = self.engine.get_or_insert_with(Engine::start);
        let armed = watchdog.arm(start + time + patience);
        scopes.enter(&mut self.terms, dag, query, start + time / 4);
        let solver = scopes.solver();
        let result = match time.checked_sub(start.elapsed()) {
            Some(left) => {
                solver.set_params(&parameters(self.limits.time, left));
                solver.check()
            }
            None => SatResult::Unknown,
        };
        if armed.disarm() { SatResult::Unknown } else { result }
    }

    /// A value for every byte of the query; what Z3 leaves open keeps the seed's value.
    fn model(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let Some(found) = self.engine.as_ref().and_then(|engine| engine.scopes.solver().get_model()) else {
            return Answer::Unknown(Unknown::Unsupported);
        };
        let value = |byte| found.get_const_interp(self.terms.variable(byte)?)?.as_u64();
        let bytes = self.bytes.collect(dag, query.constraints());
        let model = bytes.into_iter().map(|b| (b, value(b).map_or_else(|| seed.byte(b), |v| v as u8)));
        Answer::Sat(model.collect())
    }

    fn start_over(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.scopes = Scopes::new();
        }
        self.terms = Terms::default();
    }

    fn why_unknown(&self, deadline: Instant) -> Unknown {
        let reason = self.engine.as_ref().and_then(|engine| engine.scopes.solver().get_reason_unknown());
        let reason = reason.unwrap_or_default();
        let is_time = ["timeout", "cancel", "interrupt", "resource"].iter().any(|word| reason.contains(word));
        if is_time || Instant::now() >= deadline { Unknown::TimeLimit } else { Unknown::Unsupported }
    }
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(5), Some(4))
}

fn parameters(limit: Duration, left: Duration) -> Params {
    let mut params = Params::new();
    params.set_u32("random_seed", 0);
    // Z3 would take over SIGINT during a query, and with it the user's wish to stop.
    params.set_bool("ctrl_c", false);
    params.set_u32("rlimit", at_most_32_bits(limit.as_millis().max(1).saturating_mul(WORK_PER_MILLISECOND)));
    params.set_u32("timeout", at_most_32_bits(left.as_millis() + 1));
    params
}

/// The largest number would mean no limit.
fn at_most_32_bits(limit: u128) -> u32 {
    limit.min(u128::from(u32::MAX) - 1) as u32
}

impl Solver for Z3 {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let start = self.meter.begin();
        if self.terms.len() > MAX_TERMS {
            self.start_over();
        }
        let answer = self.ask(dag, query, seed);
        self.time_limits += u64::from(answer == Answer::Unknown(Unknown::TimeLimit));
        self.meter.answer(start, answer)
    }

    fn insist(&mut self, limits: Limits) {
        self.limits = limits.within_reach();
    }

    fn end_by(&mut self, end: Instant) {
        self.end = Some(end);
    }

    fn forget(&mut self) {
        self.start_over();
    }

    fn stats(&self) -> Stats {
        let layers = Layers { smt: self.meter.tally(), ..Layers::default() };
        Stats { layers, time_limits: self.time_limits, ..Stats::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_told_from_new_ones() {
        assert!(["5.4.0.0", "5.10.1", "6.0"].into_iter().all(is_new_enough));
        assert!(!["4.8.12.0", "5.3.9", "4.15", "", "nightly"].into_iter().any(is_new_enough));
    }

    #[test]
    fn a_limit_without_end_is_a_limit() {
        let mut dag = Dag::new();
        let target = crate::testing::about(&mut dag, 0, 0);
        let mut z3 = Z3::new(Limits { time: Duration::MAX });
        let answer = z3.solve(&dag, &Query { prefix: &[], target }, &crate::testing::zeros);
        assert!(matches!(answer, Answer::Sat(_)));
    }
}
