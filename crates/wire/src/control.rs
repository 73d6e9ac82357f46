//! The shared memory: a control page, then regions whose place the driver chooses.
//!
//! ```text
//! Control | objects | input bytes | coverage | events | labels | snapshots | log | callees
//! ```
//!
//! Everything in it may be scribbled over by a broken target: the driver keeps its own copy of what
//! it wrote, and checks every count and index it reads.

/// First word of the control page.
pub const MAGIC: u64 = 0x4e52_4941_435f_4853;
/// Most input objects of one run. Their table takes memory only as far as it is used.
pub const MAX_OBJECTS: usize = 1 << 20;
/// Longest object name, in bytes.
pub const MAX_NAME: usize = 96;
/// Code addresses kept of a crash. Enough to get through a model of a library function to the user's code.
pub const CRASH_FRAMES: usize = 32;
/// Words of what the C library says before it aborts.
pub const MESSAGE_WORDS: usize = 24;
/// Unit of every region's offset.
pub const PAGE: u64 = 4096;

/// What [`Control::waits`] is when a process waits for its next run.
pub const WAITS: u32 = 0x5741_4954;

/// Bits of [`Control::mode`].
pub mod mode {
    /// Label the input and record labels and events.
    pub const TRACE: u32 = 1;
    /// Also record every labelled value for the oracle.
    pub const CHECK: u32 = 2;
    /// Also record every value that is lost, and where.
    pub const DIAGNOSE: u32 = 4;
    /// Also record every branch taken.
    pub const LOG: u32 = 8;
    /// Also record where calls through pointers lead.
    pub const CALLEES: u32 = 16;
    /// Let a process make many runs, if what each of them leaves behind can be undone.
    pub const REUSE: u32 = 32;
}

/// Bits of [`Control::fault`].
pub mod fault {
    /// An access failed, at [`super::Control::fault_address`].
    pub const ACCESS: u32 = 1;
    /// It was to write.
    pub const WRITE: u32 = 2;
    /// It was close to the stack pointer.
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
    /// `cairn_assume` was false: the input is outside what the user asked for.
    pub const REJECTED: u32 = 8;
    /// More than one thread computed with the input: in which order they did is not in the input.
    pub const THREADS: u32 = 16;
    /// The branch log was full: later pieces are missing.
    pub const LOG_FULL: u32 = 32;
    /// There is no branch log: the system does not let the program's code be changed.
    pub const NO_LOG: u32 = 64;
    /// The program forked: its child processes share the memory and record nothing.
    pub const FORKED: u32 = 128;
}

/// Where each region lies, as byte offsets from the start of the shared memory (page multiples).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// [`ObjectEntry`] table, [`MAX_OBJECTS`] entries.
    pub objects: u64,
    /// Bytes of the input objects.
    pub input: u64,
    /// Size of the input region.
    pub input_size: u64,
    /// Coverage bytes, mapped over the target's own coverage section.
    pub coverage: u64,
    /// Size of the coverage region (a page multiple).
    pub coverage_size: u64,
    /// [`crate::Event`] log.
    pub events: u64,
    /// Events that fit.
    pub event_capacity: u64,
    /// [`crate::LabelEntry`] table; entry 0 is never used.
    pub labels: u64,
    /// Labels that fit, entry 0 included.
    pub label_capacity: u64,
    /// Copies of memory behind symbolic addresses; see [`crate::snapshot`].
    pub snapshots: u64,
    /// Size of their region.
    pub snapshot_size: u64,
    /// [`crate::log::Open`], then the closed pieces of the branch log.
    pub log: u64,
    /// Words of closed pieces that fit.
    pub log_capacity: u64,
    /// [`crate::log::Callee`] table.
    pub callees: u64,
    /// Size of all.
    pub total: u64,
}

/// Words of [`Control::denied`].
pub const DENIED_WORDS: usize = 32;

