//! Output functions that were given symbolic data.
//!
//! Data that goes to a device which discards it, as the standard streams of a campaign's runs are, is gone. Data that
//! goes anywhere else (a pipe, a file, a memory stream) may be read back without labels: it counts as lost. The check
//! takes a system call, so it is made only once a label was found, and its answer is kept until a descriptor may change.

use crate::crash::stack_above;
use crate::objects;
use crate::ops::lost;
use crate::shadow::first_label;
use crate::state::state;
use crate::system;
use crate::tls::argument;
use crate::uninstrumented_calls::label_behind_word;
use cairn_wire::output::{RESULT, STREAM};
use cairn_wire::{Loss, SiteRecord};
use core::ffi::{CStr, c_char, c_int};
use core::ptr::null;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// `/dev/null`: major number 1, minor number 3.
const DISCARDS: u64 = 1 << 8 | 3;

/// Descriptors below 64 that are known to discard, by bits. Everything that may change a descriptor clears them.
static KNOWN: AtomicU64 = AtomicU64::new(0);
/// Symbolic data may lie in the buffer of a stream over a device that discards: its label. 0 if there is none.
static BUFFERED: AtomicU32 = AtomicU32::new(0);
/// True if a stream has a buffer in the program's own memory.
static OWN_BUFFER: AtomicBool = AtomicBool::new(false);

/// The first members of a stream, by glibc's binary interface.
#[repr(C)]
struct Stream {
    flags: c_int,
    pointers: [usize; 13],
    descriptor: c_int,
}

impl Stream {
    /// Set for streams over a descriptor.
    const HAS_DESCRIPTOR: c_int = 0x2000;

    /// The descriptor of the stream at an address; none if it has no such thing.
    ///
    /// # Safety
    /// The address must be that of a stream.
    unsafe fn descriptor(at: u64) -> Option<c_int> {
        // SAFETY: as the caller says.
        let stream = unsafe { (at as *const Stream).as_ref() }?;
        (stream.flags & Stream::HAS_DESCRIPTOR != 0 && stream.descriptor >= 0).then_some(stream.descriptor)
    }
}

/// An output function was given `label`, or memory with it. `how` is made of [`cairn_wire::output`]'s bits, `to` the
/// destination, `format` the address of the format or 0.
pub extern "C" fn output(record: *const SiteRecord, label: u32, how: u32, to: u64, format: u64) {
    if !state().tracing || label == 0 {
        return;
    }
    let tells = how & RESULT != 0 || is_telling(format);
    let is_gone = if how & STREAM != 0 { stream_discards(to, label) } else { discards(to as c_int) };
    if tells || !is_gone {
        lost(record, label, Loss::Output as u32);
    }
}

/// True if what is written to a descriptor is gone.
fn discards(descriptor: c_int) -> bool {
    let bit = 1u64.checked_shl(descriptor as u32).unwrap_or(0);
    if KNOWN.load(Ordering::Relaxed) & bit != 0 {
        return true;
    }
    let status = system::status_of_open(descriptor);
    let answer = status.is_some_and(|s| s.st_mode & libc::S_IFMT == libc::S_IFCHR && s.st_rdev == DISCARDS);
    if answer {
        KNOWN.fetch_or(bit, Ordering::Relaxed);
    }
    answer
}

/// Descriptors may mean other files from now on.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_descriptors_change() {
    KNOWN.store(0, Ordering::Relaxed);
}

/// The same of a stream; its buffer then has data with this label.
fn stream_discards(stream: u64, label: u32) -> bool {
    // SAFETY: the program has just printed to it.
    let descriptor = unsafe { Stream::descriptor(stream) };
    let is_gone = descriptor.is_some_and(discards) && !OWN_BUFFER.load(Ordering::Relaxed);
    if is_gone {
        BUFFERED.store(label, Ordering::Relaxed);
    }
    is_gone
}

