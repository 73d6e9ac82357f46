//! The distributions learnt from good tests: of the weights of core conditions, of ratios and of budgets.

use crate::rng::Rng;
use crate::strategy::homi::settings::StepRange;
use cairn_tree::CoreId;

/// The parameters with which a test was found: weights of features, and the ratio, as an index of its steps.
#[derive(Clone, Debug, Default)]
pub(super) struct PruningSample {
    /// Sorted by core condition.
    pub weights: Vec<(CoreId, f32)>,
    pub ratio: usize,
}

impl PruningSample {
    /// Returns the weights by core condition; those beyond the last are 0.
    pub fn by_core(&self) -> Vec<f32> {
        let mut weights = vec![0.0; self.weights.last().map_or(0, |(last, _)| last.index() + 1)];
        self.weights.iter().for_each(|(core, weight)| weights[core.index()] = *weight);
        weights
    }
}

/// The mode in which a round draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DrawMode {
    /// From the learnt distributions.
    Exploit,
    /// As far from the learnt distributions as possible.
    Reverse,
    /// Uniformly.
    Explore,
}

impl DrawMode {
    pub fn any(rng: &mut Rng) -> DrawMode {
        [DrawMode::Exploit, DrawMode::Reverse, DrawMode::Explore][rng.below(3)]
    }
}

/// A normal distribution truncated to [-1, 1]; uniform there if nothing is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct WeightDistribution {
    mean: f64,
    deviation: f64,
}

impl WeightDistribution {
    const UNIFORM: WeightDistribution = WeightDistribution { mean: 0.0, deviation: f64::INFINITY };

    /// Returns the distribution for a core condition that `good` good tests have, where `expected` would be
    /// expected of as many runs: a better share gives a higher mean, and more runs a smaller deviation.
    pub fn of_share(good: f64, expected: f64) -> WeightDistribution {
        let mean = (good - expected) / (good + expected + 2.0);
        WeightDistribution { mean, deviation: 1.0 / (1.0 + expected).sqrt() }
    }

    /// Returns the distribution of weights of good tests, given their number, sum and sum of squares. Equal
    /// values carry no information about the deviation.
    fn learn(count: f64, sum: f64, squares: f64) -> WeightDistribution {
        if count == 0.0 {
            return WeightDistribution::UNIFORM;
        }
        let mean = sum / count;
        let variance = squares / count - mean * mean;
        let deviation = if variance > 1e-9 { variance.sqrt() } else { 1.0 };
        WeightDistribution { mean, deviation }
    }

    fn draw(self, rng: &mut Rng) -> f64 {
        if self.deviation.is_infinite() {
            return uniform(rng);
        }
        // Weights lie between -1 and 1, so the deviation is at most 1, and at least about half of all draws
        // are accepted.
        rng.truncated_normal(self.mean, self.deviation, 1.0)
    }
}

fn uniform(rng: &mut Rng) -> f64 {
    2.0 * rng.unit() - 1.0
}

/// Number of occurrences of each value, to draw in proportion; uniform if there are none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Frequencies(Vec<usize>);

