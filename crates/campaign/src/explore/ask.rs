//! Questions to the solver.

use super::perform::Went;
use super::worker::{Ahead, Worker};
use super::{Campaign, CampaignError, Cause};
use crate::corpus::Origin;
use crate::journal::{Asked, Recalled, Told, question};
use cairn_deadline::Deadline;
use cairn_exec::Input;
use cairn_search::Outcome;
use cairn_solver::{Answer, Limits, Model, Query};
use cairn_tree::{Flip, FlipState, RunId};
use std::time::{Duration, Instant};

/// A question that took so long is not asked again when the campaign goes on later. All others are, and what the solver
/// remembers is then what it was.
const LONG_QUESTION: Duration = Duration::from_millis(50);

impl Worker<'_, '_> {
    /// Asks again for a flip that the solver gave up on; false if there is none, or no time that was given is left.
    pub(super) fn raise_limits(&mut self) -> Result<bool, CampaignError> {
        let is_past = self.campaign.chronicle.rebuilding().is_some();
        if self.campaign.settings.time.is_none() && !is_past {
            return Ok(false);
        }
        let mut next = self.campaign.next_insisted();
        if next.is_none() {
            let campaign = &mut *self.campaign;
            let Some(effort) = campaign.insistence.begin(&campaign.tree) else { return Ok(false) };
            self.campaign.insists = Some(self.time_to_insist(effort)?);
            next = self.campaign.next_insisted();
        }
        let Some(flip) = next else { return Ok(false) };
        self.take_pains();
        let base = self.campaign.tree.creator(flip.node);
        self.pursue(flip, base)?;
        Ok(true)
    }

    /// Has the solver take as long as questions that are insisted on may.
    fn take_pains(&mut self) {
        let time = self.campaign.insists;
        if let Some(time) = time.filter(|_| self.insists != time) {
            self.solver.raise_limits(Limits { time });
            self.insists = Some(time);
        }
    }

    /// Time that a query may take in a round. It is not cut to what is left for the campaign: the deadline does that, and
    /// layers that refuse queries which need more than their limit would refuse these although nothing else is left to do.
    fn time_to_insist(&mut self, effort: Duration) -> Result<Duration, CampaignError> {
        match self.campaign.chronicle.insisted()? {
            Recalled::Told(time) => return Ok(time),
            Recalled::ReplayDivergence => self.go_astray()?,
            Recalled::Nothing => {}
        }
        self.campaign.chronicle.note_insisted(effort)?;
        Ok(effort)
    }

    /// Looks for an input that takes a flip, and runs it.
    pub(super) fn pursue(&mut self, flip: Flip, base: RunId) -> Result<Outcome, CampaignError> {
        let reserved = self.campaign.reserve(flip);
        self.campaign.crowd.undecided += 1;
        self.is_undecided = true;
        let (outcome, state) = match self.solve(flip, base)? {
            Answer::Sat(model) => match self.run_model(model, flip, base, false)? {
                Went::There => (Outcome::Taken, FlipState::Sat),
                Went::Elsewhere | Went::BehindPin => (Outcome::Diverged, FlipState::Diverged),
                Went::Unknown => (Outcome::Unknown, FlipState::Unknown),
            },
            Answer::Unsat => self.try_behind_pins(flip, base, (Outcome::Unsat, FlipState::Unsat))?,
            Answer::Unknown(_) => {
                let site = self.campaign.tree.node(flip.node).site;
                self.campaign.collector.unanswered(site);
                self.try_behind_pins(flip, base, (Outcome::Unknown, FlipState::Unknown))?
            }
        };
        self.campaign.tree.set_state(flip, state);
        self.campaign.crowd.reserved -= u64::from(reserved);
        self.decide();
        self.campaign.crowd.tell_results();
        Ok(outcome)
    }

    /// Now it is known whether there will be a run.
    pub(super) fn decide(&mut self) {
        if std::mem::take(&mut self.is_undecided) {
            self.campaign.crowd.undecided -= 1;
        }
    }

    fn solve(&mut self, flip: Flip, base: RunId) -> Result<Answer, CampaignError> {
        let Campaign { tree, dag, program, strategies, .. } = &mut *self.campaign;
        let prefix = tree.path_condition(dag, program, flip.node);
        let target = tree.condition(dag, program, flip.node, flip.side);
        let check = question(flip, tree.len(), false);
        self.held.hold(&prefix, target, strategies[self.id.index()].renews_input());
        self.ask(&Query { prefix: &prefix, target }, base, check)
    }

    /// Asks the solver; `check` tells the question from others.
    fn ask(&mut self, query: &Query, base: RunId, check: [u8; 2]) -> Result<Answer, CampaignError> {
        self.ahead = None;
        self.wait_for_turn()?;
        match self.campaign.chronicle.asked(self.id, check)? {
            Recalled::Told(asked) => return Ok(self.ask_again(query, base, &asked)),
            Recalled::ReplayDivergence => self.go_astray()?,
            Recalled::Nothing => {}
        }
        let deadline = self.campaign.deadline();
        let (answer, time) = self.answer(query, base, &deadline);
        if matches!(answer, Answer::Unknown(_)) && deadline.is_over() {
            // It was not asked for as long as it should have been. If the campaign goes on later, it will be.
            return Ok(answer);
        }
        // As the journal tells it.
        let micros = time.as_micros() as u64;
        let time = Duration::from_micros(micros);
        self.cost.solver += time;
        let told = Told::new(&answer, time >= LONG_QUESTION);
        self.campaign.chronicle.note_asked(Asked { worker: self.id, check, micros, told })?;
        Ok(answer)
    }

