//! Parametric search: features compared with their definitions, choices with scores.

use crate::simulate::{Decide, Simulation, flips, view};
use cairn_expr::{Dag, InputByte};
use cairn_program::testing::plan::{Body, Plan, build, decide, end, function, jump};
use cairn_program::{
    BranchId, ConditionFeatures, FunctionId, LoopSide, Loops, Nesting, Program, SiteId, SiteKind, Steps,
};
use cairn_search::{
    Cost, Feature, FeatureSet, Next, Obtained, Outcome, Parametric, Rng, RunView, Strategy, Weights,
};
use cairn_tree::{Flip, FlipState, NodeId, Step, StepKind, Tree};
use std::collections::{BTreeMap, BTreeSet};

fn weights(weight: impl Fn(Feature) -> f64) -> Weights {
    let values: Vec<f64> = Feature::all().map(weight).collect();
    Weights::new("test", values.try_into().unwrap(), Obtained::default())
}

/// A search whose every request is compared with the one its history implies.
struct Checked<'a> {
    search: Parametric,
    weights: Weights,
    statics: StaticProperties<'a>,
    history: History,
    requested: Option<(Flip, BranchId)>,
    /// Features that some candidate had, and those that some had not.
    seen: BTreeSet<(Feature, bool)>,
    /// Number of times an uncovered branch on another path was preferred.
    went_elsewhere: usize,
}

/// The history of the campaign.
#[derive(Default)]
struct History {
    path: Vec<(NodeId, BranchId)>,
    negated_at: Option<usize>,
    /// New branches, by run.
    new: Vec<Vec<BranchId>>,
    /// Negated branch, by run.
    negated: Vec<Option<BranchId>>,
    failed: Vec<BranchId>,
    /// Up to five branches, the attempted one first.
    tried: BTreeSet<Vec<BranchId>>,
}

fn count<T: PartialEq>(list: &[T], item: &T) -> usize {
    list.iter().filter(|one| *one == item).count()
}

impl History {
    /// Returns the branch at a position and the `k - 1` before it.
    fn context(&self, at: usize, k: usize) -> Vec<BranchId> {
        self.path[..=at].iter().rev().take(k).map(|(_, branch)| *branch).collect()
    }

    fn is_covered(&self, branch: BranchId) -> bool {
        self.new.iter().flatten().any(|covered| *covered == branch)
    }

    /// Returns the features of a position by their definitions, one after the other.
    fn features(&self, statics: &StaticProperties, at: usize, opposite: BranchId) -> FeatureSet {
        let (n, branch) = (self.path.len(), self.path[at].1);
        let mut times: BTreeMap<BranchId, usize> = BTreeMap::new();
        self.path.iter().for_each(|(_, branch)| *times.entry(*branch).or_default() += 1);
        let lately = |runs: usize| self.negated.iter().rev().take(runs).any(|one| *one == Some(branch));
        let negated = count(&self.negated, &Some(branch));
        let near = |at: usize| self.negated_at.is_some_and(|negated| at.abs_diff(negated) * 5 <= n);
        let tried = |k: usize| {
            let context = self.context(at, k);
            // A shorter one is at the path's start, and belongs to no other position.
            self.tried.iter().any(|tried| tried.iter().take(k).eq(context.iter()))
        };
        let uncovered = statics.is_goal(opposite) && !self.is_covered(opposite);
        let next = statics.steps.next(opposite);
        let poorest = statics.poorest(self);
        let promised = statics.unreached_behind(self, opposite);
        let among = |percent: usize| promised.iter().any(|function| statics.is_among(*function, percent));
        use Feature::*;
        Feature::all()
            .filter(|feature| match feature {
                FirstTenth => at * 10 < n,
                LastTenth => (n - 1 - at) * 10 < n,
                MostFrequent => Some(&times[&branch]) == times.values().max(),
                LeastFrequent => Some(&times[&branch]) == times.values().min(),
                NewlyCovered => self.new.last().unwrap().contains(&branch),
                AfterNegated => self.negated_at.is_some_and(|negated| at == negated + 1),
                NearNegated => near(at),
                Context1 => tried(1),
                Context2 => tried(2),
                Context3 => tried(3),
                Context4 => tried(4),
                Context5 => tried(5),
                Negated10 => negated > 10,
                Negated20 => negated > 20,
                Negated30 => negated > 30,
                Failed => count(&self.failed, &branch) > 10,
                OppositeFailed => count(&self.failed, &opposite) > 10,
                OppositeUncovered => uncovered,
                OppositeNextUncovered => uncovered && !next.iter().any(|next| self.is_covered(*next)),
                Lately10 => lately(10),
                Lately20 => lately(20),
                Lately30 => lately(30),
                PoorestFunction => poorest == Some(statics.function(branch)),
                Largest10 => among(10),
                Largest20 => among(20),
                Largest30 => among(30),
                Large => promised.iter().any(|function| statics.sizes[function] > 10),
                NewFunction => statics.is_new(self, statics.function(branch)),
                of_text => statics.holds(*of_text, branch),
            })
            .collect()
    }
}

