//! Input objects behind descriptors, for the library models of the functions that read (`libc/`).
//!
//! A stream is recognised by the file behind it (device and inode), so duplicated, reopened and redirected
//! descriptors need no book-keeping. Decisions about the input's length are made in the models, whose
//! branches are part of the path; this module only provides labels.

use crate::admission::argument;
use crate::input::{self, fixed_objects, label_bytes, length_label, objects};
use crate::mapped_files::{self, FileIdentity};
use crate::memory::drop_shadow;
use crate::ops;
use crate::recorder::recorder;
use crate::shadow::{__cairn_clear, input_label};
use crate::system;
use crate::tls::set_result;
use cairn_wire::event::NO_SITE;
use cairn_wire::site::SiteRecord;
use cairn_wire::{EventKind, ObjectKind, Op};
use core::cell::UnsafeCell;
use core::ffi::CStr;
use libc::{c_int, c_void, dev_t, ino_t, off_t, size_t};

/// Symbolic streams of one run; the driver passes no more.
const MAX_STREAMS: usize = 16;
/// Number that stands for "no object" in the models.
const NO_OBJECT: c_int = -1;

/// Stands for the memory that streams without a descriptor read.
const MEMORY: FileIdentity = FileIdentity(dev_t::MAX, ino_t::MAX);

#[derive(Clone, Copy)]
struct InputStream {
    identity: FileIdentity,
    object: u32,
    /// Label of its length, once requested: models request it for every byte.
    length: u32,
}

struct StreamsCell(UnsafeCell<[Option<InputStream>; MAX_STREAMS]>);

// SAFETY: as for the recorder: written before the program runs, a cache of labels afterwards.
unsafe impl Sync for StreamsCell {}

static STREAMS: StreamsCell = StreamsCell(UnsafeCell::new([None; MAX_STREAMS]));

fn streams() -> &'static mut [Option<InputStream>; MAX_STREAMS] {
    // SAFETY: short exclusive borrows, as for the recorder.
    unsafe { &mut *STREAMS.0.get() }
}

/// Identifies the files that are this run's symbolic streams.
pub fn begin_run() {
    let known = fixed_objects().iter().enumerate().filter_map(|(index, object)| {
        let identity = match ObjectKind::from_u8(object.kind)? {
            ObjectKind::Stdin => identity_of(0)?,
            ObjectKind::File => path_identity(object.name())?,
            ObjectKind::Arg | ObjectKind::Named | ObjectKind::ArgCount => return None,
        };
        Some(InputStream { identity, object: index as u32, length: 0 })
    });
    for (slot, found) in streams().iter_mut().zip(known) {
        *slot = Some(found);
    }
}

fn identity_of(fd: c_int) -> Option<FileIdentity> {
    system::status_of_open(fd).map(|s| FileIdentity(s.st_dev, s.st_ino))
}

fn path_identity(name: &[u8]) -> Option<FileIdentity> {
    let mut path = [0u8; cairn_wire::control::MAX_NAME + 1];
    path[..name.len()].copy_from_slice(name);
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    system::status_of(path).map(|s| FileIdentity(s.st_dev, s.st_ino))
}

fn object_of(identity: impl FnOnce() -> Option<FileIdentity>) -> c_int {
    if !recorder().tracing || (streams()[0].is_none() && !mapped_files::any()) {
        return NO_OBJECT;
    }
    let Some(this) = identity() else {
        mapped_files::note_read(MEMORY);
        return NO_OBJECT;
    };
    mapped_files::note_read(this);
    let mut known = streams().iter().flatten();
    known.find(|stream| stream.identity == this).map_or(NO_OBJECT, |stream| stream.object as c_int)
}

/// Returns the object behind a descriptor, or -1.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_stream(fd: c_int) -> c_int {
    object_of(|| identity_of(fd))
}

/// Returns the object that is this file, or -1.
#[unsafe(no_mangle)]
extern "C" fn __cairn_stream_of_file(device: dev_t, inode: ino_t) -> c_int {
    object_of(|| Some(FileIdentity(device, inode)))
}

/// Notes that a file was mapped, shared or not.
#[unsafe(no_mangle)]
extern "C" fn __cairn_mapped(fd: c_int, start: u64, len: u64, is_shared: c_int) {
    let Some(file) = identity_of(fd).filter(|_| recorder().tracing) else { return };
    // `mprotect` can add rights later, as far as the descriptor has them.
    let mode = system::mode_of_open(fd) & libc::O_ACCMODE;
    mapped_files::note_mapping(file, start, len, is_shared != 0 && mode == libc::O_RDWR);
}

