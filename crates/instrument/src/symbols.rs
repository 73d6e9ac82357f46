//! Names of symbols that pass and driver agree on.

/// Prefix of a wrapper's name.
pub const WRAPPER_PREFIX: &str = "__cairn_w_";
