//! Which input object is behind a descriptor, for the models of the functions that read (`libc/`).
//!
//! A stream is recognised by the file behind it (device and inode), so duplicated, reopened and
//! redirected descriptors need no book-keeping. What is decided about the input's length is decided in
//! the models, whose branches are part of the path; here are only the labels.

use crate::input::{self, fixed_objects, label_bytes, length_label, objects};
use crate::memory::drop_shadow;
use crate::ops;
use crate::shadow::{__cairn_clear, input_label};
use crate::shared;
use crate::state::state;
use crate::system;
use crate::tls::{argument, give_result};
use cairn_wire::event::NO_SITE;
use cairn_wire::{EventKind, ObjectKind, Op};
use core::cell::UnsafeCell;
use core::ffi::CStr;
use libc::{c_int, c_void, dev_t, ino_t, off_t, size_t};

/// Symbolic streams of one run; the driver gives no more.
const MAX_STREAMS: usize = 16;
/// What the models know for "no object".
const NONE: c_int = -1;

/// A file on disk or in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity(dev_t, ino_t);

/// Memory that streams without a descriptor read.
const MEMORY: Identity = Identity(dev_t::MAX, ino_t::MAX);

#[derive(Clone, Copy)]
struct Stream {
    identity: Identity,
    object: u32,
    /// Label of its length, once somebody has asked: the models ask for every byte.
    length: u32,
}

struct Cell(UnsafeCell<[Option<Stream>; MAX_STREAMS]>);

// SAFETY: as for the runtime's state: written before the program runs, a cache of labels afterwards.
unsafe impl Sync for Cell {}

static STREAMS: Cell = Cell(UnsafeCell::new([None; MAX_STREAMS]));

fn streams() -> &'static mut [Option<Stream>; MAX_STREAMS] {
    // SAFETY: short exclusive borrows, as for the runtime's state.
    unsafe { &mut *STREAMS.0.get() }
}

/// Finds out which files are this run's symbolic streams.
pub fn begin_run() {
    let known = fixed_objects(state()).iter().enumerate().filter_map(|(index, object)| {
        let identity = match ObjectKind::from_u8(object.kind)? {
            ObjectKind::Stdin => identity_of(0)?,
            ObjectKind::File => path_identity(object.name())?,
            ObjectKind::Arg | ObjectKind::Named | ObjectKind::ArgCount => return None,
        };
        Some(Stream { identity, object: index as u32, length: 0 })
    });
    for (place, found) in streams().iter_mut().zip(known) {
        *place = Some(found);
    }
}

fn identity_of(fd: c_int) -> Option<Identity> {
    system::status_of_open(fd).map(|s| Identity(s.st_dev, s.st_ino))
}

fn path_identity(name: &[u8]) -> Option<Identity> {
    let mut path = [0u8; cairn_wire::control::MAX_NAME + 1];
    path[..name.len()].copy_from_slice(name);
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    system::status_of(path).map(|s| Identity(s.st_dev, s.st_ino))
}

fn object_of(identity: impl FnOnce() -> Option<Identity>) -> c_int {
    if !state().tracing || (streams()[0].is_none() && !shared::any()) {
        return NONE;
    }
    let Some(this) = identity() else {
        shared::is_read(MEMORY);
        return NONE;
    };
    shared::is_read(this);
    let mut known = streams().iter().flatten();
    known.find(|stream| stream.identity == this).map_or(NONE, |stream| stream.object as c_int)
}

/// The object behind a descriptor, or -1.
#[unsafe(no_mangle)]
extern "C" fn __cairn_stream(fd: c_int) -> c_int {
    object_of(|| identity_of(fd))
}

/// The object that is this file, or -1.
#[unsafe(no_mangle)]
extern "C" fn __cairn_stream_of_file(device: dev_t, inode: ino_t) -> c_int {
    object_of(|| Some(Identity(device, inode)))
}

/// A file was mapped, shared or not.
#[unsafe(no_mangle)]
extern "C" fn __cairn_mapped(fd: c_int, start: u64, len: u64, is_shared: c_int) {
    let Some(file) = identity_of(fd).filter(|_| state().tracing) else { return };
    // Rights to the memory can be added later, as far as the descriptor has them.
    let mode = system::mode_of_open(fd) & libc::O_ACCMODE;
    shared::mapped(file, start, len, is_shared != 0 && mode == libc::O_RDWR);
}

/// A stream was opened that reads the program's own memory.
#[unsafe(no_mangle)]
extern "C" fn __cairn_memory_stream(start: u64, len: u64) {
    shared::mapped(MEMORY, start, len, true);
}

/// A segment of System V shared memory was attached.
#[unsafe(no_mangle)]
extern "C" fn __cairn_attached(segment: c_int, start: u64, len: u64) {
    shared::mapped(Identity(dev_t::MAX, segment as ino_t), start, len, true);
}

/// How long an object is; where that is input, the answer has a label.
#[unsafe(no_mangle)]
extern "C" fn __cairn_length(object: c_int) -> u64 {
    let object = object as u32;
    let label = match streams().iter_mut().flatten().find(|stream| stream.object == object) {
        Some(Stream { length, .. }) if *length != 0 => *length,
        Some(stream) => {
            stream.length = length_label(object);
            stream.length
        }
        None => 0,
    };
    give_result(__cairn_length as *const () as usize, label);
    objects(state())[object as usize].len
}

/// What was read from `offset` of an object gets its labels; with object -1 it becomes concrete.
#[unsafe(no_mangle)]
extern "C" fn __cairn_received(to: *mut c_void, len: size_t, object: c_int, offset: off_t) {
    if object == NONE || offset < 0 {
        __cairn_clear(to as u64, len as u64);
    } else {
        label_bytes(to as u64, len as u64, object as u32, offset as u64);
    }
}

/// A character read from `offset` of an object, with its label if it is what the object holds there.
#[unsafe(no_mangle)]
extern "C" fn __cairn_character(object: c_int, offset: off_t, character: c_int) -> c_int {
    let label = character_label(object as u32, offset as u64, character);
    give_result(__cairn_character as *const () as usize, label);
    character
}

fn character_label(object: u32, offset: u64, character: c_int) -> u32 {
    let state = state();
    let source = input::bytes(state, &objects(state)[object as usize]);
    if source.get(offset as usize).map(|b| c_int::from(*b)) != Some(character) {
        return 0;
    }
    let value = character as u64;
    let byte = input_label(object, offset, value);
    let label = if byte == 0 { 0 } else { ops::intern(Op::ZExt, c_int::BITS, 0, [byte, 0], 0, value) };
    state.check(label, value)
}

/// A value without its label. The path must not depend on it.
#[unsafe(no_mangle)]
extern "C" fn __cairn_concrete(value: u64) -> u64 {
    value
}

/// A value that the rest of the path takes as it is in this run.
#[unsafe(no_mangle)]
extern "C" fn __cairn_concretized(value: u64) -> u64 {
    let label = argument(__cairn_concretized as *const () as usize, 0, u64::BITS, value);
    if label != 0 {
        state().record(EventKind::Concretization, NO_SITE, label, value);
    }
    value
}

/// Memory that the kernel has given or taken: whole pages without labels.
#[unsafe(no_mangle)]
extern "C" fn __cairn_fresh(start: u64, len: u64) {
    if state().tracing && len <= cairn_wire::shadow::ADDRESS_MASK {
        drop_shadow(start, len.next_multiple_of(cairn_wire::control::PAGE));
    }
}