/// Static properties of the program.
struct StaticProperties<'a> {
    program: &'a Program,
    steps: Steps,
    loops: Loops,
    nesting: Nesting,
    /// Branches, by function.
    sizes: BTreeMap<FunctionId, usize>,
}

impl StaticProperties<'_> {
    fn new(program: &Program) -> StaticProperties<'_> {
        let mut sizes = BTreeMap::new();
        for (_, site) in program.sites().filter(|(_, site)| site.counted) {
            *sizes.entry(site.function).or_default() += site.sides.len();
        }
        let (loops, nesting) = (Loops::new(program), Nesting::new(program));
        StaticProperties { program, steps: Steps::new(program), loops, nesting, sizes }
    }

    fn function(&self, branch: BranchId) -> FunctionId {
        self.program.site(self.program.site_of(branch).unwrap().0).function
    }

    fn is_goal(&self, branch: BranchId) -> bool {
        self.program.is_counted(branch)
    }

    fn is_among(&self, function: FunctionId, percent: usize) -> bool {
        let is_larger = |(other, size): &(&FunctionId, &usize)| {
            (**size, std::cmp::Reverse(**other)) > (self.sizes[&function], std::cmp::Reverse(function))
        };
        self.sizes.iter().filter(is_larger).count() * 100 < self.sizes.len() * percent
    }

    fn new_in(&self, history: &History, runs: std::ops::Range<usize>, function: FunctionId) -> usize {
        history.new[runs].iter().flatten().filter(|branch| self.function(**branch) == function).count()
    }

    fn unreached_behind(&self, history: &History, branch: BranchId) -> Vec<FunctionId> {
        let next = self.steps.next(branch).iter().flat_map(|next| self.steps.calls(*next));
        let called = self.steps.calls(branch).iter().chain(next).copied();
        let runs = history.new.len();
        called.filter(|f| self.sizes.contains_key(f) && self.new_in(history, 0..runs, *f) == 0).collect()
    }

    fn poorest(&self, history: &History) -> Option<FunctionId> {
        let covered = |function| self.new_in(history, 0..history.new.len(), function);
        let left = |(function, size): (&FunctionId, &usize)| (*size - covered(*function), *function);
        let reached = self.sizes.iter().filter(|(function, _)| covered(**function) > 0).map(left);
        let poor = reached.filter(|(left, _)| *left > 0);
        poor.max_by_key(|(left, function)| (*left, std::cmp::Reverse(*function)))
            .map(|(_, function)| function)
    }

    fn is_new(&self, history: &History, function: FunctionId) -> bool {
        let (runs, lately) = (history.new.len(), history.new.len().saturating_sub(10));
        let (before, now) = (0..lately, lately..runs);
        self.sizes[&function] >= 10
            && self.new_in(history, before, function) == 0
            && self.new_in(history, now, function) > 0
    }

    /// True if a branch has a feature of 1 to 12.
    fn holds(&self, feature: Feature, branch: BranchId) -> bool {
        let (site, side) = self.program.site_of(branch).unwrap();
        let site = self.program.site(site);
        let in_switch = site.kind == SiteKind::Switch;
        let is_default = side as usize + 1 == site.sides.len();
        let condition = site.branches().any(|branch| self.loops.side(branch).is_some());
        use Feature::*;
        match feature {
            InMain => site.function == FunctionId(0),
            LoopTrue => self.loops.side(branch) == Some(LoopSide::Stays),
            LoopFalse => self.loops.side(branch) == Some(LoopSide::Leaves),
            Nested => self.nesting.is_nested(site.block),
            ExternalCall => site.contents.contains(ConditionFeatures::EXTERNAL_CALL),
            Integer => site.contents.contains(ConditionFeatures::INTEGER),
            Text => site.contents.contains(ConditionFeatures::TEXT),
            Dereference => site.contents.contains(ConditionFeatures::DEREFERENCE),
            Local => site.contents.contains(ConditionFeatures::LOCAL),
            InLoop => self.loops.depth(site.block) > u32::from(condition),
            Case => in_switch && !is_default,
            NoCase => in_switch && is_default,
            _ => unreachable!("{feature:?} is not of the text"),
        }
    }
}

