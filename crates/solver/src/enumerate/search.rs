//! Backtracking search over the domains, byte after byte.
//!
//! A constraint is evaluated as soon as its last byte has a value, so that most of the product is never
//! visited. The target's bytes come first, and the seed's value is the first of each byte: what the target
//! does not change is right at once. When all values of a byte fail, the search returns to the last byte that
//! the failed constraints depend on and skips the bytes in between (conflict-directed backjumping, P. Prosser
//! 1993): a target that cannot hold for the few values of its own bytes is given up after those, however many
//! other bytes there are. Where relations are known ([`Arcs`]), every assignment restores arc consistency
//! (MAC, Sabin and Freuder 1994).

use super::arcs::Arcs;
use super::byteset::ByteSet;
use crate::tape::{Scratch, Tape};
use cairn_deadline::{Deadline, Pace};
use std::cmp::Reverse;

/// Steps between two looks at the clock: some milliseconds.
const STEPS_PER_CLOCK: u64 = 1_000_000;

/// Bytes that can be searched: conflict sets have one bit for each.
pub(super) const MAX_BYTES: usize = u128::BITS as usize;

/// A constraint that the search has to satisfy.
pub(super) struct Check<'a> {
    /// Its code.
    pub(super) code: &'a Tape,
    /// Indices of its bytes among those of the query.
    pub(super) positions: Box<[u32]>,
    /// True if its relation is known: the arcs represent it, and it is not evaluated.
    pub(super) is_related: bool,
}

/// Result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// Values of all bytes under which all constraints hold.
    Found(Vec<u8>),
    /// There are none.
    Nothing,
    /// The allowed work or time is used up.
    TooMuch,
}

/// The search for one query.
pub(super) struct DomainSearch<'a> {
    checks: Vec<Check<'a>>,
    /// Bytes in the order in which they are assigned.
    order: Vec<u32>,
    /// Per byte of the order: its values, in the order in which they are tried.
    values: Vec<Vec<u8>>,
    /// Per byte of the order, after one entry for no byte: checks to evaluate that have it as their last
    /// byte.
    due: Vec<Vec<usize>>,
    arcs: Arcs<'a>,
    /// Per byte of the order, as far as the search has come: the domains of all bytes after the assignments
    /// before it. Empty without arcs.
    domains: Vec<Vec<ByteSet>>,
    /// Per check: its bytes, as bits by position in the order.
    conflict_bits: Vec<u128>,
    input: Vec<u8>,
    scratch: &'a mut Scratch,
    operands: Vec<u8>,
    /// Steps left.
    work: u64,
    pace: Pace,
}

