//! Solves flips: makes a query, and executes the input that the model gives.

use super::CampaignError;
use super::execute::EarlyRun;
use super::integrate::FlipResult;
use super::state::{Campaign, Cause, LeftOut};
use super::unconstrained_bytes::Fill;
use super::worker::Worker;
use crate::replay::cursor::fingerprint;
use crate::replay::record::{QueryRecord, RecordedAnswer};
use crate::store::corpus::Origin;
use cairn_deadline::Deadline;
use cairn_exec::Input;
use cairn_search::Outcome;
use cairn_solver::{Answer, Limits, Model, Query};
use cairn_tree::{Flip, FlipState, RunId};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time from which on a replay takes a query's answer from the journal; a chosen bound. Faster queries are
/// solved again, which also restores the caches of the solver.
const SLOW_QUERY: Duration = Duration::from_millis(50);

/// A satisfiable query: its model, and the run that was made of it without the lock.
struct Solution {
    model: Model,
    early: Option<(Input, EarlyRun)>,
}

/// Answer of a query.
enum Solved {
    Sat(Box<Solution>),
    Unsat,
    Unknown,
}

impl Worker<'_, '_> {
    /// Queries a deferred flip again; false if there is none, or no credit for it.
    pub fn retry_deferred(&mut self) -> Result<bool, CampaignError> {
        let id = self.id;
        let Campaign { search, known, cursor, .. } = &mut *self.campaign;
        let is_due = match cursor.is_live() {
            false => cursor.retries(id)?,
            true => {
                let next = search.deferred.next_effort(&known.tree);
                next.is_some_and(|effort| search.account.affords(effort))
            }
        };
        let next = if is_due { search.deferred.pop(&known.tree) } else { None };
        let Some((flip, effort)) = next else { return Ok(false) };
        cursor.log_retry(id)?;
        self.query_again(flip, effort)?;
        Ok(true)
    }

    /// Queries the next unanswered flip, whatever credit there is; false if nothing is left to try.
    pub fn retry_unanswered(&mut self) -> Result<bool, CampaignError> {
        let Campaign { search, known, cursor, settings, .. } = &mut *self.campaign;
        if cursor.is_live()
            && let Some((flip, effort)) = search.deferred.pop(&known.tree)
        {
            cursor.log_retry(self.id)?;
            self.query_again(flip, effort)?;
            return Ok(true);
        }
        if settings.time.is_none() && cursor.is_live() {
            return Ok(false);
        }
        let mut next = search.deferred.next_of_round(&known.tree);
        if next.is_none() {
            let Some(effort) = search.deferred.prepare_round(&known.tree) else { return Ok(false) };
            let effort = self.round_effort(effort)?;
            let Campaign { search, known, .. } = &mut *self.campaign;
            search.deferred.begin_round(effort);
            next = search.deferred.next_of_round(&known.tree);
        }
        let Some((flip, effort)) = next else { return Ok(false) };
        self.query_again(flip, effort)?;
        Ok(true)
    }

    fn query_again(&mut self, flip: Flip, effort: Duration) -> Result<(), CampaignError> {
        let base = self.campaign.known.tree.creator(flip.node);
        self.solve_flip(flip, base, effort).map(|_| ())
    }

    /// Returns the effort of a round's queries. It is not cut to the rest of the time budget: the deadline
    /// does that, and engines that reject queries which need more than their limit would reject these although
    /// nothing else is left to do.
    fn round_effort(&mut self, effort: Duration) -> Result<Duration, CampaignError> {
        let action = self.campaign.cursor.raise_limit()?;
        if let Some(recorded) = self.resolve(action)? {
            return Ok(recorded);
        }
        self.campaign.cursor.log_raise_limit(effort)?;
        Ok(effort)
    }

