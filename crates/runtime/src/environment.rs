//! The program's environment, without the C library's `getenv`: the program may have its own.

use core::ffi::{CStr, c_char};

/// Removes a variable from the environment and returns its value, if it was there. The text itself stays in
/// memory.
///
/// # Safety
/// `environment` must be the null-terminated array of `NAME=value` strings that `main` is given.
pub unsafe fn take(environment: *mut *mut c_char, name: &[u8]) -> Option<&'static CStr> {
    let mut found = None;
    let (mut from, mut to) = (environment, environment);
    // SAFETY: both stay within the array, up to its null.
    unsafe {
        while !(*from).is_null() {
            match value_of(*from, name) {
                Some(value) => found = Some(value),
                None => {
                    *to = *from;
                    to = to.add(1);
                }
            }
            from = from.add(1);
        }
        *to = core::ptr::null_mut();
    }
    found
}

/// True if the environment has a variable.
///
/// # Safety
/// As for [`take`].
pub unsafe fn has(environment: *mut *mut c_char, name: &[u8]) -> bool {
    let mut next = environment;
    // SAFETY: stays within the array, up to its null.
    unsafe {
        while !(*next).is_null() {
            if value_of(*next, name).is_some() {
                return true;
            }
            next = next.add(1);
        }
    }
    false
}

/// Returns the value in a `NAME=value` string, if it has this name.
///
/// # Safety
/// `text` must be a C string that is never freed.
unsafe fn value_of(text: *const c_char, name: &[u8]) -> Option<&'static CStr> {
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(text) };
    let value = text.to_bytes_with_nul().strip_prefix(name)?.strip_prefix(b"=")?;
    CStr::from_bytes_with_nul(value).ok()
}
