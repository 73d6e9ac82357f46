//! What pairs of bytes say about single ones (arc consistency, A. Mackworth 1977).
//!
//! A value for which a neighbour has none is no value. That three bytes are each below the next and the last below the first
//! takes a search all values of two of them; here one value goes after the other until there is none.

use super::byteset::ByteSet;
use super::relation::Relation;
use cairn_deadline::Pace;
use rustc_hash::FxHashMap;

/// All that is known of pairs of bytes.
#[derive(Default)]
pub(super) struct Arcs<'a> {
    arcs: Vec<Arc<'a>>,
    /// By place among the bytes of the query: arcs that end there.
    of: Vec<Vec<usize>>,
    numbers: FxHashMap<[usize; 2], usize>,
}

/// All that is known of two bytes together.
struct Arc<'a> {
    places: [usize; 2],
    relations: Vec<&'a Relation>,
}

impl<'a> Arcs<'a> {
    /// Adds what holds for two bytes.
    pub(super) fn add(&mut self, places: [usize; 2], relation: &'a Relation) {
        let number = *self.numbers.entry(places).or_insert(self.arcs.len());
        if number == self.arcs.len() {
            self.arcs.push(Arc { places, relations: Vec::new() });
            self.of.resize(self.of.len().max(places[1] + 1), Vec::new());
            places.iter().for_each(|place| self.of[*place].push(number));
        }
        self.arcs[number].relations.push(relation);
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.arcs.is_empty()
    }

    /// Takes values out of the sets as long as there are some without a partner; false if a byte has none left, and none if
    /// the time is over.
    pub(super) fn tidy(&self, sets: &mut [ByteSet], pace: &mut Pace) -> Option<bool> {
        self.spread((0..self.arcs.len()).collect(), sets, pace).map(|(_, fits)| fits)
    }

    /// The same after the values of one byte have become fewer. Tells as well how often two bytes were looked at.
    pub(super) fn tidy_after(
        &self,
        place: usize,
        sets: &mut [ByteSet],
        pace: &mut Pace,
    ) -> Option<(u64, bool)> {
        self.spread(self.of.get(place).cloned().unwrap_or_default(), sets, pace)
    }

    fn spread(&self, mut waiting: Vec<usize>, sets: &mut [ByteSet], pace: &mut Pace) -> Option<(u64, bool)> {
        let mut is_waiting = vec![false; self.arcs.len()];
        waiting.iter().for_each(|arc| is_waiting[*arc] = true);
        let mut looks = 0;
        while let Some(number) = waiting.pop() {
            is_waiting[number] = false;
            looks += 1;
            if pace.is_over_after(1) {
                return None;
            }
            let arc = &self.arcs[number];
            for (place, is_smaller) in arc.places.into_iter().zip(arc.revise(sets)) {
                if sets[place].is_empty() {
                    return Some((looks, false));
                }
                let others = self.of[place].iter().filter(|other| is_smaller && **other != number);
                for &other in others {
                    if !std::mem::replace(&mut is_waiting[other], true) {
                        waiting.push(other);
                    }
                }
            }
        }
        Some((looks, true))
    }
}

impl Arc<'_> {
    /// Takes out what has no partner; tells which of the two sets have become smaller.
    fn revise(&self, sets: &mut [ByteSet]) -> [bool; 2] {
        let [a, b] = self.places;
        let seconds = |value| self.partners(&sets[b], |relation| relation.seconds(value));
        let first: ByteSet = sets[a].values().filter(|value| seconds(*value)).collect();
        let firsts = |value| self.partners(&first, |relation| relation.firsts(value));
        let second: ByteSet = sets[b].values().filter(|value| firsts(*value)).collect();
        [std::mem::replace(&mut sets[a], first) != first, std::mem::replace(&mut sets[b], second) != second]
    }

    /// Whether something of a set goes together with a value in all relations.
    fn partners<'r>(&'r self, set: &ByteSet, of: impl Fn(&'r Relation) -> &'r ByteSet) -> bool {
        !self.relations.iter().fold(*set, |left, relation| left.and(of(relation))).is_empty()
    }
}
