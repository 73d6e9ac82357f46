//! The only source of randomness of a campaign.

use core::f64::consts::TAU;

/// A small deterministic generator (PCG): the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Rng(oorandom::Rand64);

impl Rng {
    /// Creates the generator of this seed.
    pub fn new(seed: u64) -> Rng {
        Rng(oorandom::Rand64::new(seed.into()))
    }

    /// Returns a uniform number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "no number is below 0");
        self.0.rand_range(0..n as u64) as usize
    }

    /// Returns 64 uniform bits: the seed of a generator for choices whose number varies.
    pub fn word(&mut self) -> u64 {
        self.0.rand_u64()
    }

    /// Returns a uniform number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.rand_float()
    }

    /// Returns a number from the normal distribution truncated to [-`bound`, `bound`], where its mean lies.
    pub fn truncated_normal(&mut self, mean: f64, deviation: f64, bound: f64) -> f64 {
        loop {
            // Box-Muller transform; 1 - u is never 0.
            let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
            let drawn = mean + deviation * radius * (TAU * self.unit()).cos();
            if drawn.abs() <= bound {
                return drawn;
            }
        }
    }

    /// Shuffles a list, every order equally likely.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }

    /// Fills a slice with uniform bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.0.rand_u64().to_le_bytes()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn truncated_normals_have_their_moments() {
        let mut rng = Rng::new(1);
        let drawn: Vec<f64> = (0..40_000).map(|_| rng.truncated_normal(2.0, 1.5, 10.0)).collect();
        let mean = drawn.iter().sum::<f64>() / 40_000.0;
        let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 40_000.0;
        assert!((mean - 2.0).abs() < 0.05 && (variance - 2.25).abs() < 0.1, "{mean} {variance}");
        // Half of a normal distribution around a bound: its mean is 0.798 deviations inside.
        let half = (0..40_000).map(|_| rng.truncated_normal(10.0, 2.0, 10.0)).sum::<f64>() / 40_000.0;
        assert!((half - (10.0 - 2.0 * 0.798)).abs() < 0.05, "{half}");
    }
}
