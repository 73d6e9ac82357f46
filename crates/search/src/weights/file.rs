//! Reads a weights file: the only file this crate ever reads, for the registry.

use super::Weights;
use cairn_program::read_text;
use std::path::Path;

/// Maximum size of a weights file; forty numbers need two thousand bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a weights file. An error is a sentence for the user.
pub fn read(path: &Path) -> Result<Weights, String> {
    let name = path.display();
    let text =
        read_text(path, MAX_BYTES).map_err(|error| format!("`{name}` cannot be read: {}", error.reason))?;
    Weights::parse(&text).map_err(|wrong| format!("`{name}` {wrong}"))
}