    /// Solves a flip with this effort and executes the input, if there is one.
    pub fn solve_flip(
        &mut self,
        flip: Flip,
        base: RunId,
        effort: Duration,
    ) -> Result<Outcome, CampaignError> {
        let was_unanswered = self.campaign.known.tree.state(flip) == FlipState::Unknown;
        let before = self.cost.solver;
        let reserved = self.campaign.reserve(flip);
        self.campaign.coordination.pending_runs += 1;
        self.has_pending_run = true;
        let mut is_unanswered = false;
        let (outcome, state) = match self.solve(flip, base, effort)? {
            Solved::Sat(solution) => match self.run_solution(*solution, flip, base, LeftOut::Nothing)? {
                FlipResult::Taken => (Outcome::Taken, FlipState::Sat),
                FlipResult::Diverged | FlipResult::Relaxed => (Outcome::Diverged, FlipState::Diverged),
                FlipResult::Unknown => (Outcome::Unknown, FlipState::Unknown),
            },
            Solved::Unsat => self.try_relaxed(flip, base, effort, (Outcome::Unsat, FlipState::Unsat))?,
            Solved::Unknown if self.is_outdated() => (Outcome::Unknown, FlipState::Unknown),
            Solved::Unknown => {
                let Campaign { known, .. } = &mut *self.campaign;
                known.diagnosis.unanswered(known.tree.node(flip.node).site);
                is_unanswered = true;
                match self.try_relaxed(flip, base, effort, (Outcome::Unknown, FlipState::Unknown))? {
                    (_, FlipState::Unknown) => self.try_optimistic(flip, base, effort)?,
                    solved => solved,
                }
            }
        };
        if !self.is_outdated() {
            let is_answered = !is_unanswered || state != FlipState::Unknown;
            let time = self.cost.solver - before;
            self.campaign.note_query_cost(flip, base, (time, is_answered, was_unanswered));
            self.campaign.known.tree.set_state(flip, state);
            if !is_answered {
                self.campaign.search.deferred.add(flip, effort);
            }
        }
        self.campaign.coordination.reserved -= u64::from(reserved);
        self.clear_pending_run();
        self.campaign.coordination.publish_result();
        Ok(outcome)
    }

    /// Ends the state of a pending run: it is executed now, or there will be none.
    pub fn clear_pending_run(&mut self) {
        if std::mem::take(&mut self.has_pending_run) {
            self.campaign.coordination.pending_runs -= 1;
        }
    }

    fn solve(&mut self, flip: Flip, base: RunId, effort: Duration) -> Result<Solved, CampaignError> {
        let Campaign { known, program, search, settings, .. } = &mut *self.campaign;
        let prefix = known.tree.path_condition(&mut known.dag, program, flip.node);
        let target = known.tree.condition(&mut known.dag, program, flip.node, flip.side);
        let check = fingerprint(flip, known.tree.len(), LeftOut::Nothing as u8);
        let renew = search.strategies[self.id.index()].renews_input();
        // A dictionary that the user gives is meant for any strategy.
        let strategy = &search.strategies[self.id.index()];
        let may_fill = strategy.uses_dictionary() || !settings.dictionary.is_empty();
        self.is_filled = may_fill && self.rng.unit() < search.fill.share() && !known.dictionary.is_empty();
        let seed = if may_fill || renew { self.rng.word() } else { 0 };
        let dictionary = self.is_filled.then(|| known.dictionary.clone());
        self.unconstrained.set_query(&prefix, target, Fill { renew, dictionary, seed });
        self.query(&Query { prefix: &prefix, target }, base, effort, check)
    }

    /// Makes a query, or takes its answer from the journal; `check` is its fingerprint.
    fn query(
        &mut self,
        query: &Query,
        base: RunId,
        effort: Duration,
        check: [u8; 2],
    ) -> Result<Solved, CampaignError> {
        self.wait_for_turn()?;
        self.solver.set_limits(Limits { time: effort });
        let action = self.campaign.cursor.query(self.id, check)?;
        if let Some(recorded) = self.resolve(action)? {
            return Ok(Solved::new(self.replay_query(query, base, &recorded), None));
        }
        if self.is_outdated() {
            return Ok(Solved::Unknown);
        }
        let deadline = self.campaign.deadline();
        let before = self.campaign.search.solver_stats[self.id.index()].effort;
        let (answer, time, early) = self.call_solver(query, base, &deadline);
        if matches!(answer, Answer::Unknown(_)) && deadline.is_over() {
            // The query was cut off before its own limit; it is made again if the campaign is resumed.
            return Ok(Solved::new(answer, early));
        }
        // In the precision of the journal.
        let micros = time.as_micros() as u64;
        let time = Duration::from_micros(micros);
        self.cost.solver += time;
        let search = &mut self.campaign.search;
        let effort = (search.solver_stats[self.id.index()].effort - before).as_micros() as u64;
        search.account.queried(!matches!(answer, Answer::Unknown(_)), Duration::from_micros(effort));
        log::debug!(target: "solver", "{} after an effort of {effort} us", answer.verdict());
        let recorded = RecordedAnswer::new(&answer, time >= SLOW_QUERY);
        let record = QueryRecord { worker: self.id, fingerprint: check, micros, effort, answer: recorded };
        self.campaign.cursor.log_query(record)?;
        Ok(Solved::new(answer, early))
    }

