//! The portfolio: chooses the engine for each query by evidence.
//!
//! Engines differ by orders of magnitude in cost and in what they answer, and which is best depends on the
//! program: enumeration takes microseconds where a bit-blaster takes milliseconds, and is hopeless for a hash.
//! So each engine is an arm whose chance and cost are learnt per class of query while the campaign runs
//! ([`evidence`], [`query_class`]), and the next attempt is always that of the engine with the most expected
//! answers per unit of effort, after the portfolio method for hard combinatorial problems (Huberman, Lukose,
//! Hogg, Science 1997) with restarts of geometrically growing length. First attempts are short; each further
//! one of an engine at the same query has four times the effort of the one before, so all in vain cost at most
//! a third more than the last alone. An engine is judged by its best series of attempts (J. Gittins's index):
//! where short ones are never answered but the third is, the first two are worth making. The query ends
//! unanswered when the next attempt would exceed its limit, unless a short series is more likely to be answered
//! than not: a small limit is to save gambles, not answers.
//!
//! Effort is nominal time ([`Engine`]), so that campaigns repeat. Should an engine be slower than its rate
//! says, on a busy machine for instance, the clock stops it.

mod engine;
mod evidence;
mod query_class;

pub use engine::{Attempt, Engine, Task};
pub use query_class::QueryClass;

use crate::stats::Meter;
use crate::validate::Validate;
use crate::{Answer, Limits, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag};
use evidence::{Estimate, Evidence};
use query_class::{ClassKeys, Classes};
use std::time::{Duration, Instant};

/// Growth of the effort from one attempt to the next.
const GROWTH: u32 = 4;
/// Attempts of one engine at one query; a chosen bound, after which effort would exceed every limit.
const MAX_ATTEMPTS: u32 = 24;
/// Effort up to which a series that is likely to be answered may exceed the limit; a chosen bound.
const LIKELY: Duration = Duration::from_millis(32);
/// Wall time that an attempt may take, in multiples of its effort and beyond: only engines that are much slower
/// than their nominal rate get here.
const SLOWDOWN: u32 = 8;
const SLACK: Duration = Duration::from_millis(500);

/// Tries engines in the order of their expected answers per effort.
pub struct Portfolio {
    members: Vec<Member>,
    limits: Limits,
    classes: Classes,
    evidence: Evidence,
    validate: Validate,
    spent: Duration,
    time_limits: u64,
}

/// An engine and its figures.
struct Member {
    engine: Box<dyn Engine>,
    meter: Meter,
}

/// State of one engine in one query.
struct Progress {
    /// Attempts made.
    attempts: u32,
    /// Effort of the next attempt; `None` if there is none.
    next: Option<Duration>,
}

/// Attempts of one engine, each made if those before it had no answer.
struct Series {
    /// Probability that none is answered.
    miss: f64,
    /// Expected effort, in nanoseconds.
    nanos: f64,
    /// Effort if none is answered.
    effort: Duration,
}

impl Default for Series {
    fn default() -> Series {
        Series { miss: 1.0, nanos: 0.0, effort: Duration::ZERO }
    }
}

impl Series {
    fn add(&mut self, estimate: Estimate, effort: Duration) {
        self.nanos += self.miss * estimate.nanos;
        self.miss *= 1.0 - estimate.chance;
        self.effort = self.effort.saturating_add(effort);
    }

    fn chance(&self) -> f64 {
        1.0 - self.miss
    }

    /// Returns expected answers per nanosecond.
    fn rate(&self) -> f64 {
        self.chance() / self.nanos.max(1.0)
    }
}

impl Portfolio {
    /// Returns a portfolio of these engines; of equally promising ones the first is tried first.
    pub fn new(limits: Limits, engines: Vec<Box<dyn Engine>>) -> Portfolio {
        let member = |engine| Member { engine, meter: Meter::default() };
        let (classes, evidence, validate, spent, time_limits) = Default::default();
        let members = engines.into_iter().map(member).collect();
        Portfolio { members, limits, classes, evidence, validate, spent, time_limits }
    }

    /// Makes attempts until one answers or the limit is reached.
    fn decide(&mut self, task: &Task) -> Answer {
        let (class, keys) = self.classes.of(task.dag, task.query.constraints(), task.query.target);
        let start = |member: &Member| Progress { attempts: 0, next: member.engine.first_effort(class) };
        let mut progress: Vec<Progress> = self.members.iter().map(start).collect();
        let (mut left, mut last) = (self.limits.time, Unknown::Unsupported);
        while !task.deadline.is_over() {
            let Some((member, effort)) = self.choose(&progress, &keys, left) else { break };
            let attempt = self.attempt(task, member, &progress[member], effort, &keys);
            left = left.saturating_sub(attempt.spent);
            let Answer::Unknown(why) = attempt.answer else { return attempt.answer };
            last = why;
            self.advance(&mut progress[member], member, effort, why);
        }
        let may_help = progress.iter().any(|progress| progress.next.is_some());
        Answer::Unknown(if may_help { Unknown::TimeLimit } else { last })
    }

