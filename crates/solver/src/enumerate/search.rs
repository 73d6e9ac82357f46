//! Backtracking search over the domains, byte after byte.
//!
//! A constraint is evaluated as soon as its last byte has a value, so that most of the product is never
//! visited. The target's bytes come first, and the seed's value is the first of each byte: what the target
//! does not change is right at once. When all values of a byte fail, the search returns to the last byte that
//! the failed constraints depend on and skips the bytes in between (conflict-directed backjumping, P. Prosser
//! 1993): a target that cannot hold for the few values of its own bytes is given up after those, however many
//! other bytes there are. Where relations are known ([`Arcs`]), every assignment restores arc consistency
//! (MAC, Sabin and Freuder 1994).
//!
//! A search that goes on for long is staged: all constraints are one tape, whose steps run as their bytes are
//! assigned, the bytes in the order in which the tape consumes them, and states that failed are not tried
//! again ([`FailedStates`]).

use super::arcs::Arcs;
use super::byteset::ByteSet;
use super::failed_states::FailedStates;
use crate::tape::{Scratch, StagedTape, Tape, chain_lengths};
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
    evaluation: Evaluation<'a>,
    arcs: Arcs<'a>,
    /// Per byte of the order, as far as the search has come: the domains of all bytes after the assignments
    /// before it. Empty without arcs.
    domains: Vec<Vec<ByteSet>>,
    /// Per check: its bytes, as bits by position in the order.
    conflict_bits: Vec<u128>,
    input: Vec<u8>,
    /// Steps left.
    work: u64,
    pace: Pace,
}

/// Ways of evaluating the checks of a search.
enum Evaluation<'a> {
    /// Each check by itself, when its last byte is assigned.
    Separate {
        /// Per byte of the order, after one entry for no byte: checks that have it as their last byte.
        due: Vec<Vec<usize>>,
        scratch: &'a mut Scratch,
        operands: Vec<u8>,
    },
    /// The checks together, as one tape.
    Staged {
        tape: StagedTape,
        registers: Vec<u64>,
        failed: FailedStates,
        /// Per level: the bytes before it that checks from there on depend on, as bits by position in the order.
        causes: Vec<u128>,
    },
}

