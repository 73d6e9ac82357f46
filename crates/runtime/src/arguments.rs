//! Symbolic arguments of the program and their number, and the status that `main` returns.

use crate::input::{bytes, constrain, fixed_objects, label_bytes};
use crate::memory::reserve;
use crate::ops::intern;
use crate::recorder::recorder;
use crate::shadow::input_label;
use crate::tls::{set_result, tls};
use cairn_wire::tls::RETURNED;
use cairn_wire::{ObjectEntry, ObjectKind, Op};
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicU32, Ordering};

/// Label of the status that `main` has returned.
static STATUS_LABEL: AtomicU32 = AtomicU32::new(0);

/// Clears the status of the previous run.
pub fn begin_run() {
    STATUS_LABEL.store(0, Ordering::Relaxed);
}

/// Replaces the symbolic arguments in `argv`, and cuts off those that this run does not have. Returns the new
/// `argc` and its label.
///
/// # Safety
/// `argv` must be the program's own array of `argc` strings.
pub unsafe fn replace(argc: c_int, argv: *mut *mut c_char) -> (c_int, u32) {
    for (index, object) in fixed_objects().iter().enumerate() {
        if object.kind != ObjectKind::Arg as u8 || object.index >= argc as u32 {
            continue;
        }
        let text = copy(index as u32, object);
        // SAFETY: the index is below argc.
        unsafe { *argv.add(object.index as usize) = text };
    }
    let all = fixed_objects().iter().enumerate();
    let Some((index, count)) = all.into_iter().find(|(_, o)| o.kind == ObjectKind::ArgCount as u8) else {
        return (argc, 0);
    };
    let optional = bytes(count).first().copied().unwrap_or(0);
    let cut = (count.index as c_int + c_int::from(optional)).min(argc);
    // SAFETY: argv[argc] is part of the array.
    unsafe { *argv.add(cut as usize) = core::ptr::null_mut() };
    (cut, count_label(index as u32, count, optional))
}

/// Copies the text of an argument, up to its first NUL: a program started from a shell could not see what
/// follows.
fn copy(index: u32, object: &ObjectEntry) -> *mut c_char {
    let source = bytes(object);
    let end = source.iter().position(|b| *b == 0).map_or(source.len(), |nul| nul + 1);
    let text = reserve(end + 1);
    // SAFETY: `text` has room for the bytes and the NUL that ends them.
    unsafe { core::ptr::copy_nonoverlapping(source.as_ptr(), text, end) };
    if recorder().tracing {
        label_bytes(text as u64, end as u64, index, 0);
    }
    text as *mut c_char
}

/// Returns the label of `argc`: the number of optional arguments plus that of fixed ones.
fn count_label(index: u32, object: &ObjectEntry, optional: u8) -> u32 {
    let value = u64::from(optional);
    let count = constrain(input_label(index, 0, value), value, object.limit);
    if count == 0 {
        return 0;
    }
    let wide = intern(Op::ZExt, c_int::BITS, 0, [count, 0], 0, value);
    let sum = u64::from(object.index) + value;
    let label = intern(Op::Add, c_int::BITS, 0, [wide, 0], object.index.into(), sum);
    recorder().check(label, sum)
}

/// Passes the labels of its arguments to the program's `main`.
pub fn pass_to_main(main: usize, argc_label: u32) {
    let tls = tls();
    tls.args[..3].copy_from_slice(&[argc_label, 0, 0]);
    tls.tag = main as u64;
}

/// Keeps the label of the value that the function at `main` has just returned.
pub fn keep_status(main: usize) {
    let tls = tls();
    if tls.tag == main as u64 + RETURNED {
        STATUS_LABEL.store(tls.results[0], Ordering::Relaxed);
    }
}

/// Returns the status that `main` has returned, with its label.
#[unsafe(no_mangle)]
extern "C" fn __cairn_main_status(status: c_int) -> c_int {
    let label = STATUS_LABEL.load(Ordering::Relaxed);
    let is_same = label != 0 && recorder().value(label) as c_int == status;
    set_result(__cairn_main_status as *const () as usize, if is_same { label } else { 0 });
    status
}
