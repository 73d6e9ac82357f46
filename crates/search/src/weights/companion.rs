//! Another strategy that has a share of a parametric search.
//!
//! Weights choose among the branches of one path. What a program needs beside that, such as walks over the whole tree, no weights can say: a
//! strategy made by hand can, and how much of it is good for a program is learnt like the weights are.

use serde::{Deserialize, Serialize};

/// A strategy, and what it has of the search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Companion {
    /// One of [`Companion::STRATEGIES`].
    pub strategy: String,
    /// From 0 to 1, where the weights no longer matter.
    pub share: f64,
}

impl Companion {
    /// Those that may stand beside weights: made by hand, and none that is made of others in a way that weights could be among them.
    pub const STRATEGIES: [&str; 6] = ["cfg", "cgs", "random-branch", "generational", "klee", "cpicnt"];

    /// What is wrong with it, in a sentence without subject.
    pub(super) fn check(&self) -> Result<(), String> {
        let Companion { strategy, share } = self;
        if !Companion::STRATEGIES.contains(&strategy.as_str()) {
            let all = Companion::STRATEGIES.join(", ");
            return Err(format!("has `{strategy}` beside it, which is none of {all}"));
        }
        if !(0.0..=1.0).contains(share) {
            return Err(format!("gives `{strategy}` beside it a share of {share}, which is not from 0 to 1"));
        }
        Ok(())
    }
}
