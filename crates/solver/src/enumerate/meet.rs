//! Meeting in the middle: inverts hashes by half of their bytes from each side.
//!
//! An equality of a hash with a constant has no structure that narrowing or failed states could use, but most hashes
//! can be computed backwards ([`Chain`]): from the constant and the last bytes follows the state in the middle,
//! as it does from the first bytes forwards. States of the one side are tabulated, and those of the other looked up
//! (Diffie and Hellman, "Exhaustive Cryptanalysis of the NBS Data Encryption Standard", Computer 1977). Four bytes
//! cost two times 2^16 evaluations instead of 2^32. Where a side has too many values for that, as many of each are
//! drawn as meet by chance: for a hash of 32 bits some 2^17.
//!
//! FNV-1a of 8 printable bytes takes some 10 ms in this way, and the search of CaDiCaL 6 s.

use super::chain::{Chain, Inner, low};
use super::facts::Facts;
use super::{Domains, Outcome};
use crate::tape::{Scratch, Tape};
use cairn_deadline::{Deadline, Pace};
use cairn_expr::{Dag, ExprId, InputByte};
use rustc_hash::{FxHashMap, FxHashSet};

/// States that are tabulated: some 32 MiB.
const MAX_STATES: u64 = 1 << 20;
/// Cost of an entry of the table, written or looked up, in steps: a cache miss.
const STEPS_PER_STATE: u64 = 20;
/// Bytes of an equality from which on it is worth inverting: fewer are searched.
const MIN_BYTES: usize = 3;
/// Steps between two looks at the clock.
const STEPS_PER_CLOCK: u64 = 1_000_000;
/// Cuts that are compared on either side of the one where both sides have as many values: those nearest to it may
/// lie within the work on one byte, where the sides share it. A chosen bound.
const NEAR_CUTS: usize = 8;
/// Bits of a state from which on it is worth inverting: others are hit by chance.
const MIN_BITS: u8 = 16;
/// Pairs that are checked against the other constraints in one attempt; a chosen bound.
const MAX_MET: u32 = 64;
/// Pairs of states per value of a state, if pairs are drawn: one is to be expected, and of six draws one has none.
const PAIRS_PER_VALUE: f64 = 2.0;

/// Bytes whose values are tried or drawn.
struct Side {
    /// Their positions among those of the query.
    positions: Vec<usize>,
    values: Vec<Vec<u8>>,
    /// Number of all their values.
    all: f64,
}

impl Side {
    fn new(domains: &Domains, bytes: impl Iterator<Item = InputByte>) -> Side {
        let positions: Vec<usize> = bytes.map(|byte| domains.position(&byte)).collect();
        let values: Vec<Vec<u8>> = positions.iter().map(|&i| domains.sets[i].values().collect()).collect();
        let all = values.iter().map(|values| values.len() as f64).product();
        Side { positions, values, all }
    }

    /// Writes the values with this number, out of `count` numbers: each once if these are all, drawn ones otherwise.
    fn write(&self, number: u64, count: u64, bytes: &mut [u8]) {
        let mut rng = fastrand::Rng::with_seed(number);
        let (is_all, mut rest) = (count as f64 >= self.all, number as usize);
        for (byte, values) in bytes.iter_mut().zip(&self.values) {
            *byte = values[if is_all { rest % values.len() } else { rng.usize(..values.len()) }];
            rest /= values.len();
        }
    }
}

/// An equality of the query, cut in two.
struct Halves {
    chain: Chain,
    inner: Inner,
    /// Bytes that the inner expression reads, and those of the operands outside of it.
    inside: Side,
    outside: Side,
    /// Code of the inner expression, and of the operands.
    forwards: Tape,
    backwards: Tape,
}

/// Looks for values that satisfy one equality of the query, and all else with it: `holds` checks the values of all
/// bytes. Returns None if no equality can be inverted within these steps, otherwise the outcome and the steps taken.
pub(super) fn decide(
    dag: &Dag,
    domains: &Domains,
    facts: &mut Facts,
    input: &[u8],
    steps: u64,
    deadline: &Deadline,
    holds: impl FnMut(&[u8]) -> bool,
) -> Option<(Outcome, u64)> {
    let candidates = domains.open.iter().filter(|&&e| dag.inputs(e).len() >= MIN_BYTES);
    let chains = candidates.filter_map(|&e| Some((dag.inputs(e).len(), Chain::of(dag, e)?)));
    let (_, longest) = chains.max_by_key(|(bytes, _)| *bytes)?;
    Halves::of(dag, domains, facts, longest)?.search(input, steps, deadline, holds)
}

