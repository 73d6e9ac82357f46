//! The shared memory: a control page, then regions at offsets that the driver chooses.
//!
//! ```text
//! Control | objects | input bytes | coverage | events | labels | snapshots | log | callees | produced | reactions
//! ```
//!
//! A faulty target may overwrite any of it: the driver keeps its own copy of what it wrote, and validates
//! every count and index that it reads.

use crate::numbered::numbered;

/// First word of the control page.
pub const MAGIC: u64 = 0x4e52_4941_435f_4853;
/// Maximum number of input objects in a run. Their table occupies memory only as far as it is used.
pub const MAX_OBJECTS: usize = 1 << 20;
/// Maximum length of an object name, in bytes.
pub const MAX_NAME: usize = 96;
/// Number of stack frames recorded for a crash: enough to unwind through a library model to the user's code.
pub const CRASH_FRAMES: usize = 32;
/// Words reserved for the message that the C library prints before it aborts.
pub const MESSAGE_WORDS: usize = 24;
/// Alignment of every region's offset.
pub const PAGE: u64 = 4096;

/// Value of [`Control::waits`] while a process of persistent mode waits for its next run.
pub const WAITS: u32 = 0x5741_4954;

/// Bits of [`Control::mode`].
pub mod mode {
    /// Label the input and record labels and events.
    pub const TRACE: u32 = 1;
    /// Also record every labelled value for the oracle.
    pub const CHECK: u32 = 2;
    /// Also record every lost value and its site.
    pub const DIAGNOSE: u32 = 4;
    /// Also record every branch taken.
    pub const LOG: u32 = 8;
    /// Also record the targets of indirect calls.
    pub const CALLEES: u32 = 16;
    /// Persistent mode: let a process make many runs, if the effects of each can be undone.
    pub const REUSE: u32 = 32;
    /// Also record what producers return: those of all sites, or the reactions to one ([`super::Control::producer`]).
    pub const PRODUCED: u32 = 64;
}

/// Bits of [`Control::fault`].
pub mod fault {
    /// A memory access failed, at [`super::Control::fault_address`].
    pub const ACCESS: u32 = 1;
    /// The access was a write.
    pub const WRITE: u32 = 2;
    /// The address was close to the stack pointer.
    pub const NEAR_STACK: u32 = 4;
}

/// Bits of [`Control::flags`].
pub mod flag {
    /// The label table was full; nothing was recorded from there on.
    pub const LABELS_FULL: u32 = 1;
    /// The event log was full; nothing was recorded from there on.
    pub const EVENTS_FULL: u32 = 2;
    /// More input objects than [`super::MAX_OBJECTS`], or no room for their bytes.
    pub const OBJECTS_FULL: u32 = 4;
    /// `cairn_assume` was false: the user excluded this input.
    pub const REJECTED: u32 = 8;
    /// More than one thread computed with the input: the run depends on their schedule, which is not part of
    /// the input.
    pub const THREADS: u32 = 16;
    /// The branch log was full: later pieces are missing.
    pub const LOG_FULL: u32 = 32;
    /// There is no branch log: the system does not allow patching of the program's code.
    pub const NO_LOG: u32 = 64;
    /// The program forked: its child processes share the memory and record nothing.
    pub const FORKED: u32 = 128;
}

/// Byte offset of each region from the start of the shared memory (page multiples).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// Table of [`ObjectEntry`], [`MAX_OBJECTS`] entries.
    pub objects: u64,
    /// Bytes of the input objects.
    pub input: u64,
    /// Size of the input region.
    pub input_size: u64,
    /// Coverage bytes, mapped over the target's own coverage section.
    pub coverage: u64,
    /// Size of the coverage region (a page multiple).
    pub coverage_size: u64,
    /// Log of [`crate::Event`]s.
    pub events: u64,
    /// Capacity in events.
    pub event_capacity: u64,
    /// Table of [`crate::LabelEntry`]; entry 0 is unused.
    pub labels: u64,
    /// Capacity in labels, entry 0 included.
    pub label_capacity: u64,
    /// Copies of memory that was read at symbolic addresses; see [`crate::snapshot`].
    pub snapshots: u64,
    /// Size of the snapshot region.
    pub snapshot_size: u64,
    /// A [`crate::log::Open`], then the closed pieces of the branch log.
    pub log: u64,
    /// Capacity in words of closed pieces.
    pub log_capacity: u64,
    /// Table of [`crate::log::Callee`].
    pub callees: u64,
    /// Table of [`crate::produced::Produced`], with [`crate::produced::MAX_PRODUCED`] slots.
    pub produced: u64,
    /// Words of the reactions to produced values, [`crate::produced::MAX_REACTIONS`] of them.
    pub reactions: u64,
    /// Size of the shared memory.
    pub total: u64,
}

/// Length of [`Control::denied`] in words.
pub const DENIED_WORDS: usize = 32;

