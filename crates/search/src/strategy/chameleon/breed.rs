//! Creates the next pool of heuristics from the results of the last one.

use super::Heuristic;
use crate::features::Feature;
use crate::rng::Rng;
use cairn_program::BranchId;

/// Bound of the absolute value of weights.
const BOUND: f64 = 10.0;
/// Percentage of a pool that counts as the best, and as the worst.
const PERCENT: usize = 3;
/// Minimum number of best and of worst heuristics.
const MIN_COUNT: usize = 3;
/// Offspring of each of the best.
const OFFSPRING: usize = 10;
/// Offspring per random heuristic: four of five exploit what is known.
const PER_RANDOM: usize = 4;
/// Minimum and maximum standard deviation of offspring around their parent.
const MIN_DEVIATION: f64 = 0.5;
const MAX_DEVIATION: f64 = 5.0;

/// A heuristic with the results of its runs.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    heuristic: Heuristic,
    /// Branches that its runs decided on, a bit each.
    seen: Vec<u64>,
}

impl Trial {
    /// Creates the record of a heuristic before its runs, for a program with so many branches.
    pub fn new(heuristic: Heuristic, branches: usize) -> Trial {
        Trial { heuristic, seen: vec![0; branches.div_ceil(64)] }
    }

    /// Records a branch that one of its runs took.
    pub fn record(&mut self, branch: BranchId) {
        self.seen[branch.0 as usize / 64] |= 1 << (branch.0 % 64);
    }

    fn branches(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = |(word, at): (&u64, usize)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at + bit)
        };
        self.seen.iter().zip((0..).step_by(64)).flat_map(bits)
    }
}

/// Creates a random heuristic.
pub(super) fn random(rng: &mut Rng) -> Heuristic {
    std::array::from_fn(|_| (2.0 * rng.unit() - 1.0) * BOUND)
}

/// Creates the next pool: the best of this one, their offspring and some random ones, in random order.
pub(super) fn breed(tried: &[Trial], rng: &mut Rng) -> Vec<Heuristic> {
    let ranking = ranking(tried);
    let few = (tried.len() * PERCENT / 100).max(MIN_COUNT).min(tried.len());
    let chosen = |indices: &[usize]| indices.iter().map(|at| tried[*at].heuristic).collect::<Vec<_>>();
    let (best, worst) = (chosen(&ranking[..few]), chosen(&ranking[ranking.len() - few..]));
    let deviations = deviations(&best, &worst);
    let mut pool = best.clone();
    for parent in best {
        pool.extend((0..OFFSPRING).map(|_| offspring(&parent, &deviations, rng)));
    }
    pool.extend((0..few * OFFSPRING / PER_RANDOM).map(|_| random(rng)));
    rng.shuffle(&mut pool);
    pool
}

/// Returns the indices of the heuristics, the best first: those whose runs decided on branches that few
/// others reached.
fn ranking(tried: &[Trial]) -> Vec<usize> {
    let mut times = vec![0.0; tried.first().map_or(0, |trial| trial.seen.len() * 64)];
    tried.iter().flat_map(Trial::branches).for_each(|branch| times[branch] += 1.0);
    let worth: Vec<f64> =
        tried.iter().map(|trial| trial.branches().map(|branch| 1.0 / times[branch]).sum()).collect();
    let mut ranking: Vec<usize> = (0..tried.len()).collect();
    ranking.sort_by(|a, b| worth[*b].total_cmp(&worth[*a]));
    ranking
}

/// Returns the standard deviations of offspring: the smaller, the further apart the best and the worst are.
fn deviations(best: &[Heuristic], worst: &[Heuristic]) -> Heuristic {
    let mean = |all: &[Heuristic], at: usize| all.iter().map(|one| one[at]).sum::<f64>() / all.len() as f64;
    let deviation = |at| {
        let apart = (mean(best, at) - mean(worst, at)).abs() / (2.0 * BOUND);
        (MAX_DEVIATION * (1.0 - apart)).max(MIN_DEVIATION)
    };
    std::array::from_fn::<f64, { Feature::COUNT }, _>(deviation)
}

fn offspring(parent: &Heuristic, deviations: &Heuristic, rng: &mut Rng) -> Heuristic {
    std::array::from_fn(|at| rng.truncated_normal(parent[at], deviations[at], BOUND))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pool in which the 8th weight determines how much a heuristic sees beyond what all see.
    fn judge(pool: &[Heuristic]) -> Vec<Trial> {
        let judge = |(heuristic, at): (&Heuristic, u32)| {
            let mut trial = Trial::new(*heuristic, 20_000);
            let rare = (heuristic[7] + BOUND) as u32;
            (0..100).chain(100 * (at + 1)..100 * (at + 1) + rare).for_each(|b| trial.record(BranchId(b)));
            trial
        };
        pool.iter().zip(0..).map(judge).collect()
    }

    #[test]
    fn useful_weights_rise_and_others_stay_varied() {
        let mut rng = Rng::new(5);
        let mut pool: Vec<_> = (0..100).map(|_| random(&mut rng)).collect();
        for _ in 0..4 {
            pool = breed(&judge(&pool), &mut rng);
            assert_eq!(pool.len(), 3 + 30 + 7);
            assert!(pool.iter().flatten().all(|weight| weight.abs() <= BOUND));
        }
        let share = |at: usize| pool.iter().filter(|one| one[at] > 5.0).count() as f64 / pool.len() as f64;
        assert!(share(7) > 0.75, "{}", share(7));
        let others = (0..Feature::COUNT).filter(|at| *at != 7).map(share).sum::<f64>() / 39.0;
        assert!((0.1..0.45).contains(&others), "{others}");
    }
}
