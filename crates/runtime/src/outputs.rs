//! Output functions that are given symbolic data.
//!
//! Data written to a device that discards it, as the standard streams of a campaign's runs are, needs no
//! labels. Data written anywhere else (a pipe, a file, a memory stream) may be read back without labels: it
//! counts as lost. The check takes a system call, so it is made only once a label was found, and its result
//! is cached until a descriptor may change.

use crate::admission::argument;
use crate::crash::stack_above;
use crate::objects;
use crate::ops::lost;
use crate::reachable::reachable_label_of_word;
use crate::recorder::recorder;
use crate::shadow::first_label;
use crate::system;
use cairn_wire::output::{RESULT, STREAM};
use cairn_wire::{Loss, SiteRecord};
use core::ffi::{CStr, c_char, c_int};
use core::ptr::null;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Device number of `/dev/null`: major 1, minor 3.
const DEV_NULL: u64 = 1 << 8 | 3;

/// Bit set of descriptors below 64 that are known to discard. Cleared by everything that may change a
/// descriptor.
static KNOWN_DISCARDING: AtomicU64 = AtomicU64::new(0);
/// Label of symbolic data that may lie in the buffer of a stream over a discarding device; 0 if there is
/// none.
static BUFFERED: AtomicU32 = AtomicU32::new(0);
/// True if a stream has a buffer in the program's own memory.
static OWN_BUFFER: AtomicBool = AtomicBool::new(false);

/// First members of a `FILE`, by glibc's binary interface.
#[repr(C)]
struct StdioStream {
    flags: c_int,
    pointers: [usize; 13],
    descriptor: c_int,
}

impl StdioStream {
    /// Flag of streams over a descriptor.
    const HAS_DESCRIPTOR: c_int = 0x2000;

    /// Returns the descriptor of the stream at an address, if it has one.
    ///
    /// # Safety
    /// The address must be that of a stream.
    unsafe fn descriptor(at: u64) -> Option<c_int> {
        // SAFETY: as the caller says.
        let stream = unsafe { (at as *const StdioStream).as_ref() }?;
        (stream.flags & StdioStream::HAS_DESCRIPTOR != 0 && stream.descriptor >= 0)
            .then_some(stream.descriptor)
    }
}

/// Handles an output function that was given `label`, or memory with it. `how` consists of
/// [`cairn_wire::output`]'s bits, `to` is the destination, `format` the address of the format or 0.
pub extern "C" fn output(record: *const SiteRecord, label: u32, how: u32, to: u64, format: u64) {
    if !recorder().tracing || label == 0 {
        return;
    }
    let is_observed = how & RESULT != 0 || is_format_observable(format);
    let is_gone = if how & STREAM != 0 { stream_discards(to, label) } else { discards(to as c_int) };
    if is_observed || !is_gone {
        lost(record, label, Loss::Output as u32);
    }
}

/// True if data written to a descriptor is discarded.
fn discards(descriptor: c_int) -> bool {
    let bit = 1u64.checked_shl(descriptor as u32).unwrap_or(0);
    if KNOWN_DISCARDING.load(Ordering::Relaxed) & bit != 0 {
        return true;
    }
    let status = system::status_of_open(descriptor);
    let answer = status.is_some_and(|s| s.st_mode & libc::S_IFMT == libc::S_IFCHR && s.st_rdev == DEV_NULL);
    if answer {
        KNOWN_DISCARDING.fetch_or(bit, Ordering::Relaxed);
    }
    answer
}

/// Notes that descriptors may refer to other files from now on.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_descriptors_change() {
    KNOWN_DISCARDING.store(0, Ordering::Relaxed);
}

/// True if data written to a stream is discarded; its buffer then holds data with this label.
fn stream_discards(stream: u64, label: u32) -> bool {
    // SAFETY: the program has just printed to it.
    let descriptor = unsafe { StdioStream::descriptor(stream) };
    let is_gone = descriptor.is_some_and(discards) && !OWN_BUFFER.load(Ordering::Relaxed);
    if is_gone {
        BUFFERED.store(label, Ordering::Relaxed);
    }
    is_gone
}

/// True if a format stores the number of characters printed (`%n`), or is itself symbolic.
fn is_format_observable(format: u64) -> bool {
    if format == 0 {
        return false;
    }
    // SAFETY: the program has just printed by it.
    let text = unsafe { CStr::from_ptr(format as *const c_char) }.to_bytes();
    first_label(format, text.len() as u64 + 1) != 0 || stores_count(text)
}

fn stores_count(format: &[u8]) -> bool {
    let mut rest = format.iter();
    while rest.any(|byte| *byte == b'%') {
        let conversion = rest.find(|byte| !b" +-#0123456789.*$'Ihlqjzt".contains(byte));
        if conversion == Some(&b'n') {
            return true;
        }
    }
    false
}

