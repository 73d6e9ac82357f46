//! Mann-Whitney U test of whether two samples differ.

/// Size of both samples together up to which the distribution is enumerated; beyond, the normal approximation
/// is good enough.
const MAX_EXACT: usize = 20;

/// Returns the two-sided p-value: the probability that samples of one distribution differ in rank sum by at
/// least as much; 1 if a sample is empty.
pub fn probability(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = ranks(&all);
    let sum: f64 = ranks[..a.len()].iter().sum();
    let mean = a.len() as f64 * (all.len() + 1) as f64 / 2.0;
    let distance = (sum - mean).abs();
    if all.len() <= MAX_EXACT {
        return exact(&ranks, a.len(), mean, distance);
    }
    let n = all.len() as f64;
    let ties: f64 = tie_sizes(&all).map(|t| t * t * t - t).sum();
    let variance = (a.len() * b.len()) as f64 / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    if variance <= 0.0 { 1.0 } else { two_sided((distance - 0.5).max(0.0) / variance.sqrt()) }
}

/// Returns ranks from 1 on; ties share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |x: f64| values.iter().filter(|y| **y < x).count() as f64;
    let equal = |x: f64| values.iter().filter(|y| **y == x).count() as f64;
    values.iter().map(|x| below(*x) + (equal(*x) + 1.0) / 2.0).collect()
}

fn tie_sizes(values: &[f64]) -> impl Iterator<Item = f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let sizes: Vec<f64> = sorted.chunk_by(|a, b| a == b).map(|chunk| chunk.len() as f64).collect();
    sizes.into_iter()
}

/// Returns the share of all choices of `chosen` ranks whose sum is as far from the mean.
fn exact(ranks: &[f64], chosen: usize, mean: f64, distance: f64) -> f64 {
    let (mut far, mut all) = (0u64, 0u64);
    for choice in 0u32..1 << ranks.len() {
        if choice.count_ones() as usize == chosen {
            let sum: f64 =
                ranks.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1).map(|(_, r)| r).sum();
            all += 1;
            far += u64::from((sum - mean).abs() >= distance - 1e-9);
        }
    }
    far as f64 / all as f64
}

/// Returns the two-sided tail of the standard normal distribution (Abramowitz and Stegun 7.1.26, error below
/// 1e-7).
fn two_sided(z: f64) -> f64 {
    let x = z / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let coefficients = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    coefficients.into_iter().fold(0.0, |sum, c| sum * t + c) * t * (-x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn small_samples_are_counted() {
        // Two of the 20 ways to divide six have the ranks as far apart.
        assert!(near(probability(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 0.1));
        assert!(near(probability(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]), 0.1));
        assert!(near(probability(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]), 2.0 / 252.0));
        assert_eq!(probability(&[3.0, 3.0], &[3.0, 3.0]), 1.0);
        assert_eq!(probability(&[], &[1.0]), 1.0);
    }

    #[test]
    fn large_samples_are_near_enough() {
        let a: Vec<f64> = (0..12).map(f64::from).collect();
        let apart: Vec<f64> = (20..32).map(f64::from).collect();
        let mixed: Vec<f64> = (0..12).map(|i| f64::from(i) + 0.5).collect();
        assert!(probability(&a, &apart) < 1e-4);
        assert!(probability(&a, &mixed) > 0.7);
        // U = 60 of 144: z = (84 - 72 - 0.5) / sqrt(300).
        assert!(near(two_sided(11.5 / 300f64.sqrt()), 0.5067));
        assert!(near(two_sided(1.959_964), 0.05));
    }
}
