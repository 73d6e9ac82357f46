//! Faults that a program is made to decide on, beside what its source decides.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Faults to look for that are looked for only if asked: a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checks(u32);

impl Checks {
    /// Signed arithmetic whose result has no room.
    pub const OVERFLOW: Checks = Checks(1);
    /// A shift by as many bits as the value has, or more.
    pub const SHIFT: Checks = Checks(1 << 1);
    /// Writing outside an object; reading there is always looked for.
    pub const BOUNDS: Checks = Checks(1 << 2);

    /// What users call them.
    const NAMES: [(&'static str, Checks); 4] = [
        ("overflow", Checks::OVERFLOW),
        ("shift", Checks::SHIFT),
        ("bounds", Checks::BOUNDS),
        ("all", Checks(0b111)),
    ];

    /// The set with these bits.
    pub fn from_bits(bits: u32) -> Checks {
        Checks(bits)
    }

    /// The bits of the set.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether all of another set is in it.
    pub fn contains(self, other: Checks) -> bool {
        self.0 & other.0 == other.0
    }

    /// What is in either.
    pub fn with(self, other: Checks) -> Checks {
        Checks(self.0 | other.0)
    }

    /// What is in this one only.
    pub fn without(self, other: Checks) -> Checks {
        Checks(self.0 & !other.0)
    }

    /// Whether nothing is asked for.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// A list of names, as a user gives it; an error names those there are.
    pub fn parse(list: &str) -> Result<Checks, String> {
        let one = |name: &str| Checks::NAMES.iter().find(|(known, _)| *known == name).map(|(_, set)| *set);
        list.split(',').try_fold(Checks::default(), |all, name| match one(name.trim()) {
            Some(set) => Ok(all.with(set)),
            None => Err(format!("there is no check `{name}`: there are {}", names(&Checks::NAMES))),
        })
    }

    /// The names of what is in it, as [`Checks::parse`] takes them.
    pub fn names(self) -> String {
        let single = &Checks::NAMES[..Checks::NAMES.len() - 1];
        let inside: Vec<_> = single.iter().filter(|(_, set)| self.contains(*set)).copied().collect();
        names(&inside).replace(", ", ",")
    }
}

fn names(list: &[(&'static str, Checks)]) -> String {
    list.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// What a decision that is none of the source's asks.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// Whether a divisor is 0.
    ZeroDivisor = 0,
    /// Whether a quotient has no room.
    Quotient = 1,
    /// Whether a signed result has no room.
    Overflow = 2,
    /// Whether there are fewer bits than are shifted by.
    Shift = 3,
}

impl Check {
    /// Whether the program goes on as if nothing had happened.
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