/// `va_list` of the x86-64 calling convention.
#[repr(C)]
struct VaList {
    used: [u32; 2],
    in_memory: u64,
    in_registers: u64,
}

/// Bytes of the saved registers for integers and pointers.
const INTEGERS: u64 = 48;
/// Bytes of all saved registers.
const REGISTERS: u64 = 176;

/// Returns a label among the arguments in a `va_list`, or in memory they point to; 0 if there is none. The
/// callee may have advanced the list: its arguments lie before or after its position, at most as many as the
/// format names.
pub extern "C" fn va_list_label(list: u64, format: u64) -> u32 {
    if !recorder().tracing || list == 0 {
        return 0;
    }
    // SAFETY: a list of the program's, for a function that has just returned.
    let VaList { in_memory, in_registers, .. } = unsafe { (list as *const VaList).read() };
    let longest = max_arguments(format) * 8;
    let lowest = in_memory.saturating_sub(longest);
    let highest = stack_above(in_memory).map_or(in_memory, |end| end.min(in_memory + longest));
    let values = match first_label(in_registers, REGISTERS) {
        0 => first_label(lowest, highest - lowest),
        label => label,
    };
    if values != 0 {
        return values;
    }
    let words = (in_registers..in_registers + INTEGERS).step_by(8).chain((lowest..highest).step_by(8));
    // SAFETY: the caller's frame, where saved registers and arguments are.
    words
        .map(|at| reachable_label_of_word(unsafe { *(at as *const u64) }))
        .find(|label| *label != 0)
        .unwrap_or(0)
}

/// Returns an upper bound on the number of arguments that a format names.
fn max_arguments(format: u64) -> u64 {
    if format == 0 {
        return 0;
    }
    // SAFETY: the program has just printed by it.
    let text = unsafe { CStr::from_ptr(format as *const c_char) }.to_bytes();
    text.iter().filter(|byte| b"%*".contains(byte)).count() as u64
}

/// Records a loss if a model is about to write symbolic data, `size` bytes at `data`, to a descriptor that
/// keeps it.
#[unsafe(no_mangle)]
extern "C" fn __cairn_goes_out(descriptor: c_int, data: u64, size: u64) {
    if !recorder().tracing {
        return;
    }
    let label = match argument(__cairn_goes_out as *const () as usize, 2, u64::BITS, size) {
        0 => first_label(data, size),
        label => label,
    };
    if label != 0 && !discards(descriptor) {
        lost(null(), label, Loss::Output as u32);
    }
}

/// As [`__cairn_goes_out`], for a stream.
#[unsafe(no_mangle)]
extern "C" fn __cairn_goes_into(stream: u64, data: u64, size: u64) {
    if !recorder().tracing {
        return;
    }
    let label = match argument(__cairn_goes_into as *const () as usize, 2, u64::BITS, size) {
        0 => first_label(data, size),
        label => label,
    };
    if label != 0 && !stream_discards(stream, label) {
        lost(null(), label, Loss::Output as u32);
    }
}

/// As [`__cairn_goes_into`], for one character.
#[unsafe(no_mangle)]
extern "C" fn __cairn_character_out(stream: u64, character: c_int) {
    if !recorder().tracing {
        return;
    }
    let label =
        argument(__cairn_character_out as *const () as usize, 1, c_int::BITS, character as u32 as u64);
    if label != 0 && !stream_discards(stream, label) {
        lost(null(), label, Loss::Output as u32);
    }
}

/// Records a loss because the program is about to observe the fill of a stream's buffer.
#[unsafe(no_mangle)]
extern "C" fn __cairn_buffer_asked() {
    lost(null(), BUFFERED.load(Ordering::Relaxed), Loss::Output as u32);
}

/// Handles a descriptor that is about to be closed or replaced: the buffer of a stream over it may be written
/// elsewhere.
#[unsafe(no_mangle)]
extern "C" fn __cairn_descriptor_changes(descriptor: c_int) {
    let label = BUFFERED.load(Ordering::Relaxed);
    if label != 0 && discards(descriptor) {
        lost(null(), label, Loss::Output as u32);
    }
    __cairn_descriptors_change();
}

/// Notes that a stream gets a buffer in the program's memory, where all data read or printed appears without
/// labels.
#[unsafe(no_mangle)]
extern "C" fn __cairn_own_buffer() {
    OWN_BUFFER.store(true, Ordering::Relaxed);
}

/// Returns the bytes from an address to the end of the heap block or global variable there; 0 if there is
/// none.
#[unsafe(no_mangle)]
extern "C" fn __cairn_room(at: u64) -> u64 {
    objects::find(at).map_or(0, |object| object.end - at)
}

/// Counts a loss of input that the program gets without a label.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_lost_unlabelled() {
    if recorder().tracing {
        recorder().control().lost += 1;
    }
}