/// The control page.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Control {
    /// The constant [`MAGIC`].
    pub magic: u64,
    /// The driver's [`crate::ABI_VERSION`].
    pub abi: u32,
    /// Bits of [`mode`] for the next run; written by the driver.
    pub mode: u32,
    /// Offsets of the regions; written once by the driver.
    pub layout: Layout,
    /// Number of objects that the driver provides for the next run; objects that the target creates follow
    /// them.
    pub objects_given: u32,
    /// Number of objects after the run; written by the target.
    pub objects: u32,
    /// Bytes of the input region in use; the target appends.
    pub input_used: u64,
    /// Next free label, initially 1; written by the target.
    pub labels: u32,
    /// Number of recorded events; written by the target.
    pub events: u32,
    /// Bits of [`flag`]; written by the target.
    pub flags: u32,
    /// Number of labels of the previous run: the child prefaults the pages of that many.
    pub expected_labels: u32,
    /// Number of events of the previous run.
    pub expected_events: u32,
    /// Number of lost values, for the reasons in [`crate::Loss`]: expressions that depend on them are not
    /// recorded.
    pub lost: u32,
    /// Backtrace of a fatal signal: code addresses relative to the program's load address, innermost first.
    /// Zero where unknown; frames outside the program are omitted, and an entry may be stale.
    pub crash: [u64; CRASH_FRAMES],
    /// Cause of the signal: bits of [`fault`].
    pub fault: u32,
    /// Number of reported out-of-bounds accesses.
    pub outside: u32,
    /// Address of the failed access.
    pub fault_address: u64,
    /// Message that the C library printed before it aborted, NUL-terminated.
    pub message: [u64; MESSAGE_WORDS],
    /// Loads of bytes whose labels are stale because uninstrumented code has overwritten them; they count as
    /// concrete.
    pub stale: u64,
    /// Bytes of the snapshot region in use; written by the target.
    pub snapshots_used: u64,
    /// Words of the branch log in use; written by the target.
    pub log_used: u64,
    /// Branches in pieces that did not fit the log.
    pub log_lost: u64,
    /// The constant [`WAITS`] if the run has ended and its process waits for the next one.
    pub waits: u32,
    /// Exit code of such a run.
    pub exit_code: u32,
    /// Site of the producer whose values are recorded, with the reactions to them; [`crate::event::NO_SITE`] for
    /// the values of all.
    pub producer: u32,
    /// Slots of the log of produced values in use; written by the target.
    pub produced: u32,
    /// The first file to which the program was denied access (`EACCES`), NUL-terminated.
    pub denied: [u64; DENIED_WORDS],
}

const _: () = assert!(size_of::<Control>() <= PAGE as usize);

numbered! {
    /// Source of an input object's bytes.
    pub enum ObjectKind: u8, from_u8(u8) {
        /// Standard input.
        Stdin = 0,
        /// The file named by `name`.
        File = 1,
        /// The argument `argv[index]`, up to its first NUL.
        Arg = 2,
        /// An object that the program named itself (`cairn_symbolic`).
        Named = 3,
        /// Number of optional arguments present: one byte. Its `index` is `argc` without them, its `limit`
        /// their maximum number.
        ArgCount = 4,
    }
}

impl ObjectKind {
    /// True for streams: the program reads them, and their length may be symbolic.
    pub const fn is_stream(self) -> bool {
        matches!(self, ObjectKind::Stdin | ObjectKind::File)
    }

    /// True for an argument, whose bytes lie in memory from the start and end with the first NUL.
    pub const fn is_argument(self) -> bool {
        matches!(self, ObjectKind::Arg)
    }

    /// True for an object that the program requests by a marker, with the length it asks for.
    pub const fn is_named(self) -> bool {
        matches!(self, ObjectKind::Named)
    }

    /// True for the number of arguments, which is a count and not data: it is bounded, never random.
    pub const fn is_count(self) -> bool {
        matches!(self, ObjectKind::ArgCount)
    }

    /// True if the program may leave the object unread; the others have labels from the start.
    pub const fn may_be_unread(self) -> bool {
        self.is_stream() || self.is_count()
    }

    /// True if bytes of the object are text by default, so that minimised inputs stay readable.
    pub const fn is_text(self) -> bool {
        self.is_stream() || self.is_argument()
    }
}

/// An input object. Its index in the table is part of its bytes' labels.
///
/// The driver provides first the stream and argument objects, then the named ones in the order in which the
/// program is expected to request them. The n-th `cairn_symbolic` of a run takes the n-th provided named
/// object: it receives as many bytes as both have, and zeros for the rest, and the runtime sets `len` (and
/// `name`) to the request. An object that was not provided is appended, all zeros.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectEntry {
    /// Its [`ObjectKind`] as a byte.
    pub kind: u8,
    /// Nonzero if the program has requested it in this run (named objects only).
    pub used: u8,
    /// Length of the name.
    pub name_len: u16,
    /// Index in `argv` of an argument.
    pub index: u32,
    /// Offset of its bytes in the input region.
    pub offset: u64,
    /// Number of bytes.
    pub len: u64,
    /// Maximum length if the length is symbolic as well, otherwise 0.
    pub limit: u64,
    /// Path of a file or name of a named object.
    pub name: [u8; MAX_NAME],
}

const _: () = assert!(size_of::<ObjectEntry>() == 128);

impl Default for ObjectEntry {
    fn default() -> Self {
        ObjectEntry {
            kind: 0,
            used: 0,
            name_len: 0,
            index: 0,
            offset: 0,
            len: 0,
            limit: 0,
            name: [0; MAX_NAME],
        }
    }
}

impl ObjectEntry {
    /// Returns the name's bytes; empty if `name_len` was overwritten with an invalid length.
    pub fn name(&self) -> &[u8] {
        self.name.get(..self.name_len as usize).unwrap_or(&[])
    }

    /// Sets the name, truncated to [`MAX_NAME`].
    pub fn set_name(&mut self, name: &[u8]) {
        let len = name.len().min(MAX_NAME);
        self.name[..len].copy_from_slice(&name[..len]);
        self.name_len = len as u16;
    }
}