impl<'a> DomainSearch<'a> {
    /// Returns a search for values that pass all checks, the target's last; `None` if there are too many
    /// bytes. `input` has the seed's values, or others where the domains exclude these.
    pub(super) fn new(
        checks: Vec<Check<'a>>,
        arcs: Arcs<'a>,
        sets: &[ByteSet],
        input: Vec<u8>,
        scratch: &'a mut Scratch,
    ) -> Option<DomainSearch<'a>> {
        let order = order(&checks, sets)?;
        let mut bits = vec![0u128; sets.len()];
        (0..).zip(&order).for_each(|(i, &byte)| bits[byte as usize] = 1 << i);
        let bits_of =
            |check: &Check| check.positions.iter().fold(0, |all, &position| all | bits[position as usize]);
        let conflict_bits: Vec<u128> = checks.iter().map(bits_of).collect();
        let mut due = vec![Vec::new(); order.len() + 1];
        for (i, bits) in conflict_bits.iter().enumerate().filter(|(i, _)| !checks[*i].is_related) {
            due[MAX_BYTES - bits.leading_zeros() as usize].push(i);
        }
        let domains = if arcs.is_empty() { Vec::new() } else { vec![sets.to_vec()] };
        let values =
            order.iter().map(|&byte| sets[byte as usize].nearest_first(input[byte as usize]).collect());
        let values = values.collect();
        let operands = Vec::new();
        let pace = Pace::new(&Deadline::never(), STEPS_PER_CLOCK);
        Some(DomainSearch {
            checks,
            order,
            values,
            due,
            arcs,
            domains,
            conflict_bits,
            input,
            scratch,
            operands,
            work: 0,
            pace,
        })
    }

    /// Searches for at most `work` steps, until the deadline; returns the steps taken as well.
    pub(super) fn run(mut self, work: u64, deadline: &Deadline) -> (Outcome, u64) {
        self.work = work;
        self.pace = Pace::new(deadline, STEPS_PER_CLOCK);
        match self.check(0).and_then(|()| self.descend(0)) {
            Ok(()) => (Outcome::Found(self.input), work - self.work),
            Err(Failure::Conflict(_)) => (Outcome::Nothing, work - self.work),
            Err(Failure::TooMuch) => (Outcome::TooMuch, work),
        }
    }

    /// Assigns the bytes of the order from `level` on. Recursive as deep as there are bytes.
    fn descend(&mut self, level: usize) -> Result<(), Failure> {
        let Some(&byte) = self.order.get(level) else { return Ok(()) };
        let mut conflict = 0;
        for i in 0..self.values[level].len() {
            let value = self.values[level][i];
            if !self.is_consistent(level, byte as usize, value)? {
                // Propagation does not say which of the bytes before it caused the conflict.
                conflict |= (1 << level) - 1;
                continue;
            }
            self.input[byte as usize] = value;
            match self.check(level + 1).and_then(|()| self.descend(level + 1)) {
                Err(Failure::Conflict(bytes)) if bytes >> level & 1 == 1 => conflict |= bytes,
                // Found, given up, or a conflict that this byte has no part in.
                other => return other,
            }
        }
        Err(Failure::Conflict(conflict & !(1 << level)))
    }

    /// Assigns a value to a byte in the domains and restores arc consistency; false if a domain becomes
    /// empty.
    fn is_consistent(&mut self, level: usize, byte: usize, value: u8) -> Result<bool, Failure> {
        /// Cost of a revision, in steps.
        const REVISION: u64 = 32;
        if self.domains.is_empty() {
            return Ok(true);
        }
        if self.domains.len() == level + 1 {
            self.domains.push(self.domains[level].clone());
        }
        let [here, next] = &mut self.domains[level..level + 2] else { unreachable!("two were asked for") };
        if !here[byte].contains(value) {
            return Ok(false);
        }
        next.copy_from_slice(here);
        next[byte] = ByteSet::range(value, value);
        let restored = self.arcs.restore_consistency(byte, next, &mut self.pace);
        let cells = next.len() as u64;
        let (revisions, is_consistent) = restored.ok_or(Failure::TooMuch)?;
        self.spend(revisions * REVISION + cells / 4 + 1)?;
        Ok(is_consistent)
    }

    fn spend(&mut self, steps: u64) -> Result<(), Failure> {
        self.work = self.work.checked_sub(steps).ok_or(Failure::TooMuch)?;
        if self.pace.is_over_after(steps) { Err(Failure::TooMuch) } else { Ok(()) }
    }

    /// Evaluates the checks that are due at this level. One that fails is moved to the front, since it is
    /// likely to fail again.
    fn check(&mut self, level: usize) -> Result<(), Failure> {
        for i in 0..self.due[level].len() {
            let index = self.due[level][i];
            self.spend(self.checks[index].code.len() as u64 + 4)?;
            let check = &self.checks[index];
            self.operands.clear();
            self.operands.extend(check.positions.iter().map(|&position| self.input[position as usize]));
            let mut out = [0];
            check.code.run(&self.operands, self.scratch, &mut out);
            if out != [1] {
                self.due[level][..=i].rotate_right(1);
                return Err(Failure::Conflict(self.conflict_bits[index]));
            }
        }
        Ok(())
    }
}

/// Reason for having no values for the bytes from some level on.
enum Failure {
    /// There are none as long as these bytes of the order, as bits, keep their values.
    Conflict(u128),
    /// The allowed work or time is used up.
    TooMuch,
}

/// Returns the bytes with more than one value in the order of assignment: those of the last check (the
/// target) first, then always one that shares a check with those before; among several the one with the
/// fewest values, and then the one that is last in the query. The last byte assigned changes first: of a
/// little-endian number that is its lowest byte. `None` if there are too many: the time grows with their
/// square.
fn order(checks: &[Check], sets: &[ByteSet]) -> Option<Vec<u32>> {
    let mut reached = vec![false; sets.len()];
    let mut is_checked = vec![false; sets.len()];
    let positions = checks.iter().flat_map(|check| &check.positions);
    positions.for_each(|&position| is_checked[position as usize] = true);
    let mut waiting: Vec<u32> = (0..sets.len() as u32).collect();
    waiting.retain(|&byte| is_checked[byte as usize] && sets[byte as usize].len() > 1);
    if waiting.len() > MAX_BYTES {
        return None;
    }
    let mut reach =
        |check: &Check| check.positions.iter().for_each(|&position| reached[position as usize] = true);
    checks.last().map(&mut reach);
    let mut order = Vec::new();
    while let Some(next) = (0..waiting.len()).min_by_key(|&i| {
        (!reached[waiting[i] as usize], sets[waiting[i] as usize].len(), Reverse(waiting[i]))
    }) {
        let byte = waiting.swap_remove(next);
        let sharing = checks.iter().filter(|check| check.positions.contains(&byte));
        sharing.flat_map(|check| &check.positions).for_each(|&position| reached[position as usize] = true);
        order.push(byte);
    }
    Some(order)
}
