//! Placeholder until the crate's first content lands.