    /// Returns the engine with the best expected rate of answers, and the effort of its attempt.
    fn choose(&self, progress: &[Progress], keys: &ClassKeys, left: Duration) -> Option<(usize, Duration)> {
        let candidate = |(member, progress): (usize, &Progress)| {
            let next = progress.next?;
            // One that cannot have half of the effort it should is left out.
            let effort = if !left.is_zero() && next <= left * 2 { next.min(left) } else { next };
            let rate = self.best_rate(member, progress.attempts, effort, keys, left)?;
            Some((rate, (member, effort)))
        };
        let all = progress.iter().enumerate().filter_map(candidate);
        // The first of the best: `max_by` would return the last.
        all.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, choice)| choice)
    }

    /// Returns the expected answers per nanosecond of an engine's best series of attempts, the first of which
    /// has this number and effort; `None` if no series is within the limits.
    fn best_rate(
        &self,
        member: usize,
        first: u32,
        effort: Duration,
        keys: &ClassKeys,
        left: Duration,
    ) -> Option<f64> {
        let attempts = first..self.members[member].engine.max_attempts().min(MAX_ATTEMPTS);
        let (mut series, mut best) = (Series::default(), None::<f64>);
        let mut next = effort;
        for number in attempts {
            series.add(self.evidence.estimate(keys, (member as u8, number as u8), next), next);
            if series.effort > left.max(LIKELY) {
                break;
            }
            if series.effort <= left || series.chance() > 0.5 {
                best = Some(best.map_or(series.rate(), |best| best.max(series.rate())));
            }
            next = next.saturating_mul(GROWTH);
        }
        best
    }

    fn attempt(
        &mut self,
        task: &Task,
        index: usize,
        progress: &Progress,
        effort: Duration,
        keys: &ClassKeys,
    ) -> Attempt {
        let member = &mut self.members[index];
        let start = if progress.attempts == 0 { member.meter.begin() } else { Instant::now() };
        let deadline = task.deadline.within(effort.saturating_mul(SLOWDOWN).saturating_add(SLACK));
        let own = Task { deadline: &deadline, ..*task };
        let mut attempt = member.engine.attempt(&own, progress.attempts, effort);
        if member.engine.needs_validation() {
            attempt.answer = self.validate.check(task.dag, task.query, task.seed, attempt.answer);
        }
        let is_answered = !matches!(attempt.answer, Answer::Unknown(_));
        log::trace!(
            target: "solver",
            "{} attempt {} with {effort:?}, chance {:.2}: {} after {:?}, {:?} of wall time",
            member.engine.info().name,
            progress.attempts,
            self.evidence.estimate(keys, step(index, progress), effort).chance,
            attempt.answer.verdict(),
            attempt.spent,
            start.elapsed()
        );
        match is_answered {
            true => attempt.answer = member.meter.answer(start, attempt.answer),
            false => member.meter.pause_in_vain(start),
        }
        // An attempt that the campaign's own deadline cut off shows nothing.
        if is_answered || !task.deadline.is_over() {
            self.evidence.record(keys, step(index, progress), is_answered, attempt.spent);
        }
        self.spent += attempt.spent;
        attempt
    }

    /// Plans the engine's next attempt after one without an answer.
    fn advance(&self, progress: &mut Progress, member: usize, effort: Duration, why: Unknown) {
        let engine = &self.members[member].engine;
        progress.attempts += 1;
        let is_done =
            why != Unknown::TimeLimit || progress.attempts >= engine.max_attempts().min(MAX_ATTEMPTS);
        progress.next = (!is_done).then(|| effort.saturating_mul(GROWTH));
    }

    fn learn(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        if !matches!(answer, Answer::Unknown(_)) {
            self.members.iter_mut().for_each(|member| member.engine.learn(dag, query, answer));
        }
    }
}

/// Returns the key of an engine's next attempt in the evidence.
fn step(member: usize, progress: &Progress) -> (u8, u8) {
    (member as u8, progress.attempts as u8)
}

impl Solver for Portfolio {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let answer = self.decide(&Task { dag, query, seed, deadline });
        self.time_limits += u64::from(answer == Answer::Unknown(Unknown::TimeLimit));
        self.learn(dag, query, &answer);
        answer
    }

    fn replay_answer(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.learn(dag, query, answer);
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn forget(&mut self) {
        self.classes = Classes::default();
        self.members.iter_mut().for_each(|member| member.engine.forget());
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { time_limits: self.time_limits, effort: self.spent, ..Stats::default() };
        self.validate.add_stats(&mut stats);
        for member in self.members.iter().rev() {
            stats.layers.add(member.engine.info(), member.meter.tally());
            member.engine.add_stats(&mut stats);
        }
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 90 units in vain, then 360 with an answer, beside one of 1,000 that is always answered.
    #[test]
    fn a_series_is_worth_what_its_last_attempt_brings() {
        let add = |series: &mut Series, chance, nanos| {
            series.add(Estimate { chance, nanos }, Duration::from_nanos(nanos as u64));
        };
        let mut series = Series::default();
        add(&mut series, 0.0, 90.0);
        assert_eq!((series.chance(), series.rate()), (0.0, 0.0));
        add(&mut series, 1.0, 360.0);
        assert_eq!((series.chance(), series.rate()), (1.0, 1.0 / 450.0));
        add(&mut series, 0.5, 1440.0);
        assert_eq!(series.rate(), 1.0 / 450.0, "what is never reached costs nothing");
        assert_eq!(series.effort, Duration::from_nanos(1890));
    }
}