    /// Calls the solver; returns its answer and the time it took. With several workers the lock is released
    /// meanwhile, and the input of a model is run at once, before the lock is acquired again.
    fn call_solver(
        &mut self,
        query: &Query,
        base: RunId,
        deadline: &Deadline,
    ) -> (Answer, Duration, Option<(Input, EarlyRun)>) {
        let (mode, bound) = (self.mode(), self.campaign.search.run_limit.current());
        let (campaign, start) = (&mut self.campaign, Instant::now());
        let mut early = None;
        let (answer, time) = if campaign.is_single_worker() {
            let known = &campaign.known;
            let input = &known.past_runs[base.index()].input;
            (self.solver.solve(&known.dag, query, input, deadline), start.elapsed())
        } else {
            self.expressions.update(&campaign.known.dag);
            let mut input = campaign.known.past_runs[base.index()].input.clone();
            campaign.unlocked(|| {
                let answer = self.solver.solve(self.expressions.dag(), query, &input, deadline);
                let time = start.elapsed();
                if let Answer::Sat(model) = &answer {
                    let dag = self.expressions.dag();
                    self.unconstrained.apply_model(&mut input, model, dag);
                    self.executor.end_by(deadline.clone());
                    let run = self.executor.run_within(&input, mode, bound);
                    early = Some((input, EarlyRun { run, bound, took: start.elapsed() - time }));
                }
                (answer, time)
            })
        };
        self.campaign.search.solver_stats[self.id.index()] = self.solver.stats();
        (answer, time, early)
    }

    /// Returns the recorded answer of a query. The query is solved again all the same, unless that took long.
    fn replay_query(&mut self, query: &Query, base: RunId, recorded: &QueryRecord) -> Answer {
        let time = Duration::from_micros(recorded.micros);
        self.cost.solver += time;
        let deadline = self.campaign.deadline();
        let Campaign { known, search, .. } = &mut *self.campaign;
        let is_answered = recorded.answer != RecordedAnswer::Unknown;
        search.account.queried(is_answered, Duration::from_micros(recorded.effort));
        if time >= SLOW_QUERY {
            let answer = recorded.answer.answer();
            self.solver.replay_answer(&known.dag, query, &answer);
            return answer;
        }
        let input = &known.past_runs[base.index()].input;
        let answer = self.solver.solve(&known.dag, query, input, &deadline);
        search.solver_stats[self.id.index()] = self.solver.stats();
        if recorded.answer.agrees_with(&answer) { answer } else { recorded.answer.answer() }
    }

    /// Tries a flip without a solution once more, with any constants at the concretizations before it;
    /// returns what became of it.
    fn try_relaxed(
        &mut self,
        flip: Flip,
        base: RunId,
        effort: Duration,
        unsolved: (Outcome, FlipState),
    ) -> Result<(Outcome, FlipState), CampaignError> {
        if self.is_outdated() || self.campaign.deadline().is_over() {
            return Ok(unsolved);
        }
        let Some(solution) = self.solve_relaxed(flip, base, effort)? else { return Ok(unsolved) };
        Ok(match self.run_solution(solution, flip, base, LeftOut::Constants)? {
            FlipResult::Taken => (Outcome::Taken, FlipState::Sat),
            FlipResult::Diverged => (Outcome::Diverged, FlipState::Diverged),
            // The state of the flip itself, with the constants of its path, does not change.
            FlipResult::Relaxed => (Outcome::Diverged, unsolved.1),
            FlipResult::Unknown => unsolved,
        })
    }

