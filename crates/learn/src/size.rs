//! The amount of measurements.

use crate::halving::Rungs;
use serde::{Deserialize, Serialize};

/// The size of learning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Size {
    /// Number of weight vectors drawn in a round.
    pub samples: u32,
    /// Number of them that are checked.
    pub top: u32,
    /// Maximum number of campaigns for each that is checked.
    pub trials: u32,
    /// Executions of a whole campaign.
    pub executions: u64,
    /// Maximum number of rounds.
    pub rounds: u32,
    /// Seed of all random choices.
    pub seed: u64,
}

impl Size {
    /// The published values.
    pub const PUBLISHED: Size =
        Size { samples: 1_000, top: 10, trials: 10, executions: 4_000, rounds: 19, seed: 0 };

    /// Returns the executions of a typical round of fast learning: a race takes about half of its maximum.
    pub fn fast_round(&self) -> u64 {
        Rungs::new(self.samples, self.top, self.executions).executions() + self.race() / 2
    }

    /// Returns the maximum executions of a race, which includes the incumbent.
    pub(crate) fn race(&self) -> u64 {
        u64::from(self.top + 1) * u64::from(self.trials) * self.executions
    }
}
