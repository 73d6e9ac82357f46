//! Learning on objectives whose best weights are known, with noise.

use cairn_learn::{Job, Learnt, Measured, Objective, Phase, Size, Stage, Stopped, Weights, fast, published};
use oorandom::Rand64;
use std::collections::HashMap;

const FEATURES: usize = 40;

/// Synthetic coverage that some features determine: more for the right sign, plus noise.
struct Synthetic {
    noise: f64,
    executions: u64,
    /// Number of jobs after which it stops.
    patience: usize,
    known: HashMap<(Vec<u64>, u64, u64), f64>,
}

impl Synthetic {
    fn new(noise: f64) -> Synthetic {
        Synthetic { noise, executions: 0, patience: usize::MAX, known: HashMap::new() }
    }

    /// Returns the value of weights: features 0, 3, 6, 9 should be high, 1, 4, 7, 10 low, the others do not
    /// matter.
    fn value(weights: &[f64]) -> f64 {
        let agrees = |i: usize| if i.is_multiple_of(3) { weights[i] / 10.0 } else { -weights[i] / 10.0 };
        let relevant = (0..12).filter(|i| i % 3 < 2);
        // Good weights are rare and stand out.
        1_000.0 * relevant.map(|i| agrees(i) * 0.5).sum::<f64>().exp()
    }

