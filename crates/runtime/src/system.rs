//! What several parts ask of the system.

use core::ffi::{CStr, c_int, c_void};

/// The thread's error number.
pub fn errno() -> c_int {
    // SAFETY: the thread's own error number.
    unsafe { *libc::__errno_location() }
}

/// Lets the process have so many mebibytes of data more than it has now. A limit in bytes would say nothing: the shadow
/// memory alone has 64 TiB.
pub fn limit_data(mebibytes: u64) {
    let Some(pages) = data_pages() else { return };
    let most = pages * cairn_wire::control::PAGE + (mebibytes << 20);
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: sets a limit of this process.
    unsafe { libc::setrlimit(libc::RLIMIT_DATA, &limit) };
}

/// Pages that the limit counts now.
fn data_pages() -> Option<u64> {
    const FIELD: usize = 5;
    let mut room = [0; 256];
    let text = read(c"/proc/self/statm", &mut room)?;
    number(text.split(|byte| *byte == b' ').nth(FIELD)?)
}

/// A file of the kernel's, as far as there is room for it; none if it cannot be read.
pub fn read<'a>(path: &CStr, to: &'a mut [u8]) -> Option<&'a [u8]> {
    let mut len = 0;
    // SAFETY: the kernel writes into the room it is given, and no further.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        loop {
            let rest = &mut to[len..];
            let got = libc::read(file, rest.as_mut_ptr() as *mut c_void, rest.len());
            let Ok(got) = usize::try_from(got) else {
                libc::close(file);
                return None;
            };
            len += got;
            if got == 0 {
                break;
            }
        }
        libc::close(file);
    }
    Some(&to[..len])
}

/// The number that decimal digits make.
pub fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |n, digit| digit.is_ascii_digit().then(|| n * 10 + u64::from(digit - b'0')))
}
