//! Releases the driver's memory in a supervisor.
//!
//! A fork shares all pages with the driver until one of them writes. A supervisor that lives as long as its
//! target would hold a copy of every page that the driver has changed since. So it releases all its pages
//! except its stack. The C library's data is gone then, too, so a supervisor makes its system calls itself.

use std::arch::asm;

/// Makes a system call and returns the kernel's result.
pub(super) fn call<const N: usize>(number: libc::c_long, arguments: [usize; N]) -> isize {
    const { assert!(N <= 4) };
    let argument = |n: usize| arguments.get(n).copied().unwrap_or(0);
    let result;
    // SAFETY: the callers pass valid arguments, with pointers to live memory of theirs.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") argument(0),
            in("rsi") argument(1),
            in("rdx") argument(2),
            in("r10") argument(3),
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// The kernel's list of a process's mappings, an open `/proc/self/maps`.
pub(super) struct Maps(isize);

impl Maps {
    /// Opens the list of the calling process; it stays valid if another `/proc` is mounted.
    pub(super) fn open() -> Maps {
        let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as usize;
        Maps(call(libc::SYS_open, [c"/proc/self/maps".as_ptr() as usize, flags]))
    }

    /// Releases all anonymous memory that the calling thread does not use.
    pub(super) fn release(&self) {
        const LINE: usize = 128;
        let (mut text, mut line, mut length) = ([0u8; 4096], [0u8; LINE], 0);
        loop {
            let read = call(libc::SYS_read, [self.0 as usize, text.as_mut_ptr() as usize, text.len()]);
            let Some(read) = usize::try_from(read).ok().filter(|read| *read > 0) else { return };
            for byte in text.iter().take(read) {
                if *byte == b'\n' {
                    release(line.get(..length.min(LINE)).unwrap_or_default());
                    length = 0;
                } else {
                    line.get_mut(length).into_iter().for_each(|slot| *slot = *byte);
                    length += 1;
                }
            }
        }
    }
}

/// Releases the mapping in a line of the list.
fn release(line: &[u8]) {
    let Some((start, end)) = anonymous(line) else { return };
    let in_use = [&raw const line as usize, thread_block()];
    if !in_use.iter().any(|address| (start..end).contains(address)) {
        call(libc::SYS_madvise, [start, end - start, libc::MADV_DONTNEED as usize]);
    }
}

/// Returns the address of the calling thread's control block.
fn thread_block() -> usize {
    let address;
    // SAFETY: the word at the beginning of the block is its own address.
    unsafe { asm!("mov {}, fs:[0]", out(reg) address, options(nostack, readonly, preserves_flags)) };
    address
}

/// Parses the range of a private, writable mapping without a file: `start-end rw-p 00000000 00:00 0 [heap]`.
fn anonymous(line: &[u8]) -> Option<(usize, usize)> {
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let (range, rights) = (words.next()?, words.next()?);
    let (inode, name) = (words.nth(2)?, words.next().unwrap_or_default());
    let is_anonymous = inode == b"0" && (name.is_empty() || name == b"[heap]" || name.starts_with(b"[anon"));
    let mut ends = range.split(|byte| *byte == b'-').map(hexadecimal);
    (rights == b"rw-p" && is_anonymous).then(|| Some((ends.next()??, ends.next()??)))?
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    digits.iter().try_fold(0, |number: usize, byte| Some(number << 4 | digit(byte)? as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_anonymous_memory_is_released() {
        let range = Some((0x7f00_1000, 0x7f00_3000));
        for (line, expected) in [
            ("7f001000-7f003000 rw-p 00000000 00:00 0 ", range),
            ("7f001000-7f003000 rw-p 00000000 00:00 0      [heap]", range),
            ("7f001000-7f003000 rw-p 00000000 00:00 0      [stack]", None),
            ("7f001000-7f003000 rw-s 00000000 00:00 0 ", None),
            ("7f001000-7f003000 r--p 00000000 00:00 0 ", None),
            ("7f001000-7f003000 rw-p 00002000 fd:00 17 /lib/x.so", None),
            ("", None),
        ] {
            assert_eq!(anonymous(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn a_fork_that_releases_its_memory_keeps_running() {
        let much = vec![1u8; 64 << 20];
        // SAFETY: the child makes system calls only, and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            Maps::open().release();
            // SAFETY: reads a byte that is mapped, as zero now.
            let gone = unsafe { much.as_ptr().add(1 << 20).read_volatile() } == 0;
            call(libc::SYS_exit_group, [if gone { 7 } else { 8 }]);
        }
        let mut status = 0;
        // SAFETY: waits for the child.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!((libc::WIFEXITED(status), libc::WEXITSTATUS(status), much[1 << 20]), (true, 7, 1));
    }
}
