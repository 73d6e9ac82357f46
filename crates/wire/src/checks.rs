//! Checks for undefined behaviour: branches on a fault condition that the pass inserts in addition to those
//! of the source.

use crate::numbered::numbered;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A set of optional checks; the user selects them with `--check`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checks(u32);

impl Checks {
    /// Signed arithmetic that overflows.
    pub const OVERFLOW: Checks = Checks(1);
    /// A shift by at least the width of the shifted value.
    pub const SHIFT: Checks = Checks(1 << 1);
    /// A write outside an object; out-of-bounds reads are always detected.
    pub const BOUNDS: Checks = Checks(1 << 2);

    /// Names of the checks on the command line; the last one stands for all of them.
    const NAMES: [(&'static str, Checks); 4] = [
        ("overflow", Checks::OVERFLOW),
        ("shift", Checks::SHIFT),
        ("bounds", Checks::BOUNDS),
        ("all", Checks(0b111)),
    ];

    /// Returns the set with these bits.
    pub fn from_bits(bits: u32) -> Checks {
        Checks(bits)
    }

    /// Returns the bits of the set.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// True if every check of `other` is in the set.
    pub fn contains(self, other: Checks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of both sets.
    pub fn with(self, other: Checks) -> Checks {
        Checks(self.0 | other.0)
    }

    /// Returns the checks that are in this set and not in `other`.
    pub fn without(self, other: Checks) -> Checks {
        Checks(self.0 & !other.0)
    }

    /// True if no check is selected.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Parses a comma-separated list of names; the error lists the known ones.
    pub fn parse(list: &str) -> Result<Checks, String> {
        let one = |name: &str| Checks::NAMES.iter().find(|(known, _)| *known == name).map(|(_, set)| *set);
        list.split(',').try_fold(Checks::default(), |all, name| match one(name.trim()) {
            Some(set) => Ok(all.with(set)),
            None => Err(format!("there is no check `{name}`: there are {}", names(&Checks::NAMES))),
        })
    }

    /// Returns the names of the checks in the set, in the form that [`Checks::parse`] accepts.
    pub fn names(self) -> String {
        let single = &Checks::NAMES[..Checks::NAMES.len() - 1];
        let inside: Vec<_> = single.iter().filter(|(_, set)| self.contains(*set)).copied().collect();
        names(&inside).replace(", ", ",")
    }
}

fn names(list: &[(&'static str, Checks)]) -> String {
    list.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

numbered! {
    /// The fault condition of an inserted branch.
    pub enum Check: u8, from_u8(u8) {
        /// The divisor is 0.
        ZeroDivisor = 0,
        /// The quotient overflows (`INT_MIN / -1`).
        Quotient = 1,
        /// The signed result overflows.
        Overflow = 2,
        /// The shift amount is at least the width.
        Shift = 3,
    }
}

impl Check {
    /// True if the program continues after the fault: no signal is raised.
    pub fn is_silent(self) -> bool {
        matches!(self, Check::Overflow | Check::Shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_names_is_a_set() {
        assert_eq!(Checks::parse("shift, overflow"), Ok(Checks::OVERFLOW.with(Checks::SHIFT)));
        assert_eq!(Checks::parse("all").map(Checks::names).as_deref(), Ok("overflow,shift,bounds"));
        assert_eq!(Checks::parse("all").unwrap().without(Checks::SHIFT).names(), "overflow,bounds");
        for wrong in ["", "overflow,", "Overflow", "wrap"] {
            assert!(Checks::parse(wrong).unwrap_err().ends_with("overflow, shift, bounds, all"), "{wrong}");
        }
    }
}
