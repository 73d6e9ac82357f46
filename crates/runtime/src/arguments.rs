//! Symbolic arguments of the program and how many of them there are; the status that its `main` returns.

use crate::input::{bytes, constrain, fixed_objects, label_bytes};
use crate::memory::reserve;
use crate::ops::intern;
use crate::shadow::input_label;
use crate::state::state;
use crate::tls::{give_result, tls};
use cairn_wire::tls::RETURNED;
use cairn_wire::{ObjectEntry, ObjectKind, Op};
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicU32, Ordering};

/// Label of the status that `main` has returned.
static STATUS: AtomicU32 = AtomicU32::new(0);

/// Forgets the status of the run before.
pub fn begin_run() {
    STATUS.store(0, Ordering::Relaxed);
}

/// Replaces the symbolic arguments in `argv`, and cuts off those that this run does not have. Returns what
/// `argc` is then, and its label.
///
/// # Safety
/// `argv` must be the program's own array of `argc` strings.
pub unsafe fn replace(argc: c_int, argv: *mut *mut c_char) -> (c_int, u32) {
    let state = state();
    for (index, object) in fixed_objects(state).iter().enumerate() {
        if object.kind != ObjectKind::Arg as u8 || object.index >= argc as u32 {
            continue;
        }
        let text = copy(index as u32, object);
        // SAFETY: the index is below argc.
        unsafe { *argv.add(object.index as usize) = text };
    }
    let all = fixed_objects(state).iter().enumerate();
    let Some((index, count)) = all.into_iter().find(|(_, o)| o.kind == ObjectKind::ArgCount as u8) else {
        return (argc, 0);
    };
    let optional = bytes(state, count).first().copied().unwrap_or(0);
    let cut = (count.index as c_int + c_int::from(optional)).min(argc);
    // SAFETY: argv[argc] is part of the array.
    unsafe { *argv.add(cut as usize) = core::ptr::null_mut() };
    (cut, count_label(index as u32, count, optional))
}

/// The text of an argument. It ends at its first NUL; no program started by hand could see what follows.
fn copy(index: u32, object: &ObjectEntry) -> *mut c_char {
    let state = state();
    let source = bytes(state, object);
    let end = source.iter().position(|b| *b == 0).map_or(source.len(), |nul| nul + 1);
    let text = reserve(end + 1);
    // SAFETY: `text` has room for the bytes and the NUL that ends them.
    unsafe { core::ptr::copy_nonoverlapping(source.as_ptr(), text, end) };
    if state.tracing {
        label_bytes(text as u64, end as u64, index, 0);
    }
    text as *mut c_char
}

/// Label of `argc`: the optional arguments and those that are always there.
fn count_label(index: u32, object: &ObjectEntry, optional: u8) -> u32 {
    let value = u64::from(optional);
    let count = constrain(input_label(index, 0, value), value, object.limit);
    if count == 0 {
        return 0;
    }
    let wide = intern(Op::ZExt, c_int::BITS, 0, [count, 0], 0, value);
    let sum = u64::from(object.index) + value;
    let label = intern(Op::Add, c_int::BITS, 0, [wide, 0], object.index.into(), sum);
    state().check(label, sum)
}

/// Leaves the labels of its arguments for the program's `main`.
pub fn announce(main: usize, argc_label: u32) {
    let tls = tls();
    tls.args[..3].copy_from_slice(&[argc_label, 0, 0]);
    tls.tag = main as u64;
}

/// Keeps the label of what the function at `main` has just returned.
pub fn keep_status(main: usize) {
    let tls = tls();
    if tls.tag == main as u64 + RETURNED {
        STATUS.store(tls.results[0], Ordering::Relaxed);
    }
}

/// The status that `main` has returned, with its label.
#[unsafe(no_mangle)]
extern "C" fn __cairn_main_status(status: c_int) -> c_int {
    let label = STATUS.load(Ordering::Relaxed);
    let is_same = label != 0 && state().value(label) as c_int == status;
    give_result(__cairn_main_status as *const () as usize, if is_same { label } else { 0 });
    status
}
