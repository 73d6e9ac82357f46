//! Draws from the gamma distribution, for Thompson sampling of rates.

use crate::rng::Rng;

/// Draws from the gamma distribution with this shape and scale 1.
///
/// Wilson-Hilferty: the cube root of such a variable is nearly normal.
pub(crate) fn draw_gamma(shape: f64, rng: &mut Rng) -> f64 {
    let root = 1.0 - 1.0 / (9.0 * shape) + rng.truncated_normal(0.0, 1.0, 9.0) / (3.0 * shape.sqrt());
    shape * root.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_moments_of_the_distribution() {
        let mut rng = Rng::new(1);
        for shape in [1.0, 3.0, 20.0] {
            let drawn: Vec<f64> = (0..40_000).map(|_| draw_gamma(shape, &mut rng)).collect();
            let mean = drawn.iter().sum::<f64>() / 40_000.0;
            let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 40_000.0;
            assert!((mean / shape - 1.0).abs() < 0.05 && (variance / shape - 1.0).abs() < 0.1, "{shape}");
        }
    }
}
