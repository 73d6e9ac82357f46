//! The cost of choosing, by the length of paths.

use crate::simulate::{Simulation, straight_program};
use cairn_search::{Cost, Next, Outcome, Rng, RunView, Strategy, create, list};
use cairn_tree::{Flip, Tree};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// A strategy that measures its own time.
struct Timed {
    strategy: Box<dyn Strategy>,
    seconds: f64,
}

/// Returns the processor time of this thread: other threads may be running.
fn now() -> f64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ThreadCPUTime);
    tv_sec as f64 + tv_nsec as f64 * 1e-9
}

impl Timed {
    fn time<T>(&mut self, act: impl FnOnce(&mut dyn Strategy) -> T) -> T {
        let started = now();
        let result = act(&mut *self.strategy);
        self.seconds += now() - started;
        result
    }
}

impl Strategy for Timed {
    fn on_run(&mut self, run: &RunView) {
        self.time(|strategy| strategy.on_run(run));
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.time(|strategy| strategy.next(tree, rng))
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        self.time(|strategy| strategy.on_outcome(flip, outcome, cost));
    }

    fn describe(&self) -> String {
        self.strategy.describe()
    }
}

/// Returns microseconds per run.
fn measure(spec: &str, branches: usize, runs: usize) -> f64 {
    let mut simulation = Simulation::new(straight_program(branches), branches);
    let strategy = create(spec, &simulation.program).unwrap();
    let mut timed = Timed { strategy, seconds: 0.0 };
    simulation.run(vec![false; branches], None, &mut timed);
    simulation.drive(&mut timed, &mut Rng::new(1), runs);
    timed.seconds * 1e6 / simulation.inputs.len() as f64
}

#[test]
#[ignore = "a measurement"]
fn choosing() {
    println!("| strategy | 1,000 branches | 10,000 | 100,000 |\n|---|---|---|---|");
    let plain = list().iter().map(|info| info.name);
    let plain = plain.filter(|name| !["interleave", "random-input", "homi", "randomprune"].contains(name));
    for name in plain.chain(["homi:random-state"]) {
        let [short, middle, long] = [1_000, 10_000, 100_000].map(|branches| measure(name, branches, 100));
        println!("| `{name}` | {short:.1} | {middle:.0} | {long:.0} |");
    }
}
