//! Reading a file of weights: the only file that this crate ever looks at, on behalf of the registry.

use super::Weights;
use cairn_program::read_text;
use std::path::Path;

/// Most bytes of a file of weights; forty numbers need two thousand.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a file of weights. An error is a sentence for the user.
pub fn read(path: &Path) -> Result<Weights, String> {
    let name = path.display();
    let text =
        read_text(path, MOST_BYTES).map_err(|error| format!("`{name}` cannot be read: {}", error.reason))?;
    Weights::parse(&text).map_err(|wrong| format!("`{name}` {wrong}"))
}