    /// Tries an unanswered flip with its nearest constraints alone; returns what became of it.
    fn try_optimistic(
        &mut self,
        flip: Flip,
        base: RunId,
        effort: Duration,
    ) -> Result<(Outcome, FlipState), CampaignError> {
        let unsolved = (Outcome::Unknown, FlipState::Unknown);
        let Campaign { known, program, search, counters, .. } = &mut *self.campaign;
        let tests = counters.coverage_curve.len() as u64;
        if self.times_forgotten != known.times_forgotten
            || !search.optimistic.pays(counters.executions, tests)
        {
            return Ok(unsolved);
        }
        let prefix = known.tree.path_condition(&mut known.dag, program, flip.node);
        let target = known.tree.condition(&mut known.dag, program, flip.node, flip.side);
        let nearest = search.optimistic.nearest(&known.dag, &prefix, target);
        let Some(nearest) = nearest else { return Ok(unsolved) };
        let check = fingerprint(flip, known.tree.len(), LeftOut::OtherBytes as u8);
        Ok(match self.query(&Query { prefix: &nearest, target }, base, effort, check)? {
            Solved::Sat(solution) => match self.run_solution(*solution, flip, base, LeftOut::OtherBytes)? {
                FlipResult::Taken => (Outcome::Taken, FlipState::Sat),
                _ => unsolved,
            },
            // A contradiction of some constraints is one of all.
            Solved::Unsat => (Outcome::Unsat, FlipState::Unsat),
            Solved::Unknown => unsolved,
        })
    }

    /// Solves the relaxed query of a flip, if there are concretizations before it and the query is new. The
    /// other constants of a concretization itself are solved one by one.
    fn solve_relaxed(
        &mut self,
        flip: Flip,
        base: RunId,
        effort: Duration,
    ) -> Result<Option<Solution>, CampaignError> {
        let Campaign { known, program, search, .. } = &mut *self.campaign;
        let (tree, dag) = (&mut known.tree, &mut known.dag);
        if tree.is_constant_choice(dag, flip.node) {
            return Ok(None);
        }
        let path = tree.path_condition_without_constants(dag, program, flip.node);
        let Some(prefix) = path else { return Ok(None) };
        let target = tree.condition(dag, program, flip.node, flip.side);
        if !search.relaxed.is_new(&prefix, target) {
            return Ok(None);
        }
        let check = fingerprint(flip, tree.len(), LeftOut::Constants as u8);
        Ok(match self.query(&Query { prefix: &prefix, target }, base, effort, check)? {
            Solved::Sat(solution) => Some(*solution),
            Solved::Unsat | Solved::Unknown => None,
        })
    }

    /// Applies a model to the input of an earlier run.
    fn input_of(&mut self, model: &Model, base: RunId) -> Input {
        let known = &self.campaign.known;
        let mut input = known.past_runs[base.index()].input.clone();
        self.unconstrained.apply_model(&mut input, model, &known.dag);
        input
    }

    /// Executes the input of a solution.
    fn run_solution(
        &mut self,
        solution: Solution,
        flip: Flip,
        base: RunId,
        left_out: LeftOut,
    ) -> Result<FlipResult, CampaignError> {
        let (input, early) = match solution.early {
            Some((input, early)) => (input, Some(early)),
            None => (self.input_of(&solution.model, base), None),
        };
        let (flip, base) = (Some(flip), Some(base));
        let cause = Cause { origin: Origin::Flip, is_requested: true, flip, base, left_out };
        self.new_branches = 0;
        let result = self.execute_early(&input, cause, early)?;
        self.count_fill();
        Ok(result)
    }

    /// Counts what the last input has brought for the way in which its unconstrained bytes were filled.
    fn count_fill(&mut self) {
        let Campaign { known, search, .. } = &mut *self.campaign;
        if known.dictionary.is_empty() {
            return;
        }
        search.fill.count(self.is_filled, self.new_branches);
        for id in self.unconstrained.take_used() {
            Arc::make_mut(&mut known.dictionary).count_use(id, self.new_branches > 0);
        }
    }
}

impl Solved {
    fn new(answer: Answer, early: Option<(Input, EarlyRun)>) -> Solved {
        match answer {
            Answer::Sat(model) => Solved::Sat(Box::new(Solution { model, early })),
            Answer::Unsat => Solved::Unsat,
            Answer::Unknown(_) => Solved::Unknown,
        }
    }
}

impl Campaign<'_> {
    /// Reserves a flip, so that other workers do not choose it; returns true if that was necessary.
    fn reserve(&mut self, flip: Flip) -> bool {
        let must = !self.is_single_worker() && self.known.tree.state(flip) == FlipState::Untried;
        if must {
            self.known.tree.set_state(flip, FlipState::Unknown);
            self.coordination.reserved += 1;
        }
        must
    }
}
