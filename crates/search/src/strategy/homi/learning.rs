//! What was learnt from the good tests: which core conditions matter, and how weights, ratios and budgets are drawn.

use crate::rng::Rng;
use crate::strategy::homi::settings::Steps;
use cairn_tree::CoreId;

/// What was in force when a test was made: weights of features, and the ratio, as an index of its steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    /// In order.
    pub weights: Vec<(CoreId, f32)>,
    pub ratio: usize,
}

impl Sample {
    /// The weights by core condition; those beyond the last weigh nothing.
    pub fn by_core(&self) -> Vec<f32> {
        let mut weights = vec![0.0; self.weights.last().map_or(0, |(last, _)| last.index() + 1)];
        self.weights.iter().for_each(|(core, weight)| weights[core.index()] = *weight);
        weights
    }
}

/// How a round draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Like what made good tests.
    Exploit,
    /// As far from it as can be.
    Reverse,
    /// Uniformly.
    Explore,
}

impl Mode {
    pub fn any(rng: &mut Rng) -> Mode {
        [Mode::Exploit, Mode::Reverse, Mode::Explore][rng.below(3)]
    }
}

/// A normal distribution of which only what lies between -1 and 1 counts; uniform there if nothing is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Weight {
    mean: f64,
    deviation: f64,
}

impl Weight {
    const UNIFORM: Weight = Weight { mean: 0.0, deviation: f64::INFINITY };

    /// Of a core condition that so many good tests have, where so many are to be expected of as many runs: a better share
    /// is a higher weight, and the more runs have it, the surer.
    pub fn of_share(good: f64, expected: f64) -> Weight {
        let mean = (good - expected) / (good + expected + 2.0);
        Weight { mean, deviation: 1.0 / (1.0 + expected).sqrt() }
    }

    /// Of weights that good tests had, by their number, sum and sum of squares. Values that are all the same say
    /// nothing of how far others may lie.
    fn learn(count: f64, sum: f64, squares: f64) -> Weight {
        if count == 0.0 {
            return Weight::UNIFORM;
        }
        let mean = sum / count;
        let variance = squares / count - mean * mean;
        let deviation = if variance > 1e-9 { variance.sqrt() } else { 1.0 };
        Weight { mean, deviation }
    }

    fn draw(self, rng: &mut Rng) -> f64 {
        if self.deviation.is_infinite() {
            return uniform(rng);
        }
        // Weights lie between -1 and 1, so the deviation is at most 1, and about half of all draws or more lie there too.
        rng.truncated_normal(self.mean, self.deviation, 1.0)
    }
}

fn uniform(rng: &mut Rng) -> f64 {
    2.0 * rng.unit() - 1.0
}

/// How likely each of some values is, by how often it was met; all alike if none was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Frequencies(Vec<usize>);

impl Frequencies {
    fn of(steps: Steps, met: impl Iterator<Item = usize>) -> Frequencies {
        let mut counts = vec![0; steps.count];
        met.for_each(|value| counts[value] += 1);
        Frequencies(counts)
    }

    fn draw(&self, rng: &mut Rng) -> usize {
        let total: usize = self.0.iter().sum();
        if total == 0 {
            return rng.below(self.0.len());
        }
        let mut left = rng.below(total);
        let passed = |count: &&usize| {
            let is_passed = left >= **count;
            left -= if is_passed { **count } else { 0 };
            is_passed
        };
        self.0.iter().take_while(passed).count()
    }
}

/// The distributions.
#[derive(Clone, Debug)]
pub(super) struct Learnt {
    features: Vec<(CoreId, Weight)>,
    ratios: Frequencies,
    budgets: Frequencies,
}

