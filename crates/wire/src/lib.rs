//! The binary interface between a target and Cairn.
//!
//! The target writes label entries and events into shared memory, and the driver reads them; the
//! instrumenting pass writes site records and a metadata blob into the object file, and the runtime and the
//! driver read those. No other crate defines such bytes. A change of any layout here requires a new
//! [`ABI_VERSION`].
#![no_std]

extern crate alloc;

pub mod checks;
pub mod control;
pub mod descendants;
pub mod event;
pub mod label;
pub mod log;
pub mod meta;
mod numbered;
pub mod object;
pub mod output;
pub mod produced;
pub mod protocol;
pub mod shadow;
pub mod site;
pub mod snapshot;
pub mod strings;
pub mod tls;

pub use checks::{Check, Checks};
pub use control::{Control, Layout, ObjectEntry, ObjectKind};
pub use event::{Event, EventKind, Loss, OutOfBounds};
pub use label::{LabelEntry, Math, Op};
pub use site::{SiteId, SiteKind, SiteRecord};

/// Version of the layouts in this crate; a target built with another version is rejected.
pub const ABI_VERSION: u32 = 14;
