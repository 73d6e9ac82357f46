//! The analyses, each by example and against its definition on random programs.

mod distances;
mod dominators;
mod naive;
