//! Weights of the forty features: what `parametric` goes by, and the file they are kept in.

mod companion;
mod file;

use crate::features::Feature;
use serde::{Deserialize, Serialize};

pub use companion::Companion;
pub use file::read as read_weights;

/// The weights that ship with Cairn.
const DEFAULT: &str = include_str!("../weights/default.toml");

/// A weight for every feature, and where the weights come from.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// What they are called.
    pub name: String,
    /// The program they were learnt on.
    pub target: Option<String>,
    /// How they came about.
    pub obtained: Obtained,
    /// Another strategy that has a share of the search.
    pub beside: Option<Companion>,
    values: [f64; Feature::COUNT],
}

/// How weights came about. Only the first must be told.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obtained {
    /// In words.
    pub how: String,
    /// Rounds of learning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// Executions of each campaign that the weights were judged by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// Mean number of branches that these campaigns covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_coverage: Option<f64>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    features: Vec<String>,
    weights: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Companion>,
    obtained: Obtained,
}

impl Weights {
    /// Weights in the order of [`Feature::all`].
    pub fn new(name: &str, values: [f64; Feature::COUNT], obtained: Obtained) -> Weights {
        Weights { name: name.to_owned(), target: None, obtained, beside: None, values }
    }

    /// The weights in the order of [`Feature::all`].
    pub fn values(&self) -> &[f64; Feature::COUNT] {
        &self.values
    }

    /// The weight of a feature.
    pub fn of(&self, feature: Feature) -> f64 {
        self.values[feature as usize]
    }

    /// Reads the text of a file; what is wrong with it otherwise, in a sentence without subject.
    pub fn parse(text: &str) -> Result<Weights, String> {
        let written: Written = toml::from_str(text).map_err(|error| complaint(text, &error))?;
        let (names, weights) = (written.features.len(), written.weights.len());
        if names != weights {
            return Err(format!("has {names} features but {weights} weights"));
        }
        let mut values = [None; Feature::COUNT];
        for (name, weight) in written.features.iter().zip(&written.weights) {
            let feature =
                Feature::named(name).ok_or_else(|| format!("names a feature `{name}` that is none"))?;
            if !weight.is_finite() {
                return Err(format!("gives `{name}` the weight {weight}"));
            }
            if values[feature as usize].replace(*weight).is_some() {
                return Err(format!("names `{name}` twice"));
            }
        }
        if let Some(missing) = Feature::all().find(|feature| values[*feature as usize].is_none()) {
            return Err(format!("has no weight for `{}`", missing.name()));
        }
        let Written { name, target, obtained, beside, .. } = written;
        beside.as_ref().map_or(Ok(()), Companion::check)?;
        Ok(Weights { name, target, obtained, beside, values: values.map(Option::unwrap_or_default) })
    }

    /// The text of a file with these weights.
    pub fn to_toml(&self) -> String {
        let features = Feature::all().map(|feature| feature.name().to_owned()).collect();
        let written = Written {
            name: self.name.clone(),
            target: self.target.clone(),
            features,
            weights: self.values.to_vec(),
            beside: self.beside.clone(),
            obtained: self.obtained.clone(),
        };
        toml::to_string_pretty(&written).expect("strings and numbers can be written")
    }
}

impl Default for Weights {
    /// Those that ship with Cairn.
    fn default() -> Weights {
        Weights::parse(DEFAULT).expect("the file that ships with Cairn is right; a test reads it")
    }
}

/// What a reader of TOML has to say, in one line.
fn complaint(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
    format!("is no file of weights: line {line}: {}", error.message().replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_survives_reading_and_writing() {
        let mut weights = Weights::default();
        weights.target = Some("sed".to_owned());
        weights.beside = Some(Companion { strategy: "klee".to_owned(), share: 0.25 });
        weights.obtained = Obtained { rounds: Some(3), mean_coverage: Some(700.5), ..weights.obtained };
        assert_eq!(Weights::parse(&weights.to_toml()), Ok(weights));
    }

    #[test]
    fn wrong_files_are_told_in_a_sentence() {
        let beside = Some(Companion { strategy: "klee".to_owned(), share: 0.25 });
        let text = Weights { beside, ..Weights::default() }.to_toml();
        let cases = [
            ("\"klee\"", "\"parametric\"", "has `parametric` beside it, which is none of cfg, cgs,"),
            (
                "share = 0.25",
                "share = 1.5",
                "gives `klee` beside it a share of 1.5, which is not from 0 to 1",
            ),
            ("share = 0.25", "share = nan", "which is not from 0 to 1"),
            ("\"in-main\"", "\"in-the-main\"", "names a feature `in-the-main` that is none"),
            ("\"in-main\"", "\"nested\"", "names `nested` twice"),
            ("    \"in-main\",\n", "", "has 39 features but 40 weights"),
            ("weights = [\n", "weights = [\n    nan,\n", "has 40 features but 41 weights"),
            ("features = [", "features = 7 # [", "is no file of weights: line"),
            ("[obtained]", "[obtain]", "unknown field `obtain`"),
        ];
        for (from, to, expected) in cases {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text, "{from}");
            let complaint = Weights::parse(&wrong).unwrap_err();
            assert!(complaint.contains(expected) && !complaint.contains('\n'), "{complaint}");
        }
        assert!(Weights::parse("").unwrap_err().contains("missing field"));
    }
}
