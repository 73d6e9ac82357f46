//! Decides how often unconstrained bytes are filled from the dictionary, by what that has brought.
//!
//! Both ways are tried on the same flips at the same time, so what they bring can be compared although new
//! branches become rarer as a campaign proceeds.

/// Number of inputs after which older ones count half; a chosen bound.
const WINDOW: f64 = 512.0;
/// Least share of either way, so that a change is noticed; a chosen share.
const LEAST: f64 = 1.0 / 16.0;

/// Number of inputs made one way, and of branches that they were the first to cover.
#[derive(Clone, Copy, Default, Debug)]
struct FillYield {
    inputs: f64,
    branches: f64,
}

impl FillYield {
    /// Returns the branches per input. One of each is assumed in advance.
    fn rate(self) -> f64 {
        (self.branches + 1.0) / (self.inputs + 1.0)
    }

    fn count(&mut self, branches: usize) {
        self.inputs += 1.0;
        self.branches += branches as f64;
    }

    fn halve(&mut self) {
        self.inputs /= 2.0;
        self.branches /= 2.0;
    }
}

/// Yields of inputs with and without strings of the dictionary.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct FillChoice {
    with: FillYield,
    without: FillYield,
}

impl FillChoice {
    /// Returns the share of inputs that are to be filled from the dictionary.
    pub fn share(&self) -> f64 {
        let (with, without) = (self.with.rate(), self.without.rate());
        (with / (with + without)).clamp(LEAST, 1.0 - LEAST)
    }

    /// Counts an input, and the branches that it was the first to cover.
    pub fn count(&mut self, from_dictionary: bool, branches: usize) {
        let way = if from_dictionary { &mut self.with } else { &mut self.without };
        way.count(branches);
        if self.with.inputs + self.without.inputs >= WINDOW {
            self.with.halve();
            self.without.halve();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_way_gets_the_larger_share() {
        let mut choice = FillChoice::default();
        assert_eq!(choice.share(), 0.5);
        for _ in 0..100 {
            choice.count(true, 3);
            choice.count(false, 1);
        }
        assert!((0.7..0.8).contains(&choice.share()), "{}", choice.share());
        for _ in 0..10_000 {
            choice.count(true, 0);
            choice.count(false, 1);
        }
        assert_eq!(choice.share(), LEAST);
    }
}
