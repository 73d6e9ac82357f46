//! The companion strategy: another strategy with a share of a parametric search.
//!
//! Weights choose among the branches of one path. Anything else a program needs, such as walks over the whole
//! tree, no weights can express. A hand-written strategy can, and the share that is best for a program is
//! learnt like the weights.

use serde::{Deserialize, Serialize};

/// A strategy and its share of the search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Companion {
    /// Name of the strategy, from [`Companion::STRATEGIES`].
    pub strategy: String,
    /// Its share, from 0 to 1; at 1 the weights are unused.
    pub share: f64,
}

impl Companion {
    /// The strategies that may accompany weights: hand-written ones, and none composed of others in a way
    /// that could contain weights.
    pub const STRATEGIES: [&str; 6] = ["cfg", "cgs", "random-branch", "generational", "klee", "cpicnt"];

    /// Checks the values; the error is a sentence without its subject, the file.
    pub(super) fn check(&self) -> Result<(), String> {
        let Companion { strategy, share } = self;
        if !Companion::STRATEGIES.contains(&strategy.as_str()) {
            let all = Companion::STRATEGIES.join(", ");
            return Err(format!("has companion `{strategy}`, which is none of {all}"));
        }
        if !(0.0..=1.0).contains(share) {
            return Err(format!("gives companion `{strategy}` a share of {share}, which is not from 0 to 1"));
        }
        Ok(())
    }
}