impl Checked<'_> {
    /// Returns the other sides of the path in this state, with their features by definition.
    fn sides_in(&self, tree: &Tree, state: FlipState) -> Vec<(Flip, FeatureSet)> {
        let mut found = Vec::new();
        for (at, (node, taken)) in self.history.path.iter().enumerate() {
            if count(&self.history.failed, taken) <= 70 {
                let sides = tree.sides(*node).filter(|(_, found)| *found == state);
                let flips = sides.map(|(flip, _)| flip).filter(|flip| tree.branch(*flip) != Some(*taken));
                let features = |flip| self.history.features(&self.statics, at, tree.branch(flip).unwrap());
                found.extend(flips.map(|flip| (flip, features(flip))));
            }
        }
        found
    }

    /// Returns the candidates by definition, and checks that the search has the same.
    fn candidates(&mut self, tree: &Tree) -> Vec<(Flip, FeatureSet)> {
        let expected = self.sides_in(tree, FlipState::Untried);
        let known: Vec<_> = self.search.candidates(tree).collect();
        for ((flip, expected), (known_flip, known)) in expected.iter().zip(&known) {
            assert_eq!(flip, known_flip);
            let [expected, known] = [expected, known].map(|set| set.iter().collect::<Vec<_>>());
            assert_eq!(known, expected, "{flip:?} after {} runs", self.history.new.len());
        }
        assert_eq!(known.len(), expected.len());
        for (_, features) in &expected {
            self.seen.extend(Feature::all().map(|feature| (feature, features.contains(feature))));
        }
        expected
    }

    /// True if an uncovered branch on another path is better than the best of these.
    fn may_prefer_uncovered(&self, candidates: &[(Flip, FeatureSet)], best: Flip) -> bool {
        let uncovered = Feature::OppositeUncovered;
        let found = candidates.iter().find(|(flip, _)| *flip == best);
        self.weights.of(uncovered) > 0.0 && found.is_some_and(|(_, features)| !features.contains(uncovered))
    }

    fn best(&self, candidates: &[(Flip, FeatureSet)]) -> Option<Flip> {
        let score = |set: &FeatureSet| set.iter().map(|feature| self.weights.of(feature)).sum::<f64>();
        let best = candidates.iter().max_by(|(_, a), (_, b)| score(a).total_cmp(&score(b)));
        best.map(|(flip, _)| *flip)
    }
}

