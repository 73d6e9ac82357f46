//! Files that the sandbox denied to the program, for the report: the user may not know that they are hidden.

use crate::recorder::recorder;
use crate::system::errno;
use core::ffi::{CStr, c_char};

/// Notes the first file that could not be opened for lack of permission. Models call it right after the
/// failure, with `errno` still set.
#[unsafe(no_mangle)]
extern "C" fn __cairn_open_failed(path: *const c_char) {
    if errno() != libc::EACCES || path.is_null() || !recorder().is_attached() {
        return;
    }
    let denied = &mut recorder().control().denied;
    // SAFETY: the program has passed it as a name, and the kernel has read it as one.
    let name = unsafe { CStr::from_ptr(path) }.to_bytes();
    if denied[0] != 0 || name.len() >= size_of_val(denied) {
        return;
    }
    for (word, bytes) in denied.iter_mut().zip(name.chunks(size_of::<u64>())) {
        let mut whole = [0; size_of::<u64>()];
        for (to, from) in whole.iter_mut().zip(bytes) {
            *to = *from;
        }
        *word = u64::from_ne_bytes(whole);
    }
}
