//! Tries all that is left, byte after byte.
//!
//! A constraint is looked at as soon as its last byte has a value, so that most of the product of all sets is never
//! visited. The target's bytes come first, and of each byte the seed's value: what the target does not change is
//! right at once.

use super::byteset::ByteSet;
use crate::tape::{Scratch, Tape};
use std::cmp::Reverse;

/// A constraint that has to be tried.
pub(super) struct Check<'a> {
    /// Computes it.
    pub(super) code: &'a Tape,
    /// Where its bytes are among those of the query.
    pub(super) places: Box<[u32]>,
}

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The input is one under which all constraints hold.
    Found,
    /// There is none.
    Nothing,
    /// The work that was allowed is done.
    TooMuch,
}

/// One query's search.
pub(super) struct Search<'a> {
    checks: Vec<Check<'a>>,
    /// Bytes to be tried, first to last.
    order: Vec<u32>,
    /// Values of each, in the order in which they are tried.
    values: Vec<Vec<u8>>,
    /// Per byte of the order, and before the first of them: checks whose last byte it is.
    due: Vec<Vec<usize>>,
    input: &'a mut [u8],
    scratch: &'a mut Scratch,
    operands: Vec<u8>,
    /// Steps that may still be made.
    work: u64,
}

impl<'a> Search<'a> {
    /// A search for all checks, the target's last. The input has the seed's values, or where the sets do not allow it
    /// others.
    pub(super) fn new(
        checks: Vec<Check<'a>>,
        sets: &[ByteSet],
        input: &'a mut [u8],
        scratch: &'a mut Scratch,
    ) -> Search<'a> {
        let order = order(&checks, sets);
        let mut position = vec![0; sets.len()];
        (1..).zip(&order).for_each(|(i, &byte)| position[byte as usize] = i);
        let mut due = vec![Vec::new(); order.len() + 1];
        for (i, check) in checks.iter().enumerate() {
            let last = check.places.iter().map(|&place| position[place as usize]).max();
            due[last.unwrap_or(0)].push(i);
        }
        let values =
            order.iter().map(|&byte| sets[byte as usize].nearest_first(input[byte as usize]).collect());
        let values = values.collect();
        Search { checks, order, values, due, input, scratch, operands: Vec::new(), work: 0 }
    }

    /// Tries, for so many steps of code.
    pub(super) fn run(&mut self, work: u64) -> Outcome {
        self.work = work;
        let found = self.holds(0).and_then(|holds| if holds { self.descend(0) } else { Some(false) });
        match found {
            Some(true) => Outcome::Found,
            Some(false) => Outcome::Nothing,
            None => Outcome::TooMuch,
        }
    }

    /// Whether there are values for the bytes from here on; nobody knows if the work is done. As deep as there are bytes.
    fn descend(&mut self, level: usize) -> Option<bool> {
        let Some(&byte) = self.order.get(level) else { return Some(true) };
        for i in 0..self.values[level].len() {
            self.input[byte as usize] = self.values[level][i];
            if self.holds(level + 1)? && self.descend(level + 1)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether all constraints hold that are due here. One that does not is looked at first the next time.
    fn holds(&mut self, level: usize) -> Option<bool> {
        for i in 0..self.due[level].len() {
            let check = &self.checks[self.due[level][i]];
            self.work = self.work.checked_sub(check.code.len() as u64 + 4)?;
            self.operands.clear();
            self.operands.extend(check.places.iter().map(|&place| self.input[place as usize]));
            let mut out = [0];
            check.code.run(&self.operands, self.scratch, &mut out);
            if out != [1] {
                self.due[level][..=i].rotate_right(1);
                return Some(false);
            }
        }
        Some(true)
    }
}

/// Bytes with a choice, those of the last check first, then always one that shares a check with those before; the
/// one with the fewest values if there are several. What comes last changes first: of a number that is its lowest byte.
fn order(checks: &[Check], sets: &[ByteSet]) -> Vec<u32> {
    let mut reached = vec![false; sets.len()];
    let mut waiting: Vec<u32> = (0..sets.len() as u32).collect();
    waiting.retain(|&byte| sets[byte as usize].len() > 1);
    waiting.retain(|byte| checks.iter().any(|check| check.places.contains(byte)));
    let mut reach = |check: &Check| check.places.iter().for_each(|&place| reached[place as usize] = true);
    checks.last().map(&mut reach);
    let mut order = Vec::new();
    while let Some(next) = (0..waiting.len()).min_by_key(|&i| {
        (!reached[waiting[i] as usize], sets[waiting[i] as usize].len(), Reverse(waiting[i]))
    }) {
        let byte = waiting.swap_remove(next);
        let touching = checks.iter().filter(|check| check.places.contains(&byte));
        touching.flat_map(|check| &check.places).for_each(|&place| reached[place as usize] = true);
        order.push(byte);
    }
    order
}