impl Strategy for Checked<'_> {
    fn on_run(&mut self, run: &RunView) {
        let steps = run.nodes.iter().zip(run.sides);
        let branch = |node, side| run.tree.branch(Flip { node, side });
        self.history.path = steps.map(|(&node, &side)| (node, branch(node, side).unwrap())).collect();
        let flip = run.flip.filter(|_| run.predicted);
        let place = |flip: Flip| self.history.path.iter().position(|(node, _)| *node == flip.node).unwrap();
        self.history.negated_at = flip.map(place);
        self.history.new.push(run.new_branches.to_vec());
        self.history.negated.push(flip.map(|flip| branch(flip.node, 1 - flip.side).unwrap()));
        self.search.on_run(run);
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let candidates = self.candidates(tree);
        let next = self.search.next(tree, rng);
        self.requested = None;
        // Without a candidate, a flip may be negated again.
        let again = |flip| tree.state(flip) == FlipState::Sat;
        let best = match next {
            Next::Flip { flip, .. } if candidates.is_empty() && again(flip) => {
                self.best(&self.sides_in(tree, FlipState::Sat))
            }
            _ => self.best(&candidates),
        };
        match (best, &next) {
            (Some(best), &Next::Flip { flip, .. })
                if flip != best && self.may_prefer_uncovered(&candidates, best) =>
            {
                let covered = |branch| self.history.new.iter().flatten().any(|new| *new == branch);
                assert!(tree.branch(flip).is_some_and(|branch| !covered(branch)), "{flip:?}");
                self.went_elsewhere += 1;
            }
            (Some(best), &Next::Flip { flip, .. }) => {
                assert_eq!(flip, best, "after {} runs", self.history.new.len());
                let at = self.history.path.iter().position(|(node, _)| *node == flip.node).unwrap();
                self.history.tried.insert(self.history.context(at, 5));
                self.requested = Some((flip, self.history.path[at].1));
            }
            (Some(best), next) => panic!("{next:?} instead of {best:?}"),
            (None, _) => {}
        }
        next
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        if outcome != Outcome::Taken {
            self.history
                .failed
                .extend(self.requested.filter(|(requested, _)| *requested == flip).map(|(_, branch)| branch));
        }
        self.search.on_outcome(flip, outcome, cost);
    }

    fn describe(&self) -> String {
        self.search.describe()
    }
}

/// Returns a program whose `main` calls functions of 1, 2, … decisions, every second one of which is a loop.
fn program() -> Program {
    let contents = [
        ConditionFeatures::EXTERNAL_CALL,
        ConditionFeatures::INTEGER,
        ConditionFeatures::TEXT,
        ConditionFeatures::DEREFERENCE,
        ConditionFeatures::LOCAL,
    ];
    let mut main: Vec<Plan> = Vec::new();
    for (call, contents) in (0..10).zip(contents.iter().cycle()) {
        main.push(decide(&[2 * call + 2, 2 * call + 1]).contents(*contents));
        main.push(jump(2 * call + 2).call(&format!("f{call}")));
    }
    main.push(end());
    let called = |number: u32| {
        let is_loop = number.is_multiple_of(2);
        let skip = |at| if is_loop && at > 0 { 0 } else { number + 2 };
        let mut blocks: Vec<Plan> = (0..=number).map(|at| decide(&[skip(at), at + 1])).collect();
        blocks.push(jump(skip(number)));
        blocks.push(end());
        function(&format!("f{number}"), &blocks)
    };
    let bodies: Vec<Body> = [function("main", &main)].into_iter().chain((0..10).map(called)).collect();
    build(&bodies)
}

/// Decides at few sites, and at more the more decisions were true. The site depends on the last two decisions
/// only, so that branches occur again in the same context.
fn ever_wider(seed: u64, bits: usize) -> Decide {
    Box::new(move |path| {
        let mix = |hash: u64, &(bit, side): &(usize, bool)| {
            let hash = (hash ^ (bit as u64 * 2 + u64::from(side))).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^ hash >> 29
        };
        let hash = path.iter().rev().take(2).fold(seed + 77 + path.len() as u64, mix);
        let width = (4 + 3 * path.iter().filter(|(_, side)| *side).count()).min(bits);
        (path.len() < 12 + seed as usize * 5).then_some((hash >> 40) as usize % width)
    })
}

