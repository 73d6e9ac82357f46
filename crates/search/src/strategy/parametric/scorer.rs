//! The sum of the weights of a set of features, looked up eight features at a time.

use crate::features::{Feature, FeatureSet};

const TABLES: usize = Feature::COUNT.div_ceil(8);

/// Precomputed sums for every value of each byte of a set.
#[derive(Clone, Debug)]
pub(super) struct Scorer {
    tables: Box<[[f64; 256]; TABLES]>,
}

impl Scorer {
    /// Creates the tables for these weights.
    pub fn new(weights: &[f64; Feature::COUNT]) -> Scorer {
        let mut tables = Box::new([[0.0; 256]; TABLES]);
        for (table, weights) in tables.iter_mut().zip(weights.chunks(8)) {
            for byte in 1..1 << weights.len() {
                let rest: usize = byte & (byte - 1);
                table[byte] = table[rest] + weights[byte.trailing_zeros() as usize];
            }
        }
        Scorer { tables }
    }

    /// Returns the sum of the weights of these features.
    pub fn score(&self, features: FeatureSet) -> f64 {
        self.tables.iter().zip(features.bytes()).map(|(table, byte)| table[byte as usize]).sum()
    }
}
