//! Every byte that crosses the border between a target and Cairn.
//!
//! The target writes label entries and events into shared memory, the driver reads them; the
//! instrumenting pass writes site records and a metadata blob into the object file, the runtime
//! and the driver read those. Nothing else may define such bytes. Change any layout here and
//! [`ABI_VERSION`] must change with it.
#![no_std]

extern crate alloc;

pub mod checks;
pub mod control;
pub mod descendants;
pub mod event;
pub mod label;
pub mod log;
pub mod meta;
pub mod object;
pub mod output;
pub mod protocol;
pub mod shadow;
pub mod site;
pub mod snapshot;
pub mod tls;

pub use checks::{Check, Checks};
pub use control::{Control, Layout, ObjectEntry, ObjectKind};
pub use event::{Event, EventKind, Loss, OutOfBounds};
pub use label::{LabelEntry, Math, Op};
pub use site::{SiteId, SiteKind, SiteRecord};

/// Version of everything in this crate; a target built with another one is refused.
pub const ABI_VERSION: u32 = 12;
