//! The shared memory as the driver sees it.
//!
//! Another process may write to it at any time, so it is accessed only as an array of atomic words: values
//! may be implausible, but reading them is sound. A relaxed load or store of a word is an ordinary machine
//! instruction.

use crate::pod::{Pod, words_mut};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of a word.
const WORD: usize = 8;

/// A mapped anonymous file (memfd).
pub(crate) struct SharedMemory {
    fd: OwnedFd,
    base: NonNull<AtomicU64>,
    words: usize,
}

// SAFETY: the mapping belongs to this value alone, whichever thread holds it, and is reached through
// atomics only.
unsafe impl Send for SharedMemory {}

impl SharedMemory {
    /// Creates a shared memory of `size` bytes, a multiple of the page size. Pages take memory once touched.
    pub(crate) fn create(size: u64) -> io::Result<SharedMemory> {
        let fd = memfd_create("cairn", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&fd, size)?;
        // A target that has the descriptor must not be able to truncate the file under our mapping.
        fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let len = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice replaces none of ours.
        let base = unsafe { mmap(null_mut(), len, access, MapFlags::SHARED | MapFlags::NORESERVE, &fd, 0)? };
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(SharedMemory { fd, base, words: len / WORD })
    }

    /// Returns the descriptor to pass to the target.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Returns the bytes that take memory.
    pub(crate) fn in_use(&self) -> io::Result<u64> {
        const BLOCK: u64 = 512;
        Ok(fstat(&self.fd)?.st_blocks as u64 * BLOCK)
    }

    fn all(&self) -> &[AtomicU64] {
        // SAFETY: `create` mapped that many words, readable and writable, for as long as `self` lives;
        // the seals keep the file behind them from shrinking. Page alignment suffices for a word, and
        // every bit pattern is an `AtomicU64`.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.words) }
    }

    /// Returns the words that `len` bytes at `offset` lie in; `offset` is a multiple of the word size.
    fn words(&self, offset: u64, len: usize) -> &[AtomicU64] {
        debug_assert!(offset.is_multiple_of(WORD as u64));
        let first = offset as usize / WORD;
        &self.all()[first..first + len.div_ceil(WORD)]
    }

    /// Copies the structure at `offset`.
    pub(crate) fn load<T: Pod>(&self, offset: u64) -> T {
        let mut value = T::default();
        for (to, from) in words_mut(&mut value).iter_mut().zip(self.words(offset, size_of::<T>())) {
            *to = from.load(Relaxed);
        }
        value
    }

    /// Writes a structure.
    pub(crate) fn store<T: Pod>(&self, offset: u64, mut value: T) {
        for (from, to) in words_mut(&mut value).iter().zip(self.words(offset, size_of::<T>())) {
            to.store(*from, Relaxed);
        }
    }

    /// Writes bytes, and zeros up to the end of the last word.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) {
        for (chunk, to) in bytes.chunks(WORD).zip(self.words(offset, bytes.len())) {
            let mut word = [0; WORD];
            word[..chunk.len()].copy_from_slice(chunk);
            to.store(u64::from_ne_bytes(word), Relaxed);
        }
    }

    /// Copies `len` bytes.
    pub(crate) fn read(&self, offset: u64, len: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.read_into(offset, len, &mut bytes);
        bytes
    }

    /// Copies `len` bytes into a vector, whose memory is used again.
    pub(crate) fn read_into(&self, offset: u64, len: usize, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.reserve(len.next_multiple_of(WORD));
        for word in self.words(offset, len) {
            bytes.extend_from_slice(&word.load(Relaxed).to_ne_bytes());
        }
        bytes.truncate(len);
    }

    /// Zeros `len` bytes, and the rest of the last word.
    pub(crate) fn zero(&self, offset: u64, len: usize) {
        for word in self.words(offset, len) {
            word.store(0, Relaxed);
        }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing that borrows from it outlives `self`.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.words * WORD) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_wire::LabelEntry;

    #[test]
    fn what_is_stored_is_loaded() {
        let memory = SharedMemory::create(4096).unwrap();
        let entry = LabelEntry { op: 3, width: 32, aux: 515, l1: 7, l2: 9, unused: 1, k: u64::MAX };
        memory.store(24, entry);
        assert_eq!(memory.load::<LabelEntry>(24), entry);
        assert_eq!(memory.load::<LabelEntry>(48), LabelEntry::default());
    }

    #[test]
    fn bytes_need_not_fill_a_word() {
        let memory = SharedMemory::create(4096).unwrap();
        memory.write(8, b"hello, world");
        assert_eq!(memory.read(8, 12), b"hello, world");
        memory.zero(8, 5);
        assert_eq!(memory.read(8, 12), b"\0\0\0\0\0\0\0\0orld");
    }
}
