//! A pruning: of all states so many percents, those with the lowest scores.
//!
//! Nobody looks at all states. Where the line lies is found once, from a sample if there are many; on which side of it a
//! state is, when it is to be tried; so it holds for states that come later too.

use crate::rng::Rng;
use crate::strategy::homi::learner::Learner;
use cairn_tree::{Flip, Tree};
use std::cmp::Ordering;

/// As many states, or all if there are no more, tell where the line lies.
pub(super) const SAMPLE: usize = 512;

/// What decides between states: the score, and among equal ones chance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    score: f32,
    chance: u64,
}

impl Standing {
    /// The lowest score first.
    pub fn order(&self, other: &Standing) -> Ordering {
        self.score.total_cmp(&other.score).then(self.chance.cmp(&other.chance))
    }
}

/// Which states are left out.
#[derive(Clone, Debug)]
pub(super) struct Pruning {
    /// By core condition; none if chance alone decides.
    weights: Vec<f32>,
    salt: u64,
    /// The lowest that is kept.
    line: Standing,
}

impl Pruning {
    /// The pruning of so many percents of what some states, all or a sample, stand for; none if that is not even one.
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
        let line = Standing { score: f32::NEG_INFINITY, chance: 0 };
        let mut pruning = Pruning { weights, salt: rng.below(1 << 32) as u64, line };
        let mut standings: Vec<Standing> =
            states.iter().map(|flip| pruning.standing(tree, learner, *flip)).collect();
        pruning.line = *standings.select_nth_unstable_by(count, Standing::order).1;
        Some(pruning)
    }

    /// Whether a state is left out.
    pub fn is_out(&self, tree: &Tree, learner: Option<&Learner>, flip: Flip) -> bool {
        self.standing(tree, learner, flip).order(&self.line) == Ordering::Less
    }

    pub fn standing(&self, tree: &Tree, learner: Option<&Learner>, flip: Flip) -> Standing {
        let score = learner.map_or(0.0, |learner| learner.score(tree, flip, &self.weights));
        Standing { score, chance: chance(self.salt, flip) }
    }
}

/// A number that looks random, another for every flip.
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

    /// A tree of random paths, nearly all of whose states are new.
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
    fn exactly_the_ratio_of_all_states_is_out_and_by_a_sample_nearly() {
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
                all.iter().filter(|flip| pruning.is_out(&tree, None, **flip)).count()
            };
            assert_eq!(count(&all), all.len() * percent as usize / 100);
            let share = count(&sample) as f64 / all.len() as f64;
            assert!((share - percent as f64 / 100.0).abs() < 0.06, "{share} for {percent} %");
        }
        assert!(Pruning::new((&tree, None), Vec::new(), (&all[..1], 60), &mut rng).is_none());
    }
}
