//! Input objects: what the program reads, and where its labels come from.

use crate::ops::intern;
use crate::recorder::recorder;
use crate::shadow::{__cairn_clear, input_label, label_input_byte};
use crate::system;
use cairn_wire::control::{Control, MAX_OBJECTS, flag};
use cairn_wire::event::NO_SITE;
use cairn_wire::label::LENGTH;
use cairn_wire::{EventKind, ObjectEntry, ObjectKind, Op};
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_void};
use core::ptr::null_mut;

/// The object table and the bytes of the objects, in shared memory.
struct Inputs {
    /// Object table, with room for `MAX_OBJECTS` entries.
    table: *mut ObjectEntry,
    /// Next object that [`cairn_symbolic`] hands out.
    next: u32,
    /// Bytes of the objects.
    bytes: *mut u8,
    /// Size of that region.
    size: u64,
}

struct InputsCell(UnsafeCell<Inputs>);

// SAFETY: as for the recorder: addresses change only before the program's own code runs.
unsafe impl Sync for InputsCell {}

static INPUTS: InputsCell =
    InputsCell(UnsafeCell::new(Inputs { table: null_mut(), next: 0, bytes: null_mut(), size: 0 }));

fn inputs() -> &'static mut Inputs {
    // SAFETY: short exclusive borrows, as for the recorder.
    unsafe { &mut *INPUTS.0.get() }
}

/// Connects the objects to a mapped shared memory.
///
/// # Safety
/// `base` must be the start of a mapping as large as its control page says.
pub unsafe fn attach(base: *mut u8) {
    // SAFETY: the mapping begins with a control page the driver has filled in.
    let layout = unsafe { (*(base as *const Control)).layout };
    let inputs = inputs();
    inputs.table = base.wrapping_add(layout.objects as usize) as *mut ObjectEntry;
    inputs.bytes = base.wrapping_add(layout.input as usize);
    inputs.size = layout.input_size;
}

/// Starts a run: the program has asked for no object yet.
pub fn begin_run() {
    inputs().next = 0;
}

/// Returns the objects of this run.
pub fn objects() -> &'static mut [ObjectEntry] {
    // SAFETY: the control page is mapped, and the object table has room for MAX_OBJECTS entries.
    unsafe {
        let count = ((*recorder().control).objects as usize).min(MAX_OBJECTS);
        core::slice::from_raw_parts_mut(inputs().table, count)
    }
}

/// Returns the objects that exist before the program asks for any.
pub fn fixed_objects() -> &'static [ObjectEntry] {
    let all = objects();
    let count = all.iter().take_while(|object| object.kind != ObjectKind::Named as u8).count();
    &all[..count]
}

/// Returns the bytes of an object, cut to what the input region holds.
pub fn bytes(object: &ObjectEntry) -> &'static [u8] {
    let inputs = inputs();
    let start = object.offset.min(inputs.size);
    let len = object.len.min(inputs.size - start);
    // SAFETY: the range lies in the mapped input region.
    unsafe { core::slice::from_raw_parts(inputs.bytes.add(start as usize), len as usize) }
}

/// Returns the label of an object's length, as 64 bits; 0 if the length is not input. Constrains the path to
/// lengths within the limit.
pub fn length_label(object: u32) -> u32 {
    let ObjectEntry { len, limit, .. } = objects()[object as usize];
    if !recorder().tracing || limit == 0 {
        return 0;
    }
    let label = concat_length(object, len);
    constrain(label, len, limit)
}

fn concat_length(object: u32, len: u64) -> u32 {
    let byte = |index: u64| input_label(object, u64::from(LENGTH) + index, len >> (8 * index) & 0xff);
    let mut sum = byte(3);
    for index in (0..3).rev() {
        let width = 8 * (4 - index) as u32;
        sum = intern(Op::Concat, width, 0, [sum, byte(index)], 0, len >> (8 * index));
    }
    intern(Op::ZExt, u64::BITS, 0, [sum, 0], 0, len)
}

