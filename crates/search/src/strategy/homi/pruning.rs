//! A pruning: a percentage of all states, those with the lowest scores.
//!
//! No pass over all states is needed. The threshold is found once, from a sample if there are many states; a
//! state is compared with it when it is about to be tried. So it also applies to states that are added later.

use crate::rng::Rng;
use crate::strategy::homi::learner::Learner;
use cairn_tree::{Flip, Tree};
use std::cmp::Ordering;

/// Maximum number of states from which the threshold is found; a chosen bound.
pub(super) const SAMPLE: usize = 512;

/// The order of states: by score, then at random.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rank {
    score: f32,
    chance: u64,
}

impl Rank {
    /// Compares two states, the lowest score first.
    pub fn order(&self, other: &Rank) -> Ordering {
        self.score.total_cmp(&other.score).then(self.chance.cmp(&other.chance))
    }
}

/// The states that are pruned.
#[derive(Clone, Debug)]
pub(super) struct Pruning {
    /// Weights, by core condition; empty if states are pruned at random.
    weights: Vec<f32>,
    salt: u64,
    /// Lowest state that is kept.
    threshold: Rank,
}

impl Pruning {
    /// Creates the pruning of `percent` of `states`, all or a sample; `None` if that is not even one.
    pub fn new(
        (tree, learner): (&Tree, Option<&Learner>),
        weights: Vec<f32>,
        (states, percent): (&[Flip], u64),
        rng: &mut Rng,
    ) -> Option<Pruning> {
        let count = states.len() * percent as usize / 100;
        if count == 0 {
            return None;
        }
        let threshold = Rank { score: f32::NEG_INFINITY, chance: 0 };
        let mut pruning = Pruning { weights, salt: rng.below(1 << 32) as u64, threshold };
        let mut ranks: Vec<Rank> = states.iter().map(|flip| pruning.rank(tree, learner, *flip)).collect();
        pruning.threshold = *ranks.select_nth_unstable_by(count, Rank::order).1;
        Some(pruning)
    }

    /// True if a state is pruned.
    pub fn contains(&self, tree: &Tree, learner: Option<&Learner>, flip: Flip) -> bool {
        self.rank(tree, learner, flip).order(&self.threshold) == Ordering::Less
    }

    pub fn rank(&self, tree: &Tree, learner: Option<&Learner>, flip: Flip) -> Rank {
        let score = learner.map_or(0.0, |learner| learner.score(tree, flip, &self.weights));
        Rank { score, chance: chance(self.salt, flip) }
    }
}

/// Returns a pseudorandom number for a flip.
fn chance(salt: u64, flip: Flip) -> u64 {
    let mut bits = ((flip.node.index() as u64) << 24 ^ u64::from(flip.side)).wrapping_add(salt << 32);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::Pruning;
    use crate::rng::Rng;
    use cairn_expr::{CmpOp, Dag, InputByte};
    use cairn_program::testing::Sketch;
    use cairn_program::{Program, SiteId};
    use cairn_tree::{Flip, Step, StepKind, Tree};

    /// Returns a tree of random paths, nearly all of whose states are new.
    fn random_tree(program: &Program, rng: &mut Rng) -> Tree {
        let (mut tree, mut dag) = (Tree::new(program), Dag::new());
        let one = dag.constant(8, 1);
        for _ in 0..200 {
            let mut step = |at| {
                let byte = dag.input(InputByte { object: 0, offset: at });
                let value = dag.compare(CmpOp::Eq, byte, one);
                let side = rng.below(2) as u32;
                Step { kind: StepKind::Branch, site: SiteId(0), side, value, concrete: side.into() }
            };
            tree.add_run(&(0..20).map(&mut step).collect::<Vec<_>>());
        }
        tree
    }

    #[test]
    fn exactly_the_ratio_of_all_states_is_pruned_and_nearly_with_a_sample() {
        let mut sketch = Sketch::new();
        sketch.branch();
        let (program, mut rng) = (sketch.build(), Rng::new(2));
        let tree = random_tree(&program, &mut rng);
        let all: Vec<Flip> = tree.frontier().collect();
        let sample: Vec<Flip> = all.iter().copied().step_by(4).collect();
        assert!(all.len() > 2_000);
        for percent in [1, 20, 37, 60, 99] {
            let mut count = |states: &[Flip]| {
                let pruning = Pruning::new((&tree, None), Vec::new(), (states, percent), &mut rng).unwrap();
                all.iter().filter(|flip| pruning.contains(&tree, None, **flip)).count()
            };
            assert_eq!(count(&all), all.len() * percent as usize / 100);
            let share = count(&sample) as f64 / all.len() as f64;
            assert!((share - percent as f64 / 100.0).abs() < 0.06, "{share} for {percent} %");
        }
        assert!(Pruning::new((&tree, None), Vec::new(), (&all[..1], 60), &mut rng).is_none());
    }
}
