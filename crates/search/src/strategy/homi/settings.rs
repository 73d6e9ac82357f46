//! The settings of HOMI.

use crate::rng::Rng;

/// Bounds of the settings: far beyond any use, and small enough that nothing overflows.
const MAX_STEPS: usize = 1_000;
const MAX_FLIPS: u64 = 1_000_000_000;
const MAX_CANDIDATES: u64 = 100_000;

/// Equal steps up to a maximum: of 800 and 4 these are 200, 400, 600 and 800.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StepRange {
    pub max: u64,
    pub count: usize,
}

impl StepRange {
    pub fn get(self, index: usize) -> u64 {
        self.max * (index as u64 + 1) / self.count as u64
    }

    pub fn last(self) -> usize {
        self.count - 1
    }

    /// Returns a random index.
    pub fn any(self, rng: &mut Rng) -> usize {
        rng.below(self.count)
    }

    fn parse(text: &str) -> Option<StepRange> {
        let (max, count) = text.split_once('/')?;
        let steps = StepRange { max: max.parse().ok()?, count: count.parse().ok()? };
        let is_sane =
            (1..=MAX_STEPS).contains(&steps.count) && (steps.count as u64..=MAX_FLIPS).contains(&steps.max);
        is_sane.then_some(steps)
    }
}

/// The data that weights are learnt from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Evidence {
    /// Number of runs with a core condition that were good tests.
    Runs,
    /// Its weights when good tests were found, as published.
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

/// The settings. Defaults are the published values, with a tried flip in place of a second; but a round
/// prunes only a few times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HomiSettings {
    /// Flips tried from one pruning to the next.
    pub cycle: u64,
    /// Flips tried in a round.
    pub rounds: StepRange,
    /// Percentage of the states that are pruned.
    pub ratio: StepRange,
    pub learn: Evidence,
    /// Rounds of pure exploration after the first, if weights are learnt from weights.
    pub explore: u64,
    /// Number of candidates from which the farthest is taken in reverse mode.
    pub candidates: usize,
    /// Number of states below which nothing is pruned.
    pub min_states: usize,
}

impl Default for HomiSettings {
    fn default() -> HomiSettings {
        HomiSettings {
            cycle: 200,
            rounds: StepRange { max: 800, count: 4 },
            ratio: StepRange { max: 60, count: 3 },
            learn: Evidence::Runs,
            explore: 10,
            candidates: 100,
            min_states: 500,
        }
    }
}

const USAGE: &str = "they are cycle=FLIPS (1 or more), rounds=MOST/STEPS (up to a thousand STEPS, and MOST no less), ratio=PERCENT/STEPS \
    (below 100), learn=runs or weights, explore=ROUNDS, candidates=N (1 to 100000) and least=STATES";

impl HomiSettings {
    /// Parses the user's settings, separated by commas.
    pub fn parse(text: &str) -> Result<HomiSettings, String> {
        let mut settings = HomiSettings::default();
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
            "rounds" => self.rounds = StepRange::parse(value)?,
            "ratio" => self.ratio = StepRange::parse(value).filter(|steps| steps.max < 100)?,
            "learn" => self.learn = Evidence::parse(value)?,
            "explore" => self.explore = number()?,
            "candidates" => {
                self.candidates = number().filter(|n| (1..=MAX_CANDIDATES).contains(n))? as usize;
            }
            "least" => self.min_states = number()? as usize,
            _ => return None,
        }
        Some(())
    }
}
