//! Pads a program's arguments and environment to a fixed size.
//!
//! The kernel puts both at the start of the stack, so addresses of local variables follow from their size: a
//! program that seeds a hash with such an address would behave differently when `cairn replay` is called from
//! another shell than the campaign.

use cairn_wire::protocol::ENV_PADDING;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::process::Command;

/// Size is a multiple of this, well above that of a usual environment; a chosen bound.
const GRANULARITY: usize = 16 << 10;
/// Bytes of a pointer to a string.
const POINTER: usize = 8;

/// Strings that the kernel copies to the stack.
#[derive(Clone, Copy)]
struct StackStrings {
    /// Bytes, NULs included.
    bytes: usize,
    /// Strings that a pointer points to.
    pointers: usize,
}

impl StackStrings {
    /// Returns the strings of a command: path, arguments and environment.
    fn of(command: &Command, name: &OsStr) -> StackStrings {
        let mut variables: BTreeMap<_, _> = std::env::vars_os().collect();
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => variables.insert(name.to_owned(), value.to_owned()),
                None => variables.remove(name),
            };
        }
        let mut all = StackStrings { bytes: command.get_program().len() + 1, pointers: 0 };
        all.add(name.len());
        command.get_args().for_each(|argument| all.add(argument.len()));
        variables.iter().for_each(|(name, value)| all.add(name.len() + "=".len() + value.len()));
        all
    }

    fn add(&mut self, len: usize) {
        self.bytes += len + 1;
        self.pointers += 1;
    }

    fn size(self) -> usize {
        self.bytes + POINTER * self.pointers
    }
}

/// Adds the padding to a command that is complete but for it; `name` is its argument 0. With an even number of
/// pointers the kernel, which aligns the stack to two of them, adds none.
pub(crate) fn pad(command: &mut Command, name: &OsStr) {
    let mut strings = StackStrings::of(command, name);
    let [last, other] = ENV_PADDING;
    if strings.pointers.is_multiple_of(2) {
        strings.add(other.len() + "=".len());
        command.env(other, "");
    }
    strings.add(last.len() + "=".len());
    let missing = strings.size().next_multiple_of(GRANULARITY) - strings.size();
    command.env(last, "x".repeat(missing));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_multiples() {
        for len in 0..40 {
            let mut command = Command::new("/bin/true");
            command.args((0..len % 3).map(|_| "x")).env("CAIRN_TEST", "v".repeat(len));
            pad(&mut command, OsStr::new("true"));
            let strings = StackStrings::of(&command, OsStr::new("true"));
            assert_eq!((strings.size() % GRANULARITY, strings.pointers % 2), (0, 0));
        }
    }
}