    fn measure_one(&mut self, job: &Job) -> Measured {
        let bits: Vec<u64> = job.weights.iter().map(|w| w.to_bits()).collect();
        let mixed = bits
            .iter()
            .fold(job.seed, |hash, bits| (hash ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
        let mut rng = Rand64::new(mixed.into());
        let luck = (0..12).map(|_| rng.rand_float()).sum::<f64>() - 6.0;
        // Longer campaigns cover more, and have less noise.
        let length = job.executions as f64;
        let share = length / (length + 300.0);
        Synthetic::value(&job.weights) * share * (1.0 + luck * self.noise * (4_000.0 / length).powf(0.25))
    }
}

impl Objective for Synthetic {
    fn measure(&mut self, _: Stage, jobs: &[Job]) -> Result<Vec<Measured>, Stopped> {
        let mut scores = Vec::new();
        for job in jobs {
            let key = (job.weights.iter().map(|w| w.to_bits()).collect(), job.seed, job.executions);
            if let Some(score) = self.known.get(&key) {
                scores.push(*score);
                continue;
            }
            self.patience = self.patience.checked_sub(1).ok_or(Stopped)?;
            self.executions += job.executions;
            let score = self.measure_one(job);
            self.known.insert(key, score);
            scores.push(score);
        }
        Ok(scores)
    }
}

fn small(seed: u64) -> Size {
    Size { samples: 200, trials: 5, rounds: 10, seed, ..Size::PUBLISHED }
}

fn best(learnt: &Learnt) -> &Weights {
    &learnt.best.as_ref().expect("it was not stopped").weights
}

/// Returns the number of relevant features with the right sign.
fn right_signs(weights: &[f64]) -> usize {
    (0..12).filter(|i| i % 3 < 2 && (weights[*i] > 0.0) == (i % 3 == 0)).count()
}

#[test]
fn rounds_narrow_the_weights_that_matter() {
    for seed in 0..5 {
        let learnt = published(FEATURES, small(seed), &mut Synthetic::new(0.05));
        assert!(right_signs(best(&learnt)) >= 7, "published, seed {seed}: {:?}", best(&learnt));
        assert!(learnt.rounds > 1 && !learnt.stopped, "seed {seed}: {} rounds", learnt.rounds);
        let learnt = fast(FEATURES, small(seed), &[], &mut Synthetic::new(0.05));
        assert!(right_signs(best(&learnt)) >= 7, "fast, seed {seed}: {:?}", best(&learnt));
    }
}

#[test]
fn halving_and_racing_find_the_winner_of_the_whole_loop_with_a_fraction_of_the_runs() {
    let (mut same, mut whole, mut halved) = (0, 0, 0);
    for seed in 0..100 {
        let (mut all, mut few) = (Synthetic::new(0.03), Synthetic::new(0.03));
        let size = Size { rounds: 1, seed, ..Size::PUBLISHED };
        let (full, quick) = (published(FEATURES, size, &mut all), fast(FEATURES, size, &[], &mut few));
        same += usize::from(best(&full) == best(&quick));
        whole += all.executions;
        halved += few.executions;
    }
    assert!(same >= 90, "{same} of 100 have the same winner");
    let share = halved as f64 / whole as f64;
    assert!(share <= 0.15, "{share:.3} of the executions");
}

#[test]
fn known_weights_are_a_head_start() {
    let good: Weights = (0..FEATURES).map(|i| [6.0, -6.0, 0.0][i % 3]).collect();
    let few = Size { samples: 20, top: 4, rounds: 1, ..small(1) };
    let cold = fast(FEATURES, few, &[], &mut Synthetic::new(0.05));
    let warm = fast(FEATURES, few, std::slice::from_ref(&good), &mut Synthetic::new(0.05));
    let value = |learnt: &Learnt| Synthetic::value(best(learnt));
    assert!(value(&warm) >= Synthetic::value(&good) * 0.95, "{} is below what was known", value(&warm));
    assert!(value(&warm) > value(&cold), "{} against {}", value(&warm), value(&cold));
}

#[test]
fn the_result_depends_on_the_seed_alone() {
    let learn = |seed| fast(FEATURES, small(seed), &[], &mut Synthetic::new(0.05));
    assert_eq!(learn(3), learn(3));
    assert_ne!(best(&learn(3)), best(&learn(4)));
    let learn = |seed| published(FEATURES, small(seed), &mut Synthetic::new(0.05));
    assert_eq!(learn(3), learn(3));
}

/// Has one sample that covers nothing in short campaigns and most in whole ones.
struct LateBloomer(Synthetic, Weights);

impl Objective for LateBloomer {
    fn measure(&mut self, stage: Stage, jobs: &[Job]) -> Result<Vec<Measured>, Stopped> {
        let scores = self.0.measure(stage, jobs)?;
        let whole = Size::PUBLISHED.executions;
        let bloom = |(job, score): (&Job, f64)| match job.weights == self.1 {
            true if job.executions < whole => 0.0,
            true => score * 100.0,
            false => score,
        };
        Ok(jobs.iter().zip(scores).map(bloom).collect())
    }
}

#[test]
fn known_weights_that_start_slowly_are_not_lost() {
    let known: Vec<Weights> = [0.0, 1.0, -1.0].map(|weight| vec![weight; FEATURES].into()).into();
    let late = known[2].clone();
    let mut objective = LateBloomer(Synthetic::new(0.05), late.clone());
    let learnt = fast(FEATURES, small(4), &known, &mut objective);
    assert_eq!(best(&learnt), &late);
}

/// Has time for so many samples, and for so many measurements in total.
struct Hurried(Synthetic, usize);

impl Objective for Hurried {
    fn measure(&mut self, stage: Stage, jobs: &[Job]) -> Result<Vec<Measured>, Stopped> {
        let time = if stage.phase == Phase::Find { self.1.min(jobs.len()) } else { jobs.len() };
        self.0.measure(stage, &jobs[..time])
    }
}

#[test]
fn without_time_for_all_samples_those_that_were_measured_are_checked() {
    let known: Weights = vec![0.0; FEATURES].into();
    let learn = |samples, measurements| {
        let mut hurried = Hurried(Synthetic::new(0.05), samples);
        hurried.0.patience = measurements;
        let size = Size { rounds: 1, ..small(2) };
        fast(FEATURES, size, std::slice::from_ref(&known), &mut hurried)
    };
    let whole = learn(30, usize::MAX);
    assert!(!whole.stopped && Synthetic::value(best(&whole)) > Synthetic::value(&known));
    // The race is interrupted in its third lap.
    let cut = learn(30, 30 + 10 * 2 + 5);
    assert!(cut.stopped && cut.best.as_ref().unwrap().trials == 2, "{cut:?}");
    assert!(Synthetic::value(best(&cut)) > Synthetic::value(&known));
    assert!(learn(30, 30 + 5).best.is_none(), "nothing was checked");
}

#[test]
fn a_race_stopped_early_does_not_replace_the_incumbent() {
    let size = Size { rounds: 2, ..small(2) };
    let mut first = Hurried(Synthetic::new(0.05), 30);
    let one = fast(FEATURES, Size { rounds: 1, ..size }, &[], &mut first);
    let made = first.0.known.len();
    let mut both = Hurried(Synthetic::new(0.05), 30);
    // Time for the samples of the second round and one lap of its race.
    both.0.patience = made + 30 + 11;
    let cut = fast(FEATURES, size, &[], &mut both);
    assert!(cut.stopped && cut.rounds == 2);
    assert_eq!(cut.best, one.best);
}

#[test]
fn a_resumed_learning_gives_the_same_result() {
    let whole = fast(FEATURES, small(3), &[], &mut Synthetic::new(0.05));
    let mut objective = Synthetic::new(0.05);
    let mut stops = 0;
    let learnt = loop {
        objective.patience = 137;
        let learnt = fast(FEATURES, small(3), &[], &mut objective);
        if !learnt.stopped {
            break learnt;
        }
        stops += 1;
    };
    assert!(stops > 3, "stopped {stops} times only");
    assert_eq!(learnt, whole);
}