impl<'a> DomainSearch<'a> {
    /// Returns a search for values that pass all checks, the target's last; `None` if there are too many
    /// bytes. `whole` has the code of all checks, if the search is to be staged; `input` has the seed's
    /// values, or others where the domains exclude these.
    pub(super) fn new(
        checks: Vec<Check<'a>>,
        whole: Option<Tape>,
        arcs: Arcs<'a>,
        sets: &[ByteSet],
        input: Vec<u8>,
        scratch: &'a mut Scratch,
    ) -> Option<DomainSearch<'a>> {
        let lengths = whole.as_ref().map(|tape| chain_lengths(tape, sets.len()));
        let order = order(&checks, sets, lengths.as_deref())?;
        let mut bits = vec![0u128; sets.len()];
        (0..).zip(&order).for_each(|(i, &byte)| bits[byte as usize] = 1 << i);
        let bits_of =
            |check: &Check| check.positions.iter().fold(0, |all, &position| all | bits[position as usize]);
        let conflict_bits: Vec<u128> = checks.iter().map(bits_of).collect();
        let staged = whole.and_then(|tape| StagedTape::new(tape, sets.len(), &order));
        let evaluation = match staged {
            Some(tape) => Evaluation::staged(tape, &conflict_bits, order.len()),
            None => Evaluation::separate(&checks, &conflict_bits, order.len(), scratch),
        };
        let domains = if arcs.is_empty() { Vec::new() } else { vec![sets.to_vec()] };
        let values =
            order.iter().map(|&byte| sets[byte as usize].nearest_first(input[byte as usize]).collect());
        let values = values.collect();
        let pace = Pace::new(&Deadline::never(), STEPS_PER_CLOCK);
        Some(DomainSearch {
            checks,
            order,
            values,
            evaluation,
            arcs,
            domains,
            conflict_bits,
            input,
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

    /// Assigns the bytes of the order from `level` on, unless that has failed from the same state. Recursive
    /// as deep as there are bytes.
    fn descend(&mut self, level: usize) -> Result<(), Failure> {
        if let Evaluation::Staged { tape, registers, failed, causes } = &self.evaluation
            && failed.knows_any(level)
            && let Some(state) = tape.interface(level, &self.input, registers)
            && failed.contains(level, &state)
        {
            return Err(Failure::Conflict(causes[level]));
        }
        let before = self.work;
        let result = self.assign(level);
        if let Err(Failure::Conflict(_)) = result
            && let Evaluation::Staged { tape, registers, failed, .. } = &mut self.evaluation
            && failed.is_worth(before - self.work)
            && let Some(state) = tape.interface(level, &self.input, registers)
        {
            failed.insert(level, state);
        }
        result
    }

    /// Tries all values of a byte, with the bytes after it.
    fn assign(&mut self, level: usize) -> Result<(), Failure> {
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
        let (steps, failed) = self.evaluation.run(&self.checks, level, &self.input);
        self.spend(steps)?;
        failed.map_or(Ok(()), |check| Err(Failure::Conflict(self.conflict_bits[check])))
    }
}

impl<'a> Evaluation<'a> {
    fn separate(
        checks: &[Check],
        conflict_bits: &[u128],
        levels: usize,
        scratch: &'a mut Scratch,
    ) -> Evaluation<'a> {
        let mut due = vec![Vec::new(); levels + 1];
        for (i, bits) in conflict_bits.iter().enumerate().filter(|(i, _)| !checks[*i].is_related) {
            due[MAX_BYTES - bits.leading_zeros() as usize].push(i);
        }
        Evaluation::Separate { due, scratch, operands: Vec::new() }
    }

    fn staged(tape: StagedTape, conflict_bits: &[u128], levels: usize) -> Evaluation<'a> {
        let cause = |level: usize| {
            let before = u128::MAX.checked_shl(level as u32).map_or(u128::MAX, |after| !after);
            conflict_bits.iter().filter(|bits| *bits & !before != 0).fold(0, |all, bits| all | bits & before)
        };
        let causes = (0..=levels).map(cause).collect();
        Evaluation::Staged { registers: tape.registers(), tape, failed: FailedStates::default(), causes }
    }

    /// Evaluates the checks that are due at a level, until one fails; returns the steps taken, and that one.
    fn run(&mut self, checks: &[Check], level: usize, input: &[u8]) -> (u64, Option<usize>) {
        /// Steps for setting a check up.
        const CALL: u64 = 4;
        match self {
            Evaluation::Staged { tape, registers, .. } => {
                let failed = tape.run(level, input, registers);
                (tape.steps(level) as u64 + CALL, failed)
            }
            Evaluation::Separate { due, scratch, operands } => {
                let mut steps = 0;
                for i in 0..due[level].len() {
                    let index = due[level][i];
                    let Check { code, positions, .. } = &checks[index];
                    steps += code.len() as u64 + CALL;
                    operands.clear();
                    operands.extend(positions.iter().map(|&position| input[position as usize]));
                    let mut out = [0];
                    code.run(operands, scratch, &mut out);
                    if out != [1] {
                        due[level][..=i].rotate_right(1);
                        return (steps, Some(index));
                    }
                }
                (steps, None)
            }
        }
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
/// longest chain of steps, if `lengths` has these, the one with the fewest values, and then the one that is
/// last in the query. The last byte assigned changes first: of a little-endian number that is its lowest byte.
/// `None` if there are too many: the time grows with their square.
fn order(checks: &[Check], sets: &[ByteSet], lengths: Option<&[u32]>) -> Option<Vec<u32>> {
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
    let length = |byte: usize| lengths.map_or(0, |lengths| lengths[byte]);
    while let Some(next) = (0..waiting.len()).min_by_key(|&i| {
        let byte = waiting[i] as usize;
        (!reached[byte], Reverse(length(byte)), sets[byte].len(), Reverse(byte))
    }) {
        let byte = waiting.swap_remove(next);
        let sharing = checks.iter().filter(|check| check.positions.contains(&byte));
        sharing.flat_map(|check| &check.positions).for_each(|&position| reached[position as usize] = true);
        order.push(byte);
    }
    Some(order)
}