/// Notes that a stream was opened that reads the program's own memory.
#[unsafe(no_mangle)]
extern "C" fn __cairn_memory_stream(start: u64, len: u64) {
    mapped_files::note_mapping(MEMORY, start, len, true);
}

/// Notes that a segment of System V shared memory was attached.
#[unsafe(no_mangle)]
extern "C" fn __cairn_attached(segment: c_int, start: u64, len: u64) {
    mapped_files::note_mapping(FileIdentity(dev_t::MAX, segment as ino_t), start, len, true);
}

impl InputStream {
    /// Returns the label of the stream's length; 0 if that is not input.
    fn length(&mut self) -> u32 {
        if self.length == 0 {
            self.length = length_label(self.object);
        }
        self.length
    }

    /// Returns the label of the stream's last byte; 0 if it is empty.
    fn last_byte(&self) -> u32 {
        let bytes = input::bytes(&objects()[self.object as usize]);
        bytes.last().map_or(0, |byte| input_label(self.object, bytes.len() as u64 - 1, (*byte).into()))
    }
}

/// Concretizes the length of each stream whose last byte has its label among these shadow words. A snapshot
/// of them depends on that length: with another one, other bytes would be input. A read of the whole stream
/// into a large buffer decides only that the length is below the buffer's.
pub fn concretize_lengths(record: *const SiteRecord, words: &[u32]) {
    for stream in streams().iter_mut().flatten() {
        let last = stream.last_byte();
        if last != 0 && words.contains(&last) {
            let len = objects()[stream.object as usize].len;
            ops::concretize(record, stream.length(), len);
        }
    }
}

/// Returns the length of an object, with a label if it is input.
#[unsafe(no_mangle)]
extern "C" fn __cairn_length(object: c_int) -> u64 {
    let object = object as u32;
    let stream = streams().iter_mut().flatten().find(|stream| stream.object == object);
    let label = stream.map_or(0, InputStream::length);
    set_result(__cairn_length as *const () as usize, label);
    objects()[object as usize].len
}

/// Labels what was read from `offset` of an object; with object -1 it becomes concrete.
#[unsafe(no_mangle)]
extern "C" fn __cairn_received(to: *mut c_void, len: size_t, object: c_int, offset: off_t) {
    if object == NO_OBJECT || offset < 0 {
        __cairn_clear(to as u64, len as u64);
    } else {
        label_bytes(to as u64, len as u64, object as u32, offset as u64);
    }
}

/// Returns a character read from `offset` of an object, with its label if it equals the object's byte there.
#[unsafe(no_mangle)]
extern "C" fn __cairn_character(object: c_int, offset: off_t, character: c_int) -> c_int {
    let label = character_label(object as u32, offset as u64, character);
    set_result(__cairn_character as *const () as usize, label);
    character
}

fn character_label(object: u32, offset: u64, character: c_int) -> u32 {
    let source = input::bytes(&objects()[object as usize]);
    if source.get(offset as usize).map(|b| c_int::from(*b)) != Some(character) {
        return 0;
    }
    let value = character as u64;
    let byte = input_label(object, offset, value);
    let label = if byte == 0 { 0 } else { ops::intern(Op::ZExt, c_int::BITS, 0, [byte, 0], 0, value) };
    recorder().check(label, value)
}

/// Returns a value without its label. The path must not depend on it.
#[unsafe(no_mangle)]
extern "C" fn __cairn_concrete(value: u64) -> u64 {
    value
}

/// Returns a value without its label and constrains the path to it.
#[unsafe(no_mangle)]
extern "C" fn __cairn_concretized(value: u64) -> u64 {
    let label = argument(__cairn_concretized as *const () as usize, 0, u64::BITS, value);
    if label != 0 {
        recorder().record(EventKind::Concretization, NO_SITE, label, value);
    }
    value
}

/// Drops the labels of whole pages that the kernel has mapped or unmapped.
#[unsafe(no_mangle)]
extern "C" fn __cairn_fresh(start: u64, len: u64) {
    if recorder().tracing && len <= cairn_wire::shadow::ADDRESS_MASK {
        drop_shadow(start, len.next_multiple_of(cairn_wire::control::PAGE));
    }
}
