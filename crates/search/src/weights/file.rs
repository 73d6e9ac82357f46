//! Reading a file of weights: the only file that this crate ever looks at, on behalf of the registry.

use super::Weights;

/// Reads a file; why that cannot be done otherwise, in a sentence.
pub(crate) fn read(path: &str) -> Result<Weights, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("`{path}` cannot be read: {error}"))?;
    Weights::parse(&text).map_err(|wrong| format!("`{path}` {wrong}"))
}