impl Halves {
    /// Cuts a chain where both sides have about as many values. Further in, the inside has fewer and the outside
    /// more, so the place is found by bisection: a chain may be as long as the input.
    fn of(dag: &Dag, domains: &Domains, facts: &mut Facts, chain: Chain) -> Option<Halves> {
        let sides = |inner: &Inner| {
            let outside = bytes_of(dag, &chain.operands[..inner.operands]);
            let inside = dag.inputs(inner.expression).iter().copied();
            [Side::new(domains, inside), Side::new(domains, outside.into_iter())]
        };
        let cut = |inner: &Inner| {
            let sides = sides(inner);
            let inside: FxHashSet<usize> = sides[0].positions.iter().copied().collect();
            let is_apart = sides[1].positions.iter().all(|position| !inside.contains(position));
            (inner.bits >= MIN_BITS && sides.iter().all(|side| !side.positions.is_empty()) && is_apart)
                .then_some((*inner, sides))
        };
        let even = chain.inner.partition_point(|inner| {
            let [inside, outside] = sides(inner);
            outside.all < inside.all
        });
        let near = even.saturating_sub(NEAR_CUTS)..(even + NEAR_CUTS).min(chain.inner.len());
        let fewest = |sides: &[Side; 2]| sides[0].all.min(sides[1].all);
        let cuts = chain.inner[near].iter().filter_map(cut);
        let (inner, [inside, outside]) = cuts.max_by(|(_, a), (_, b)| fewest(a).total_cmp(&fewest(b)))?;
        let forwards = facts.code_of_all(dag, &[inner.expression], dag.inputs(inner.expression))?;
        let operands = &chain.operands[..inner.operands];
        let backwards = facts.code_of_all(dag, operands, &bytes_of(dag, operands))?;
        Some(Halves { chain, inner, inside, outside, forwards, backwards })
    }

    /// Returns the numbers of values to try of both sides, if that many are worth trying.
    fn counts(&self, steps: u64) -> Option<[u64; 2]> {
        let half = steps / 2;
        let inside = self.inside.all.min((half / self.cost(&self.forwards)).min(MAX_STATES) as f64);
        let outside = self.outside.all.min((half / self.cost(&self.backwards)) as f64);
        let is_all = inside == self.inside.all && outside == self.outside.all;
        let may_meet = inside * outside >= PAIRS_PER_VALUE * f64::from(self.inner.bits).exp2();
        (is_all || may_meet).then_some([inside as u64, outside as u64])
    }

    fn cost(&self, code: &Tape) -> u64 {
        code.len() as u64 + self.chain.inner.len() as u64 + STEPS_PER_STATE
    }

    /// Tabulates the states of one side and looks up those of the other.
    fn search(
        &self,
        input: &[u8],
        steps: u64,
        deadline: &Deadline,
        mut holds: impl FnMut(&[u8]) -> bool,
    ) -> Option<(Outcome, u64)> {
        let [inside, outside] = self.counts(steps)?;
        let mut pace = Pace::new(deadline, STEPS_PER_CLOCK);
        let (mut scratch, mut state) = (Scratch::default(), [0]);
        let mut bytes = vec![0; self.inside.positions.len()];
        let mut table: FxHashMap<u64, u32> = FxHashMap::default();
        let mut spent = 0;
        for number in 0..inside {
            self.inside.write(number, inside, &mut bytes);
            self.forwards.run(&bytes, &mut scratch, &mut state);
            table.insert(state[0] as u64 & low(self.inner.bits), number as u32);
            spent += self.cost(&self.forwards);
            if pace.is_over_after(self.cost(&self.forwards)) {
                return Some((Outcome::TooMuch, spent));
            }
        }
        let mut operands = vec![0; self.inner.operands];
        let mut found = input.to_vec();
        let (mut rest, mut met) = (vec![0; self.outside.positions.len()], 0);
        for number in 0..outside {
            self.outside.write(number, outside, &mut rest);
            self.backwards.run(&rest, &mut scratch, &mut operands);
            spent += self.cost(&self.backwards);
            let state = self.chain.invert(&self.inner, &operands);
            if let Some(&number) = state.and_then(|state| table.get(&state)) {
                met += 1;
                self.inside.write(number.into(), inside, &mut bytes);
                place(&self.inside, &bytes, &mut found);
                place(&self.outside, &rest, &mut found);
                if holds(&found) {
                    return Some((Outcome::Found(found), spent));
                }
            }
            if met == MAX_MET || pace.is_over_after(self.cost(&self.backwards)) {
                return Some((Outcome::TooMuch, spent));
            }
        }
        // Each state was tried with one of the inputs that lead to it.
        let is_all = inside as f64 >= self.inside.all && outside as f64 >= self.outside.all;
        let is_proof = is_all && met == 0;
        Some((if is_proof { Outcome::Nothing } else { Outcome::TooMuch }, spent))
    }
}

/// Returns the bytes that any of these expressions reads, sorted.
fn bytes_of(dag: &Dag, expressions: &[ExprId]) -> Vec<InputByte> {
    let mut bytes: Vec<InputByte> = expressions.iter().flat_map(|&e| dag.inputs(e)).copied().collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes
}

fn place(side: &Side, bytes: &[u8], input: &mut [u8]) {
    side.positions.iter().zip(bytes).for_each(|(&position, &byte)| input[position] = byte);
}