/// True if a format stores how much was printed (`%n`), or is input itself.
fn is_telling(format: u64) -> bool {
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

/// The kernel's and the compiler's form of a list of arguments.
#[repr(C)]
struct List {
    used: [u32; 2],
    in_memory: u64,
    in_registers: u64,
}

/// Bytes of the registers for integers and pointers in a list, and all bytes of saved registers.
const INTEGERS: u64 = 48;
const REGISTERS: u64 = 176;

/// A label among the arguments in a list, or in what they point to; 0 if there is none. The callee may have moved the
/// list on: its arguments are before or behind where it stands now, no more than the format asks for.
pub extern "C" fn listed(list: u64, format: u64) -> u32 {
    if !state().tracing || list == 0 {
        return 0;
    }
    // SAFETY: a list of the program's, for a function that has just returned.
    let List { in_memory, in_registers, .. } = unsafe { (list as *const List).read() };
    let most = asked_for(format) * 8;
    let lowest = in_memory.saturating_sub(most);
    let highest = stack_above(in_memory).map_or(in_memory, |end| end.min(in_memory + most));
    let values = match first_label(in_registers, REGISTERS) {
        0 => first_label(lowest, highest - lowest),
        label => label,
    };
    if values != 0 {
        return values;
    }
    let words = (in_registers..in_registers + INTEGERS).step_by(8).chain((lowest..highest).step_by(8));
    // SAFETY: the caller's frame, where saved registers and arguments are.
    words.map(|at| label_behind_word(unsafe { *(at as *const u64) })).find(|label| *label != 0).unwrap_or(0)
}

/// Most arguments that a format asks for.
fn asked_for(format: u64) -> u64 {
    if format == 0 {
        return 0;
    }
    // SAFETY: the program has just printed by it.
    let text = unsafe { CStr::from_ptr(format as *const c_char) }.to_bytes();
    text.iter().filter(|byte| b"%*".contains(byte)).count() as u64
}

/// A model of a function that writes is about to hand `size` bytes at `data` to a descriptor.
#[unsafe(no_mangle)]
extern "C" fn __cairn_goes_out(descriptor: c_int, data: u64, size: u64) {
    if !state().tracing {
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

/// The same for a stream.
#[unsafe(no_mangle)]
extern "C" fn __cairn_goes_into(stream: u64, data: u64, size: u64) {
    if !state().tracing {
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

/// A model is about to put a character into a stream.
#[unsafe(no_mangle)]
extern "C" fn __cairn_character_out(stream: u64, character: c_int) {
    if !state().tracing {
        return;
    }
    let label =
        argument(__cairn_character_out as *const () as usize, 1, c_int::BITS, character as u32 as u64);
    if label != 0 && !stream_discards(stream, label) {
        lost(null(), label, Loss::Output as u32);
    }
}

/// The program is about to learn how much lies in a stream's buffer.
#[unsafe(no_mangle)]
extern "C" fn __cairn_buffer_asked() {
    lost(null(), BUFFERED.load(Ordering::Relaxed), Loss::Output as u32);
}

/// A descriptor is about to be closed or replaced: what lies in the buffer of a stream over it may go elsewhere.
#[unsafe(no_mangle)]
extern "C" fn __cairn_descriptor_changes(descriptor: c_int) {
    let label = BUFFERED.load(Ordering::Relaxed);
    if label != 0 && discards(descriptor) {
        lost(null(), label, Loss::Output as u32);
    }
    __cairn_descriptors_change();
}

/// A stream gets a buffer in the program's memory, in which everything read or printed shows up without labels.
#[unsafe(no_mangle)]
extern "C" fn __cairn_own_buffer() {
    OWN_BUFFER.store(true, Ordering::Relaxed);
}

/// Bytes from an address to the end of the heap block or global variable there; 0 if there is no such thing.
#[unsafe(no_mangle)]
extern "C" fn __cairn_room(at: u64) -> u64 {
    objects::find(at).map_or(0, |object| object.end - at)
}

/// Counts input that the program gets without a label, whatever it does with it.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_lost_unseen() {
    if state().tracing {
        state().control().lost += 1;
    }
}
