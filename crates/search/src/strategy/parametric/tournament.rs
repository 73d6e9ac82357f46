//! Tournament tree: scores whose maximum is always known.

/// Score of positions that are no candidates.
pub(super) const NONE: f64 = f64::NEG_INFINITY;

/// A binary tree whose inner entries are the maximum of their two children; the scores are the leaves.
#[derive(Clone, Default, Debug)]
pub(super) struct Tournament {
    /// Number of leaves, a power of two.
    leaves: usize,
    entries: Vec<f64>,
}

impl Tournament {
    /// Replaces all scores.
    pub fn fill(&mut self, count: usize, mut score: impl FnMut(usize) -> f64) {
        self.leaves = count.next_power_of_two();
        self.entries.clear();
        self.entries.resize(2 * self.leaves, NONE);
        for (at, entry) in self.entries[self.leaves..][..count].iter_mut().enumerate() {
            *entry = score(at);
        }
        for at in (1..self.leaves).rev() {
            self.entries[at] = self.entries[2 * at].max(self.entries[2 * at + 1]);
        }
    }

    /// Changes a score.
    pub fn set(&mut self, index: usize, score: f64) {
        let mut at = self.leaves + index;
        self.entries[at] = score;
        while at > 1 {
            at /= 2;
            self.entries[at] = self.entries[2 * at].max(self.entries[2 * at + 1]);
        }
    }

    /// Returns the index of the highest score, the last of equal ones; `None` if there is no candidate.
    pub fn best(&self) -> Option<usize> {
        let highest = *self.entries.get(1).filter(|highest| **highest > NONE)?;
        let mut at = 1;
        while at < self.leaves {
            at = 2 * at + usize::from(self.entries[2 * at + 1] == highest);
        }
        Some(at - self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_the_highest_wins_whatever_changes() {
        let mut rng = crate::rng::Rng::new(7);
        for count in [0, 1, 2, 3, 5, 8, 100] {
            let mut scores: Vec<f64> = (0..count).map(|_| rng.below(5) as f64).collect();
            let mut tournament = Tournament::default();
            tournament.fill(count, |at| scores[at]);
            for _ in 0..200 {
                let best = (0..count)
                    .filter(|at| scores[*at] > NONE)
                    .max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
                assert_eq!(tournament.best(), best);
                if count > 0 {
                    let at = rng.below(count);
                    scores[at] = [NONE, rng.below(5) as f64 - 2.0][rng.below(2)];
                    tournament.set(at, scores[at]);
                }
            }
        }
    }
}
