//! Weights of the forty features that `parametric` scores by, and their file format.

mod companion;
mod file;

use crate::features::Feature;
use serde::{Deserialize, Serialize};

pub use companion::Companion;
pub use file::read as read_weights;

/// Built-in weights, learnt by `cairn learn`; their file says how.
const DEFAULT: &str = include_str!("../weights/default.toml");

/// A weight for every feature, with its provenance.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// Name of the set of weights.
    pub name: String,
    /// Program they were learnt on.
    pub target: Option<String>,
    /// Provenance of the weights.
    pub obtained: Obtained,
    /// Companion strategy with a share of the search.
    pub companion: Option<Companion>,
    values: [f64; Feature::COUNT],
}

/// The provenance of weights. Only `how` is mandatory.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obtained {
    /// Description in words.
    pub how: String,
    /// Rounds of learning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// Number of executions of each campaign that evaluated the weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// Mean number of branches covered by these campaigns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_coverage: Option<f64>,
    /// Date of learning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// The TOML file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightsFile {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    features: Vec<String>,
    weights: Vec<f64>,
    #[serde(rename = "beside", skip_serializing_if = "Option::is_none")]
    companion: Option<Companion>,
    obtained: Obtained,
}

impl Weights {
    /// Creates weights, given in the order of [`Feature::all`].
    pub fn new(name: &str, values: [f64; Feature::COUNT], obtained: Obtained) -> Weights {
        Weights { name: name.to_owned(), target: None, obtained, companion: None, values }
    }

    /// Returns the weights in the order of [`Feature::all`].
    pub fn values(&self) -> &[f64; Feature::COUNT] {
        &self.values
    }

    /// Returns the weight of a feature.
    pub fn of(&self, feature: Feature) -> f64 {
        self.values[feature as usize]
    }

    /// Parses the text of a file; the error is a sentence without its subject, the file.
    pub fn parse(text: &str) -> Result<Weights, String> {
        let file: WeightsFile = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        let (names, weights) = (file.features.len(), file.weights.len());
        if names != weights {
            return Err(format!("has {names} features but {weights} weights"));
        }
        let mut values = [None; Feature::COUNT];
        for (name, weight) in file.features.iter().zip(&file.weights) {
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
        let WeightsFile { name, target, obtained, companion, .. } = file;
        companion.as_ref().map_or(Ok(()), Companion::check)?;
        Ok(Weights { name, target, obtained, companion, values: values.map(Option::unwrap_or_default) })
    }

    /// Returns the text of a file with these weights.
    pub fn to_toml(&self) -> String {
        let features = Feature::all().map(|feature| feature.name().to_owned()).collect();
        let file = WeightsFile {
            name: self.name.clone(),
            target: self.target.clone(),
            features,
            weights: self.values.to_vec(),
            companion: self.companion.clone(),
            obtained: self.obtained.clone(),
        };
        toml::to_string_pretty(&file).expect("strings and numbers can be file")
    }
}

impl Default for Weights {
    /// Returns the built-in weights.
    fn default() -> Weights {
        Weights::parse(DEFAULT).expect("the file that ships with Cairn is right; a test reads it")
    }
}

/// Returns the error of the TOML parser in one line.
fn toml_error(text: &str, error: &toml::de::Error) -> String {
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
        weights.companion = Some(Companion { strategy: "klee".to_owned(), share: 0.25 });
        weights.obtained = Obtained { rounds: Some(3), mean_coverage: Some(700.5), ..weights.obtained };
        assert_eq!(Weights::parse(&weights.to_toml()), Ok(weights));
    }

    #[test]
    fn errors_of_wrong_files_are_one_sentence() {
        let companion = Some(Companion { strategy: "klee".to_owned(), share: 0.25 });
        let text = Weights { companion, ..Weights::default() }.to_toml();
        let cases = [
            ("\"klee\"", "\"parametric\"", "has companion `parametric`, which is none of cfg, cgs,"),
            (
                "share = 0.25",
                "share = 1.5",
                "gives companion `klee` a share of 1.5, which is not from 0 to 1",
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
            let error = Weights::parse(&wrong).unwrap_err();
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
        assert!(Weights::parse("").unwrap_err().contains("missing field"));
    }
}
