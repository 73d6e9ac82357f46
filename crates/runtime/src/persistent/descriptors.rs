//! Descriptors that a run opens, copies and closes.

use super::calls::{Verdict, call, call_with};
use libc::{c_int, c_long};

/// Descriptors that can be remembered.
const MOST: u64 = 64;
/// Standard input, output and error.
const STANDARD: u64 = 3;
/// Copies of these lie from here on, where programs hardly ever look.
const COPIES: u64 = 200;

/// What a run has done to its descriptors, by bits.
pub struct Descriptors {
    /// Open before the first run, beside the standard ones.
    inherited: u64,
    /// Opened by the run.
    opened: u64,
    /// Standard ones that are no longer what they were.
    changed: u64,
    /// Copies of the standard ones; negative where there is none.
    copies: [i64; STANDARD as usize],
}

impl Descriptors {
    /// Looks at what is open before the first run.
    pub fn prepare(&mut self) {
        let is_open = |descriptor: &u64| call(libc::SYS_fcntl, [*descriptor, libc::F_GETFD as u64]) >= 0;
        self.inherited = (STANDARD..MOST).filter(is_open).fold(0, |bits, descriptor| bits | 1 << descriptor);
        (self.opened, self.changed) = (0, 0);
        let copy = |descriptor| call(libc::SYS_fcntl, [descriptor, libc::F_DUPFD_CLOEXEC as u64, COPIES]);
        self.copies = [copy(0), copy(1), copy(2)];
    }

    /// Whether it is one that the run may read from: what it leaves behind is a place in the file, which closing undoes.
    pub fn is_readable(&self, descriptor: u64) -> bool {
        descriptor == 0 || self.is_opened(descriptor)
    }

    /// Whether it is one that the run may write to: standard output and error, and what is open for reading only, or a copy of these.
    pub fn is_writable(&self, descriptor: u64) -> bool {
        descriptor < STANDARD || self.is_opened(descriptor)
    }

    pub fn is_opened(&self, descriptor: u64) -> bool {
        descriptor < MOST && self.opened >> descriptor & 1 != 0
    }

    /// Opening for reading is undone by closing.
    pub fn open(&mut self, number: c_long, flags: u64, arguments: [u64; 6]) -> Verdict {
        let changes = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_TMPFILE & !libc::O_DIRECTORY;
        if flags as c_int & changes != libc::O_RDONLY {
            return Verdict::Lasting;
        }
        self.make(number, arguments)
    }

    /// A call that makes a descriptor that closing gets rid of.
    pub fn make(&mut self, number: c_long, arguments: [u64; 6]) -> Verdict {
        let answer = call_with(number, arguments);
        match u64::try_from(answer) {
            Ok(descriptor) if descriptor >= MOST => {
                call(libc::SYS_close, [descriptor]);
                return Verdict::Lasting;
            }
            Ok(descriptor) => self.opened |= 1 << descriptor,
            Err(_) => {}
        }
        Verdict::Done(answer)
    }

    /// A call that makes this very descriptor a copy of another.
    pub fn replace(&mut self, number: c_long, arguments: [u64; 6]) -> Verdict {
        let [from, to, ..] = arguments;
        if to >= MOST || self.inherited >> to & 1 != 0 || !self.can_change(to) || !self.is_writable(from) {
            return Verdict::Lasting;
        }
        let answer = call_with(number, arguments);
        if answer >= 0 && from != to {
            self.mark(to);
        }
        Verdict::Done(answer)
    }

    pub fn close(&mut self, descriptor: u64) -> Verdict {
        if self.is_opened(descriptor) {
            self.opened &= !(1 << descriptor);
            return Verdict::Harmless;
        }
        if descriptor >= STANDARD || !self.can_change(descriptor) {
            return Verdict::Lasting;
        }
        self.changed |= 1 << descriptor;
        Verdict::Harmless
    }

    fn can_change(&self, descriptor: u64) -> bool {
        self.copies.get(descriptor as usize).is_none_or(|copy| *copy >= 0)
    }

    fn mark(&mut self, descriptor: u64) {
        if descriptor < STANDARD {
            self.changed |= 1 << descriptor;
        } else {
            self.opened |= 1 << descriptor;
        }
    }

    /// Closes what was opened, and opens what was closed.
    pub fn undo(&mut self) {
        for descriptor in ones(self.opened) {
            call(libc::SYS_close, [descriptor]);
        }
        for descriptor in ones(self.changed) {
            call(libc::SYS_dup3, [self.copies[descriptor as usize] as u64, descriptor]);
        }
        (self.opened, self.changed) = (0, 0);
    }

    /// Leaves the run with nothing but its own.
    pub fn let_go(&self) {
        for copy in self.copies.iter().filter(|copy| **copy >= 0) {
            call(libc::SYS_close, [*copy as u64]);
        }
    }
}

/// The places of the bits that are set.
fn ones(bits: u64) -> impl Iterator<Item = u64> {
    (0..u64::from(u64::BITS)).filter(move |place| bits >> place & 1 != 0)
}
