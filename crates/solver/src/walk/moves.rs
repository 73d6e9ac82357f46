//! Candidate positions of a variable.

use super::variable::Variable;
use cairn_expr::semantics::signed;
use cairn_expr::{Dag, ExprId};
use fastrand::Rng;
use rustc_hash::FxHashSet;

/// Numbers tried for every variable.
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

/// Number of first probes that start a secant iteration; a chosen bound.
pub(super) const SECANTS: usize = 4;

/// Returns the constants of a query as numbers, each both as a float and as an integer.
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
            numbers.push(signed(width, value) as f64);
        }
    }
    numbers.retain(|number| number.is_finite());
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers
}

/// Returns positions to try from a position: near numbers, special numbers, and steps of all sizes; for a
/// byte all.
pub(super) fn probes(variable: &Variable, from: i128, interesting: &[f64]) -> Vec<i128> {
    if variable.width() == 8 {
        return (0..256).filter(|&position| position != from).collect();
    }
    let x = variable.number(from);
    let near = [x + 1.0, x - 1.0, x + 0.01, x * 1.001 + 1e-3, x * 2.0, x / 2.0, -x, x * 10.0, x / 10.0];
    let special = SPECIAL.into_iter().chain(interesting.iter().flat_map(|&c| [c, -c]));
    let steps = (0..variable.width() - 1).flat_map(|bit| [from + (1 << bit), from - (1 << bit)]);
    let numbers = near.into_iter().chain(special).filter_map(|number| variable.nearest(number));
    let mut seen = FxHashSet::default();
    seen.insert(from);
    numbers.chain(steps).filter(|probe| variable.contains(*probe) && seen.insert(*probe)).collect()
}

/// Returns a random position: at or near a special number or a constant of the query, or of a random size.
pub(super) fn anywhere(variable: &Variable, interesting: &[f64], random: &mut Rng) -> i128 {
    let number = match interesting {
        [] => SPECIAL[random.usize(..SPECIAL.len())],
        _ if random.bool() => SPECIAL[random.usize(..SPECIAL.len())],
        _ => interesting[random.usize(..interesting.len())],
    };
    let fraction = 2.0 * random.f64() - 1.0;
    let size = 2f64.powi(random.i32(-8..16));
    let number = match random.u8(..3) {
        0 => number,
        1 => number + fraction * size,
        _ => fraction * size,
    };
    variable.nearest(number).or_else(|| variable.nearest(0.0)).unwrap_or_default()
}
