//! Tries all that is left, byte after byte.
//!
//! A constraint is looked at as soon as its last byte has a value, so that most of the product of all sets is never
//! visited. The target's bytes come first, and of each byte the seed's value: what the target does not change is
//! right at once. When no value of a byte will do, the search goes back to the last byte that the constraints which
//! failed are about, past those that have no part in it (conflict-directed backjumping, P. Prosser 1993): a target that
//! cannot hold for the few values its own bytes have left is given up after those, whatever other bytes there are. Where it is
//! known what constraints on two bytes allow ([`Arcs`]), every value takes from the other bytes what does not go together with it.

use super::arcs::Arcs;
use super::byteset::ByteSet;
use crate::tape::{Scratch, Tape};
use cairn_deadline::{Deadline, Pace};
use std::cmp::Reverse;

/// Steps between two looks at the clock: some milliseconds.
const STEPS_PER_CLOCK: u64 = 1_000_000;

/// Bytes that can be tried at once: one bit each.
pub(super) const MAX_BYTES: usize = u128::BITS as usize;

/// A constraint that has to be tried.
pub(super) struct Check<'a> {
    /// Computes it.
    pub(super) code: &'a Tape,
    /// Where its bytes are among those of the query.
    pub(super) places: Box<[u32]>,
    /// Whether it is known what it allows: then it is not evaluated.
    pub(super) is_known: bool,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// Values of all bytes under which all constraints hold.
    Found(Vec<u8>),
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
    /// Per byte of the order, and before the first of them: checks whose last byte it is, and that have to be evaluated.
    due: Vec<Vec<usize>>,
    arcs: Arcs<'a>,
    /// Per byte of the order, as far as the search has come: what is left of all bytes when those before it have their values. Only if
    /// there are arcs.
    left: Vec<Vec<ByteSet>>,
    /// Per check: the bytes of the order it is about.
    about: Vec<u128>,
    input: Vec<u8>,
    scratch: &'a mut Scratch,
    operands: Vec<u8>,
    /// Steps that may still be made.
    work: u64,
    pace: Pace,
}

