//! Input that reaches the program past the models; `instrument/src/pass/unmodelled_input.rs` emits the calls.

use crate::io::__cairn_stream;
use crate::outputs::__cairn_lost_unlabelled;
use crate::recorder::recorder;
use cairn_wire::control;
use libc::{c_int, c_long};

/// Notes that the program starts another one, or a copy of itself, which may decide on input that it inherits.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_starts_program() {
    let recorder = recorder();
    if recorder.tracing {
        recorder.control().flags |= control::flag::FORKED;
    }
}

/// Notes a system call made through `syscall`; `first`, `second` and `fifth` are its arguments.
#[unsafe(no_mangle)]
extern "C" fn __cairn_system_call(number: c_long, first: u64, second: u64, fifth: u64) {
    let descriptor = match number {
        libc::SYS_fork | libc::SYS_vfork | libc::SYS_clone | libc::SYS_clone3 => {
            return __cairn_starts_program();
        }
        libc::SYS_read
        | libc::SYS_pread64
        | libc::SYS_readv
        | libc::SYS_preadv
        | libc::SYS_preadv2
        | libc::SYS_recvfrom
        | libc::SYS_lseek
        | libc::SYS_fstat
        | libc::SYS_newfstatat
        | libc::SYS_statx
        | libc::SYS_ioctl
        | libc::SYS_splice
        | libc::SYS_tee
        | libc::SYS_copy_file_range => first,
        libc::SYS_sendfile => second,
        libc::SYS_mmap => fifth,
        _ => return,
    };
    // The kernel reads only the lower half of a descriptor; no stream has number -1.
    if __cairn_stream(descriptor as c_int) >= 0 {
        __cairn_lost_unlabelled();
    }
}
