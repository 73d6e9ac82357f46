//! The static model of a target, read from the metadata that `cairn cc` left in its executable.
//!
//! A target describes itself: its functions, blocks, calls and branch sites are in ELF sections of the file.
//! This crate joins them into one [`Program`] with ids that are dense over all linked files: the id of a site
//! is the index of its record, the id of a branch (one side of a site) the index of its coverage byte. The
//! crate never runs the target.

mod analysis;
mod assemble;
mod elf;
mod error;
mod file;
mod kind;
mod libraries;
mod model;
mod symbols;
pub mod testing;

pub use analysis::{
    CallGraph, Callees, ControlDependence, Definitions, Distances, Dominators, Guards, LoopSide, Loops,
    Nesting, PostDominators, Steps, Weight,
};
pub use assemble::PlacedUnit;
pub use cairn_wire::meta::ConditionFeatures;
pub use cairn_wire::{SiteId, SiteKind};
pub use elf::FUZZ_TARGET;
pub use error::{Damage, ProgramError};
pub use file::{FileError, Reason, Special, demand_file, read_file, read_text};
pub use kind::FileKind;
pub use libraries::libraries;
pub use model::{
    Block, BlockId, BranchId, Call, Definition, Function, FunctionId, Program, Side, Site, VariableId,
};
pub use symbols::{SourceFrame, Symbols, relative_to_current_dir};