/// Constrains a labelled value to at most `limit` and returns its label. The constraint is recorded when the
/// comparison is made for the first time.
pub fn constrain(label: u32, value: u64, limit: u64) -> u32 {
    let recorder = recorder();
    if label == 0 {
        return 0;
    }
    let before = recorder.control().labels;
    let width = recorder.entry(label).width;
    let holds = intern(Op::Ule, 1, width.into(), [label, 0], limit, 1);
    if holds == before {
        recorder.record(EventKind::Constraint, NO_SITE, holds, 1);
    }
    recorder.check(label, value)
}

/// Labels `len` bytes at `addr` that came from `offset` of an object. A byte that differs from the object's
/// (the program pushed another one back, or changed the file) stays concrete.
pub fn label_bytes(addr: u64, len: u64, object: u32, offset: u64) {
    let source = bytes(&objects()[object as usize]);
    for i in 0..len {
        // SAFETY: the program has just received these bytes.
        let byte = unsafe { *((addr + i) as *const u8) };
        match source.get((offset + i) as usize) {
            Some(&expected) if expected == byte => label_input_byte(addr + i, object, offset + i),
            _ => __cairn_clear(addr + i, 1),
        }
    }
}

/// Makes `size` bytes at `to` symbolic input, under a name; a marker for the user's program.
#[unsafe(no_mangle)]
unsafe extern "C" fn cairn_symbolic(to: *mut c_void, size: usize, name: *const c_char) {
    let recorder = recorder();
    // Outside a campaign, and without room, the object is all zeros, as in a plain build.
    // SAFETY: the user passes `size` writable bytes.
    unsafe { core::ptr::write_bytes(to as *mut u8, 0, size) };
    __cairn_clear(to as u64, size as u64);
    if recorder.control.is_null() {
        return;
    }
    let name = if name.is_null() {
        b"unnamed".as_slice()
    } else {
        // SAFETY: the user passes a C string.
        unsafe { CStr::from_ptr(name) }.to_bytes()
    };
    let Some(index) = claim_named(size as u64, name) else {
        recorder.control().flags |= flag::OBJECTS_FULL;
        return;
    };
    let source = bytes(&objects()[index as usize]);
    // SAFETY: the user passes `size` writable bytes, and the object has as many.
    unsafe { core::ptr::copy_nonoverlapping(source.as_ptr(), to as *mut u8, size.min(source.len())) };
    if recorder.tracing {
        label_bytes(to as u64, size as u64, index, 0);
    }
}

/// Claims the next named object: the driver's if it gave one, else a new one of zeros.
fn claim_named(size: u64, name: &[u8]) -> Option<u32> {
    let first = (inputs().next as usize).max(fixed_objects().len());
    let index = if first < objects().len() { first as u32 } else { append()? };
    let object = &mut objects()[index as usize];
    if object.len != size {
        resize(object, size)?;
    }
    object.used = 1;
    object.set_name(name);
    inputs().next = index + 1;
    Some(index)
}

fn append() -> Option<u32> {
    let control = recorder().control();
    let index = control.objects as usize;
    if index >= MAX_OBJECTS {
        return None;
    }
    control.objects += 1;
    objects()[index] = ObjectEntry { kind: ObjectKind::Named as u8, ..ObjectEntry::default() };
    Some(index as u32)
}

/// Moves an object to fresh room of another size, keeping the bytes both have.
fn resize(object: &mut ObjectEntry, size: u64) -> Option<()> {
    let (control, inputs) = (recorder().control(), inputs());
    let start = control.input_used;
    let end = start.checked_add(size).filter(|end| *end <= inputs.size)?;
    control.input_used = end;
    let old = bytes(object);
    // SAFETY: [start, end) lies in the input region and belongs to no object yet.
    let new = unsafe { core::slice::from_raw_parts_mut(inputs.bytes.add(start as usize), size as usize) };
    let kept = old.len().min(new.len());
    new[..kept].copy_from_slice(&old[..kept]);
    new[kept..].fill(0);
    (object.offset, object.len) = (start, size);
    Some(())
}

/// Ends the run because the program does not want this input; a marker for the user's program.
#[unsafe(no_mangle)]
extern "C" fn cairn_reject() -> ! {
    let recorder = recorder();
    if !recorder.control.is_null() {
        recorder.control().flags |= flag::REJECTED;
    }
    system::exit(0)
}