impl Learnt {
    /// From what the good tests were made with: its sample, if its round pruned, and its budget.
    pub fn new<'a>(
        features: Vec<(CoreId, Weight)>,
        made: impl Iterator<Item = (Option<&'a Sample>, usize)> + Clone,
        (ratios, budgets): (Steps, Steps),
    ) -> Learnt {
        let samples = made.clone().filter_map(|(sample, _)| sample);
        Learnt {
            features,
            ratios: Frequencies::of(ratios, samples.map(|sample| sample.ratio)),
            budgets: Frequencies::of(budgets, made.map(|(_, budget)| budget)),
        }
    }

    /// What core conditions are to weigh by the weights they had when good tests were made.
    pub fn from_weights<'a>(
        features: &[CoreId],
        samples: impl Iterator<Item = &'a Sample>,
    ) -> Vec<(CoreId, Weight)> {
        let mut moments = vec![(0.0, 0.0, 0.0); features.last().map_or(0, |last| last.index() + 1)];
        for &(core, weight) in samples.flat_map(|sample| &sample.weights) {
            if let Some((count, sum, squares)) = moments.get_mut(core.index()) {
                let weight = f64::from(weight);
                (*count, *sum, *squares) = (*count + 1.0, *sum + weight, *squares + weight * weight);
            }
        }
        let learn = |core: &CoreId| {
            let (count, sum, squares) = moments[core.index()];
            (*core, Weight::learn(count, sum, squares))
        };
        features.iter().map(learn).collect()
    }

    /// Whether there is nothing to tell states by.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Weights and a ratio to prune by.
    pub fn draw(&self, mode: Mode, candidates: usize, ratios: Steps, rng: &mut Rng) -> Sample {
        let weights = match mode {
            Mode::Exploit => self.weights(|weight| weight.draw(rng)),
            Mode::Explore => self.weights(|_| uniform(rng)),
            Mode::Reverse => {
                let uniform: Vec<f64> = (0..candidates).map(|_| uniform(rng)).collect();
                self.weights(|weight| farthest(weight.draw(rng), &uniform))
            }
        };
        let ratio = if mode == Mode::Explore { ratios.any(rng) } else { self.ratios.draw(rng) };
        Sample { weights, ratio }
    }

    fn weights(&self, mut draw: impl FnMut(Weight) -> f64) -> Vec<(CoreId, f32)> {
        self.features.iter().map(|(core, weight)| (*core, draw(*weight) as f32)).collect()
    }

    /// The budget of a round.
    pub fn draw_budget(&self, mode: Mode, budgets: Steps, rng: &mut Rng) -> usize {
        if mode == Mode::Explore { budgets.any(rng) } else { self.budgets.draw(rng) }
    }
}

