//! Input objects: what the program reads, and where its labels come from.

use crate::server::end_run;
use crate::shadow::{__cairn_clear, mark_input};
use crate::state::{State, state};
use cairn_wire::control::{MAX_OBJECTS, flag};
use cairn_wire::{ObjectEntry, ObjectKind};
use core::ffi::{CStr, c_char, c_void};

/// The objects of this run.
pub fn objects(state: &State) -> &'static mut [ObjectEntry] {
    // SAFETY: the control page is mapped, and the object table has room for MAX_OBJECTS entries.
    unsafe {
        let count = ((*state.control).objects as usize).min(MAX_OBJECTS);
        core::slice::from_raw_parts_mut(state.objects, count)
    }
}

/// Bytes of an object, cut to what the input region holds.
pub fn bytes(state: &State, object: &ObjectEntry) -> &'static [u8] {
    let start = object.offset.min(state.input_size);
    let len = object.len.min(state.input_size - start);
    // SAFETY: the range lies in the mapped input region.
    unsafe { core::slice::from_raw_parts(state.input.add(start as usize), len as usize) }
}

/// Index of the given object of a kind that `matches`.
pub fn find(kind: ObjectKind, matches: impl Fn(&ObjectEntry) -> bool) -> Option<u16> {
    let all = objects(state());
    all.iter().position(|o| o.kind == kind as u8 && matches(o)).map(|i| i as u16)
}

/// Labels `len` bytes at `addr` that came from `offset` of an object. A byte that is not what the
/// object holds (the program pushed another one back, or changed the file) stays concrete.
pub fn label_bytes(addr: u64, len: u64, object: u16, offset: u64) {
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
    // Outside a campaign, and where there is no room, the object is all zeros, as in a plain build.
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
fn claim_named(state: &mut State, size: u64, name: &[u8]) -> Option<u16> {
    let given = find(ObjectKind::Named, |o| o.used == 0);
    let index = match given {
        Some(index) => index,
        None => append(state)?,
    };
    let object = &mut objects(state)[index as usize];
    if object.len != size {
        resize(state, object, size)?;
    }
    object.used = 1;
    object.set_name(name);
    Some(index)
}

fn append(state: &mut State) -> Option<u16> {
    let control = state.control();
    let index = control.objects as usize;
    if index >= MAX_OBJECTS {
        return None;
    }
    control.objects += 1;
    objects(state)[index] = ObjectEntry { kind: ObjectKind::Named as u8, ..ObjectEntry::default() };
    Some(index as u16)
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

/// Replaces the symbolic arguments in `argv`.
///
/// # Safety
/// `argv` must be the program's own array of `argc` strings.
pub unsafe fn replace_arguments(argc: i32, argv: *mut *mut c_char) {
    let state = state();
    for (index, object) in objects(state).iter().enumerate() {
        if object.kind != ObjectKind::Arg as u8 || object.index >= argc as u32 {
            continue;
        }
        // A string ends at its first NUL; no program started by hand could see what follows.
        let source = bytes(state, object);
        let end = source.iter().position(|b| *b == 0).map_or(source.len(), |nul| nul + 1);
        let source = &source[..end];
        let text = crate::memory::reserve(source.len() + 1);
        // SAFETY: `text` has room for the bytes and the NUL that ends them; the index is below argc.
        unsafe {
            core::ptr::copy_nonoverlapping(source.as_ptr(), text, source.len());
            *argv.add(object.index as usize) = text as *mut c_char;
        }
        if state.tracing {
            label_bytes(text as u64, source.len() as u64, index as u16, 0);
        }
    }
}
