//! Arc consistency (AC-3, A. Mackworth 1977): removes values of a byte that no value of another byte
//! supports.
//!
//! For three bytes each below the next and the last below the first, a search tries all values of two of
//! them; here the domains shrink by one value after the other until they are empty.

use super::byteset::ByteSet;
use super::relation::Relation;
use cairn_deadline::Pace;
use rustc_hash::FxHashMap;

/// The relations between pairs of bytes of a query.
#[derive(Default)]
pub(super) struct Arcs<'a> {
    arcs: Vec<Arc<'a>>,
    /// Per byte of the query, by index: the arcs it is part of.
    arcs_of: Vec<Vec<usize>>,
    by_pair: FxHashMap<[usize; 2], usize>,
}

/// The relations between two bytes, which are given by index.
struct Arc<'a> {
    bytes: [usize; 2],
    relations: Vec<&'a Relation>,
}

impl<'a> Arcs<'a> {
    /// Adds a relation between two bytes.
    pub(super) fn add(&mut self, bytes: [usize; 2], relation: &'a Relation) {
        let number = *self.by_pair.entry(bytes).or_insert(self.arcs.len());
        if number == self.arcs.len() {
            self.arcs.push(Arc { bytes, relations: Vec::new() });
            self.arcs_of.resize(self.arcs_of.len().max(bytes[1] + 1), Vec::new());
            bytes.iter().for_each(|byte| self.arcs_of[*byte].push(number));
        }
        self.arcs[number].relations.push(relation);
    }

    /// True if no relation was added.
    pub(super) fn is_empty(&self) -> bool {
        self.arcs.is_empty()
    }

    /// Removes values from the domains until each has a partner in every neighbour. Returns false if a domain
    /// is empty, and `None` if the time is over.
    pub(super) fn make_consistent(&self, sets: &mut [ByteSet], pace: &mut Pace) -> Option<bool> {
        self.propagate((0..self.arcs.len()).collect(), sets, pace).map(|(_, fits)| fits)
    }

    /// Does the same after the domain of one byte has shrunk; returns the number of revisions as well.
    pub(super) fn restore_consistency(
        &self,
        byte: usize,
        sets: &mut [ByteSet],
        pace: &mut Pace,
    ) -> Option<(u64, bool)> {
        self.propagate(self.arcs_of.get(byte).cloned().unwrap_or_default(), sets, pace)
    }

    /// Revises the waiting arcs, and those whose domains shrink thereby, until none is left.
    fn propagate(
        &self,
        mut waiting: Vec<usize>,
        sets: &mut [ByteSet],
        pace: &mut Pace,
    ) -> Option<(u64, bool)> {
        let mut is_waiting = vec![false; self.arcs.len()];
        waiting.iter().for_each(|arc| is_waiting[*arc] = true);
        let mut revisions = 0;
        while let Some(number) = waiting.pop() {
            is_waiting[number] = false;
            revisions += 1;
            if pace.is_over_after(1) {
                return None;
            }
            let arc = &self.arcs[number];
            for (byte, is_smaller) in arc.bytes.into_iter().zip(arc.revise(sets)) {
                if sets[byte].is_empty() {
                    return Some((revisions, false));
                }
                let others = self.arcs_of[byte].iter().filter(|other| is_smaller && **other != number);
                for &other in others {
                    if !std::mem::replace(&mut is_waiting[other], true) {
                        waiting.push(other);
                    }
                }
            }
        }
        Some((revisions, true))
    }
}

impl Arc<'_> {
    /// Removes values without a partner; returns which of the two domains have shrunk.
    fn revise(&self, sets: &mut [ByteSet]) -> [bool; 2] {
        let [a, b] = self.bytes;
        let seconds = |value| self.has_partner(&sets[b], |relation| relation.seconds(value));
        let first: ByteSet = sets[a].values().filter(|value| seconds(*value)).collect();
        let firsts = |value| self.has_partner(&first, |relation| relation.firsts(value));
        let second: ByteSet = sets[b].values().filter(|value| firsts(*value)).collect();
        [std::mem::replace(&mut sets[a], first) != first, std::mem::replace(&mut sets[b], second) != second]
    }

    /// True if all relations allow the same value of the set, where `of` gives what one relation allows.
    fn has_partner<'r>(&'r self, set: &ByteSet, of: impl Fn(&'r Relation) -> &'r ByteSet) -> bool {
        !self.relations.iter().fold(*set, |left, relation| left.and(of(relation))).is_empty()
    }
}
