//! Samples of learning: the weights of features and, unless learning is as published, the companion strategy.
//!
//! Learning sees only numbers. After the weights, a sample has one number for each possible companion
//! strategy, its appeal. The strategy with the highest positive appeal becomes the companion, with a share of
//! the search that grows with its appeal. So intersection and neighbourhood of good samples mean the same for
//! companions as for weights.

use cairn_learn::Weights as Sample;
use cairn_search::{Companion, Feature, Obtained, Weights};

/// Numbers in a sample.
pub const LENGTH: usize = Feature::COUNT + Companion::STRATEGIES.len();
/// Appeal of a companion that gets the whole search; a chosen scale.
const WHOLE: f64 = 10.0;

/// Returns the first samples: the weights that ship with Cairn alone, with each companion, and each companion
/// alone. So the result is at least as good as these, as far as a race can tell.
pub fn known() -> Vec<Sample> {
    let shipped = Weights::default();
    let sample = |appeals: [f64; Companion::STRATEGIES.len()]| {
        shipped.values().iter().copied().chain(appeals).collect()
    };
    let none = [0.0; Companion::STRATEGIES.len()];
    let with_companion = |share: f64| {
        (0..none.len()).map(move |which| {
            let mut appeals = none;
            appeals[which] = share * WHOLE;
            sample(appeals)
        })
    };
    [sample(none)].into_iter().chain(with_companion(0.5)).chain(with_companion(1.0)).collect()
}

/// Converts a sample to weights for the strategy.
pub fn weights(name: &str, sample: &[f64], obtained: Obtained) -> Weights {
    let (values, appeals) = sample.split_at(Feature::COUNT);
    let values = values.try_into().expect("as many as there are features");
    let mut weights = Weights::new(name, values, obtained);
    weights.companion = companion(appeals);
    weights
}

fn companion(appeals: &[f64]) -> Option<Companion> {
    let (strategy, appeal) =
        Companion::STRATEGIES.iter().zip(appeals).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (*appeal > 0.0).then(|| Companion { strategy: (*strategy).to_owned(), share: (appeal / WHOLE).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_appealing_strategy_is_the_companion() {
        let sample =
            |appeals: &[f64]| weights("", &[&[0.0; Feature::COUNT], appeals].concat(), Obtained::default());
        assert_eq!(sample(&[]).companion, None, "as published");
        assert_eq!(sample(&[-1.0, 0.0, -3.0, -2.0, 0.0, -9.0]).companion, None);
        let chosen = sample(&[-1.0, 2.5, 1.0, -2.0, 0.0, -9.0]).companion;
        assert_eq!(chosen, Some(Companion { strategy: "cgs".to_owned(), share: 0.25 }));
    }

    #[test]
    fn first_samples_are_valid_weights() {
        for sample in known() {
            assert_eq!(sample.len(), LENGTH);
            let text = weights("known", &sample, Obtained::default()).to_toml();
            assert!(Weights::parse(&text).is_ok(), "{text}");
        }
    }
}
