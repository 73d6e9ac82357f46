//! Where a variable may go.

use super::variable::Variable;
use cairn_expr::{Dag, ExprId};

/// Numbers that are worth a try anywhere.
const SPECIAL: [f64; 14] = [
    0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    -2.0,
    10.0,
    -10.0,
    100.0,
    1e6,
    -1e6,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MIN_POSITIVE,
];

/// How many of the first probes make a secant with the position itself.
pub(super) const SECANTS: usize = 4;

/// Deterministic random numbers (splitmix64).
#[derive(Default)]
pub(super) struct Random(u64);

impl Random {
    /// A number below a positive bound.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound
    }
}

/// Constants of the query, as numbers: what floats of their width mean, and integers.
pub(super) fn constants(dag: &Dag, nodes: &[ExprId]) -> Vec<f64> {
    let mut numbers = Vec::new();
    for &e in nodes {
        let Some(value) = dag.as_constant(e) else { continue };
        let width = dag.width(e);
        match width {
            32 => numbers.push(f32::from_bits(value as u32).into()),
            64 => numbers.push(f64::from_bits(value as u64)),
            _ => {}
        }
        if width > 1 {
            let unused = 128 - u32::from(width);
            numbers.push((((value << unused) as i128) >> unused) as f64);
        }
    }
    numbers.retain(|number| number.is_finite());
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers
}

/// Positions to try from a position on: near ones in numbers, special ones, and steps of all sizes.
pub(super) fn probes(variable: &Variable, from: i128, interesting: &[f64]) -> Vec<i128> {
    let x = variable.number(from);
    let near = [x + 1.0, x - 1.0, x + 0.01, x * 1.001 + 1e-3, x * 2.0, x / 2.0, -x, x * 10.0, x / 10.0];
    let special = SPECIAL.into_iter().chain(interesting.iter().flat_map(|&c| [c, -c]));
    let steps = (0..63).flat_map(|bit| [from + (1 << bit), from - (1 << bit)]);
    let numbers = near.into_iter().chain(special).filter_map(|number| variable.nearest(number));
    let mut probes: Vec<i128> = Vec::new();
    for probe in numbers.chain(steps) {
        if variable.contains(probe) && probe != from && !probes.contains(&probe) {
            probes.push(probe);
        }
    }
    probes
}

/// A position somewhere: a special number, one of the query's, or any of some size.
pub(super) fn anywhere(variable: &Variable, interesting: &[f64], random: &mut Random) -> i128 {
    let mut pick = |from: &[f64]| from[random.below(from.len() as u64) as usize];
    let number = match interesting {
        [] => pick(&SPECIAL),
        _ => [pick(&SPECIAL), pick(interesting)][random.below(2) as usize],
    };
    let fraction = random.below(1 << 20) as f64 / (1 << 19) as f64 - 1.0;
    let size = 2f64.powi(random.below(24) as i32 - 8);
    let number = match random.below(3) {
        0 => number,
        1 => number + fraction * size,
        _ => fraction * size,
    };
    variable.nearest(number).or_else(|| variable.nearest(0.0)).unwrap_or_default()
}
