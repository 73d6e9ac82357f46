//! How much is measured.

use crate::halving::Rungs;
use serde::{Deserialize, Serialize};

/// The size of learning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Size {
    /// Weights drawn in a round.
    pub samples: u32,
    /// How many of them are checked.
    pub top: u32,
    /// Campaigns for each that is checked, at most.
    pub trials: u32,
    /// Executions of a whole campaign.
    pub executions: u64,
    /// Most rounds.
    pub rounds: u32,
    /// Of all that is random.
    pub seed: u64,
}

impl Size {
    /// As published.
    pub const PUBLISHED: Size =
        Size { samples: 1_000, top: 10, trials: 10, executions: 4_000, rounds: 19, seed: 0 };

    /// Executions of a usual round of fast learning: a race is over after about half of what it may take.
    pub fn fast_round(&self) -> u64 {
        Rungs::new(self.samples, self.top, self.executions).executions() + self.race() / 2
    }

    /// Executions of a race at most. The best so far races too.
    pub(crate) fn race(&self) -> u64 {
        u64::from(self.top + 1) * u64::from(self.trials) * self.executions
    }
}