impl<'a> Search<'a> {
    /// A search for all checks, the target's last, if there are not too many bytes. The input has the seed's values, or
    /// where the sets do not allow it others.
    pub(super) fn new(
        checks: Vec<Check<'a>>,
        arcs: Arcs<'a>,
        sets: &[ByteSet],
        input: Vec<u8>,
        scratch: &'a mut Scratch,
    ) -> Option<Search<'a>> {
        let order = order(&checks, sets)?;
        let mut bits = vec![0u128; sets.len()];
        (0..).zip(&order).for_each(|(i, &byte)| bits[byte as usize] = 1 << i);
        let bits_of = |check: &Check| check.places.iter().fold(0, |all, &place| all | bits[place as usize]);
        let about: Vec<u128> = checks.iter().map(bits_of).collect();
        let mut due = vec![Vec::new(); order.len() + 1];
        for (i, bits) in about.iter().enumerate().filter(|(i, _)| !checks[*i].is_known) {
            due[MAX_BYTES - bits.leading_zeros() as usize].push(i);
        }
        let left = if arcs.is_empty() { Vec::new() } else { vec![sets.to_vec()] };
        let values =
            order.iter().map(|&byte| sets[byte as usize].nearest_first(input[byte as usize]).collect());
        let values = values.collect();
        let operands = Vec::new();
        let pace = Pace::new(&Deadline::never(), STEPS_PER_CLOCK);
        Some(Search {
            checks,
            order,
            values,
            due,
            arcs,
            left,
            about,
            input,
            scratch,
            operands,
            work: 0,
            pace,
        })
    }

    /// Tries, for so many steps of code, until the deadline.
    pub(super) fn run(mut self, work: u64, deadline: &Deadline) -> Outcome {
        self.work = work;
        self.pace = Pace::new(deadline, STEPS_PER_CLOCK);
        match self.check(0).and_then(|()| self.descend(0)) {
            Ok(()) => Outcome::Found(self.input),
            Err(Failure::Conflict(_)) => Outcome::Nothing,
            Err(Failure::TooMuch) => Outcome::TooMuch,
        }
    }

    /// Finds values for the bytes from here on. As deep as there are bytes.
    fn descend(&mut self, level: usize) -> Result<(), Failure> {
        let Some(&byte) = self.order.get(level) else { return Ok(()) };
        let mut conflict = 0;
        for i in 0..self.values[level].len() {
            let value = self.values[level][i];
            if !self.fits(level, byte as usize, value)? {
                // Which of the bytes before it are to blame is not known.
                conflict |= (1 << level) - 1;
                continue;
            }
            self.input[byte as usize] = value;
            match self.check(level + 1).and_then(|()| self.descend(level + 1)) {
                Err(Failure::Conflict(bytes)) if bytes >> level & 1 == 1 => conflict |= bytes,
                // Found, given up, or impossible whatever this byte is.
                other => return other,
            }
        }
        Err(Failure::Conflict(conflict & !(1 << level)))
    }

    /// Whether a value goes together with those of the bytes before, and leaves some to those that come, as far as is known.
    fn fits(&mut self, level: usize, byte: usize, value: u8) -> Result<bool, Failure> {
        const LOOK: u64 = 32;
        if self.left.is_empty() {
            return Ok(true);
        }
        if self.left.len() == level + 1 {
            self.left.push(self.left[level].clone());
        }
        let [here, next] = &mut self.left[level..level + 2] else { unreachable!("two were asked for") };
        if !here[byte].contains(value) {
            return Ok(false);
        }
        next.copy_from_slice(here);
        next[byte] = ByteSet::range(value, value);
        let tidied = self.arcs.tidy_after(byte, next, &mut self.pace);
        let cells = next.len() as u64;
        let (looks, fits) = tidied.ok_or(Failure::TooMuch)?;
        self.spend(looks * LOOK + cells / 4 + 1)?;
        Ok(fits)
    }

    fn spend(&mut self, steps: u64) -> Result<(), Failure> {
        self.work = self.work.checked_sub(steps).ok_or(Failure::TooMuch)?;
        if self.pace.is_over_after(steps) { Err(Failure::TooMuch) } else { Ok(()) }
    }

    /// Looks at all constraints that are due here. One that does not hold is looked at first the next time.
    fn check(&mut self, level: usize) -> Result<(), Failure> {
        for i in 0..self.due[level].len() {
            let index = self.due[level][i];
            self.spend(self.checks[index].code.len() as u64 + 4)?;
            let check = &self.checks[index];
            self.operands.clear();
            self.operands.extend(check.places.iter().map(|&place| self.input[place as usize]));
            let mut out = [0];
            check.code.run(&self.operands, self.scratch, &mut out);
            if out != [1] {
                self.due[level][..=i].rotate_right(1);
                return Err(Failure::Conflict(self.about[index]));
            }
        }
        Ok(())
    }
}

/// Why there are no values for the bytes from some level on.
enum Failure {
    /// There are none as long as these bytes of the order have their values.
    Conflict(u128),
    /// The work that was allowed is done.
    TooMuch,
}

/// Bytes with a choice, those of the last check first, then always one that shares a check with those before; the
/// one with the fewest values if there are several. What comes last changes first: of a number that is its lowest byte.
/// None if there are too many: finding their order takes time that grows with their square.
fn order(checks: &[Check], sets: &[ByteSet]) -> Option<Vec<u32>> {
    let mut reached = vec![false; sets.len()];
    let mut is_checked = vec![false; sets.len()];
    let places = checks.iter().flat_map(|check| &check.places);
    places.for_each(|&place| is_checked[place as usize] = true);
    let mut waiting: Vec<u32> = (0..sets.len() as u32).collect();
    waiting.retain(|&byte| is_checked[byte as usize] && sets[byte as usize].len() > 1);
    if waiting.len() > MAX_BYTES {
        return None;
    }
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
    Some(order)
}
