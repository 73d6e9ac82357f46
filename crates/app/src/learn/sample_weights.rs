//! What learning draws: the weights of the features and, unless it is learnt as published, what is to stand beside them.
//!
//! Learning knows numbers only. Behind the weights there is one for each strategy that may stand beside them: how much it
//! appeals. The one that appeals most does, if it does at all, with a share of the search that grows with its appeal. So what the
//! best two have in common, and what is near something good, means the same for strategies as for weights.

use cairn_learn::Weights as Sample;
use cairn_search::{Companion, Feature, Obtained, Weights};

/// Numbers of a sample.
pub const LENGTH: usize = Feature::COUNT + Companion::STRATEGIES.len();
/// The appeal of a strategy that has the whole search.
const WHOLE: f64 = 10.0;

/// Where learning begins: the weights that ship with Cairn, alone, with each of the strategies beside them, and each of these alone. What
/// is learnt is then at least as good as what was there before, as far as a race can tell.
pub fn known() -> Vec<Sample> {
    let shipped = Weights::default();
    let sample = |appeals: [f64; Companion::STRATEGIES.len()]| {
        shipped.values().iter().copied().chain(appeals).collect()
    };
    let nobody = [0.0; Companion::STRATEGIES.len()];
    let beside = |share: f64| {
        (0..nobody.len()).map(move |which| {
            let mut appeals = nobody;
            appeals[which] = share * WHOLE;
            sample(appeals)
        })
    };
    [sample(nobody)].into_iter().chain(beside(0.5)).chain(beside(1.0)).collect()
}

/// A sample as a strategy wants it.
pub fn weights(name: &str, sample: &[f64], obtained: Obtained) -> Weights {
    let (values, appeals) = sample.split_at(Feature::COUNT);
    let values = values.try_into().expect("as many as there are features");
    let mut weights = Weights::new(name, values, obtained);
    weights.beside = beside(appeals);
    weights
}

fn beside(appeals: &[f64]) -> Option<Companion> {
    let (strategy, appeal) =
        Companion::STRATEGIES.iter().zip(appeals).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (*appeal > 0.0).then(|| Companion { strategy: (*strategy).to_owned(), share: (appeal / WHOLE).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_appealing_strategy_stands_beside_the_weights() {
        let sample =
            |appeals: &[f64]| weights("", &[&[0.0; Feature::COUNT], appeals].concat(), Obtained::default());
        assert_eq!(sample(&[]).beside, None, "as published");
        assert_eq!(sample(&[-1.0, 0.0, -3.0, -2.0, 0.0, -9.0]).beside, None);
        let chosen = sample(&[-1.0, 2.5, 1.0, -2.0, 0.0, -9.0]).beside;
        assert_eq!(chosen, Some(Companion { strategy: "cgs".to_owned(), share: 0.25 }));
    }

    #[test]
    fn all_that_is_known_can_be_searched_with() {
        for sample in known() {
            assert_eq!(sample.len(), LENGTH);
            let text = weights("known", &sample, Obtained::default()).to_toml();
            assert!(Weights::parse(&text).is_ok(), "{text}");
        }
    }
}
