//! Wrappers of the functions that read: bytes of a symbolic stream get its labels.
//!
//! A stream is recognised by the file behind it (device and inode), so duplicated, reopened and
//! redirected descriptors need no book-keeping; the position is asked of the system or of stdio
//! each time, so seeks and push-backs need none either.

use crate::input::{find, label_bytes};
use crate::shadow::{__cairn_clear, input_label};
use crate::state::state;
use crate::tls::give_result;
use crate::{input, ops};
use cairn_wire::{ObjectKind, Op};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use libc::{EOF, FILE, SEEK_CUR, c_char, c_int, c_void, off_t, size_t, ssize_t};

/// A file on disk or in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity(u64, u64);

struct Streams {
    stdin: Option<Identity>,
    file: Option<(Identity, u16)>,
    /// The stream `getc` used last, and its object: one look instead of a system call per byte.
    last: (*mut FILE, Option<u16>),
}

struct Cell(UnsafeCell<Streams>);

// SAFETY: as for the runtime's state: written before the program runs, a cache afterwards.
unsafe impl Sync for Cell {}

static STREAMS: Cell =
    Cell(UnsafeCell::new(Streams { stdin: None, file: None, last: (core::ptr::null_mut(), None) }));

fn streams() -> &'static mut Streams {
    // SAFETY: short exclusive borrows, as for the runtime's state.
    unsafe { &mut *STREAMS.0.get() }
}

unsafe extern "C" {
    #[link_name = "stdin"]
    static mut STDIN: *mut FILE;
}

/// Finds out which files are this run's symbolic streams.
pub fn begin_run() {
    let streams = streams();
    streams.stdin = find(ObjectKind::Stdin, |_| true).and_then(|_| identity_of(0));
    streams.file = find(ObjectKind::File, |_| true).and_then(|object| Some((path_identity(object)?, object)));
}

fn identity(call: impl FnOnce(*mut libc::stat) -> c_int) -> Option<Identity> {
    let mut stat = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the call has filled the structure when it answers 0.
    (call(stat.as_mut_ptr()) == 0)
        .then(|| unsafe { stat.assume_init() })
        .map(|s| Identity(s.st_dev, s.st_ino))
}

fn identity_of(fd: c_int) -> Option<Identity> {
    // SAFETY: fstat writes the structure it is given.
    identity(|stat| unsafe { libc::fstat(fd, stat) })
}

fn path_identity(object: u16) -> Option<Identity> {
    let mut path = [0u8; cairn_wire::control::MAX_NAME + 1];
    let name = input::objects(state())[object as usize].name();
    path[..name.len()].copy_from_slice(name);
    // SAFETY: the path is NUL-terminated, stat writes the structure it is given.
    identity(|stat| unsafe { libc::stat(path.as_ptr() as *const c_char, stat) })
}

/// Asks without leaving a trace in the program's error number.
fn quietly<T>(ask: impl FnOnce() -> T) -> T {
    // SAFETY: the thread's own error number.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    let answer = ask();
    // SAFETY: as above.
    unsafe { *errno = before };
    answer
}

/// The object behind a descriptor.
fn object_of(fd: c_int) -> Option<u16> {
    let streams = streams();
    if !state().tracing || (streams.stdin.is_none() && streams.file.is_none()) {
        return None;
    }
    let this = quietly(|| identity_of(fd))?;
    match streams.file {
        Some((file, object)) if file == this => Some(object),
        _ if streams.stdin == Some(this) => find(ObjectKind::Stdin, |_| true),
        _ => None,
    }
}

/// The object behind a stream.
fn object_of_file(from: *mut FILE) -> Option<u16> {
    // SAFETY: the program is about to read from this stream.
    object_of(quietly(|| unsafe { libc::fileno(from) }))
}

/// Where a symbolic stream stands; -1 for any other.
fn position(object: Option<u16>, from: *mut FILE) -> off_t {
    // SAFETY: the program is about to read from this stream.
    object.map_or(-1, |_| unsafe { libc::ftello(from) })
}

/// How far a stream has come since a known position.
fn advance(before: off_t, from: *mut FILE) -> Option<u64> {
    // SAFETY: the program has just read from this stream.
    (before != -1).then(|| (unsafe { libc::ftello(from) } - before).max(0) as u64)
}