/// The control page.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Control {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`crate::ABI_VERSION`] of the driver.
    pub abi: u32,
    /// [`mode`] bits of the next run; written by the driver.
    pub mode: u32,
    /// Where the regions are; written once by the driver.
    pub layout: Layout,
    /// Objects the driver gives to the next run; those the target adds follow.
    pub objects_given: u32,
    /// Objects after the run; written by the target.
    pub objects: u32,
    /// Bytes of the input region in use; the target appends.
    pub input_used: u64,
    /// Next free label; written by the target, starts at 1.
    pub labels: u32,
    /// Events recorded; written by the target.
    pub events: u32,
    /// [`flag`] bits; written by the target.
    pub flags: u32,
    /// Labels the previous run used: the child populates that many pages ahead.
    pub expected_labels: u32,
    /// Events the previous run used.
    pub expected_events: u32,
    /// Labelled values that went where labels cannot follow, for one of the reasons [`crate::Loss`] lists: what
    /// depends on them is not recorded.
    pub lost: u32,
    /// Where a fatal signal struck: code addresses relative to the program's start, innermost first.
    /// Zero where unknown; calls outside the program are left out, and an entry may be stale.
    pub crash: [u64; CRASH_FRAMES],
    /// What the signal was sent for: [`fault`] bits.
    pub fault: u32,
    /// Accesses outside their object that were told.
    pub outside: u32,
    /// Where an access failed.
    pub fault_address: u64,
    /// What the C library said before it aborted, as text that ends with its first zero byte.
    pub message: [u64; MESSAGE_WORDS],
    /// Loads of bytes that code without instrumentation had written over: they count as concrete.
    pub stale: u64,
    /// Bytes of the snapshot region in use; written by the target.
    pub snapshots_used: u64,
    /// Words of the branch log in use; written by the target.
    pub log_used: u64,
    /// Branches in pieces for which the log had no room.
    pub log_lost: u64,
    /// [`WAITS`] if the run has ended and its process waits for the next one.
    pub waits: u32,
    /// What such a run has ended with.
    pub exit_code: u32,
    /// The first file that the program was denied (`EACCES`), as text that ends with its first zero byte.
    pub denied: [u64; DENIED_WORDS],
}

const _: () = assert!(size_of::<Control>() <= PAGE as usize);

/// What an input object is to the program.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// The bytes of standard input.
    Stdin = 0,
    /// The bytes of the file named by `name`.
    File = 1,
    /// `argv[index]`, up to its first NUL.
    Arg = 2,
    /// An object the program named itself (`cairn_symbolic`).
    Named = 3,
    /// How many of the optional arguments there are: one byte. Its `index` is `argc` without them, its
    /// `limit` their number.
    ArgCount = 4,
}

impl ObjectKind {
    /// The kind with this byte, if there is one.
    pub const fn from_u8(byte: u8) -> Option<ObjectKind> {
        match byte {
            0 => Some(ObjectKind::Stdin),
            1 => Some(ObjectKind::File),
            2 => Some(ObjectKind::Arg),
            3 => Some(ObjectKind::Named),
            4 => Some(ObjectKind::ArgCount),
            _ => None,
        }
    }
}

/// One input object. Its index in the table is part of its bytes' labels.
///
/// The driver gives first the stream and argument objects, then the named ones in the order the
/// program is expected to ask for them. The n-th `cairn_symbolic` of a run takes the n-th named
/// object given; it gets as many of its bytes as both sides have, and zeros for the rest, and the
/// runtime sets `len` (and `name`) to what the program asked for. An object that was not given is
/// appended, all zeros.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectEntry {
    /// An [`ObjectKind`] as a byte.
    pub kind: u8,
    /// Whether this run of the program has asked for it (named objects only).
    pub used: u8,
    /// Length of the name.
    pub name_len: u16,
    /// `argv` index of an argument.
    pub index: u32,
    /// Where its bytes start in the input region.
    pub offset: u64,
    /// Bytes it has.
    pub len: u64,
    /// Most bytes it may have if its length is input as well; 0 if it is not.
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
    /// The name's bytes; empty if the length was scribbled over.
    pub fn name(&self) -> &[u8] {
        self.name.get(..self.name_len as usize).unwrap_or(&[])
    }

    /// Sets the name, cut to what fits.
    pub fn set_name(&mut self, name: &[u8]) {
        let len = name.len().min(MAX_NAME);
        self.name[..len].copy_from_slice(&name[..len]);
        self.name_len = len as u16;
    }
}