/// The candidate that is farthest from a value.
fn farthest(value: f64, candidates: &[f64]) -> f64 {
    let distance = |candidate: &f64| (candidate - value).abs();
    let farther = |a: &f64, b: &f64| distance(a).total_cmp(&distance(b));
    candidates.iter().copied().max_by(farther).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::{Frequencies, Learnt, Mode, Sample, Weight, farthest};
    use crate::rng::Rng;
    use crate::strategy::homi::settings::Steps;

    fn moments(values: &[f64]) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        (mean, variance)
    }

    /// Moments of the truncated density, by numerical integration.
    fn expected(weight: Weight) -> (f64, f64) {
        let density = |x: f64| (-0.5 * ((x - weight.mean) / weight.deviation).powi(2)).exp();
        let grid = || (0..20_000).map(|at| -1.0 + (f64::from(at) + 0.5) / 10_000.0);
        let total: f64 = grid().map(density).sum();
        let mean = grid().map(|x| x * density(x)).sum::<f64>() / total;
        (mean, grid().map(|x| (x - mean).powi(2) * density(x)).sum::<f64>() / total)
    }

    #[test]
    fn truncated_normals_have_their_moments() {
        let mut rng = Rng::new(5);
        for (mean, deviation) in [(0.0, 0.2), (0.7, 0.5), (-1.0, 0.3), (1.0, 1.0), (0.0, f64::INFINITY)] {
            let weight = Weight { mean, deviation };
            let drawn: Vec<f64> = (0..20_000).map(|_| weight.draw(&mut rng)).collect();
            assert!(drawn.iter().all(|value| (-1.0..=1.0).contains(value)));
            let (found, exact) = (moments(&drawn), expected(weight));
            assert!((found.0 - exact.0).abs() < 0.015, "{weight:?}: mean {} for {}", found.0, exact.0);
            assert!((found.1 - exact.1).abs() < 0.015, "{weight:?}: variance {} for {}", found.1, exact.1);
        }
    }

    #[test]
    fn weights_are_learnt_as_mean_and_population_deviation() {
        let values = [0.5, 0.9, -0.1];
        let (mean, variance) = moments(&values);
        let learnt = Weight::learn(3.0, values.iter().sum(), values.iter().map(|value| value * value).sum());
        assert!((learnt.mean - mean).abs() < 1e-12 && (learnt.deviation - variance.sqrt()).abs() < 1e-12);
        assert_eq!(Weight::learn(1.0, 0.4, 0.16).deviation, 1.0);
        assert_eq!(Weight::learn(0.0, 0.0, 0.0), Weight::UNIFORM);
    }

    #[test]
    fn what_good_tests_have_more_often_than_others_weighs_more_and_many_runs_make_it_sure() {
        let (none, as_any, twice) =
            (Weight::of_share(0.0, 20.0), Weight::of_share(20.0, 20.0), Weight::of_share(40.0, 20.0));
        assert!(none.mean < -0.8 && as_any.mean == 0.0 && (0.3..0.4).contains(&twice.mean));
        let rare = Weight::of_share(1.0, 0.1);
        assert!(rare.mean < twice.mean && rare.deviation > 0.9 && twice.deviation < 0.25);
    }

    #[test]
    fn ratios_and_budgets_are_drawn_as_often_as_good_tests_had_them() {
        let (ratios, budgets) = (Steps { most: 60, count: 3 }, Steps { most: 800, count: 4 });
        let samples = [0, 2, 2, 2].map(|ratio| Sample { ratio, ..Sample::default() });
        let made = samples.iter().map(|sample| (Some(sample), 1)).chain([(None, 3)]);
        let learnt = Learnt::new(Vec::new(), made, (ratios, budgets));
        assert_eq!((&learnt.ratios.0[..], &learnt.budgets.0[..]), (&[1, 0, 3][..], &[0, 4, 0, 1][..]));
        let mut rng = Rng::new(1);
        let mut count = |mode| {
            let mut counts = [[0; 4]; 2];
            for _ in 0..6_000 {
                counts[0][learnt.draw(mode, 1, ratios, &mut rng).ratio] += 1;
                counts[1][learnt.draw_budget(mode, budgets, &mut rng)] += 1;
            }
            counts
        };
        let near = |found: [i32; 4], expected: [i32; 4]| {
            found
                .iter()
                .zip(expected)
                .all(|(found, expected)| (found - expected).abs() < 200 && (expected > 0 || *found == 0))
        };
        for mode in [Mode::Exploit, Mode::Reverse] {
            let [ratios, budgets] = count(mode);
            assert!(near(ratios, [1500, 0, 4500, 0]) && near(budgets, [0, 4800, 0, 1200]), "{mode:?}");
        }
        let [ratios, budgets] = count(Mode::Explore);
        assert!(near(ratios, [2000, 2000, 2000, 0]) && near(budgets, [1500; 4]));
        assert!((0..50).all(|_| Frequencies(vec![0, 0]).draw(&mut rng) < 2), "nothing met: any");
    }

    #[test]
    fn reverse_takes_what_is_farthest() {
        assert_eq!(farthest(0.3, &[0.9, -0.2, -0.5, 0.0]), -0.5);
        assert_eq!(farthest(-0.3, &[0.9, -0.2, -0.5, 0.0]), 0.9);
    }
}