/// Labels what was read, or makes it concrete.
fn received(to: *mut c_void, len: u64, object: Option<u16>, offset: off_t) {
    match object {
        Some(object) if offset >= 0 => label_bytes(to as u64, len, object, offset as u64),
        _ => __cairn_clear(to as u64, len),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_read(fd: c_int, to: *mut c_void, len: size_t) -> ssize_t {
    let object = object_of(fd);
    // SAFETY: as the program's own calls.
    let (offset, got) =
        unsafe { (object.map_or(-1, |_| libc::lseek(fd, 0, SEEK_CUR)), libc::read(fd, to, len)) };
    if got > 0 {
        received(to, got as u64, object, offset);
    }
    got
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_pread(fd: c_int, to: *mut c_void, len: size_t, offset: off_t) -> ssize_t {
    // SAFETY: as the program's own call.
    let got = unsafe { libc::pread(fd, to, len, offset) };
    if got > 0 {
        received(to, got as u64, object_of(fd), offset);
    }
    got
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_pread64(fd: c_int, to: *mut c_void, len: size_t, offset: off_t) -> ssize_t {
    // SAFETY: as the program's own call; offsets have 64 bits either way.
    unsafe { __cairn_w_pread(fd, to, len, offset) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_fread(
    to: *mut c_void,
    size: size_t,
    count: size_t,
    from: *mut FILE,
) -> size_t {
    // SAFETY: as the program's own calls.
    unsafe {
        let object = object_of_file(from);
        let before = position(object, from);
        let got = libc::fread(to, size, count, from);
        let len = advance(before, from).unwrap_or((got * size) as u64);
        received(to, len.min((size * count) as u64), object, before);
        got
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_fgets(to: *mut c_char, size: c_int, from: *mut FILE) -> *mut c_char {
    // SAFETY: as the program's own calls; fgets ends what it read with a NUL.
    unsafe {
        let object = object_of_file(from);
        let before = position(object, from);
        let line = libc::fgets(to, size, from);
        if !line.is_null() {
            let len = advance(before, from).unwrap_or_else(|| libc::strlen(line) as u64);
            let len = len.min(size as u64 - 1);
            received(to as *mut c_void, len, object, before);
            __cairn_clear(to as u64 + len, 1);
        }
        line
    }
}

fn object_of_stream(from: *mut FILE) -> Option<u16> {
    let streams = streams();
    if streams.last.0 != from {
        streams.last = (from, object_of_file(from));
    }
    streams.last.1
}

fn forget_stream() {
    streams().last.0 = core::ptr::null_mut();
}

unsafe fn get_character(wrapper: usize, from: *mut FILE) -> c_int {
    let object = object_of_stream(from);
    // SAFETY: as the program's own calls.
    let (offset, character) = unsafe { (position(object, from), libc::fgetc(from)) };
    let label = match object {
        Some(object) if offset >= 0 && character != EOF => character_label(object, offset as u64, character),
        _ => 0,
    };
    give_result(wrapper, label);
    character
}

/// Label of a character as `int`, if it is what the object holds there.
fn character_label(object: u16, offset: u64, character: c_int) -> u32 {
    let state = state();
    let source = input::bytes(state, &input::objects(state)[object as usize]);
    if source.get(offset as usize).map(|b| c_int::from(*b)) != Some(character) {
        return 0;
    }
    let byte = input_label(object, offset, character as u64);
    if byte == 0 { 0 } else { ops::intern(Op::ZExt, c_int::BITS, 0, [byte, 0], 0, character as u64) }
}

macro_rules! character_readers {
    ($($name:ident),*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(from: *mut FILE) -> c_int {
            // SAFETY: the program passes its own stream.
            unsafe { get_character($name as *const () as usize, from) }
        }
    )*};
}

character_readers!(
    __cairn_w_fgetc,
    __cairn_w_getc,
    __cairn_w__IO_getc,
    __cairn_w_getc_unlocked,
    __cairn_w_fgetc_unlocked
);

macro_rules! stdin_readers {
    ($($name:ident),*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() -> c_int {
            // SAFETY: stdin is a valid stream, or the program's own call would fail as well.
            unsafe { get_character($name as *const () as usize, STDIN) }
        }
    )*};
}

stdin_readers!(__cairn_w_getchar, __cairn_w_getchar_unlocked);

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_fclose(stream: *mut FILE) -> c_int {
    forget_stream();
    // SAFETY: as the program's own call.
    unsafe { libc::fclose(stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_freopen(
    path: *const c_char,
    mode: *const c_char,
    stream: *mut FILE,
) -> *mut FILE {
    forget_stream();
    // SAFETY: as the program's own call.
    unsafe { libc::freopen(path, mode, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_freopen64(
    path: *const c_char,
    mode: *const c_char,
    stream: *mut FILE,
) -> *mut FILE {
    // SAFETY: as the program's own call; files are large either way.
    unsafe { __cairn_w_freopen(path, mode, stream) }
}
