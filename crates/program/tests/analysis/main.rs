//! The analyses, each by example and compared with its definition on random programs.

mod control_dependence;
mod distances;
mod dominators;
mod loops;
mod naive;
mod nesting;
