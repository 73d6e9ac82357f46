//! The arithmetic mean of a sample.

/// Returns the mean; 0 of an empty sample.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
