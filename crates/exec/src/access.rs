//! Details of a crash: the invalid access, and the C library's message.

use crate::control::Recorded;
use crate::exit_kind::ExitKind;
use cairn_wire::control::fault;

/// End of the lowest addresses, where nothing is ever mapped: an access there went through a null pointer. It
/// is Linux's usual `mmap_min_addr`.
const NULL_PAGES: u64 = 1 << 16;

/// An invalid memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Address that was accessed.
    pub address: u64,
    /// True for a write.
    pub writes: bool,
    /// True if it was next to the stack pointer: the stack has overflowed.
    pub near_stack: bool,
}

impl Access {
    /// Returns the access that ended a run.
    pub(crate) fn of(end: ExitKind, recorded: &Recorded) -> Option<Access> {
        let has = |bit: u32| recorded.fault & bit != 0;
        let address = recorded.fault_address;
        let access = Access { address, writes: has(fault::WRITE), near_stack: has(fault::NEAR_STACK) };
        matches!(end, ExitKind::Signal(libc::SIGSEGV | libc::SIGBUS) if has(fault::ACCESS)).then_some(access)
    }

    /// True if it went through a null pointer.
    pub fn is_null(self) -> bool {
        self.address < NULL_PAGES
    }
}

/// Returns the C library's message before it aborted, in one line.
pub(crate) fn message_of(end: ExitKind, words: &[u64]) -> String {
    if end != ExitKind::Signal(libc::SIGABRT) {
        return String::new();
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&bytes).trim().replace('\n', " ")
}
