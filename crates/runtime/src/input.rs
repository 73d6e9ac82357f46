//! Input objects: what the program reads, and where its labels come from.

use crate::ops::intern;
use crate::server::end_run;
use crate::shadow::{__cairn_clear, input_label, mark_input};
use crate::state::{State, state};
use cairn_wire::control::{MAX_OBJECTS, flag};
use cairn_wire::event::NO_SITE;
use cairn_wire::label::LENGTH;
use cairn_wire::{EventKind, ObjectEntry, ObjectKind, Op};
use core::ffi::{CStr, c_char, c_void};

/// The objects of this run.
pub fn objects(state: &State) -> &'static mut [ObjectEntry] {
    // SAFETY: the control page is mapped, and the object table has room for MAX_OBJECTS entries.
    unsafe {
        let count = ((*state.control).objects as usize).min(MAX_OBJECTS);
        core::slice::from_raw_parts_mut(state.objects, count)
    }
}

/// The objects that were there before the program asked for any.
pub fn fixed_objects(state: &State) -> &'static [ObjectEntry] {
    let all = objects(state);
    let count = all.iter().take_while(|object| object.kind != ObjectKind::Named as u8).count();
    &all[..count]
}

/// Bytes of an object, cut to what the input region holds.
pub fn bytes(state: &State, object: &ObjectEntry) -> &'static [u8] {
    let start = object.offset.min(state.input_size);
    let len = object.len.min(state.input_size - start);
    // SAFETY: the range lies in the mapped input region.
    unsafe { core::slice::from_raw_parts(state.input.add(start as usize), len as usize) }
}

/// Label of an object's length, as 64 bits; 0 if that is not input. That it stays within its limit is part
/// of the path from here on.
pub fn length_label(object: u32) -> u32 {
    let state = state();
    let ObjectEntry { len, limit, .. } = objects(state)[object as usize];
    if !state.tracing || limit == 0 {
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

/// The label, of a value that is `limit` at most: recorded when the comparison is made for the first time.
pub fn constrain(label: u32, value: u64, limit: u64) -> u32 {
    let state = state();
    if label == 0 {
        return 0;
    }
    let before = state.control().labels;
    let width = state.entry(label).width;
    let holds = intern(Op::Ule, 1, width.into(), [label, 0], limit, 1);
    if holds == before {
        state.record(EventKind::Constraint, NO_SITE, holds, 1);
    }
    state.check(label, value)
}

/// Labels `len` bytes at `addr` that came from `offset` of an object. A byte that is not what the
/// object holds (the program pushed another one back, or changed the file) stays concrete.
pub fn label_bytes(addr: u64, len: u64, object: u32, offset: u64) {
    let state = state();
    let source = bytes(state, &objects(state)[object as usize]);
    for i in 0..len {
        // SAFETY: the program has just received these bytes.
        let byte = unsafe { *((addr + i) as *const u8) };
        match source.get((offset + i) as usize) {
            Some(&expected) if expected == byte => mark_input(addr + i, object, offset + i),
            _ => __cairn_clear(addr + i, 1),
        }
    }
}

/// Marker of the user's program: makes `size` bytes at `to` symbolic input, under a name.
#[unsafe(no_mangle)]
unsafe extern "C" fn cairn_symbolic(to: *mut c_void, size: usize, name: *const c_char) {
    let state = state();
    // OutOfBounds a campaign, and where there is no room, the object is all zeros, as in a plain build.
    // SAFETY: the user passes `size` writable bytes.
    unsafe { core::ptr::write_bytes(to as *mut u8, 0, size) };
    __cairn_clear(to as u64, size as u64);
    if state.control.is_null() {
        return;
    }
    let name = if name.is_null() {
        b"unnamed".as_slice()
    } else {
        // SAFETY: the user passes a C string.
        unsafe { CStr::from_ptr(name) }.to_bytes()
    };
    let Some(index) = claim_named(state, size as u64, name) else {
        state.control().flags |= flag::OBJECTS_FULL;
        return;
    };
    let source = bytes(state, &objects(state)[index as usize]);
    // SAFETY: the user passes `size` writable bytes, and the object has as many.
    unsafe { core::ptr::copy_nonoverlapping(source.as_ptr(), to as *mut u8, size.min(source.len())) };
    if state.tracing {
        label_bytes(to as u64, size as u64, index, 0);
    }
}

/// The next named object: the driver's if it gave one, else a new one of zeros.
fn claim_named(state: &mut State, size: u64, name: &[u8]) -> Option<u32> {
    let first = (state.next_object as usize).max(fixed_objects(state).len());
    let index = if first < objects(state).len() { first as u32 } else { append(state)? };
    let object = &mut objects(state)[index as usize];
    if object.len != size {
        resize(state, object, size)?;
    }
    object.used = 1;
    object.set_name(name);
    state.next_object = index + 1;
    Some(index)
}

fn append(state: &mut State) -> Option<u32> {
    let control = state.control();
    let index = control.objects as usize;
    if index >= MAX_OBJECTS {
        return None;
    }
    control.objects += 1;
    objects(state)[index] = ObjectEntry { kind: ObjectKind::Named as u8, ..ObjectEntry::default() };
    Some(index as u32)
}

/// Moves an object to fresh room of another size, keeping the bytes both have.
fn resize(state: &mut State, object: &mut ObjectEntry, size: u64) -> Option<()> {
    let control = state.control();
    let start = control.input_used;
    let end = start.checked_add(size).filter(|end| *end <= state.input_size)?;
    control.input_used = end;
    let old = bytes(state, object);
    // SAFETY: [start, end) lies in the input region and belongs to nobody yet.
    let new = unsafe { core::slice::from_raw_parts_mut(state.input.add(start as usize), size as usize) };
    let kept = old.len().min(new.len());
    new[..kept].copy_from_slice(&old[..kept]);
    new[kept..].fill(0);
    (object.offset, object.len) = (start, size);
    Some(())
}

/// Marker of the user's program: this input is not one it wants to see.
#[unsafe(no_mangle)]
extern "C" fn cairn_reject() -> ! {
    let state = state();
    if !state.control.is_null() {
        state.control().flags |= flag::REJECTED;
    }
    end_run()
}
