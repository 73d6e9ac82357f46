//! What a fatal signal tells beside where it struck.

use crate::control::Recorded;
use crate::exit_kind::ExitKind;
use cairn_wire::control::fault;

/// The first addresses, where nothing is ever mapped: who comes there has followed a null pointer.
const NULL_PAGES: u64 = 1 << 16;

/// An access to memory that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Where.
    pub address: u64,
    /// Whether it was to write.
    pub writes: bool,
    /// Whether it was at the end of the stack.
    pub near_stack: bool,
}

impl Access {
    /// The access that a run ended with.
    pub(crate) fn of(end: ExitKind, recorded: &Recorded) -> Option<Access> {
        let has = |bit: u32| recorded.fault & bit != 0;
        let address = recorded.fault_address;
        let access = Access { address, writes: has(fault::WRITE), near_stack: has(fault::NEAR_STACK) };
        matches!(end, ExitKind::Signal(libc::SIGSEGV | libc::SIGBUS) if has(fault::ACCESS)).then_some(access)
    }

    /// Whether it was through a null pointer.
    pub fn is_null(self) -> bool {
        self.address < NULL_PAGES
    }
}

/// What the C library said before it aborted, in one line.
pub(crate) fn message_of(end: ExitKind, words: &[u64]) -> String {
    if end != ExitKind::Signal(libc::SIGABRT) {
        return String::new();
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&bytes).trim().replace('\n', " ")
}
