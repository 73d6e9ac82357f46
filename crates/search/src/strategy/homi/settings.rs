//! What a user can set.

use crate::rng::Rng;

/// Limits of what a user can set: far beyond what is of any use, and nothing overflows.
const MOST_STEPS: usize = 1_000;
const MOST_FLIPS: u64 = 1_000_000_000;
const MOST_CANDIDATES: u64 = 100_000;

/// Equal steps up to a most: of 800 and 4 these are 200, 400, 600 and 800.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Steps {
    pub most: u64,
    pub count: usize,
}

impl Steps {
    pub fn get(self, index: usize) -> u64 {
        self.most * (index as u64 + 1) / self.count as u64
    }

    pub fn last(self) -> usize {
        self.count - 1
    }

    /// Any of them.
    pub fn any(self, rng: &mut Rng) -> usize {
        rng.below(self.count)
    }

    fn parse(text: &str) -> Option<Steps> {
        let (most, count) = text.split_once('/')?;
        let steps = Steps { most: most.parse().ok()?, count: count.parse().ok()? };
        let is_sane = (1..=MOST_STEPS).contains(&steps.count)
            && (steps.count as u64..=MOST_FLIPS).contains(&steps.most);
        is_sane.then_some(steps)
    }
}

/// What weights are learnt from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Evidence {
    /// How many of the runs with a core condition were good tests.
    Runs,
    /// What it weighed when good tests were made, as published.
    Weights,
}

impl Evidence {
    fn parse(text: &str) -> Option<Evidence> {
        match text {
            "runs" => Some(Evidence::Runs),
            "weights" => Some(Evidence::Weights),
            _ => None,
        }
    }
}

/// The published values, with a flip that is tried in the place of a second; but a round prunes a few times only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// Flips tried from one pruning to the next.
    pub cycle: u64,
    /// Flips tried in a round.
    pub rounds: Steps,
    /// Percents of the states that are pruned.
    pub ratio: Steps,
    pub learn: Evidence,
    /// Rounds of pure exploration after the first, if weights are learnt from weights.
    pub explore: u64,
    /// Candidates of which the farthest is taken in reverse.
    pub candidates: usize,
    /// States below which nothing is pruned.
    pub least: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            cycle: 200,
            rounds: Steps { most: 800, count: 4 },
            ratio: Steps { most: 60, count: 3 },
            learn: Evidence::Runs,
            explore: 10,
            candidates: 100,
            least: 500,
        }
    }
}

const USAGE: &str = "they are cycle=FLIPS (1 or more), rounds=MOST/STEPS (up to a thousand STEPS, and MOST no less), ratio=PERCENT/STEPS \
    (below 100), learn=runs or weights, explore=ROUNDS, candidates=N (1 to 100000) and least=STATES";

impl Settings {
    /// The settings in a user's words, with commas between them.
    pub fn parse(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            settings.set(part).ok_or_else(|| format!("`{part}` is no setting that it can have: {USAGE}"))?;
        }
        Ok(settings)
    }

    fn set(&mut self, part: &str) -> Option<()> {
        let (name, value) = part.split_once('=')?;
        let number = || value.parse::<u64>().ok();
        match name {
            "cycle" => self.cycle = number().filter(|n| *n > 0)?,
            "rounds" => self.rounds = Steps::parse(value)?,
            "ratio" => self.ratio = Steps::parse(value).filter(|steps| steps.most < 100)?,
            "learn" => self.learn = Evidence::parse(value)?,
            "explore" => self.explore = number()?,
            "candidates" => {
                self.candidates = number().filter(|n| (1..=MOST_CANDIDATES).contains(n))? as usize;
            }
            "least" => self.least = number()? as usize,
            _ => return None,
        }
        Some(())
    }
}