    /// Has the question answered, and tells how long that took. Others have their turn meanwhile, if there are any; and an
    /// input that was found is run at once, as it will be, before it is our turn again.
    fn answer(&mut self, query: &Query, base: RunId, deadline: &Deadline) -> (Answer, Duration) {
        let (mode, campaign, start) = (self.mode(), &mut self.campaign, Instant::now());
        let (answer, time) = if campaign.is_alone() {
            let answer =
                self.solver.solve(&campaign.dag, query, &campaign.past[base.index()].input, deadline);
            (answer, start.elapsed())
        } else {
            self.expressions.update(&campaign.dag);
            let mut input = campaign.past[base.index()].input.clone();
            campaign.meanwhile(|| {
                let answer = self.solver.solve(self.expressions.dag(), query, &input, deadline);
                let time = start.elapsed();
                if let Answer::Sat(model) = &answer {
                    self.held.fill_in(&mut input, model, self.expressions.dag(), &mut self.rng);
                    self.executor.end_by(deadline.clone());
                    let run = self.executor.run(&input, mode);
                    self.ahead = Some(Ahead { input, run, took: start.elapsed() - time });
                }
                (answer, time)
            })
        };
        self.campaign.solved[self.id.index()] = self.solver.stats();
        (answer, time)
    }

    /// The answer that the solver gave before. It is asked all the same, unless that took long.
    fn ask_again(&mut self, query: &Query, base: RunId, asked: &Asked) -> Answer {
        let time = Duration::from_micros(asked.micros);
        self.cost.solver += time;
        let campaign = &mut *self.campaign;
        if time >= LONG_QUESTION {
            let answer = asked.told.answer();
            self.solver.replay_answer(&campaign.dag, query, &answer);
            return answer;
        }
        let deadline = campaign.deadline();
        let answer = self.solver.solve(&campaign.dag, query, &campaign.past[base.index()].input, &deadline);
        campaign.solved[self.id.index()] = self.solver.stats();
        if asked.told.is_like(&answer) { answer } else { asked.told.answer() }
    }

    /// Asks once more for a flip that had no solution, with any constants at the pins before it, and tells what became
    /// of it then.
    fn try_behind_pins(
        &mut self,
        flip: Flip,
        base: RunId,
        unsolved: (Outcome, FlipState),
    ) -> Result<(Outcome, FlipState), CampaignError> {
        if self.campaign.deadline().is_over() {
            return Ok(unsolved);
        }
        let Some(model) = self.solve_without_constants(flip, base)? else { return Ok(unsolved) };
        Ok(match self.run_model(model, flip, base, true)? {
            Went::There => (Outcome::Taken, FlipState::Sat),
            Went::Elsewhere => (Outcome::Diverged, FlipState::Diverged),
            // With the constant of its path it is what it was.
            Went::BehindPin => (Outcome::Diverged, unsolved.1),
            Went::Unknown => unsolved,
        })
    }

    /// An input for a flip whatever the constants of the pins before it, if there are any and it was not asked for
    /// already. Other constants of a pin itself are asked for one by one.
    fn solve_without_constants(&mut self, flip: Flip, base: RunId) -> Result<Option<Model>, CampaignError> {
        let Campaign { tree, dag, program, behind_pins, .. } = &mut *self.campaign;
        if tree.is_constant_choice(dag, flip.node) {
            return Ok(None);
        }
        let path = tree.path_condition_without_constants(dag, program, flip.node);
        let Some(prefix) = path else { return Ok(None) };
        let target = tree.condition(dag, program, flip.node, flip.side);
        if !behind_pins.is_new(&prefix, target) {
            return Ok(None);
        }
        let check = question(flip, tree.len(), true);
        Ok(match self.ask(&Query { prefix: &prefix, target }, base, check)? {
            Answer::Sat(model) => Some(model),
            Answer::Unsat | Answer::Unknown(_) => None,
        })
    }

    /// The input that a model makes of that of an earlier run.
    fn input_of(&mut self, model: &Model, base: RunId) -> Input {
        let campaign = &mut *self.campaign;
        let mut input = campaign.past[base.index()].input.clone();
        self.held.fill_in(&mut input, model, &campaign.dag, &mut self.rng);
        input
    }

    fn run_model(
        &mut self,
        model: Model,
        flip: Flip,
        base: RunId,
        any_constants: bool,
    ) -> Result<Went, CampaignError> {
        let input = match &self.ahead {
            Some(ahead) => ahead.input.clone(),
            None => self.input_of(&model, base),
        };
        self.execute(
            &input,
            Cause { origin: Origin::Flip, asked: true, flip: Some(flip), base: Some(base), any_constants },
        )
    }
}

impl Campaign<'_> {
    /// The next flip to ask for again.
    fn next_insisted(&mut self) -> Option<Flip> {
        self.insistence.next(&self.tree)
    }

    /// Keeps a flip from being picked by other workers' searches while this one is at it; true if that was necessary.
    fn reserve(&mut self, flip: Flip) -> bool {
        let must = !self.is_alone() && self.tree.state(flip) == FlipState::Untried;
        if must {
            self.tree.set_state(flip, FlipState::Unknown);
            self.crowd.reserved += 1;
        }
        must
    }
}