#[test]
fn features_follow_from_the_history_and_the_best_candidate_is_chosen() {
    const ALL: usize = Feature::COUNT;
    let program = program();
    let (mut seen, mut went_elsewhere) = (BTreeSet::new(), 0);
    for seed in 0..5 {
        let mut rng = Rng::new(seed);
        // Integers: their sums are exact, and there are ties.
        let drawn: Vec<f64> = (0..ALL).map(|_| rng.below(7) as f64 - 3.0).collect();
        let weights = weights(|feature| drawn[feature as usize]);
        let mut simulation = Simulation::of(program.clone(), ever_wider(seed, program.site_count() as usize));
        simulation.impossible = &[BranchId(1), BranchId(4)];
        simulation.diverges = |flip| flip.node.index() % 17 == 3;
        let mut checked = Checked {
            search: Parametric::new(&weights, &program),
            weights,
            statics: StaticProperties::new(&program),
            history: History::default(),
            requested: None,
            seen: BTreeSet::new(),
            went_elsewhere: 0,
        };
        simulation.run(vec![false; program.site_count() as usize], None, &mut checked);
        simulation.drive(&mut checked, &mut rng, 300 + 400 * seed as usize);
        seen.append(&mut checked.seen);
        went_elsewhere += checked.went_elsewhere;
    }
    assert!(went_elsewhere > 10, "{went_elsewhere}");
    let of_switches = [Feature::Case, Feature::NoCase];
    let relevant = Feature::all().filter(|feature| !of_switches.contains(feature));
    let cases = relevant.flat_map(|feature| [(feature, true), (feature, false)]);
    let unseen: Vec<_> = cases.filter(|case| !seen.contains(case)).collect();
    assert!(unseen.is_empty(), "no candidate shows {unseen:?}");
}

#[test]
fn of_a_switch_every_other_side_is_a_candidate_and_the_best_is_taken() {
    // A case that calls a function with branches, one that does not, and the default.
    let sides = decide(&[1, 2, 3]);
    let program = build(&[
        function("main", &[sides, jump(3), jump(3).call("called"), end()]),
        function("called", &[decide(&[1, 1]), decide(&[2, 2]), end()]),
    ]);
    let mut dag = Dag::new();
    let value = dag.input(InputByte { object: 0, offset: 0 });
    let mut tree = Tree::new(&program);
    let step = Step { kind: StepKind::Branch, site: SiteId(0), side: 2, value, concrete: 9 };
    let added = tree.add_run(&[step]);
    let mut search = Parametric::new(&weights(|feature| f64::from(feature == Feature::Largest30)), &program);
    search.on_run(&RunView { new_branches: &[BranchId(2)], ..view(&tree, &program, &added) });
    let candidates: Vec<_> = search.candidates(&tree).collect();
    let has = |feature| candidates.iter().map(|(_, set)| set.contains(feature)).collect::<Vec<_>>();
    assert_eq!(
        has(Feature::Largest30),
        [false, true],
        "of two functions the largest 30 % are one, that which is called"
    );
    assert_eq!((has(Feature::Case), has(Feature::NoCase)), (vec![false; 2], vec![true; 2]));
    let next = search.next(&tree, &mut Rng::new(0));
    assert_eq!(flips(&[next]).map(|flip| flip.side).collect::<Vec<_>>(), [1]);
}

#[test]
fn without_a_candidate_it_restarts_and_then_takes_any_flip() {
    let mut simulation = Simulation::new(Box::new(|path| (path.len() < 2).then_some(path.len())), 2);
    let mut search = Parametric::new(&Weights::default(), &simulation.program);
    for digits in [[false, false], [true, false], [true, true], [true, true]] {
        simulation.run(digits.to_vec(), None, &mut search);
    }
    let requests = simulation.drive(&mut search, &mut Rng::new(0), 10);
    assert_eq!(requests[0], Next::Restart, "all of the last path is tried");
    assert_eq!(flips(&requests).count(), 1);
    assert_eq!(requests.last(), Some(&Next::Done));
}
