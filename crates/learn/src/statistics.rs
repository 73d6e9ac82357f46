//! Statistics for racing.

/// Returns the mean.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// True if these differences are significantly below 0 (Student's t, one-sided, 5 %). Equal differences below
/// 0 are.
pub fn are_below_zero(differences: &[f64]) -> bool {
    let n = differences.len() as f64;
    if n < 2.0 {
        return false;
    }
    let mean = mean(differences);
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    mean < 0.0 && mean < -critical(n - 1.0) * error
}

/// Returns the 5 % critical value of Student's t, by its expansion around the normal distribution's.
fn critical(freedom: f64) -> f64 {
    const Z: f64 = 1.644_853_6;
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    let third = (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z) / 384.0;
    Z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expansion_is_close_to_the_tables() {
        for (freedom, table) in [(2.0, 2.920), (3.0, 2.353), (5.0, 2.015), (10.0, 1.812), (30.0, 1.697)] {
            assert!(
                (critical(freedom) - table).abs() < 0.05,
                "{freedom}: {} is not {table}",
                critical(freedom)
            );
        }
    }

    #[test]
    fn only_clear_differences_count() {
        assert!(are_below_zero(&[-3.0, -3.0, -3.0]));
        assert!(are_below_zero(&[-3.0, -2.0, -4.0, -3.0]));
        assert!(!are_below_zero(&[-3.0, 2.0, -4.0, 3.0]));
        assert!(!are_below_zero(&[3.0, 3.0, 3.0]));
        assert!(!are_below_zero(&[0.0, 0.0, 0.0]));
        assert!(!are_below_zero(&[-5.0]));
    }
}
