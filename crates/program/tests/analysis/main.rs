//! The analyses, each by example and compared with its definition on random programs.

mod control_dependence;
mod definitions;
mod distances;
mod dominators;
mod guards;
mod loops;
mod naive;
mod nesting;