impl Frequencies {
    fn of(steps: StepRange, met: impl Iterator<Item = usize>) -> Frequencies {
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

/// The learnt distributions.
#[derive(Clone, Debug)]
pub(super) struct LearntDistributions {
    features: Vec<(CoreId, WeightDistribution)>,
    ratios: Frequencies,
    budgets: Frequencies,
}

impl LearntDistributions {
    /// Creates the distributions from the parameters of good tests: the sample, if the round pruned, and the
    /// budget.
    pub fn new<'a>(
        features: Vec<(CoreId, WeightDistribution)>,
        parameters: impl Iterator<Item = (Option<&'a PruningSample>, usize)> + Clone,
        (ratios, budgets): (StepRange, StepRange),
    ) -> LearntDistributions {
        let samples = parameters.clone().filter_map(|(sample, _)| sample);
        LearntDistributions {
            features,
            ratios: Frequencies::of(ratios, samples.map(|sample| sample.ratio)),
            budgets: Frequencies::of(budgets, parameters.map(|(_, budget)| budget)),
        }
    }

    /// Returns the distributions of core conditions from their weights when good tests were found.
    pub fn from_weights<'a>(
        features: &[CoreId],
        samples: impl Iterator<Item = &'a PruningSample>,
    ) -> Vec<(CoreId, WeightDistribution)> {
        let mut moments = vec![(0.0, 0.0, 0.0); features.last().map_or(0, |last| last.index() + 1)];
        for &(core, weight) in samples.flat_map(|sample| &sample.weights) {
            if let Some((count, sum, squares)) = moments.get_mut(core.index()) {
                let weight = f64::from(weight);
                (*count, *sum, *squares) = (*count + 1.0, *sum + weight, *squares + weight * weight);
            }
        }
        let learn = |core: &CoreId| {
            let (count, sum, squares) = moments[core.index()];
            (*core, WeightDistribution::learn(count, sum, squares))
        };
        features.iter().map(learn).collect()
    }

    /// True if there are no features to score states by.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Draws weights and a ratio for a pruning.
    pub fn draw(&self, mode: DrawMode, candidates: usize, ratios: StepRange, rng: &mut Rng) -> PruningSample {
        let weights = match mode {
            DrawMode::Exploit => self.weights(|weight| weight.draw(rng)),
            DrawMode::Explore => self.weights(|_| uniform(rng)),
            DrawMode::Reverse => {
                let uniform: Vec<f64> = (0..candidates).map(|_| uniform(rng)).collect();
                self.weights(|weight| farthest(weight.draw(rng), &uniform))
            }
        };
        let ratio = if mode == DrawMode::Explore { ratios.any(rng) } else { self.ratios.draw(rng) };
        PruningSample { weights, ratio }
    }

    fn weights(&self, mut draw: impl FnMut(WeightDistribution) -> f64) -> Vec<(CoreId, f32)> {
        self.features.iter().map(|(core, weight)| (*core, draw(*weight) as f32)).collect()
    }

    /// Draws the budget of a round.
    pub fn draw_budget(&self, mode: DrawMode, budgets: StepRange, rng: &mut Rng) -> usize {
        if mode == DrawMode::Explore { budgets.any(rng) } else { self.budgets.draw(rng) }
    }
}

/// Returns the candidate farthest from a value.
fn farthest(value: f64, candidates: &[f64]) -> f64 {
    let distance = |candidate: &f64| (candidate - value).abs();
    let farther = |a: &f64, b: &f64| distance(a).total_cmp(&distance(b));
    candidates.iter().copied().max_by(farther).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::{DrawMode, Frequencies, LearntDistributions, PruningSample, WeightDistribution, farthest};
    use crate::rng::Rng;
    use crate::strategy::homi::settings::StepRange;

    fn moments(values: &[f64]) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        (mean, variance)
    }

    /// Returns the moments of the truncated density, by numerical integration.
    fn expected(weight: WeightDistribution) -> (f64, f64) {
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
            let weight = WeightDistribution { mean, deviation };
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
        let learnt = WeightDistribution::learn(
            3.0,
            values.iter().sum(),
            values.iter().map(|value| value * value).sum(),
        );
        assert!((learnt.mean - mean).abs() < 1e-12 && (learnt.deviation - variance.sqrt()).abs() < 1e-12);
        assert_eq!(WeightDistribution::learn(1.0, 0.4, 0.16).deviation, 1.0);
        assert_eq!(WeightDistribution::learn(0.0, 0.0, 0.0), WeightDistribution::UNIFORM);
    }

    #[test]
    fn conditions_frequent_in_good_tests_weigh_more_and_more_runs_reduce_the_deviation() {
        let (none, as_any, twice) = (
            WeightDistribution::of_share(0.0, 20.0),
            WeightDistribution::of_share(20.0, 20.0),
            WeightDistribution::of_share(40.0, 20.0),
        );
        assert!(none.mean < -0.8 && as_any.mean == 0.0 && (0.3..0.4).contains(&twice.mean));
        let rare = WeightDistribution::of_share(1.0, 0.1);
        assert!(rare.mean < twice.mean && rare.deviation > 0.9 && twice.deviation < 0.25);
    }

    #[test]
    fn ratios_and_budgets_are_drawn_as_often_as_good_tests_had_them() {
        let (ratios, budgets) = (StepRange { max: 60, count: 3 }, StepRange { max: 800, count: 4 });
        let samples = [0, 2, 2, 2].map(|ratio| PruningSample { ratio, ..PruningSample::default() });
        let parameters = samples.iter().map(|sample| (Some(sample), 1)).chain([(None, 3)]);
        let learnt = LearntDistributions::new(Vec::new(), parameters, (ratios, budgets));
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
        for mode in [DrawMode::Exploit, DrawMode::Reverse] {
            let [ratios, budgets] = count(mode);
            assert!(near(ratios, [1500, 0, 4500, 0]) && near(budgets, [0, 4800, 0, 1200]), "{mode:?}");
        }
        let [ratios, budgets] = count(DrawMode::Explore);
        assert!(near(ratios, [2000, 2000, 2000, 0]) && near(budgets, [1500; 4]));
        assert!((0..50).all(|_| Frequencies(vec![0, 0]).draw(&mut rng) < 2), "nothing met: any");
    }

    #[test]
    fn reverse_takes_what_is_farthest() {
        assert_eq!(farthest(0.3, &[0.9, -0.2, -0.5, 0.0]), -0.5);
        assert_eq!(farthest(-0.3, &[0.9, -0.2, -0.5, 0.0]), 0.9);
    }
}
