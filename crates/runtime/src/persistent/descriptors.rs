//! Effects on descriptors: what a run opens, duplicates and closes.

use super::verdict::Verdict;
use crate::syscall::{call, call_with};
use libc::{c_int, c_long};

/// Descriptors that are tracked: the bits of a word.
const TRACKED: u64 = 64;
/// Standard input, output and error.
const STANDARD: u64 = 3;
/// Lowest number of the duplicates of these, beyond the descriptors that programs use.
const DUPLICATES: u64 = 200;

/// Effects of the run, as bit sets of descriptors.
pub struct Descriptors {
    /// Open before the first run, besides the standard ones.
    inherited: u64,
    /// Opened by the run.
    opened: u64,
    /// Standard ones that were closed or replaced.
    changed: u64,
    /// Duplicates of the standard ones; negative if there is none.
    duplicates: [i64; STANDARD as usize],
}

impl Descriptors {
    /// Notes what is open before the first run.
    pub fn prepare(&mut self) {
        let is_open = |descriptor: &u64| call(libc::SYS_fcntl, [*descriptor, libc::F_GETFD as u64]) >= 0;
        self.inherited =
            (STANDARD..TRACKED).filter(is_open).fold(0, |bits, descriptor| bits | 1 << descriptor);
        (self.opened, self.changed) = (0, 0);
        let duplicate =
            |descriptor| call(libc::SYS_fcntl, [descriptor, libc::F_DUPFD_CLOEXEC as u64, DUPLICATES]);
        self.duplicates = [duplicate(0), duplicate(1), duplicate(2)];
    }

    /// True if the run may read from it: that changes only the file offset, which closing undoes.
    pub fn is_readable(&self, descriptor: u64) -> bool {
        descriptor == 0 || self.is_opened(descriptor)
    }

    /// True if the run may write to it: standard streams, and what it has opened, which is read-only or a
    /// duplicate of these.
    pub fn is_writable(&self, descriptor: u64) -> bool {
        descriptor < STANDARD || self.is_opened(descriptor)
    }

    /// True if the run has opened it.
    pub fn is_opened(&self, descriptor: u64) -> bool {
        descriptor < TRACKED && self.opened >> descriptor & 1 != 0
    }

    /// Opens a file, if only for reading: closing undoes that.
    pub fn open(&mut self, number: c_long, flags: u64, arguments: [u64; 6]) -> Verdict {
        let changes = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_TMPFILE & !libc::O_DIRECTORY;
        if flags as c_int & changes != libc::O_RDONLY {
            return Verdict::Lasting;
        }
        self.create(number, arguments)
    }

    /// Makes a call whose only effect is a new descriptor, which closing undoes.
    pub fn create(&mut self, number: c_long, arguments: [u64; 6]) -> Verdict {
        let answer = call_with(number, arguments);
        match u64::try_from(answer) {
            Ok(descriptor) if descriptor >= TRACKED => {
                call(libc::SYS_close, [descriptor]);
                return Verdict::Lasting;
            }
            Ok(descriptor) => self.opened |= 1 << descriptor,
            Err(_) => {}
        }
        Verdict::Done(answer)
    }

    /// Makes `dup2` or `dup3`, if its target can be restored.
    pub fn replace(&mut self, number: c_long, arguments: [u64; 6]) -> Verdict {
        let [from, to, ..] = arguments;
        if to >= TRACKED || self.inherited >> to & 1 != 0 || !self.can_restore(to) || !self.is_writable(from)
        {
            return Verdict::Lasting;
        }
        let answer = call_with(number, arguments);
        if answer >= 0 && from != to {
            self.note_changed(to);
        }
        Verdict::Done(answer)
    }

    /// Notes that a descriptor is about to be closed.
    pub fn close(&mut self, descriptor: u64) -> Verdict {
        if self.is_opened(descriptor) {
            self.opened &= !(1 << descriptor);
            return Verdict::Harmless;
        }
        if descriptor >= STANDARD || !self.can_restore(descriptor) {
            return Verdict::Lasting;
        }
        self.changed |= 1 << descriptor;
        Verdict::Harmless
    }

    fn can_restore(&self, descriptor: u64) -> bool {
        self.duplicates.get(descriptor as usize).is_none_or(|duplicate| *duplicate >= 0)
    }

    fn note_changed(&mut self, descriptor: u64) {
        if descriptor < STANDARD {
            self.changed |= 1 << descriptor;
        } else {
            self.opened |= 1 << descriptor;
        }
    }

    /// Closes what was opened, and restores what was closed.
    pub fn undo(&mut self) {
        for descriptor in set_bits(self.opened) {
            call(libc::SYS_close, [descriptor]);
        }
        for descriptor in set_bits(self.changed) {
            call(libc::SYS_dup3, [self.duplicates[descriptor as usize] as u64, descriptor]);
        }
        (self.opened, self.changed) = (0, 0);
    }

    /// Closes the duplicates, in a run that becomes an ordinary one.
    pub fn release(&self) {
        for duplicate in self.duplicates.iter().filter(|duplicate| **duplicate >= 0) {
            call(libc::SYS_close, [*duplicate as u64]);
        }
    }
}

/// Returns the positions of the bits that are set.
fn set_bits(bits: u64) -> impl Iterator<Item = u64> {
    (0..u64::from(u64::BITS)).filter(move |position| bits >> position & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{exclusive, holds_in_child};

    fn descriptors() -> Descriptors {
        let mut descriptors =
            Descriptors { inherited: 0, opened: 0, changed: 0, duplicates: [-1; STANDARD as usize] };
        descriptors.prepare();
        descriptors
    }

    fn is_open(descriptor: u64) -> bool {
        call(libc::SYS_fcntl, [descriptor, libc::F_GETFD as u64]) >= 0
    }

    fn open(descriptors: &mut Descriptors, flags: c_int) -> Option<u64> {
        let arguments = [c"/dev/null".as_ptr() as u64, flags as u64, 0, 0, 0, 0];
        match descriptors.open(libc::SYS_open, flags as u64, arguments) {
            Verdict::Done(descriptor) => u64::try_from(descriptor).ok(),
            _ => None,
        }
    }

    #[test]
    fn opened_files_are_closed() {
        let _guard = exclusive();
        assert!(holds_in_child(|| {
            let mut descriptors = descriptors();
            let Some(file) = open(&mut descriptors, libc::O_RDONLY) else { return false };
            let mut holds = is_open(file) && descriptors.is_readable(file);
            holds &= open(&mut descriptors, libc::O_WRONLY).is_none();
            descriptors.undo();
            holds &= !is_open(file) && !descriptors.is_readable(file);
            holds
        }));
    }

    #[test]
    fn standard_streams_are_restored() {
        let _guard = exclusive();
        assert!(holds_in_child(|| {
            call(libc::SYS_close, [0]);
            call(libc::SYS_open, [c"/dev/null".as_ptr() as u64, 0, 0]);
            let mut descriptors = descriptors();
            let mut holds = matches!(descriptors.close(0), Verdict::Harmless);
            call(libc::SYS_close, [0]);
            descriptors.undo();
            holds &= is_open(0);
            // One that the process had before is not the run's to close.
            let Some(inherited) = (STANDARD..TRACKED).find(|descriptor| is_open(*descriptor)) else {
                return holds;
            };
            holds && matches!(descriptors.close(inherited), Verdict::Lasting)
        }));
    }
}
